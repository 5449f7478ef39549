"""What a kind of bad ref is: its name, how it is made, what has to become of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

from hostile.good import EVE, Files, Good
from koinii.note import sign_ssh
from koinii.remote.commit import commit_object, sign_commit
from koinii.remote.pack import GitObject, Kind, object_id, write_pack
from koinii.remote.tree import changed_trees


class Ref(NamedTuple):
    """What a ref shows: a pack, and the object it points at.

    `by_git` has git make the index, of what koinii would not store itself; `seat`
    names another ref than the hostile seat's, which then shows its second state;
    `litter` are more files in the remote, by path.
    """

    pack: bytes
    tip: str
    by_git: bool = False
    seat: str = ""
    litter: Mapping[str, bytes] = {}


class Refused(NamedTuple):
    """An integrity failure: a seat, or one of its authors, stays where it was."""

    scope: str  # "seat" or "author"
    words: str  # part of the reason
    path: str = ""  # the file that is named, where one is
    agent: str = EVE
    beside: bool = False  # another seat's ref: the hostile seat's second state is taken


class Forked(NamedTuple):
    """Two histories of one seat: nothing stays that they do not share."""


class Held(NamedTuple):
    """A rule failure: the line alone is stored without effect."""

    code: str
    lines: int = 1


class Taken(NamedTuple):
    """Nothing is wrong with the claims: all are taken, and what was there stays.

    `lines` are those beyond the second state; `told` is a file beside the claims
    that is named and not used.
    """

    lines: int = 0
    waiting: int = 0
    older: bool = False  # the first state is what is shown
    told: str = ""
    sways: bool = False  # labels of what was there change, as its author may make them


Expect: TypeAlias = Refused | Forked | Held | Taken
Forge: TypeAlias = Callable[[Good], "Files | Ref"]


class Bad(NamedTuple):
    """One kind; `newcomer` is what becomes of it where nobody was met before.

    Where that cannot matter, `met` says that only who has met the seat is asked.
    """

    name: str
    forge: Forge
    expect: Expect
    newcomer: Expect | None = None
    seen: str = "first"  # the good state that the receiver has applied
    heals: bool = True
    met: bool = False


def commit_of(good: Good, files: Files, parent: str | None = None) -> Ref:
    """Return a commit of files as the hostile seat would push it."""
    objects, tree = tree_of(files)
    payload = commit_object(tree, parent, "commit\n", good.seat, 0)
    return sealed(good, objects, payload)


def sealed(good: Good, objects: list[GitObject], payload: bytes) -> Ref:
    """Return a commit, signed by the seat."""
    armour = sign_ssh(payload, good.forger.key, "git")
    return pointing(objects, b"commit", sign_commit(payload, armour))


def pointing(objects: list[GitObject], kind: Kind, data: bytes) -> Ref:
    """Return a ref that points at one more object, whatever it is."""
    return Ref(write_pack([*objects, (kind, data)]), object_id(kind, data))


def tree_of(files: Files) -> tuple[list[GitObject], str]:
    """Return blobs and trees of files, and the root tree."""
    blobs = {path: object_id(b"blob", body) for path, body in files.items()}
    changed = changed_trees(lambda _: [], blobs)
    objects: list[GitObject] = [(b"blob", body) for body in set(files.values())]
    return [*objects, *dict.fromkeys(changed.objects)], changed.root
