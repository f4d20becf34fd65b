#!/usr/bin/env bash
#
# cli_ihist.sh - `ribogrid ihist` and `ihist query`: numbers are those of a loop over the
# pixels, whatever the format of the images, the kernel and the tiles; odd input.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py

loop()
{
    "$PYTHON" "$here/tools/ihist_loop.py" "$@"
}

test_numbers()
{
    local words n=0

    for words in "" "--bins 1 --tile-side 32" "--bins 7 --tile-side 96 --threads 2" \
        "--bins 256 --tile-side 128" "--kernel serial --device cpu"; do
        # shellcheck disable=SC2086 # options
        check "ihist $words" expect_exit 0 "$RIBOGRID" ihist all.pgm -q $words -o $n.h5
        check "ihist $words: as a loop" loop check "$RIBOGRID" $n.h5 all.npy \
            "$([[ $words == *--bins* ]] && sed 's/.*--bins \([0-9]*\).*/\1/' <<<"$words" || echo 32)"
        n=$((n + 1))
    done
    check "kernels: equal" equal_outputs 0.h5 4.h5
}

# equal_outputs A B: the datasets of two files.
equal_outputs()
{
    "$PYTHON" -c 'import h5py, sys
a, b = (h5py.File(p)["integral"] for p in sys.argv[1:])
assert a.dtype == b.dtype == "<i4" and a.chunks == b.chunks and (a[...] == b[...]).all()' "$1" "$2"
}

test_formats()
{
    local images

    for images in all.idx all.images.h5 "0.png 1.png 2.png 3.png 4.png"; do
        if [[ $images == *png* ]] && ! "$RIBOGRID" ihist 0.png -q -o one.h5 2>/dev/null; then
            echo "this build has no libpng"
            continue
        fi
        # shellcheck disable=SC2086 # files
        check "$images" expect_exit 0 "$RIBOGRID" ihist $images -q -o other.h5 --force
        check "$images: equal" equal_outputs 0.h5 other.h5
    done
    gzip -k all.pgm
    check "gzip" expect_exit 0 "$RIBOGRID" ihist all.pgm.gz -q -o other.h5 --force
    check "gzip: equal" equal_outputs 0.h5 other.h5
}

test_refused()
{
    printf 'P6 1 1 255\nabc' >colour.pgm
    printf 'P5 2 2 65535\nabcdefgh' >deep.pgm
    printf 'P5 0 2 255\n' >empty.pgm
    printf 'P5 9 9 255\nabc' >cut.pgm
    printf 'P5 2 2 255\nabcd' >small.pgm
    head -c 300 1.png >cut.png
    : >nothing.pgm
    "$RIBOGRID" simulate 3 --length 90 -o genes.fa
    local to=(-q -o x.h5)

    check "colour" refused 1 'colour.pgm: image 1 is a colour image .PPM.; give a gray image' "$RIBOGRID" ihist colour.pgm "${to[@]}"
    check "16 bits" refused 1 'deep.pgm: image 1 has 16 bits' "$RIBOGRID" ihist deep.pgm "${to[@]}"
    check "no pixels" refused 1 'empty.pgm: image 1 is empty' "$RIBOGRID" ihist empty.pgm "${to[@]}"
    check "a cut image" refused 1 'cut.pgm: image 1 is cut off; copy it again' "$RIBOGRID" ihist cut.pgm "${to[@]}"
    check "a cut PNG" refused 1 'cut.png: (damaged PNG: .*; copy it again|PNG, which this build)' "$RIBOGRID" ihist cut.png "${to[@]}"
    check "an empty file" refused 1 'nothing.pgm: no image of a known format; give gray images' "$RIBOGRID" ihist nothing.pgm "${to[@]}"
    check "sequences" refused 1 'genes.fa: no image of a known format' "$RIBOGRID" ihist genes.fa "${to[@]}"
    check "no file" refused 1 'nonesuch.png' "$RIBOGRID" ihist nonesuch.png "${to[@]}"
    check "two sizes" refused 1 'small.pgm: its images are 2 x 2, and those before 131 x 67' "$RIBOGRID" ihist all.pgm small.pgm "${to[@]}"
    check "HDF5 and others" refused 1 'all.images.h5: images in HDF5; give it alone' "$RIBOGRID" ihist all.pgm all.images.h5 "${to[@]}"
    check "a kernel of another device" refused 2 'kernel tiled does not run on --device cuda' \
        "$RIBOGRID" ihist small.pgm --device cuda --kernel tiled "${to[@]}"
    check "an odd tile" refused 2 'tile-side 40: give a multiple of 32' "$RIBOGRID" ihist small.pgm --tile-side 40 "${to[@]}"
    check "a kernel" refused 2 'kernel tile: no such kernel in this build' "$RIBOGRID" ihist small.pgm --kernel tile "${to[@]}"
    check "nothing is left" absent x.h5 x.h5.part
}

