#!/usr/bin/env python3
"""Check a koinii state proof with nothing but a Python 3.11 or newer.

    python3 koinii_verify.py proof.json [--root R] [--key FILE] [--head FILE]
                                        [--vocabulary FILE]...
    python3 koinii_verify.py checkpoint --key FILE --entries FILE [--entries FILE]...
                                        [--since FILE] [--root R] [--head FILE]

`proof.json` (`-` for standard input) is what `koinii prove` wrote. `--root` is a
commit id, `sha256:` and 64 hex digits; `--key` a file with OpenSSH public key
lines, one of which has to be the signer's; `--head` a signed checkpoint got some
other way. What is given has to agree with the proof. `--vocabulary` is a
vocabulary file that koinii ships, in which to look up what a proof names of it;
without the file, that is listed as assumed.

The second form checks a history, from files of the seat's ref: `checkpoint` is its
signed head, `--entries` the files of history/entries in order, `--key` its seat.pub.
`--since` is an older head of the seat, got some other way, that this one has to extend;
`--root` the commit id of the newest commit.

Exit code 0: the proof is good, and what was checked is printed. 6: it is not.
2: the command or what it compares with is off, or a file cannot be read.

The file stands alone: it shares no code with koinii. The formats it reads are
described in docs/formats. It is written to be read from top to bottom:

    refusing, hashes and trees, Ed25519, sentences, CBOR records,
    signed notes and statements, documents, the kinds of proof, histories, the command
"""

# ruff: noqa: D102, D103, PLR2004, S105 - one file to read, numbers as in the formats

import base64
import fractions
import hashlib
import itertools
import json
import math
import os
import pathlib
import re
import struct
import sys
import unicodedata

sys.set_int_max_str_digits(0)  # integers are bounded here, by 4,300 digits


class Refused(Exception):  # noqa: N818 - a verdict
    """The proof does not hold; the text says why."""


def need(held, reason):
    if not held:
        raise Refused(reason)


# Hashes and trees (RFC 6962) ---------------------------------------------------


def sha256(data):
    return hashlib.sha256(data).digest()


def leaf_hash(data):
    return sha256(b"\x00" + data)


def node_hash(left, right):
    return sha256(b"\x01" + left + right)


def climb(leaf, index, size, path):
    """The root that a path leads to (RFC 9162 section 2.1.3.2), or None."""
    if index >= size:
        return None
    fn, sn, node = index, size - 1, leaf
    for sibling in path:
        if sn == 0:
            return None
        if fn & 1 or fn == sn:
            node = node_hash(sibling, node)
            while fn and not fn & 1:
                fn >>= 1
                sn >>= 1
        else:
            node = node_hash(node, sibling)
        fn >>= 1
        sn >>= 1
    return node if sn == 0 else None


# Ed25519 (RFC 8032), for checking only -----------------------------------------

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)
NEUTRAL = (0, 1, 1, 0)  # extended coordinates: X, Y, Z, T = XY/Z


def add(p, q):
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(scalar, point):
    result = NEUTRAL
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point = add(point, point)
        scalar >>= 1
    return result


def equal(p, q):
    return (p[0] * q[2] - q[0] * p[2]) % P == 0 and (p[1] * q[2] - q[1] * p[2]) % P == 0


def decompress(data):
    """The point of a canonical encoding that is not of small order, or None."""
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number & (1 << 255) - 1
    if y >= P:
        return None
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(x2, (P + 3) // 8, P)
    if (x * x - x2) % P:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - x2) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    point = (x, y, 1, x * y % P)
    return None if equal(multiply(8, point), NEUTRAL) else point


BASE_Y = 4 * pow(5, P - 2, P) % P
BASE = decompress(BASE_Y.to_bytes(32, "little"))


def verify_signature(key, message, signature):
    if len(signature) != 64:
        return False
    s = int.from_bytes(signature[32:], "little")
    a, r = decompress(key), decompress(signature[:32])
    if s >= ORDER or a is None or r is None:
        return False
    hashed = hashlib.sha512(signature[:32] + key + message).digest()
    k = int.from_bytes(hashed, "little") % ORDER
    return equal(multiply(s, BASE), add(r, multiply(k, a)))


# Sentences: canonical text to identity bytes ------------------------------------
#
# A term is the bytes of its encoding, or a tuple of terms for a list, so terms of
# equal content are equal.

ATOM = r"[^\s()\[\]{}\"';\x00-\x1f\x7f-\x9f\ufeff\ud800-\udfff]"
TOKEN = re.compile(
    r"\(|\)|(?P<string>\"(?:[^\"\\]|\\.)*\")|(?P<char>\\." + ATOM + "*)"
    r"|(?P<atom>" + ATOM + "+)",
    re.DOTALL,
)
INTEGER = re.compile(r"0|-?[1-9][0-9]*")
FLOAT = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?")
RATIO = re.compile(r"(-?[1-9][0-9]*)/([1-9][0-9]*)")
DECIMAL = re.compile(r"(-?)(0|[1-9][0-9]*)(?:\.([0-9]*[1-9]))?M")
BARE = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]')
NUMBER_START = re.compile(r"[+-]?\.?[0-9]")
MAX_DEPTH, MAX_DIGITS, MAX_TEXT = 64, 4300, 65536


def sized(data):
    return len(data).to_bytes(4, "big") + data


