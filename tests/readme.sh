#!/usr/bin/env bash
#
# readme.sh - the commands of README.md's quick start, and those that `quickstart` prints at its
# end, do what they say, as they are written; so do the installation and its manual pages.
#
#   RIBOGRID=build/release/ribogrid RIBOGRID_BUILD=build/release tests/readme.sh
. "$(dirname "$0")/support/shell_test.sh"
root=$(cd "$here/.." && pwd)
build=$(cd "${RIBOGRID_BUILD:-$(dirname "$RIBOGRID")}" && pwd)
mkdir build
ln -s "$build" build/release

"$RIBOGRID" simulate 30 --length 400 --divergence 3 --seed 2 -o genes.fa
gzip -c genes.fa >reads.fa.gz
cp reads.fa.gz YOURS.fa.gz
for sample in one two; do
    awk '/^>/ { name = $1 } !/^>/ { s[name] = s[name] $0 } END { for (name in s) {
        q = s[name]; gsub(/./, "I", q); print "@" substr(name, 2) "\n" s[name] "\n+\n" q } }' \
        genes.fa | gzip >$sample.fastq.gz
done
sed '/^[^>]/s/^.\{100\}\(.\{250\}\).*/\1/' genes.fa >v4.fa

# run_all: each line of stdin as a command.
run_all()
{
    local command n=0

    while read -r command; do
        n=$((n + 1))
        check "$command" expect_exit 0 bash -c "$command"
    done
    n_commands=$n
}

run_all < <(sed -n '/^## Quick start/,/^## /s/^    \(build\/release\/[^#]*[^# ]\) *#.*/\1/p' "$root/README.md")
check "README.md has commands" test "$n_commands" -eq 6
for file in pairs.h5 report.html otus.otus.tsv hits.h5 all.h5 best.h5; do
    check "they write $file" test -s $file
done
check "amplicons have their genes" test "$("$RIBOGRID" view best.h5 --no-header | wc -l)" -ge 30
rm -f pairs.h5 report.html
run_all < <(sed -n '/^show_next_steps/,/^}/s/^  \(build\/release\/ribogrid.*[^ ]\)   *[a-z].*/\1/p' \
    "$root/quickstart")
check "quickstart prints commands" test "$n_commands" -eq 4

# ---- installation ----

grep -qF 'cmake --install build/release --prefix DIR' "$root/README.md" ||
    check "README.md installs" false
check "it is installed" expect_exit 0 "${CMAKE_COMMAND:-cmake}" --install build/release --prefix DIR
check "the installed program is the same" test "$(DIR/bin/ribogrid --version)" = \
    "$("$RIBOGRID" --version)"
for page in ribogrid ribogrid-align ribogrid-cnn-train; do
    check "man $page" test -s "DIR/share/man/man1/$page.1"
done
if command -v man >/dev/null; then
    check "man finds and shows a page" expect_exit 0 env MANPATH="$tmp/DIR/share/man" MANWIDTH=100 \
        man -P cat ribogrid-align
    check "... on align" grep -q 'READS.fa' "$out"
fi
finish
