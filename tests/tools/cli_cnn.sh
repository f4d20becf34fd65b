#!/usr/bin/env bash
#
# cli_cnn.sh - `ribogrid cnn`: plans of shipped networks and of files, and what is refused.
. "$(dirname "$0")/../support/shell_test.sh"

plan()
{
    "$RIBOGRID" cnn plan "$@"
}

# has TEXT FILE: a line of the file, with blanks squeezed, contains the text.
has()
{
    tr -s ' ' <"$2" | grep -qF -- "$1" && return
    echo "no '$1' in $2"
    return 1
}

test_table()
{
    check "a shipped network" expect_exit 0 plan lenet --batch 2
    check "its first step" has \
        ' 0 conv1 convolution 2x1x28x28 2x20x24x24 0.001 0.1 0.1' "$out"
    check "its parameters" has '431,080 parameters' "$out"
    check "the network's batch is the default" expect_exit 0 plan lenet --tsv
    check "as tab-separated values" has \
        "$(printf '0\tforward\tconv1\tconvolution\tconvolution\t64x1x28x28\t64x20x24x24\t37601280\t3151904\t2949120')" \
        "$out"
    check "one line per step" test "$(wc -l <"$out")" = 28
    check "inference has no updates" expect_exit 0 plan lenet --inference --tsv
    check "one line per step" test "$(wc -l <"$out")" = 9
    check "another number of classes" expect_exit 0 plan kmer-lenet --classes 7 --inference
    check "its parameters" has '4,254,577 parameters' "$out"
    check "16 bits take half the memory of activations" expect_exit 0 plan vgg-a --batch 8 \
        --type bf16 --inference -o bf16.txt
    check "copies of weights" has 'fc6 cast 4096x25088 4096x25088' bf16.txt
}

test_chart()
{
    check "a chart" expect_exit 0 plan googlenet --batch 4 --svg memory.svg
    check "names the network" has 'googlenet: training, batches of 4, fp32' memory.svg
    check "has every step" test "$(grep -c '<g ' memory.svg)" = 678
    if command -v xmllint >/dev/null; then
        check "is valid XML" xmllint --noout memory.svg
    fi
    check "an existing chart is kept" expect_exit 1 plan lenet --svg memory.svg
    check "unless forced" expect_exit 0 plan lenet --svg memory.svg --force
}

test_limits()
{
    check "limits" expect_exit 0 plan alexnet --batch 128 --device-memory 768M,1G,2G --tsv
    check "one line each" test "$(wc -l <"$out")" = 4
    check "less is moved within more memory" test \
        "$(awk -F '\t' 'NR > 1 { print $3 }' "$out")" = \
        "$(awk -F '\t' 'NR > 1 { print $3 }' "$out" | sort -rn)"
    check "nothing where all fits" test "$(awk -F '\t' 'END { print $3, $9 }' "$out")" = '0.0 0.0'
    check "something is computed again" awk -F '\t' 'NR == 3 && $10 > 0 && $11 > 0 { found = 1 }
        END { exit !found }' "$out"
    check "or nothing" expect_exit 0 plan alexnet --batch 128 --device-memory 1G --tsv \
        --rematerialize off
    check "... at all" test "$(awk -F '\t' 'END { print $10, $11 }' "$out")" = '0 0.000'
    check "on demand" expect_exit 0 plan alexnet --batch 128 --device-memory 1G --swap demand
    check "... named" has ' demand ' "$out"
    check "too small a limit" refused 2 'give --device-memory' plan alexnet --device-memory 10M
    check "a limit of 0" refused 2 'give bytes' plan alexnet --device-memory 1G,0
    check "no size" refused 2 'give bytes' plan alexnet --device-memory 1G,much
    check "no limit" refused 2 'needs --device-memory' plan alexnet --swap demand
    check "nothing again on demand" refused 2 'needs --device-memory with --swap plan' \
        plan alexnet --device-memory 1G --swap demand --rematerialize auto
    check "no chart" refused 2 'without --device-memory' plan alexnet --device-memory 1G --svg x.svg
}

test_files()
{
    printf '[net]\ninput = 1x2x2\n[layers]\na = linear 3\nb = softmax\n' >net.ini
    check "a file" expect_exit 0 plan net.ini --batch 1
    check "its parameters" has '15 parameters' "$out"
    check "a compressed file" expect_exit 0 plan <(gzip -c net.ini) --batch 1
    check "is not replaced" expect_exit 2 plan net.ini -o net.ini --force
    sed -i 's/linear 3/linear 3 kernel=1/' net.ini
    check "an error" expect_exit 1 plan net.ini
    check "has line, cause and remedy" has \
        "net.ini:4: linear has no 'kernel'; docs/cnn.md lists the keys" "$err"
    check "an unknown name" expect_exit 1 plan lenett
    check "lists the names" has 'give the INI file of a network or one of lenet, alexnet' "$err"
    check "no name" expect_exit 2 plan
    check "an unknown command" expect_exit 2 "$RIBOGRID" cnn paint
    check "no command" expect_exit 2 "$RIBOGRID" cnn
    check "--help" expect_exit 0 "$RIBOGRID" cnn --help
}

test_table
test_chart
test_limits
test_files
finish
