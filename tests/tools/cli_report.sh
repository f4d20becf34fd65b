#!/usr/bin/env bash
#
# cli_report.sh - `ribogrid report`: the elements of the page, read by a browser if there is
# one, and refused input.  cli_report_otus.sh has OTUs by every method, and those of a file.
. "$(dirname "$0")/../support/shell_test.sh"
. "$here/support/report_test.sh"

# few: write five sequences with abundances 2, 1, 1, 5 and 1.  Identities: a-b 98, a-c 97,
# b-d 96, d-e 100 %; the other pairs are below 40 % and not in the file.
few()
{
    $hits few.h5 a:2,b:1,c:1,d:5,e:1 - 0,1,98,100 0,2,97,100 1,3,96,100 3,4,50,50
}

# Two groups of three, and x, which is close to all of them: all 9 pairs of sequences of
# different groups run through it.
test_bridges()
{
    local browser='' # numbers need none

    $hits chain.h5 a1,a2,a3,b1,b2,b3,'x<1>' - 0,1,99,100 0,2,99,100 1,2,99,100 3,4,99,100 \
        3,5,99,100 4,5,99,100 0,6,97,100 1,6,97,100 2,6,97,100 3,6,97,100 4,6,97,100 \
        5,6,97,100
    check "a report of chained OTUs" expect_exit 0 "$RIBOGRID" report chain.h5 -o chain.html
    check "the page is read" read_page chain.html
    check "there are two OTUs" has n-otus 2
    check "there is a fourth picture" has pictures 4
    check "one bridge is shown" has bridges 9
    check "and listed" has row 'x<1>9.0621'
    check "the cluster is counted, and the caution given" grep -q \
        '1 cluster of single linkage at 97 %, of 7 sequences, holds .*a hint, no proof' elements
    check "at 98 % nothing is chained" expect_exit 0 "$RIBOGRID" report chain.h5 --id 0.98 \
        --force -o chain.html
    check "the page is read" read_page chain.html
    check "there is no picture" has pictures 3
    check "the page says so" has paragraph 'No cluster of single linkage at 98 % holds more' \
        'than one OTU: no sequence chains OTUs together.'
    check "the OTUs of single linkage" expect_exit 0 "$RIBOGRID" report chain.h5 --force \
        --method single -o chain.html
    check "the page is read" read_page chain.html
    check "are its clusters" has bridges
    check "--bridges 0" expect_exit 0 "$RIBOGRID" report chain.h5 --bridges 0 --force \
        -o chain.html
    check "leaves out the section" absent_text 'Bridges between OTUs' chain.html
}

absent_text()
{
    ! grep -q "$1" "$2"
}

# Order of the leaves: d and e join at 100 %, a and b at 98, c joins these at 97; the larger
# group a b c comes before d e.
test_few()
{
    check "a file of five sequences is made" few
    check "report succeeds" expect_exit 0 "$RIBOGRID" report few.h5 -o few.html
    check "it prints no message" silent "$err"
    check "the page is read" read_page few.html
    check "the title is right" has title Identities of 5 sequences
    check "the heading is right" has heading Identities of 5 sequences
    check "there is one script" has scripts 1
    check "parameters are folded away" has folded Parameters and provenance
    [ -z "$browser" ] || check "each picture can be saved" has buttons 3
    check "nothing is loaded from elsewhere" has links 0
    check "nothing is wider than a phone" has loose
    check "the legend can stand below the map" has keys heat
    check "there are three pictures" has pictures 3
    check "there is no strip without lineages" has strips 0
    check "there is one cell per ordered pair" has cells 25
    check "the diagonal is 100 %" has cell a and a: 100.00 %
    check "98 of 100 is shown" has cell a and b: 98.00 %
    check "97 of 100 is shown" has cell a and c: 97.00 %
    check "a missing pair is shown as missing" has cell a and d: below the cutoff
    check "the bars count the pairs" has bars 96:1 97:1 98:1 99:1
    check "one pair has an identity of 100 %" has equal 1
    check "the axis starts at the cutoff and ends at 100 %" has axis 40 50 60 70 80 90 100
    check "there are four pairs" has n-pairs 4
    check "they reach the cutoff" has label n-pairs pairs at or above the cutoff of 40 %
    check "six pairs are missing" has n-missing 6
    check "the reason is named" has label n-missing \
        pairs below the cutoff, not aligned or not stored
    check "three pairs reach 97 %" has n-close 3
    check "the method and the identity are named" has label n-otus OTUs by opti at 97 %
    check "they are named at the chart" has paragraph \
        OTUs by opti at 97 %, in order of their abundance.
    check "there are two OTUs" has n-otus 2
    check "their abundances are 5 + 1 and 2 + 1 + 1" has otus 6 4
    check "there are no singletons" has n-singletons 0
    check "the largest OTU is d and e" has largest 1 6 2 d
    check "the second is a, b and c" has largest 2 4 3 a
    check "the order is named" has order 5 sequences in single-linkage order
    check "the parameters are listed" has row endsfree
    check "a report at 98 % succeeds" \
        expect_exit 0 "$RIBOGRID" report few.h5 --id 0.98 --force \
        --title 'A & <b>' -o few.html
    check "the page is read" read_page few.html
    check "--title is escaped" has heading 'A & <b>'
    check "there are three OTUs at 98 %" has otus 6 3 1
    check "one of them is a singleton" has n-singletons 1
    check "two pairs reach 98 %" has n-close 2
    "$RIBOGRID" report few.h5 >stdout.html
    "$RIBOGRID" report few.h5 -o again.html
    check "stdout gets the same bytes" same stdout.html again.html
}

