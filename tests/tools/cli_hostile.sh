#!/usr/bin/env bash
#
# cli_hostile.sh - a folder, binary data, another encoding or half a file instead of an input,
# and a disk that is full: each command prints one line, exits with 1, and leaves nothing.
#
# cli_fasta.sh and cli_files.sh have the inputs and outputs of align.
. "$(dirname "$0")/../support/shell_test.sh"

"$RIBOGRID" simulate 8 --length 60 -o reads.fa
"$RIBOGRID" align reads.fa -q -o pairs.h5
"$RIBOGRID" align reads.fa --against reads.fa -q -o hits.h5
"$RIBOGRID" cluster pairs.h5 --id 0.97 -q -o otus
awk '/^>/ { print substr($1, 2) "\tA;B" NR }' reads.fa >lineages
"$RIBOGRID" classify train reads.fa --taxonomy lineages --held-out 0 -q -o model.h5
"$RIBOGRID" classify reads.fa --model model.h5 -q -o names.tsv
printf '%s\n' '[net]' 'input = 1x28x28' 'classes = 10' '[layers]' 'out = linear classes' \
    'loss = softmax' '[solver]' 'rate = 0.05' 'batch = 8' 'epochs = 1' >net.ini
"$RIBOGRID" cnn train net.ini synthetic:8 -q -o net.h5
printf '0 1\n1 2\n' >edges.txt

mkdir folder
head -c 1000 /dev/zero >zeros
{ printf '\377\376' && sed 's/./&\x00/g' lineages; } >utf16
gzip -c lineages | head -c 40 >cut.gz
inputs=(folder zeros utf16 cut.gz)

# leaves_nothing: no output x* is here, besides the log of an unfinished run
leaves_nothing()
{
    local left

    left=$(find . folder -maxdepth 1 \( -name 'x*' -o -name '*.tmp-*' \) ! -name '*.part')
    rm -f x*.part
    [ -z "$left" ] || { echo "$left" && false; }
}

# refuses INPUT WORDS...: the command refuses it where its words have IN
refuses()
{
    local input=$1

    shift
    refused 1 '^ribogrid(-bench)?: .*; ' timeout 60 "$program" "${@/IN/$input}" &&
        grep -q "$input" "$err" && [ "$(wc -c <"$err")" -lt 400 ] && leaves_nothing
}

while read -r words; do
    choose_program || continue
    for input in "${inputs[@]}"; do
        # shellcheck disable=SC2086 # a list of words
        check "$words: $input" refuses "$input" $words
    done
done <<'END'
align --manifest IN -q -o x.h5
align reads.fa IN -q -o x.h5
bench graph IN
classify IN --model model.h5 -q -o x.tsv
classify reads.fa --model IN -q -o x.tsv
classify train reads.fa --taxonomy IN -q -o x.h5
cluster IN --id 0.97 -q -o x
cluster pairs.h5 --id 0.97 --previous IN -q -o x
cluster pairs.h5 --id 0.97 --taxonomy IN -q -o x
cnn plan IN
cnn predict net.h5 IN -q -o x.tsv
cnn predict IN synthetic:8 -q -o x.tsv
cnn report IN -o x.html
cnn train IN synthetic:8 -q -o x.h5
cnn train net.ini IN -q -o x.h5
export IN --format column -o x.dist
export pairs.h5 --format otutab --groups otus.groups.h5 --taxonomy IN -o x.tsv
graph bfs IN -q -o x.h5
graph bfs IN --input-format mtx -q -o x.h5
graph make clone:IN -q -o x.h5
info IN
report IN -o x.html
report names.tsv --samples IN -o x.html
taxonomy hits.h5 --taxonomy IN -o x.tsv
view IN
END

# fills WORDS...: with no space for a byte in files, the command prints why
fills()
{
    local code

    (ulimit -f 0 && exec timeout 60 "$RIBOGRID" "$@") 2>&1 >/dev/null | cat >"$err"
    code=${PIPESTATUS[0]}
    [ "$code" -eq 1 ] || { echo "exit $code" && return 1; }
    expect_line 'File too large' "$err" && leaves_nothing
}

while read -r words; do
    # shellcheck disable=SC2086 # a list of words
    check "no space: $words" fills $words
done <<'END'
align reads.fa -q -o x.h5
classify train reads.fa --taxonomy lineages --held-out 0 -q -o x.h5
cluster pairs.h5 --id 0.97 -q -o x
cnn plan net.ini -o x.tsv
cnn train net.ini synthetic:8 -q -o x.h5
export pairs.h5 --format column -o x.dist
graph bfs edges.txt -q -o x.h5
graph make grid --rows 9 --columns 9 -q -o x.mtx
report pairs.h5 -o x.html
simulate 5 -o x.fa
taxonomy hits.h5 --taxonomy lineages -o x.tsv
END

# a pipe can be read once
check "a network from a pipe" expect_exit 0 timeout 60 "$RIBOGRID" cnn train <(cat net.ini) \
    synthetic:8 -q -o piped.h5
check "a manifest from a pipe" expect_exit 0 timeout 60 "$RIBOGRID" align --manifest \
    <(printf 'a\treads.fa\n') -q -o piped_pairs.h5
check "lineages from a pipe" expect_exit 0 timeout 60 "$RIBOGRID" taxonomy hits.h5 \
    --taxonomy <(cat lineages)
finish
