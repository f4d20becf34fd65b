#!/usr/bin/env python3
"""ihist_loop.py make DIR: write images of odd sizes as PGM, PNG, idx and HDF5.
ihist_loop.py check RIBOGRID H.h5 IMAGES.npy N_BINS: rectangles that `ihist query` prints are those
of naive counts, and the file has the numbers of cumulative sums."""
import struct
import subprocess
import sys
import zlib

import h5py
import numpy


def png(image):
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    rows = b"".join(b"\0" + row.tobytes() for row in image)
    head = struct.pack(">IIBBBBB", image.shape[1], image.shape[0], 8, 0, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) +
            chunk(b"IEND", b""))


def make(folder):
    rng = numpy.random.default_rng(1)
    images = rng.integers(0, 256, (5, 67, 131), dtype=numpy.uint8)
    images[1] //= 3
    n, height, width = images.shape
    head = f"P5\n# random\n{width} {height}\n255\n".encode()
    with open(f"{folder}/all.pgm", "wb") as f:
        f.write(b"".join(head + image.tobytes() for image in images))
    for k, image in enumerate(images):
        with open(f"{folder}/{k}.png", "wb") as f:
            f.write(png(image))
    with open(f"{folder}/all.idx", "wb") as f:
        f.write(struct.pack(">IIII", 0x803, n, height, width) + images.tobytes())
    with h5py.File(f"{folder}/all.images.h5", "w") as f:
        f["size"] = numpy.array([1, height, width], numpy.int32)
        f["images"] = images.reshape(n, -1)
    numpy.save(f"{folder}/all.npy", images)


def check(ribogrid, path, images_path, n_bins):
    images, n_bins = numpy.load(images_path), int(n_bins)
    n, height, width = images.shape
    bins = images.astype(int) * n_bins // 256
    with h5py.File(path) as f:
        side = int(f.attrs["tile_side"])
        across, down = -(-width // side), -(-height // side)
        tiles = f["integral"][...].reshape(n, down, across, side, side, n_bins)
    for image, frame in zip(bins, tiles):
        plane = frame.transpose(0, 2, 1, 3, 4).reshape(down * side, across * side, n_bins)
        hot = numpy.zeros(plane.shape, numpy.int32)
        hot[:height, :width] = numpy.arange(n_bins) == image[..., None]
        numpy.cumsum(hot, 0, out=hot)
        numpy.cumsum(hot, 1, out=hot)
        assert (plane == hot).all(), "the file has other numbers"
    rng = numpy.random.default_rng(2)
    for turn in range(12):
        x, y = (numpy.sort(rng.choice(m + 1, 2, replace=False)) for m in (width, height))
        frame = turn % n
        words = ["--rect", f"{x[0]},{y[0]},{x[1]},{y[1]}"] if turn else []
        if not turn:
            x, y = (0, width), (0, height)
        out = subprocess.run([ribogrid, "ihist", "query", path, "--frame", str(frame + 1), *words],
                             check=True, stdout=subprocess.PIPE, text=True).stdout
        rows = [[int(v) for v in line.split("\t")] for line in out.splitlines()[1:]]
        values = images[frame, y[0]:y[1], x[0]:x[1]]
        assert len(rows) == n_bins
        for low, high, pixels in rows:
            assert pixels == ((values >= low) & (values <= high)).sum(), (words, low, high, pixels)
        assert [r[0] for r in rows] == [0] + [r[1] + 1 for r in rows[:-1]] and rows[-1][1] == 255
    print("equal")


make(sys.argv[2]) if sys.argv[1] == "make" else check(*sys.argv[2:])
