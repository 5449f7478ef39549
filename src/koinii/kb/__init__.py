"""What a base means. Read `claim.py`, `contexts.py`, `query.py`, then `base.py`."""
