"""The verbs about trust at the command line: keys, the admin, whom to follow."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from faces.command import Done, within

REASON = "the laptop was lost"
HELD = "koinii/key-revoked"


class Town:
    """A remote, the seat of the admin, and a seat beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        hub = folder / "hub.git"
        subprocess.run(["git", "init", "-q", "--bare", str(hub)], check=True)
        for name, agent in (("root", "AgentRoot"), ("boreas", "AgentBoreas")):
            done(within("init", str(folder / name), "--as", agent))
            self.at(name, "remote", "add", "origin", str(hub))

    def at(self, name: str, *words: str) -> Done:
        return done(self.try_at(name, *words))

    def try_at(self, name: str, *words: str) -> Done:
        return within("-C", str(self.folder / name), *words)

    def data(self, name: str, *words: str) -> Any:
        answer = self.try_at(name, *words, "--json")
        assert answer.code in (0, 7), answer
        return answer.data

    def say(self, name: str, sentence: str) -> None:
        self.at(name, "assert", sentence)
        self.share(name)

    def share(self, name: str) -> None:
        self.at(name, "commit")
        self.at(name, "push")

    def pull(self, name: str) -> Any:
        return self.data(name, "pull")

    def seat(self, name: str) -> str:
        return str(self.data(name, "status")["seat"])

    def key(self, name: str, agent: str, at: str | None = None) -> str:
        """Return the fingerprint of an agent at a seat, as another seat knows it."""
        place = self.seat(at or name)
        (row,) = [
            row
            for row in self.data(name, "agent")
            if (row["name"], row["seat"]) == (agent, place)
        ]
        return str(row["fingerprint"])

    def believes(self, name: str) -> set[str]:
        return {row["?x"] for row in self.data(name, "ask", "(p ?x)")["answers"]}

    def mode(self, name: str, mode: str) -> None:
        path = self.folder / name / "seat.toml"
        text = path.read_text().replace("cooperative", mode)
        path.write_text(text)


def done(one: Done) -> Done:
    assert one.code == 0, one
    return one


@pytest.fixture
def town(tmp_path: Path) -> Town:
    return Town(tmp_path)


@pytest.fixture
def met(town: Town) -> Iterator[Town]:
    """Boreas has said A and committed, and the root has it."""
    town.say("boreas", "(p A)")
    town.pull("root")
    yield town


# The admin ----------------------------------------------------------------------


def test_an_admin_from_its_making_to_its_grants(met: Town) -> None:
    nobody = met.at("root", "admin")
    assert (nobody.out, nobody.err) == (
        "",
        "no admin is pinned here; koinii admin init makes one\n",
    )
    assert met.data("root", "admin") is None
    rehearsed = met.at("root", "admin", "init", "--dry-run")
    assert "dry run" in rehearsed.err
    assert not (met.folder / "root/.koinii/keys/AdminRoot").exists()
    assert met.data("root", "admin") is None

    made = met.at("root", "admin", "init")
    key = made.out.split()[1].rstrip(",")
    shown = met.data("root", "admin")
    assert shown == {"fingerprint": key, "is_here": True, "grants": []}
    again = met.try_at("root", "admin", "init", "--json")
    assert (again.code, again.error["code"]) == (4, "koinii/other-admin")

    met.mode("root", "proof-tier")
    assert met.believes("root") == {"A"}  # a read weighs nothing anew
    met.at("root", "admin", "grant", "AgentRoot", "moderator", "arbiter")
    (line,) = met.data("root", "held")
    assert line["reason"] == "koinii/not-granted"
    assert line["hint"] == "koinii admin grant AgentBoreas, at the seat of the admin"
    granted = met.at("root", "admin", "grant", "AgentBoreas")
    boreas = met.key("root", "AgentBoreas", "boreas")
    assert granted.out == f"AgentBoreas {boreas} member\n"
    assert "0 lines held since, 1 line back" in granted.err
    assert met.believes("root") == {"A"}
    lines = met.at("root", "admin").out.splitlines()
    assert [line.split()[-2:] for line in lines[1:]] == [
        [boreas, "member"],
        ["arbiter,", "moderator"],
    ]

    met.share("root")
    pulled = met.pull("boreas")
    assert pulled["admin"] == key
    assert met.data("boreas", "admin")["is_here"] is False
    refused = met.try_at("boreas", "admin", "grant", "AgentBoreas", "--json")
    assert (refused.code, refused.error["code"]) == (3, "koinii/no-admin")


