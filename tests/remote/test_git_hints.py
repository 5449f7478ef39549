"""What git says of a server's refusal is never told as a directory to be made."""

from __future__ import annotations

import pytest

from koinii.remote.git_failures import failed

SERVED = [
    "fatal: remote error: access denied or repository not exported: /hub.git",
    "fatal: repository 'http://host/hub.git/' not found",
    "ERROR: Repository not found.",
    "unexpected http status code: 404",
]
HERE = [
    "fatal: '/x' does not appear to be a git repository",
    "fatal: '/x' does not exist",
]


@pytest.mark.parametrize("words", SERVED)
def test_a_server_that_does_not_show_it_may_refuse_it(words: str) -> None:
    error = failed("push", words, url="https://host/hub.git", code=128)
    assert error.code == "koinii/no-repository"
    assert "git init" not in error.hint
    assert "ask who runs it" in error.hint


@pytest.mark.parametrize("words", HERE)
def test_a_directory_that_is_no_repository_can_be_made_one(words: str) -> None:
    error = failed("push", words, url="/x", code=128)
    assert error.code == "koinii/no-repository"
    assert "git init --bare DIRECTORY" in error.hint
