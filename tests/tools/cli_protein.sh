#!/usr/bin/env bash
#
# cli_protein.sh - tests `ribogrid align --alphabet`: proteins from FASTA to reports, and what
# refuses them.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py

# align FILE OPTION...: write x.h5, and replace it if it exists.
align()
{
    "$RIBOGRID" align "$1" -q --force -o x.h5 "${@:2}"
}

view()
{
    "$RIBOGRID" view --no-header "$@"
}

# MKV-WAL
# MRVHWAL with BLOSUM62: 5 + 2 + 4 - 11 + 11 + 4 + 4 = 19.  The third is unlike both.
make_reads()
{
    printf '>a\nMKVWAL\n>b x\nmrvhwal\n>c\nGGGPGPGGG\n' >reads.fa
    printf '>a\nACGTTGCAACGT\n>b\nACGTTGCACGT\n' >dna.fa
}

field()
{
    "$RIBOGRID" info "$2" | awk -F '\t' -v name="$1" '$2 == name { print $3 }'
}

# guesses ALPHABET FILE OPTION...
guesses()
{
    local want=$1

    shift
    align "$@" && test "$(field alphabet x.h5)" = "$want"
}

test_alphabet()
{
    check "proteins are guessed" guesses protein reads.fa
    check "and said to be" expect_exit 0 "$RIBOGRID" align reads.fa --force -o x.h5
    check "in one line" test "$(grep -c 'reads.fa: the letters are those of proteins; --alphabet dna overrides this$' "$err")" -eq 1
    check "lengths are residues" expect_exit 0 "$RIBOGRID" align reads.fa --min-length 7 \
        --force -o x.h5
    check "in messages" grep -q 'reads.fa: 1 of 3 records dropped, 1 with fewer than 7 residues$' "$err"
    check "all are aligned" expect_exit 0 "$RIBOGRID" align reads.fa --force -o x.h5
    check "the scores are named" grep -q 'affine gaps, scores from BLOSUM62$' "$err"
    check "DNA is guessed" guesses dna dna.fa
    check "and read as proteins if that is given" guesses protein dna.fa --alphabet protein
    check "scores are those of BLOSUM62 with gaps of 11 and 1" align reads.fa --ends count
    check "by hand" test "$(view x.h5 | head -n 1)" = \
        "$(printf 'a\tb\t19\t5\t7\t0.714286')"
    check "info has the gaps" test "$(field gap_open x.h5),$(field gap_extend x.h5)" = 11,1
    check "each output" align reads.fa --ends count --emit cigar --cigar-style eqx
    check "has the alignment" test "$(view x.h5 | head -n 1 | cut -f 7)" = 1=1X1=1D3=
    check "linear gaps" align reads.fa --ends count --gap -4
    check "by hand" test "$(view x.h5 | head -n 1 | cut -f 3)" = 26
    check "local" align reads.fa --mode local
    check "by hand" test "$(view x.h5 | head -n 1 | cut -f 3)" = 19
    check "proteins against nucleotides are refused" mixed reads.fa protein dna.fa nucleotide
    check "and nucleotides against proteins" mixed dna.fa nucleotide reads.fa protein
    check "and those from a pipe" expect_exit 1 "$RIBOGRID" align - -q --against dna.fa \
        --force -o x.h5 <reads.fa
    check "by name" grep -q 'but stdin holds protein sequences' "$err"
    check "but aligned where the alphabet is given" align reads.fa --against dna.fa \
        --alphabet protein --min-overlap 0
    check "all" test "$(view x.h5 | wc -l)" -eq 6
    check "DNA queries and references of proteins are refused" expect_exit 1 "$RIBOGRID" \
        align dna.fa --against reads.fa --alphabet dna --force -o x.h5
    check "by name" grep -q "'L' is not a nucleotide letter" "$err"
}

# mixed QUERIES KIND REFERENCES KIND
mixed()
{
    expect_exit 1 "$RIBOGRID" align "$1" --against "$3" -q --force -o x.h5 &&
        grep -q "$3 holds $4 sequences, but $1 holds $2 sequences; give files of one kind, or --alphabet dna|protein if one was guessed wrong" "$err"
}

# wrong CAUSE OPTION...: refused by name, whether the alphabet is given or guessed.
wrong()
{
    local option=$1 remedy='leave it out'

    shift
    [ "$1" != --preset ] || remedy='give --matrix BLOSUM62'
    check "refused: $*" refused 2 "align: $option is for DNA alone; $remedy, or give --alphabet dna" \
        "$RIBOGRID" align reads.fa -o no.h5 --alphabet protein "$@"
    check "refused if guessed: $*" expect_exit 1 "$RIBOGRID" align reads.fa -o no.h5 -q "$@"
    check "by name" grep -q "reads.fa holds protein sequences: $option is for DNA alone" "$err"
}

