#!/usr/bin/env bash
# cnn_ranks.sh - images per second of training on several ranks, and how equal it learns.
#
# usage: bench/cnn_ranks.sh BUILD_DIR [RANKS [TYPE [NET:IMAGES]...]]
#
# Runs with as many GPUs as RANKS (2), in TYPE (tf32) and fp32 for curves; without GPUs, give
# fp32.  NET:IMAGES is a network and the images of a rank per batch (alexnet:128 vgg-a:64
# googlenet:128 lenet:64).
#
# Scaling: 1 and RANKS ranks train with the same images per rank.  One line each: what,
# network, ranks, batch of all ranks, images per second, and times those of one rank.
#
# Curves: 1 and RANKS ranks train with the same batch of all ranks, in fp32.  One line: what,
# network, ranks, batch, largest difference of the loss of a batch, and of the accuracy.
# Images are synthetic; GoogLeNet has batch norm.
set -eu
build=$1
ranks=${2:-2}
type=${3:-tf32}
shift $(($# < 3 ? $# : 3))
[ $# -gt 0 ] || set -- alexnet:128 vgg-a:64 googlenet:128 lenet:64
iterations=${ITERATIONS:-96}
program=$build/ribogrid
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# train N NET BATCH ITERATIONS OPTION...: N ranks; messages in log, curves in out.csv.
train() {
    local n=$1 net=$2 batch=$3 images=$(($3 * 8)) command=()

    [ "$n" -eq 1 ] || command=(mpirun --oversubscribe --bind-to none -n "$n")
    "${command[@]}" "$program" cnn train "$net" synthetic:$images --batch "$batch" \
        --epochs $((($4 + 7) / 8)) --force -o "$work/out.h5" --csv "$work/out.csv" \
        "${@:5}" 2>"$work/log" || {
        cat "$work/log" >&2
        return 1
    }
}

# rate: print the images per second of the last training.
rate() {
    sed -En 's/.*: ([0-9,]+) images in ([0-9.]+) s.*/\1 \2/p' "$work/log" | tr -d , |
        awk '{ printf "%.1f", $1 / $2 }'
}

# differences A B: print the largest differences of two curves.
differences() {
    awk -F , 'FNR == 1 { next }
        FNR == NR { loss[$1] = $2; right[$1] = $3; next }
        {
            d = $2 - loss[$1]; d = d < 0 ? -d : d; l = d > l ? d : l
            d = $3 - right[$1]; d = d < 0 ? -d : d; a = d > a ? d : a
        }
        END { printf "%.2g\t%.2g", l, a }' "$1" "$2"
}

printf 'what\tnetwork\tranks\tbatch\timages/s, or difference of loss\ttimes, or of accuracy\n'
for what in "$@"; do
    net=${what%:*} images=${what#*:} one=
    for n in 1 "$ranks"; do
        train "$n" "$net" $((images * n)) "$iterations" --type "$type"
        one=${one:-$(rate)}
        printf 'scaling\t%s\t%d\t%d\t%s\t%.2f\n' "$net" "$n" $((images * n)) "$(rate)" \
            "$(echo "$(rate) $one" | awk '{ print $1 / $2 }')"
    done
done
for what in "$@"; do
    net=${what%:*} batch=$((${what#*:} * ranks / 8))
    train 1 "$net" "$batch" 16 --type fp32
    mv "$work/out.csv" "$work/one.csv"
    train "$ranks" "$net" "$batch" 16 --type fp32
    printf 'curve\t%s\t%d\t%d\t%s\n' "$net" "$ranks" "$batch" \
        "$(differences "$work/one.csv" "$work/out.csv")"
done