def big(value):
    bits = (value if value >= 0 else ~value).bit_length()
    return sized(value.to_bytes(bits // 8 + 1, "big", signed=True))


def named(tag, text):
    """A symbol or keyword, whose first slash ends its namespace."""
    first, slash, rest = text.partition("/")
    need(first and (rest or not slash), f"{text[:40]!a} names nothing")
    if slash:
        return tag + b"\x01" + sized(first.encode()) + sized(rest.encode())
    return tag + b"\x00" + sized(first.encode())


def whole(text):
    need(len(text.lstrip("-")) <= MAX_DIGITS, "an integer is too long")
    return int(text)


def encode_number(text):
    if INTEGER.fullmatch(text):
        value = whole(text)
        if -(2**63) <= value < 2**63:
            return b"\x03" + value.to_bytes(8, "big", signed=True)
        return b"\x04" + big(value)
    if match := RATIO.fullmatch(text):
        above, below = whole(match[1]), whole(match[2])
        need(below > 1 and math.gcd(above, below) == 1, f"{text[:40]} is no ratio")
        return b"\x06" + big(above) + big(below)
    if match := DECIMAL.fullmatch(text):
        sign, before, after = match[1], match[2], match[3] or ""
        need(len(before + after) <= 64, "a decimal is too long")
        value = int(before + after)
        need(value or not sign, "a decimal zero has no sign")
        return b"\x07" + big(-value if sign else value) + len(after).to_bytes(4, "big")
    need(FLOAT.fullmatch(text), f"{text[:40]!a} is no number")
    value = float(text)
    need(math.isfinite(value), "a float is not finite")
    written = repr(value).replace("e+", "e")
    need(written == text and written != "-0.0", f"{text[:40]} is not spelled so")
    return b"\x05" + struct.pack(">d", value)


def encode_string(token):
    short = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}

    def unescape(match):
        if match[1]:
            return chr(int(match[1], 16))
        need(match[2] in short, "no such escape in a string")
        return short[match[2]]

    inside = token[1:-1]
    value = re.sub(r"\\(?:u([0-9a-f]{4})|(.))", unescape, inside, flags=re.DOTALL)
    back = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
    written = BARE.sub(lambda m: back.get(m[0]) or f"\\u{ord(m[0]):04x}", value)
    need(written == inside, "a string is not spelled so")
    need("\0" not in value, "a string holds NUL")
    need(not re.search("[\ud800-\udfff]", value), "a string holds a surrogate")
    need(unicodedata.is_normalized("NFC", value), "a string is not in NFC")
    return b"\x08" + sized(value.encode())


def encode_char(token):
    if re.fullmatch(r"\\u00(?:[01][0-9a-f]|20)", token):
        code = int(token[2:], 16)
    else:
        need(len(token) == 2 and token[1] > " ", "a character is not spelled so")
        code = ord(token[1])
    need(not 0xD800 <= code <= 0xDFFF, "a character is a surrogate")
    return b"\x0c" + code.to_bytes(4, "big")


def encode_symbol(text):
    need(re.fullmatch(ATOM + "+", text), f"{text[:40]!a} is no symbol")
    need(not re.match(r"[:\\]|##", text), f"{text[:40]!a} is no symbol")
    need(not NUMBER_START.match(text), f"{text[:40]!a} is no symbol")
    need(text not in ("nil", "true", "false"), f"{text} is no symbol")
    need(unicodedata.is_normalized("NFC", text), "a symbol is not in NFC")
    need(not ("/" in text and text[0] == "?"), "a variable has a namespace")
    return named(b"\x0a", text)


def encode_atom(text):
    constants = {"nil": b"\x00", "false": b"\x01", "true": b"\x02"}
    if text in constants:
        return constants[text]
    if NUMBER_START.match(text):
        return encode_number(text)
    if text[0] == ":":
        need(unicodedata.is_normalized("NFC", text), "a keyword is not in NFC")
        return named(b"\x09", text[1:])
    return encode_symbol(text)


def read_term(text):
    """The term whose canonical text is exactly this: one space and no more."""
    need(len(text.encode()) <= MAX_TEXT, "the sentence is too long")
    stack, done, at = [], None, 0
    while at < len(text) or done is None:
        need(done is None, "something follows the sentence")
        if text.startswith(" ", at):
            need(stack and stack[-1], "a space where none belongs")
            at += 1
            need(not text.startswith((" ", ")"), at), "a space where none belongs")
        elif stack and stack[-1]:
            need(text.startswith(")", at), "a space is missing")
        match = TOKEN.match(text, at)
        need(match, "the sentence cannot be read")
        at, token = match.end(), match[0]
        if token == "(":
            need(len(stack) < MAX_DEPTH, "lists nest too deep")
            stack.append([])
            continue
        if token == ")":
            need(stack, "a list ends that did not begin")
            value = tuple(stack.pop())
        elif match["string"]:
            value = encode_string(token)
        elif match["char"]:
            value = encode_char(token)
        else:
            value = encode_atom(token)
        if stack:
            stack[-1].append(value)
        else:
            done = value
    return done


def encoded(term):
    if isinstance(term, bytes):
        return term
    return b"\x0b" + len(term).to_bytes(4, "big") + b"".join(map(encoded, term))


def locate(context, sentence):
    """SHA-256 of the list of context, :true or :false, and the sentence."""
    return locate_term(context, read_term(sentence))


def locate_term(context, term):
    need("/" not in context, "a context has no namespace")
    truth = named(b"\x09", "false" if word(term) == "not" else "true")
    place = encode_symbol(context)
    return sha256(b"\x0b\x00\x00\x00\x03" + place + truth + encoded(term))


def name_of(term):
    """The name of a symbol without namespace; "" of any other term."""
    return term[6:].decode() if term[:2] == b"\x0a\x00" else ""


def word(term):
    """The name that a list begins with, or ""."""
    return name_of(term[0]) if isinstance(term, tuple) and term else ""


def variables(term):
    """The names of variables in a term, as often as they occur."""
    if isinstance(term, tuple):
        return [name for part in term for name in variables(part)]
    return [name_of(term)] if name_of(term)[:1] == "?" else []


def number(term):
    """The exact value of a number's encoding; None of any other term."""
    if isinstance(term, tuple) or not 3 <= term[0] <= 7:
        return None
    if term[0] == 3:
        return fractions.Fraction(int.from_bytes(term[1:], "big", signed=True))
    if term[0] == 5:
        return fractions.Fraction(struct.unpack(">d", term[1:])[0])
    size = int.from_bytes(term[1:5], "big")
    value = int.from_bytes(term[5 : 5 + size], "big", signed=True)
    rest = term[5 + size :]
    below = 1
    if term[0] == 6:
        below = int.from_bytes(rest[4:], "big", signed=True)
    elif term[0] == 7:
        below = 10 ** int.from_bytes(rest, "big")
    return fractions.Fraction(value, below)


# Commit records (deterministic CBOR of plain values) ------------------------------


def decode_cbor(data):
    need(len(data) <= 16384, "the record is too long")
    value, end = cbor_value(data, 0, 8)
    need(end == len(data), "the record does not end where its bytes do")
    return value


def cbor_value(data, at, depth):
    need(at < len(data), "the record is cut short")
    major, short = data[at] >> 5, data[at] & 31
    at += 1
    if major == 7:
        need(short in (20, 21, 22), "the record holds a value that is not plain")
        return {20: False, 21: True, 22: None}[short], at
    need(major != 6 and short < 28, "the record holds a value that is not plain")
    argument = short
    if short > 23:
        size = 1 << short - 24
        need(at + size <= len(data), "the record is cut short")
        argument = int.from_bytes(data[at : at + size], "big")
        least = 24 if size == 1 else 1 << 4 * size
        need(argument >= least, "the record spells a number too long")
        at += size
    if major < 2:
        return (-1 - argument if major else argument), at
    if major < 4:
        need(at + argument <= len(data), "the record is cut short")
        chunk = data[at : at + argument]
        try:
            return (chunk.decode() if major == 3 else chunk), at + argument
        except UnicodeDecodeError:
            raise Refused("the record holds text that is no UTF-8") from None
    need(depth, "the record nests too deep")
    if major == 4:
        items = []
        for _ in range(argument):
            item, at = cbor_value(data, at, depth - 1)
            items.append(item)
        return items, at
    table, last = {}, b""
    for _ in range(argument):
        need(at < len(data) and data[at] >> 5 == 3, "a key of the record is no text")
        key, end = cbor_value(data, at, 0)
        need(data[at:end] > last, "the keys of the record are not in order")
        last = data[at:end]
        table[key], at = cbor_value(data, end, depth - 1)
    return table, at


NAME = re.compile("[!-~\u00a1-\U0010ffff]+")
SEAT_ID = re.compile("[0-9a-f]{32}")


def is_count(value, least=0):
    return type(value) is int and least <= value < 2**64


def is_hash(value):
    return isinstance(value, bytes) and len(value) == 32


def is_name(value):
    return isinstance(value, str) and NAME.fullmatch(value) is not None


def is_seat(value):
    return isinstance(value, str) and SEAT_ID.fullmatch(value) is not None


def is_names(value):
    return (
        isinstance(value, list)
        and all(map(is_name, value))
        and value == sorted(set(value))
    )


def is_table(value, key, row):
    return isinstance(value, dict) and all(key(k) and row(v) for k, v in value.items())


def is_row(value, *kinds):
    return (
        isinstance(value, list)
        and len(value) == len(kinds)
        and all(kind(one) for kind, one in zip(kinds, value, strict=True))
    )


FIELDS = {
    "v": is_count,
    "seat": is_seat,
    "number": lambda one: is_count(one, 1),
    "previous": lambda one: one is None or is_hash(one),
    "time": is_count,
    "commit": is_hash,
    "size": is_count,
    "inputs": is_hash,
    "agents": lambda one: is_table(
        one, is_name, lambda row: is_row(row, is_hash, is_hash, is_count)
    ),
    "agents_root": is_hash,
    "posts": lambda one: is_row(one, is_hash, is_count),
    "heads": lambda one: is_table(
        one, is_seat, lambda row: is_row(row, lambda n: is_count(n, 1), is_hash)
    ),
    "heads_root": is_hash,
    "manifest": is_hash,
    "vocabulary": lambda one: is_table(one, is_name, is_hash),
    "trust": is_hash,
    "partial": lambda one: one is None or is_table(one, is_name, is_names),
    "local": is_names,
    "held": is_hash,
    "rules": is_count,
    "software": lambda one: isinstance(one, str),
}


def read_record(data):
    record = decode_cbor(data)
    need(isinstance(record, dict), "the record is no map")
    version = record.get("v")
    need(is_count(version, 1), "the record has no version")
    need(version == 1, f"the record is of version {version}, newer than this program")
    for name, fits in FIELDS.items():
        need(name in record, f"the record has no {name}")
        need(fits(record[name]), f"the record's {name} is not what belongs there")
    first = record["number"] == 1
    need(first == (record["previous"] is None), "the record misnames the one before")
    return record


# Signed notes, checkpoints, keys, statements --------------------------------------


def from_base64(text, length=None):
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        data = None
    need(data is not None and base64.b64encode(data).decode() == text, "no base64")
    need(length in (None, len(data)), "base64 of another length than belongs")
    return data


def check_key(raw):
    need(decompress(raw) is not None, "a public key is weak or no key")
    return raw


def read_key_line(line):
    line = line.removesuffix("\n")
    kind, _, rest = line.partition(" ")
    blob, _, comment = rest.partition(" ")
    need(len(line) < 1024 and kind == "ssh-ed25519", "no ssh-ed25519 public key line")
    need(comment.isprintable(), "no ssh-ed25519 public key line")
    data = from_base64(blob, 51)
    head = b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20"
    need(data.startswith(head), "the key is not of the kind its line names")
    return check_key(data[len(head) :])


def check_name(name):
    need(name.split() == [name] and "+" not in name, f"{name[:40]!a} is no name")
    need(not re.search("[\x00-\x1f]", name), f"{name[:40]!a} is no name")


def parse_note(text):
    """The text of a signed note and its lines: name, key id, signature."""
    need(len(text.encode()) <= 1048576, "a note is too long")
    need(not re.search("[\x00-\x09\x0b-\x1f]", text), "a note holds a control")
    body, gap, block = text.rpartition("\n\n")
    need(gap and block.endswith("\n"), "a note has no signatures")
    lines = []
    for line in block[:-1].split("\n"):
        match = re.fullmatch(r"— (\S+) ([A-Za-z0-9+/=]+)", line)
        need(match and "+" not in match[1], "a line of a note is no signature")
        payload = from_base64(match[2])
        need(len(payload) > 4, "a line of a note is no signature")
        lines.append((match[1], payload[:4], payload[4:]))
    need(len(lines) <= 16, "a note has too many signatures")
    return body + "\n", lines


def open_note(text, name, *keys):
    """The text and which of `keys` signed it under `name`; no line of theirs fails."""
    check_name(name)
    body, lines = parse_note(text)
    known, signers = {}, []
    for key in keys:
        key_id = sha256(name.encode() + b"\n\x01" + key)[:4]
        known.setdefault((name, key_id), []).append(key)
    for who, hint, signature in lines:
        if (who, hint) in known:
            message, candidates = body.encode(), known[who, hint]
            good = [k for k in candidates if verify_signature(k, message, signature)]
            need(good, f"the signature of {name} does not fit")
            signers += good
    need(signers, f"the note is not signed by {name}")
    return body, signers


def read_count(text, least=0):
    good = re.fullmatch("0|[1-9][0-9]{0,19}", text) and least <= int(text) < 2**64
    need(good, "no decimal number where one belongs")
    return int(text)


def read_hex(text, size=64):
    need(re.fullmatch(f"[0-9a-f]{{{size}}}", text), "no hex digits where they belong")
    return text


def read_checkpoint(text):
    lines = text.split("\n")
    need(len(lines) > 3 and not lines.pop(), "a checkpoint has three lines")
    need(all(lines), "a checkpoint has an empty line")
    return lines[0], read_count(lines[1]), from_base64(lines[2], 32)


def read_statement(text, kind, count):
    lines = text.split("\n")
    need(lines[0] == kind, f"not a statement of kind {kind}")
    need(not lines.pop() and len(lines) == count, f"{kind} has {count} lines")
    check_name(lines[1])
    need(lines[1] != "-", "a statement names no agent")
    return [lines[1], read_hex(lines[2]), *lines[3:]]


def open_introduction(text):
    """Agent, key and seat of an introduction that its own key signed."""
    body, _ = parse_note(text)
    agent, key, seat, names, time = read_statement(body, "koinii.introduce/v1", 6)
    read_hex(seat, 32)
    read_count(time)
    if names != "-":
        each = names.split(" ")
        for name in each:
            check_name(name)
        need("-" not in each and len(set(each)) == len(each), "no list of names")
    key = check_key(bytes.fromhex(key))
    open_note(text, agent, key)
    return agent, key, seat


def open_authored(text, key):
    """Agent, seat, number and root of an authored statement that `key` signed."""
    body, _ = parse_note(text)
    fields = read_statement(body, "koinii.authored/v1", 8)
    agent, key_hash, seat, number, size, root, previous = fields
    read_hex(seat, 32)
    read_count(size)
    read_hex(root)
    need(previous == "-" or read_hex(previous), "no hash of a statement")
    need(key_hash == sha256(key).hex(), "the statement names another key")
    open_note(text, agent, key)
    return agent, seat, read_count(number, 1), bytes.fromhex(root)


def open_rotation(text, old):
    """Agent, seat, new key and number of a rotation that the key `old` signed."""
    body, _ = parse_note(text)
    fields = read_statement(body, "koinii.rotate/v1", 6)
    agent, key_hash, key, seat, number = fields
    read_hex(seat, 32)
    key = check_key(bytes.fromhex(read_hex(key)))
    need(key_hash == sha256(old).hex(), "a rotation does not follow on its old key")
    _, signers = open_note(text, agent, old, key)
    need(old in signers, "a rotation is not signed by the key before it")
    return agent, seat, key, read_count(number, 1)


# Documents -------------------------------------------------------------------------

STATE = "v kind locator root size record history head key"
NAMES = {
    "inclusion": STATE + " index path",
    "absence": STATE + " left right assumes",
    "attribution": "v kind locator context sentence"
    " line claims contexts authored introduction",
    "why": STATE + " context sentence index path leaves vocabulary authors steps",
    "dispute": STATE + " context sentence in claim seen leaves vocabulary authors"
    " assumes",
}
OPTIONAL = {"attribution": "rotations", "why": "said", "dispute": "symmetric"}


def read_document(data):
    def pairs(items):
        need(len(dict(items)) == len(items), "a name stands twice in one object")
        return dict(items)

    def number(text):
        good = re.fullmatch("0|[1-9][0-9]{0,19}", text)
        need(good, f"{text[:30]} is no whole number from 0 up")
        return int(text)

    tlog = data.startswith(b"c2sp.org/tlog-proof@")
    need(not tlog, "a tlog-proof, whose JSON proof is the base64 behind `extra`")
    need(len(data) <= 1048576, "the document is too long")
    try:
        value = json.loads(
            data.decode(),
            object_pairs_hook=pairs,
            parse_int=number,
            parse_float=number,
            parse_constant=number,
        )
    except (ValueError, RecursionError):
        raise Refused("the document is no JSON") from None
    check_depth(value, 6)
    return value


def check_depth(value, depth):
    if isinstance(value, str):
        need(not re.search("[\ud800-\udfff]", value), "text that is no UTF-8")
    elif isinstance(value, (dict, list)):
        need(depth, "the document nests too deep")
        for item in [*value, *value.values()] if isinstance(value, dict) else value:
            check_depth(item, depth - 1)


def names(value, needed, optional=""):
    need(isinstance(value, dict), "no object where one belongs")
    for name in needed.split():
        need(name in value, f"the document has no {name}")
    for name in value:
        known = name in (needed + " " + optional).split()
        need(known, f"{name[:40]!a} has no meaning")


def text(value, name):
    need(isinstance(value.get(name), str), f"{name} is no text")
    return value[name]


def count(value, name):
    need(is_count(value.get(name)), f"{name} is no number from 0 up")
    return value[name]


def digest(value, name, prefix=""):
    given = text(value, name)
    need(given.startswith(prefix), f"{name} does not begin with {prefix}")
    return bytes.fromhex(read_hex(given[len(prefix) :]))


def path(value, name):
    given = value.get(name)
    need(isinstance(given, list) and len(given) <= 63, f"{name} is no path")
    need(all(isinstance(one, str) for one in given), f"{name} is no path")
    return [bytes.fromhex(read_hex(one)) for one in given]


def items(value, name, needed, optional=""):
    """A list of at most 1,024 objects with these names."""
    given = value.get(name)
    good = isinstance(given, list) and len(given) <= 1024
    need(good, f"{name} is no list of at most 1024 objects")
    for one in given:
        names(one, needed, optional)
    return given


def locators(value, name):
    """A list of at most 1,024 locators."""
    given = value.get(name)
    good = isinstance(given, list) and len(given) <= 1024
    need(good, f"{name} is no list of at most 1024 locators")
    return [digest({name: one}, name, "sha256:") for one in given]


# The kinds of proof ------------------------------------------------------------------


def verify(
    document,
    root=None,
    head=None,
    keys=None,
    vocabulary=(),
    *,
    entries=None,
    since=None,
):
    """Check a document's bytes; return (kind, what was checked, what is assumed)."""
    if document.startswith(ORIGIN.encode()):
        return verify_history(document, entries or (), since, (root, head, keys))
    good = entries is None and since is None
    need(good, "records and an older head go with a head, not with a proof")
    value = read_document(document)
    need(isinstance(value, dict), "the document is no object")
    envelope = "schema_version" in value
    need(not envelope, "the answer of a command under --json; the proof is its data")
    need(count(value, "v") == 1, "the proof is newer than this program")
    kind = text(value, "kind")
    need(kind in NAMES, f"unknown kind of proof: {kind[:40]}")
    names(value, NAMES[kind], "context sentence " + OPTIONAL.get(kind, ""))
    checked, assumes = check_locator(value), []
    if kind == "attribution":
        more, assumes, anchor = check_attribution(value)
    else:
        if kind in ("why", "dispute"):
            check = check_why if kind == "why" else check_dispute
            shown, assumes = check(value, vocabulary)
        elif kind == "inclusion":
            shown = check_inclusion(value)
        else:
            shown, assumes = check_absence(value), ["sorted"]
        checked += shown
        more, anchor = check_anchor(value)
    checked += more + compare(anchor, root, head, keys)
    if root is None and head is None and keys is None:
        whose = anchor["whose"]
        assumes.append(
            f"nothing outside the proof was compared: {whose} is the one you mean"
        )
    return kind, checked, assumes


def check_locator(value):
    locator = digest(value, "locator", "sha256:")
    both = ("context" in value) == ("sentence" in value)
    need(both, "a sentence and its context come together")
    if "sentence" not in value:
        return []
    found = locate(text(value, "context"), text(value, "sentence"))
    need(found == locator, "the locator is not that of the sentence in its context")
    return ["the locator is the hash of the sentence in its context"]


def check_inclusion(value):
    tree = digest(value, "root", "sha256:"), count(value, "size")
    check_held(value, digest(value, "locator", "sha256:"), tree)
    return ["the locator is a leaf under the root"]


def check_absence(value):
    need(value["assumes"] == ["sorted"], "an absence assumes sorted leaves")
    tree = digest(value, "root", "sha256:"), count(value, "size")
    check_absent(value, digest(value, "locator", "sha256:"), tree)
    return ["the leaves beside the locator's place are neighbours"]


def state_leaf(locator):
    return leaf_hash(b"sha256:" + locator.hex().encode())


def check_held(value, locator, tree):
    root, size = tree
    place = count(value, "index"), size, path(value, "path")
    good = climb(state_leaf(locator), *place) == root
    need(good, "the path does not lead from the locator to the root")


def check_absent(value, locator, tree):
    root, size = tree
    leaf, before, after = state_leaf(locator), -1, size
    for side in ("left", "right"):
        one = value[side]
        if one is None:
            continue
        names(one, "index leaf path")
        index, there = count(one, "index"), digest(one, "leaf")
        good = climb(there, index, size, path(one, "path")) == root
        need(good, f"the {side} neighbour is not under the root")
        need(there < leaf if side == "left" else leaf < there, "no neighbours of it")
        before, after = (index, after) if side == "left" else (before, index)
    need(before + 1 == after, "the neighbours do not stand side by side")
    need(size or root == sha256(b""), "the root is not that of nothing")


def is_held(value, name, locator, tree):
    """Which of the two an object shows of a locator: a leaf, or absent."""
    one = value.get(name)
    if isinstance(one, dict) and "index" in one:
        names(one, "index path")
        check_held(one, locator, tree)
        return True
    names(one, "left right")
    check_absent(one, locator, tree)
    return False


def record_of(value):
    record = read_record(from_base64(text(value, "record")))
    bound = digest(value, "root", "sha256:"), count(value, "size")
    need(bound == (record["commit"], record["size"]), "the record binds another root")
    return record


def check_anchor(value):
    record = record_of(value)
    line = text(value, "key")
    key = read_key_line(line)
    need(line.count(" ") == 1 and line[-1] not in " \n", "the key is spelled otherwise")
    seat = sha256(key).hex()[:32]
    need(record["seat"] == seat, "the record is of another seat than the key")
    signed, _ = open_note(text(value, "head"), "koinii.seat/" + seat, key)
    origin, size, root = read_checkpoint(signed)
    need(origin == "koinii.seat/" + seat, "the head is of another log")
    names(value["history"], "index size path")
    place = value["history"]
    index = count(place, "index")
    at_home = count(place, "size") == size and index == record["number"] - 1
    need(at_home, "the record is not at its number's place under the head")
    leaf = leaf_hash(from_base64(value["record"]))
    found = climb(leaf, index, size, path(place, "path"))
    need(found == root, "the path does not lead from the record to the head")
    checked = [
        f"the record of commit {record['number']} binds root and size",
        "the record is in the history under the head",
        f"the head is signed by the key of seat {seat}",
    ]
    known = {"root": value["root"], "head": signed, "keys": [key]}
    return checked, {**known, "whose": f"seat {seat}"}


def check_attribution(value):
    check_line(value, text(value, "sentence"))
    author = open_author(value)
    root = author["root"]
    check_set(value, text(value, "context"), root)
    checked = [
        "the line is one of the sentence",
        *author["told"],
        f"the set of commit {author['number']} is signed by {author['agent']}",
        "the line is in the signed set",
    ]
    first = "the first key" if author["told"] else "the key"
    known = {"root": f"sha256:{root.hex()}", "head": None, "keys": author["keys"]}
    whose = f"{first} {fingerprint(author['keys'][0])}"
    return checked, author["assumes"], {**known, "whose": whose}


def check_line(value, sentence):
    good = is_line_of(text(value, "line"), sentence)
    need(good, "the line is not one of the sentence")


def fingerprint(key):
    blob = b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20" + key
    return "SHA256:" + base64.b64encode(sha256(blob)).decode().rstrip("=")


def open_author(value):
    """Who signed a set: its statement, and the keys from the introduction on."""
    agent, key, seat = open_introduction(text(value, "introduction"))
    keys, least, told, assumes = [key], 0, [], []
    for one in rotations(value):
        who, place, key, least_now = open_rotation(one, keys[-1])
        good = (who, place) == (agent, seat) and agent != "AdminRoot"
        need(good, "a rotation is of another agent or seat, or of the admin")
        need(key not in keys, "a rotation goes back to an earlier key")
        need(least_now >= least, "a rotation is of an earlier commit than the last")
        keys.append(key)
        least = least_now
        told.append(
            f"the key before it signed that {agent} signs with "
            f"{fingerprint(key)} from commit {least} on"
        )
    if told:
        first = fingerprint(keys[0])
        told.insert(0, f"{agent} introduced itself with the key {first}")
        assumes.append(
            f"the keys of {agent} from {first} on were not revoked: "
            "revocations are not shown"
        )
    author, place, number, root = open_authored(text(value, "authored"), keys[-1])
    need((agent, seat) == (author, place), "two agents or seats in one attribution")
    need(least <= number, "a key that signs later has not signed the set")
    found = {"agent": agent, "number": number, "root": root}
    return {**found, "keys": keys, "told": told, "assumes": assumes}


def rotations(value):
    """The rotations of an author: none given, or a list of 1 to 64 texts."""
    given = value.get("rotations", [""])
    good = isinstance(given, list) and 0 < len(given) <= 64
    need(good and all(isinstance(one, str) for one in given), "rotations are no list")
    return given if "rotations" in value else []


def check_set(value, context, root):
    claims = value["claims"]
    names(claims, "root size index path")
    top, size = digest(claims, "root"), count(claims, "size")
    leaf = leaf_hash(text(value, "line").encode())
    found = climb(leaf, count(claims, "index"), size, path(claims, "path"))
    need(found == top, "the path does not lead from the line to its context's root")
    node = leaf_hash(f"{context} {size} {top.hex()}".encode())
    steps = value["contexts"]
    need(isinstance(steps, list) and len(steps) <= 63, "contexts is no list of steps")
    for step in steps:
        names(step, "hash side")
        sibling, side = digest(step, "hash"), text(step, "side")
        need(side in ("left", "right"), "a step is neither left nor right")
        node = node_hash(sibling, node) if side == "left" else node_hash(node, sibling)
    need(node == root, "the steps do not lead from the context to the signed root")


def is_line_of(line, sentence):
    head = re.match(r"(default|monotonic) (0|[1-9][0-9]{0,15}) ", line)
    if not head:
        return False
    rest = line[head.end() :]
    default = f"(set/defaultRule {sentence})"
    inert = f"(set/inertRule {sentence})"
    for written in (sentence, default, inert, f"(set/inertRule {default})"):
        if rest == written or (rest.startswith(written + " (") and rest[-1] == ")"):
            return True
    return False


# What several sentences show: why, and disputes

MAX_WORK = 1 << 22  # bytes of encodings that one document's checks look at
UNIVERSE = "CxUniverse"
FILTERS = ("lessThan", "different", "equals")
STRUCTURAL = "arg channel convened disjoint except functional genl genlCx"
STRUCTURAL += " modalPredicate symmetric targetFollowingPredicate"


class Stated:
    """The statements of a document, each hashed.

    `known` has, by locator, the context, the term, whether it is named as vocabulary
    and the size of its encoding.
    """

    def __init__(self, value, record, first):
        self.tree = record["commit"], record["size"]
        self.known, self.said, self.lines = {}, set(), {}
        self.checked, self.assumes, self.work = [first], [], MAX_WORK
        authors = items(value, "authors", "authored introduction", "rotations")
        self.authors = [open_author(one) for one in authors]
        signed = {parse_note(one["authored"])[0] for one in authors}
        need(len(signed) == len(authors), "an author is given twice")
        for one in items(value, "leaves", "context sentence index path", "said"):
            locator = self.add(text(one, "context"), text(one, "sentence"))
            check_held(one, locator, self.tree)
            self.note_said(one)
        if self.known:
            told = f"leaves under the root that it stands on: {len(self.known)}"
            self.checked.append(told)

    def add(self, context, sentence, *, shipped=False):
        term = read_term(sentence)
        if shipped and word(term) == "genlCx":
            context = UNIVERSE  # where edges stand, whatever file has them
        locator = locate_term(context, term)
        need(locator not in self.known, "a sentence is stated twice")
        self.known[locator] = context, term, shipped, len(encoded(term))
        return locator

    def note_said(self, value):
        if "said" not in value:
            return
        said = value["said"]
        names(said, "author line claims contexts")
        number = count(said, "author")
        need(number < len(self.authors), "a line is of an author who is not given")
        check_line(said, value["sentence"])
        check_set(said, value["context"], self.authors[number]["root"])
        self.said.add(locate(value["context"], value["sentence"]))
        self.lines[number] = self.lines.get(number, 0) + 1

    def tell_authors(self):
        for at, one in enumerate(self.authors):
            need(at in self.lines, "an author is given who said none of it")
            told = f"lines in the set of commit {one['number']} that {one['agent']}"
            self.checked += [*one["told"], f"{told} signed: {self.lines[at]}"]
            self.assumes += [a for a in one["assumes"] if a not in self.assumes]

    def add_vocabulary(self, value, bound, files):
        wanted = {}
        for one in items(value, "vocabulary", "context sentence digest"):
            context, sentence = text(one, "context"), text(one, "sentence")
            good = bound.get(context) == digest(one, "digest", "sha256:")
            need(good, f"the record binds no such vocabulary of {context[:40]}")
            self.add(context, sentence, shipped=True)
            wanted.setdefault(context, []).append(sentence.encode())
        shipped = {sha256(file): file for file in files}
        for context in sorted(wanted):
            name = f"vocabulary {context} sha256:{bound[context].hex()}"
            if bound[context] not in shipped:
                self.assumes.append(name)
                continue
            missing = set(wanted[context]) - set(shipped[bound[context]].split(b"\n"))
            need(not missing, f"the vocabulary {context} has no such sentence")
            self.checked.append(f"{name} has the sentences named")

    def spend(self, size):
        self.work -= size
        need(self.work >= 0, f"its checks look at more than {MAX_WORK} bytes")


def negated(term):
    """Whether a literal is negative, and what stands under its `not`."""
    negative = word(term) == "not" and len(term) == 2
    plain = term[1] if negative else term
    need(isinstance(plain, tuple) and plain, "a literal is none")
    need(word(plain) not in ("and", "implies", "not", "unknown"), "a literal is none")
    return negative, plain


def edge_ends(statement):
    context, term = statement[:2]
    good = context == UNIVERSE and isinstance(term, tuple) and len(term) == 3
    need(good and word(term) == "genlCx", f"an edge is a genlCx in {UNIVERSE}")
    ends = [name_of(one) for one in term[1:]]
    need(all(ends), "an edge is of contexts")
    return ends


def is_instance(pattern, term, values):
    if isinstance(pattern, tuple):
        return (
            isinstance(term, tuple)
            and len(pattern) == len(term)
            and all(
                is_instance(*two, values) for two in zip(pattern, term, strict=True)
            )
        )
    name = name_of(pattern)
    return (values[name] if name[:1] == "?" else pattern) == term


def substitute(term, values):
    if isinstance(term, tuple):
        return tuple(substitute(part, values) for part in term)
    name = name_of(term)
    return values[name] if name[:1] == "?" else term


def test_holds(literal):
    negative, plain = negated(literal)
    given = plain[1:]
    if word(plain) == "lessThan":
        numbers = list(map(number, given))
        pairs = itertools.pairwise(numbers)
        held = all(None not in pair and pair[0] < pair[1] for pair in pairs)
    else:
        kinds = len(set(given))
        held = kinds == (1 if word(plain) == "equals" else len(given))
    return held != negative


def read_as(literal, fact, climbs, mirror):
    """The fact as the declarations given make it read."""
    wanted, pattern = negated(literal)
    negative, plain = negated(fact)
    if negative != wanted:
        return fact
    if mirror is not None:
        good = len(plain) == 3 and plain[1] != plain[2]
        need(good, "a fact that is mirrored has two unlike arguments")
        good = any(is_symmetric(mirror, one[0]) for one in (plain, pattern))
        need(good, "a mirror is of a functor that is not declared symmetric")
        plain = (plain[0], plain[2], plain[1])
    if climbs:
        need(not negative, "a negative fact climbs nowhere")
        at = plain[0]
        for edge in climbs:
            good = word(edge) == "genl" and len(edge) == 3
            need(good, "a climb goes by genl and nothing else")
            need(edge[1] == at, "a climb does not begin where the last one ended")
            at = edge[2]
        need(at != plain[0], "a climb ends where it began")
        plain = (at, *plain[1:])
    return (literal[0], plain) if negative else plain


def is_symmetric(declaration, functor):
    return word(declaration) == "symmetric" and declaration[1:] == (functor,)


def check_instance(stated, rule, values, facts, conclusion):
    good = word(rule) == "implies" and len(rule) == 3
    need(good, "a step's rule is no rule")
    literals = rule[1][1:] if word(rule[1]) == "and" else (rule[1],)
    need(len(literals) <= 64, "a rule has at most 64 antecedents")
    need(set(values) == set(variables(rule)), "the values are not the variables'")
    tests = [one for one in literals if word(negated(one)[1]) in FILTERS]
    binding = [one for one in literals if word(negated(one)[1]) not in FILTERS]
    good = binding and len(binding) == len(facts)
    need(good, "a step has one fact for each binding literal of its rule")
    for literal, fact in zip(binding, facts, strict=True):
        good = is_instance(literal, read_as(literal, *fact), values)
        need(good, "a fact is not the instance of its literal")
    for literal in tests:
        used = variables(literal)
        sizes = {name: len(encoded(values[name])) for name in set(used)}
        stated.spend(len(encoded(literal)) + sum(sizes[name] for name in used))
        need(test_holds(substitute(literal, values)), "a test of the rule fails")
    good = word(negated(rule[2])[1]) not in STRUCTURAL.split()
    good = good and is_instance(rule[2], conclusion, values)
    need(good, "the conclusion is not the instance of the rule's")


def check_why(value, vocabulary):
    record = record_of(value)
    claim = digest(value, "locator", "sha256:")
    check_held(value, claim, (record["commit"], record["size"]))
    stated = Stated(value, record, "the locator is a leaf under the root")
    stated.add(text(value, "context"), text(value, "sentence"))
    stated.note_said(value)
    stated.add_vocabulary(value, record["vocabulary"], vocabulary)
    steps = items(value, "steps", "conclusion rule values facts sees")
    conclusions = [digest(one, "conclusion", "sha256:") for one in steps]
    ready, used = set(stated.known) - set(conclusions), set()
    silent = [
        one for one in ready - stated.said if not stated.known[one][2]
    ]  # of those that no step concludes

    def use(locator):
        need(locator in ready, "a step stands on what is neither stated nor concluded")
        used.add(locator)
        stated.spend(stated.known[locator][3])
        return stated.known[locator]

    for step, conclusion in zip(steps, conclusions, strict=True):
        good = conclusion in stated.known and conclusion not in ready
        need(good, "a step concludes what is stated otherwise, or not")
        check_step(step, stated, stated.known[conclusion], use)
        ready.add(conclusion)
    good = not steps or conclusions[-1] == claim
    need(good, "the last step does not conclude the claim")
    good = set(stated.known) - used == {claim}
    need(good, "the claim does not stand on all that is stated")
    if steps:
        told = f"steps that are instances of their rules: {len(steps)}"
        stated.checked.append(told)
    stated.tell_authors()
    if silent:
        stated.assumes.append(f"leaves of which no author is shown: {len(silent)}")
    return stated.checked, stated.assumes


def check_step(step, stated, conclusion, use):
    rule = use(digest(step, "rule", "sha256:"))
    stated.spend(conclusion[3])
    standing, facts = {rule[0]}, []
    for one in items(step, "facts", "fact", "climbs mirror"):
        fact = use(digest(one, "fact", "sha256:"))
        climbs = locators(one, "climbs") if "climbs" in one else None
        need(climbs != [], "climbs is left out where it is empty")
        edges, mirror = [use(each) for each in climbs or []], None
        standing |= {fact[0], *(edge[0] for edge in edges)}
        if "mirror" in one:
            where, mirror, shipped, _ = use(digest(one, "mirror", "sha256:"))
            good = shipped or where == UNIVERSE
            need(good, f"a functor is declared symmetric in {UNIVERSE} only")
        facts.append((fact[1], [edge[1] for edge in edges], mirror))
    sees, values = step["sees"], step["values"]
    need(isinstance(sees, dict) and isinstance(values, dict), "no object in a step")
    good = set(sees) == standing - {conclusion[0]}
    need(good, "the contexts seen are not those that a step stands on")
    for context in sorted(sees):
        at = conclusion[0]
        for edge in map(use, locators(sees, context)):
            sub, above = edge_ends(edge)
            need(sub == at, "the edges given do not lead on")
            at = above
        need(at == context, "the edges given do not lead there")
    given = {name: read_term(text(values, name)) for name in values}
    check_instance(stated, rule[1], given, facts, conclusion[1])


def check_dispute(value, vocabulary):
    need(value["assumes"] == ["sorted"], "a dispute assumes sorted leaves")
    record = record_of(value)
    tree = record["commit"], record["size"]
    held = is_held(value, "claim", digest(value, "locator", "sha256:"), tree)
    told = f"the claim is {'a leaf' if held else 'no leaf'} under the root"
    stated = Stated(value, record, told)
    stated.add_vocabulary(value, record["vocabulary"], vocabulary)
    channel, literal = text(value, "in"), read_term(text(value, "sentence"))
    declared = [s for s in stated.known.values() if word(s[1]) == "symmetric"]
    edges = [s for s in stated.known.values() if word(s[1]) != "symmetric"]
    seen = seen_by(channel, [edge_ends(one) for one in edges])
    need(value["context"] in seen, "the channel does not see the claim")
    need(
        seen.isdisjoint(record["local"]),
        "a context seen is local to the seat: no tree covers it",
    )
    told = f"contexts that {channel} sees by the edges given: {len(seen)}"
    stated.checked.append(told)
    negative, plain = negated(literal)
    need(
        word(plain) not in STRUCTURAL.split(), "a structural statement is never negated"
    )
    mirror = len(plain) == 3 and plain[1] != plain[2]
    if mirror:
        mirror = has_mirror(value, plain, declared, stated)
    else:
        good = not declared and "symmetric" not in value
        need(good, "a mirror is told of a claim that may have none")
    denials = {"negation": plain}
    if mirror:
        denials["mirror"] = (plain[0], plain[2], plain[1])
    if not negative:
        no = encode_symbol("not")
        denials = {name: (no, one) for name, one in denials.items()}
    check_seen(value, seen, denials, stated)
    stated.tell_authors()
    return stated.checked, ["sorted", *stated.assumes]


def seen_by(start, edges):
    seen, grown = {start}, True
    while grown:
        more = {above for sub, above in edges if sub in seen} - seen
        seen |= more
        grown = bool(more)
    need(all(sub in seen for sub, _ in edges), "an edge of a context that is not seen")
    return seen


def has_mirror(value, plain, declared, stated):
    if declared:
        need("symmetric" not in value, "what the vocabulary declares is told once")
        for _, term, shipped, _ in declared:
            good = shipped and is_symmetric(term, plain[0])
            need(good, "a declaration is given that bears on nothing")
        return True
    declaration = (encode_symbol("symmetric"), plain[0])
    locator = locate_term(UNIVERSE, declaration)
    if is_held(value, "symmetric", locator, stated.tree):
        return True
    told = "no vocabulary declares the claim's predicate symmetric"
    stated.assumes.append(told)
    return False


def check_seen(value, seen, denials, stated):
    rows = items(value, "seen", " ".join(["context", *denials]))
    contexts = [text(row, "context") for row in rows]
    good = set(contexts) == seen and len(contexts) == len(seen)
    need(good, "the contexts are not those that the channel sees")
    for name, denial in denials.items():
        held = [
            context
            for context, row in zip(contexts, rows, strict=True)
            if is_held(row, name, locate_term(context, denial), stated.tree)
        ]
        absent = sorted(set(contexts) - set(held))
        for verb, group in (("believed in", sorted(held)), ("absent from", absent)):
            told = ", ".join(group) or "none"
            stated.checked.append(f"the {name} is {verb}: {told}")


def compare(anchor, root, head, keys):
    """Compare what the caller knows from elsewhere; return what agreed."""
    checked = []
    if head is not None and anchor["head"] is None:
        raise Refused("an attribution has no head to compare")
    if root is not None:
        need(root == anchor["root"], "the root is not the one expected")
        checked.append("the root is the one expected")
    if head is not None:
        expected, _ = parse_note(head)
        read_checkpoint(expected)
        need(expected == anchor["head"], "the head is not the one expected")
        checked.append("the head is the one expected")
    if keys is not None:
        known = [read_key_line(line) for line in keys]
        good = any(key in known for key in anchor["keys"])
        need(good, "the signer's key is not one expected")
        checked.append("the signer's key is one expected")
    return checked


# Histories ---------------------------------------------------------------------------

ORIGIN = "koinii.seat/"
BUNDLE = 256  # records in a file that is full


def tree_root(hashes):
    """The root over leaf hashes (RFC 6962 section 2.1)."""
    if not hashes:
        return sha256(b"")
    if len(hashes) == 1:
        return hashes[0]
    left = 1 << (len(hashes) - 1).bit_length() - 1
    return node_hash(tree_root(hashes[:left]), tree_root(hashes[left:]))


def verify_history(document, entries, since, known):
    """Check a signed head over the files of its records; as `verify`."""
    root, head, keys = known
    note = note_text(document)
    origin, _, _ = read_checkpoint(parse_note(note)[0])
    seat = origin.removeprefix(ORIGIN)
    lines = [read_key_line(line) for line in keys or ()]
    mine = [key for key in lines if origin == ORIGIN + sha256(key).hex()[:32]]
    need(mine, f"a head does not hold its key: give that of seat {seat[:32]!a}")
    key = mine[0]
    signed, _ = open_note(note, origin, key)
    _, size, top = read_checkpoint(signed)
    checked = [f"the head is signed by the key of seat {seat}"]
    leaves, record = read_history(entries, seat)
    told = f"the head covers {size} records, and {len(leaves)} are given"
    need(leaves and len(leaves) == size, told)
    need(tree_root(leaves) == top, "the head is not over these records")
    checked.append(f"records under it, each following the one before: {size}")
    if since is not None:
        older, _ = open_note(note_text(since), origin, key)
        where, before, under = read_checkpoint(older)
        need(where == origin, "the older head is of another log")
        told = f"the older head covers {before} records, the newer one less"
        need(before <= size, told)
        told = "the older head is over other records: two histories of one seat"
        need(tree_root(leaves[:before]) == under, told)
        checked.append(f"the head extends the older one, that of commit {before}")
    commit = "sha256:" + record["commit"].hex()
    anchor = {"root": commit, "head": signed, "keys": [key]}
    return "history", checked + compare(anchor, root, head, keys), []


def note_text(data):
    need(len(data) <= 1048576, "a head is too long")
    try:
        return data if isinstance(data, str) else data.decode()
    except UnicodeDecodeError:
        raise Refused("a head is no text") from None


def read_history(bundles, seat):
    """The leaves of records in line, and the last record."""
    leaves, record = [], None
    for data in bundles:
        full = len(leaves) % BUNDLE == 0
        need(full, "a file of records that is not the last one is not full")
        for entry in read_bundle(data):
            record, number = read_record(entry), len(leaves) + 1
            good = (record["seat"], record["number"]) == (seat, number)
            need(good, f"record {number} names another seat or number")
            good = record["previous"] == (leaves[-1] if leaves else None)
            need(good, f"record {number} does not follow the one before")
            leaves.append(leaf_hash(entry))
    return leaves, record


def read_bundle(data):
    """The records of a file: each two bytes of length, and so many bytes."""
    entries, at = [], 0
    while at < len(data):
        start, at = at + 2, at + 2 + int.from_bytes(data[at : at + 2], "big")
        need(start <= len(data) and at <= len(data), "a file of records is cut short")
        entries.append(data[start:at])
    need(0 < len(entries) <= BUNDLE, f"a file has 1 to {BUNDLE} records")
    return entries


# The command -------------------------------------------------------------------------

NOT_SHOWN = {
    "inclusion": [
        "that the claim is true, or why it is believed",
        "that the seat believes it still: the head may be old",
    ],
    "absence": [
        "that the seat sorted its leaves: an inclusion of this locator under this"
        " head would be evidence against it",
        "that the claim is false, or absent still: the head may be old",
    ],
    "attribution": [
        "who the agent is: whoever could use its key said it",
        "that no key which signed was revoked, or replaced before by another",
        "that any seat believes the claim, or that it still stands",
    ],
    "why": [
        "that the claim stands where it is most general, or that nothing else"
        " supports it",
        "that no mask hides what it stands on, or that nothing speaks against it",
        "that what an author signed still stands, that its keys were not revoked, or"
        " that the claim is true",
        "that the seat believes it still: the head may be old",
    ],
    "dispute": [
        "clashes that are no rebuttal: values of a functional predicate, disjoint"
        " types",
        "what the channel sees by edges that are not given",
        "that no mask hides a side, or which side should fall",
        "that the seat sorted its leaves, or believes so still: the head may be old",
    ],
    "history": [
        "that nobody was shown another history: compare heads with others, or look for"
        " cosignatures",
        "that what a record binds is what the seat believed, or that it is true",
        "that there is no newer commit",
    ],
}
USAGE = (
    "usage: koinii_verify.py PROOF [--root R] [--key FILE] [--head FILE]"
    " [--vocabulary FILE]...\n"
    "       koinii_verify.py CHECKPOINT --key FILE --entries FILE..."
    " [--since FILE] [--root R] [--head FILE]"
)
OPTIONS = ("--root", "--key", "--head", "--since")
LISTS = ("--vocabulary", "--entries")  # may be given several times
LARGEST = 2**23  # bytes of a file of records, and more


def read_file(name, limit=2**20):
    """The first bytes of a file, one more than any reader here takes."""
    if name == "-":
        return sys.stdin.buffer.read(limit + 1)
    with pathlib.Path(name).open("rb") as file:
        return file.read(limit + 1)


def arguments(words):
    """The words of the command as a table, or None when they are off."""
    found, words = {}, list(words)
    while words:
        word = words.pop(0)
        option, equals, value = word.partition("=")
        if option in OPTIONS + LISTS:
            if not equals and not words:
                return None
            given = value if equals else words.pop(0)
            if option in LISTS:
                found.setdefault(option, []).append(given)
            else:
                found[option] = given
        elif (word.startswith("-") and word != "-") or "proof" in found:
            return None
        else:
            found["proof"] = word
    return found if "proof" in found else None


def argument_fault(root, head, keys):
    """What is off in an argument that could agree with no proof, or None."""
    name = "--root"
    try:
        if root is not None:
            need(root.startswith("sha256:"), "no commit id")
            read_hex(root[7:])
        name = "--head"
        if head is not None:
            read_checkpoint(parse_note(head)[0])
        name = "--key"
        if keys is not None:
            need([read_key_line(line) for line in keys], "no line in the file")
    except Refused as refusal:
        return f"{name}: {refusal}"
    return None


def main(words):
    if "-h" in words or "--help" in words:
        say(__doc__)
        return 0
    found = arguments(words)
    if found is None:
        say(USAGE, sys.stderr)
        return 2
    try:
        document = read_file(found["proof"])
        head = read_file(found["--head"]).decode() if "--head" in found else None
        keys = read_file(found["--key"]).decode() if "--key" in found else None
        vocabulary = [read_file(name) for name in found.get("--vocabulary", [])]
        entries = [read_file(name, LARGEST) for name in found.get("--entries", [])]
        since = read_file(found["--since"]) if "--since" in found else None
    except (OSError, ValueError) as fault:
        say(f"cannot read: {fault}", sys.stderr)
        return 2
    if keys is not None:
        keys = [line for line in keys.split("\n") if line.strip()]
    fault = argument_fault(found.get("--root"), head, keys)
    if fault:
        say(fault, sys.stderr)
        return 2
    try:
        root = found.get("--root")
        more = {"entries": entries or None, "since": since}
        told = verify(document, root, head, keys, vocabulary, **more)
    except Refused as refusal:
        say(f"REFUSED: {refusal}")
        return 6
    report(*told)
    return 0


def report(kind, checked, assumes):
    shown = [f"GOOD: {kind}"]
    for heading, lines in [
        ("checked", checked),
        ("assumed", assumes),
        ("not shown", NOT_SHOWN[kind]),
    ]:
        shown += [f"  {heading}: {line}" for line in lines]
    say("\n".join(shown))


def say(text, stream=None):
    """Print, also where nobody reads any more: the exit code still tells."""
    stream = stream or sys.stdout
    if stream is None:
        return
    try:
        print(text, file=stream, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.reconfigure(errors="backslashreplace")
    sys.exit(main(sys.argv[1:]))
