#!/usr/bin/env bash
#
# cli_search.sh - tests `ribogrid search`: its hits are those of all local alignments, with
# blastp's E-values, in their order; and what it refuses.
. "$(dirname "$0")/../support/shell_test.sh"

# Four families of proteins, two bases a residue; queries are the first eight.
make_proteins()
{
    "$RIBOGRID" simulate 32 --length 240 --seed 6 | awk '
        BEGIN { split("A R N D C Q E G H I L K M F P S", residue, " ") }
        /^>/ { print; next }
        { for (i = 1; i < length; i += 2) printf "%s", residue[4 * \
            (index("ACGT", substr($0, i, 1)) - 1) + index("ACGT", substr($0, i + 1, 1))]
          print "" }' >db.faa
    printf '>low\nMKVW%sLTNRD\n' "$(printf 'Q%.0s' {1..60})" >>db.faa
    awk '/^>/ { n++ } n <= 8 || n > 32' db.faa >queries.faa
    printf '>a\nACGTTGCAACGTACGT\n' >dna.fa
    : >empty.faa
}

# records FIRST LAST: those of the queries
records()
{
    awk -v first="$1" -v last="$2" '/^>/ { n++ } n >= first && n <= last' queries.faa
}

# search OPTION...: write x.h5, and replace it if it exists.
search()
{
    "$RIBOGRID" search queries.faa db.faa -q --force -o x.h5 "$@"
}

# plain OPTION...: the same with the scores of the matrix.
plain()
{
    search --composition off "$@"
}

# hits: queries, targets, raw scores and E-values of x.h5
hits()
{
    "$RIBOGRID" export x.h5 --format userout --userfields query+target+raw+evalue
}

# all OPTION...: every pair, aligned, into all.h5
all()
{
    "$RIBOGRID" align queries.faa --against db.faa --mode local --gap-open 12 --gap-extend 1 \
        -q --force -o all.h5 "$@"
}

# is_part MASK E: the hits are the pairs up to an E-value, with the same alignments.
is_part()
{
    all --mask "$1" --emit cigar && plain --mask "$1" --evalue "$2" --cigar &&
        "$RIBOGRID" export all.h5 --format blast6 --evalue "$2" | sort >want.tsv &&
        "$RIBOGRID" export x.h5 --format blast6 | sort >got.tsv &&
        [ "$(wc -l <got.tsv)" -lt $((9 * 33)) ] && same want.tsv got.tsv
}

# by_evalue FILE: of each query E-values grow, and among equal ones scores fall
by_evalue()
{
    awk -F '\t' '$1 == query && ($4 + 0 < e || ($4 + 0 == e && $3 > score)) { wrong = 1 }
        { query = $1; score = $3; e = $4 + 0 } END { exit wrong || NR < 20 }' "$1"
}

# best N OPTION...: --top N of align and --max-hits N of search keep the same, of all
# pairs.
best()
{
    local n=$1

    shift
    all --top "$n" "$@" && "$RIBOGRID" view all.h5 --sort score >top.tsv &&
        plain --mask none --evalue 1000000 --max-hits "$n" &&
        "$RIBOGRID" view x.h5 --sort score >max.tsv && same top.tsv max.tsv && all "$@" &&
        "$RIBOGRID" view all.h5 --no-header | sort -t $'\t' -k 1,1 -k 3,3nr | awk -v n="$n" '
            $1 != query { rank = 0 } { query = $1 } ++rank <= n { print $1, $3 }' >want.tsv &&
        tail -n +2 top.tsv | sort -t $'\t' -k 1,1 -k 3,3nr | awk -v n="$n" '
            $1 != query { rank = 0 } { query = $1 } ++rank <= n { print $1, $3 }' >got.tsv &&
        [ -s want.tsv ] && same want.tsv got.tsv
}

