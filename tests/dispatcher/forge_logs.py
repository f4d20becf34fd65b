#!/usr/bin/env python3
"""Resume jobs from logs with valid checksums that no run has written.

JOBS.tsv has a line per job: its name, the file that it writes, and its command line without
--resume and -o.  Here are NAME.log, its log, and whole.FILE, its result.  Each forged log is
resumed, and has to end in one of these ways:

  refused     one line on stderr that names the log or its job; no result, the log unchanged
  recomputed  a record is left out or not whole: the result is right, no log is left
  right       what was forged does not matter: the result is right, no log is left
  verified    the result is another one, which --verify refuses
  trusted     the result is another one; only from what docs/file-format.md lists as trusted

Anything else is printed, and the program exits with 1.  FEWER takes one of so many.

usage: forge_logs.py JOBS.tsv [FEWER]
"""
import collections
import contextlib
import math
import os
import random
import struct
import subprocess
import sys
import zlib

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tools"))
import equal_outputs  # noqa: E402

FRONT = 512
HEAD = struct.Struct("=8sIIqII")
RECORD = struct.Struct("=IIqqQII")
MARK, BYTE_ORDER = 0x52474C32, 0x01020304
MAX32, MAX64 = 2**31 - 1, 2**63 - 1
N_VALUES = 6  # of each field
N_DATASETS = {"dense": 4, "marked": 4, "local": 4, "pairs": 3, "scores": 1}

# What the checks of a record cannot tell from another possible result.  The reasons are in
# docs/file-format.md.
ALIGNED = {"row", "column", "score", "matches", "columns", "left out", "strand"}
NAMED = {"taxon", "reversed", "support"}
LEARNED = {"support", "margin", "references", "covered", "likeness", "lead", "identity", "rival",
           "truth"}
TRAINED = {"loss", "accuracy", "test loss", "test accuracy", "parameter", "swapped"}
ABSORBED = {"read", "centroid", "matches", "mismatches", "columns"}
CHOSEN = {"class", "probability", "swapped", "one for all"}
TRUSTED = {
    "dense": {"score", "matches"}, "marked": {"score"}, "local": {"score", "matches", "records of dense"},
    "scores": {"score"}, "pairs": {"score", "matches", "columns"},
    "hits": ALIGNED - {"columns"}, "strands": ALIGNED - {"columns", "matches"},
    "names": NAMED, "nets": NAMED, "parts": NAMED | {"support of a part"}, "train": LEARNED,
    "cnn": TRAINED, "predict": CHOSEN, "top": CHOSEN, "central": {"swapped"}, "asvs": ABSORBED,
    "chimeras": {"hit"}, "amplicons": {"regions"}, "matches": {"end", "pattern", "position"},
    "automata": {"group", "middle", "next", "output", "first live", "live", "first listed", "listed",
                 "class"},
    "program": {"id", "value"}, "gaps": {"best", "count"},
    "mesh": {"coordinate", "attribute", "triangle attribute", "corner", "end", "marker",
             "segment marker"},
}


def crc(data):
    return zlib.crc32(data) & 0xFFFFFFFF


class Log:
    """A log: its text, number of tasks, and records (task, version, payload)."""

    def __init__(self, path):
        with open(path, "rb") as f:
            data = f.read()
        self.magic, self.order, text_len, self.n_tasks, _, _ = HEAD.unpack_from(data, FRONT)
        at = FRONT + HEAD.size
        self.text = data[at:at + text_len]
        self.records = []
        at += text_len
        while at + RECORD.size <= len(data):
            _, _, task, version, length, _, _ = RECORD.unpack_from(data, at)
            at += RECORD.size
            self.records.append((task, version, data[at:at + length]))
            at += length

    def bytes(self, records=None, **head):
        """Return the bytes of a log with other records, or another header."""
        text = head.get("text", self.text)
        fields = (head.get("magic", self.magic), head.get("order", self.order),
                  head.get("text_len", len(text)), head.get("n_tasks", self.n_tasks),
                  head.get("text_crc", crc(text)))
        packed = HEAD.pack(*fields, 0)[:-4]
        out = [fields[0].ljust(FRONT, b"\0"), packed, struct.pack("=I", crc(packed)), text]
        for r in self.records if records is None else records:
            out.append(r if isinstance(r, bytes) else record(*r))
        return b"".join(out)


