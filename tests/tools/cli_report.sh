#!/usr/bin/env bash
#
# cli_report.sh - `ribogrid report`: the page's elements, as a browser has them if there is
# one, and what it does not take.
set -u

# shellcheck source-path=SCRIPTDIR source=../support/shell_test.sh
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    echo "no chromium: the pages are read as they were written"
hits="$PYTHON $here/tools/make_hits.py"
cd "$tmp" || exit 1

# look PAGE: its elements, as tab-separated lines in $tmp/seen.
look()
{
    [ -n "$browser" ] || cp "$1" dom.html
    [ -z "$browser" ] || HOME=$tmp timeout 120 "$browser" --headless --no-sandbox --disable-gpu --dump-dom \
        "file://$tmp/$1" >dom.html 2>browser.log || { tail -3 browser.log; return 1; }
    "$PYTHON" "$here/tools/report_elements.py" dom.html >seen
}

# has NAME VALUE...: a line of these, blanks for tabs.
has()
{
    local want="$*"

    tr '\t' ' ' <seen | grep -Fxq -- "$want" && return
    echo "not '$want':"
    grep "^$1" seen | head -5
    return 1
}

# Five sequences of 2, 1, 1, 5 and 1 copies.  Identities: a-b 98, a-c 97, b-d 96, d-e
# 100 %; the others are below 40 % and not in the file.
few()
{
    $hits few.h5 a:2,b:1,c:1,d:5,e:1 - 0,1,98,100 0,2,97,100 1,3,96,100 3,4,50,50
}

# Leaves: d-e join at 100 %, a-b at 98, c with these at 97; the larger group a b c comes
# before d e.
test_few()
{
    check "five sequences" few
    check "a report" expect_exit 0 "$RIBOGRID" report few.h5 -o few.html
    check "no messages" silent "$err"
    check "a browser reads it" look few.html
    check "title" has title Identities of 5 sequences
    check "heading" has heading Identities of 5 sequences
    check "no script" has scripts 0
    check "nothing from elsewhere" has links 0
    check "three pictures" has pictures 3
    check "no strip without lineages" has strips 0
    check "a cell a pair, both ways" has cells 25
    check "the diagonal" has cell a and a: 100.00 %
    check "98 of 100" has cell a and b: 98.00 %
    check "97 of 100" has cell a and c: 97.00 %
    check "a pair that is not there" has cell a and d: no identity in the file
    check "bars" has bars 96:1 97:1 98:1 100:1
    check "four pairs" has n-pairs 4
    check "three at 97 %" has n-close 3
    check "a b c and d e" has n-otus 2
    check "abundances: 5 + 1, 2 + 1 + 1" has otus 6 4
    check "no singletons" has n-singletons 0
    check "cluster order" has order 5 sequences in cluster order
    check "what was computed" has row endsfree
    check "OTUs at 98 %" expect_exit 0 "$RIBOGRID" report few.h5 --id 0.98 --force \
        --title 'A & <b>' -o few.html
    check "is read" look few.html
    check "a title of one's own, escaped" has heading 'A & <b>'
    check "a b, c, d e" has otus 6 3 1
    check "one of them a singleton" has n-singletons 1
    check "two at 98 %" has n-close 2
    "$RIBOGRID" report few.h5 >stdout.html
    "$RIBOGRID" report few.h5 -o again.html
    check "stdout is the file" same stdout.html again.html
}

# Two phyla of bacteria (b d, a), one lineage that ends above (c), none of e.
test_lineages()
{
    printf '%s\n' 'a	Bacteria;Firmicutes;X' 'b	Bacteria;Chlorobi' 'c	Bacteria' \
        'd	Bacteria;Chlorobi;Y' >lineages
    check "with lineages" expect_exit 0 "$RIBOGRID" report few.h5 --taxonomy lineages \
        -o tax.html
    check "who has none is told" expect_line \
        "lineages: 1 of 5 sequences have no lineage .the first is 'e'." "$err"
    check "is read" look tax.html
    check "four kinds, on two sides" has strips 8
    check "each sequence twice" has strip_sequences 10
    check "two of them are phyla" has n-kinds 2
    for strip in 'Chlorobi: 2 sequences' 'Firmicutes: 1 sequence' \
        'Bacteria: 1 sequence' 'no lineage: 1 sequence'; do
        check "$strip" has strip "$strip"
    done
    check "the largest first, who has none last" test \
        "$(awk -F '\t' '$1 == "strip" { print $2 }' seen | tr -d '\n')" = \
        'Chlorobi: 2 sequencesFirmicutes: 1 sequenceBacteria: 1 sequenceno lineage: 1 sequence'
    check "legend" has legend 2 1 1 1
    check "d has a lower rank than b" has cell d and d: 100.00 %
    check "and b is next" has cell d and b: 96.00 %
    check "order" has order 5 sequences in taxonomic order
}

