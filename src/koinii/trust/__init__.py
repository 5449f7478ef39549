"""Who may say what: pure decisions over signed statements.

Read `names.py`, `boundary.py` (on the path of every assert, so nothing here is
imported for all), then `statements.py`: what agents sign about their keys and
their claims.
"""
