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

test_places()
{
    check "HybNet" expect_exit 0 plan alexnet --place hybnet
    check "... has steps on the CPU" has '15 fc6 linear 128x256x6x6 128x4096 9.664 150.5 279.9 cpu' \
        "$out"
    check "... and what lies there" has 'on the CPU' "$out"
    check "... takes less on the device" has 'all 406.7 MiB' "$out"
    check "... names places" expect_exit 0 plan alexnet --place hybnet --tsv
    check "... of each step" test \
        "$(awk -F '\t' 'NR > 1 { n[$13]++ } END { print n["cpu"], n["device"] }' "$out")" = '23 44'
    check "within limits" expect_exit 0 plan alexnet --place hybnet --device-memory 300M,400M --tsv
    check "... what crosses is counted" test "$(awk -F '\t' 'NR == 3 { print ($3 >= 4.5) }' "$out")" = 1
    check "GoogLeNet in 16 bits" refused 1 'give --type fp32 or tf32' plan googlenet \
        --place hybnet --type bf16
}

test_chart()
{
    check "a chart" expect_exit 0 plan googlenet --batch 4 --svg memory.svg
    check "names the network" has 'googlenet: training, batches of 4, fp32' memory.svg
    check "has every step" test "$(grep -c '<g shape' memory.svg)" = 678
    if command -v xmllint >/dev/null; then
        check "is valid XML" xmllint --noout memory.svg
    fi
    check "an existing chart is kept" expect_exit 1 plan lenet --svg memory.svg
    check "unless forced" expect_exit 0 plan lenet --svg memory.svg --force
}

test_limits()
{
    check "limits" expect_exit 0 plan alexnet --batch 128 --device-memory 600M,1G,2G --tsv
    check "one line each" test "$(wc -l <"$out")" = 4
    check "less is moved within more memory" test \
        "$(awk -F '\t' 'NR > 1 { print $3 }' "$out")" = \
        "$(awk -F '\t' 'NR > 1 { print $3 }' "$out" | sort -rn)"
    check "nothing where all fits" test "$(awk -F '\t' 'END { print $3, $9 }' "$out")" = '0.0 0.0'
    check "something is computed again" awk -F '\t' 'NR == 2 && $10 > 0 && $11 > 0 { found = 1 }
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
    check "a chart of each" expect_exit 0 plan lenet --device-memory 74M,100M --svg limits.svg
    check "... with what is out" test "$(grep -c '>out, in the' limits.svg)" = 1
    if command -v xmllint >/dev/null; then
        check "... is valid XML" xmllint --noout limits.svg
    fi
}

# rates FILE [SED]: a table as `cnn time lenet --batch 64 --kinds` prints it, changed.
rates()
{
    {
        printf '# A host\nnet\tkernel\ttype\tbatch\tlayers\tmin_s\tmedian_s\tmax_s\t'
        printf 'images_per_s\tGFLOPS\tGB_per_s\n'
        while read -r layers s gflops gb; do
            printf 'lenet\tcpu\tfp32\t64\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "${layers/_/ }" \
                "$s" "$s" "$s" "$(awk "BEGIN { printf \"%.1f\", 64 / $s }")" "$gflops" "$gb"
        done <<END
training 3.2000e-02 26.57 1.3
convolution 2.0000e-02 35 1
pooling 4.0000e-03 1 3
fully_connected 6.0000e-03 30 1
elementwise 1.0000e-03 1 1
loss 5.0000e-04 1 1
update 5.0000e-04 5 10
fetch 1.0000e-03 0 2
evict 1.0000e-03 0 4
END
    } | sed "${2:-}" >"$1"
}

# column NAME ROW FILE: a value of a table.
column()
{
    awk -F '\t' -v name="$1" -v row="$2" 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
        NR == row + 1 { print $c[name] }' "$3"
}

