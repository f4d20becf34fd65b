#!/usr/bin/env bash
#
# cli_report_references.sh - `ribogrid report` of queries against references: best hits,
# taxa and OTUs by reference.
. "$(dirname "$0")/../support/shell_test.sh"
. "$here/support/report_test.sh"

# Best hits: a and b r2 at 99 and 97 %, c r1 at 100 %, d r3 at 96 %, e none.
$hits ref.h5 a:4,b:1,c:2,d:1,e:2 'r1,r2,r<3>' 0,0,98,100 0,1,99,100 1,1,97,100 1,2,90,100 \
    2,0,50,50 2,1,99,100 3,2,96,100
printf '%s\n' 'r1	Bacteria;P;C;O;F;Genus' 'r2	Bacteria;P;C;O;F;Other' 'r<3>	Bacteria' >tax
check "a report succeeds" expect_exit 0 "$RIBOGRID" report ref.h5 --taxonomy tax -o page.html
check "it prints no message" silent "$err"
check "the page is read" read_page page.html
check "the heading is right" has heading Best references of queries
check "queries are counted" has n-queries 5
check "references are counted" has n-references 3
check "three queries reach 97 %" has n-reached 3
check "their share is named" has label n-reached queries with a hit at or above 97 %: 60.0 %
check "one is below" has n-below 1
check "one has no hit" has n-without 1
check "two references are found" has n-found 2
check "bars are best hits" has bars 96:1 97:1 99:2
check "the axis starts at the cutoff of the file" has axis 40 50 60 70 80 90 100
check "abundances are those of OTUs" has otus 5 2
check "the largest OTU is r2 with a and b" has largest 1 5 2 r2 'Bacteria;P;C;O;F;Other'
check "the second is r1 with c" has largest 2 2 1 r1 'Bacteria;P;C;O;F;Genus'
check "genera are found" has n-taxa 2
check "reads have the genera of references" has share 'all: Bacteria;P;C;O;F;Other, 5 reads (50.0 %)'
check "others are unclassified" has share 'all: unclassified, 3 reads (30.0 %)'
check "nothing is wider than a phone" has loose
check "the legend can stand below the bars" has keys composition
[ -z "$browser" ] || check "each picture can be saved" has buttons 4
check "nothing is loaded from elsewhere" has links 0

"$RIBOGRID" cluster ref.h5 --method closed --id 0.9 -q -o closed
check "--id and --rank" expect_exit 0 "$RIBOGRID" report ref.h5 --taxonomy tax --id 0.9 \
    --rank domain --title '<b>' -o low.html
browser='' # of numbers, no browser is needed
check "the page is read" read_page low.html
check "OTUs are those of cluster" test \
    "$(awk -F '\t' '$1 == "otus" { for (k = 2; k <= NF; k++) print $k }' elements)" = \
    "$(awk -F '\t' 'NR > 1 { print $2 }' closed.otus.tsv)"
check "names and titles are escaped" has largest 3 1 1 'r<3>' Bacteria
check "the title is what was given" has heading '<b>'
check "domains are found" has share 'all: Bacteria, 8 reads (80.0 %)'
check "a report without taxonomy succeeds" expect_exit 0 "$RIBOGRID" report ref.h5 -o plain.html
check "the page is read" read_page plain.html
check "it has three pictures" has pictures 3
check "one query has no hit, one has one, three have two" has counted 1 1 3

# Of local alignments the best hit is that of the highest score.
"$RIBOGRID" simulate 3 --length 200 --seed 4 -o genes.fa
printf 'sim1\tgut\t3\nsim2\tgut\nsim2\tsoil\t4\nsim3\tsoil\t2\n' >samples
"$RIBOGRID" align genes.fa --against genes.fa --samples samples --mode local -q \
    --device cpu -o local.h5
sed -n 's/^>\([^ ]*\).*/\1\tBacteria;\1/p' genes.fa >genes.tax
check "a dense file with samples succeeds" expect_exit 0 "$RIBOGRID" report local.h5 \
    --taxonomy genes.tax --rank 2 --id 1 -o local.html
check "the page is read" read_page local.html
check "samples have bars" has share 'soil: Bacteria;sim2, 4 reads (66.7 %)'
check "the score decides" grep -q 'best hit, the one of the highest score' elements

printf 'x\tBacteria;Firmicutes\n' >other
sed 1d tax >fewer
check "references need not all have lineages" expect_exit 0 "$RIBOGRID" report ref.h5 \
    --taxonomy fewer -o fewer.html
check "a missing lineage is reported" expect_line \
    "fewer: 1 of 2 references found have no lineage .the first is 'r1'." "$err"
check "-q is silent" expect_exit 0 "$RIBOGRID" report ref.h5 --taxonomy fewer -q --force \
    -o fewer.html
check "it prints no message" silent "$err"
check "lineages of others are refused" refused 1 'no lineage for any of the 2 references' \
    "$RIBOGRID" report ref.h5 --taxonomy other -o x.html
check "a lower identity than that of the hits is refused" refused 1 'raise --id' \
    "$RIBOGRID" report ref.h5 --id 0.3 -o x.html
check "options of OTUs are refused" refused 2 'ref.h5 has queries against references; leave' \
    "$RIBOGRID" report ref.h5 --method single -o x.html
check "abundances are those of the file" refused 2 'has the abundances that' \
    "$RIBOGRID" report ref.h5 --sizein -o x.html
check "--rank needs a taxonomy" refused 2 'give --taxonomy' \
    "$RIBOGRID" report ref.h5 --rank genus -o x.html
check "an unknown rank is refused" refused 2 'no such rank' \
    "$RIBOGRID" report ref.h5 --taxonomy tax --rank tribe -o x.html
check "refused runs leave no file" test ! -e x.html
finish