def test_standing_is_added_unless_it_is_only(met: Town) -> None:
    def grant(*words: str) -> list[str]:
        answer = met.data("root", "admin", "grant", "AgentBoreas", *words)
        standing: list[str] = answer["standing"]
        assert met.data("root", "admin")["grants"][0]["standing"] == standing
        return standing

    met.at("root", "admin", "init")
    assert grant() == ["member"]
    assert grant("moderator", "--in", "CxDeploy") == ["member", "moderator CxDeploy"]
    assert grant("moderator CxOps") == [
        "member",
        "moderator CxDeploy",
        "moderator CxOps",
    ]
    assert grant("moderator", "arbiter", "--only") == ["arbiter *", "moderator *"]
    assert grant("--only") == ["member"]
    would = met.data("root", "admin", "grant", "AgentBoreas", "arbiter", "--dry-run")
    assert would["standing"] == ["arbiter *", "member"]
    assert met.data("root", "admin")["grants"][0]["standing"] == ["member"]


@pytest.mark.parametrize(
    ("words", "exit_code", "code", "said"),
    [
        (["AgentBoreas", "owner"], 2, "koinii/usage", "no standing"),
        (["AgentBoreas", "member CxA"], 2, "koinii/usage", "no standing"),
        (["AgentBoreas", "arbiter CxA"], 2, "koinii/usage", "everywhere"),
        (["AgentBoreas", "moderator A"], 4, "naming", ""),
        (["AgentBoreas", "--in", "CxA"], 2, "koinii/usage", "--in"),
        (["AgentBoreas", "moderator", "--in", "A"], 4, "naming", ""),
        (["AgentCleo"], 3, "koinii/unknown-agent", "AgentCleo"),
        (["AgentBoreas", "--key", "SHA256:x"], 3, "koinii/unknown-fingerprint", "x"),
        (["AgentBoreas", "--key", "nothing.pub"], 2, "koinii/usage", "nothing.pub"),
        (["AgentBoreas", "--key", "ssh-rsa AAAA"], 6, "koinii/bad-key-file", ""),
        (["Boreas"], 4, "naming", "Boreas"),
        (["AdminRoot"], 4, "naming", "AdminRoot"),
        (["AgentMajority"], 4, "koinii/reserved-name", "AgentMajority"),
        ([], 2, "koinii/usage", "AGENT"),
    ],
    ids=str,
)
def test_grants_that_are_none(
    met: Town, words: list[str], exit_code: int, code: str, said: str
) -> None:
    met.at("root", "admin", "init")
    before = met.data("root", "admin")
    refused = met.try_at("root", "admin", "grant", *words, "--json")
    assert (refused.code, refused.error["code"]) == (exit_code, code), refused
    assert said in refused.error["message"]
    assert refused.error["hint"] or code == "koinii/bad-key-file"
    assert met.data("root", "admin") == before


