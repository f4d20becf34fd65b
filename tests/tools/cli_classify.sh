#!/usr/bin/env bash
#
# cli_classify.sh - `ribogrid classify` and `classify train`: names of simulated and real reads
# in every format, and odd input.
. "$(dirname "$0")/../support/shell_test.sh"
need_h5py

# Two genera of two families in refs.fa, and their genes as reads: as they are, the middle of
# them, reverse-complemented; then three reads that cannot be classified.
make_input()
{
    local genus

    for genus in 1 2 3; do
        "$RIBOGRID" simulate 12 --length 900 --seed "$genus" --divergence 5 --ambiguous 0 |
            sed "s/^>[^ ]*/>g$genus/" | awk -v g="$genus" '/^>/ { $0 = ">g" g "_" ++n } 1'
    done >all.fa
    awk '/^>/ { keep = !/_[12]$/ } keep' all.fa >refs.fa
    awk '/^>/ { keep = /_[12]$/ } keep' all.fa >whole.fa
    awk '/^>/ { print $1 "_v4"; next } { s = s $0 } ' whole.fa >/dev/null
    "$PYTHON" - <<'END'
turn = str.maketrans("ACGT", "TGCA")
genes, name = {}, None
for line in open("whole.fa"):
    if line.startswith(">"):
        name = line[1:].split()[0]
        genes[name] = ""
    else:
        genes[name] += line.strip().upper()
with open("reads.fa", "w") as out:
    for name, gene in genes.items():
        out.write(f">{name}\n{gene}\n>{name}_part\n{gene[300:550]}\n")
        out.write(f">{name}_turned\n{gene[300:550].translate(turn)[::-1]}\n")
    out.write(">short\nACGTAC\n>codes\n" + "N" * 60 + "\n>twenty\n" + gene[400:420] + "\n")
END
    grep '^>' refs.fa | sed -e 's/^>//' \
        -e 's/^\(g[12]_.*\)/\1\tBacteria;Bacillota;Genus \1/' \
        -e 's/^\(g3_.*\)/\1\tArchaea;Genus \1/' -e 's/Genus \(g[0-9]\)_.*/Genus \1/' >refs.tax
    echo 'absent	Bacteria;Other' >>refs.tax
}

test_names()
{
    check "a model is made" expect_exit 0 "$RIBOGRID" classify train refs.fa \
        --taxonomy refs.tax --held-out 0 -q -o model.h5
    check "it has all references" test "$(field references model.h5)" = 30
    check "taxa without references are left out" test "$(field taxa model.h5)" = 6
    check "reads are classified" expect_exit 0 "$RIBOGRID" classify reads.fa \
        --model model.h5 -o names.tsv
    check "a line says how many" grep -q '1[89] of 21 reads are classified' "$err"
    check "the header" test "$(head -1 names.tsv)" = 'name	strand	lineage	support	method'
    check "every gene gets its genus and strand" awk -F '\t' '
        /^g/ { n++; good += $3 ~ "(^|;)Genus " substr($1, 1, 2) "$" &&
            $2 == ($1 ~ /turned/ ? "-" : "+") && split($3, a, ";") == split($4, b, ";") }
        END { print good " of " n; exit !(n == 18 && good == n) }' names.tsv
    awk '/^>/ { keep = /_part/ } keep && !/^>/ { $0 = "GATTACAGATTACA" $0 "CCATTGGCCATTGG" } keep' \
        reads.fa >primed.fa
    check "reads are cut at primers" expect_exit 0 "$RIBOGRID" classify primed.fa \
        --model model.h5 --primers GATTACAGATTACA/CCAATGGCCAATGG -o primed.tsv
    check "the parts between them get the same names" diff <(grep _part names.tsv | cut -f 1-3) \
        <(tail -n +2 primed.tsv | cut -f 1-3)
    check "lineages may have different lengths" grep -q '^g3_1	+	Archaea;Genus g3	' names.tsv
    check "a read without words is unclassified" grep -qx \
        'short	+	unclassified	NA	nbc' names.tsv
    check "so is one of ambiguity codes" grep -qx 'codes	+	unclassified	NA	nbc' names.tsv
    check "a read of 20 letters gets a line" grep -q '^twenty	' names.tsv
    check "the other strand is not tried" expect_exit 0 "$RIBOGRID" classify reads.fa \
        --model model.h5 --strand plus -q -o forward.tsv
    check "all are forward" test "$(grep -c '	+	' forward.tsv)" = 21
    check "more support, fewer names" expect_exit 0 "$RIBOGRID" classify reads.fa \
        --model model.h5 --min-support 1 -q -o strict.tsv
    check "fewer ranks are named" test "$(cut -f 3 strict.tsv | tr -cd ';' | wc -c)" -le \
        "$(cut -f 3 names.tsv | tr -cd ';' | wc -c)"
    check "a read's name depends on its words only" expect_exit 0 "$RIBOGRID" classify \
        whole.fa --model model.h5 -q -o whole.tsv
    check "alone as among others" same <(grep -E '^g._[0-9]+	' names.tsv) \
        <(sed 1d whole.tsv)
}

