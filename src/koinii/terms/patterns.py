"""Regular expressions, compiled when first used.

A command that reads one plain sentence needs few of them, and compiling the rest
would take a tenth of its time.
"""

from __future__ import annotations

import re
from functools import lru_cache

compiled = lru_cache(maxsize=None)(re.compile)  # of constants only, so it is bounded
