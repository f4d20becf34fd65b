#!/usr/bin/env bash
#
# cli_mesh.sh - `ribogrid mesh`: from points to a picture, outputs, limits, what is refused,
# and real meshes.
. "$(dirname "$0")/../support/shell_test.sh"

mesh=("$RIBOGRID" mesh)

test_example()
{
    check "make" expect_exit 0 "${mesh[@]}" make random --points 2000 -o m
    check "refine" expect_exit 0 "${mesh[@]}" refine m.poly --angle 30 -o r -v
    check "what was done" grep -q 'r: [0-9]* triangles from 3994, [0-9]* points from 2000' "$err"
    check "rounds" grep -q '[0-9]* rounds in .*: [0-9]* cavities.* had to wait' "$err"
    check "check" expect_exit 0 "${mesh[@]}" check r.node --of m.poly --angle 30
    check "angles" grep -q '^angles     30\.' "$out"
    check "a larger angle" expect_exit 1 "${mesh[@]}" check r.node --angle 32
    check "is refused" grep -q 'triangles have an angle below 32 degrees' "$err"
    check "draw" expect_exit 0 "${mesh[@]}" draw r.node -o r.svg
    check "an image" grep -q '^</svg>' r.svg
    check "to stdout" expect_exit 0 "${mesh[@]}" draw r.poly
    check "the same" cmp -s "$out" <(sed 's/r\.node/r.poly/' r.svg)
    check "centres" expect_exit 0 "${mesh[@]}" refine m.poly --steiner circumcenter -q -o c
    check "which are more" test "$(head -1 c.ele | cut -d' ' -f1)" -gt "$(head -1 r.ele | cut -d' ' -f1)"
}

test_threads()
{
    local n

    for n in 1 2 3; do
        check "$n threads" expect_exit 0 "${mesh[@]}" refine m.poly --threads $n -q --force -o t
        check "the same bytes" test "$(cat t.node t.ele t.poly | cksum)" = \
            "$(cat r.node r.ele r.poly | cksum)"
    done
}

test_variant()
{
    local n

    for n in 1 2; do
        check "$n threads" expect_exit 0 "${mesh[@]}" refine m.poly --variant base --threads $n \
            -q --force -o base$n
    done
    check "the same bytes" cmp -s base1.ele base2.ele
    check "another mesh" expect_exit 1 cmp -s base1.ele r.ele
    check "a valid one" expect_exit 0 "${mesh[@]}" check base1.node --of m.poly --angle 30
    check "one for GPUs" refused 2 'variant stealing needs a GPU' "${mesh[@]}" refine m.poly \
        --variant stealing --device cpu -o never
    if "$RIBOGRID" devices | grep -q '^cuda.none'; then
        "${mesh[@]}" refine m.poly --variant stealing -o never 2>"$err"
        check "without a GPU" grep -q 'needs a GPU, and this build\|no GPU to use' "$err"
    fi
}

test_outputs()
{
    check "VTK" expect_exit 0 "${mesh[@]}" refine m.poly -q -o r.vtk
    check "its cells" test "$(awk '/^CELLS/ { print $2 }' r.vtk)" = "$(head -1 r.ele | cut -d' ' -f1)"
    check "a second time" expect_exit 1 "${mesh[@]}" refine m.poly -q -o r
    check "would replace" grep -q 'r.node' "$err"
    check "its own input" expect_exit 2 "${mesh[@]}" refine m.poly -q --force -o m
    check "again, from triangles" expect_exit 0 "${mesh[@]}" refine r.node r.ele -q -o again
    check "nothing to do" cmp -s r.ele again.ele
    gzip -k m.node m.poly
    mkdir -p packed && mv m.node.gz m.poly.gz packed/
    check "compressed" expect_exit 0 "${mesh[@]}" refine packed/m.poly.gz -q -o packed/r
    check "the same bytes" cmp -s packed/r.ele r.ele
}

