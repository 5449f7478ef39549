"""The aggregate. Read `layout.py`, `seat.py`, `speaking.py`, `committing.py`."""