# unclassified FILE: how many genes, whole or in part, have no genus.
no_genus()
{
    grep '^g' "$1" | grep -vc 'Genus'
}

# Thresholds that training has learned.
test_learned()
{
    local rate

    check "rules are learned" expect_exit 0 "$RIBOGRID" classify train refs.fa \
        --taxonomy refs.tax -q -o learned.h5
    check "info: of two methods, one with two priors, and three ranks" test \
        "$(field rules learned.h5)" = 9
    check "the same seed, the same model" expect_exit 0 "$RIBOGRID" classify train refs.fa \
        --taxonomy refs.tax -q -o again.h5
    check "equal models" equal learned.h5 again.h5
    check "another seed" expect_exit 0 "$RIBOGRID" classify train refs.fa \
        --taxonomy refs.tax --held-out 10 --seed 2 -q -o other.h5
    check "another model" same_not learned.h5 other.h5
    check "joint is the default" expect_exit 0 "$RIBOGRID" classify reads.fa --model \
        learned.h5 -q -o joint.tsv
    check "all lines have it" test "$(cut -f 5 joint.tsv | sort -u | tr '\n' ' ')" = \
        'joint method '
    check "genes of known genera get their names" test "$(no_genus joint.tsv)" -le 3
    for rate in 0 1; do
        check "--novelty-rate $rate" expect_exit 0 "$RIBOGRID" classify reads.fa --model \
            learned.h5 --novelty-rate $rate -q -o rate$rate.tsv
    done
    check "a rate of 1 names all" test "$(no_genus rate1.tsv)" = 0
    check "a rate of 0 names fewer" test "$(no_genus rate0.tsv)" -ge "$(no_genus joint.tsv)"
    check "--min-support instead" expect_exit 0 "$RIBOGRID" classify reads.fa --model \
        learned.h5 --min-support 0 -q -o all.tsv
    check "0 names all" test "$(no_genus all.tsv)" = 0
    check "nbc" expect_exit 0 "$RIBOGRID" classify reads.fa --model learned.h5 --method nbc \
        --min-support 0.8 -q -o nbc.tsv
    check "as without rules" same names.tsv nbc.tsv
    check "nbc with a rate" expect_exit 0 "$RIBOGRID" classify reads.fa --model learned.h5 \
        --method nbc --novelty-rate 1 -q -o nbc1.tsv
    check "1 names all" test "$(no_genus nbc1.tsv)" = 0
    check "a rate without rules" refused 1 'model.h5 has not learned what to refuse; train it with --held-out .*' \
        "$RIBOGRID" classify reads.fa --model model.h5 --novelty-rate 0.1 -o y.tsv
    check "joint without rules" refused 1 'model.h5 has not learned what to refuse; .*' \
        "$RIBOGRID" classify reads.fa --model model.h5 --method joint -o y.tsv
    check "both thresholds" refused 2 'give --novelty-rate or --min-support, not both' \
        "$RIBOGRID" classify reads.fa --model learned.h5 --novelty-rate 0.1 --min-support 1 \
        -o y.tsv
    grep '^g1' refs.tax >one.tax
    check "one genus teaches nothing" expect_exit 0 "$RIBOGRID" classify train refs.fa \
        --taxonomy one.tax --allow-missing -o one.h5
    check "a warning" grep -q 'names will depend on --min-support alone' "$err"
    check "there is no rule" test "$(field rules one.h5)" = 0
    check "every read is of it" expect_exit 0 "$RIBOGRID" classify whole.fa --model one.h5 -q \
        -o one.tsv
}