# The mesh of an HDF5 file is that of Triangle's files.
test_hdf5()
{
    check "HDF5" expect_exit 0 "${mesh[@]}" refine m.poly -q -o r.h5
    check "check" expect_exit 0 "${mesh[@]}" check r.h5 --of m.poly --angle 30
    check "draw" expect_exit 0 "${mesh[@]}" draw r.h5
    check "the same picture" cmp -s "$out" <(sed 's/r\.node/r.h5/' r.svg)
    check "refine" expect_exit 0 "${mesh[@]}" refine r.h5 -q -o h
    check "the same triangles" cmp -s r.ele h.ele
    check "the same points" cmp -s r.node h.node
    check "view" test "$("$RIBOGRID" view --no-header r.h5 | cut -f1-4)" = \
        "$(sed 1d r.ele | awk '{ $1 = $1; print }' | tr ' ' '\t')"
    check "rounds" grep -qP '^run\trounds\t[1-9]' <("$RIBOGRID" info r.h5)
    check "cavities" grep -qP '^run\tcavities\t[1-9]' <("$RIBOGRID" info r.h5)
    check "a run again" expect_exit 0 "${mesh[@]}" refine m.poly --resume -o r
    check "finds it finished" grep -q 'r.node is already finished' "$err"
    check "another angle" refused 1 'r.node' "${mesh[@]}" refine m.poly --angle 20 --resume -o r
    check "with triangles" refused 1 'r.h5: it has the triangles of its mesh; give it alone' \
        "${mesh[@]}" refine r.h5 r.ele -q -o z
    "$PYTHON" - <<'END' || return
import h5py
def copy(name, dataset, at, value):
    with h5py.File("r.h5") as a, h5py.File(name, "w") as b:
        for k in a:
            a.copy(k, b)
        b.attrs.update(a.attrs)
        b[dataset][at] = value
copy("small.h5", "points", 5, [1e-70, 0])
copy("double.h5", "triangles", 7, [3, 3, 4])
with h5py.File("r.h5") as f:
    beyond = len(f["points"])
    turned = f["triangles"][7][::-1]
copy("none.h5", "triangles", 7, [3, beyond, 4])
copy("turned.h5", "triangles", 7, turned)
END
    check "tiny" refused 1 'small.h5: the mesh has coordinates beyond 1e60 or below 1e-60' "${mesh[@]}" refine small.h5 -q -o z
    check "double points" refused 1 'double.h5: the mesh has triangles or segments whose points are none, or double' "${mesh[@]}" check double.h5
    check "out of range" refused 1 'none.h5: /triangles' "${mesh[@]}" refine none.h5 -q -o z
    check "turned" refused 1 'turned.h5 /triangles:7: triangle 8 turns right' "${mesh[@]}" refine turned.h5 -q -o z
}

# refuses TEXT COMMAND...: one line with it
refuses()
{
    local text=$1 code=$2

    shift 2
    check "$text" expect_exit "$code" "${mesh[@]}" "$@"
    check "$text: the reason" grep -q -- "$text" "$err"
    check "$text: one line" test "$(wc -l <"$err")" = 1
}

test_limits()
{
    refuses 'above 33.8 refinement may not end; give --max-points' 2 refine m.poly --angle 34 -o x
    refuses 'nothing is written; give more, or --partial' 1 refine m.poly --max-points 2100 -q -o x
    check "nothing" test ! -e x.node
    check "partial" expect_exit 0 "${mesh[@]}" refine m.poly --max-points 2100 --partial -o x
    check "says so" grep -q 'stopped at 2100 points' "$err"
    check "it is a mesh" expect_exit 0 "${mesh[@]}" check x.node --of m.poly
    check "areas" expect_exit 0 "${mesh[@]}" refine m.poly --max-area 1e-4 -q -o a
    check "are below" awk '$1 == "areas" { exit !($4 <= 1e-4) }' <("${mesh[@]}" check a.node)
    refuses '--kernel round: no such kernel in this build; did you mean rounds' 2 refine m.poly --kernel round -o y
    refuses 'need more than 268435456 points, the limit; give larger ones' 1 refine m.poly \
        --max-area 1e-300 -q -o y
    refuses '--partial is for --max-points' 2 refine m.poly --partial -o y
    refuses '--repair is for the triangles of IN.ele' 2 refine m.poly --repair -o y
    refuses 'give -o PREFIX' 2 refine m.poly
    refuses "'gird': give random, grid or grading" 2 make gird -o y
    refuses 'name it FILE.node, FILE.poly or FILE.h5' 1 refine r.svg -o y
    refuses 'the triangles, FILE.ele, are not beside it' 1 check m.node
}

