#!/usr/bin/env bash
# cnn_peers.sh - images per second of networks next to PyTorch eager, forward and backward.
#
# usage: bench/cnn_peers.sh BUILD [NET:BATCH...]
#
# BUILD has ribogrid.  These variables may be set:
#   TYPES         fp32,tf32,bf16
#   KERNELS       cudnn,native
#   WINDOWS       of ribogrid, 0.5 s each (5)
#   OPTIONS       more of `ribogrid cnn time`, such as --any-order
#   PEER_SECONDS  of all of PyTorch's windows of a network (1.5)
#   PEER_DEVICE   cuda:0: PyTorch runs first on the same GPU; another: at the same time there
#   TIMEOUT, PEER_TIMEOUT  seconds for one network of ribogrid, for all of PyTorch (600)
#
# A line: network, type, batch, kernel, images/s of ribogrid, of PyTorch, their ratio; a dash
# stands for what did not run, and standard error has the reason.
set -u
build=${1:?usage: bench/cnn_peers.sh BUILD [NET:BATCH...]}
shift
[ $# -gt 0 ] ||
    set -- alexnet:128 overfeat-fast:128 vgg-a:64 googlenet:128 googlenet:8 lenet:64
types=${TYPES:-fp32,tf32,bf16}
device=${PEER_DEVICE:-cuda:0}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# join_rates: print a line for every kernel and type of $work/ours
join_rates() {
    awk -F '\t' -v OFS='\t' '
        FILENAME == ARGV[1] { peer[$1 "/" $2 "/" $3] = $5; next }
        $5 == "all" {
            key = $1 "/" $3 "/" $4
            seen[key] = 1
            ratio = key in peer ? sprintf("%.2f", $9 / peer[key]) : "-"
            print $1, $3, $4, $2, $9, (key in peer ? peer[key] : "-"), ratio
        }
        END {
            for (key in peer)
                if (!(key in seen)) {
                    split(key, name, "/")
                    print name[1], name[2], name[3], "-", "-", peer[key], "-"
                }
        }' "$work/peers" "$work/ours"
}

# compare NET:BATCH: time both, print their lines
compare() {
    timeout "${PEER_TIMEOUT:-600}" python3 "$(dirname "$0")/torch_nets.py" "$1" \
        --type "$types" --seconds "${PEER_SECONDS:-1.5}" --device "$device" \
        >"$work/peers" 2>"$work/errors" &
    [ "$device" != cuda:0 ] || wait $!
    # shellcheck disable=SC2086 # OPTIONS may be several words
    timeout "${TIMEOUT:-600}" "$build/ribogrid" cnn time "${1%:*}" --batch "${1#*:}" \
        --type "$types" --kernel "${KERNELS:-cudnn,native}" --runs "${WINDOWS:-5}" \
        --seconds 0.5 ${OPTIONS:-} >"$work/ours" 2>>"$work/errors" ||
        echo "ribogrid cnn time $1: exit $?" >>"$work/errors"
    wait
    join_rates
    cat "$work/errors" >&2
}

for net in "$@"; do
    compare "$net"
done
exit 0
