"""Public reports about hostile peers and remotes, and about who speaks.

What other folders' tests show of them stands in the table of `test_coverage.py`;
here is the rest. The good ref of the hostile kit is what most of it begins with.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

import koinii
from cases.seats import at_one_remote, code_of, sit, told
from faces.command import within
from hostile.good import EVE, Files, Good, Story, tell
from hostile.kind import Ref, commit_of
from hostile.kinds import KINDS
from hostile.records import field
from koinii import RemoteSeat
from koinii.errors import KoiniiError, VerificationError
from koinii.note import Signer, sign_note
from koinii.note.signed import parse_note
from koinii.remote.pack import store_pack
from koinii.remote.taking import known_of
from koinii.remote.verify import verify_seat
from koinii.seat.check_contents import check_waiting
from koinii.seat.reporting import Claim
from koinii.terms import write
from remote.desks import (
    Clock,
    fetched,
    hand_over,
    make_key,
    room,
    says,
    shown,
    take,
)
from remote.forging import Forger


@pytest.fixture(scope="module")
def story() -> Iterator[Story]:
    with room() as made:
        yield tell(made)


def test_the_kit_of_bad_refs_has_those_of_the_reports() -> None:
    """`hostile/test_kinds.py` pulls them; the table names that test alone."""
    reported = {
        "BC-019": [
            "author: signed by a stranger in its name", "tip: in another seat's name",
            "agent: a name that looks alike", "author: signed for another agent",
        ],
        "BC-053": [
            "head: no signature", "head: a signature of zeros", "tip: not signed",
            "tip: the signature of an older commit",
            "author: an older set, signed then",
            "author: the signature gone, manifest and all",
        ],
        "BC-057": ["head: over nothing"],
        "BC-058": ["head: over more records than there are"],
        "BC-060": ["head: an old one"],
        "BC-062": ["head: of the honest seat", "head: forked after what was seen"],
        "BC-079": [
            "record: the time is 1970", "record: the time is 2090",
            "tip: a time of 2090",
        ],
        "BC-081": [
            "record: nested 10,000 deep", "record: a string of 2^64-1 bytes",
            "tree: a hundred folders deep",
        ],
        "BC-114": [
            "record: number 2^63-1", "record: number -1", "record: a jump of a million",
            "head: over 2^63-1 records", "author: signed for commit 2^63-1",
        ],
        "BC-116": [
            "head: a signature with the order added to S", "author: a key of zeros",
            "tip: of a seat with a key of zeros", "author: a key that is the identity",
        ],
        "BC-119": [
            "head: of another origin, signed by the seat",
            "author: signed at another seat", "author: a head in place of its set",
        ],
    }  # fmt: skip
    names = {kind.name for kind in KINDS}
    lacking = {case: set(kinds) - names for case, kinds in reported.items()}
    assert not any(lacking.values()), lacking


# Who speaks ----------------------------------------------------------------------

SPEAK = {
    "assert": ["(a B)"],
    "edit": ["--add", "(a B)"],
    "load": ["-"],
    "retract": ["LOCATOR"],
    "channel new": ["CxDeploy"],
    "join": ["CxRoom"],
    "check": ["(a B)"],
}
OTHERS = ["AgentBoreas", "Agent\u0410tlas", "AgentAtlas ", " AgentAtlas", "agentatlas",
          "AgentAtlas\u200b", "AgentAdmin", "AdminRoot", "AgentMajority"]  # fmt: skip


@pytest.mark.parametrize("verb", SPEAK)
def test_bc_019_no_command_speaks_for_who_is_not_here(verb: str, folder: Path) -> None:
    with (
        sit(folder, "atlas", "AgentAtlas") as seat,
        sit(folder, "boreas", "AgentBoreas") as other,
    ):
        other.assert_("(isHere Boreas)")
        other.commit()
        hand_over(other, seat)
        words = [
            seat.locate("(isHere Boreas)", "CxBoreas") if one == "LOCATOR" else one
            for one in SPEAK[verb]
        ]
        before = says(seat)
        for name in OTHERS:
            done = within(
                "-C",
                seat.layout.directory,
                *verb.split(),
                *words,
                "--as",
                name,
                "--json",
                stdin=b"(a B)\n",
            )
            assert done.code in (3, 4), name
            assert done.error["code"] in {
                "koinii/unknown-agent",
                "naming",
                "koinii/reserved-name",
            }
            assert done.error["message"]
        assert says(seat) == before


def test_bc_019_no_call_speaks_for_who_is_not_here(folder: Path) -> None:
    with sit(folder, "atlas", "AgentAtlas") as seat:
        seat.assert_("(channel CxRoom)")
        for name in [*OTHERS, ""]:
            for call in (
                lambda: seat.assert_("(a B)", agent=name),  # noqa: B023 - called at once
                lambda: seat.load(["(a B)"], agent=name),  # noqa: B023 - called at once
                lambda: seat.edit(add=["(a B)"], agent=name),  # noqa: B023 - called at once
                lambda: seat.check("(a B)", agent=name),  # noqa: B023 - called at once
                lambda: seat.join("CxRoom", agent=name),  # noqa: B023 - called at once
                lambda: seat.new_channel("CxOther", agent=name),  # noqa: B023 - called at once
                lambda: seat.rotate_agent(name),  # noqa: B023 - called at once
                lambda: seat.retire_agent(name, seat.id),  # noqa: B023 - called at once
            ):
                assert code_of(call) in {
                    "koinii/unknown-agent",
                    "koinii/no-admin",
                    "koinii/reserved-name",
                    "naming",
                    "koinii/usage",
                }
        assert {who for who, *_ in says(seat)} == {"AgentAtlas"}


CLAIMING = '(("agent" "AgentGood") ("author" "AgentGood") ("creator" "AgentGood"))'


def test_bc_019_what_a_line_says_of_its_author_is_not_who_is_shown(
    story: Story, folder: Path
) -> None:
    good = story.good
    line = f"default 1 (isNew It) {CLAIMING}"
    with sit(folder, "zoe", "AgentZoe") as seat:
        assert not take(seat, good.saying("CxEve", [line]), good.seat).refused
        shown_as = seat.show(seat.locate("(isNew It)", "CxEve"))
        assert isinstance(shown_as, Claim)
        marker = seat.marker(seat.locate("(isNew It)", "CxEve"))
        forged = marker._replace(seat="AgentGood").text()

        assert {(one.agent, one.seat) for one in shown_as.authors} == {(EVE, good.seat)}
        assert marker.seat == EVE
        assert seat.dereference(forged).seat == EVE


def test_bc_019_names_that_look_alike_are_told_apart(folder: Path) -> None:
    """Another case or a digit is another agent, with its seat and key beside it."""
    names = ["AgentAtlas", "AgentAtIas", "AgentAt1as", "AgentATLAS"]
    with ExitStack() as stack:
        seats = [
            stack.enter_context(sit(folder, f"s{n}", one))
            for n, one in enumerate(names)
        ]
        for seat in seats:
            seat.assert_("(isMine Name)")
            seat.commit()
        for seat in seats[1:]:
            hand_over(seat, seats[0])
        here = seats[0]
        told = within("-C", here.layout.directory, "agent", "--json").data
        listed = within("-C", here.layout.directory, "agent").out

        rows = {(one["name"], one["seat"], one["fingerprint"]) for one in told}
        assert {(name, seat.id) for name, seat in zip(names, seats, strict=True)} == {
            row[:2] for row in rows
        }
        assert len({row[2] for row in rows}) == len(names)
        assert all(row[2] in listed and row[1][:8] in listed for row in rows)
        assert {who for who, *_ in says(here)} == set(names)
        assert not here.status().contested


# Whose log, whose set ----------------------------------------------------------------


def test_bc_119_what_a_key_signed_at_one_seat_is_nothing_at_another(
    folder: Path,
) -> None:
    """One agent, one key, two seats: its files, one by one, and all of them."""
    key = make_key(folder / "key")
    with (
        sit(folder, "one", "AgentTwin", key=key) as one,
        sit(folder, "two", "AgentTwin", key=key) as two,
        sit(folder, "zoe", "AgentZoe") as zoe,
    ):
        for seat in (one, two):
            seat.assert_("(isHere Twin)")
            seat.assert_(f"(isAt Seat{seat.id[:4]})")
            seat.commit()
        ours, theirs = shown(one), shown(two)
        forger = Forger(one, ("AgentTwin",))
        mine = [path for path in ours if path.startswith("agents/AgentTwin/")]
        for number, paths in enumerate([*([path] for path in mine), mine]):
            files = {**ours, **{path: theirs[path] for path in paths}}
            with sit(folder, f"new{number}", "AgentNew") as new:
                (refused,) = take(new, forger.resealed(files), one.id).refused

                assert refused.name == "AgentTwin"
                assert not says(new)
        for path in ("checkpoint", "seat.pub", "manifest", "history/entries/0000"):
            with pytest.raises(VerificationError) as caught:
                take(zoe, {**ours, path: theirs[path]}, one.id)
            assert (
                caught.value.message.startswith(path.split("0")[0])
                or "record" in caught.value.message
            )
        with pytest.raises(VerificationError, match=r"seat\.pub"):
            take(zoe, theirs, one.id)
        assert not says(zoe)


def test_bc_119_a_signature_of_one_kind_is_none_of_another(folder: Path) -> None:
    """A head is no statement, a statement no head, whoever signed both."""
    with sit(folder, "one", "AgentTwin") as one, sit(folder, "zoe", "AgentZoe") as zoe:
        one.assert_("(isHere Twin)")
        one.commit()
        files, forger = shown(one), Forger(one, ("AgentTwin",))
        authored, statements = (
            "agents/AgentTwin/authored",
            "agents/AgentTwin/statements",
        )
        for path, body in (
            ("checkpoint", files[authored]),
            ("checkpoint", files[statements]),
            ("checkpoint", by_seat(forger, files[authored])),
            (authored, files["checkpoint"]),
            (authored, files[statements]),
            (statements, files[authored]),
            (statements, files["checkpoint"]),
        ):
            made = {**files, path: body}
            made = made if path == "checkpoint" else forger.resealed(made)
            if path == "checkpoint":
                with pytest.raises(VerificationError):
                    take(zoe, made, one.id)
            else:
                came = verify_seat(fetched(made, one.id), known_of(zoe, one.id))
                assert [who.path for who in came.refused] == [path]
        assert not says(zoe)


def by_seat(forger: Forger, note: bytes) -> bytes:
    """Return a statement's text as the seat signs its heads."""
    signer = Signer.of(f"koinii.seat/{forger.id}", forger.key)
    return sign_note(parse_note(note).claimed_text, [signer])


