"""An admin at one seat, over a real remote: published, pinned, granting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import koinii
from koinii import RemoteSeat
from koinii.errors import NotFoundError, RefusedError, UsageError
from koinii.remote.remoteref import REMOTE_REF
from koinii.seat.seat import Seat
from remote.conftest import Plain
from remote.desks import Clock, room, says
from remote.forging import store_commit

Sit = Callable[..., RemoteSeat]


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """Where fsync costs nothing: these tests are many processes of git."""
    with room() as folder:
        yield folder


@pytest.fixture
def sit(tmp_path: Path, bare: Path) -> Iterator[Sit]:
    with ExitStack() as stack:

        def open_one(name: str, agent: str, mode: str = "cooperative") -> RemoteSeat:
            path = tmp_path / name
            stack.enter_context(koinii.init(str(path), agent=agent, now=Clock()))
            settings = (path / "seat.toml").read_text()
            settings = settings.replace('"cooperative"', f'"{mode}"')
            (path / "seat.toml").write_text(settings)
            seat = stack.enter_context(koinii.open(str(path), now=Clock()))
            seat.remotes.add("origin", str(bare))
            return seat

        yield open_one


def reasons(seat: RemoteSeat) -> dict[str, str]:
    return {one.agent: one.reason for one in seat.held()}


def said(seat: RemoteSeat) -> set[str]:
    return {sentence for _, _, _, sentence in says(seat)}


def test_the_admin_is_published_once_and_pinned_by_who_pulls(
    sit: Sit, bare: Path, plain: Plain
) -> None:
    root, other = sit("root", "AgentRoot"), sit("other", "AgentOther")
    other.assert_("(first Other)")
    other.commit()
    other.push()
    before = plain(bare, "rev-parse", REMOTE_REF)
    made = root.admin_init()
    root.commit()

    root.push()

    assert plain(bare, "rev-parse", REMOTE_REF) != before
    shown = plain(bare, "show", f"{REMOTE_REF}:remote")
    assert shown.split("\n")[0] == "1"
    pulled = other.pull()
    assert pulled.admin == made.fingerprint
    assert other.pull().admin == ""
    seen = other.admin()
    assert seen is not None
    assert (seen.fingerprint, seen.is_here) == (made.fingerprint, False)
    assert not root.push().moved
    assert plain(bare, "show", f"{REMOTE_REF}:remote") == shown


def test_in_proof_tier_only_what_is_granted_counts(sit: Sit) -> None:
    root = sit("root", "AgentRoot", "proof-tier")
    known, stranger = sit("known", "AgentKnown"), sit("stranger", "AgentStranger")
    for seat, word in ((known, "known"), (stranger, "strange")):
        seat.assert_(f"(is {word})")
        seat.commit()
        seat.push()
    root.admin_init()

    root.pull()

    assert reasons(root) == {
        "AgentKnown": "koinii/not-granted",
        "AgentStranger": "koinii/not-granted",
    }
    with pytest.raises(RefusedError) as caught:
        root.assert_("(is root)")
    assert caught.value.code == "koinii/not-granted"
    assert "koinii admin grant AgentRoot" in caught.value.hint
    root.grant("AgentRoot", ["moderator", "arbiter"])
    root.grant("AgentKnown")
    root.assert_("(is root)")
    assert reasons(root) == {"AgentStranger": "koinii/not-granted"}
    assert {"(is root)", "(is known)"} <= said(root)

    root.commit()
    root.push()
    reader = sit("reader", "AgentReader", "proof-tier")
    pulled = reader.pull()

    assert pulled.received == pulled.new + pulled.already + pulled.waiting + pulled.held
    assert reasons(reader) == {"AgentStranger": "koinii/not-granted"}
    assert reader.status().commit == root.status().commit
    assert reader.status().inputs == root.status().inputs


def test_a_member_speaks_for_itself_and_a_moderator_for_channels(sit: Sit) -> None:
    root = sit("root", "AgentRoot", "proof-tier")
    root.admin_init()
    root.grant("AgentRoot", ["moderator"])
    root.new_channel("CxDeploy")
    root.new_agent("AgentMember")
    root.grant("AgentMember")
    root.assert_("(is member)", agent="AgentMember")
    root.join("CxDeploy", agent="AgentMember")

    for sentence, place in (
        ("(p A)", "CxDeploy"),
        ("(p A)", "CxPlain"),
        ("(p A)", "CxUniverse"),
        ("(functional p)", "CxMember"),
        ("(channel CxOther)", "CxUniverse"),
        ("(genlCx CxDeploy CxRoot)", "CxUniverse"),
    ):
        with pytest.raises(RefusedError) as caught:
            root.assert_(sentence, context=place, agent="AgentMember")
        assert caught.value.code == "koinii/no-standing", (sentence, place)
    root.grant("AgentMember", ["moderator CxDeploy"])
    root.assert_("(p A)", context="CxDeploy", agent="AgentMember")
    with pytest.raises(RefusedError):
        root.assert_("(p A)", context="CxPlain", agent="AgentMember")

    root.grant("AgentMember", ["member"], only=True)

    assert [(one.agent, one.reason) for one in root.held()] == [
        ("AgentMember", "koinii/no-standing")
    ]
    root.grant("AgentMember", ["moderator"])
    assert not root.held()


def test_the_registry_is_the_admins_and_the_admin_writes_nowhere_else(
    sit: Sit,
) -> None:
    root, other = sit("root", "AgentRoot"), sit("other", "AgentOther")
    root.admin_init()
    root.assert_("(trustLevel AgentOther 0.9)", agent="AdminRoot")
    with pytest.raises(RefusedError) as caught:
        root.assert_("(p A)", context="CxRoot", agent="AdminRoot")
    assert caught.value.code == "koinii/admin-off-registry"
    with pytest.raises(RefusedError) as caught:
        root.assert_("(trustLevel AgentRoot 1.0)", context="CxRegistry")
    assert caught.value.code == "koinii/registry-forbidden"
    root.commit()
    root.push()

    other.pull()

    assert not other.held()
    assert "(trustLevel AgentOther 0.9)" in said(other)


def test_who_calls_itself_the_admin_is_held(sit: Sit, bare: Path) -> None:
    root, false = sit("root", "AgentRoot"), sit("false", "AgentFalse")
    root.admin_init()
    root.commit()
    root.push()
    Seat.admin_init(false)  # as where the remote could not be asked
    false.assert_("(trustLevel AgentFalse 1.0)", agent="AdminRoot")
    false.grant("AgentFalse", ["moderator", "arbiter"])
    false.commit()
    false.push()

    reader = sit("reader", "AgentReader")
    reader.pull()

    assert reasons(reader) == {"AdminRoot": "koinii/not-admin"}
    seen = reader.admin()
    assert seen is not None
    assert seen.grants == []
    troubles = false.pull().troubles
    assert [(one.agent, one.path) for one in troubles] == [("AdminRoot", REMOTE_REF)]


def test_two_admins_of_one_remote_refuse_proof_tier(sit: Sit, bare: Path) -> None:
    root = sit("root", "AgentRoot")
    root.admin_init()
    root.commit()
    root.push()
    false = sit("false", "AgentFalse", "proof-tier")
    Seat.admin_init(false)  # as where the remote could not be asked
    false.grant("AgentFalse")
    false.assert_("(is false)")
    false.commit()

    for verb in (false.push, false.pull):
        with pytest.raises(RefusedError) as caught:
            verb()
        assert caught.value.code == "koinii/other-admin"


def test_a_grant_decides_a_contested_name(sit: Sit) -> None:
    root = sit("root", "AgentRoot")
    one, two = sit("one", "AgentTwin"), sit("two", "AgentTwin")
    for seat, word in ((one, "one"), (two, "two")):
        seat.assert_(f"(said {word})")
        seat.commit()
        seat.push()
    root.pull()
    root.admin_init()
    (held,) = root.held()
    other = next(a for a in root.agents() if a.seat == held.seat)

    root.grant("AgentTwin", key=other.fingerprint)

    (now,) = root.held()
    assert now.seat != held.seat
    assert now.reason == "koinii/name-contested"


def test_grants_are_refused_where_the_admin_is_not(sit: Sit) -> None:
    root = sit("root", "AgentRoot")
    with pytest.raises(NotFoundError) as caught:
        root.grant("AgentRoot")
    assert caught.value.code == "koinii/no-admin"
    root.admin_init()
    with pytest.raises(RefusedError):
        root.admin_init()
    with pytest.raises(UsageError):
        root.grant("AgentRoot", ["king"])
    with pytest.raises(NotFoundError):
        root.grant("AgentNobody")
    with pytest.raises(RefusedError):
        root.grant("AdminRoot", ["member"])


def test_a_vandalised_admin_is_told_and_the_pinned_one_stays(
    sit: Sit, bare: Path, plain: Plain
) -> None:
    root, other = sit("root", "AgentRoot"), sit("other", "AgentOther")
    made = root.admin_init()
    root.commit()
    root.push()
    other.pull()
    text = plain(bare, "show", f"{REMOTE_REF}:remote") + "\n"
    for files in (
        {"remote": text.encode()},
        {"remote": b"1\n" + b"0" * 64 + b"\n", "admin": b"nothing\n"},
        {"remote": b"1\n-\n", "admin": b"nothing\n"},
    ):
        vandal = store_commit(bare, "0" * 32, files)
        plain(bare, "update-ref", REMOTE_REF, vandal)
        troubles = other.pull().troubles
        assert [one.path for one in troubles] == [REMOTE_REF]
        seen = other.admin()
        assert seen is not None
        assert seen.fingerprint == made.fingerprint


def test_a_seat_whose_own_agent_counts_for_nothing_is_no_broken_seat(
    sit: Sit, tmp_path: Path
) -> None:
    """Its sets stay in its records; whether they count is for each reader to say."""
    known, reader = sit("known", "AgentKnown"), sit("reader", "AgentReader")
    known.assert_("(is known)")
    known.commit()
    settings = tmp_path / "known" / "seat.toml"
    settings.write_text(settings.read_text().replace("cooperative", "proof-tier"))
    known.forget_config()
    known.new_agent("AgentAlso")
    known.commit()
    assert reasons(known) == {"AgentKnown": "koinii/not-granted"}
    assert not list(known.believed())
    known.push()

    pulled = reader.pull()

    assert pulled.whole
    assert "(is known)" in said(reader)


def test_a_key_that_has_signed_nothing_yet_is_no_fault_of_the_set(sit: Sit) -> None:
    root, reader = sit("root", "AgentRoot"), sit("reader", "AgentReader")
    root.new_agent("AgentAlso")
    root.assert_("(is root)")
    root.assert_("(is also)", agent="AgentAlso")
    root.commit()
    root.push()
    assert reader.pull().whole
    root.rotate_agent("AgentRoot")
    assert root.commit() is not None
    root.push()

    assert reader.pull().whole
    root.assert_("(is rotated)")
    root.commit()
    root.push()

    assert reader.pull().whole
    assert {"(is root)", "(is rotated)", "(is also)"} <= said(reader)
    newcomer = sit("newcomer", "AgentNew")
    assert newcomer.pull().whole
    assert newcomer.status().commit == root.status().commit


def test_no_second_admin_is_made_where_a_remote_shows_one(
    sit: Sit, tmp_path: Path
) -> None:
    root, other = sit("root", "AgentRoot"), sit("other", "AgentOther")
    other.remotes.add("away", str(tmp_path / "nowhere.git"))
    made = root.admin_init()
    root.commit()
    root.push()

    with pytest.raises(RefusedError) as caught:
        other.admin_init()

    assert caught.value.code == "koinii/other-admin"
    assert made.fingerprint in caught.value.message
    assert other.admin() is None
    assert other.pull().admin == made.fingerprint
    with pytest.raises(RefusedError):
        other.admin_init()


@pytest.mark.parametrize("mode", ["cooperative", "proof-tier"])
def test_an_admin_that_nobody_has_seen_is_given_up(mode: str, sit: Sit) -> None:
    root, other = sit("root", "AgentRoot"), sit("other", "AgentOther", mode)
    false = other.admin_init()
    other.grant("AgentOther")
    other.assert_("(is other)")
    other.commit()
    made = root.admin_init()
    root.commit()
    root.push()

    assert other.admin_forget().fingerprint == false.fingerprint

    assert other.admin() is None
    assert other.pull().admin == made.fingerprint
    assert set(reasons(other).values()) <= {"koinii/not-admin", "koinii/not-granted"}
    assert other.push().moved
    with pytest.raises(NotFoundError):
        other.admin_forget()
    with pytest.raises(RefusedError) as caught:
        root.admin_forget()
    assert caught.value.code == "koinii/admin-published"
