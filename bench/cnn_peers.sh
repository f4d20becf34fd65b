#!/usr/bin/env bash
# cnn_peers.sh - images per second of networks next to PyTorch eager, forward and backward.
#
# usage: bench/cnn_peers.sh BUILD [NET:BATCH...]
#
# BUILD has tests/bench_cnn.  These variables may be set:
#   TYPES         fp32,tf32,bf16
#   BACKENDS      cudnn,native
#   WINDOWS       of ribogrid, 0.25 s each (5)
#   PEER_SECONDS  of all of PyTorch's windows of a network (1.5)
#   PEER_DEVICE   cuda:0: PyTorch runs first on the same GPU; another: at the same time there
#   TIMEOUT, PEER_TIMEOUT  seconds for one network of ribogrid, for all of PyTorch (600)
#
# A line: network, type, batch, backend, images/s of ribogrid, of PyTorch, their ratio; a dash
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

timeout "${PEER_TIMEOUT:-600}" python3 "$(dirname "$0")/torch_nets.py" "$@" --type "$types" \
    --seconds "${PEER_SECONDS:-1.5}" --device "$device" >"$work/peers" 2>"$work/errors" &
[ "$device" != cuda:0 ] || wait $!
for net in "$@"; do
    timeout "${TIMEOUT:-600}" "$build/tests/bench_cnn" "${net%:*}" "${net#*:}" "$types" \
        "${BACKENDS:-cudnn,native}" --windows "${WINDOWS:-5}" >>"$work/ours" \
        2>>"$work/errors" || echo "bench_cnn $net: exit $?" >>"$work/errors"
done
wait
awk -F '\t' -v OFS='\t' '
    NR == FNR { peer[$1 "/" $2 "/" $3] = $5; next }
    NF >= 7 {
        split($1, name, "/")
        key = name[1] "/" name[2] "/" $3
        seen[key] = 1
        ratio = key in peer ? sprintf("%.2f", $7 / peer[key]) : "-"
        print name[1], name[2], $3, name[3], $7, (key in peer ? peer[key] : "-"), ratio
    }
    END {
        for (key in peer)
            if (!(key in seen)) {
                split(key, name, "/")
                print name[1], name[2], name[3], "-", "-", peer[key], "-"
            }
    }' "$work/peers" "$work/ours"
grep -v "created in" "$work/errors" >&2
exit 0