# Numbers -----------------------------------------------------------------------------

BIG = {
    "2^63-1": b"\x1b\x7f" + b"\xff" * 7,
    "2^64-1": b"\x1b" + b"\xff" * 8,
    "2^64": b"\xc2\x49\x01" + bytes(8),
    "2^200": b"\xc2\x58\x1a\x01" + bytes(25),
    "-1": b"\x20",
    "1.5": b"\xf9\x3e\x00",
    "1.5, long": b"\xfb\x3f\xf8" + bytes(6),
    "a million more": b"\x1a\x00\x0f\x42\x42",
    "itself": b"\x01",
    "two more": b"\x04",
}


def with_field(name: str, value: str, good: Good) -> Files:
    """Return the good ref with a number of its newest record put in its place."""
    made = field(name, BIG[value])(good)
    assert isinstance(made, dict)
    return made


@pytest.mark.parametrize("number", BIG)
def test_bc_114_a_number_out_of_line_stops_nobody(
    number: str, story: Story, folder: Path
) -> None:
    good = story.good
    with sit(folder, "zoe", "AgentZoe") as seat:
        take(seat, good.others, good.honest)
        take(seat, good.first, good.seat)
        kept, done = says(seat), seat.commit()
        assert done is not None

        with pytest.raises(VerificationError):
            take(seat, with_field("number", number, good), good.seat)

        assert says(seat) == kept
        seat.assert_("(goes On)")
        after = seat.commit()
        assert after is not None
        assert after.number == done.number + 1
        head = {peer.seat: peer.number for peer in seat.peers()}
        assert head[good.seat] == 1
        assert not take(seat, good.second, good.seat).refused
        assert len(says(seat)) > len(kept)