test_hits()
{
    check "hits are the pairs up to 0.001" is_part none 0.001
    check "and up to 50" is_part none 50
    check "with masks" is_part seg 1
    check "in order of E-values" by_evalue <(hits)
    check "which view has, too" same <("$RIBOGRID" view x.h5) <("$RIBOGRID" view x.h5 --sort evalue)
    check "the best of each query" best 1
    check "and the best three" best 3
    check "a report" expect_exit 0 "$RIBOGRID" report x.h5 -o x.html --force
    check "the file says how" test "$("$RIBOGRID" info x.h5 | grep -c \
        -e $'^job\tevalue\t1000000$' -e $'^job\ttop\t3$' -e $'^job\tgap_open\t12$' \
        -e $'^run\tpairs_filtered_score\t')" -eq 4
}

test_output()
{
    check "blast6" search --blast6out hits.tsv
    check "is the export" same hits.tsv <("$RIBOGRID" export x.h5 --format blast6)
    check "other fields" search --blast6out some.tsv --fields target+query+evalue
    check "are an export" same some.tsv <("$RIBOGRID" export x.h5 --format userout \
        --userfields target+query+evalue)
    check "without alignments" refused 1 'the file holds none' "$RIBOGRID" export x.h5 \
        --format blast6
    check "fields of alignments" search --blast6out some.tsv --fields query+qlo+qhi+caln
    check "are an export, too" same some.tsv <("$RIBOGRID" export x.h5 --format userout \
        --userfields query+qlo+qhi+caln)
    check "all columns" search --blast6out hits.tsv
    check "and has places" awk -F '\t' '$7 < 1 || $8 > 120 { exit 1 }' hits.tsv
    check "without alignments" search
    check "there are none" refused 1 'alignments, but the file holds none' "$RIBOGRID" export \
        x.h5 --format blast6
    check "masks are the default" test "$(hits | grep -c '^low')" -eq 0
    check "without them" search --mask none
    check "repeats are hits" test "$(hits | grep -c '^low')" -gt 0
    check "a larger database" search --db-size 1000000000 --evalue 1000
    check "has larger E-values" awk -F '\t' 'NR == FNR { e[$1, $2] = $4; next }
        ($1, $2) in e && $4 < 99 * e[$1, $2] && e[$1, $2] > 1e-100 { exit 1 }' \
        <(search && hits) <(search --db-size 1000000000 --evalue 1000 && hits)
    records 1 4 >first.faa && records 5 9 >second.faa
    check "fewer queries" "$RIBOGRID" search first.faa db.faa -q -o old.h5
    check "extend a search" "$RIBOGRID" align second.faa --extend old.h5 --against db.faa -q \
        --force -o x.h5
    hits >extended.tsv
    check "to that of all" search
    check "which is equal" same extended.tsv <(hits)
}

# scores: those of the pairs in x.h5
scores()
{
    "$RIBOGRID" export x.h5 --format userout --userfields query+target+raw | sort
}

# lower FILE1 FILE2: of pairs in both, some scores of the first are lower, and none higher
lower()
{
    awk -F '\t' 'NR == FNR { score[$1, $2] = $3; next }
        ($1, $2) in score { n += $3 < score[$1, $2]; wrong += $3 > score[$1, $2] }
        END { exit n == 0 || wrong > 0 }' "$2" "$1"
}

differ()
{
    ! cmp -s "$1" "$2"
}