# Best hits by alignment, of genera that are similar.
test_align()
{
    "$PYTHON" - <<'END'
import random
random.seed(1)

def mutant(gene, part):
    return "".join(random.choice("ACGT") if random.random() < part else c for c in gene)

base = "".join(random.choice("ACGT") for _ in range(400))
with open("like.fa", "w") as refs, open("like_reads.fa", "w") as reads, \
        open("like.tax", "w") as tax:
    for genus in range(5):
        founder = mutant(base, 0.15)
        for k in range(6):
            refs.write(f">r{genus}_{k}\n{mutant(founder, 0.02)}\n")
            tax.write(f"r{genus}_{k}\tBacteria;Genus {genus}\n")
        reads.write(f">g{genus}\n{mutant(founder, 0.02)}\n")
END
    check "rules of alignments are learned" expect_exit 0 "$RIBOGRID" classify train like.fa \
        --taxonomy like.tax --align -q -o align.h5
    check "info: of three methods, one with two priors" test "$(field rules align.h5)" = 8
    check "align" expect_exit 0 "$RIBOGRID" classify like_reads.fa --model align.h5 \
        --method align -q -o align.tsv
    check "all lines have it" test "$(cut -f 5 align.tsv | sort -u | tr '\n' ' ')" = \
        'align method '
    check "--min-support 0" expect_exit 0 "$RIBOGRID" classify like_reads.fa --model align.h5 \
        --method align --min-support 0 -q -o hits.tsv
    check "the best hit of every gene is of its genus" awk -F '\t' '
        /^g/ { n++; good += $3 == "Bacteria;Genus " substr($1, 2) }
        END { print good " of " n; exit !(n == 5 && good == n) }' hits.tsv
    check "joint has rules, too" expect_exit 0 "$RIBOGRID" classify like_reads.fa --model \
        align.h5 -q -o joint_too.tsv
    check "a read that has no word" expect_exit 0 "$RIBOGRID" classify reads.fa --model \
        align.h5 --method align -q -o other.tsv
    check "is unclassified" grep -qx 'short	+	unclassified	NA	align' other.tsv
    check "align without its rules" refused 1 'learned.h5 has not learned to judge alignments;' \
        "$RIBOGRID" classify reads.fa --model learned.h5 --method align -o y.tsv
}

# Large genera as likely as small ones, or more likely.
test_prior()
{
    local prior by=("$RIBOGRID" classify reads.fa --model)

    sed 's/^\([ACGT]\{40\}\).*/\1/' like_reads.fa >like_short.fa
    check "no prior" expect_exit 0 "$RIBOGRID" classify like_short.fa --model \
        align.h5 -q -o prior_default.tsv
    for prior in equal references; do
        check "--prior $prior" expect_exit 0 "$RIBOGRID" classify like_short.fa --model \
            align.h5 --prior $prior -q -o prior_$prior.tsv
    done
    check "equal is the default" same prior_default.tsv prior_equal.tsv
    check "references give other probabilities" expect_exit 1 cmp -s prior_equal.tsv \
        prior_references.tsv
    check "it belongs to the job" refused 1 'prior_equal.tsv .*' "$RIBOGRID" classify \
        like_short.fa --model align.h5 --prior references -q --resume -o prior_equal.tsv
    check "nbc has none" refused 2 '--prior is for --method joint; leave it out.*' "${by[@]}" \
        learned.h5 --method nbc --prior equal -o y.tsv
    check "nor has a model without rules" refused 1 \
        'model.h5 has not learned what to refuse; .*' "${by[@]}" model.h5 --prior equal -o y.tsv
    "$PYTHON" -c 'import h5py, shutil
shutil.copy("learned.h5", "older.h5")
with h5py.File("older.h5", "r+") as f: f.attrs["format_version"] = 1'
    check "older models have other rules" refused 1 \
        'older.h5: a model of `ribogrid classify train`, of version 1, and not 5; make it again' "${by[@]}" \
        older.h5 -o y.tsv
    awk '/^>/ { keep = /^>g1_[34]$|^>g[23]_3$/ } keep' refs.fa >few.fa
    check "no sample is right" expect_exit 1 "$RIBOGRID" classify train few.fa \
        --taxonomy refs.tax --held-out 1 --seed 1 -o y.h5
    check "says how to help it" grep -q \
        'few.fa: cannot learn which names to refuse: .*; give more references' "$err"
    check "and no other way" expect_exit 1 grep -q 'give --resume' "$err"
    rm -f y.h5.part
}