def test_a_name_with_two_keys_is_granted_to_one(met: Town) -> None:
    other = str(met.folder / "other")
    done(within("init", other, "--as", "AgentBoreas"))
    met.at("other", "remote", "add", "origin", str(met.folder / "hub.git"))
    met.say("other", "(p B)")
    met.pull("root")
    assert met.believes("root") == {"A"}
    met.at("root", "admin", "init")

    several = met.try_at("root", "admin", "grant", "AgentBoreas", "--json")
    assert (several.code, several.error["code"]) == (2, "koinii/several-keys")
    keys = several.error["details"]["known"]
    assert several.error["hint"].startswith("koinii admin grant AgentBoreas --key SHA")
    assert keys == sorted(
        met.key("root", "AgentBoreas", at) for at in ("boreas", "other")
    )
    line = subprocess.run(
        ["ssh-keygen", "-y", "-f", str(met.folder / "other/.koinii/keys/AgentBoreas")],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    public = met.folder / "boreas.pub"
    public.write_text(line)
    granted = met.try_at(
        "root", "admin", "grant", "AgentBoreas", "--key", str(public), "--json"
    )
    assert granted.code == 7  # the other key is held now
    assert granted.data["without"] == [met.seat("boreas")]
    assert (granted.data["held"], granted.data["back"]) == (1, 1)
    assert met.believes("root") == {"B"}


# Keys -----------------------------------------------------------------------------


def test_a_rotation_is_taken_by_the_others(met: Town) -> None:
    path = met.folder / "boreas/.koinii/keys/AgentBoreas"
    before = path.read_bytes()
    would = met.at("boreas", "agent", "rotate", "--dry-run")
    assert "has the new key SHA256:" in would.out
    assert path.read_bytes() == before
    assert sorted(one.name for one in path.parent.iterdir()) == ["AgentBoreas", "seat"]

    old = met.key("boreas", "AgentBoreas")
    rotated = met.data("boreas", "agent", "rotate")
    assert (rotated["kind"], rotated["agent"]) == ("rotate", "AgentBoreas")
    assert (rotated["seat"], rotated["number"]) == (met.seat("boreas"), 2)
    assert rotated["key"] == met.key("boreas", "AgentBoreas") != old
    assert path.read_bytes() != before
    met.say("boreas", "(p B)")
    assert met.pull("root")["contested"] == []
    assert met.believes("root") == {"A", "B"}
    assert met.key("root", "AgentBoreas", "boreas") == rotated["key"]


def test_a_rotated_name_is_granted_to_the_key_it_has_now(met: Town) -> None:
    met.mode("root", "proof-tier")
    met.at("root", "admin", "init")
    met.at("boreas", "agent", "rotate")
    met.say("boreas", "(p B)")
    met.pull("root")
    granted = met.data("root", "admin", "grant", "AgentBoreas")
    assert granted["fingerprint"] == met.key("boreas", "AgentBoreas")
    assert met.believes("root") == {"A", "B"}


def test_a_key_is_brought_to_a_rotation_once(met: Town) -> None:
    key = str(met.folder / "new.key")
    made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key]
    subprocess.run(made, check=True)
    done(met.at("boreas", "agent", "rotate", "AgentBoreas", "--key", key))
    again = met.try_at("boreas", "agent", "rotate", "--key", key, "--json")
    assert (again.code, again.error["code"]) == (2, "koinii/same-key")
    unknown = met.try_at("boreas", "agent", "rotate", "AgentRoot", "--json")
    assert (unknown.code, unknown.error["code"]) == (3, "koinii/unknown-agent")
    admin = met.try_at("boreas", "agent", "rotate", "AdminRoot", "--json")
    assert (admin.code, admin.error["code"]) == (2, "koinii/usage")


def test_an_own_key_is_revoked(met: Town) -> None:
    key = met.key("boreas", "AgentBoreas")
    met.at("boreas", "agent", "rotate")
    words = ("agent", "revoke", "--key", key, "--reason", REASON)
    would = met.at("boreas", *words, "--dry-run")
    assert f"the key {key} of AgentBoreas counts no more at every seat" in would.out
    late = met.data("boreas", *words, "--from", "2")
    assert (late["number"], late["seat"], late["held"]) == (2, "*", 0)
    assert met.data("boreas", *words, "--seat", met.seat("boreas")[:8])["held"] == 1
    assert met.believes("boreas") == set()
    (line,) = met.data("boreas", "held")
    assert (line["reason"], line["why"]) == (HELD, "the key that signed it is revoked")
    text = met.at("boreas", "held").out.splitlines()
    assert text[0] == f"1 {HELD}"
    assert text[1].startswith(f"{HELD}: AgentBoreas at {met.seat('boreas')} in CxBo")
    assert text[3].startswith("  next: koinii commit at that seat")

    met.say("boreas", "(p B)")  # signed by the new key, with all that was said
    assert met.believes("boreas") == {"A", "B"}
    met.pull("root")
    assert met.believes("root") == {"A", "B"}


def test_the_admin_revokes_a_key(met: Town) -> None:
    met.at("root", "admin", "init")
    key = met.key("root", "AgentBoreas", "boreas")
    words = ("admin", "revoke", "AgentBoreas", "--key", key, "--reason", REASON)
    revoked = met.data("root", *words)
    assert (revoked["kind"], revoked["held"]) == ("revoke", 1)
    assert met.believes("root") == set()
    (agent,) = [one for one in met.data("root", "agent") if one["refusal"]]
    assert (agent["name"], agent["refusal"]) == ("AgentBoreas", HELD)
    assert agent["hint"].startswith("koinii commit at that seat")
    shown = met.at("root", "agent")
    assert f"held: the key that signed it is revoked ({HELD})" in shown.out
    assert f"AgentBoreas: {agent['hint']}" in shown.err
    met.share("root")
    met.pull("boreas")
    assert met.believes("boreas") == set()
    mute = met.try_at("boreas", "assert", "(p B)", "--json")
    assert (mute.code, mute.error["code"]) == (4, HELD)
    assert mute.error["hint"] == agent["hint"]


