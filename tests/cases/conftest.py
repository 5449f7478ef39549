"""The seats of the faces' tests, for cases that are about whole commands."""

from faces.conftest import here, made, nobody, seat

__all__ = ["here", "made", "nobody", "seat"]
