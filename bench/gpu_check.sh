#!/usr/bin/env bash
# gpu_check.sh - run every check that needs a GPU.
#
# usage: bench/gpu_check.sh [PART...] [READS.fa[.gz] [OUT_DIR]]
#
#   build      build for this GPU (build/gpu) and as compute_75 PTX (build/gpu75)
#   tests      run the tests with the label gpu
#   ptx        run a fifth of their cases on the build of PTX
#   sanitize   run compute-sanitizer on the first build
#   many       compare 10^6 random pairs
#   ranks      compare runs of 1, 2 and 5 ranks on the GPU with a run on the CPU
#   bench      check and time the kernels with `ribogrid-bench align`
#
# Without PART all parts run, in this order.  All others need the builds of `build`.  Without
# READS, `ranks` uses 250 simulated sequences.  Logs go to OUT_DIR (build/gpu-check).  The
# last line is 'N passed, N failed'; the exit code is 1 if a check failed.
set -u
cd "$(dirname "$0")/.." || exit 1

parts=" "
while [[ ${1:-} =~ ^(build|tests|ptx|sanitize|many|ranks|bench)$ ]]; do
    parts+="$1 "
    shift
done
[ "$parts" != " " ] || parts=" build tests ptx sanitize many ranks bench "
reads=${1:-}
out=${2:-build/gpu-check}
program=$PWD/build/gpu/ribogrid
jobs=$(nproc)
last_gpu=$(($(nvidia-smi -L | wc -l) - 1))
passed=0
failed=0
mkdir -p "$out"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

has_part() { [[ $parts == *" $1 "* ]]; }

# result STATUS SENTENCE LOG: print and count a result
result() {
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
        echo "ok      $2"
    else
        failed=$((failed + 1))
        echo "FAILED  $2"
        tail -n 15 "$3"
    fi
}

# check SENTENCE COMMAND...: run one check and wait for it
check() {
    "${@:2}" >"$out/last.log" 2>&1
    result $? "$1" "$out/last.log"
}

# Checks that measure no time run in parallel: start NAME COMMAND..., then, in the order in
# which the results are to be printed, collect NAME SENTENCE.
declare -A process
start() {
    ("${@:2}" >"$out/$1.log" 2>&1) &
    process[$1]=$!
}
collect() {
    wait "${process[$1]}"
    result $? "$2" "$out/$1.log"
}

# ---- build ---------------------------------------------------------------------------

build() { # folder below build/, architectures
    cmake -S . -B "build/$1" -DCMAKE_BUILD_TYPE=Release -DRIBOGRID_CUDA=ON -DRIBOGRID_BENCH=ON \
        -DCMAKE_CUDA_ARCHITECTURES="$2" && cmake --build "build/$1" -j "$jobs"
}
run_build() {
    start build-gpu build gpu 90a-real
    start build-ptx build gpu75 75-virtual
    collect build-gpu "it builds for this GPU"
    collect build-ptx "it builds as compute_75 PTX"
}

# ---- tests, ptx, sanitize and many --------------------------------------------------------------

test_all() {
    ctest --test-dir build/gpu -L gpu -j "$jobs" --output-on-failure --no-tests=error
}

# A fifth of the cases, because only the compiler differs, not the code; in one process,
# because the driver compiles every kernel once for each, in five minutes.
test_ptx() {
    export CUDA_VISIBLE_DEVICES=$last_gpu
    build/gpu75/tests/gpu_align 200 && build/gpu75/tests/gpu_filter 1000 &&
        build/gpu75/tests/gpu_edit_filter 20000
}

sanitize() { # tool, test and its arguments
    CUDA_VISIBLE_DEVICES=$last_gpu compute-sanitizer --tool "$1" --error-exitcode 9 "build/gpu/tests/$2" "${@:3}"
}
tools="memcheck racecheck initcheck synccheck"
start_sanitize_aligners() {
    local tool

    for tool in $tools; do
        start "$tool" sanitize "$tool" gpu_align 8
    done
}
start_sanitize_filters() {
    start edits sanitize memcheck gpu_edit_filter 1000
    start filter sanitize memcheck gpu_filter 300
    start filter-races sanitize racecheck gpu_filter 300 13
    start nested sanitize memcheck gpu_nested trees sssp
}
collect_sanitize() {
    local tool

    for tool in $tools; do
        collect "$tool" "compute-sanitizer $tool finds nothing in the aligners"
    done
    collect edits "compute-sanitizer memcheck finds nothing in the edit filter"
    collect filter "compute-sanitizer memcheck finds nothing in the filter"
    collect filter-races "compute-sanitizer racecheck finds nothing in some cases of the filter"
    collect nested "compute-sanitizer memcheck finds nothing in kernels that launch kernels"
}

