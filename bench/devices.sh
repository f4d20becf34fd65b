#!/usr/bin/env bash
#
# devices.sh - whole runs on a device that a server lends, beside the same device of this
# machine: jobs that are bound by launches (bfs of a grid), bytes (scores) and computing
# (identities), and the smallest run.
#
#   bench/devices.sh RIBOGRID [DEVICE [GENES.fa [RUNS]]]           (cpu, 1,000 simulated genes, 3)
#   RIBOGRID_NETWORK='100 20 0.1' bench/devices.sh RIBOGRID ...
#
# With RIBOGRID_NETWORK, the runs over TLS also go through a network of that many Mbit/s,
# milliseconds each way and % of packets lost (slow_network.py), which needs root.  The
# datasets are compared.  Prints seconds, per job and way, the fastest first.
set -eu
ribogrid=$(realpath "$1")
device=${2:-cpu}
genes=${3:+$(realpath "$3")}
n_runs=${4:-3}
here=$(realpath "$(dirname "$0")")
equal=$(dirname "$ribogrid")/tests/equal_datasets
space=ribogrid$$
port=7473
folder=$(mktemp -d)
servers=()

clean_up()
{
    [ ${#servers[@]} -eq 0 ] || kill "${servers[@]}" 2>/dev/null || true
    wait
    ip netns del $space 2>/dev/null || true
    rm -rf "$folder"
}
trap clean_up EXIT
cd "$folder"
umask 077
export RIBOGRID_KEYS=$folder/keys
"$ribogrid" serve-device --new-key user -q

# serve OPTION...: in the network namespace, if there is one.
serve()
{
    "${within[@]}" "$ribogrid" serve-device --device "$device" --warm 1 --cache 4G -q "$@" &
    servers+=($!)
}

# This end is 10.73.0.1, that of the namespace 10.73.0.2.
make_network()
{
    ip netns add $space || return
    python3 "$here/slow_network.py" $space $RIBOGRID_NETWORK >network.out &
    servers+=($!)
    for _ in $(seq 50); do
        grep -q ready network.out && return
        sleep 0.1
    done
    return 1
}

within=()
serve --socket s
serve --listen $port
ways=("$device" "unix:$folder/s/0" "tls://localhost:$port/0")
if [ -n "${RIBOGRID_NETWORK:-}" ]; then
    if make_network 2>network.err; then
        within=(ip netns exec $space)
        serve --listen 10.73.0.2:$port
        ways+=("tls://10.73.0.2:$port/0")
    else
        echo "no such network here: $(head -n 1 network.err)" >&2
    fi
fi
sleep 3 # the processes that wait open the device

if [ -n "$genes" ]; then
    ln -s "$genes" genes.fa
else
    "$ribogrid" simulate 1000 -o genes.fa -q
fi
"$ribogrid" simulate 20 -o few.fa -q
"$ribogrid" graph make grid --rows 1500 --columns 1500 -o grid.h5 -q

# job NAME COMMAND...: with each device, in turns.
job()
{
    local name=$1 way k begin

    shift
    : >times
    for ((k = 0; k < n_runs; k++)); do
        for way in "${ways[@]}"; do
            begin=$(date +%s.%N)
            "$ribogrid" "$@" -q --force -o out.h5 --device "$way"
            echo "$way $(echo "$(date +%s.%N) - $begin" | bc)" >>times
            [ "$way" != "$device" ] || mv out.h5 local.h5
            [ ! -x "$equal" ] || [ "$way" = "$device" ] || "$equal" local.h5 out.h5
            sleep 1.2 # until another process waits
        done
    done
    for way in "${ways[@]}"; do
        printf '%-12s %-28s %s\n' "$name" "${way/$folder\//}" "$(awk -v way="$way" \
            '$1 == way { print $2 }' times | sort -n | xargs printf ' %.3f')"
    done
}

job few align few.fa
job bfs graph bfs grid.h5 --source 1
job scores align genes.fa --emit score
job identities align genes.fa