# Twelve kinds: eight have colours, the others are one line of the legend.
test_many_kinds()
{
    local i

    "$RIBOGRID" simulate 1000 --length 40 -o sim.fa
    "$RIBOGRID" align sim.fa -q -o sim.h5
    for i in $(seq 1000); do
        printf 'sim%d\tBacteria;p__P%d;X\n' "$i" $((i % 12))
    done >many
    check "1000 sequences" expect_exit 0 "$RIBOGRID" report sim.h5 --taxonomy many \
        -o sim.html
    check "no messages" silent "$err"
    check "is read" look sim.html
    check "800 cells a side" has image 800x800
    check "no cell of its own" has cells 0
    check "twelve kinds" has strips 24
    check "each sequence twice" has strip_sequences 2000
    check "without p__" grep -q '^strip.P4: 84 sequences$' seen
    check "4 x 84, 4 x 83, and 4 x 83 others" has legend 84 84 84 84 83 83 83 83 332
    check "bars are all pairs with an identity" has bar_pairs \
        "$("$RIBOGRID" view sim.h5 --no-header | awk '$5 > 0' | wc -l)"
    check "two reports are equal" expect_exit 0 "$RIBOGRID" report sim.h5 \
        --taxonomy many --force -o sim2.html
    check "byte for byte" same sim.html sim2.html
    check "half a megabyte at most" test "$(wc -c <sim.html)" -lt 1000000
}

# The smallest report: two sequences; without a pair; with identities of 1 alone.
test_smallest()
{
    $hits two.h5 'a&b,c<d' - 0,1,9,10
    check "two sequences" expect_exit 0 "$RIBOGRID" report two.h5 -o two.html
    check "are read" look two.html
    check "names are escaped" has cell 'a&b and c<d: 90.00 %'
    check "two OTUs" has otus 1 1
    $hits none.h5 a,b -
    check "no pair" expect_exit 0 "$RIBOGRID" report none.h5 -o none.html
    check "is read" look none.html
    check "no bar" has bar_pairs 0
    check "no identity" has cell a and b: no identity in the file
    $hits same.h5 a,b - 0,1,7,7
    check "equal ones" expect_exit 0 "$RIBOGRID" report same.h5 --id 1 -o same.html
    check "are read" look same.html
    check "the last bar" has bars 100:1
    check "one OTU" has otus 2
}

test_refused()
{
    $hits one.h5 a -
    $hits against.h5 a,b r 0,0,9,10
    $hits broken.h5 a,b - 0,1,11,10
    check "one sequence" refused 1 'one.h5: too few sequences .1.; a report' "$RIBOGRID" report \
        one.h5 -o x.html
    check "references" refused 1 'queries against references' "$RIBOGRID" report \
        against.h5 -o x.html
    check "more matches than columns" refused 1 '11 matches in 10 columns' "$RIBOGRID" \
        report broken.h5 -o x.html
    printf 'x\tBacteria\n' >other
    check "other lineages" refused 1 'other has no lineage for any of the 5 sequences' "$RIBOGRID" \
        report few.h5 --taxonomy other -o x.html
    check "no lineages" refused 1 'few.h5:1: ' "$RIBOGRID" report few.h5 \
        --taxonomy few.h5 -o x.html
    check "nothing is left" absent x.html x.html.tmp
    check "a file that is there" refused 1 'few.html exists; give --force' "$RIBOGRID" \
        report few.h5 -o few.html
    check "a folder that is not" refused 1 'no/x.html.tmp: cannot open' "$RIBOGRID" \
        report few.h5 -o no/x.html
    check "an identity that is none" refused 2 '--id 97: give a decimal' "$RIBOGRID" \
        report few.h5 --id 97
    "$RIBOGRID" align sim.fa -q --emit score -o score.h5
    check "scores alone" refused 1 'score.h5: the file holds only scores' "$RIBOGRID" report \
        score.h5 -o x.html
    if [ -c /dev/full ]; then
        ln -s /dev/full full.html.tmp
        check "a full disk" refused 1 'full.html.tmp: cannot write' "$RIBOGRID" report \
            few.h5 -o full.html
        check "leaves nothing" absent full.html full.html.tmp
    fi
}

test_few
test_lineages
test_many_kinds
test_smallest
test_refused
finish
