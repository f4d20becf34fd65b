#!/usr/bin/env bash
#
# cli_classify_mocks.sh - the genes of three mock communities and their V4 regions, named by
# models of RDP's training set 18: how many genera are right, and that none is wrong.
. "$(dirname "$0")/../support/shell_test.sh"
data=${RIBOGRID_DATA:-}/16s
for f in mock-3.fasta mock-12.fasta mock-17.fasta rdp_trainset18.fasta.gz rdp_trainset18.tax.tsv.gz; do
    [ -r "$data/$f" ] || skip "no $data/$f"
done

# The genera, as RDP calls them, of the species in the names of the records.
cat >genera <<'END'
^A(cinetobacter_|\.)baumannii	Acinetobacter
^A(ctinomyces_|\.)odontolyticus	Schaalia
^B(acillus_|\.)cereus	Bacillus
^B(acteroides[_ ]|\.)vulgatus	Phocaeicola
^Bacteroides massiliensis	Phocaeicola
^Bacteroides (cellulosilyticus|eggerthii|fragilis|ovatus|thetaiotaomicron|uniformis)	Bacteroides
^Barnesiella	Barnesiella
^C(lostridium_|\.)beijerinckii	Clostridium_sensu_stricto
^Clostridium celatum	Clostridium_sensu_stricto
^Clostridium cocleatum	Clostridium_XVIII
^Clostridium methylpentosum	Clostridium_IV
^Clostridium phytofermentans	Clostridium_XlVa
^Clostridium xylanovorans	Anaerocolumna
^Coprococcus	Coprococcus
^D(einococcus_|\.)radiodurans	Deinococcus
^E(nterococcus_|\.)faecalis	Enterococcus
^E(scherichia_|\.)coli	Escherichia/Shigella
^Eubacterium rectale	Agathobacter
^H(elicobacter_|\.)pylori	Helicobacter
^Howardella	Howardella
^L(actobacillus_|\.)gasseri	Lactobacillus
^L(isteria_|\.)monocytogenes	Listeria
^M(ethanobrevibacter_|\.)smithii	Methanobrevibacter
^N(eisseria_|\.)meningitidis	Neisseria
^P(ropionibacterium_|\.)acnes	Cutibacterium
^P(seudomonas_|\.)aeruginosa	Pseudomonas
^P\.gingivalis	Porphyromonas
^Parabacteroides	Parabacteroides
^Paraprevotella	Paraprevotella
^Prevotella	Prevotella
^R(hodobacter_|\.)sphaeroides	Luteovulum
^Roseburia	Roseburia
^Ruminococcus gnavus	Mediterraneibacter
^S(taphylococcus_|\.)(aureus|epidermidis)	Staphylococcus
^S(treptococcus_|\.)(agalactiae|mutans|pneumoniae)	Streptococcus
END

# region FILE: what lies between the primers 515F and 806R.
region()
{
    awk 'function cut() {
            if (match(s, /GTG[CT]CAGC[AC]GCCGCGGTAA/)) {
                s = substr(s, RSTART + RLENGTH)
                if (match(s, /ATTAGA[AT]ACCC[TCG].GTAGTCC/))
                    print name "\n" substr(s, 1, RSTART - 1)
            }
        }
        /^>/ { cut(); name = $0; s = ""; next }
        { s = s toupper($0) }
        END { cut() }' "$1"
}

# judge NAMES: print the names whose genus is wrong, then "right of all".
judge()
{
    awk -F '\t' 'NR == FNR { pattern[++n] = $1; genus[n] = $2; next }
        FNR == 1 { next }
        {
            want = "?"
            for (k = 1; k <= n; k++)
                if ($1 ~ pattern[k]) want = genus[k]
            all++
            if (split($3, taxon, ";") < 6) next
            if (taxon[6] == want) right++
            else print $1 ": " taxon[6] ", not " want
        }
        END { print right + 0 " of " all }' genera "$1"
}

# at_least N FILE: the last line says at least N, and nothing is wrong.
at_least()
{
    awk -v n="$1" 'END { good = NR == 1 && $1 >= n } { print } END { exit !good }' "$2"
}

cat "$data"/mock-{3,12,17}.fasta >genes.fa
region genes.fa >v4.fa
# train MODEL OPTION...: learn from few samples, because a test has to be fast.
train()
{
    expect_exit 0 "$RIBOGRID" classify train "$data/rdp_trainset18.fasta.gz" --skip-bad \
        --taxonomy "$data/rdp_trainset18.tax.tsv.gz" --held-out 100 -q -o "$@"
}

check "a model of genes is made" train genes.h5
check "a model of V4 is made" train v4.h5 --primers 515F/806R
for reads in genes v4; do
    check "$reads are named" expect_exit 0 "$RIBOGRID" classify "$reads.fa" --full-names \
        --model $reads.h5 -q -o "$reads.tsv"
    judge "$reads.tsv" >"$reads.judged"
done
check "of 237 genes at least 220 get their genus, and none a wrong one" at_least 220 genes.judged
check "of 230 V4 regions at least 190 do, and none gets a wrong one" at_least 190 v4.judged
tail -n 1 genes.judged v4.judged
finish
