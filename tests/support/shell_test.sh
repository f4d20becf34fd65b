# shell_test.sh - functions that the shell tests share; they source it first.
#
#   RIBOGRID=/path/to/ribogrid [RIBOGRID_DATA=/path/to/data] tests/x.sh
#
# A test exits with 0 if all checks pass, 1 if one fails (one line per failure), 77 if it
# cannot run here.  It works in its own directory $tmp, which is removed at the end; an unset
# variable ends it.
# shellcheck shell=bash
set -u

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
export RIBOGRID_CACHE=$tmp/cache # instead of the user's
# compares result files (tests/support/equal_datasets.c)
export EQUAL_DATASETS=${EQUAL_DATASETS:-$(dirname "$RIBOGRID")/tests/equal_datasets}

clean_up()
{
    local pid

    for pid in $(jobs -p); do
        kill -CONT "$pid" 2>/dev/null
        kill -9 "$pid" 2>/dev/null
    done
    # a dying rank may still write there
    rm -rf "$tmp" 2>/dev/null || { sleep 2 && rm -rf "$tmp"; }
}
trap clean_up EXIT
trap 'exit 1' INT TERM HUP
cd "$tmp" || exit 1

# Hide a launcher or batch job around this test from the program.
unset OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK SLURM_STEP_NUM_TASKS
# Containers: ranks run as root, without ssh, and without ptrace for copies between ranks.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_rmaps_base_oversubscribe=1
# Ranks of one node need no libraries of networks or of files, which take a seventh of a start.
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=^tcp,openib,ofi,uct,usnic
export OMPI_MCA_io=ompio OMPI_MCA_osc=^ucx,rdma
# Plug-ins of hwloc look for displays and GPUs, for a tenth of a start.
export HWLOC_PLUGINS_PATH=/nonexistent
# With sanitizers: leaks are errors, except those in MPI itself, which has no frame pointers.
export LSAN_OPTIONS="suppressions=$here/support/lsan.supp:print_suppressions=0"
export ASAN_OPTIONS="detect_leaks=1:${ASAN_OPTIONS:-}"

# skip REASON: end the test because something is missing.
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

# has_modules NAME...: $PYTHON has them.  They are found, not imported, which may take a second.
has_modules()
{
    "$PYTHON" -c 'import importlib.util, sys
sys.exit(None in map(importlib.util.find_spec, sys.argv[1:]))' "$@" 2>/dev/null
}

# Debian's h5py belongs to Debian's Python, which may not be the first one in PATH.
need_h5py()
{
    for PYTHON in /usr/bin/python3 python3; do
        has_modules h5py && return
    done
    skip "no Python with h5py"
}

# is_sanitized: the program was built with sanitizers, so it is slow and needs more memory.
is_sanitized()
{
    grep -Eq "__(asan|tsan)_init" "$RIBOGRID"
}

# check SENTENCE COMMAND...: the sentence holds if the command succeeds.
check()
{
    local sentence=$1

    shift
    if "$@" >"$tmp/output" 2>&1; then
        n_passed=$((n_passed + 1))
        return 0
    fi
    n_failed=$((n_failed + 1))
    echo "FAILED: $sentence ($(head -c 600 "$tmp/output" | tr '\n' '|'))"
    return 1
}

# finish: the last line of a test; prints the counts and returns the status of the test.
finish()
{
    echo "$n_passed passed, $n_failed failed"
    [ "$n_failed" -eq 0 ]
}

# expect_exit CODE COMMAND...: the command exits with CODE; its output goes to $out and $err.
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