# A picture as a button saves it, which the page shows instead of itself.
test_saved_picture()
{
    [ -n "$browser" ] || return 0
    sed 's|</body>|<script>URL.createObjectURL = file => { file.text().then(text => {\
        document.body.textContent = text }); return "#saved" }\
        document.querySelector("#histogram + .save").click()</script></body>|' few.html >saved.html
    HOME=$tmp timeout 120 "$browser" --headless --no-sandbox --disable-gpu \
        --virtual-time-budget=3000 --dump-dom "file://$tmp/saved.html" >saved.dom 2>browser.log
    check "a picture is saved as SVG that needs no style sheet" "$PYTHON" -c '
import html, re, sys
from xml.etree import ElementTree
text = open("saved.dom", encoding="utf-8").read()
svg = ElementTree.fromstring(html.unescape(re.search("<body>(.*)</body>", text, re.S)[1]))
space = "{http://www.w3.org/2000/svg}"
bars = [e for e in svg.iter(space + "rect") if e.get("class") == "bar"]
assert svg.tag == space + "svg" and svg.get("width") == "640", svg.attrib
assert len(bars) == 4 and all("fill: rgb(0, 114, 178)" in b.get("style") for b in bars), \
    [b.attrib for b in bars]
'
}

# In a frame as narrow as a phone, nothing but a wide table, which scrolls, is cut off.
test_phone()
{
    [ -n "$browser" ] || return 0
    printf '%s' '<body><iframe width=390 height=800 src="few.html"></iframe><script>
        onload = () => { const d = document.querySelector("iframe").contentDocument
            document.body.textContent = "width " + d.documentElement.scrollWidth }
        </script></body>' >phone.html
    HOME=$tmp timeout 120 "$browser" --headless --no-sandbox --disable-gpu \
        --allow-file-access-from-files --virtual-time-budget=3000 --dump-dom \
        "file://$tmp/phone.html" >phone.dom 2>browser.log
    check "a page is as wide as a phone" grep -Eq 'width 3[0-9]{2}<' phone.dom
}

# at_cell PAGE COL ROW SIDE: what the page shows when the pointer is at a cell of its map.
at_cell()
{
    sed "s|</body>|<script>const cells = document.querySelector('image.cells'),\
        box = cells.getBoundingClientRect(), at = f => (f + 0.5) / $4\;\
        setInterval(() => cells.dispatchEvent(new PointerEvent('pointermove', {\
            clientX: box.left + box.width * at($2), clientY: box.top + box.height * at($3)})), 100)\
        </script></body>|" "$1" >pointed.html
    HOME=$tmp timeout 120 "$browser" --headless --no-sandbox --disable-gpu --timeout=3000 \
        --virtual-time-budget=5000 --dump-dom "file://$tmp/pointed.html" 2>browser.log |
        sed -n 's/.*<div class="tip"[^>]*>\([^<]*\).*/\1/p'
}