# Scores for compositions.  The proteins here consist of 16 amino acids.
test_composition()
{
    local threads

    check "the matrix" plain --mask none --evalue 100
    scores >matrix.tsv
    check "scaled" search --mask none --evalue 100 --composition scale --cigar
    scores >scaled.tsv
    check "scores are lower" lower scaled.tsv matrix.tsv
    check "adjusted" search --mask none --evalue 100 --composition adjust --cigar
    scores >adjusted.tsv
    check "scores are others" differ adjusted.tsv scaled.tsv
    check "which the file says" grep -q $'^job\tcomposition\tadjust$' <("$RIBOGRID" info x.h5)
    cp x.h5 one.h5
    for threads in 1 3; do
        check "with $threads threads" search --mask none --evalue 100 -t "$threads" --cigar
        check "hits are equal" same <("$RIBOGRID" export one.h5 --format blast6) \
            <("$RIBOGRID" export x.h5 --format blast6)
    done
    check "the best three" search --mask none --evalue 100 --max-hits 3
    check "have the best adjusted scores" same <(sort -t $'\t' -k 1,1 -k 3,3nr adjusted.tsv |
        awk -F '\t' '$1 != query { rank = 0 } { query = $1 } ++rank <= 3 { print $1, $3 }') \
        <(scores | sort -t $'\t' -k 1,1 -k 3,3nr | awk -F '\t' '$1 != query { rank = 0 }
            { query = $1 } ++rank <= 3 { print $1, $3 }')
    check "masks of the database" search --mask db
    check "leave a repeat without hits" test "$(hits | grep -c '^low')" -eq 0
}

# Pairs with equal raw scores have the digits that blastp prints.
test_blastp()
{
    command -v blastp >"$out" || return
    makeblastdb -in db.faa -dbtype prot -out blastdb >"$out" 2>&1 || return
    blastp -query queries.faa -db blastdb -evalue 10 -comp_based_stats 0 -seg no -max_hsps 1 \
        -outfmt '6 qseqid sseqid score evalue bitscore' >blast.tsv 2>"$err"
    check "as blastp" plain --mask none --evalue 10
    "$RIBOGRID" export x.h5 --format userout --userfields query+target+raw+evalue+bits >ours.tsv
    check "digits are equal" awk -F '\t' 'NR == FNR { at[$1, $2] = $3; e[$1, $2] = $4
            bits[$1, $2] = $5; next }
        at[$1, $2] == $3 { n++; if (e[$1, $2] != $4 || bits[$1, $2] + 0 != $5 + 0) wrong++ }
        END { exit n < 20 || wrong > 0 }' blast.tsv ours.tsv
}

# built MASK: hits in a database that was built with it are those in FASTA, with their
# alignments, and so is the job.
built()
{
    local options=(--mask "$1" --evalue 100 --cigar)

    "$RIBOGRID" search build db.faa --mask "$1" -q --force -o db.h5 &&
        search "${options[@]}" && mv x.h5 fasta.h5 &&
        "$RIBOGRID" search queries.faa db.h5 -q --force -o x.h5 "${options[@]}" &&
        same <("$RIBOGRID" export fasta.h5 --format blast6) \
            <("$RIBOGRID" export x.h5 --format blast6) &&
        [ "$("$RIBOGRID" export x.h5 --format blast6 | wc -l)" -gt 100 ] &&
        same <("$RIBOGRID" info fasta.h5 | grep ^job) <("$RIBOGRID" info x.h5 | grep ^job)
}

# refuses_db LINE OPTION...
refuses_db()
{
    refuses 1 "$1" queries.faa db.h5 "${@:2}"
}

