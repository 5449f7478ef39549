"""The stand-alone verifier as a module, and verdicts that it and ours must share."""

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

from history.sample_proofs import text_of
from koinii.history import stateproof
from koinii.history.verdict import Verification

PROGRAM = Path(__file__).parents[2] / "docs" / "verify" / "koinii_verify.py"


def _load() -> Any:
    spec = importlib.util.spec_from_file_location("koinii_verify", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ALONE = _load()


def alone(data: bytes, **expected: Any) -> bool:
    """Return the verdict of the stand-alone verifier; it may refuse, never raise."""
    try:
        ALONE.verify(data, **expected)
    except ALONE.Refused:
        return False
    return True


def verify(document: object, **expected: Any) -> Verification:
    """Return our verdict, which the stand-alone verifier has to share."""
    known = {"vocabulary": (), **expected}
    found = stateproof.verify(document, **known)
    text = document if isinstance(document, str) else text_of(document)
    assert alone(text.encode(errors="surrogatepass"), **known) is found.ok, found.reason
    return found