def record(task, version, payload, length=None, mark=MARK, zero=0, payload_crc=None):
    """Return the bytes of a record, of which only its own checksum has to be right."""
    length = len(payload) if length is None else length
    payload_crc = crc(payload) if payload_crc is None else payload_crc
    head = RECORD.pack(mark, payload_crc, task, version, length, zero, 0)[:-4]
    return head + struct.pack("=I", crc(head)) + payload


# ---- what payloads hold: fields (name, type, offset), and how to set one ----

def plain(*rows):
    """Return the reader of a payload of arrays: rows of (name, type, count)."""
    def fields(payload):
        at = 0
        for name, kind, count in rows:
            size = struct.calcsize("=" + kind)
            count = (len(payload) - at) // size if count is None else count
            for _ in range(count):
                yield name, kind, at
                at += size
    return fields


def set_plain(payload, field, value):
    _, kind, at = field
    return payload[:at] + struct.pack("=" + kind, value) + payload[at + struct.calcsize(kind):]


def get_plain(payload, field):
    return struct.unpack_from("=" + field[1], payload, field[2])[0]


def graph(*columns):
    return plain(("arcs", "q", 1), ("iterations", "q", 1), ("visited", "q", 1),
                 ("seconds", "d", 1), ("copy", "d", 1), *columns, ("note", "B", None))


def training(task):
    """Return the reader of a checkpoint of training: curves, then parameters."""
    def curves(payload):
        choices, points, tests = struct.unpack_from("=qqq", payload, 16)
        rows = [("iteration", "q", 1), ("seconds", "d", 1), ("choices length", "q", 1),
                ("points", "q", 1), ("tests", "q", 1), ("choices", "B", choices)]
        rows += [("loss", "d", 1), ("accuracy", "d", 1), ("rate", "d", 1)] * points
        rows += [("test iteration", "q", 1), ("test loss", "d", 1),
                 ("test accuracy", "d", 1)] * tests
        return plain(*rows)(payload)
    return curves if task == 0 else plain(("parameter", "f", None))


def program(payload):
    """Return the fields of a graph program's record, which has a graph."""
    nodes, arcs = struct.unpack_from("=qq", payload, 48)
    return plain(("failed", "q", 1), ("iterations", "q", 1), ("visited", "q", 1),
                 ("seconds", "d", 1), ("compiling", "d", 1), ("changed", "q", 1),
                 ("nodes", "q", 1), ("arcs", "q", 1), ("weights", "q", 1), ("id", "q", nodes),
                 ("first", "q", nodes + 1), ("to", "i", arcs), ("weight", "i", arcs),
                 ("value", "q", nodes))(payload)


def mesh(payload):
    """Return the fields of a mesh of points with one attribute."""
    points, triangles, attributes, segments = struct.unpack_from("=4q", payload, 88)
    return plain(*[(name, "q", 1) for name in (
                     "failed", "partial", "rounds", "cavities", "conflicts", "cut", "stuck",
                     "before", "flips", "sharp")],
                 ("seconds", "d", 1), ("points", "q", 1), ("triangles", "q", 1),
                 ("triangle attributes", "q", 1), ("segments", "q", 1),
                 ("coordinate", "d", 2 * points), ("attribute", "d", points),
                 ("triangle attribute", "d", triangles * attributes),
                 ("corner", "i", 3 * triangles), ("end", "i", 2 * segments),
                 ("marker", "i", points), ("segment marker", "i", segments))(payload)