@pytest.mark.parametrize(
    ("words", "exit_code", "code"),
    [
        (["admin", "revoke", "AgentCleo"], 3, "koinii/unknown-agent"),
        (["admin", "revoke", "AgentBoreas"], 3, "koinii/unknown-fingerprint"),
        (["admin", "revoke", "AdminRoot"], 2, "koinii/usage"),
        (["agent", "revoke"], 3, "koinii/unknown-fingerprint"),
        (["agent", "revoke", "AgentBoreas"], 3, "koinii/unknown-agent"),
        (["agent", "revoke", "AdminRoot"], 2, "koinii/usage"),
    ],
    ids=str,
)
def test_revocations_that_are_none(
    met: Town, words: list[str], exit_code: int, code: str
) -> None:
    met.at("root", "admin", "init")
    given = [*words, "--key", "SHA256:x", "--reason", REASON, "--json"]
    refused = met.try_at("root", *given)
    assert (refused.code, refused.error["code"]) == (exit_code, code), refused
    assert refused.error["hint"]
    without = met.try_at("root", *words, "--key", "SHA256:x", "--json")
    assert (without.code, without.error["code"]) == (2, "koinii/usage")
    assert "--reason" in without.error["message"]


def test_only_the_admins_seat_revokes_for_the_admin(met: Town) -> None:
    key = met.key("root", "AgentBoreas", "boreas")
    words = ("admin", "revoke", "AgentBoreas", "--key", key, "--reason", REASON)
    refused = met.try_at("root", *words, "--json")
    assert (refused.code, refused.error["code"]) == (3, "koinii/no-admin")
    assert "koinii admin init" in refused.error["hint"]


def test_what_was_said_at_a_lost_seat_is_withdrawn(met: Town) -> None:
    key = str(met.folder / "boreas/.koinii/keys/AgentBoreas")
    met.at("root", "agent", "new", "AgentBoreas", "--key", key)
    lost, locator = met.seat("boreas"), met.data("root", "search", "p")["found"][0]
    stuck = met.try_at(
        "root", "retract", locator["locator"], "--as", "AgentBoreas", "--json"
    )
    assert (stuck.code, stuck.error["code"]) == (4, "koinii/not-own-assertion")
    hint = f"koinii agent retire AgentBoreas --seat {lost[:8]}"
    assert stuck.error["hint"].startswith(hint)

    late = met.data("root", *hint.split()[1:], "--at", "2")
    assert (late["held"], late["number"]) == (0, 2)
    retired = met.at("root", *hint.split()[1:])
    assert retired.out == (
        f"what AgentBoreas said at seat {lost}, from the first on, is withdrawn\n"
    )
    assert "1 line held since" in retired.err
    assert met.believes("root") == set()


@pytest.mark.parametrize(
    ("words", "exit_code", "code"),
    [
        (["AgentRoot", "--seat", "0" * 8], 3, "koinii/unknown-seat"),
        (["AgentRoot", "--seat", "abc"], 2, "koinii/usage"),
        (["AgentBoreas", "--seat", "BOREAS"], 3, "koinii/unknown-agent"),
        (["AgentRoot", "--seat", "BOREAS"], 3, "koinii/unknown-agent"),
        ([], 2, "koinii/usage"),
    ],
    ids=str,
)
def test_retirements_that_are_none(
    met: Town, words: list[str], exit_code: int, code: str
) -> None:
    given = [met.seat("boreas") if word == "BOREAS" else word for word in words]
    refused = met.try_at("root", "agent", "retire", *given, "--json")
    assert (refused.code, refused.error["code"]) == (exit_code, code), refused
    assert refused.error["hint"]


def test_a_file_that_is_no_public_key_is_named(met: Town) -> None:
    met.at("root", "admin", "init")
    (met.folder / "none.pub").write_text("no key\n")
    path = str(met.folder / "none.pub")
    refused = met.try_at(
        "root", "admin", "grant", "AgentBoreas", "--key", path, "--json"
    )
    assert refused.code == 6
    assert refused.error["message"].startswith(f"{path} holds no public key: ")