@pytest.mark.parametrize("value", ["2^63-1", "2^64-1", "2^64", "2^200", "-1", "1.5"])
def test_bc_114_a_time_of_any_size_decides_nothing(
    value: str, story: Story, folder: Path
) -> None:
    good = story.good
    with (
        sit(folder, "zoe", "AgentZoe") as seat,
        sit(folder, "eve", "AgentEva") as plain,
    ):
        take(plain, good.second, good.seat)
        files = with_field("time", value, good)
        if value.startswith("2^6") and value != "2^64":
            assert not take(seat, files, good.seat).refused
            assert says(seat) == says(plain)
        else:
            with pytest.raises(VerificationError):
                take(seat, files, good.seat)
            assert not says(seat)
        seat.assert_("(goes On)")
        done = seat.commit()
        assert done is not None
        assert done.number == 1
        assert done.time < 1_800_000_000_000


# Remotes that show what is old, odd, or not theirs ------------------------------------


def test_bc_060_an_old_remote_changes_no_belief_and_is_told_by_who_has_heard(
    folder: Path,
) -> None:
    with (
        sit(folder, "a", "AgentAnna") as anna,
        sit(folder, "c", "AgentCleo") as cleo,
        sit(folder, "d", "AgentDora") as dora,
    ):
        bare = at_one_remote(folder, anna, cleo, dora)
        wrong = anna.assert_("(gone Soon)")
        anna.sync()
        shutil.copytree(bare, folder / "old.git")
        anna.retract(wrong)
        anna.assert_("(here Now)")
        anna.sync()
        cleo.assert_("(isHere Cleo)")
        cleo.sync()
        shutil.copytree(bare, folder / "new.git")
        believed = cleo.status().commit

        shutil.rmtree(bare)
        shutil.copytree(folder / "old.git", bare)
        seen, fresh = cleo.pull(), dora.pull()

        assert any("went back" in one.reason for one in seen.troubles)
        assert cleo.status().commit == believed
        assert "(gone Soon)" not in told(cleo)
        assert (fresh.troubles, told(dora)) == ([], {"(gone Soon)"})

        cleo.push()
        heard = dora.pull()

        (behind,) = [one for one in heard.troubles if one.seat == anna.id]
        assert behind.code == "koinii/behind"
        assert not heard.whole
        mine = anna.pull()
        assert "(gone Soon)" not in told(anna)
        assert anna.push().moved
        assert mine.removed == 0
        assert dora.pull().whole
        assert told(dora) == {"(here Now)", "(isHere Cleo)"}


