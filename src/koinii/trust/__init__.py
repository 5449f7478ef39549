"""Who may say what: pure decisions over signed statements.

Read `names.py`, `standing.py`, `boundary.py` (on the path of every assert, so nothing
here is imported for all), then what decides whose word counts: `statements.py`,
`presence.py`, `rotated.py`, `counting.py`, and its reasons in words, `reasons.py`.
"""
