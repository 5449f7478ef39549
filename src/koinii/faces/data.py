"""Any result as plain JSON values: one function for every face."""

from __future__ import annotations

from koinii.kb.base import Sentex
from koinii.terms.printer import write


def to_data(value: object) -> object:
    """Return a result as dicts, lists, texts, numbers, booleans and None.

    Named fields become names, bytes become hex, and a stored sentence shows its
    locator, context and text, never the number of its row.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Sentex):
        return {
            "locator": value.locator,
            "context": value.context,
            "sentence": write(value.sentence),
        }
    if isinstance(value, dict):
        return {_name(name): to_data(item) for name, item in value.items()}
    names = _field_names(value)
    if names is not None:
        return {name: to_data(getattr(value, name)) for name in names}
    if isinstance(value, list | tuple):
        return [to_data(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    return str(value)


def _field_names(value: object) -> list[str] | None:
    """Return the names of a named tuple's or a dataclass's fields, else None."""
    fields = getattr(type(value), "_fields", None)
    if fields is None:
        fields = getattr(type(value), "__dataclass_fields__", None)
    return None if fields is None else list(fields)


def _name(name: object) -> str:
    return name if isinstance(name, str) else str(to_data(name))