def test_bc_062_a_fetch_moves_no_ref_but_those_of_verified_seats(folder: Path) -> None:
    """Others under a seat's name, and outside of our namespace, move nothing here."""
    with (
        sit(folder, "a", "AgentAnna") as anna,
        sit(folder, "b", "AgentBert") as bert,
        sit(folder, "c", "AgentCleo") as cleo,
    ):
        bare = at_one_remote(folder, anna, bert, cleo)
        for seat, text in ((anna, "(a B)"), (bert, "(b C)"), (cleo, "(c D)")):
            seat.assert_(text)
            seat.sync()
        cleo.pull()
        before = unlike_fetched(cleo)
        believed, own = says(cleo), f"refs/koinii/seats/{cleo.id}"
        tips = refs(bare)
        theirs = tips[f"refs/koinii/seats/{anna.id}"]
        moved = {
            f"refs/koinii/seats/{bert.id}": theirs,
            own: theirs,
            "refs/heads/main": theirs,
            "refs/tags/v1": theirs,
            "refs/koinii/other": theirs,
            f"refs/koinii/seats/{'0' * 32}": theirs,
            "refs/koinii/seats/no-seat": theirs,
        }
        for name, tip in moved.items():
            subprocess.run(["git", "-C", bare, "update-ref", name, tip], check=True)

        pulled = cleo.pull()

        assert {bert.id, "0" * 32} <= {one.seat for one in pulled.troubles}
        assert says(cleo) == believed
        assert unlike_fetched(cleo) == before
        assert not [name for name in refs(Path(cleo.git.directory)) if "heads" in name]
        assert before[own] == tips[own]
        cleo.assert_("(goes On)")
        assert cleo.sync()
        assert refs(bare)[own] != theirs


