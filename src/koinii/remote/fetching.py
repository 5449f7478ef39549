"""Other seats' refs into the private repository, none held up by another."""

from __future__ import annotations

from collections.abc import Sequence

from koinii.errors import EnvironmentError_, KoiniiError, VerificationError
from koinii.remote.publish import SEATS
from koinii.remote.repository import Git

# One seat's ref can cause these; any other failure concerns the whole remote.
_OF_ONE_REF = frozenset({"koinii/no-ref", "koinii/git-failed", "koinii/no-repository"})


def fetch_seats(
    git: Git, url: str, here: str, seats: Sequence[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Fetch the refs of seats below `here`; return tips and failures by seat.

    One request for all; one for each where that fails, so that objects that are
    damaged or not allowed concern the seat that shows them alone.

    Raises:
        EnvironmentError_: no network, no credentials, no space.
    """
    if not seats:
        return {}, {}
    failed: dict[str, str] = {}
    try:
        git.fetch(url, [_refspec(here, one) for one in seats])
    except KoiniiError as error:
        if not _is_of_one_ref(error):
            raise
        failed = _fetch_each(git, url, here, seats)
    found = git.list_refs(here.rstrip("/"))
    tips = {one: found[here + one] for one in seats if one not in failed}
    return tips, failed


def _fetch_each(git: Git, url: str, here: str, seats: Sequence[str]) -> dict[str, str]:
    failed: dict[str, str] = {}
    for one in seats:
        try:
            git.fetch(url, [_refspec(here, one)])
        except KoiniiError as error:
            if not _is_of_one_ref(error):
                raise
            words = str(error.details.get("words", "")).strip()
            failed[one] = f"{error.message}: {words}" if words else error.message
    return failed


def _is_of_one_ref(error: KoiniiError) -> bool:
    if isinstance(error, VerificationError):
        return True
    return isinstance(error, EnvironmentError_) and error.code in _OF_ONE_REF


def _refspec(here: str, seat: str) -> str:
    return f"+{SEATS}{seat}:{here}{seat}"
