#!/usr/bin/env bash
#
# large_messages.sh - messages and collectives of more than 2 GiB between two ranks.
. "$(dirname "$0")/../../support/shell_test.sh"
program=${RIBOGRID_LARGE_MESSAGES:?give the program large_messages}
program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program")
need_mpirun
free_kb=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
[ "${free_kb:-0}" -gt $((7 * 1024 * 1024)) ] || skip "less than 7 GiB of free memory"
is_sanitized && skip "too slow with sanitizers"
check "more than 2 GiB: a message, an alltoallv, an allreduce" expect_exit 0 mpi 2 "$program"
finish
