"""The only SQL. Read `schema/0001.sql`, then `database.py`, then the tables' files."""
