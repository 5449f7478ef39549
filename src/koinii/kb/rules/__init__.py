"""Rules over the encodings of facts: read `rule`, `joining`, then `placing`."""
