#!/usr/bin/env bash
# cnn_ranks.sh - images per second of training on several ranks, and how equal it learns.
#
# usage: bench/cnn_ranks.sh BUILD_DIR [RANKS [TYPE [NET:IMAGES]...]]
#
# Runs with as many GPUs as RANKS (2), in TYPE (tf32) and fp32 for curves; without GPUs, give
# fp32.  NET:IMAGES is a network and the images of a rank per batch (alexnet:128 vgg-a:64
# googlenet:128 lenet:64).
#
# Scaling: 1 and RANKS ranks train on the same number of images, with the same batch per
# rank: IMAGES of them (65536), RUNS times in turn (3).  One line each, medians: what,
# network, ranks, batch of all ranks, images per second of the whole run, from the choice of
# algorithms to the last checkpoint, and times those of one rank; then both of training
# alone, which begins with the first batch.  A run before them chooses the algorithms.
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
images=${IMAGES:-65536}
runs=${RUNS:-3}
program=$build/ribogrid
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# train N NET BATCH IMAGES OPTION...: N ranks take so many images, those of 8 batches again
# and again; messages in log, curves in out.csv.
train() {
    local n=$1 net=$2 batch=$3 epochs=$((($4 + $3 * 8 - 1) / ($3 * 8))) command=()

    [ "$n" -eq 1 ] || command=(mpirun --oversubscribe --bind-to none -n "$n")
    "${command[@]}" "$program" cnn train "$net" "synthetic:$((batch * 8))" --batch "$batch" \
        --epochs "$epochs" --force -o "$work/out.h5" --csv "$work/out.csv" \
        "${@:5}" 2>"$work/log" || {
        cat "$work/log" >&2
        return 1
    }
}

# rates: print the images per second of the last run, and those of its training alone.
rates() {
    local n whole training

    read -r n whole < <(sed -En 's/.*: ([0-9,]+) images in ([0-9.]+) s.*/\1 \2/p' \
        "$work/log" | tr -d ,)
    training=$("$program" info "$work/out.h5" | sed -n 's/^.*seconds_training *//p')
    echo "$n $whole $training" | awk '{ printf "%.1f %.1f\n", $1 / $2, $1 / $3 }'
}

# median COLUMN FILE
median() {
    awk -v c="$1" '{ print $c }' "$2" | sort -g | sed -n "$(((runs + 1) / 2))p"
}

# scaling NET IMAGES_PER_BATCH_OF_A_RANK
scaling() {
    local n k one=(0 0) all

    for k in $(seq 0 "$runs"); do
        for n in 1 "$ranks"; do
            train "$n" "$1" $(($2 * n)) "$images" --type "$type"
            [ "$k" -eq 0 ] || rates >>"$work/$1.$n"
        done
    done
    for n in 1 "$ranks"; do
        all=("$(median 1 "$work/$1.$n")" "$(median 2 "$work/$1.$n")")
        [ "$n" -gt 1 ] || one=("${all[@]}")
        echo "$1 $n $(($2 * n)) ${all[*]} ${one[*]}" | awk -v OFS='\t' '{
            print "scaling", $1, $2, $3, $4, sprintf("%.2f", $4 / $6), $5,
                sprintf("%.2f", $5 / $7) }'
    done
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

printf 'what\tnetwork\tranks\tbatch\timages/s, or difference of loss\ttimes, or of accuracy'
printf '\ttraining alone, images/s\ttimes\n'
for what in "$@"; do
    scaling "${what%:*}" "${what#*:}"
done
for what in "$@"; do
    net=${what%:*} batch=$((${what#*:} * ranks / 8))
    train 1 "$net" "$batch" $((batch * 16)) --type fp32
    mv "$work/out.csv" "$work/one.csv"
    train "$ranks" "$net" "$batch" $((batch * 16)) --type fp32
    printf 'curve\t%s\t%d\t%d\t%s\n' "$net" "$ranks" "$batch" \
        "$(differences "$work/one.csv" "$work/out.csv")"
done