test_databases()
{
    local mask

    for mask in none seg tantan db; do
        check "a database with --mask $mask" built $mask
    done
    check "another masking" refuses_db \
        'db.h5 was built with --mask db; build it again with --mask seg, or search with --mask db$' \
        --mask seg
    check "than align has" refused 1 'db.h5 was built with --mask db; build it again with --mask none' \
        "$RIBOGRID" align queries.faa --against db.h5 --alphabet protein -q -o no.h5
    "$RIBOGRID" search build db.faa --mask seg -q -o seg.h5
    check "which takes such a database, too" "$RIBOGRID" align queries.faa --against seg.h5 \
        --mask seg --mode local --alphabet protein -q --force -o all.h5
    "$RIBOGRID" align queries.faa --against db.faa --mask seg --mode local --alphabet protein -q \
        --force -o x.h5
    check "with the same pairs" same <("$RIBOGRID" view all.h5) <("$RIBOGRID" view x.h5)
    records 1 4 >first.faa && records 5 9 >second.faa
    check "fewer queries" "$RIBOGRID" search first.faa db.h5 -q --force -o old.h5
    check "extend a search" "$RIBOGRID" align second.faa --extend old.h5 --against db.h5 -q \
        --force -o x.h5
    hits >extended.tsv
    check "with FASTA, too" "$RIBOGRID" align second.faa --extend old.h5 --against db.faa -q \
        --force -o x.h5
    check "hits are equal" same extended.tsv <(hits)
    check "to that of all" search
    check "which is equal" same extended.tsv <(hits)
    check "--resume finds it finished" "$RIBOGRID" search queries.faa db.h5 -q --resume -o x.h5
    check "--plan" expect_exit 0 "$RIBOGRID" search queries.faa db.h5 --plan
    check "from stdin" same <("$RIBOGRID" search build - -q --force -o stdin.h5 <db.faa &&
        "$RIBOGRID" view stdin.h5) <("$RIBOGRID" view db.h5)
    cp db.h5 good.h5
    head -c 5000 good.h5 >db.h5
    check "a truncated one" refuses_db 'db.h5: not an HDF5 file, or a truncated one'
    cp good.h5 db.h5
    head -c 2000 /dev/zero | dd of=db.h5 bs=1 seek=$(($(stat -c %s good.h5) / 2)) conv=notrunc \
        status=none
    check "a damaged one" refuses_db 'db.h5: '
    cp x.h5 db.h5
    check "a result" refuses_db 'db.h5: .*not a database of .ribogrid search build'
    check "queries that are one" refuses 1 'good.h5: this is an HDF5 file, not FASTA' good.h5 db.faa
    "$RIBOGRID" search build empty.faa -q -o none.h5
    check "an empty one" nothing queries.faa none.h5
}

# in_blocks RANKS MEMORY: the hits are those in many.faa, with their alignments.
in_blocks()
{
    local launch=(mpi "$1")

    [ "$1" -gt 1 ] || launch=()
    "${launch[@]}" "$RIBOGRID" search few.faa many.h5 -q --force -o x.h5 --cigar --memory "$2" \
        --threads 1 && same many.tsv <("$RIBOGRID" export x.h5 --format blast6)
}

# A database that is larger than the memory for it.
test_blocks()
{
    awk '/^>/ { next } { s = s $0 } END { srand(3)
        for (i = 1; i <= 9000; i++) printf ">m%d\n%s\n", i, substr(s, 1 + int(3000 * rand()), 300) }' \
        db.faa >many.faa
    (records 1 2 && records 9 9) >few.faa
    "$RIBOGRID" search build many.faa -q --force -o many.h5
    check "a large database" search_many many.faa
    "$RIBOGRID" export x.h5 --format blast6 >many.tsv
    check "has hits" test "$(wc -l <many.tsv)" -gt 500
    check "which are the same in blocks" in_blocks 1 2M
    check "of another size" in_blocks 1 5M
    ! command -v mpirun >/dev/null || is_sanitized ||
        check "by several ranks" in_blocks 3 1M
    check "their job is that of FASTA" same <("$RIBOGRID" info x.h5 | grep ^job) \
        <(search_many many.faa && "$RIBOGRID" info x.h5 | grep ^job)
    printf 'XXXX' | dd of=many.h5 bs=1 seek=$(($(stat -c %s many.h5) - 100000)) conv=notrunc \
        status=none
    cp many.h5 db.h5
    check "a damaged block" refuses_db 'db.h5: there are other residues than were written in proteins'
    check "which is met in the middle of a run" refused 1 'db.h5: there are other residues' \
        "$RIBOGRID" search few.faa db.h5 -q -o no.h5 --memory 1M
    check "leaves what was finished" test -f no.h5.part
    rm no.h5.part
}

search_many()
{
    "$RIBOGRID" search few.faa "$1" -q --force -o x.h5 --cigar
}

# staged OPTION...: the hits of pairs that share seeds
staged()
{
    "$RIBOGRID" search few.faa many.faa -q --force -o x.h5 --cigar --method staged "$@"
}

# draws_evalues: a report of x.h5 has bars by E-value, which count every hit once
draws_evalues()
{
    "$RIBOGRID" report x.h5 -q --force -o page.html &&
        [ "$(sed -n '/id="evalues"/,/<\/svg>/p' page.html | grep -o 'data-count="[0-9]*"' |
            tr -dc '0-9\n' | awk '{ n += $1 } END { print NR, n }')" = "12 $(hits | wc -l)" ]
}

