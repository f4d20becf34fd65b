# shell_test.sh - what the shell tests share; they source it first.
#
#   RIBOGRID=/path/to/ribogrid [RIBOGRID_DATA=/path/to/data] tests/x.sh
#
# A test exits 0 if all checks pass, 1 if one fails (a line each), 77 if it cannot run
# here.  Everything happens in $tmp, a directory of its own that goes when the test ends.
# shellcheck shell=bash

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd) # tests/
if [ -z "${RIBOGRID:-}" ] || [ ! -x "$RIBOGRID" ]; then
    echo "set RIBOGRID to the program" >&2
    exit 1
fi
RIBOGRID=$(cd "$(dirname "$RIBOGRID")" && pwd)/$(basename "$RIBOGRID")
n_passed=0
n_failed=0
tmp=$(mktemp -d "${TMPDIR:-/tmp}/ribogrid.XXXXXX") || exit 1
out=$tmp/stdout # of the last expect_exit
err=$tmp/stderr
export RIBOGRID_CACHE=$tmp/cache # and not the user's

clean_up()
{
    local pid

    for pid in $(jobs -p); do
        kill -CONT "$pid" 2>/dev/null
        kill -9 "$pid" 2>/dev/null
    done
    # a rank that is dying may still have its hands in it
    rm -rf "$tmp" 2>/dev/null || { sleep 2 && rm -rf "$tmp"; }
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP

# A launcher or a batch job around this test must not be taken for the program's own.
unset OMPI_COMM_WORLD_SIZE PMIX_RANK PMI_RANK SLURM_STEP_NUM_TASKS
# Containers: root starts ranks, there is no ssh, and no ptrace for copies between ranks.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_rmaps_base_oversubscribe=1
# With sanitizers: leaks are errors, MPI's own aside.
export LSAN_OPTIONS="suppressions=$here/support/lsan.supp:print_suppressions=0"
export ASAN_OPTIONS="detect_leaks=1:${ASAN_OPTIONS:-}:fast_unwind_on_malloc=0"

# Leave, for want of something.
skip()
{
    echo "skipped: $*"
    exit 77
}

need_mpirun()
{
    command -v mpirun >/dev/null || skip "no mpirun"
    mpi 1 true >/dev/null 2>&1 || skip "mpirun does not run here"
}

# Debian's h5py belongs to Debian's Python; another one may stand before it in PATH.
need_h5py()
{
    for PYTHON in python3 /usr/bin/python3; do
        "$PYTHON" -c 'import h5py' 2>/dev/null && return
    done
    skip "no Python with h5py"
}

# Whether the program was built with sanitizers: slow, and with memory of its own.
is_sanitized()
{
    grep -q __asan_init "$RIBOGRID"
}

# check SENTENCE COMMAND...: the sentence holds if the command succeeds.
check()
{
    local sentence=$1

    shift
    if "$@" >"$tmp/said" 2>&1; then
        n_passed=$((n_passed + 1))
        return 0
    fi
    n_failed=$((n_failed + 1))
    echo "FAILED: $sentence ($(head -c 600 "$tmp/said" | tr '\n' '|'))"
    return 1
}

# The last line of a test; its status is the test's.
finish()
{
    echo "$n_passed passed, $n_failed failed"
    [ "$n_failed" -eq 0 ]
}

# expect_exit CODE COMMAND...: output goes to $out and $err.
expect_exit()
{
    local want=$1 got

    shift
    "$@" >"$out" 2>"$err"
    got=$?
    [ "$got" -eq "$want" ] && return
    echo "exit $got, not $want: $*"
    cat "$err"
    return 1
}

# expect_line REGEX FILE: the file is one line, and that matches.
expect_line()
{
    if [ "$(wc -l <"$2")" -ne 1 ]; then
        echo "not one line:"
        cat "$2"
        return 1
    fi
    grep -Eq -- "$1" "$2" && return
    echo "not as /$1/: $(cat "$2")"
    return 1
}

# refused CODE REGEX COMMAND...: ends with the code, says one line, prints nothing.
refused()
{
    local code=$1 regex=$2

    shift 2
    expect_exit "$code" "$@" && expect_line "$regex" "$err" && silent "$out"
}

silent()
{
    [ ! -s "$1" ] && return
    echo "unexpected output:"
    cat "$1"
    return 1
}

absent()
{
    local file

    for file in "$@"; do
        if [ -e "$file" ]; then
            echo "$file is there"
            return 1
        fi
    done
}

# same FILE FILE: equal bytes.
same()
{
    cmp "$1" "$2" || { diff "$1" "$2" | head -5; false; }
}

# equal FILE FILE: equal results, whatever /run tells.
equal()
{
    "$PYTHON" "$here/tools/equal_datasets.py" "$1" "$2"
}

# mpi N COMMAND...
mpi()
{
    local n=$1

    shift
    mpirun --oversubscribe --bind-to none -n "$n" "$@"
}

# The same, in the place of this shell: for the background, so that $! is mpirun.
exec_mpi()
{
    local n=$1

    shift
    exec mpirun --oversubscribe --bind-to none -n "$n" "$@"
}

# The value that info tells: field NAME FILE
field()
{
    "$RIBOGRID" info "$2" | awk -F '\t' -v name="$1" '$2 == name { print $3; exit }'
}

now_ms()
{
    echo $(($(date +%s%N) / 1000000))
}

# children PID: the processes that it started.
children()
{
    cat /proc/[0-9]*/stat 2>/dev/null |
        awk -v parent="$1" '{ pid = $1; sub(/.*\) /, ""); if ($2 == parent) print pid }'
}

# until_true TENTHS COMMAND...: try every 0.1 s.
until_true()
{
    local left=$1

    shift
    while ! "$@"; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || return 1
        sleep 0.1
    done
}

is_gone()
{
    ! kill -0 "$1" 2>/dev/null
}

# larger_than BYTES FILE
larger_than()
{
    [ "$(stat -c %s "$2" 2>/dev/null || echo 0)" -gt "$1" ]
}

# rank_pid LAUNCHER RANK: the process of a rank of a running mpirun.
rank_pid()
{
    local pid

    for pid in $(children "$1"); do
        tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qx \
            "OMPI_COMM_WORLD_RANK=$2" &&
            echo "$pid" && return
    done
}

# log_state LOG: finished tiles, pairs in them, bytes of whole records, bytes in all; and
# fails if a tile is in the log twice.
log_state()
{
    "$PYTHON" - "$1" <<'END'
import os
import struct
import sys

HEAD, RECORD = struct.Struct("=8sIIqII"), struct.Struct("=IIqqQII")


def pairs_of(task, n, n_tiles):
    """Pairs of a tile: the grid follows from the numbers of sequences and tiles."""
    blocks = next(b for b in range(n + 1) if b * (b + 1) // 2 == n_tiles)
    side = next((s for s in (256, 128, 64, 32, 16, 8, 4) if -(-n // s) == blocks), n)
    row = 0
    while task >= blocks - row:
        task -= blocks - row
        row += 1
    rows = min(side, n - row * side)
    columns = min(side, n - (row + task) * side)
    return rows * (rows - 1) // 2 if task == 0 else rows * columns


try:
    with open(sys.argv[1], "rb") as f:
        data = f.read()
except FileNotFoundError:
    data = b""
if len(data) < HEAD.size:
    print(0, 0, 0, len(data))
    sys.exit(0)
_, _, text_len, n_tiles, _, _ = HEAD.unpack_from(data)
text = data[HEAD.size:HEAD.size + text_len].decode()
if len(text) < text_len:
    print(0, 0, 0, len(data))
    sys.exit(0)
n = int(dict(line.split("=", 1) for line in text.split())["sequences"])
at, tiles, pairs = HEAD.size + text_len, set(), 0
while at + RECORD.size <= len(data):
    mark, _, task, _, length, _, _ = RECORD.unpack_from(data, at)
    if mark != 0x52474c32 or at + RECORD.size + length > len(data):
        break
    if task in tiles:
        sys.exit(f"tile {task} is in the log twice")
    tiles.add(task)
    pairs += pairs_of(task, n, n_tiles)
    at += RECORD.size + length
print(len(tiles), pairs, at, len(data))
END
}

# gives TABLE INPUT OPTION...: the pairs are those of golden/TABLE.tsv; the test's own
# `align` puts them into x.h5.
gives()
{
    local table=$here/golden/$1.tsv

    shift
    expect_exit 0 align "$@" && silent "$err" && "$RIBOGRID" view x.h5 >x.tsv &&
        same "$table" x.tsv
}