# Abundances in samples, of a table that `align` reads.
test_samples()
{
    local browser='' # numbers need none

    "$RIBOGRID" simulate 3 --length 100 -o three.fa
    printf 'sim1\tgut\t3\nsim2\tgut\nsim2\tsoil<1>\t4\nsim3\tsoil<1>\t2\n' >three.samples
    "$RIBOGRID" align three.fa --samples three.samples -q --device cpu -o three.h5
    check "a report of samples succeeds" expect_exit 0 "$RIBOGRID" report three.h5 --id 1 -o three.html
    check "the page is read" read_page three.html
    check "the samples of an OTU are shown" has largest 1 5 1 sim2 1 4
    check "and of one that has a single sample" has largest 2 3 1 sim1 3 0
    check "names of samples are escaped" grep -q '<th class="sample">soil&lt;1&gt;</th>' three.html
}

# 100 sequences in OTUs of 12, 6 and 2, and 80 single ones; 2 and 13 join the first two.
# With k single ones, blocks fill 184 + k of (20 + k)^2: a tenth for k = 25, less for 26.
test_blocks()
{
    local page_browser=$browser browser='' pairs

    pairs=$(awk 'BEGIN { split("0 12 18 20", at, " "); for (b = 1; b < 4; b++)
        for (i = at[b]; i < at[b + 1]; i++) for (j = i + 1; j < at[b + 1]; j++)
            print i "," j ",99,100"; print "1,12,50,100" }')
    # shellcheck disable=SC2086 # one argument per pair
    $hits blocks.h5 "$(seq -s , 100)" - $pairs
    seq 100 | sed 's/.*/&\tBacteria;P;C;O;F;Genus/; 1,12s/Genus/g__Small<i>/' >blocks.tax
    check "a report of hits succeeds" expect_exit 0 "$RIBOGRID" report blocks.h5 -o blocks.html
    check "the page is read" read_page blocks.html
    check "the largest OTUs are shown until their blocks are a tenth of the map" has blocks \
        1:12 2:6 3:2 $(seq -f %g:1 4 28)
    check "the caption says so" grep -q \
        'the 45 sequences of the 28 OTUs that have most, of 83 OTUs; a map' elements
    check "and so does the axis" has order 45 of 100 sequences, OTU by OTU in single-linkage order
    check "OTUs are in order of their leaves" grep -q 'data-names="1$' blocks.html
    if [ -n "$page_browser" ]; then
        browser=$page_browser
        # of 63 steps from 95 to 100 %, the 51st
        check "the pair of a cell is shown" test "$(at_cell blocks.html 1 0 45)" = \
            '1 and 2: 98.99 to 99.07 %'
        check "a missing pair is shown" test "$(at_cell blocks.html 44 0 45)" = \
            "1 and $(sed -n 's/^\([0-9]*\)" href=.*/\1/p' blocks.html): below the cutoff"
        browser=''
    fi
    # shellcheck disable=SC2046 # one argument per pair
    $hits tenth.h5 "$(seq -s , 40)" - $(awk 'BEGIN { for (i = 0; i < 20; i++)
        for (j = i + 1; j < 20; j++) print i "," j ",99,100" }')
    "$RIBOGRID" report tenth.h5 -o tenth.html
    check "a map with a tenth of all pairs is of all sequences" absent_text 'class="block"' tenth.html
    check "OTUs have labels" has label_of OTU 2: 6 sequencesOTU 2
    check "a map of 32 sequences at most is of all" absent_text 'class="block"' few.html
    check "a report with lineages succeeds" \
        expect_exit 0 "$RIBOGRID" report blocks.h5 --taxonomy blocks.tax --force -o blocks.html
    check "the page is read" read_page blocks.html
    check "OTUs have the genera of their representatives" \
        has label_of 'OTU 1, Small<i>: 12 sequencesOTU 1 Small<i>'
}