test_rates()
{
    local limits=(lenet --device-memory 10M,20M)

    export RIBOGRID_CACHE=$PWD/cache
    rates rates.tsv
    check "rates of another machine" expect_exit 0 plan "${limits[@]}" --threads 1 \
        --rates rates.tsv --rematerialize off --tsv --svg speeds.svg -o predicted.tsv
    check "... where all fits" test "$(column images_per_s 2 predicted.tsv)" = 2000
    check "... in percent" test "$(column percent 2 predicted.tsv)" = 100
    check "... where copies are between the steps" awk -v s="$(column seconds 1 predicted.tsv)" \
        -v in_mib="$(column in_mib 1 predicted.tsv)" -v out="$(column out_mib 1 predicted.tsv)" \
        'BEGIN { e = 0.032 + 1048576 * (in_mib / 2e9 + out / 4e9); exit !(in_mib > 0 && s > 0.998 * e && s < 1.002 * e) }'
    check "... are drawn over limits" test "$(grep -c 'class="speed"' speeds.svg)" = 2
    check "the faster placement of each limit" expect_exit 0 plan lenet --threads 1 --place auto \
        --device-memory 9400K,20M --rates rates.tsv --tsv -o placed.tsv
    check "... is the CPU where much is out" test "$(column place 1 placed.tsv)" = cpu
    check "... and the device where all fits" test "$(column place 2 placed.tsv)" = device
    check "... with both predictions" grep -qE \
        'place auto: hybnet, by predictions of [0-9.]+ images/s with all on the device' "$err"
    check "... without rates" refused 2 'there are none of the CPU; measure them' plan lenet \
        --device-memory 9400K --cpu --place auto
    check "... without a limit" refused 2 '--place auto needs --device-memory' plan lenet \
        --place auto
    check "no rates" expect_exit 0 plan "${limits[@]}" --cpu --threads 1
    check "... are named" has 'measure them with `ribogrid cnn time lenet --batch 64 --type fp32 --kinds`' "$out"
    check "rates are kept" expect_exit 0 "$RIBOGRID" cnn time lenet --device cpu --batch 64 \
        --threads 1 --runs 1 --seconds 0.5 --kinds -o own.tsv
    check "... and taken" expect_exit 0 plan "${limits[@]}" --cpu --tsv
    check "... as the table has them" awk -v kept="$(column images_per_s 2 "$out")" \
        -v own="$(awk -F '\t' '$5 == "training" { print $9 }' own.tsv)" \
        'BEGIN { exit !(kept > 0.999 * own && kept < 1.001 * own) }'
    check "the table is read again" expect_exit 0 plan "${limits[@]}" --threads 1 \
        --rates own.tsv
    check "... names its kernel" has 'of the kernel cpu' "$out"
}

test_bad_rates()
{
    local limits=(plan lenet --threads 1 --device-memory 10M --rates bad.tsv)

    rates bad.tsv 's/^lenet/other/'
    check "rates of another name" refused 1 'no kinds of layers of lenet in fp32' "${limits[@]}"
    rates bad.tsv 's/26\.57/99.5/'
    check "rates of another network" refused 1 'another network; measure it' "${limits[@]}"
    check "rates of another batch" refused 1 'batches of 32' "${limits[@]}" --batch 32
    rates bad.tsv '/training/s/3\.2000e-02/nan/g'
    check "no number" refused 1 "bad.tsv:3: min_s is 'nan'" "${limits[@]}"
    rates bad.tsv '/pooling/s/4\.0000e-03/-4e-3/g'
    check "a negative time" refused 1 'bad.tsv:5: .* must be above 0' "${limits[@]}"
    rates bad.tsv '/fetch/s/2$/-2/'
    check "a negative rate" refused 1 'a rate of copies is no number above 0' "${limits[@]}"
    rates bad.tsv '/training/s/2000\.0/7000.0/'
    check "a contradiction" refused 1 'contradict each other' "${limits[@]}"
    rates bad.tsv '/convolution/d'
    check "a missing kind" refused 1 'there is no time of convolutions' "${limits[@]}"
    rates bad.tsv '/fetch/,$d'
    check "a cut table" refused 1 'no rates of copies' "${limits[@]}"
    rates bad.tsv '$s/\t4$//'
    check "a cut line" refused 1 'bad.tsv:11: 10 columns' "${limits[@]}"
    rates bad.tsv 's/\tcpu\t/\tabacus\t/'
    check "an unknown kernel" refused 1 "no such kernel: 'abacus'" "${limits[@]}"
    echo nothing >bad.tsv
    check "no table" refused 1 'no table of times' "${limits[@]}"
    check "a missing file" refused 1 'none.tsv' plan lenet --device-memory 10M --rates none.tsv
    check "no limit" refused 2 '--rates needs --device-memory' plan lenet --rates rates.tsv
    check "two devices" refused 2 'leave out --cpu' "${limits[@]}" --cpu
    check "inference" refused 2 'leave out --inference' "${limits[@]}" --inference
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
test_places
test_chart
test_limits
test_rates
test_bad_rates
test_files
finish
