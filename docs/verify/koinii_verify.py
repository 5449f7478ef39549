#!/usr/bin/env python3
"""Check a koinii state proof with nothing but a Python 3.11 or newer.

    python3 koinii_verify.py proof.json [--root R] [--key FILE] [--head FILE]

`proof.json` (`-` for standard input) is what `koinii prove` wrote. `--root` is a
commit id, `sha256:` and 64 hex digits; `--key` a file with OpenSSH public key
lines, one of which has to be the signer's; `--head` a signed checkpoint got some
other way. What is given has to agree with the proof.

Exit code 0: the proof is good, and what was checked is printed. 6: it is not.
2: the command or what it compares with is off, or a file cannot be read.

The file stands alone: it shares no code with koinii. The formats it reads are
described in docs/formats. It is written to be read from top to bottom:

    refusing, hashes and trees, Ed25519, sentences, CBOR records,
    signed notes and statements, documents, the three kinds of proof, the command
"""

# ruff: noqa: D103, PLR2004, S105, T201 - one file to read, numbers as in the formats

import base64
import hashlib
import json
import math
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


def encode_sentence(text):
    """The bytes of a sentence whose text is canonical: one space and no more."""
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
            items = stack.pop()
            value = b"\x0b" + len(items).to_bytes(4, "big") + b"".join(items)
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


def locate(context, sentence):
    """SHA-256 of the list of context, :true or :false, and the sentence."""
    need("/" not in context, "a context has no namespace")
    body = encode_sentence(sentence)
    negative = re.match(r"\(not[ )]", sentence)
    truth = named(b"\x09", "false" if negative else "true")
    return sha256(b"\x0b\x00\x00\x00\x03" + encode_symbol(context) + truth + body)


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


def open_note(text, name, key):
    """The text, if `key` signed it under `name` and no line of it fails."""
    check_name(name)
    body, lines = parse_note(text)
    key_id = sha256(name.encode() + b"\n\x01" + key)[:4]
    signatures = [sig for who, hint, sig in lines if (who, hint) == (name, key_id)]
    need(signatures, f"the note is not signed by {name}")
    for signature in signatures:
        good = verify_signature(key, body.encode(), signature)
        need(good, f"the signature of {name} does not fit")
    return body


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
    read_hex(lines[2])
    read_hex(lines[3], 32)
    return lines[1:]


def open_introduction(text):
    """Agent, key and seat of an introduction that its own key signed."""
    body, _ = parse_note(text)
    agent, key, seat, names, time = read_statement(body, "koinii.introduce/v1", 6)
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
    read_count(size)
    read_hex(root)
    need(previous == "-" or read_hex(previous), "no hash of a statement")
    need(key_hash == sha256(key).hex(), "the statement names another key")
    open_note(text, agent, key)
    return agent, seat, read_count(number, 1), bytes.fromhex(root)


# Documents -------------------------------------------------------------------------

STATE = "v kind locator root size record history head key"
NAMES = {
    "inclusion": STATE + " index path",
    "absence": STATE + " left right assumes",
    "attribution": "v kind locator context sentence"
    " line claims contexts authored introduction",
}


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
    need(len(data) <= 131072, "the document is too long")
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


# The three kinds of proof ------------------------------------------------------------


def verify(document, root=None, head=None, keys=None):
    """Check a document's bytes; return (kind, what was checked, what is assumed)."""
    value = read_document(document)
    need(isinstance(value, dict), "the document is no object")
    envelope = "schema_version" in value
    need(not envelope, "the answer of a command under --json; the proof is its data")
    need(count(value, "v") == 1, "the proof is newer than this program")
    kind = text(value, "kind")
    need(kind in NAMES, f"unknown kind of proof: {kind[:40]}")
    names(value, NAMES[kind], "context sentence")
    checked = check_locator(value)
    if kind == "attribution":
        more, anchor = check_attribution(value)
    else:
        check = check_inclusion if kind == "inclusion" else check_absence
        checked += check(value)
        more, anchor = check_anchor(value)
    checked += more + compare(anchor, root, head, keys)
    assumes = ["sorted"] if kind == "absence" else []
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
    leaf = leaf_hash(value["locator"].encode())
    place = count(value, "index"), count(value, "size"), path(value, "path")
    root = digest(value, "root", "sha256:")
    good = climb(leaf, *place) == root
    need(good, "the path does not lead from the locator to the root")
    return ["the locator is a leaf under the root"]


def check_absence(value):
    need(value["assumes"] == ["sorted"], "an absence assumes sorted leaves")
    leaf, size = leaf_hash(value["locator"].encode()), count(value, "size")
    root = digest(value, "root", "sha256:")
    before, after = -1, size
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
    return ["the leaves beside the locator's place are neighbours"]