test_bad_inputs()
{
    printf '4 2\n1 0 0\n2 1 0\n3 1 1\n4 0 1\n6\n1 1 2\n2 2 3\n3 3 4\n4 4 1\n5 1 3\n6 2 4\n0\n' >cross.poly
    refuses 'cross.poly:12: segment 6 crosses segment 5 in line 11' 1 refine cross.poly -o z
    printf '4 2\n1 0 0\n2 1 0\n3 1 1\n4 0 1\n3\n1 1 2\n2 2 3\n3 3 4\n0\n' >open.poly
    refuses 'open.poly: no triangle is left: the outline of segments is open' 1 refine open.poly -o z
    printf '4 2\n1 0 0\n2 2 -1\n3 4 0\n4 2 1\n' >kite.node
    printf '2 3\n1 1 2 3\n2 1 3 4\n' >kite.ele
    refuses 'kite.ele:2: triangle 1 is not Delaunay' 1 refine kite.node kite.ele -o z
    check "repaired" expect_exit 0 "${mesh[@]}" refine kite.node kite.ele --repair -o z
    check "says so" grep -q '1 edge of kite.ele was flipped' "$err"
}

# A region limits areas in its part; with triangles of a file that is said to be left out.
test_regions()
{
    printf '6 2\n1 0 0\n2 2 0\n3 2 1\n4 0 1\n5 1 0\n6 1 1\n7\n1 1 5\n2 5 2\n3 2 3\n4 3 6\n5 6 4\n6 4 1\n7 5 6\n0\n2\n1 .5 .5 7 .01\n2 1.5 .5 8\n' >two.poly
    check "regions" expect_exit 0 "${mesh[@]}" refine two.poly -q -o two.r
    check "their attributes" test "$(awk 'NR > 1 { n[$5]++ } END { print (n[7] >= 100 && n[8] < n[7]) }' \
        two.r.ele)" = 1
    check "from triangles" expect_exit 0 "${mesh[@]}" refine two.r.node two.r.ele -o two.s
    check "says so" grep -q 'two.r.poly: regions are not used with triangles of a file' "$err"
    check "attributes are kept" cmp -s two.r.ele two.s.ele
}

# Counts beside those of Triangle 1.6, off-centres: 806, 748, 3,997 and 57,586.
test_real_meshes()
{
    local name limit
    local data=${RIBOGRID_DATA:-}/mesh

    while read -r name limit; do
        check "$name" expect_exit 0 "${mesh[@]}" refine "$data/$name.2.node.gz" \
            "$data/$name.2.ele.gz" -q -o "$name"
        check "$name: verified" expect_exit 0 "${mesh[@]}" check "$name.node" --angle 30 \
            --of "$data/$name.2.poly.gz"
        check "$name: triangles" test "$(head -1 "$name.ele" | cut -d' ' -f1)" -le "$limit"
    done <<'END'
dots 1047
ladder 972
633 5196
ttimeu10000 66223
END
    check "A" expect_exit 0 "${mesh[@]}" refine "$data/A.poly" --angle 33 -q -o A
    check "A: verified" expect_exit 0 "${mesh[@]}" check A.node --angle 33 --of "$data/A.poly"
}

test_example
test_threads
test_variant
test_outputs
need_h5py
test_hdf5
test_limits
test_bad_inputs
test_regions
[ -r "${RIBOGRID_DATA:-}/mesh/dots.2.node.gz" ] && test_real_meshes
finish