test_staged()
{
    check "pairs that share seeds" staged
    "$RIBOGRID" export x.h5 --format blast6 >staged.tsv
    check "a report draws them by E-value" draws_evalues
    check "are hits of all" test -z "$(grep -vxFf many.tsv staged.tsv)"
    check "most of them" test $((100 * $(wc -l <staged.tsv))) -gt $((95 * $(wc -l <many.tsv)))
    check "others were not scored" grep -Eq 'pairs_filtered_seeds.[1-9]' \
        <("$RIBOGRID" info x.h5)
    check "by one thread with little memory" staged --threads 1 --memory 1M
    check "they are the same" same staged.tsv <("$RIBOGRID" export x.h5 --format blast6)
    check "one that is not exact is another job" refused 1 'is of another job' "$RIBOGRID" search \
        few.faa many.faa -q --resume -o x.h5 --cigar
    check "an unknown method" refuses 2 "search: --method fast: give one of exact.staged" queries.faa db.faa \
        --method fast
}

# builds CODE LINE ARGUMENT...: refuses to build
builds()
{
    refused "$1" "$2" "$RIBOGRID" search build "${@:3}" && absent no.h5
}

test_builds()
{
    check "of nucleotides" builds 1 'dna.fa looks like nucleotides' dna.fa -o no.h5
    check "which may be said to be proteins" "$RIBOGRID" search build dna.fa --alphabet protein -q \
        -o dna.h5
    check "--alphabet dna" builds 2 'search build: --alphabet dna: E-values are for proteins' dna.fa \
        --alphabet dna -o no.h5
    check "no output" builds 2 'search build: give -o DB.h5' db.faa
    check "an output that exists" builds 1 'there.tsv exists' db.faa -q -o there.tsv
    check "a file that does not exist" builds 1 'cannot read nowhere.faa' nowhere.faa -o no.h5
}

# nothing QUERIES DB: no hits, which is no error
nothing()
{
    expect_exit 0 "$RIBOGRID" search "$1" "$2" -q --force -o x.h5 --blast6out x.tsv &&
        [ ! -s x.tsv ]
}

# Proteins that are alike, and a long one: what nothing but masks and scores should limit.
test_many()
{
    sed -n 2,3p db.faa | tr -d '\n>' | cut -c 1-120 >one.txt
    awk '{ for (i = 1; i <= 2000; i++) printf ">e%d\n%s\n", i, $0 }' one.txt >equal.faa
    head -n 2 equal.faa >single.faa
    check "a protein that is there 2,000 times" "$RIBOGRID" search single.faa equal.faa -q \
        --force -o x.h5 --max-hits 10 --blast6out hits.tsv
    check "is found as often: all tie" test "$(wc -l <hits.tsv)" -eq 2000
    check "with the same alignment" test "$(cut -f 3-12 hits.tsv | sort -u | wc -l)" -eq 1
    check "in the order of the database" same <(cut -f 2 hits.tsv) \
        <(sed -n 's/^>//p' equal.faa)
    awk 'BEGIN { srand(2); print ">long"
        for (i = 0; i < 100000; i++) printf "%s", substr("ARNDCQEGHILKMFPSTWYV", 1 + int(20 * rand()), 1)
        print "" }' >long.faa
    check "a protein of 100,000 residues" nothing long.faa single.faa
    printf '>stops\n***\n>u\nUUUU\n>o\nOOOO\n>j\nJJJJ\n>x\nXXXX\n>bz\nBZBZ\n' >odd.faa
    check "proteins of odd letters alone" nothing odd.faa odd.faa
}