# Names with markup, with a character that reverses the text after it, and of 100,000 bytes.
test_names()
{
    local long

    long=$(head -c 100000 /dev/zero | tr '\0' x)
    $hits names.h5 "<img src=x onerror=alert(1)>,b$(printf '\342\200\256')c,$long" - 0,1,9,10 0,2,8,10
    check "a report of odd names succeeds" expect_exit 0 "$RIBOGRID" report names.h5 \
        --title '</title><script>alert(2)</script>' -o names.html
    check "the page is read" read_page names.html
    check "names are escaped, and cannot reverse text" has cell \
        "<img src=x onerror=alert(1)> and b$(printf '\357\277\275')c: 90.00 %"
    check "a long name is shortened" has cell \
        "<img src=x onerror=alert(1)> and ${long:0:119}$(printf '\342\200\246'): 80.00 %"
    check "a name makes no element" has imgs 0
    check "the title makes no script" has scripts 1
    check "the title is what was given" has heading '</title><script>alert(2)</script>'
    check "the page is short" test "$(wc -c <names.html)" -lt 50000
    "$RIBOGRID" report names.h5 --title "$(printf 'a\377b')" -o bytes.html
    check "a title that is no UTF-8 makes a page that is" \
        "$PYTHON" -c 'import sys; open(sys.argv[1], encoding="utf-8").read()' bytes.html
}

# Halves of genes that do not overlap: two of a beginning and one of an end.
test_without_identity()
{
    local browser='' # numbers need none

    "$RIBOGRID" simulate 1 --length 400 -o gene.fa
    awk '!/^>/ { s = s $0 } END { print ">a\n" substr(s, 1, 150) "\n>b\n" substr(s, 1, 149)
        print ">c\n" substr(s, 250) }' gene.fa >halves.fa
    "$RIBOGRID" align halves.fa -q --device cpu --kernel simd -o halves.h5
    check "a report with pairs without identity succeeds" \
        expect_exit 0 "$RIBOGRID" report halves.h5 -o halves.html
    check "the page is read" read_page halves.html
    check "one pair has an identity" has n-pairs 1
    check "two have none" has n-missing 2
    check "the reason is named" has label n-missing \
        pairs without identity: overlap below --min-overlap
    check "the cells show it" has cell a and c: no identity
}

# Two phyla (b and d, a), one lineage that ends above the phylum (c), no lineage (e).
test_lineages()
{
    local browser='' # numbers need none

    printf '%s\n' 'a	Bacteria;Firmicutes;X' 'b	Bacteria;Chlorobi' 'c	Bacteria' \
        'd	Bacteria;Chlorobi;Y' >lineages
    check "a report with lineages succeeds" \
        expect_exit 0 "$RIBOGRID" report few.h5 --taxonomy lineages \
        -o tax.html
    check "a missing lineage is reported" expect_line \
        "lineages: 1 of 5 sequences have no lineage .the first is 'e'." "$err"
    check "the page is read" read_page tax.html
    check "OTUs have the lineages of their representatives" has largest 1 6 2 d 'Bacteria;Chlorobi;Y'
    check "the second one is a's" has largest 2 4 3 a 'Bacteria;Firmicutes;X'
    check "there are four strips on two sides" has strips 8
    check "every sequence is in two strips" has strip_sequences 10
    check "two strips are phyla" has n-kinds 2
    for strip in 'Chlorobi: 2 sequences' 'Firmicutes: 1 sequence' \
        'Bacteria: 1 sequence' 'no lineage: 1 sequence'; do
        check "there is a strip '$strip'" has strip "$strip"
    done
    check "the largest strip is first, no lineage last" test \
        "$(awk -F '\t' '$1 == "strip" { print $2 }' elements | tr -d '\n')" = \
        'Chlorobi: 2 sequencesFirmicutes: 1 sequenceBacteria: 1 sequenceno lineage: 1 sequence'
    check "the legend counts the strips" has legend 2 1 1 1
    check "d comes before b, whose lineage ends earlier" has cell d and d: 100.00 %
    check "b is next to d" has cell d and b: 96.00 %
    check "the order is named" has order 5 sequences in taxonomic order
}