def automata(n_patterns):
    """Return the reader of a block of patterns: its automata."""
    def arrays(payload):
        groups, states, cells, live, outputs, listed = struct.unpack_from("=6q", payload)
        return plain(("groups", "q", 1), ("states", "q", 1), ("cells", "q", 1),
                     ("lives", "q", 1), ("outputs", "q", 1), ("listeds", "q", 1),
                     ("first state", "q", groups + 1), ("first live", "q", states + 1),
                     ("first listed", "q", outputs + 1), ("group", "i", n_patterns),
                     ("classes", "i", groups), ("middle", "i", groups), ("next", "i", cells),
                     ("output", "i", states), ("live", "i", live), ("listed", "i", listed),
                     ("class", "B", None))(payload)
    return arrays


class Matrices:
    """A packed tile: compressed datasets, then text in chunks."""

    names = ("score", "matches", "columns", "cigar length")

    def __init__(self, n_datasets):
        self.n_datasets = n_datasets

    def unpack(self, payload):
        at, chunks = 8, []
        for _ in range(self.n_datasets):
            size, = struct.unpack_from("=I", payload, at)
            chunks.append(zlib.decompress(payload[at + 4:at + 4 + size]))
            at += 4 + size
        cells = [numpy.frombuffer(c, numpy.uint8).reshape(4, -1).T.copy().view("<i4").ravel()
                 for c in chunks]
        text = []
        if self.n_datasets == 4:
            n, = struct.unpack_from("=I", payload, at)
            at += 4
            for _ in range(n):
                size, = struct.unpack_from("=I", payload, at)
                text.append(zlib.decompress(payload[at + 4:at + 4 + size]))
                at += 4 + size
        return payload[:8], cells, text

    def pack(self, without, cells, text):
        chunks = [c.astype("<i4").view(numpy.uint8).reshape(-1, 4).T.tobytes() for c in cells]
        out = [without]
        for chunk in chunks:
            packed = zlib.compress(chunk)
            out += [struct.pack("=I", len(packed)), packed]
        if self.n_datasets == 4:
            out.append(struct.pack("=I", len(text)))
            for chunk in text:
                packed = zlib.compress(chunk)
                out += [struct.pack("=I", len(packed)), packed]
        return b"".join(out)

    def fields(self, payload):
        _, cells, text = self.unpack(payload)
        yield "without identity", "q", (None, 0)
        for d in range(self.n_datasets):
            for k in range(len(cells[d])):
                yield self.names[d] + ("" if cells[0][k] > -2**31 else " of no pair"), "i", (d, k)
        for k in range(sum(len(t.rstrip(b"\0")) for t in text)):
            yield "cigar", "B", ("text", k)

    def get(self, payload, field):
        without, cells, text = self.unpack(payload)
        d, k = field[2]
        if d is None:
            return struct.unpack("=q", without)[0]
        return text[0][k] if d == "text" else int(cells[d][k])

    def set(self, payload, field, value):
        without, cells, text = self.unpack(payload)
        d, k = field[2]
        if d is None:
            without = struct.pack("=q", value)
        elif d == "text":
            text[0] = text[0][:k] + bytes([value]) + text[0][k + 1:]
        else:
            cells[d][k] = value
        return self.pack(without, cells, text)


class Tiles:
    """Packed tiles of an integral histogram."""

    def unpack(self, payload):
        at, tiles = 0, []
        while at < len(payload):
            size, = struct.unpack_from("=I", payload, at)
            tile = zlib.decompress(payload[at + 4:at + 4 + size])
            tiles.append(numpy.frombuffer(tile, numpy.uint8).reshape(4, -1).T.copy()
                         .view("<i4").ravel())
            at += 4 + size
        return tiles

    def fields(self, payload):
        for t, tile in enumerate(self.unpack(payload)):
            for k in range(0, len(tile), 61):
                yield "count", "i", (t, k)

    def get(self, payload, field):
        t, k = field[2]
        return int(self.unpack(payload)[t][k])

    def set(self, payload, field, value):
        tiles = self.unpack(payload)
        t, k = field[2]
        tiles[t][k] = value
        packed = [zlib.compress(x.view(numpy.uint8).reshape(-1, 4).T.tobytes()) for x in tiles]
        return b"".join(struct.pack("=I", len(p)) + p for p in packed)


