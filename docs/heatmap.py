#!/usr/bin/env python3
"""Draw the identities of a result file as an SVG heat map.

usage: heatmap.py PAIRS.h5 OUT.svg

Needs h5py and numpy.  Rows and columns stand in the order of the input; pairs without an
identity are grey.
"""
import base64
import struct
import sys
import zlib

import h5py
import numpy as np

LOW, HIGH = 0.70, 1.00  # identities that the colours span
PIXELS = 560


def png(rgb):
    """An H x W x 3 array of bytes as a PNG file."""
    height, width, _ = rgb.shape
    rows = b"".join(b"\0" + rgb[i].tobytes() for i in range(height))

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)
            + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def colours(part):
    """Parts 0..1 as dark blue, teal, yellow."""
    stops = np.array([[38, 20, 72], [33, 112, 142], [64, 182, 122], [250, 231, 60]], float)
    at = np.clip(part, 0, 1) * (len(stops) - 1)
    low = np.minimum(at.astype(int), len(stops) - 2)
    mix = (at - low)[..., None]
    return (stops[low] * (1 - mix) + stops[low + 1] * mix).astype(np.uint8)


def main(source, target):
    with h5py.File(source) as f:
        matches, columns = f["matches"][:], f["columns"][:]
    identity = np.where(columns > 0, matches / np.maximum(columns, 1), np.nan)
    upper = np.triu(np.ones_like(columns, bool), 1)
    identity = np.where(upper, identity, identity.T)
    np.fill_diagonal(identity, 1)
    rgb = colours((np.nan_to_num(identity, nan=0) - LOW) / (HIGH - LOW))
    rgb[np.isnan(identity)] = (160, 160, 160)
    image = base64.b64encode(png(rgb)).decode()
    bar = base64.b64encode(png(colours(np.linspace(1, 0, 64))[:, None, :])).decode()
    n = len(identity)
    with open(target, "w", encoding="utf-8") as out:
        out.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{PIXELS + 110}" '
            f'height="{PIXELS + 40}" font-family="sans-serif" font-size="13">\n'
            f'<rect width="100%" height="100%" fill="white"/>\n'
            f'<image x="10" y="10" width="{PIXELS}" height="{PIXELS}" '
            f'style="image-rendering:pixelated" href="data:image/png;base64,{image}"/>\n'
            f'<text x="10" y="{PIXELS + 30}">{n} sequences, {n * (n - 1) // 2:,} pairs, '
            f'in the order of the file</text>\n'
            f'<image x="{PIXELS + 25}" y="40" width="16" height="200" '
            f'preserveAspectRatio="none" href="data:image/png;base64,{bar}"/>\n'
            f'<text x="{PIXELS + 25}" y="28">identity</text>\n'
            f'<text x="{PIXELS + 47}" y="50">{HIGH:.2f}</text>\n'
            f'<text x="{PIXELS + 47}" y="240">{LOW:.2f}</text>\n</svg>\n')


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