def check_anchor(value):
    data = from_base64(text(value, "record"))
    record = read_record(data)
    bound = digest(value, "root", "sha256:"), count(value, "size")
    need(bound == (record["commit"], record["size"]), "the record binds another root")
    line = text(value, "key")
    key = read_key_line(line)
    need(line.count(" ") == 1 and line[-1] not in " \n", "the key is spelled otherwise")
    seat = sha256(key).hex()[:32]
    need(record["seat"] == seat, "the record is of another seat than the key")
    signed = open_note(text(value, "head"), "koinii.seat/" + seat, key)
    origin, size, root = read_checkpoint(signed)
    need(origin == "koinii.seat/" + seat, "the head is of another log")
    names(value["history"], "index size path")
    place = value["history"]
    index = count(place, "index")
    at_home = count(place, "size") == size and index == record["number"] - 1
    need(at_home, "the record is not at its number's place under the head")
    found = climb(leaf_hash(data), index, size, path(place, "path"))
    need(found == root, "the path does not lead from the record to the head")
    checked = [
        f"the record of commit {record['number']} binds root and size",
        "the record is in the history under the head",
        f"the head is signed by the key of seat {seat}",
    ]
    known = {"root": value["root"], "head": signed, "key": key}
    return checked, {**known, "whose": f"seat {seat}"}


def check_attribution(value):
    line, sentence = text(value, "line"), text(value, "sentence")
    need(is_line_of(line, sentence), "the line is not one of the sentence")
    agent, key, seat = open_introduction(text(value, "introduction"))
    author, place, number, root = open_authored(text(value, "authored"), key)
    need((agent, seat) == (author, place), "two agents or seats in one attribution")
    claims = value["claims"]
    names(claims, "root size index path")
    top, size = digest(claims, "root"), count(claims, "size")
    found = climb(
        leaf_hash(line.encode()), count(claims, "index"), size, path(claims, "path")
    )
    need(found == top, "the path does not lead from the line to its context's root")
    node = leaf_hash(f"{text(value, 'context')} {size} {top.hex()}".encode())
    steps = value["contexts"]
    need(isinstance(steps, list) and len(steps) <= 63, "contexts is no list of steps")
    for step in steps:
        names(step, "hash side")
        sibling, side = digest(step, "hash"), text(step, "side")
        need(side in ("left", "right"), "a step is neither left nor right")
        node = node_hash(sibling, node) if side == "left" else node_hash(node, sibling)
    need(node == root, "the steps do not lead from the context to the signed root")
    checked = [
        "the line is one of the sentence",
        f"the set of commit {number} is signed by {agent}",
        "the line is in the signed set",
    ]
    blob = b"\x00\x00\x00\x0bssh-ed25519\x00\x00\x00\x20" + key
    print_ = "SHA256:" + base64.b64encode(sha256(blob)).decode().rstrip("=")
    known = {"root": f"sha256:{root.hex()}", "head": None, "key": key}
    return checked, {**known, "whose": f"the key {print_}"}


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
        need(anchor["key"] in known, "the signer's key is not one expected")
        checked.append("the signer's key is one expected")
    return checked


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
        "that any seat believes the claim, or that it still stands",
    ],
}
USAGE = "usage: koinii_verify.py PROOF [--root R] [--key FILE] [--head FILE]"


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
        if option in ("--root", "--key", "--head"):
            if not equals and not words:
                return None
            found[option] = value if equals else words.pop(0)
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
        print(__doc__)
        return 0
    found = arguments(words)
    if found is None:
        print(USAGE, file=sys.stderr)
        return 2
    try:
        document = read_file(found["proof"])
        head = read_file(found["--head"]).decode() if "--head" in found else None
        keys = read_file(found["--key"]).decode() if "--key" in found else None
    except (OSError, ValueError) as fault:
        print(f"cannot read: {fault}", file=sys.stderr)
        return 2
    if keys is not None:
        keys = [line for line in keys.split("\n") if line.strip()]
    fault = argument_fault(found.get("--root"), head, keys)
    if fault:
        print(fault, file=sys.stderr)
        return 2
    try:
        kind, checked, assumes = verify(document, found.get("--root"), head, keys)
    except Refused as refusal:
        print(f"REFUSED: {refusal}")
        return 6
    report(kind, checked, assumes)
    return 0


def report(kind, checked, assumes):
    print(f"GOOD: {kind}")
    for heading, lines in [
        ("checked", checked),
        ("assumed", assumes),
        ("not shown", NOT_SHOWN[kind]),
    ]:
        for line in lines:
            print(f"  {heading}: {line}")


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")
    sys.stderr.reconfigure(errors="backslashreplace")
    sys.exit(main(sys.argv[1:]))
