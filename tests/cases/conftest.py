"""The seats of the faces' tests, and rooms, for cases that are about whole commands."""

from cases.seats import folder
from faces.conftest import here, made, nobody, seat

__all__ = ["folder", "here", "made", "nobody", "seat"]
