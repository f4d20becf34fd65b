#!/usr/bin/env bash
#
# cli_report_otus.sh - `ribogrid report` shows the OTUs of `cluster`: by every method, and those
# of a file.
. "$(dirname "$0")/../support/shell_test.sh"
. "$here/support/report_test.sh"

# few: write five sequences with abundances 2, 1, 1, 5 and 1.  Identities: a-b 98, a-c 97,
# b-d 96, d-e 100 %; the other pairs are below 40 % and not in the file.
few()
{
    $hits few.h5 a:2,b:1,c:1,d:5,e:1 - 0,1,98,100 0,2,97,100 1,3,96,100 3,4,50,50
}

absent_text()
{
    ! grep -q "$1" "$2"
}

# otus_as_in_cluster PAIRS OPTION...: report shows as many OTUs as cluster makes.
otus_as_in_cluster()
{
    "$RIBOGRID" cluster "$@" -o otus --force 2>"$err" || return 1
    "$RIBOGRID" report "$@" -o otus.html --force && read_page otus.html || return 1
    # "... 75 OTUs by opti at 0.97, 56 of one sequence; ..."
    has n-otus "$(sed -n 's/.* \([0-9]*\) OTUs by .*/\1/p' "$err")" &&
        has n-singletons "$(sed -n 's/.*, \([0-9]*\) of one sequence.*/\1/p' "$err")"
}

# 150 sequences in families: every method finds other OTUs.
test_methods()
{
    local browser='' method # numbers need none

    "$RIBOGRID" simulate 150 --length 200 --seed 3 -o family.fa
    "$RIBOGRID" align family.fa -q --device cpu --kernel simd -o family.h5
    "$RIBOGRID" align family.fa -q --device cpu --kernel simd --id 0.98 -o family98.h5
    "$RIBOGRID" cluster family.h5 --id 0.97 -q -o default
    for method in single complete centroid average opti; do
        check "$method: report shows the OTUs of cluster" \
            otus_as_in_cluster family.h5 --id 0.95 --method $method
        check "$method: the page names it" has label n-otus OTUs by $method at 95 %
        check "$method: the order of the heat map remains" \
            has order 150 sequences in single-linkage order
    done
    check "opti with another seed: report shows the OTUs of cluster" \
        otus_as_in_cluster family.h5 --id 0.95 --seed 5 --starts 1
    check "the seed is listed" has row OTU seed5
    check "centroid by length: report shows the OTUs of cluster" \
        otus_as_in_cluster family.h5 --id 0.95 --method centroid --order length
    check "without options report succeeds" \
        "$RIBOGRID" report family.h5 -o default.html
    check "the page is read" read_page default.html
    check "it shows what cluster does by default" has n-otus \
        "$(awk 'END { print NR - 1 }' default.otus.tsv)"
    check "hits at 98 % and no --id: report succeeds" \
        "$RIBOGRID" report family98.h5 -o high.html
    check "the page is read" read_page high.html
    check "OTUs are at the cutoff" has label n-otus OTUs by opti at 98 %
    check "the axis starts at 98 %" grep -Eq '^axis.98(.9[89][.0-9]*)*.100$' elements
    check "and so does the scale of colours" absent_text '>95 %<' high.html
    check "a lower identity than that of the hits is refused" \
        refused 1 'with an identity of at least 49/50; raise --id' \
        "$RIBOGRID" report family98.h5 --id 0.97 -o x.html
    check "average linkage of hits is refused" refused 1 'average linkage needs all pairs' \
        "$RIBOGRID" report family98.h5 --method average -o x.html
    check "--order without centroid is refused" \
        refused 2 'report: --order requires --method centroid' \
        "$RIBOGRID" report family.h5 --order abundance -o x.html
    check "--id 0 is refused" refused 2 'give --id above 0' \
        "$RIBOGRID" report family.h5 --id 0 -o x.html
}

