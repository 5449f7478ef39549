"""Trees: links, programs, names that lead elsewhere, files that are no file of ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hostile.good import EVE, Files, Good
from hostile.kind import Bad, Expect, Forge, Ref, Refused, Taken, sealed, tree_of
from koinii.remote.commit import commit_object
from koinii.remote.pack import GitObject, object_id
from koinii.remote.tree import DIRECTORY, FILE, Entry, read_tree, write_tree

BODY = b"hello\n"
BLOB = object_id(b"blob", BODY)
HONEST = "cosigned/"
ROOM = "agents/AgentEve/claims/CxRoom/0/2.kb"


def refused(words: str = "", path: str = "") -> Refused:
    return Refused("seat", words, path)


def rooted(change: Callable[[list[Entry]], bytes], *more: GitObject) -> Forge:
    """Return a signed commit of another root tree."""

    def forge(good: Good) -> Ref:
        objects, root = tree_of(good.second)
        data = next(data for kind, data in objects if object_id(kind, data) == root)
        tree = change(read_tree(data))
        payload = commit_object(object_id(b"tree", tree), None, "c\n", good.seat, 0)
        return sealed(
            good, [*objects, (b"blob", BODY), *more, (b"tree", tree)], payload
        )

    return forge


def entry(name: str, mode: int = FILE, oid: str = BLOB) -> Forge:
    return rooted(lambda entries: write_tree([*entries, Entry(name, mode, oid)]))


def raw(name: bytes) -> Forge:
    """Return a root with one more entry, first of all, under a name of any bytes."""
    line = b"100644 " + name + b"\x00" + bytes.fromhex(BLOB)
    return rooted(lambda entries: line + write_tree(entries))


def nested(levels: int) -> Forge:
    """Return a root with a chain of folders."""
    trees = [write_tree([Entry("x", FILE, BLOB)])]
    for _ in range(levels):
        trees.append(write_tree([Entry("d", DIRECTORY, object_id(b"tree", trees[-1]))]))
    objects: list[GitObject] = [(b"tree", tree) for tree in trees]
    top = Entry("sources", DIRECTORY, object_id(b"tree", trees[-1]))
    return rooted(lambda entries: write_tree([*entries, top]), *objects)


def made(files: Mapping[str, bytes]) -> Forge:
    return lambda good: good.made(files)


def claims_in(folder: str) -> Forge:
    """Return a ref whose claims of the room stand in a folder of another spelling."""

    def forge(good: Good) -> Files:
        return good.made(
            {ROOM: None, f"agents/AgentEve/claims/{folder}/0/2.kb": good.second[ROOM]}
        )

    return forge


def file_and_folder(entries: list[Entry]) -> bytes:
    return write_tree([*entries, Entry("agents", FILE, BLOB)])


def author(words: str, path: str, agent: str = EVE) -> Expect:
    return Refused("author", words, path, agent)


KINDS = [
    Bad("tree: a link", entry("posts", 0o120000), refused()),
    Bad("tree: another repository", entry("posts", 0o160000, "1" * 40), refused()),
    Bad("tree: a program", entry("posts", 0o100755), refused()),
    Bad("tree: a mode of old", entry("posts", 0o100664), refused()),
    Bad("tree: a folder that is a file", entry("posts", DIRECTORY), refused()),
    Bad(
        "tree: a file that is a folder",
        rooted(
            lambda entries: write_tree(
                [
                    *entries,
                    Entry(
                        "presence",
                        FILE,
                        next(e.oid for e in entries if e.name == "agents"),
                    ),
                ]
            )
        ),
        refused(),
    ),
    Bad("tree: ..", raw(b".."), refused()),
    Bad("tree: .", raw(b"."), refused()),
    Bad("tree: .git", raw(b".git"), refused()),
    Bad("tree: .GIT", raw(b".GIT"), refused()),
    Bad("tree: git~1", entry("git~1"), refused()),
    Bad(
        "tree: .git with a character that is not seen",
        raw(".g\u200cit".encode()),
        refused(),
    ),
    Bad(
        "tree: .gitmodules", raw(b".gitmodules"), refused("both listed", ".gitmodules")
    ),
    Bad("tree: a path from the root", raw(b"/etc"), refused()),
    Bad("tree: a slash in a name", raw(b"agents/x"), refused()),
    Bad(
        "tree: a backslash in a name",
        entry("agents\\AgentEve"),
        refused("both listed", "agents\\AgentEve"),
    ),
    Bad("tree: a drive in a name", entry("C:"), refused("", "C:")),
    Bad("tree: a name without letters", raw(b""), refused()),
    Bad("tree: a name that is not UTF-8", raw(b"\xff"), refused()),
    Bad(
        "tree: a name with a control character",
        raw(b"\x1b[2J"),
        refused("both listed", "\x1b[2J"),
    ),
    Bad(
        "tree: a name of five thousand letters",
        entry("n" * 5000),
        refused("too long", "n" * 80),
    ),
    Bad(
        "tree: a name twice",
        rooted(lambda e: write_tree([*e, Entry("seat.pub", FILE, BLOB)])),
        refused(),
    ),
    Bad("tree: a file and a folder of one name", rooted(file_and_folder), refused()),
    Bad(
        "tree: out of order",
        rooted(lambda e: b"".join(write_tree([one]) for one in reversed(e))),
        refused(),
    ),
    Bad("tree: cut short", rooted(lambda e: write_tree(e)[:-3]), refused()),
    Bad("tree: empty", rooted(lambda _: b""), refused("missing", "seat.pub")),
    Bad(
        "tree: a hundred folders deep",
        nested(100),
        refused("too deep", "sources" + "/d" * 8),
    ),
    Bad("tree: a file that no seat has", entry("evil"), refused("both listed", "evil")),
    Bad(
        "tree: a file that differs in case",
        entry("CHECKPOINT"),
        refused("both listed", "CHECKPOINT"),
    ),
    Bad(
        "tree: an agent that differs in case",
        made({"agents/agenteve/statements": b"x"}),
        author("no agent's name", "agents/agenteve", "agenteve"),
    ),
    Bad(
        "tree: a folder that differs in case",
        claims_in("Cxroom"),
        author("not the set", "agents/AgentEve/authored"),
    ),
    Bad(
        "tree: a folder with another spelling of its letters",
        claims_in("CxRoo%6D"),
        author("no name in a path", "agents/AgentEve/claims/CxRoo%6D/0/2.kb"),
    ),
    Bad(
        "tree: a folder that leads up",
        claims_in("%2E%2E"),
        author("no name in a path", "agents/AgentEve/claims/%2E%2E/0/2.kb"),
    ),
    Bad(
        "tree: a folder with a line end",
        claims_in("Cx%0ARoom"),
        author("", "agents/AgentEve/claims/Cx%0ARoom/0/2.kb"),
    ),
    Bad("beside: posts that are garbage", made({"posts/1.kb": bytes(5000)}), Taken()),
    Bad("beside: presence that is garbage", made({"presence": b"\xff\x00"}), Taken()),
    Bad(
        "beside: a source that is not what its name says",
        made({"sources/00/" + "0" * 64: b"x"}),
        Taken(),
    ),
    Bad(
        "beside: a cosignature that is garbage",
        made({"cosigned/" + "0" * 32: b"\xff\x00"}),
        Taken(),
    ),
    Bad(
        "beside: a cosignature of the honest head that is garbage",
        lambda good: good.made(
            {f"cosigned/{good.honest}": good.others["checkpoint"] + b"x"}
        ),
        Taken(told=HONEST),
    ),
    Bad(
        "beside: evidence that is a megabyte of zeros",
        lambda good: good.made({f"cosigned/{good.honest}": bytes(1 << 20)}),
        Taken(told=HONEST),
    ),
]
