#!/usr/bin/env bash
#
# cli_cnn_time.sh - `cnn time` prints a line per measurement, and what it cannot measure.
. "$(dirname "$0")/../support/shell_test.sh"

time_net=("$RIBOGRID" cnn time lenet --device cpu --runs 1 --seconds 0.5)

# A GPU, on a library in the place of NVML: the machine's own clocks stay as they are.
stub_gpu()
{
    LD_LIBRARY_PATH=$NVML_STUB NVML_STUB_ANY_GPU=1 NVML_STUB_LOG=clocks.log "$RIBOGRID" cnn \
        time lenet --device cuda --runs 1 --seconds 0.5 "$@"
}

test_cpu()
{
    check "lenet is measured" expect_exit 0 "${time_net[@]}" --batch 4,8 --kernel cpu
    check "every line has 19 columns" test \
        "$(grep -v '^#' "$out" | awk -F '\t' '{ print NF }' | sort -u)" = 19
    check "passes and training are measured for each batch" test \
        "$(awk -F '\t' '$2 == "cpu" { printf "%s %s ", $4, $5 }' "$out")" = \
        '4 all 4 training 8 all 8 training '
    check "a missing source is named" grep -q \
        '^# GPU energy: absent, because the device is a CPU' "$out"
    check "... and has no value" grep -q $'\tNA\tNA\tNA\tNA\t' "$out"
    check "kinds of layers and copies, into a file" expect_exit 0 "${time_net[@]}" --batch 8 \
        --kinds -o times.tsv
    check "... are as the steps" test \
        "$(awk -F '\t' '$2 == "cpu" { printf "%s,", $5 }' times.tsv)" = "$(printf '%s,' all \
            training convolution pooling "fully connected" elementwise loss update fetch evict)"
    check "... of which rates are positive" test \
        "$(awk -F '\t' '$5 == "fetch" || $5 == "evict" { n += $19 > 0 } END { print n }' times.tsv)" = 2
    check "... which stays" refused 1 'exists' "${time_net[@]}" -o times.tsv
}

test_limit()
{
    check "within a limit" expect_exit 0 "${time_net[@]}" --batch 8 --threads 1 --device-memory 6700K
    check "updates are among the backward steps" test \
        "$(awk -F '\t' '$2 == "cpu" { printf "%s ", $5 }' "$out")" = 'training '
    check "on demand" expect_exit 0 "${time_net[@]}" --batch 8 --threads 1 --device-memory 6700K --swap demand
    check "too small a limit" refused 2 'need at least' "${time_net[@]}" --device-memory 1K
    check "more than there is" refused 1 'give a smaller --batch' "$RIBOGRID" cnn time vgg-a \
        --device cpu --batch 1048576
}

test_refusals()
{
    check "an unknown type" refused 2 'choose from fp32' "${time_net[@]}" --type fp16
    check "... is guessed" grep -q 'did you mean fp32?' "$err"
    check "a type that only the definition has" refused 2 'on a CPU only the kernel serial' \
        "${time_net[@]}" --type fp32,bf16
    check "a batch of 0" refused 2 'give numbers from 1' "${time_net[@]}" --batch 8,0
    check "an empty word" refused 2 'separated by commas' "${time_net[@]}" --batch 8,,4
    check "an unknown kernel, after a known one" refused 2 '--kernel none: no such kernel' \
        "${time_net[@]}" --kernel cpu,none
    check "a missing network" refused 1 'neither a file nor a shipped network' "$RIBOGRID" cnn \
        time none
    check "a missing GPU" refused 1 'not found' "$RIBOGRID" cnn time lenet --device cuda:63
    check "clocks of a CPU" refused 1 'the device is a CPU; leave out --clocks' \
        "${time_net[@]}" --clocks 1200
    check "a clock that is no number" refused 2 'give numbers from 1' "${time_net[@]}" \
        --clocks 1200,fast
    check "algorithms that CPUs lack" refused 2 'no such algorithms' "${time_net[@]}" --any-order
}

test_gpu()
{
    "$RIBOGRID" devices | grep -q '^cuda:[0-9]' && [ -n "${NVML_STUB:-}" ] || return
    check "algorithms are printed" expect_exit 0 stub_gpu --any-order -v
    check "... and that any are taken" grep -q '^# algorithms: any' "$out"
    check "clocks are left alone" absent clocks.log
    check "two clocks" expect_exit 0 stub_gpu --clocks 900,1200
    check "... are two tables" test \
        "$(awk -F '\t' '$5 == "all" { printf "%s %s ", $17, $18 }' "$out")" = '900 900 1200 1200 '
    check "... and given back" same clocks.log <(printf 'core %s\n' 900 1200 0)
    rm clocks.log
    stub_gpu --seconds 60 --clocks 900 >stopped.txt 2>&1 &
    until_true 300 test -s clocks.log
    kill -TERM "$(children $!)" $! 2>/dev/null
    wait $!
    check "a stopped run gives the clock back" until_true 50 same clocks.log \
        <(printf 'core %s\n' 900 0)
    check "a missing permission" env NVML_STUB_REFUSES=1 bash -c "$(declare -f stub_gpu)
        ! stub_gpu --clocks 900 2>refused.txt"
    check "... is one line" expect_line 'Insufficient Permissions; run as root' refused.txt
}

test_cpu
test_limit
test_refusals
test_gpu
finish