test_refusals()
{
    wrong --orient --orient
    wrong '--strand both' --strand both --against reads.fa
    wrong --ambiguity --ambiguity match
    wrong --match --match 5
    wrong --mismatch --mismatch -3
    wrong '--preset without --matrix' --preset vsearch
    wrong '--preset without --matrix' --preset needle
    check "a preset with a matrix of proteins" expect_exit 0 "$RIBOGRID" align reads.fa \
        --preset needle --matrix BLOSUM62 -q --force -o x.h5
    check "has its gaps, in halves" test "$(field gap_open x.h5),$(field gap_extend x.h5)" = 20,1
    check "costs of end gaps need those of gaps" refused 2 \
        'align: with proteins --end-gap-open and --end-gap-extend need --gap-open' \
        "$RIBOGRID" align reads.fa -o no.h5 --alphabet protein --end-gap-open 4 --end-gap-extend 1
    check "a letter that is none" expect_exit 1 "$RIBOGRID" align <(printf '>a\nMK1L\n') \
        -o no.h5 --alphabet protein
    check "is named" grep -q "'1' is not an amino acid letter" "$err"
    check "proteins are no DNA" expect_exit 1 "$RIBOGRID" align reads.fa -o no.h5 \
        --alphabet dna
    check "which is said" grep -q 'looks like protein; give --alphabet protein' "$err"
    check "nothing is written" absent no.h5 no.h5.part
}

# A matrix of 6 and -1 without B, J, O, U, X, Z and '*'.
make_matrix()
{
    local letters=ACDEFGHIKLMNPQRSTVWY a b

    for ((a = -1; a < 20; a++)); do
        printf '%s' "${letters:$((a < 0 ? 20 : a)):1}"
        for ((b = 0; b < 20; b++)); do
            if [ "$a" -lt 0 ]; then
                printf ' %s' "${letters:b:1}"
            else
                printf ' %d' $((a == b ? 6 : -1))
            fi
        done
        printf '\n'
    done >20.matrix
}

test_matrix()
{
    make_matrix
    check "a matrix of 20 amino acids" align reads.fa --ends count --matrix 20.matrix
    check "by hand" test "$(view x.h5 | head -n 1 | cut -f 3)" = 18
    printf '>a\nMKVLXAL\n>b\nMKVLLAL\n' >x.fa
    check "does not score X" expect_exit 1 "$RIBOGRID" align x.fa --force -o x.h5 --matrix 20.matrix
    check "which is said" grep -q "record 1 'a' has the letter X, which 20.matrix does not score" "$err"
    sed 's/ 6/ 0/g' 20.matrix >none.matrix
    check "a matrix without a score above 0" expect_exit 1 "$RIBOGRID" align reads.fa --force \
        -o x.h5 --mode local --matrix none.matrix
    check "is none for local alignments" grep -q 'none.matrix has no score above 0, so that no local alignment gains anything; give another --matrix, or leave out --mode local$' "$err"
    check "but for others" align reads.fa --matrix none.matrix
    printf '  A C G T\nA 5 0 0 0\nC 0 5 0 0\nG 0 0 5 0\nT 0 0 0 5\n' >dna.matrix
    check "a matrix of DNA is refused" expect_exit 1 "$RIBOGRID" align reads.fa --force \
        -o x.h5 --matrix dna.matrix
    check "by name" grep -q 'one of the 20 amino acids is missing; give a symmetric protein matrix in NCBI format, such as BLOSUM62' "$err"
    if [ -r "${RIBOGRID_DATA:-}/matrices/BLOSUM62" ]; then
        align reads.fa && view x.h5 >built_in.tsv
        check "NCBI's file" align reads.fa --matrix "$RIBOGRID_DATA/matrices/BLOSUM62"
        check "is the built-in matrix" same built_in.tsv <(view x.h5)
    fi
}

test_chain()
{
    check "hits" align reads.fa --id 0.6 --emit cigar --derep
    check "are those of all pairs" test "$(view x.h5 | cut -f 1,2)" = "$(printf 'a\tb')"
    check "paf" expect_exit 0 "$RIBOGRID" export x.h5 --format paf
    check "has residues" grep -q 'cg:Z:3M1D3M' "$out"
    check "blast6" expect_exit 0 "$RIBOGRID" export x.h5 --format blast6
    check "userout" expect_exit 0 "$RIBOGRID" export x.h5 --format userout \
        --userfields query+qrow+trow
    check "spells residues" test "$(cat "$out")" = "$(printf 'a\tMKV-WAL\tMRVHWAL')"
    check "cluster" expect_exit 0 "$RIBOGRID" cluster x.h5 --id 0.6 -o otus --force
    check "all against all" align reads.fa --min-overlap 0
    check "phylip" expect_exit 0 "$RIBOGRID" export x.h5 --format phylip
    check "report" expect_exit 0 "$RIBOGRID" report x.h5 -o x.html --force
    check "dereplication and lengths" align reads.fa --derep --min-length 7 --max-ambig 0
    check "apply to residues" test "$(view x.h5 | wc -l)" -eq 1
}