# A hundred thousand images of a pixel, whose padded tiles take 64 MB each.
test_sizes()
{
    awk 'BEGIN { for (i = 0; i < 100000; i++) printf "P5 1 1 255\na" }' >many.pgm
    check "a small disk" refused 1 'x.h5: results take about .* TiB before compression, and the disk has .*; give fewer --bins' \
        "$RIBOGRID" ihist many.pgm --bins 256 --tile-side 256 --threads 1 -q -o x.h5
    is_sanitized || check "little memory" refused 1 'memory for 5 images and their tiles in 1 thread: ' \
        bash -c 'ulimit -v 400000; exec "$RIBOGRID" ihist all.pgm --bins 256 --tile-side 256 --threads 1 -q -o x.h5'
    check "nothing is left" absent x.h5 x.h5.part
}

test_query()
{
    check "a rectangle outside" refused 1 '0.h5: its images are 131 x 67, and --rect ends at 132,67; give a rectangle in it' \
        "$RIBOGRID" ihist query 0.h5 --rect 0,0,132,67
    check "no frame" refused 1 '0.h5: it has 5 images, and not 6; give a smaller --frame' "$RIBOGRID" ihist query 0.h5 --frame 6
    for rect in 1,2,3 4,0,4,1 0,5,1,4 a,0,1,1 0,0,1,1, -1,0,1,1 ""; do
        check "--rect '$rect'" refused 2 'give X0,Y0,X1,Y1 with X0 < X1' "$RIBOGRID" ihist query 0.h5 "--rect=$rect"
    done
    check "one image" expect_exit 0 "$RIBOGRID" ihist small.pgm -o small.h5
    check "one tile" grep -q '^ribogrid: 1 tile in .* tiles/s' "$err"
    check "no frame of one" refused 1 'small.h5: it has 1 image, and not 2; give' "$RIBOGRID" ihist query small.h5 --frame 2
    check "another file" refused 1 'all.images.h5: an HDF5 file, but not a result of .ribogrid ihist' \
        "$RIBOGRID" ihist query all.images.h5
    "$PYTHON" -c 'import h5py, shutil
for name, change in (("less", -1), ("more", 9)):
    shutil.copy("0.h5", name + ".h5")
    with h5py.File(name + ".h5", "r+") as f:
        f["integral"][0:32] = f["integral"][0:32] + change'
    check "impossible numbers" refused 1 'more.h5: /integral counts pixels that do not exist' "$RIBOGRID" ihist query more.h5 --rect 1,1,9,9
    check "negative numbers" refused 1 'less.h5: ' "$RIBOGRID" ihist query less.h5 --rect 1,1,9,9
    check "a full disk" refused 1 "cannot write to stdout: No space" bash -c '"$RIBOGRID" ihist query 0.h5 >/dev/full'
}

# --resume finishes what a run began, and a finished file needs no run.
test_resumed()
{
    check "resumed" expect_exit 0 "$RIBOGRID" ihist all.pgm --resume -q -o 0.h5
    check "another job" refused 1 '0.h5' "$RIBOGRID" ihist all.pgm --bins 3 --resume -q -o 0.h5
    check "it exists" refused 1 '0.h5 exists' "$RIBOGRID" ihist all.pgm -q -o 0.h5
    check "a plan" expect_exit 0 "$RIBOGRID" ihist all.pgm --plan -q
}

loop make .
export RIBOGRID
test_numbers
test_formats
test_refused
test_sizes
test_query
test_resumed
finish
