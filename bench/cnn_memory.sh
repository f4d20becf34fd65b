#!/usr/bin/env bash
# cnn_memory.sh - training within a limit of a GPU's memory: the same losses, how fast it is,
# what was predicted, and PyTorch within the same limit.
#
# usage: bench/cnn_memory.sh BUILD [NET:BATCH:TYPE:LIMIT...]
#
# BUILD has ribogrid.  Without arguments: AlexNet, GoogLeNet and VGG-A within 1 GiB, and
# GoogLeNet with 1,024 images within 4 GiB.  These variables may be set:
#   PARTS       which lines: losses, long (losses and speeds of batches of 512 images or
#               more), speeds, peers (PyTorch beside speeds, if python3 has it), place (a
#               network of large fully connected layers with these on the CPU, once)
#               ("losses long speeds peers place")
#   DEVICE      of ribogrid (cuda:0); cpu tries the script
#   ITERATIONS  that are compared (20)
#   WINDOWS     of 0.5 s for each speed (1)
#   ALL         a limit within which all fits, for losses and large batches (64G)
#
# Lines, tab-separated.  "losses", of each network once: network, batch, type, limit, the
# largest relative difference of the loss of a batch to training with all in memory, over
# ITERATIONS batches, by the kernel native, whose algorithms do not depend on the limit: "not
# ok" and exit status 1 if there is any.  Batches of 512 or more images are trained by cudnn,
# whose algorithms may round differently within a limit: up to 2 % are ok.  "speed": the same
# columns, placement (device, or hybnet), images/s with all in memory and within the limit,
# percent, predicted percent, and PyTorch's images/s with all in memory, its best way within
# the limit and its images/s there, percent.  A limit that is too small is replaced by the
# smallest one that works, which the line then names.  A dash stands for what did not run;
# standard error has the reason.
set -u
build=${1:?usage: bench/cnn_memory.sh BUILD [NET:BATCH:TYPE:LIMIT...]}
shift
[ $# -gt 0 ] || set -- alexnet:128:tf32:1G alexnet:256:tf32:1G googlenet:64:tf32:1G \
    vgg-a:32:tf32:1G vgg-a:32:fp32:1G googlenet:1024:tf32:4G
device=${DEVICE:-cuda:0}
iterations=${ITERATIONS:-20}
windows=${WINDOWS:-1}
parts=" ${PARTS-losses long speeds peers place} "
all=${ALL:-64G}
program=$build/ribogrid
on=()
[ "$device" != cpu ] || on=(--cpu)
work=$(mktemp -d)
status=0
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache # algorithms and rates of this run alone

# stage TEXT: say on standard error what is done, and when.
stage() {
    printf '# %3d s: %s\n' "$SECONDS" "$1" >&2
}

# wants PART: whether its lines are to be printed
wants() {
    case $parts in *" $1 "*) ;; *) return 1 ;; esac
}

has_torch() {
    wants peers && [ "$device" != cpu ] &&
        python3 -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>/dev/null
}

# fitting_limit: print the limit, or the smallest one that works if it is too small
fitting_limit() {
    local text

    text=$("$program" cnn plan "$net" --batch "$batch" --type "$type" --device-memory "$limit" \
        --tsv "${on[@]}" 2>&1 >/dev/null) && echo "$limit" && return
    sed -En 's/.*give --device-memory ([0-9]+[KM]).*/\1/p' <<<"$text"
}

# train NAME OPTION...: train on one batch again and again, at a rate at which VGG-A does not
# diverge; losses in NAME.csv
train() {
    "$program" cnn train "$net" "synthetic:$batch" --batch "$batch" --epochs "$iterations" \
        --rate 0.001 --kernel "$kernel" --type "$type" --device "$device" --force -q -o "$work/$1.h5" --csv "$work/$1.csv" \
        "${@:2}" 2>>"$work/errors"
}

# seconds_of NAME: print the seconds of a batch of that run, without the first ones
seconds_of() {
    "$program" info "$work/$1.h5" 2>/dev/null | sed -En 's/^.*seconds_batch[ \t]+//p'
}

# difference A B: print the largest relative difference of two runs' losses
difference() {
    awk -F , 'FNR == 1 { next }
        FNR == NR { loss[$1] = $2; next }
        {
            n++
            d = $2 - loss[$1]; d = (d < 0 ? -d : d) / (1e-3 + loss[$1]); m = d > m ? d : m
        }
        END { if (n == 0) exit 1; printf "%.2g\n", m }' "$work/$1.csv" "$work/$2.csv"
}

# losses: compare training within the limit to that with all in memory
losses() {
    local d=- word=ok kernel=native tolerance=0

    [ "$batch" -lt 512 ] || kernel=cudnn tolerance=0.02
    [ "$device" != cpu ] || kernel=cpu
    if train all --device-memory "$all"; then
        train within --device-memory "$limit" && d=$(difference all within)
    fi
    awk -v d="$d" -v most=$tolerance 'BEGIN { exit !(d != "-" && d <= most) }' || { word="not ok" status=1; }
    printf 'losses\t%s\t%s\t%s\t%s\t%s\t%s\n' "$net" "$batch" "$type" "$limit" "$d" "$word"
}