class Hits:
    """The hits of a tile: a head, differences from hit to hit, and compressed text."""

    head = struct.Struct("=IIQ4III")
    names = ("row", "column", "score", "matches", "columns", "strand", "cigar length")

    def unpack(self, payload):
        head = list(self.head.unpack_from(payload))
        values, at, v = [], self.head.size, 0
        while at < self.head.size + head[1]:
            shift = number = 0
            while True:
                number |= (payload[at] & 0x7F) << shift
                shift += 7
                at += 1
                if payload[at - 1] < 0x80:
                    break
            difference = number >> 1 ^ (0xFFFFFFFF if number & 1 else 0)
            before = values[v - 7] if v >= 7 else 0
            number = (before + difference) & 0xFFFFFFFF
            values.append(number - 2**32 if number > MAX32 else number)
            v += 1
        text = zlib.decompress(payload[at + 4:]) if at < len(payload) else b""
        return head, values, text

    def pack(self, head, values, text):
        out = bytearray()
        for v, value in enumerate(values):
            difference = (value - (values[v - 7] if v >= 7 else 0)) & 0xFFFFFFFF
            sign = 0xFFFFFFFF if difference > MAX32 else 0
            number = (difference << 1 & 0xFFFFFFFF) ^ sign
            while number >= 0x80:
                out.append(number & 0x7F | 0x80)
                number >>= 7
            out.append(number)
        head = list(head)
        head[1] = len(out)
        packed = zlib.compress(text) if text else b""
        tail = struct.pack("=I", len(packed)) + packed if text else b""
        return self.head.pack(*head) + bytes(out) + tail

    def fields(self, payload):
        head, values, text = self.unpack(payload)
        for k, name in ((0, "hits"), (2, "cigar bytes"), (3, "dropped"), (4, "dropped"),
                        (5, "dropped"), (6, "dropped"), (7, "without identity")):
            yield name, "I", ("head", k)
        for v in range(len(values)):
            yield self.names[v % 7], "i", ("value", v)
        for k in range(len(text)):
            yield "cigar", "B", ("text", k)

    def get(self, payload, field):
        head, values, text = self.unpack(payload)
        part, k = field[2]
        return {"head": head, "value": values, "text": text}[part][k]

    def set(self, payload, field, value):
        head, values, text = self.unpack(payload)
        part, k = field[2]
        if part == "text":
            text = text[:k] + bytes([value]) + text[k + 1:]
        else:
            {"head": head, "value": values}[part][k] = value
        return self.pack(head, values, text)

    def without_hit(self, payload):
        """Return the payload without its last hit, or None if it has none."""
        head, values, text = self.unpack(payload)
        if head[0] == 0:
            return None
        text = text[:len(text) - values[-1]]
        head[0] -= 1
        head[2] = len(text)
        return self.pack(head, values[:-7], text)


class Plain:
    """A payload of arrays."""

    get = staticmethod(get_plain)
    set = staticmethod(set_plain)

    def __init__(self, fields):
        self.fields = fields


def rectangle(task, n, n_bins):
    """Return the layout of a record of `clades`, of lineages with two ranks: six levels."""
    n_sequences = min(4, n - 4 * task) + n - 4 * task  # rows and columns
    return plain(("pairs", "q", 6 * n_bins), ("best", "i", 2 * 6 * n_sequences),
                 ("count", "B", None))


