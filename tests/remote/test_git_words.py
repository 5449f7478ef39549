"""What becomes an argument is checked, and no secret is ever shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from koinii.errors import (
    KoiniiError,
    NotFoundError,
    SurroundingsError,
    UsageError,
    VerificationError,
)
from koinii.remote.git_failures import failed, refused
from koinii.remote.git_words import (
    Pushed,
    check_ref,
    check_refspec,
    check_url,
    environment,
    matches,
    read_porcelain,
    read_refs,
    redact,
    unasked,
    words_of,
)

REF = "refs/koinii/seats/0123456789abcdef"
OID = "1" * 40


@pytest.mark.parametrize(
    "url",
    [
        "/srv/hub.git",
        "/srv/hub with spaces.git",
        "file:///srv/hub.git",
        "https://host/hub.git",
        "ssh://git@host:22/hub.git",
        "git@host:hub.git",
        "host:hub.git",
        "hub:short",
    ],
)
def test_addresses_that_git_knows_are_taken(url: str) -> None:
    check_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "-oProxyCommand=touch",
        "--upload-pack=touch /tmp/x",
        "hub.git",
        "../hub.git",
        "./a:b",
        "https://host/a\nb",
        "https://host/a\x00b",
        "/" + "a" * 5000,
    ],
)
def test_an_address_that_git_could_misread_is_refused(url: str) -> None:
    with pytest.raises(UsageError):
        check_url(url)


@pytest.mark.parametrize("ref", ["refs/a", REF, "refs/koinii/remote", "refs/a/-b"])
def test_names_of_refs_are_taken(ref: str) -> None:
    check_ref(ref)


@pytest.mark.parametrize(
    "ref",
    [
        "",
        "-d",
        "HEAD",
        "refs",
        "refs/",
        "refs//a",
        "refs/a/",
        "refs/.a",
        "refs/a..b",
        "refs/a.lock",
        "refs/a.",
        "refs/a.lock/b",
        "refs/a b",
        "refs/a:b",
        "refs/a^",
        "refs/*",
        "refs/é",
        "refs/a\n",
    ],
)
def test_bc_124_another_name_of_a_ref_is_refused(ref: str) -> None:
    with pytest.raises(UsageError):
        check_ref(ref)


def test_refspecs_have_two_sides_alike() -> None:
    check_refspec(f"+{REF}:refs/koinii/fetched/a")
    check_refspec("refs/koinii/seats/*:refs/koinii/fetched/*")
    for bad in [REF, f"{REF}:", "a:b", "refs/a/*:refs/b", f"-{REF}:{REF}", "a:b:c"]:
        with pytest.raises(UsageError):
            check_refspec(bad)


SECRET = st.text("abcXYZ019%!:@-_.", min_size=4, max_size=20).filter(
    lambda text: text.strip(":@.") == text
)


@given(SECRET, st.sampled_from(["https", "http", "ftp", "git+https"]))
def test_secrets_in_addresses_are_never_shown(secret: str, scheme: str) -> None:
    marked = f"S3{secret}3S"
    for user in (f"user:{marked}", marked):
        text = f"fatal: unable to access '{scheme}://{user}@host/x': no"

        assert "S3" not in redact(text)
        assert "host/x" in redact(text)


def test_a_plain_user_of_ssh_is_no_secret() -> None:
    assert redact("ssh://git@host/x") == "ssh://git@host/x"
    assert redact("ssh://git:pw@host/x") == "ssh://***@host/x"
    assert redact("git@host:x") == "git@host:x"


def test_words_are_without_progress_and_bounded() -> None:
    said = (
        "Enumerating objects: 5, done.\n"
        "Counting objects:  20% (1/5)\rCounting objects: 100% (5/5), done.\n"
        "Writing objects: 100% (3/3), 200 bytes | 1 MiB/s, done.\n"
        "remote: Resolving deltas: 100% (1/1)\n"
        "remote: sorry, not today        \n"
        "error: failed to push some refs to 'https://u:p@h/x'\n"
    )

    assert words_of(said) == (
        "remote: sorry, not today\nerror: failed to push some refs to 'https://***@h/x'"
    )
    assert words_of("ssh: Connection refused\r\nfatal: no\n") == (
        "ssh: Connection refused\nfatal: no"
    )
    assert len(words_of("x" * 200_000)) == 2000
    assert words_of("https://" * 20_000 + "a@" * 20_000)


def test_only_the_variables_of_the_user_reach_git() -> None:
    given_ = {
        "HOME": "/h",
        "SSH_AUTH_SOCK": "/s",
        "GIT_SSH_COMMAND": "ssh -v",
        "GIT_ASKPASS": "ask",
        "GIT_DIR": "/x",
        "GIT_INDEX_FILE": "/x",
        "GIT_WORK_TREE": "/x",
        "GIT_OBJECT_DIRECTORY": "/x",
        "GIT_QUARANTINE_PATH": "/x",
        "GIT_CONFIG_PARAMETERS": "'a=b'",
        "GIT_CONFIG_COUNT": "1",
        "GIT_EXEC_PATH": "/x",
        "GIT_TRACE": "1",
        "GIT_DEFAULT_HASH": "sha256",
        "LANGUAGE": "de",
        "LC_ALL": "de_DE.UTF-8",
    }

    assert environment(given_, interactive=True) == {
        "HOME": "/h",
        "SSH_AUTH_SOCK": "/s",
        "GIT_SSH_COMMAND": "ssh -v",
        "GIT_ASKPASS": "ask",
        "GIT_NO_LAZY_FETCH": "1",
        "LC_ALL": "C",
    }
    silent = unasked({"GIT_ASKPASS": "ask", "SSH_ASKPASS_REQUIRE": "force"})
    assert silent == {
        "GCM_INTERACTIVE": "never",
        "GIT_ASKPASS": "",
        "SSH_ASKPASS_REQUIRE": "never",
    }
    quiet = environment({"GIT_TERMINAL_PROMPT": "1"}, interactive=False)
    assert quiet["GIT_TERMINAL_PROMPT"] == "0"


def test_refs_of_others_are_left_out() -> None:
    listed = f"{OID}\t{REF}\n{OID}\trefs/heads/main\nxyz\t{REF}2\n{OID}\trefs/x/{REF}\n"

    assert read_refs(listed, "refs/koinii/seats/*") == {REF: OID}
    assert read_refs(listed, REF) == {REF: OID}
    assert not matches("refs/koinii/seats/a..b", "refs/koinii/seats/*")
    assert not matches("refs/koinii/seats", "refs/koinii/seats/*")


def test_only_the_line_of_the_ref_is_read() -> None:
    said = (
        f"To /hub\n!\t{OID}:{REF}x\t[rejected] (stale info)\n"
        f"!\t{OID}:{REF}\t[remote rejected] (hook declined (twice))\nDone\n"
    )

    assert read_porcelain(said, REF) == Pushed(
        "!", "[remote rejected]", "hook declined (twice)"
    )
    assert read_porcelain("To /hub\nDone\n", REF) is None
    assert read_porcelain(f"*\t{OID}:{REF}\t[new reference]\n", REF) == Pushed(
        "*", "[new reference]", ""
    )


@pytest.mark.parametrize(
    ("said", "kind", "code"),
    [
        ("fatal: couldn't find remote ref refs/x", NotFoundError, "koinii/no-ref"),
        ("ssh: Could not resolve hostname h", SurroundingsError, "koinii/network"),
        ("fatal: Could not read from x", SurroundingsError, "koinii/git-failed"),
        ("error: RPC failed; HTTP 500", SurroundingsError, "koinii/git-failed"),
        ("fatal: fsck error in packed object", VerificationError, "koinii/bad-objects"),
        ("Permission denied (publickey).", SurroundingsError, "koinii/credentials"),
        ("fatal: No space left on device", SurroundingsError, "koinii/disk-full"),
    ],
)  # fmt: skip
def test_failures_have_a_name_and_keep_the_words(
    said: str, kind: type[KoiniiError], code: str
) -> None:
    error = failed("do it", said, url="https://u:p@h/x", code=128)

    assert type(error) is kind
    assert error.code == code
    assert error.details["words"] == said
    assert error.details["url"] == "https://***@h/x"


ADDED = (
    "fatal: Could not read from remote repository.\n"
    "Please make sure you have the correct access rights\nand the repository exists."
)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (f"fatal: '/x' does not appear to be a git repository\n{ADDED}",
         "'/x' does not appear to be a git repository"),
        (f"ssh: connect to host h port 22: Connection refused\n{ADDED}",
         "ssh: connect to host h port 22: Connection refused"),
        (f"Welcome to h\ngit@h: Permission denied (publickey).\n{ADDED}",
         "git@h: Permission denied (publickey)."),
        (f"remote: no such project\nfatal: the remote end hung up\n{ADDED}",
         "remote: no such project"),
        ("a note\nerror: RPC failed; HTTP 500\n"
         "fatal: the remote end hung up unexpectedly", "RPC failed; HTTP 500"),
        ("fatal: the remote end hung up unexpectedly",
         "the remote end hung up unexpectedly"),
        ("", "git gave no reason"),
    ],
)  # fmt: skip
def test_the_message_says_the_line_that_says_why(said: str, reason: str) -> None:
    error = failed("do it", said)

    assert error.message == f"cannot do it: {reason}"
    assert "remote list" not in error.hint


def test_a_lock_is_named_with_its_file() -> None:
    said = "error: cannot lock ref: Unable to create '/hub/refs/a.lock': File exists."

    own = failed("do it", said)
    other = refused(Pushed("!", "[remote rejected]", "failed"), REF, "/hub", said)

    assert (own.code, other.code) == ("koinii/git-locked", "koinii/remote-locked")
    assert own.details["file"] == other.details["file"] == "/hub/refs/a.lock"
    assert "/hub/refs/a.lock" in other.hint
    assert other.exit_code == 5
