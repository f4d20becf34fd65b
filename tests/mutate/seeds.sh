# seeds.sh - small valid files of every kind that the reading commands accept: pairs, what
# is made of them, and the result in HDF5 of every job of support/log_test.sh.
# shellcheck shell=bash

. "$(dirname "${BASH_SOURCE[0]}")/../support/log_test.sh"

# The seeds' names; PAIRS.groups.h5 is of PAIRS.h5.
# shellcheck disable=SC2034 # mutate.sh reads it
seeds=(dense cigar score hits hits_cigar samples sizes against strands dense.groups
    samples.groups old_dense old_hits old_dense.groups log grid bfs mst clades changed parts images
    automata compressed proteins)
job_seeds=()
for job in $free_jobs $gang_jobs; do
    set_command "$job"
    [[ $file != *.h5 || " ${seeds[*]} " == *" $job "* ]] || job_seeds+=("$job")
done
seeds+=("${job_seeds[@]}")

# Genes twice, with sizes or in samples.
write_records()
{
    awk '/^>/ { name = substr($0, 2); next }
        { n++; printf ">%s;size=%d\n%s\n", name, n % 4 + 1, $0
          if (n % 3) printf ">%s_again;size=2\n%s\n", name, $0 }' genes.fa >records.fa
    awk '/^>/ { name = substr($1, 2)
          printf "%s\tsample%d\t%d\n%s\tsample4\n", name, NR % 3, NR % 5 + 1, name
        }' records.fa >samples.tsv
}

# What a second file of a mutant may be: it must not be opened, printed or changed.
write_strangers()
{
    for _ in 1 2 3 4 5 6 7 8; do
        printf 'STRANGERS-SECRET %.0s' 1 2 3 4 5 6 7 8
    done >secret.txt
    cp dense.h5 other.h5
}

# The log of a run that stopped early, and the pairs of a run that did not.
write_log()
{
    ! "${align[@]}" genes.fa --id 0.5 -o stopped.h5 --max-output 1000 2>stopped.err &&
        grep -q 'take more than --max-output' stopped.err &&
        mv stopped.h5.part log.h5 && "$RIBOGRID" view hits.h5 >log.tsv
}

# A graph, and results of graph jobs: columns of two sources, with names, edges, and counts; a graph
# that was changed, and its components before.
write_graphs()
{
    local to=(-q --threads 1)

    "$RIBOGRID" graph make grid --rows 3 --columns 3 --weights uniform:1-9 "${to[@]}" \
        -o grid.h5 &&
        "$RIBOGRID" graph bfs hits.h5 --id 0.5 --sources 2 "${to[@]}" -o bfs.h5 &&
        "$RIBOGRID" graph mst grid.h5 "${to[@]}" -o mst.h5 &&
        printf '((a,b),c);' >tree.nwk && printf 'n\tx\ty\nb\t3\t4\n' >counts.tsv &&
        "$RIBOGRID" graph tree-descendants tree.nwk --leaf-weights counts.tsv "${to[@]}" \
            -o clades.h5 &&
        "$RIBOGRID" graph components grid.h5 "${to[@]}" -o parts.h5 &&
        printf '0 1 1\n3 12 4\n' >change.txt &&
        "$RIBOGRID" graph update grid.h5 --remove change.txt --add change.txt --allow-absent \
            "${to[@]}" -o changed.h5
}

# Images, and a network of one layer for them.
write_images()
{
    printf '[net]\ninput = 1x4x4\nclasses = 3\n[layers]\na = linear classes\nb = softmax\n' \
        >small.ini && "$RIBOGRID" cnn train small.ini synthetic:12 --test synthetic:4 --batch 4 \
        --epochs 2 -q --threads 1 -o network.h5 && "$tools/make_images" images.h5
}

# Automata: a group of two patterns, with anchors, and one without a group; whole and
# compressed.
write_patterns()
{
    printf 'AC+G\n^>sim[0-9].*$\nT(C|G){12}A\n' >patterns.txt &&
        "$RIBOGRID" automata build patterns.txt -q --threads 1 --budget 40 -o automata.h5 &&
        "$RIBOGRID" automata compress automata.h5 -q --threads 1 -o compressed.h5
}

# A database of proteins: two bases of a gene are a residue.
write_proteins()
{
    awk 'BEGIN { split("A R N D C Q E G H I L K M F P S", residue, " ") }
        /^>/ { print; next }
        { for (i = 1; i < length; i += 2) printf "%s", residue[4 * \
            (index("ACGT", substr($0, i, 1)) % 4) + index("ACGT", substr($0, i + 1, 1)) % 4 + 1]
          print "" }' genes.fa >proteins.faa &&
        "$RIBOGRID" search build proteins.faa -q --threads 1 -o proteins.h5
}

# The results of jobs, made in a folder of their own.
write_jobs()
(
    every_job_has_a_row >&2 && mkdir -p jobs && cd jobs && make_job_inputs || return 1
    for job in "${job_seeds[@]}"; do
        set_command "$job"
        "${command[@]}" -q -o "../$file" || return 1
    done
)

# make_seeds: write seed files, lineages and strangers to the current directory.
make_seeds()
{
    local simulate=("$RIBOGRID" simulate --length 60)
    local align=("$RIBOGRID" align -q --threads 1)
    local cluster=("$RIBOGRID" cluster -q --id 0.8)

    "${simulate[@]}" 12 -o genes.fa && write_records &&
        "${simulate[@]}" 5 --seed 2 --divergence 10 -o more.fa &&
        sed 's/^>sim/>ref/' genes.fa >references.fa &&
        sed 's/^>sim/>more/' more.fa >>references.fa &&
        "${align[@]}" genes.fa -o dense.h5 &&
        "${align[@]}" genes.fa -o cigar.h5 --emit cigar --ends count &&
        "${align[@]}" genes.fa -o score.h5 --emit score &&
        "${align[@]}" genes.fa -o hits.h5 --id 0.5 &&
        "${align[@]}" genes.fa -o hits_cigar.h5 --id 0.5 --emit cigar \
            --cigar-style eqx &&
        "${align[@]}" records.fa -o samples.h5 --derep --samples samples.tsv &&
        "${align[@]}" records.fa -o sizes.h5 --derep --sizein --id 0.6 &&
        "${align[@]}" genes.fa --against references.fa -o against.h5 --top 3 &&
        "${align[@]}" genes.fa --against references.fa -o strands.h5 --strand both \
            --id 0.5 --emit cigar --ends query &&
        write_log && write_graphs && write_images && write_patterns && write_proteins && write_jobs &&
        "${cluster[@]}" dense.h5 -o dense && "${cluster[@]}" samples.h5 -o samples &&
        awk '/^>/ { name = n = substr($1, 2); sub(/;.*/, "", n); gsub(/[^0-9]/, "", n)
            printf "%s\tBacteria;Phylum%d;Genus%d\n", name, n % 4, n
        }' genes.fa records.fa references.fa >taxonomy.tsv &&
        write_strangers
}