def test_an_agent_with_mail_names(met: Town) -> None:
    names = ["--mail", "worker-cleo", "--mail", "cleo"]
    would = met.at("root", "agent", "new", "AgentCleo", *names, "--dry-run")
    assert "mail worker-cleo cleo" in would.out
    keys = met.folder / "root/.koinii/keys"
    assert not (keys / "AgentCleo").exists()
    made = met.data("root", "agent", "new", "AgentCleo", *names)
    assert (made["mail_names"], made["refusal"]) == (["worker-cleo", "cleo"], "")
    for name, code in (
        ("cleo", "koinii/mail-name-taken"),
        ("Cleo", "naming"),
        ("operator", "koinii/reserved-name"),
    ):
        refused = met.try_at(
            "root", "agent", "new", "AgentDora", "--mail", name, "--json"
        )
        assert (refused.code, refused.error["code"]) == (4, code)
    assert not (keys / "AgentDora").exists()


def test_a_new_agent_that_does_not_count_is_told(met: Town) -> None:
    met.mode("root", "proof-tier")
    met.at("root", "admin", "init")
    made = met.try_at("root", "agent", "new", "AgentCleo")
    assert made.code == 7
    assert "koinii/not-granted" in made.out
    assert "AgentCleo: koinii admin grant AgentCleo" in made.err
    again = met.try_at("root", "agent", "new", "AgentCleo", "--json")
    assert (again.code, again.error["code"]) == (2, "koinii/already-an-agent")


def test_trust_says_that_the_admin_decides(met: Town) -> None:
    met.mode("root", "proof-tier")
    met.at("root", "admin", "init")
    key = met.key("root", "AgentBoreas", "boreas")
    refused = met.try_at("root", "agent", "trust", "AgentBoreas", key, "--json")
    assert (refused.code, refused.error["code"]) == (4, "koinii/admin-decides")
    assert refused.error["hint"].startswith(
        f"koinii admin grant AgentBoreas --key {key}"
    )


# Whom to follow -------------------------------------------------------------------


def test_a_seat_is_unfollowed_and_followed(met: Town) -> None:
    place = met.seat("boreas")
    would = met.at("root", "unfollow", place[:8], "--dry-run")
    assert would.out == f"{place} is not followed\n"
    assert met.believes("root") == {"A"}
    gone = met.data("root", "unfollow", place[:8])
    assert gone == {"seat": place, "follows": False, "held": 1, "back": 0, "rest": 0}
    assert met.believes("root") == set()
    (peer,) = met.data("root", "peers")
    assert (peer["seat"], peer["follows"]) == (place, False)
    assert met.at("root", "peers").out == f"{place} commit 1 not followed\n"
    (line,) = met.data("root", "held")
    assert (line["why"], line["hint"]) == (
        "its seat is not followed",
        f"koinii follow {place[:8]}",
    )
    back = met.at("root", *line["hint"].split()[1:])
    assert back.out == f"{place} is followed\n"
    assert "1 line back" in back.err
    assert met.believes("root") == {"A"}


def test_a_seat_whose_lines_are_held_all_the_same(met: Town) -> None:
    key = met.key("root", "AgentBoreas", "boreas")
    met.at("root", "admin", "init")
    met.at("root", "admin", "revoke", "AgentBoreas", "--key", key, "--reason", REASON)
    met.at("root", "unfollow", met.seat("boreas"))
    back = met.try_at("root", "follow", met.seat("boreas"))
    assert back.code == 7
    assert "1 line of it held all the same; koinii held" in back.err


@pytest.mark.parametrize("verb", ["follow", "unfollow"])
def test_seats_that_are_none(met: Town, verb: str) -> None:
    for given, exit_code, code in (
        ("12", 2, "koinii/usage"),
        ("AgentBoreas", 2, "koinii/usage"),
        ("0" * 8, 3, "koinii/unknown-seat"),
    ):
        refused = met.try_at("root", verb, given, "--json")
        assert (refused.code, refused.error["code"]) == (exit_code, code)
        assert "koinii peers" in refused.error["hint"]
    own = met.try_at("root", "unfollow", met.seat("root"), "--json")
    assert (own.code, own.error["code"]) == (4, "koinii/own-seat")