def unlike_fetched(seat: RemoteSeat) -> dict[str, str]:
    """Return a seat's refs but for those that hold what came, to be verified."""
    names = refs(Path(seat.git.directory)).items()
    kept = ("refs/koinii/incoming/origin/", "refs/koinii/returned/")
    return {name: tip for name, tip in names if not name.startswith(kept)}


def refs(repository: Path) -> dict[str, str]:
    """Return every ref with what it points at."""
    form = "--format=%(refname) %(objectname)"
    words = ["git", "-C", str(repository), "for-each-ref", form]
    lines = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    return dict(line.split(" ") for line in lines.splitlines())


# What a terminal shows -----------------------------------------------------

ODD_TEXTS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:1)",
    "</script><svg onload=alert(1)>",
    "{{7*7}} ${7*7} `id` $(id)",
    "\x1b]0;owned\x07\x1b[2J\x1b[31m",
    "\x9b2J\x85\x7f\x08\r",
    "a\u202egnp.exe\u2066 \u200b\ufeff\u2028\U000e0041",
    "```\n# a heading\n",
    "koinii: all is well\nhint: rm -rf",
    "x" * 60_000,
]
CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
TURNING = "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f"
UNSEEN = re.compile(f"[{CONTROLS}{TURNING}]")


def test_bc_061_no_command_prints_what_moves_a_terminal(folder: Path) -> None:
    """Said by another seat; shown as text by every verb, in plain and in JSON."""
    with sit(folder, "eve", EVE) as eve, sit(folder, "a", "AgentAnna") as anna:
        at_one_remote(folder, eve, anna)
        rows = [eve.assert_(f"(title Page {write(one)})") for one in ODD_TEXTS]
        rows.append(eve.assert_(f"(not (title Page {write(ODD_TEXTS[5])}))"))
        for text in ("isOdd\u202e", "\u202eisOdd"):
            with suppress(KoiniiError):
                rows.append(eve.assert_(f"(kind {text})"))
        eve.sync()
        anna.pull()
        at = anna.layout.directory
        verbs = [
            ["status"], ["log"], ["agent"], ["peers"], ["held"], ["contradictions"],
            ["ask", "(title ?page ?text)"], ["search", "script"], ["search", "owned"],
            *(["show", one] for one in rows), ["why", rows[5]], ["marker", rows[5]],
            ["argue", f"(title Page {write(ODD_TEXTS[5])})", "--in", "CxEve"],
            ["why-not", '(title "\x1b[2J")', "--in", "CxEve"],
            ["ask", "(\x1b[2J"], ["show", "\x1b[2J\u202e"], ["pull", "\x1b[2J"],
        ]  # fmt: skip
        for words in verbs:
            done = within("-C", at, *words)
            assert not UNSEEN.search(done.out + done.err), words
            data = within("-C", at, *words, "--json")
            assert data.json["schema_version"] == 1
            assert data.out.count("\n") == 1
        shown_as = within("-C", at, "ask", "(title ?page ?text)").out
        assert all(text in shown_as for text in ODD_TEXTS[:5])


