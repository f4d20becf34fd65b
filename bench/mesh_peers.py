#!/usr/bin/env python3
"""Compare `ribogrid mesh refine` with Triangle and CGAL.

usage: bench/mesh_peers.py RIBOGRID [--triangle TRIANGLE] [--cgal CGAL_MESH] [--points N]
                           [--angle DEGREES] [MESH...]

TRIANGLE is Shewchuk's program, and CGAL_MESH that of bench/mesh/cgal_mesh.cpp; the first is
free for use that is not commercial only, and neither is a part of ribogrid.  Each MESH is
MESH.node and MESH.poly, beside which Triangle writes its own; without any, N random points
(1,000,000).  Prints a line per program: its name, the mesh, triangles, and seconds to triangulate
and to refine, of one thread, without files, the median of five runs.  With CGAL_MESH a last line
per mesh says whether CGAL agrees that ours is valid.  The exit code is 1 if it does not.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile

RUNS = 5


def run(*words, **options):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def ribogrid(a, mesh):
    lines = run(a.ribogrid + "-bench", "mesh", mesh + ".poly", "--threads", "1", "--device", "cpu",
                "--angle", str(a.angle), "--runs", str(RUNS)).splitlines()
    rows = {line.split("\t")[0]: line.split("\t") for line in lines}
    return int(rows["refine"][3]), float(rows["triangulate"][5]), float(rows["refine"][5])


def triangle(a, mesh):
    """Its milliseconds; it writes beside its input."""
    seconds, n = [], 0
    for _ in range(RUNS):
        out = run(a.triangle, f"-pq{a.angle:g}", mesh + ".poly")
        spent = {what: int(ms) / 1000 for what, ms in re.findall(r"^(\w+) milliseconds: +(\d+)", out,
                                                                 re.M)}
        n = int(re.search(r"Mesh triangles: +(\d+)", out).group(1))
        seconds.append((spent.get("Delaunay", 0) + spent.get("Segment", 0), spent["Quality"]))
    return n, *(statistics.median(times) for times in zip(*seconds))


def cgal(a, mesh):
    runs = [[float(x) for x in run(a.cgal, mesh, str(a.angle)).split("\t")] for _ in range(RUNS)]
    return int(runs[0][0]), *(statistics.median(times) for times in list(zip(*runs))[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ribogrid", metavar="RIBOGRID")
    parser.add_argument("--triangle")
    parser.add_argument("--cgal")
    parser.add_argument("--points", type=int, default=1000000)
    parser.add_argument("--angle", type=float, default=30)
    parser.add_argument("meshes", metavar="MESH", nargs="*")
    a = parser.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as work:
        if not a.meshes:
            a.meshes = [os.path.join(work, "random")]
            run(a.ribogrid, "mesh", "make", "random", "--points", str(a.points), "-q", "-o",
                a.meshes[0])
        print("program\tmesh\ttriangles\ttriangulate_s\trefine_s")
        for mesh in a.meshes:
            for name, of, path in (("ribogrid", ribogrid, a.ribogrid),
                                   ("Triangle", triangle, a.triangle), ("CGAL", cgal, a.cgal)):
                if path is None:
                    continue
                n, built, refined = of(a, mesh)
                print(f"{name}\t{os.path.basename(mesh)}\t{n}\t{built:.3f}\t{refined:.3f}",
                      flush=True)
            if a.cgal is not None:
                ours = os.path.join(work, "ours")
                run(a.ribogrid, "mesh", "refine", mesh + ".poly", "--angle", str(a.angle), "-q",
                    "--force", "-o", ours)
                bad += subprocess.call([a.cgal, ours]) != 0
    return bad > 0


sys.exit(main())
