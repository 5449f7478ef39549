"""What stood at an own ref and was not left there is told by the push over it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from koinii import RemoteSeat
from koinii.remote.publish import own_ref
from remote.conftest import Plain
from remote.desks import Sit, room, sitting
from remote.forging import store_commit

Vandal = Callable[[Plain, Path, RemoteSeat, RemoteSeat], str]


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


@pytest.fixture
def sit(tmp_path: Path, bare: Path) -> Iterator[Sit]:
    with sitting(tmp_path, bare) as open_one:
        yield open_one


def rolled_back(plain: Plain, bare: Path, anna: RemoteSeat, _: RemoteSeat) -> str:
    plain(bare, "update-ref", own_ref(anna), f"{own_ref(anna)}~1")
    return "showed commit 1, after it had shown commit 2"


def deleted(plain: Plain, bare: Path, anna: RemoteSeat, _: RemoteSeat) -> str:
    plain(bare, "update-ref", "-d", own_ref(anna))
    return "showed nothing of this seat, after it had shown commit 2"


def of_another(plain: Plain, bare: Path, anna: RemoteSeat, bert: RemoteSeat) -> str:
    plain(bare, "update-ref", own_ref(anna), own_ref(bert))
    return f"{bert.histories.tip(bert.id)}, which this seat did not sign"


def unsigned(plain: Plain, bare: Path, anna: RemoteSeat, _: RemoteSeat) -> str:
    plain(bare, "update-ref", own_ref(anna), store_commit(bare, anna.id, {"a": b"b"}))
    return "which this seat did not sign"


def blob(plain: Plain, bare: Path, anna: RemoteSeat, _: RemoteSeat) -> str:
    oid = plain(bare, "hash-object", "-w", "--stdin", data=b"junk\n")
    plain(bare, "update-ref", own_ref(anna), oid)
    return f"{oid}, which this seat did not sign"


@pytest.mark.parametrize("vandal", [rolled_back, deleted, of_another, unsigned, blob])
def test_a_push_tells_what_it_replaces(
    vandal: Vandal, sit: Sit, bare: Path, plain: Plain
) -> None:
    anna, bert = sit("anna"), sit("bert")
    bert.push()
    anna.push()
    anna.assert_("(later)")
    anna.commit()
    anna.push()
    assert anna.notices == []
    said = vandal(plain, bare, anna, bert)

    anna.rehearse_push()
    (notice,) = anna.notices
    assert said in notice
    assert anna.push().moved
    assert anna.notices == [notice, notice]
    assert plain(bare, "rev-parse", own_ref(anna)) == anna.histories.tip(anna.id)
    assert not anna.push().moved
    assert len(anna.notices) == 2


def test_troubles_of_a_damaged_remote_are_one_line_each(
    sit: Sit, bare: Path, plain: Plain
) -> None:
    anna, bert = sit("anna"), sit("bert")
    bert.push()
    tree = plain(bare, "rev-parse", f"{own_ref(bert)}^{{tree}}")
    for pack in (bare / "objects/pack").glob("*.pack"):
        body = pack.read_bytes()
        for one in pack.parent.glob(f"{pack.stem}.*"):
            one.unlink()
        plain(bare, "unpack-objects", "-q", data=body)
    (bare / "objects" / tree[:2] / tree[2:]).write_bytes(b"\0\n\0\n")

    (trouble,) = anna.pull().troubles
    assert trouble.seat == bert.id
    assert trouble.reason.isprintable()
    (peer,) = (one for one in anna.peers() if one.seat == bert.id)
    assert peer.trouble.isprintable()
