"""BC-127: whatever bytes arrive at whatever door, a value or one of our refusals.

Every intake in one process, from one list of doors: add a door, not a test. Under
the soak profile 200,000 inputs, else a part of them.
"""

import os
import resource
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

from history.sample_proofs import (
    ATLAS,
    AUTHORED,
    HEAD,
    INTRODUCTION,
    LINES,
    LOCATORS,
    RECORD,
    SEAT,
    SEAT_KEY,
    TEXTS,
    absent,
    attributed,
    included,
    text_of,
)
from history.sample_why import disputed, explained
from koinii.errors import KoiniiError, NotFoundError, VerificationError
from koinii.faces.surroundings import Flags, Surroundings
from koinii.history.cbor import decode as decode_cbor
from koinii.history.log import decode_bundle, encode_bundle
from koinii.history.manifest import Listed, read_manifest, write_manifest
from koinii.history.paths import unquote
from koinii.history.record import decode_record
from koinii.history.segments import parse_path, read_segment, write_segment
from koinii.history.stateproof import verify
from koinii.history.tlogproof import parse_tlog, to_tlog
from koinii.kb.claim import claim_locator, parse_claim
from koinii.note import (
    open_checkpoint,
    parse_note,
    parse_vkey,
    read_public_key,
    sign_ssh,
    verify_ssh,
)
from koinii.note.keyfile import read_private_key
from koinii.note.statements import open_introduction, parse_statement, sign_statement
from koinii.remote.commit import commit_object, open_commit
from koinii.remote.pack import index, write_pack
from koinii.remote.tree import DIRECTORY, FILE, Entry, read_tree, write_tree
from koinii.seat.config import read_config, template
from koinii.terms import decode, encode, read
from koinii.terms.locator import parse_locator, parse_prefix
from koinii.terms.reader import read_all, read_canonical
from koinii.trust.statements import join_statements, split_statements
from seat.made import make_seat

SOAK = bool(os.environ.get("KOINII_SOAK"))
INPUTS = 200_000 if SOAK else 20_000
SLOWEST = 1.0  # seconds for one input
MORE_MEMORY = 256 << 10  # KiB
KEY_FILE = b"-----BEGIN OPENSSH PRIVATE KEY-----"
SIGNED = sign_statement(INTRODUCTION, ATLAS)
ARMOUR = sign_ssh(b"x\n", SEAT_KEY, "git")


class Door(NamedTuple):
    """What takes bytes, and what it takes when they are right."""

    name: str
    take: Callable[[bytes], object]
    good: list[bytes]


def texts(take: Callable[[str], object]) -> Callable[[bytes], object]:
    """Give a door of text what a lenient decoder makes of the bytes."""
    return lambda data: take(data.decode("utf-8", "surrogateescape"))


def read_file(text: str) -> None:
    list(read_all(text))


def locate(line: str) -> str:
    return claim_locator("CxAtlas", line)


def doors(folder: Path) -> list[Door]:
    sentences = [text.encode() for text in TEXTS]
    segment = write_segment(zip(LOCATORS, LINES, strict=True))
    listed = {"agents/AgentAtlas/authored": Listed(3, "0" * 64)}
    tree = [Entry("a", DIRECTORY, "1" * 40), Entry("b", FILE, "2" * 40)]
    commit = commit_object("1" * 40, "2" * 40, "x\n\nKoinii-Commit: 4\n", "3" * 32, 9)
    made = (included(), absent(), attributed(), explained(), disputed())
    proofs = [text_of(one) for one in made]
    return [
        Door("a term's bytes", decode, [encode(read(text)) for text in TEXTS]),
        Door("a sentence", texts(read), sentences),
        Door("a canonical sentence", texts(read_canonical), sentences),
        Door("a file", texts(read_file), [b"\n".join(sentences)]),
        Door("a locator", texts(parse_locator), [LOCATORS[0].encode()]),
        Door("a prefix", texts(parse_prefix), [LOCATORS[0][:20].encode()]),
        Door("a claim line", texts(parse_claim), [line.encode() for line in LINES]),
        Door("CBOR", decode_cbor, [RECORD.encode()]),
        Door("a record", decode_record, [RECORD.encode()]),
        Door("a bundle", decode_bundle, [encode_bundle([RECORD.encode()] * 2)]),
        Door("a segment", lambda data: read_segment(data, locate), [segment]),
        Door("a manifest", read_manifest, [write_manifest(listed)]),
        Door("a path", texts(parse_path), [b"agents/AgentAtlas/claims/CxAtlas/0/1.kb"]),
        Door("a name in a path", texts(unquote), [b"Cx%2Fa", "Zürich".encode()]),
        Door("a note", parse_note, [HEAD.encode()]),
        Door("a head", open_head, [HEAD.encode()]),
        Door("a git signature", texts(check_signature), [ARMOUR.encode()]),
        Door("a verifier key", texts(parse_vkey), [SEAT.verifier.vkey.encode()]),
        Door("a key line", texts(read_public_key), [str(included()["key"]).encode()]),
        Door("a statement", texts(parse_statement), [AUTHORED.text().encode()]),
        Door("a signed statement", open_introduction, [SIGNED]),
        Door("a file of statements", split_statements, [join_statements([SIGNED] * 2)]),
        Door("a proof", verify_document, [text.encode() for text in proofs]),
        Door("a proof as text", texts(verify_document), [proofs[0].encode()]),
        Door("a tlog-proof", texts(parse_tlog), [to_tlog(included()).encode()]),
        Door("a git tree", read_tree, [write_tree(tree)]),
        Door("a git commit", open_commit, [commit]),
        Door("a pack", index, [write_pack([(b"blob", b"xx"), (b"commit", commit)])]),
        marker_door(folder),
        file_door(folder, "settings", read_config, template("AgentAtlas").encode()),
        file_door(folder, "config.toml", user_settings, b'agent = "AgentAtlas"'),
        file_door(folder, "a key file", key_file, KEY_FILE),
    ]  # fmt: skip


