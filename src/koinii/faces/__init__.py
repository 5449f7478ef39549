"""The faces. Read `operations.py` first: one table, from which every face comes.

Then `actions.py` (what each operation calls), `surroundings.py` (which seat,
which agent, and why), `performing.py`, `outcome.py` (envelope, exit codes) and
`render.py` (text). `hot.py` reads the common forms of a few verbs without the
full command line in `cli`.
"""