# MKVWAL scores 33 with itself and 19 with b; lambda is 0.243, K 0.024.
test_evalues()
{
    check "local hits" align reads.fa --against reads.fa --mode local --emit cigar
    check "with E-values" expect_exit 0 "$RIBOGRID" export x.h5 --format blast6
    check "and bit scores" test "$(head -n 2 "$out" | cut -f 11,12 | tr '\t\n' '  ')" = \
        '4.67e-04 16.9 0.16 12.0 '
    check "up to a limit" expect_exit 0 "$RIBOGRID" export x.h5 --format userout \
        --userfields query+target --evalue 0.01
    check "of the E-value" same <(printf 'a\ta\nb\tb\nc\tc\n') "$out"
    check "which is not 0" refused 2 'evalue 0: give a number above 0' "$RIBOGRID" export x.h5 \
        --format userout --evalue 0
    check "nor of a matrix" refused 2 'evalue does not apply to --format npy' \
        "$RIBOGRID" export x.h5 --format npy --evalue 1
    check "costs without a known law" align reads.fa --against reads.fa --mode local \
        --gap-open 20 --gap-extend 1 --emit cigar
    check "have none" refused 1 'x.h5: --evalue needs local alignments .*; align with --mode local and --matrix BLOSUM62 with' \
        "$RIBOGRID" export x.h5 --format blast6 --evalue 1
    check "and -1 instead" test "$("$RIBOGRID" export x.h5 --format blast6 2>/dev/null |
        cut -f 11,12 | sort -u)" = "$(printf -- '-1\t0')"
}

# Runs of one residue are masked in queries and references, and pairs by them disappear.
test_mask()
{
    local run=QQQQQQQQQQQQQQQQQQQQ

    printf '>a\nMKVWALTNRD%sGSYFHICEMK\n' $run >low.faa
    printf '>b\nWCDEFGHIKL%sMNPRSTVWYA\n' $run >other.faa
    check "repeats are alike" align low.faa --against other.faa --mode local
    check "by their score" test "$(view x.h5 | cut -f 3)" -ge 100
    check "unless they are masked" expect_exit 0 "$RIBOGRID" align low.faa --against other.faa \
        --mode local --mask seg --force -o x.h5
    check "in both files" test "$(grep -c 'masked 20 residues of low complexity in 1 of 1' \
        "$err")" -eq 2
    check "then they are not" test "$(view x.h5 | cut -f 3)" -lt 20
    check "they are X in the file" test "$("$RIBOGRID" export x.h5 --format fasta |
        tail -n 1)" = MKVWALTNRDXXXXXXXXXXXXXXXXXXXXGSYFHICEMK
    check "which says so" test "$(field preparation x.h5)" = mask=seg
    check "masks of DNA are refused" refused 1 \
        'dna.fa: --mask seg is for proteins; leave it out' "$RIBOGRID" align dna.fa --mask seg \
        -q --force -o x.h5
    cat other.faa reads.fa >new.faa
    "$RIBOGRID" align low.faa new.faa --mode local --mask seg -q --force -o all.h5
    "$RIBOGRID" align low.faa --mode local --mask seg -q --force -o old.h5 2>/dev/null
    check "extensions take the mask" expect_exit 0 "$RIBOGRID" align new.faa --extend old.h5 \
        -q --force -o x.h5
    check "of the file" equal all.h5 x.h5
}

# An alphabet that a later version may add must not be taken for another one.
test_unknown()
{
    align reads.fa
    "$PYTHON" -c 'import h5py; h5py.File("x.h5", "a").attrs["alphabet"] = "rna"'
    check "a file of an unknown alphabet is refused" refused 1 \
        "x.h5: its alphabet 'rna' is unknown; use a newer ribogrid" "$RIBOGRID" view x.h5
    "$PYTHON" -c 'import h5py; del h5py.File("x.h5", "a").attrs["alphabet"]'
    check "one that does not say is of DNA" expect_exit 0 "$RIBOGRID" view x.h5
}

make_reads
test_alphabet
test_refusals
test_matrix
test_chain
test_evalues
test_mask
test_unknown
finish