# expect_line REGEX FILE: the file is one line that matches.
expect_line()
{
    local of_file

    mapfile of_file <"$2"
    if [ ${#of_file[@]} -ne 1 ] || [[ ${of_file[0]} != *$'\n' ]]; then
        echo "not one line:"
        cat "$2"
        return 1
    fi
    [[ ${of_file[0]%$'\n'} =~ $1 ]] && return
    echo "not as /$1/: ${of_file[0]}"
    return 1
}

# refused CODE REGEX COMMAND...: the command exits with CODE, prints one matching line to
# stderr and nothing to stdout.
refused()
{
    local code=$1 regex=$2

    shift 2
    expect_exit "$code" "$@" && expect_line "$regex" "$err" && silent "$out"
}

# choose_program: set $program to what runs $words: `bench X` is a command of ribogrid-bench,
# which may not be built; then this fails.
choose_program()
{
    program=$RIBOGRID
    [[ $words != bench\ * ]] || { program=$RIBOGRID-bench && words=${words#bench }; }
    [ -x "$program" ]
}

# silent FILE: the file is empty.
silent()
{
    [ ! -s "$1" ] && return
    echo "unexpected output:"
    cat "$1"
    return 1
}

# absent FILE...: none of the files exists.
absent()
{
    local file

    for file in "$@"; do
        if [ -e "$file" ]; then
            echo "$file exists"
            return 1
        fi
    done
}

# same FILE FILE: the files are equal, byte for byte.
same()
{
    cmp "$1" "$2" || { diff "$1" "$2" | head -5; false; }
}

# equal FILE FILE: the result files are equal, except for /run.
equal()
{
    "$EQUAL_DATASETS" "$1" "$2"
}

# mpi N COMMAND...: run N ranks.
mpi()
{
    local n=$1

    shift
    ASAN_OPTIONS=$ASAN_OPTIONS:fast_unwind_on_malloc=0 \
        mpirun --oversubscribe --bind-to none -n "$n" "$@"
}

# exec_mpi N COMMAND...: replace this shell by mpirun, so that $! is mpirun in the background.
exec_mpi()
{
    local n=$1

    shift
    export ASAN_OPTIONS=$ASAN_OPTIONS:fast_unwind_on_malloc=0
    exec mpirun --oversubscribe --bind-to none -n "$n" "$@"
}

# field NAME FILE: print the value that `ribogrid info` has for a name.
field()
{
    "$RIBOGRID" info "$2" | awk -F '\t' -v name="$1" '$2 == name { print $3; exit }'
}

now_ms()
{
    echo $(($(date +%s%N) / 1000000))
}

# children PID: print the child processes of a process that have not ended.
children()
{
    cat /proc/[0-9]*/stat 2>/dev/null |
        awk -v parent="$1" '{ pid = $1; sub(/.*\) /, ""); if ($2 == parent && $1 != "Z") print pid }'
}

# until_true TENTHS COMMAND...: repeat the command every 0.1 s until it succeeds.
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

# has_no_server: no process of this test serves one client of a lent device.
has_no_server()
{
    local pid

    for pid in $(pgrep -f '^ribogrid serve-device --stdio'); do
        [ "$(readlink "/proc/$pid/cwd")" != "$PWD" ] || return 1
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

# rank_pid LAUNCHER RANK: print the process id of a rank of a running mpirun.
rank_pid()
{
    local pid

    for pid in $(children "$1"); do
        tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -qx \
            "OMPI_COMM_WORLD_RANK=$2" &&
            echo "$pid" && return
    done
}

# interrupted kill|stop BYTES COMMAND...: start three ranks of a command that writes job.h5;
# when job.h5.part has BYTES bytes, kill them (-9) or stop them (USR1, exit code 75).
interrupted()
{
    local how=$1 bytes=$2 launcher code=0 pid

    shift 2
    exec_mpi 3 "$@" -o job.h5 >/dev/null 2>run.txt &
    launcher=$!
    until_true 300 larger_than "$bytes" job.h5.part || return 1
    case $how in
    kill)
        pid=$(rank_pid $launcher 0)
        kill -9 "$pid" $launcher
        ;;
    stop) kill -s USR1 $launcher ;;
    esac
    wait $launcher || code=$?
    [ "$how" = kill ] || [ $code -eq 75 ] || return 1
    until_true 100 is_gone "${pid:-$launcher}"
    [ ! -e job.h5 ]
}

# log_state LOG: print finished tiles (tasks), pairs in them (of align), bytes of whole records,
# total bytes; fails if a tile is in the log twice.
log_state()
{
    "$PYTHON" - "$1" <<'END'
import os
import struct
import sys

HEAD, RECORD = struct.Struct("=512x8sIIqII"), struct.Struct("=IIqqQII")


def pairs_of(task, n, n_tiles):
    """Return the pairs of a tile; the numbers of sequences and tiles determine the grid."""
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
n = int(dict(line.split("=", 1) for line in text.split()).get("sequences", 0))
at, tiles, pairs = HEAD.size + text_len, set(), 0
while at + RECORD.size <= len(data):
    mark, _, task, _, length, _, _ = RECORD.unpack_from(data, at)
    if mark != 0x52474c32 or at + RECORD.size + length > len(data):
        break
    if task in tiles:
        sys.exit(f"tile {task} is in the log twice")
    tiles.add(task)
    pairs += pairs_of(task, n, n_tiles) if n > 0 else 0
    at += RECORD.size + length
print(len(tiles), pairs, at, len(data))
END
}

# expect_table TABLE INPUT OPTION...: the test's own `align` writes x.h5, and its pairs are
# those of golden/TABLE.tsv.
expect_table()
{
    local table=$here/golden/$1.tsv

    shift
    expect_exit 0 align "$@" && silent "$err" && "$RIBOGRID" view x.h5 >x.tsv &&
        same "$table" x.tsv
}
