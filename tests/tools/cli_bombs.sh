#!/usr/bin/env bash
#
# cli_bombs.sh - small files that unpack to 16 GB are refused by every command that reads
# compressed files, with --max-input, before they take time or memory.
. "$(dirname "$0")/../support/shell_test.sh"
command -v python3 >/dev/null || skip "no python3"

# memory beyond that of --version
allowed_kb=$((64 * 1024))
is_sanitized && allowed_kb=$((1024 * 1024))

# bomb NAME HEAD: HEAD and 16 GB of A, as members of a gzip file of 16 MB
head -c 16000000 /dev/zero | tr '\0' A | gzip -9 >member
for _ in {1..1000}; do cat member; done >members
bomb()
{
    { printf '%b' "$2" | gzip && cat members; } >"$1.gz"
}
bomb text ''
bomb reads '>a\n'
bomb images-idx3 '\0\0\010\003\377\377\377\377\0\0\0\034\0\0\0\034'

"$RIBOGRID" simulate 4 --length 60 -o reads.fa
"$RIBOGRID" align reads.fa -q -o pairs.h5
"$RIBOGRID" align reads.fa --against reads.fa -q -o hits.h5
"$RIBOGRID" cluster pairs.h5 --id 0.97 -q -o otus
awk '/^>/ { print substr($1, 2) "\tA;B" NR }' reads.fa >lineages
"$RIBOGRID" classify train reads.fa --taxonomy lineages --held-out 0 -q -o model.h5
printf '%s\n' '[net]' 'input = 1x28x28' 'classes = 10' '[layers]' 'out = linear classes' \
    'loss = softmax' '[solver]' 'rate = 0.05' 'batch = 8' 'epochs = 1' >net.ini
"$RIBOGRID" cnn train net.ini synthetic:8 -q -o net.h5
printf '0 1\n1 2\n' >edges.txt

cat >peak.py <<'END'
"""Run a command; write its peak memory (KiB), with that of its children, to a file."""
import resource
import subprocess
import sys

status = subprocess.call(sys.argv[2:], timeout=30)
with open(sys.argv[1], "w") as f:
    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=f)
sys.exit(status)
END
python3 peak.py base "$RIBOGRID" --version >/dev/null

# defuses WORDS...: the command refuses text.gz, reads.gz or images-idx3.gz in its words.
defuses()
{
    refused 1 '(text|reads|images-idx3)\.gz: holds more than --max-input, 1 MiB; raise it' \
        python3 peak.py peak "$program" "$@" --max-input 1M || return
    [ "$(cat peak)" -le $(($(cat base) + allowed_kb)) ] && return
    echo "takes $(cat peak) KiB, and $(cat base) KiB to print its version"
    return 1
}

while read -r words; do
    choose_program || continue
    # shellcheck disable=SC2086 # a list of words
    check "$words" defuses $words
done <<'END'
align reads.gz -o x.h5
align reads.fa --against reads.gz -o x.h5
align reads.fa --count-table text.gz -o x.h5
align reads.fa --samples text.gz -o x.h5
align reads.fa --matrix text.gz -o x.h5
align reads.gz -o x.h5 --plan
bench align --input reads.gz
bench align --matrix text.gz --alphabet protein
bench classify reads.gz --taxonomy text.gz
bench classify reads.fa --taxonomy text.gz
bench graph text.gz
classify reads.gz --model model.h5 -o x.tsv
classify train reads.gz --taxonomy text.gz -o x.h5
classify train reads.fa --taxonomy text.gz -o x.h5
cluster pairs.h5 --id 0.97 --taxonomy text.gz -o x
cnn plan text.gz
cnn time text.gz
cnn predict net.h5 images-idx3.gz -o x.tsv
cnn report text.gz
cnn train text.gz synthetic -o x.h5
cnn train lenet images-idx3.gz -o x.h5
cnn train lenet synthetic --test images-idx3.gz -o x.h5
cnn train lenet reads.gz --taxonomy text.gz -o x.h5
export pairs.h5 --format otutab --groups otus.groups.h5 --taxonomy text.gz
graph bfs text.gz -o x.h5
graph bfs text.gz --input-format edges -o x.h5
graph bfs text.gz --input-format mtx -o x.h5
graph bfs text.gz --input-format gr -o x.h5
graph bfs text.gz --input-format metis -o x.h5
graph make clone:text.gz -o x.h5
report pairs.h5 --taxonomy text.gz -o x.html
report text.gz -o x.html
taxonomy hits.h5 --taxonomy text.gz
END
check "nothing was written" test -z "$(find . -name 'x*')"
check "a graph within the limit is read" expect_exit 0 "$RIBOGRID" graph bfs edges.txt -q \
    -o bfs.h5 --max-input 1M
finish