def test_bc_061_names_in_a_hostile_ref_are_shown_as_text(
    story: Story, folder: Path
) -> None:
    """A path, a seat's key line, a commit's message: whatever a refusal quotes."""
    good = story.good
    with sit(folder, "zoe", "AgentZoe") as seat:
        bare = at_one_remote(folder, seat)
        where = bare / "refs/koinii/seats" / good.seat
        where.parent.mkdir(parents=True)
        shapes = [kind for kind in KINDS if kind.name in ESCAPING]
        assert len(shapes) == len(ESCAPING)
        for kind in shapes:
            made = kind.forge(good)
            ref = made if isinstance(made, Ref) else commit_of(good, made)
            store_pack(bare, ref.pack)
            where.write_text(ref.tip + "\n")
            for words in (["pull"], ["status"], ["peers"], ["held"]):
                done = within("-C", seat.layout.directory, *words)
                assert not UNSEEN.search(done.out + done.err), (kind.name, words)


ESCAPING = {
    "tree: a name with a control character",
    "tip: control characters in its message",
    "seat key: a comment with a control character",
    "readme: control characters, markup, a fence of another kind",
    "author: an introduction at another seat",
    "record: roots and counts that nobody can check",
}

# Clocks ---------------------------------------------------------------------

YEAR = 365 * 24 * 3600 * 1000
NOW = 1_700_000_000_000


def meet(seats: list[RemoteSeat]) -> None:
    """Let each take in what every other has committed."""
    for source in seats:
        for target in seats:
            if source is not target:
                hand_over(source, target)


def test_bc_079_clocks_of_2090_and_1970_decide_nothing(folder: Path) -> None:
    """Who said what last counts; own times stay one's own; a mended clock goes on."""
    text = "(usesDatabase ProdCluster Postgres)"
    with (
        sit(folder, "m", "AgentMia") as far,
        sit(folder, "n", "AgentNora") as old,
        sit(folder, "o", "AgentOlga") as right,
    ):
        names = {"AgentMia": far, "AgentNora": old, "AgentOlga": right}
        far._clock, old._clock = Clock(3_786_912_000_000), Clock(0)
        bare = at_one_remote(folder, *names.values())
        for last, keeper in names.items():
            for name, seat in names.items():
                located = seat.assert_(text, context="CxPlain")
                seat.commit()
                if name != last:
                    seat.retract(located)
                    seat.commit()
            meet(list(names.values()))
            for seat in names.values():
                assert {who for who, *_, said in says(seat) if said == text} == {last}
            keeper.retract(located)
            keeper.commit()
        late = {one.seat: one.ahead > 60 * YEAR for one in right.peers()}
        assert late == {far.id: True, old.id: False}
        flagged = [one for one in check_waiting(right) if one.name == "clock"]
        assert [far.id in one.found for one in flagged] == [True]
        mine = right.assert_("(isHere Olga)")
        shown_as = right.show(mine)
        assert isinstance(shown_as, Claim)
        assert abs(shown_as.authors[0].created - NOW) < YEAR
        assert all(abs(one.time - NOW) < YEAR for one in right.log())

        far._clock = Clock(NOW)
        before = far.log(1)[0]
        far.assert_("(isMended Clock)")
        far.sync()
        after = far.log(1)[0]
        assert after.number == before.number + 1
        assert after.time < before.time
        with koinii.clone(str(bare), str(folder / "fresh"), agent="AgentZoe") as fresh:
            assert fresh.pull().whole
            assert "(isMended Clock)" in told(fresh)