def layout_of(job, task, log):
    """Return what reads and sets the fields of a payload."""
    values = dict(line.split("=", 1) for line in log.text.decode().split("\n") if line)
    n = int(values.get("nodes", 0))
    depth, parent = ("depth", "i", n), ("parent", "i", n)
    if job in N_DATASETS:
        return Matrices(N_DATASETS[job])
    if job in ("hits", "strands"):
        return Hits()
    if job == "frames":
        return Tiles()
    reads = int(values.get("reads", 0))
    names = plain(("taxon", "i", reads), ("reversed", "B", reads), ("method", "B", reads),
                  ("support", "H", None))
    classes = plain(*[("class", "i", 1), ("probability", "f", 1)] * 1000)
    fields = {
        "graph": graph(depth, parent),
        "lengths": graph(("distance", "q", n)),
        "ranks": graph(("rank", "d", n)),
        "central": graph(("centrality", "d", n)),
        "colors": graph(("color", "i", n)),
        "chosen": graph(("in set", "B", n)),
        "forest": graph(("arc", "q", None)),
        "gang": plain(("is over", "q", 1), ("visited", "q", 1), ("sent", "q", 1),
                      ("seconds", "d", 1), ("exchange", "d", 1), ("copy", "d", 1), depth,
                      parent, ("note", "B", None)),
        "names": names, "nets": names,
        "parts": names if task == 0 else plain(("support of a part", "H", None)),
        "predict": classes, "top": classes,
        "train": plain(*[("support", "d", 1), ("margin", "d", 1), ("references", "d", 1),
                         ("covered", "d", 1), ("likeness", "d", 1), ("lead", "d", 1),
                         ("identity", "d", 1), ("rival", "d", 1), ("truth", "i", 1),
                         ("group", "i", 1)] * 1000),
        "amplicons": plain(("regions", "q", 1),
                           *[("read", "i", 1), ("pair", "i", 1), ("at", "i", 2), ("end", "i", 2),
                             ("length", "B", 2), ("mismatches", "B", 2), ("gaps", "B", 2),
                             ("reversed", "B", 1), ("zero", "B", 1)] * 100),
        "asvs": plain(("edges", "q", 1),
                      *[("read", "i", 1), ("centroid", "i", 1), ("matches", "i", 1),
                        ("mismatches", "i", 1), ("columns", "i", 1)] * 1000),
        "chimeras": plain(("hit", "i", None)),
        "automata": automata(min(512, int(values.get("patterns", 0)) - 512 * task)),
        "matches": lambda payload: plain(
            ("ends", "q", 1), ("positions", "q", 1),
            *[("end", "q", 1), ("pattern", "q", 1)] * struct.unpack_from("=q", payload)[0],
            ("position", "i", None))(payload),
        "program": program, "mesh": mesh,
        "gaps": rectangle(task, int(values.get("sequences", 0)), int(values.get("bins", 0)) + 1),
        "cnn": training(task),
    }[job]
    return Plain(lambda payload: (f for f in fields(payload)
                                  if f[2] + struct.calcsize(f[1]) <= len(payload)))


# ---- forged logs ----

LIMITS = {"B": (0, 255), "H": (0, 65535), "I": (0, 2**32 - 1), "i": (-2**31, MAX32),
          "q": (-2**63, MAX64)}


def other_values(kind, old, rng):
    """Return values of a field that are not the old one."""
    if kind in "fd":
        values = [math.nan, math.inf, -math.inf, -1.0, 2.0, 1e30, 0.0, 0.5,
                  old + 0.25 if math.isfinite(old) else 1.0, old * 0.75]
    else:
        low, high = LIMITS[kind]
        values = [old + 1, old - 1, 0, 1, low, high, old + 2, 9, 100, rng.randrange(low, high)]
        values = [v for v in values if low <= v <= high]
    return [v for v in dict.fromkeys(values) if v != old]


def forge_header(log, others):
    """Yield (what, expected, bytes): headers with valid checksums."""
    for n in (log.n_tasks + 1, log.n_tasks - 1, 0, -1, 2**62):
        yield f"number of tasks {n}", "refused", log.bytes(n_tasks=n)
    lines = log.text.split(b"\n")[:-1]
    for k, line in enumerate(lines):
        changed = lines[:k] + [line + b"1"] + lines[k + 1:]
        yield f"text with {line.decode()}1", "refused", log.bytes(text=b"\n".join(changed) + b"\n")
    for k in rng_sample(len(lines), 3):
        yield "text without a line", "refused", log.bytes(
            text=b"\n".join(lines[:k] + lines[k + 1:]) + b"\n")
        yield "text with a line twice", "refused", log.bytes(
            text=b"\n".join(lines[:k] + [lines[k]] + lines[k:]) + b"\n")
    yield "no text", "refused", log.bytes(text=b"")
    yield "text with a NUL", "refused", log.bytes(text=log.text + b"\0x=1\n")
    yield "other byte order", "refused", log.bytes(order=0x04030201)
    yield "other version", "refused", log.bytes(magic=b"RGLOG9\r\n")
    for name, other in others.items():
        yield f"log of {name}", "refused", other.bytes()
        yield f"records of {name}", None, log.bytes(records=other.records)
        yield f"text of {name}", "refused", log.bytes(text=other.text)