# Between the primers of the region V4; the genes of one genus do not have them.
test_region()
{
    "$PYTHON" - <<'END'
import random
random.seed(1)
with open("sites.fa", "w") as out, open("inner.fa", "w") as inner:
    for line in open("refs.fa"):
        if line.startswith(">"):
            name = line[1:].split()[0]
            middle = "".join(random.choice("ACGT") for _ in range(250))
            ends = ("GTGCCAGCAGCCGCGGTAA", "ATTAGAAACCCTGGTAGTCC")
            if name.startswith("g3"):
                ends = ("", "")
            out.write(f">{name}\nAAAA{ends[0]}{middle}{ends[1]}TTTT\n")
            if ends[0]:
                inner.write(f">{name}\n{middle}\n")
END
    check "train on a region" expect_exit 0 "$RIBOGRID" classify train sites.fa --taxonomy \
        refs.tax --primers 515F/806R --held-out 0 -o region.h5
    check "a line counts the references" grep -q '20 of 30 records have both primers of 515F/806R' \
        "$err"
    check "train on what is cut already" expect_exit 0 "$RIBOGRID" classify train inner.fa \
        --taxonomy refs.tax --held-out 0 -q -o inner.h5
    check "it knows its primers" test "$(field primers region.h5)" = 515F/806R
    "$PYTHON" -c 'import h5py, shutil
shutil.copy("region.h5", "cut_region.h5")
with h5py.File("cut_region.h5", "r+") as f: del f["references"].attrs["primers"]'
    check "equal models otherwise" equal cut_region.h5 inner.h5
    check "no site" refused 1 'refs.fa: no record has both primers of --primers 27F/1492R .*' \
        "$RIBOGRID" classify train refs.fa --taxonomy refs.tax --primers 27F/1492R -q -o y.h5
    check "no primers" refused 2 '--primers: give two primers as FORWARD/REVERSE' \
        "$RIBOGRID" classify train refs.fa --taxonomy refs.tax --primers V4 -o y.h5
    check "references without primers can be an error" refused 1 \
        'sites.fa: 10 of 30 records lack a primer' "$RIBOGRID" classify train sites.fa \
        --taxonomy refs.tax --primers 515F/806R --missing-primers stop -o y.h5
    check "old words work" expect_exit 0 "$RIBOGRID" classify train sites.fa --taxonomy \
        refs.tax --region 515F/806R --samples 0 -o old.h5
    check "with a warning each" test "$(grep -c 'is now --\(primers\|held-out\);' "$err")" = 2
    check "and the same result" equal old.h5 region.h5
}

same_not()
{
    ! equal "$1" "$2"
}

test_formats()
{
    local format

    for format in tsv mothur qiime2 sintax hdf5; do
        check "$format" expect_exit 0 "$RIBOGRID" classify reads.fa --model model.h5 \
            --format $format -q -o x.$format
    done
    check "tsv is the default" same names.tsv x.tsv
    check "view prints hdf5 as tsv" same names.tsv <("$RIBOGRID" view x.hdf5)
    check "the name decides" expect_exit 0 "$RIBOGRID" classify reads.fa --model model.h5 -q \
        -o names.h5
    check "as --format hdf5" equal x.hdf5 names.h5
    check "info: reads" test "$(field reads names.h5)" = 21
    check "mothur" grep -qE '^g1_1	Bacteria\([0-9]+\);Bacillota\([0-9]+\);Genus_g1\([0-9]+\);$' \
        x.mothur
    check "mothur: unknown" grep -qx 'short	unknown(0);' x.mothur
    check "qiime2" grep -qE '^g1_1	Bacteria; Bacillota; Genus g1	[01]\.[0-9]{4}$' x.qiime2
    check "sintax" grep -qE '^g1_1	d:Bacteria\(1.00\),p:.*	\+	d:Bacteria,p:Bacillota,c:Genus g1$' \
        x.sintax
}