test_odd()
{
    printf '>good\nMKVWALTNRDWWYHC\n>bad\n\n' >bad.faa
    check "a record without residues" refuses 1 \
        'bad.faa:3: record 2 .bad. has no residues; correct it or drop such records with --skip-bad$' \
        queries.faa bad.faa
    check "is skipped" expect_exit 0 "$RIBOGRID" search bad.faa bad.faa --skip-bad -q --force \
        -o x.h5
    check "no queries" nothing empty.faa db.faa
    check "no database" nothing queries.faa empty.faa
    check "letters without a score of their own" expect_exit 0 "$RIBOGRID" search \
        <(printf '>u\nMKUVWALOJTNRDWWYHC*\n>u\nXXXXXXXX\n') db.faa --force -o x.h5
    check "names that occur twice are said" grep -q "the first is 'u'" "$err"
    awk 'BEGIN { srand(1); print ">titin"
        for (i = 0; i < 35000; i++) printf "%s", substr("ARNDCQEGHILKMFPSTWYV", 1 + int(20 * rand()), 1)
        print "" }' >titin.faa
    awk '/^>/ { n++; next } n == 1' db.faa >>titin.faa
    check "a protein of 35,120 residues" expect_exit 0 "$RIBOGRID" search queries.faa titin.faa \
        -q --force -o x.h5
    check "has the part of a query" test "$(hits | cut -f 1 | head -n 1)" = \
        "$(sed -n '1s/>//p' db.faa | cut -d ' ' -f 1)"
}

# refuses CODE LINE ARGUMENT...
refuses()
{
    refused "$1" "$2" "$RIBOGRID" search "${@:3}" -q -o no.h5 && absent no.h5 no.h5.part
}

test_refusals()
{
    local e

    for e in 0 -0 -1 nan inf 1e400 1e-400 0x1 ''; do
        check "--evalue $e" refuses 2 "search: --evalue $e: give a number above 0, up to 2147483647" \
            queries.faa db.faa --evalue "$e"
    done
    check "queries of nucleotides" refuses 1 \
        'dna.fa looks like nucleotides, and E-values are for proteins; if these are peptides, give --alphabet protein$' \
        dna.fa db.faa
    check "a database of nucleotides" refuses 1 'dna.fa looks like nucleotides' queries.faa dna.fa
    check "both" refuses 2 'search: --alphabet dna: E-values are for proteins' dna.fa dna.fa \
        --alphabet dna
    check "unless they are said to be proteins" expect_exit 0 "$RIBOGRID" search dna.fa db.faa \
        --alphabet protein -q --force -o x.h5
    check "residues of X are none" nothing <(printf '>x\nXXXXXXXX\n') db.faa
    check "gaps of an unknown law" refuses 1 \
        'no E-values are known for these scores; give --matrix BLOSUM62 with' queries.faa db.faa \
        --gap-open 30 --gap-extend 1
    check "half costs" refuses 1 'no E-values are known' queries.faa db.faa --gap-open 12.5 \
        --gap-extend 1
    check "one cost" refuses 2 '--gap-open and --gap-extend go together' queries.faa db.faa \
        --gap-open 12
    check "an unknown field" refuses 2 "search: --fields: 'nope' is unknown" queries.faa db.faa \
        --blast6out x.tsv --fields query+nope
    check "a field of targets" refuses 2 'search: --fields: trow needs the sequences' queries.faa \
        db.faa --blast6out x.tsv --fields query+trow
    check "fields of nothing" refuses 2 'search: --fields requires --blast6out' queries.faa \
        db.faa --fields query
    check "an unknown matrix" refuses 1 'cannot read PAM1' queries.faa db.faa --matrix PAM1
    check "no database" refuses 2 'search: missing argument' queries.faa
    check "an output that exists" refused 1 'there.tsv exists' "$RIBOGRID" search queries.faa \
        db.faa -o no.h5 --blast6out there.tsv
    check "an order that a file of genes lacks" refused 1 \
        'genes.h5: --sort evalue needs local alignments of proteins' "$RIBOGRID" view genes.h5 \
        --sort evalue
}

make_proteins
: >there.tsv
"$RIBOGRID" align dna.fa -q -o genes.h5
test_hits
test_output
test_composition
test_blastp
test_databases
test_blocks
test_staged
test_builds
test_odd
test_many
test_refusals
finish