def rng_sample(n, k):
    return random.Random(n).sample(range(n), min(n, k))


def forge_records(log, is_gang):
    """Yield (what, expected, bytes): records out of place."""
    r = log.records
    top = max(v for _, v, _ in r)
    for k in rng_sample(len(r), 2):
        task, version, payload = r[k]
        before, after = r[:k], r[k + 1:]

        def with_one(*one, before=before, after=after):
            return log.bytes(before + list(one) + after)

        for other in (-1, log.n_tasks, MAX64, -MAX64 - 1):
            yield f"task {other}", "refused", with_one((other, version, payload))
        for other in (-1, -MAX64 - 1, MAX64, version + 1, 2**40):
            yield f"version {other}", None if is_gang else "refused", with_one(
                (task, other, payload))
        yield "twice", "right", with_one(r[k], r[k])
        yield "twice, differently", "refused", with_one(
            r[k], (task, version, payload[:-1] + bytes([payload[-1] ^ 1])))
        yield "twice, the second is longer", "refused", with_one(
            r[k], (task, version, payload + b"\0"))
        yield "no record", "recomputed", with_one()
        yield "empty", "refused", with_one((task, version, b""))
        yield "one byte less", "refused", with_one((task, version, payload[:-1]))
        yield "half", "refused", with_one((task, version, payload[:len(payload) // 2]))
        yield "twice as long", "refused", with_one((task, version, payload * 2))
        yield "length beyond the file", "recomputed", with_one(
            record(task, version, payload, length=2**40))
        yield "length 2^63", "recomputed", with_one(record(task, version, payload, length=2**63))
        yield "length without the last byte", "recomputed", with_one(
            record(task, version, payload, length=len(payload) - 1))
        yield "other checksum", "recomputed", with_one(
            record(task, version, payload, payload_crc=1))
        yield "other mark", "recomputed", with_one(record(task, version, payload, mark=1))
        yield "reserved field", None, with_one(record(task, version, payload, zero=7))
    yield "other order", "right", log.bytes(r[::-1])
    yield "noise behind", "right", log.bytes() + os.urandom(99)
    yield "zeros behind", "right", log.bytes() + bytes(5000)
    for a, b in ((0, 1), (0, len(r) - 1), (len(r) // 2, len(r) - 1)):
        if a < b < len(r) and r[a][2] != r[b][2]:
            swapped = list(r)
            swapped[a], swapped[b] = ((r[a][0], r[a][1], r[b][2]), (r[b][0], r[b][1], r[a][2]))
            yield f"swapped = {r[a][0]} and {r[b][0]}", None, log.bytes(swapped)
            yield f"one for all = {r[a][0]}", None, log.bytes(
                [(t, v, r[a][2]) for t, v, _ in r])
    if is_gang:
        yield "half of a version", None, log.bytes(r + [(r[0][0], top + 1, r[0][2])])


def forge_fields(job, log):
    """Yield (field, None, bytes): each kind of field with other values."""
    rng = random.Random(job)
    by_name = collections.defaultdict(list)
    for k, (task, _, payload) in enumerate(log.records):
        for field in layout_of(job, task, log).fields(payload):
            by_name[field[0]].append((k, field))
    for name, places in sorted(by_name.items()):
        chosen = rng.sample(places, min(len(places), N_VALUES))
        n = 0
        for turn in range(N_VALUES):
            for k, field in chosen:
                task, version, payload = log.records[k]
                layout = layout_of(job, task, log)
                values = other_values(field[1], layout.get(payload, field), rng)
                if n >= N_VALUES or turn >= len(values):
                    continue
                # by turns, so that the values of few places differ
                value = values[(n + turn) % len(values)]
                n += 1
                changed = layout.set(payload, field, value)
                if changed == payload:
                    continue
                yield f"{name} = {value}", None, log.bytes(
                    log.records[:k] + [(task, version, changed)] + log.records[k + 1:])
    layout = layout_of(job, log.records[0][0], log)
    for k, (task, version, payload) in enumerate(log.records[:3]):
        if isinstance(layout, Hits) and layout.without_hit(payload) is not None:
            yield "left out = a hit", None, log.bytes(
                log.records[:k] + [(task, version, layout.without_hit(payload))] +
                log.records[k + 1:])


# ---- judgement ----

class Job:
    def __init__(self, name, file, command):
        self.name, self.file, self.command = name, file, command.split(" ")
        self.log = Log(name + ".log")
        self.is_gang = any(v > 0 for _, v, _ in self.log.records)

    def forged(self, others):
        yield from forge_header(self.log, others)
        yield from forge_records(self.log, self.is_gang)
        yield from forge_fields(self.name, self.log)

    def same_result(self):
        try:
            equal_outputs.compare_files("whole." + self.file, self.file)
        except (equal_outputs.Different, OSError):
            return False
        return True

    def judge(self, forged):
        """Return how a run from this log ends, and what it says."""
        end, said = self.resume(forged)
        if end == "wrong" and self.command[1] == "graph" and \
                self.resume(forged, "--verify")[0] == "disproved":
            end = "verified"
        return end, said

    def resume(self, forged, *options):
        part = self.file + ".part"
        for path in (self.file, part):
            with contextlib.suppress(FileNotFoundError):
                os.remove(path)
        with open(part, "wb") as f:
            f.write(forged)
        try:
            run = subprocess.run(self.command + ["--resume", "-q", "-o", self.file, *options],
                                 timeout=60, capture_output=True, text=True, errors="replace")
        except subprocess.TimeoutExpired:
            return "hang", ""
        said = run.stderr.strip()
        if run.returncode == 0:
            if said or os.path.exists(part):
                return "noise", said
            return "right" if self.same_result() else "wrong", ""
        if run.returncode != 1:
            return f"exit {run.returncode}", said
        if os.path.exists(self.file) or "\n" in said or not said.startswith("ribogrid: "):
            return "disorder", said
        if options and "record" not in said:
            return "disproved", said
        with open(part, "rb") as f:
            return "refused" if f.read() == forged else "changed", said


def field_of(what):
    return what.split(" = ")[0]


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    fewer = int(sys.argv[2]) if len(sys.argv) == 3 else 1
    with open(sys.argv[1]) as f:
        jobs = [Job(*line.rstrip("\n").split("\t")) for line in f]
    counts, trusted, n_wrong = collections.Counter(), collections.Counter(), 0
    for job in jobs:
        others = {other.name: other.log for other in jobs if other is not job}
        ends = collections.Counter()
        for n, (what, expected, forged) in enumerate(job.forged(others)):
            if n % fewer:
                continue
            end, said = job.judge(forged)
            if end == "right" and expected == "recomputed":
                end = "recomputed"
            if end == "wrong" and field_of(what) in TRUSTED.get(job.name, ()):
                end = "trusted"
                trusted[job.name, field_of(what)] += 1
            ends[end] += 1
            if end in ("refused", "recomputed", "right", "trusted", "verified") and \
                    expected in (None, end):
                continue
            n_wrong += 1
            print(f"FAILED: {job.name}, {what}: {end}, not {expected}: {said[:300]}")
        print(f"{job.name}: {sum(ends.values())} logs:",
              ", ".join(f"{n} {end}" for end, n in sorted(ends.items())), flush=True)
        counts += ends
    print(f"{sum(counts.values())} forged logs of {len(jobs)} jobs:",
          ", ".join(f"{n} {end}" for end, n in sorted(counts.items())))
    for (name, field), n in sorted(trusted.items()):
        print(f"trusted: {field} of {name} ({n})")
    sys.exit(n_wrong > 0)


if __name__ == "__main__":
    main()