# The OTUs of cluster are shown as they are, if they are those of the same sequences.
test_groups()
{
    local browser=''

    "$RIBOGRID" cluster family.h5 --id 0.95 --method centroid --min-size 3 -q -o groups
    check "a report of groups succeeds" expect_exit 0 "$RIBOGRID" report family.h5 \
        --groups groups.groups.h5 -o groups.html
    check "it prints no message" silent "$err"
    check "the page is read" read_page groups.html
    check "method and identity are those of cluster" has label n-otus OTUs by centroid at 95 %
    check "the file is named" has paragraph \
        OTUs by centroid at 95 % in groups.groups.h5, in order of their abundance.
    check "the OTUs are those of the table" has n-otus \
        "$(awk 'END { print NR - 1 }' groups.otus.tsv)"
    check "their abundances are those of the table" test \
        "$(awk -F '\t' '$1 == "otus" { for (k = 2; k <= NF; k++) print $k }' elements)" = \
        "$(awk -F '\t' 'NR > 1 && NR <= 41 { print $2 }' groups.otus.tsv)"
    check "sequences in rarer OTUs are counted" has n-left-out \
        "$(awk -F '\t' 'NR > 1 { left -= $2 } END { print 150 + left }' groups.otus.tsv)"
    check "the order is listed" has row OTU orderabundance
    check "the minimum size is listed" has row OTU minimum size3
    "$RIBOGRID" cluster family.h5 --id 0.95 --min-size 151 -q -o empty
    check "a report without OTUs succeeds" expect_exit 0 "$RIBOGRID" report family.h5 \
        --groups empty.groups.h5 -o empty.html
    check "the page is read" read_page empty.html
    check "there is no OTU" has n-otus 0
    check "all sequences are left out" has n-left-out 150
}

test_other_groups()
{
    $hits other.h5 a,b,c,d,f - 0,1,98,100
    $hits sized.h5 a:2,b:1,c:1,d:5,e:2 - 0,1,98,100
    "$RIBOGRID" cluster few.h5 --id 0.97 -q -o few
    check "groups of other numbers are refused" \
        refused 1 'groups.groups.h5: these are OTUs of 150 sequences, but few.h5 has 5' \
        "$RIBOGRID" report few.h5 --groups groups.groups.h5 -o x.html
    check "groups of other names are refused" \
        refused 1 "few.groups.h5: sequence 5 is 'e', but in other.h5 'f'" \
        "$RIBOGRID" report other.h5 --groups few.groups.h5 -o x.html
    check "groups of other abundances are refused" \
        refused 1 'OTU 1 has an abundance of 6, but its sequences have 7 in sized.h5' \
        "$RIBOGRID" report sized.h5 --groups few.groups.h5 -o x.html
    check "groups at a lower identity than the hits are refused" refused 1 \
        'its OTUs are at 19/20, but family98.h5 holds only .* at least 49/50' \
        "$RIBOGRID" report family98.h5 --groups groups.groups.h5 -o x.html
    check "a file of pairs is refused" refused 1 'few.h5: .*not the groups of a clustering' \
        "$RIBOGRID" report few.h5 --groups few.h5 -o x.html
    check "a missing file is refused" refused 1 'nowhere.groups.h5' \
        "$RIBOGRID" report few.h5 --groups nowhere.groups.h5 -o x.html
    check "--groups with --method is refused" refused 2 'leave out --id, --method' \
        "$RIBOGRID" report few.h5 --groups few.groups.h5 --method single -o x.html
    check "--groups with --id is refused" refused 2 'leave out --id, --method' \
        "$RIBOGRID" report few.h5 --groups few.groups.h5 --id 0.97 -o x.html
    check "the groups file is not overwritten" refused 2 'few.groups.h5' \
        "$RIBOGRID" report few.h5 --groups few.groups.h5 -o few.groups.h5 --force
}

few
test_methods
test_groups
test_other_groups
finish
