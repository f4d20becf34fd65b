#!/usr/bin/env python3
"""Compare the kernels of `ribogrid ihist` with OpenCV and scikit-image, on one thread each.

usage: /usr/bin/python3 bench/ihist_peers.py RIBOGRID_BENCH [--width N] [--height N] [--bins N]

Runs `ribogrid-bench ihist` on random pixels (4,096 x 4,096, 32 bins), and on as many cv2.integral
and skimage.transform.integral_image of the pixels of each bin (Debian: python3-opencv,
python3-skimage).  Prints a line per program: the name, and the processor seconds of the fastest of
three runs.  Each program's counts of the whole image are compared with those of numpy.  Libraries
that are not installed are left out, which a line says.
"""
import argparse
import subprocess
import sys
import time

import numpy

RUNS = 3


def with_opencv():
    import cv2
    cv2.setNumThreads(1)
    return f"OpenCV {cv2.__version__}", lambda mask: cv2.integral(mask, sdepth=cv2.CV_32S)


def with_skimage():
    import skimage
    from skimage.transform import integral_image
    return f"scikit-image {skimage.__version__}", integral_image


def planes_of(integral, bins, n_bins, counts):
    """The integral of each bin, one after the other: memory is that of one."""
    for k in range(n_bins):
        plane = integral((bins == k).astype(numpy.uint8))
        if int(plane[-1, -1]) != counts[k]:
            sys.exit(f"bin {k} has {plane[-1, -1]} pixels, and not {counts[k]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", metavar="RIBOGRID_BENCH")
    for name, default in (("width", 4096), ("height", 4096), ("bins", 32)):
        parser.add_argument(f"--{name}", type=int, default=default)
    a = parser.parse_args()
    ours = subprocess.run([a.bench, "ihist", "--width", str(a.width), "--height", str(a.height),
                           "--bins", str(a.bins), "--runs", str(RUNS)], check=True,
                          stdout=subprocess.PIPE, text=True).stdout.splitlines()[1:]
    print("program\tprocessor_s")
    for line in ours:
        print("ribogrid {0[0]}\t{1:.3f}".format(line.split("\t"), float(line.split("\t")[3])))
    pixels = numpy.random.default_rng(1).integers(0, 256, (a.height, a.width), dtype=numpy.uint8)
    bins = (pixels.astype(numpy.uint16) * a.bins // 256).astype(numpy.uint8)
    counts = numpy.bincount(bins.ravel(), minlength=a.bins)
    for load in (with_opencv, with_skimage):
        try:
            name, integral = load()
        except ImportError as missing:
            print(f"{missing.name} is not installed: left out", file=sys.stderr)
            continue
        seconds = []
        for _ in range(RUNS):
            begin = time.process_time()
            planes_of(integral, bins, a.bins, counts)
            seconds.append(time.process_time() - begin)
        print(f"{name}\t{min(seconds):.3f}")


main()