# Twelve phyla: eight have their own colour, the others share one line of the legend.
test_many_phyla()
{
    local browser='' i # numbers need none

    "$RIBOGRID" simulate 816 --length 40 -o sim.fa
    "$RIBOGRID" align sim.fa -q -o sim.h5
    for i in $(seq 816); do
        printf 'sim%d\tBacteria;p__P%d;X\n' "$i" $((i % 12))
    done >many
    check "a report of 816 sequences succeeds" \
        expect_exit 0 "$RIBOGRID" report sim.h5 --taxonomy many \
        -o sim.html
    check "it prints no message" silent "$err"
    check "the page is read" read_page sim.html
    check "the heat map has 800 cells per side" has image 800x800
    check "cells are one image" has cells 0
    check "there are twelve strips per side" has strips 24
    check "every sequence is in two strips" has strip_sequences 1632
    check "the prefix p__ is removed" grep -q '^strip.P4: 68 sequences$' elements
    check "phyla are named beside the map, where genera have no room" \
        has label_of X: 68 sequencesX
    check "the legend has eight phyla and the others" has legend 68 68 68 68 68 68 68 68 272
    check "the bars count all pairs with an identity" has bar_pairs \
        "$("$RIBOGRID" view sim.h5 --no-header | awk '$5 > 0' | wc -l)"
    check "a second report succeeds" expect_exit 0 "$RIBOGRID" report sim.h5 \
        --taxonomy many --force -o sim2.html
    check "two reports are equal byte for byte" same sim.html sim2.html
    check "the page is smaller than a megabyte" test "$(wc -c <sim.html)" -lt 1000000
}

# The smallest reports: two sequences; no pair; only identities of 1.
test_smallest()
{
    local browser='' # numbers need none

    $hits two.h5 'a&b,c<d' - 0,1,9,10
    check "a report of two sequences succeeds" \
        expect_exit 0 "$RIBOGRID" report two.h5 -o two.html
    check "the page is read" read_page two.html
    check "names are escaped" has cell 'a&b and c<d: 90.00 %'
    check "there are two OTUs" has otus 1 1
    $hits none.h5 a,b -
    check "a report without pairs succeeds" \
        expect_exit 0 "$RIBOGRID" report none.h5 -o none.html
    check "the page is read" read_page none.html
    check "there is no bar" has bar_pairs 0
    check "there is no identity" has cell a and b: below the cutoff
    $hits same.h5 a,b - 0,1,7,7
    check "a report of equal sequences succeeds" \
        expect_exit 0 "$RIBOGRID" report same.h5 --id 1 -o same.html
    check "the page is read" read_page same.html
    check "only the last bar counts pairs" has bars 99:1
    check "there is one OTU" has otus 2
}

test_refused()
{
    $hits one.h5 a -
    $hits broken.h5 a,b - 0,1,11,10
    check "a single sequence is refused" \
        refused 1 'one.h5: too few sequences .1.; a report' "$RIBOGRID" report \
        one.h5 -o x.html
    check "more matches than columns are refused" \
        refused 1 '11 matches in 10 columns' "$RIBOGRID" \
        report broken.h5 -o x.html
    printf 'x\tBacteria;Bacilli\n' >other
    check "lineages of other sequences are refused" \
        refused 1 'other has no lineage for any of the 5 sequences' "$RIBOGRID" \
        report few.h5 --taxonomy other -o x.html
    check "a file that is not a taxonomy is refused" \
        refused 1 'few.h5:1: ' "$RIBOGRID" report few.h5 \
        --taxonomy few.h5 -o x.html
    check "refused runs leave no file" absent x.html x.html.tmp-*
    check "an existing file is refused" \
        refused 1 'few.html exists; give --force' "$RIBOGRID" \
        report few.h5 -o few.html
    check "a missing folder is refused" refused 1 'no/x.html: cannot create: No such' "$RIBOGRID" \
        report few.h5 -o no/x.html
    check "an identity above 1 is refused" refused 2 '--id 97: give a decimal' "$RIBOGRID" \
        report few.h5 --id 97
    "$RIBOGRID" align three.fa -q --emit score -o score.h5
    check "a file of scores is refused" \
        refused 1 'score.h5: the file holds only scores' "$RIBOGRID" report \
        score.h5 -o x.html
    (ulimit -f 1 && refused 1 'full.html: cannot write' "$RIBOGRID" report few.h5 \
        -o full.html) >full.out 2>&1
    check "a full disk is reported" test $? -eq 0
    check "a full disk leaves no file" absent full.html full.html.tmp-*
}

test_bridges
test_few
test_saved_picture
test_phone
test_samples
test_blocks
test_names
test_without_identity
test_lineages
test_many_phyla
test_smallest
test_refused
finish