# rate LAYERS FILE: print the images per second of a line of `cnn time`
rate() {
    awk -F '\t' -v what="$1" '$5 == what { print $9 }' "$2"
}

# timed NAME OPTION...: run `cnn time`, its table in NAME.tsv
timed() {
    "$program" cnn time "$net" --batch "$batch" --type "$type" --device "$device" \
        --runs "$windows" --seconds 0.5 "${@:2}" >"$work/$1.tsv" 2>>"$work/errors"
}

# predicted OPTION...: print the predicted percent of full speed
predicted() {
    "$program" cnn plan "$net" --batch "$batch" --type "$type" --device-memory "$limit" --tsv \
        "${on[@]}" "$@" 2>>"$work/errors" | awk -F '\t' 'NR == 2 { print $16 }'
}

# percent A B: print B in percent of A, or a dash
percent() {
    awk -v a="${1:--}" -v b="${2:--}" 'BEGIN {
        if (a == "-" || b == "-" || a == 0) print "-"; else printf "%.1f\n", 100 * b / a }'
}

# peers: print PyTorch's columns, of $work/all.torch and $work/within.torch
peers() {
    local full best

    full=$(awk '{ print $2 }' "$work/all.torch")
    best=$(awk -v OFS='\t' '$2 != "-" && $2 > m { m = $2; way = $1 }
        END { print way ? way : "-", way ? m : "-" }' "$work/within.torch")
    printf '%s\t%s\t%s' "${full:--}" "$best" "$(percent "${full:--}" "${best#*$'\t'}")"
}

# time_torch: measure PyTorch with all in memory and within the limit
time_torch() {
    local mib
    mib=$(awk -v limit="$limit" 'BEGIN { unit = substr(limit, length(limit))
        print limit * (unit == "G" ? 1024 : unit == "K" ? 1 / 1024 : 1) }')

    : >"$work/all.torch"
    : >"$work/within.torch"
    has_torch || return
    timeout 60 python3 "$(dirname "$0")/torch_memory.py" "$net:$batch" "$mib" --type "$type" \
        --seconds 0.2 >"$work/torch" 2>>"$work/errors"
    awk '$1 == "all"' "$work/torch" >"$work/all.torch"
    awk '$1 != "all"' "$work/torch" >"$work/within.torch"
}

# print_speed PLACE NAME PREDICTED PEERS: print a line of a placement
print_speed() {
    local full now

    full=$(rate training "$work/all.tsv")
    now=$(rate training "$work/$2.tsv")
    printf 'speed\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$net" "$batch" "$type" "$limit" \
        "$1" "${full:--}" "${now:--}" "$(percent "$full" "$now")" "$3" "$4"
}

# speeds: measure all on the device, and PyTorch
speeds() {
    timed all --kinds
    if wants speeds || wants peers; then
        timed within --device-memory "$limit"
        time_torch
        print_speed device within "$(predicted)" "$(peers)"
    fi
    case $net in
    alexnet | overfeat-fast | vgg-a) ! wants place || is_done place || time_placed ;;
    esac
}

# time_placed: measure with the fully connected layers on the CPU, of which times are
# measured first: predictions take these
time_placed() {
    "$program" cnn time "$net" --batch "$batch" --device cpu --kinds --runs 1 --seconds 0.5 \
        >/dev/null 2>>"$work/errors"
    timed placed --place hybnet --device-memory "$limit"
    print_speed hybnet placed "$(predicted --place hybnet)" $'-\t-\t-\t-'
}

# per_second SECONDS: print images per second, or a dash
per_second() {
    awk -v s="${1:-0}" -v n="$batch" 'BEGIN { if (s > 0) printf "%.1f\n", n / s; else print "-" }'
}

# long_batches: the speed of large batches follows from the runs of losses
long_batches() {
    local full now

    full=$(seconds_of all)
    now=$(seconds_of within)
    printf 'speed\t%s\t%s\t%s\t%s\tdevice\t%s\t%s\t%s\t-\t-\t-\t-\t-\n' "$net" "$batch" "$type" \
        "$limit" "$(per_second "$full")" "$(per_second "$now")" \
        "$(percent "${now:--}" "${full:--}")"
}

# is_done WHAT: whether this was asked before
is_done() {
    [ -e "$work/done $1" ] || ! touch "$work/done $1"
}

for what in "$@"; do
    IFS=: read -r net batch type limit <<<"$what"
    if [ "$batch" -ge 512 ]; then
        wants long || continue
    else
        wants losses || continue
        ! is_done "losses $net" || continue
    fi
    limit=$(fitting_limit)
    : >"$work/errors"
    stage "losses of $what"
    losses
    cat "$work/errors" >&2
    [ "$batch" -lt 512 ] || long_batches
done
for what in "$@"; do
    IFS=: read -r net batch type limit <<<"$what"
    wants speeds || wants peers || wants place || continue
    [ "$batch" -lt 512 ] || continue
    limit=$(fitting_limit)
    : >"$work/errors"
    stage "speed of $what"
    speeds
    cat "$work/errors" >&2
done
stage "end"
exit $status
