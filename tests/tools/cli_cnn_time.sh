#!/usr/bin/env bash
#
# cli_cnn_time.sh - `cnn time` prints a line per measurement, and what it cannot measure.
set -u

# shellcheck source-path=SCRIPTDIR source=../support/shell_test.sh
. "$(dirname "$0")/../support/shell_test.sh"
cd "$tmp" || exit 1

time_net=("$RIBOGRID" cnn time lenet --device cpu --runs 1 --seconds 1)

check "lenet is measured" expect_exit 0 "${time_net[@]}" --batch 4 --kernel cpu
check "every line has 16 columns" test \
    "$(grep -v '^#' "$out" | awk -F '\t' '{ print NF }' | sort -u)" = 16
check "the whole is measured once" test "$(grep -c $'^lenet\tcpu\tfp32\t4\tall\t' "$out")" -eq 1
check "a missing source is named" grep -q '^# GPU energy: absent, because the device is a CPU' "$out"
check "... and has no value" grep -q $'\tNA\tNA\tNA\tNA\t' "$out"
check "an unknown type" refused 2 'give fp32, tf32 or bf16' "${time_net[@]}" --type fp16
check "a batch of 0" refused 2 'give numbers from 1' "${time_net[@]}" --batch 8,0
check "an unknown kernel" expect_exit 2 "${time_net[@]}" --kernel none
check "... is refused" grep -q "no cnn kernel 'none'" "$err"
check "a missing network" refused 1 'neither a file nor a shipped network' "$RIBOGRID" cnn time \
    none
check "a missing GPU" refused 1 'not found' "$RIBOGRID" cnn time lenet --device cuda:63
finish
