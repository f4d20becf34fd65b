#!/usr/bin/env bash
#
# image.sh - packaging/Dockerfile makes an image whose program runs, also under mpirun.
#
# Needs root, buildah, debootstrap (Debian) and a Debian mirror; no registry of images, because
# it makes the base image itself.  Takes as long as a build.
#
#   RIBOGRID=build/release/ribogrid [RIBOGRID_MIRROR=http://...] tests/image.sh
. "$(dirname "$0")/support/shell_test.sh"
root=$(cd "$here/.." && pwd)
[ "$(id -u)" -eq 0 ] || skip "not root"
for program in buildah debootstrap git; do
    command -v $program >/dev/null || skip "no $program"
done
mirror=${RIBOGRID_MIRROR:-http://deb.debian.org/debian}
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs
images=(buildah --root "$tmp/store" --runroot "$tmp/run")

make_base()
{
    local container

    debootstrap --variant=minbase bookworm base "$mirror" >base.txt 2>&1 || return 1
    tar -C base -cf base.tar . && rm -rf base
    container=$("${images[@]}" from scratch) && "${images[@]}" add -q "$container" base.tar / &&
        "${images[@]}" commit -q "$container" docker.io/library/debian:bookworm &&
        "${images[@]}" tag docker.io/library/debian:bookworm docker.io/library/debian:bookworm-slim &&
        "${images[@]}" rm "$container"
    rm base.tar
}

# in_image COMMAND...
in_image()
{
    "${images[@]}" run "$container" -- "$@"
}

make_base >base.log 2>&1 || skip "no base image: $(tail -1 base.txt base.log | tail -1)"
git clone -q "file://$root" clone || skip "no git repository"
check "the image is built" expect_exit 0 "${images[@]}" bud --pull-never --layers=false \
    -f "$tmp/clone/packaging/Dockerfile" -t ribogrid clone
[ "$n_failed" -eq 0 ] || tail -n 20 "$out" "$err"
container=$("${images[@]}" from --pull-never localhost/ribogrid)
check "it has the version of the checkout" expect_exit 0 in_image ribogrid --version
check "... and its commit" grep -q "^commit   $(git -C clone describe --tags --match 'v[0-9]*' \
    --always --abbrev=12)$" "$out"
check "it aligns on two ranks" expect_exit 0 in_image bash -ec '
    cd /tmp
    ribogrid simulate 20 -o reads.fa
    mpirun -n 2 --oversubscribe ribogrid align reads.fa -q -o pairs.h5
    ribogrid view pairs.h5 | wc -l'
check "every pair is there" grep -qx 191 "$out"
check "it trains a network" expect_exit 0 in_image bash -ec '
    cd /tmp
    ribogrid cnn train lenet synthetic:64 --epochs 1 -q -o lenet.h5'
check "a compiler is not part of it" expect_exit 1 in_image bash -c 'command -v cc cmake'
finish