# These parts share the GPUs: the sanitizer's long runs go on while tests run.
run_tests_and_sanitize() {
    ! has_part tests || start test-gpu test_all
    ! has_part ptx || start test-ptx test_ptx
    ! has_part sanitize || start_sanitize_aligners
    ! has_part tests || collect test-gpu "the GPU tests pass"
    ! has_part sanitize || start_sanitize_filters
    ! has_part many || start many build/gpu/tests/gpu_align --many 1000000
    ! has_part ptx || collect test-ptx "the GPU tests pass as compute_75 PTX"
    ! has_part sanitize || collect_sanitize
    ! has_part many || collect many \
        "10^6 random pairs of 1 to 3,000 bases agree, 10^5 with their CIGARs"
}

# ---- ranks ---------------------------------------------------------------------------

# digest FILE: print a digest of its rows, or fail; has_digest FILE: whether it is $want
digest() { "$program" view "$1" >"$out/rows.tsv" && md5sum <"$out/rows.tsv"; }
has_digest() { [ -n "$want" ] && [ "$(digest "$1")" = "$want" ]; }

# align_on NAME RANKS OPTION...: make OUT_DIR/NAME.h5; every rank must have computed tiles
align_on() {
    local name=$1 ranks=$2 launcher=()

    shift 2
    [ "$ranks" = 1 ] || launcher=(mpirun --oversubscribe --bind-to none -n "$ranks")
    "${launcher[@]}" "$program" align "$reads" -o "$out/$name.h5" --force "$@" || return 1
    "$program" info "$out/$name.h5" | grep '^run.device'
    [ "$("$program" info "$out/$name.h5" | grep '^run.device' | grep -vc 'tiles=0 ')" = "$ranks" ]
}
align_mixed() {
    mpirun --oversubscribe --bind-to none \
        -n 1 "$program" align "$reads" -o "$out/mixed.h5" --force --ambiguity match \
        --device cuda : \
        -n 2 "$program" align "$reads" -o "$out/mixed.h5" --force --ambiguity match \
        --device cpu
}
run_ranks() {
    local options ranks want

    if [ -z "$reads" ]; then
        reads=$out/reads.fa
        "$program" simulate 250 --force -o "$reads"
    fi
    for options in "" "--ends count" "--emit score" "--ambiguity match"; do
        # shellcheck disable=SC2086 # options is a list of words
        check "the CPU runs [$options]" align_on simd 1 --device cpu $options
        want=$(digest "$out/simd.h5")
        for ranks in 1 2 5; do
            # shellcheck disable=SC2086
            check "every one of $ranks ranks computes on the GPU [$options]" \
                align_on cuda "$ranks" --device cuda $options
            cat "$out/last.log"
            check "$ranks ranks on the GPU give the results of the CPU [$options]" \
                has_digest "$out/cuda.h5"
        done
    done
    check "CPU and GPU ranks run together" align_mixed
    cat "$out/last.log"
    check "CPU and GPU ranks together give equal datasets" \
        has_digest "$out/mixed.h5"
}

# ---- bench ---------------------------------------------------------------------------

run_bench() {
    local options

    check "ribogrid-bench align is right with the options for GPUs" env RIBOGRID="$program" \
        tests/bench/cli_bench_align.sh
    echo "commit $(git rev-parse --short HEAD 2>/dev/null || echo unknown)"
    for options in "--device cuda --kernel all --pairs 131072 --runs 7" \
        "--device cpu --kernel simd --pairs 16384 --threads $jobs --peers off"; do
        # shellcheck disable=SC2086
        check "kernels are right and timed [$options]" "$program-bench" align --gap -7,-8 \
            $options
        cat "$out/last.log"
    done
}

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
! has_part build || run_build
if ! [ -x "$program" ] || ! [ -x build/gpu75/ribogrid ]; then
    echo "gpu_check.sh: build/gpu or build/gpu75 is incomplete; run 'bench/gpu_check.sh build'" >&2
    exit 1
fi
"$program" --version
"$program" devices
run_tests_and_sanitize
! has_part ranks || run_ranks
! has_part bench || run_bench
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