test_refused()
{
    local classify=("$RIBOGRID" classify) train=("$RIBOGRID" classify train)

    printf '>p\nMKVLAAGIVGLLLAQPSFEEIIL\n' >protein.fa
    : >empty.fa
    grep -v '^g1_5' refs.tax >gap.tax
    head -c 3000 model.h5 >cut.h5
    : >empty.h5
    "$PYTHON" -c 'import h5py, shutil
shutil.copy("model.h5", "newer.h5")
with h5py.File("newer.h5", "r+") as f: f.attrs["format_version"] = 9'
    check "proteins" refused 1 'protein.fa:2: .*looks like protein; give nucleotide sequences$' \
        "${classify[@]}" protein.fa --model model.h5 -o y.tsv
    check "no model" refused 2 'no model; give --model' "${classify[@]}" reads.fa -o y.tsv
    check "no taxonomy" refused 1 'refs.fa:1: the header has no lineage; give a table' \
        "${train[@]}" refs.fa -o y.h5
    check "no taxonomy for stdin" refused 2 'stdin is read only once.*give --taxonomy' \
        "${train[@]}" - -o y.h5
    sed 's/^>.*/& Bacteria;Bacillota/' refs.fa >headers.fa
    check "lineages in headers are read" expect_exit 0 "${train[@]}" headers.fa \
        --held-out 0 -q -o headers.h5
    check "an empty model" refused 1 'empty.h5: .*' "${classify[@]}" reads.fa --model \
        empty.h5 -o y.tsv
    check "a truncated model" refused 1 'cut.h5: .*' "${classify[@]}" reads.fa --model cut.h5 \
        -o y.tsv
    check "another kind of file" refused 1 'names.h5: an HDF5 file, but not a model' \
        "${classify[@]}" reads.fa --model names.h5 -o y.tsv
    check "a newer version" refused 1 'newer.h5: .*version 9' "${classify[@]}" reads.fa \
        --model newer.h5 -o y.tsv
    check "a missing model" refused 1 'none.h5: .*No such file' "${classify[@]}" reads.fa \
        --model none.h5 -o y.tsv
    check "a reference without lineage" refused 1 \
        "gap.tax has no lineage for 1 of 30 references, the first is 'g1_5'; .*--allow-missing" \
        "${train[@]}" refs.fa --taxonomy gap.tax -o y.h5
    check "may be left out" expect_exit 0 "${train[@]}" refs.fa --taxonomy gap.tax \
        --allow-missing -q -o y.h5
    check "29 are left" test "$(field references y.h5)" = 29
    rm -f y.h5
    check "no reference" refused 1 'empty.fa holds no sequence' "${train[@]}" empty.fa \
        --taxonomy refs.tax -o y.h5
    check "output is an input" refused 2 'model.h5' "${classify[@]}" reads.fa --model model.h5 \
        --force --format hdf5 -o model.h5
    check "stdout" expect_exit 0 "${classify[@]}" reads.fa --model model.h5 -q -o -
    cp "$out" stdout.tsv
    check "... has the same bytes" expect_exit 0 "${classify[@]}" reads.fa --model model.h5 -q \
        -o file.tsv
    check "... as a file" cmp -s stdout.tsv file.tsv
    check "HDF5 to stdout" refused 2 'HDF5 cannot be written to stdout' "${classify[@]}" reads.fa \
        --model model.h5 --format hdf5 -o -
    check "an existing file" refused 1 'names.tsv' "${classify[@]}" reads.fa --model model.h5 \
        -o names.tsv
    check "no folder" refused 1 'none/y.tsv' "${classify[@]}" reads.fa --model model.h5 \
        -o none/y.tsv
    check "nothing is left" absent y.tsv y.h5 y.tsv.part y.h5.part
    check "no reads" expect_exit 0 "${classify[@]}" empty.fa --model model.h5 -o none.tsv
    check "a warning" grep -q 'empty.fa holds no sequence: there is nothing to classify' "$err"
    check "only the header" test "$(wc -l <none.tsv)" = 1
}

# Genera of real genes that the model has.
test_real()
{
    local data=${RIBOGRID_DATA:-}/16s

    [ -r "$data/rdp_testDMtrain.fasta.gz" ] || return 0
    zcat "$data/rdp_testDMtrain.fasta.gz" | awk '/^>/ { n++ }
        { print > (n % 2 ? "queries.fa" : "known.fa") }'
    zcat "$data/rdp_testDMtrain.fasta.gz" | sed -n 's/^>\([^	]*\)	*/\1	/p' >real.tax
    check "train" expect_exit 0 "$RIBOGRID" classify train known.fa --taxonomy real.tax \
        --held-out 60 -q -o real.h5
    check "classify" expect_exit 0 "$RIBOGRID" classify queries.fa --model real.h5 -q \
        -o real.tsv
    check "domain and phylum are right" awk -F '\t' '
        NR == FNR { known[$1] = $2; next }
        FNR > 1 && split($3, a, ";") > 1 {
            split(known[$1], b, ";"); n++; good += a[1] == b[1] && a[2] == b[2] }
        END { print good " of " n; exit !(n > 100 && good >= 0.95 * n) }' real.tax real.tsv
}

make_input
test_names
test_learned
test_align
test_prior
test_region
test_formats
test_refused
test_real
finish