def open_head(data: bytes) -> object:
    return open_checkpoint(data, [SEAT.verifier], origin=SEAT.verifier.name)


def check_signature(text: str) -> None:
    verify_ssh(b"x\n", text, SEAT.verifier.key, "git")


def verify_document(document: object) -> None:
    """Verifiers never raise, and are never content without a check."""
    found = verify(document)
    assert found.ok == (not found.reason)
    assert found.checked or not found.ok
    if not found.ok:
        raise VerificationError(found.reason)


def marker_door(folder: Path) -> Door:
    seat = make_seat(folder / "seat")
    made = [seat.marker(seat.assert_(text)).text() for text in TEXTS[:3]]

    def take(text: str) -> None:
        found = seat.dereference(text)
        assert found.resolved == (not found.reason)
        if not found.resolved:
            raise NotFoundError(found.reason)

    return Door("a marker", texts(take), [text.encode() for text in made])


def file_door(
    folder: Path, name: str, take: Callable[[str], object], good: bytes
) -> Door:
    path = folder / name

    def write_and_take(data: bytes) -> object:
        path.write_bytes(data)
        path.chmod(0o600)
        return take(str(path))

    return Door(name, write_and_take, [good])


def user_settings(path: str) -> None:
    home = {"KOINII_HOME": str(Path(path).parent)}
    Surroundings(Flags(), home).user_settings()


def key_file(path: str) -> None:
    read_private_key(Path(path))


ODD = [
    b"", b"\0", b"\xff" * 4, b"\x7f\xff\xff\xff", b"(", b"[" * 3000, b'{"a":' * 3000,
    b"9" * 5000, b"-1e999", b"\xe2\x80\xa8", b"\xed\xa0\x80", b'"', b"\\", b"\n\n",
    b"\x9f", b"\xd8\x1c", b"NaN", b"null", b"../", b"%00", b"=[[", b"0" * 5000,
    b"a = " + b"9" * 5000, b"a = " + b"[" * 3000, b"a = 1e999", b"a = 0001-99-01",
]  # fmt: skip


def mutated(good: bytes, chance: Random) -> bytes:
    """Return bytes changed in up to four places, cut, doubled or made up."""
    if chance.random() < 0.05:
        return chance.randbytes(chance.randrange(200))
    data = bytearray(good)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(6):
            case 0:
                data[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                del data[at : at + chance.randint(1, 20)]
            case 2:
                data[at:at] = data[at : at + chance.randint(1, 40)]
            case 3:
                data[at:at] = chance.choice(ODD)
            case 4:
                del data[at:]
            case 5 if data:
                data[at % len(data)] ^= 1 << chance.randrange(8)
    return bytes(data)


def test_bc_127_every_intake_gives_a_value_or_our_refusal(tmp_path: Path) -> None:
    chance = Random(127)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    every = doors(tmp_path)
    for door in every:
        accepted = 0
        for number in range(INPUTS // len(every)):
            good = door.good[number % len(door.good)]
            data = ODD[number] if number < len(ODD) else mutated(good, chance)
            began = time.monotonic()
            try:
                door.take(data)
                accepted += 1
            except KoiniiError as refused:
                assert refused.code
                assert refused.message
            except BaseException as fault:
                fault.add_note(f"{door.name}: {data!r}")
                raise
            assert time.monotonic() - began < SLOWEST, f"{door.name}: {data!r}"
        assert accepted < number, door.name
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < MORE_MEMORY


def test_what_is_right_is_taken(tmp_path: Path) -> None:
    """Otherwise the test above would be content with doors that refuse all."""
    for door in doors(tmp_path):
        for data in door.good:
            if door.name != "a key file":
                door.take(data)
