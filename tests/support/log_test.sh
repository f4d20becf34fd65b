# log_test.sh - small jobs of every kind, which suites over all jobs go through: a new job is
# in all of them by a row here, and without one they fail.  Sourced after shell_test.sh.
#
#   make_jobs; for job in $jobs; do keep_log "$job"; resume "$job"; done
#
# CRAFT_LOG is the program that reads and changes logs (tests/io/store/craft_log.c).
# shellcheck shell=bash

: "${CRAFT_LOG:=$(dirname "$RIBOGRID")/tests/craft_log}"

# Sizes, which a test may set before: tasks are too few to be killed in the middle of them.
: "${n_reads:=10}" "${grid_rows:=3}" "${grid_columns:=4}" "${n_images:=24}"

# One row per job: free tasks or a gang, the file that it writes, its command line without -o.
job_rows="
free dense.h5 align reads.fa --emit cigar
free hits.h5 align reads.fa --id 0.4 --emit cigar
free found.h5 search some.faa more.faa --evalue 1 --mask none --cigar
free graph.h5 graph bfs grid.h5 --sources 3
free program.h5 graph run hub.rg grid.h5
free names.h5 classify reads.fa more.fa --sizein --model model.h5
free parts.h5 classify parts.fa --model genes.h5
free asvs.h5 denoise sized.fa --min-size 2
free amplicons.fa primers tagged.fa --primers ACGTCAGG/TTGACCGA --primer-mismatches 1
free chimeras.h5 chimeras sized.fa --minh 0.1
free train.h5 classify train reads.fa --taxonomy reads.tax --held-out 6
free automata.h5 automata build many.txt --budget 64
free matches.h5 automata match few.h5 hay.txt
free gaps.h5 clades dense.pairs.h5 --taxonomy reads.tax --cuts every:3
free frames.h5 ihist frames.pgm --bins 2 --tile-side 32
free mesh.h5 mesh refine plate.poly --max-area .5
free predict.tsv cnn predict network.h5 synthetic:20 --batch 8
gang gang.h5 graph bfs grid.h5 --partition on
gang cnn.h5 cnn train net.ini synthetic:$n_images --test synthetic:10
"

# jobs_of KIND: the names of these jobs, those of their files.
jobs_of()
{
    sed -n "s/^$1 \\([a-z]*\\)[.].*/\\1/p" <<<"$job_rows" | xargs
}
free_jobs=$(jobs_of free)
gang_jobs=$(jobs_of gang)
# shellcheck disable=SC2034 # used by the tests
jobs="$free_jobs $gang_jobs"

# set_command JOB: set $command to what computes it, without -o, and $file to its output.
set_command()
{
    local line

    while read -r _ file line; do
        [[ $file != "$1".* ]] || break
    done <<<"$job_rows"
    read -ra command <<<"$line"
    command=("$RIBOGRID" "${command[@]}" --threads 1)
}

# commands_of_rows: the commands that rows run, of two words where these name one.
commands_of_rows()
{
    local first second

    sed -n 's/^[a-z]* [^ ]* //p' <<<"$job_rows" | while read -r first second _; do
        "$RIBOGRID" help --commands | grep -xF "$first $second" || echo "$first"
    done
}

# every_job_has_a_row: each job that the program has is run by a row.
every_job_has_a_row()
{
    local missing

    missing=$("$RIBOGRID" help --jobs | grep -vxFf <(commands_of_rows))
    [ -z "$missing" ] && return
    echo "without a row in tests/support/log_test.sh: $missing"
    return 1
}

# make_job_inputs: what the rows read.
make_job_inputs()
{
    "$RIBOGRID" simulate "$n_reads" --length 30 --seed 3 -o reads.fa
    "$RIBOGRID" simulate 2 --length 30 --seed 4 -o more.fa
    awk '/^>/ { print substr($1, 2) "\tBacteria;Genus " int(++n / 4) }' reads.fa >reads.tax
    "$RIBOGRID" align reads.fa --threads 1 -q -o dense.pairs.h5
    # two bases are a residue; the first ten are queries
    "$RIBOGRID" simulate 20 --length 80 --seed 6 | awk '
        BEGIN { split("A R N D C Q E G H I L K M F P S", residue, " ") }
        /^>/ { print; next }
        { for (i = 1; i < length; i += 2) printf "%s", residue[4 * \
            (index("ACGT", substr($0, i, 1)) - 1) + index("ACGT", substr($0, i + 1, 1))]
          print "" }' >more.faa
    awk '/^>/ { n++ } n <= 10' more.faa >some.faa
    # four genes of each of ten genera, and bases 61 to 180 of one of each as reads
    "$RIBOGRID" simulate 10 --length 240 --ambiguous 0 --trim 0 --seed 5 | awk '
        /^>/ { n++; next } { s[n] = s[n] $0 }
        END { for (i = 1; i <= n; i++) for (k = 1; k <= 4; k++) {
            gene = substr(s[i], 1, 40 * k) "ACGTA" substr(s[i], 40 * k + 6)
            print ">g" i "_" k "\n" gene >"genes.fa"
            print "g" i "_" k "\tBacteria;Genus " i >"genes.tax"
            if (k == 1) print ">g" i "\n" substr(gene, 61, 120) >"parts.fa" } }'
    "$RIBOGRID" classify train genes.fa --taxonomy genes.tax --held-out 6 -q -o genes.h5
    # the first half of one and the second half of the other are a chimera; d is an error of a
    "$RIBOGRID" simulate 2 --length 160 --ambiguous 0 --seed 3 | awk '/^>/ { n++; next }
        { s[n] = s[n] $0 } END { print ">a;size=50\n" s[1] "\n>b;size=40\n" s[2]
        print ">c;size=5\n" substr(s[1], 1, 80) substr(s[2], 81)
        print ">d;size=4\n" substr(s[1], 1, 39) (substr(s[1], 40, 1) == "A" ? "C" : "A") \
            substr(s[1], 41)
        }' >sized.fa
    # two blocks of reads, of which every 300th has primers, with a mismatch, on either strand
    awk 'BEGIN { for (i = 1; i <= 5000; i++) { print ">t" i
        print i % 300 ? "ACGTTGCAAC" : i % 600 ? "CACGTCTGGATTGCTCGGTCAA" : "TTGACCGAGGATTCCTGACGT" } }' \
        >tagged.fa
    # 640 kB, three pieces; what begins with "needle" goes on into the next ones
    printf 'needle.*99\n4[0-9]2$\n' >patterns.txt
    awk 'BEGIN { for (i = 1; i <= 40000; i++) printf "%d %s ", i, i % 9999 ? "straw_leaf" : "needle" }' \
        >hay.txt
    "$RIBOGRID" automata build patterns.txt -q -o few.h5
    # three blocks, of which some patterns have no group
    awk 'BEGIN { for (i = 1; i <= 1200; i++) print i % 400 ? "x" i "y?" i % 7 : "a.{9}" i }' >many.txt
    "$RIBOGRID" graph make grid --rows "$grid_rows" --columns "$grid_columns" -q \
        -o grid.h5
    # changes the graph: a record with one
    printf 'output attribute int arcs;\nnew node hub;\nforeach (v in nodes where v.degree > 2) {' >hub.rg
    printf ' new edge (hub, v, v.id);\n if (v.id == 5) { delete node v; } }\n' >>hub.rg
    printf 'rebalance;\nforeach (v in nodes) { v.arcs = v.degree; }\n' >>hub.rg
    printf '[net]\ninput = 1x28x28\nclasses = 10\n[layers]\npool = max 7\nout = linear classes\n' >net.ini
    printf 'loss = softmax\n[solver]\nrate = 0.05\nbatch = 8\nepochs = 2\n' >>net.ini
    # a plate with a hole, two regions, an attribute, markers
    printf '8 2 1 1\n1 0 0 5 2\n2 4 0 7 0\n3 4 3 1 0\n4 0 3 0 0\n5 1 1 0 3\n6 2 1 0 3\n7 2 2 0 3\n8 1 2 0 3\n' \
        >plate.poly
    printf '9 1\n1 1 2 4\n2 2 3 0\n3 3 4 0\n4 4 1 0\n5 5 6 9\n6 6 7 9\n7 7 8 9\n8 8 5 9\n9 6 2 0\n' \
        >>plate.poly
    printf '1\n1 1.5 1.5\n2\n1 .5 .5 7 .05\n2 3.5 2 8 -1\n' >>plate.poly
    # three images of 70 x 40 pixels: six tiles each, in two strips
    awk 'BEGIN { for (n = 1; n <= 3; n++) { printf "P5 70 40 255\n"
        for (i = 0; i < 2800; i++) printf "%c", 48 + (i * n * 7) % 71 } }' >frames.pgm
    set_command train
    "${command[@]}" -q -o model.h5
    set_command cnn
    "${command[@]}" -q -o network.h5
}

# make_jobs: the input of all jobs, each of which has a row.
make_jobs()
{
    check "every job has a row" every_job_has_a_row
    [ -x "$CRAFT_LOG" ] || skip "craft_log is not built"
    make_job_inputs
}

# keep_log JOB: run it; whole.FILE is its result, JOB.log its log.  A second name of the
# log outlives the run.
keep_log()
{
    set_command "$1"
    : >"$file.part"
    ln "$file.part" "$1.log"
    check "$1: an unbroken run" expect_exit 0 "${command[@]}" --resume -q -o "$file"
    mv "$file" "whole.$file"
    # that of matrices has become the result: only its records
    cp "$1.log" "$1.copy" && mv "$1.copy" "$1.log"
    "$CRAFT_LOG" "$1.log" cut 0 0
}

# resume JOB: run it with what is in $file.part.
resume()
{
    set_command "$1"
    "${command[@]}" --resume -q -o "$file"
}

# share_log JOB N: make the N logs of its tasks that a killed run would leave, whose ranks had
# every N-th task.
share_log()
{
    local k log

    set_command "$1"
    for ((k = 0; k < $2; k++)); do
        log=$file.part$([ $k -eq 0 ] || echo ".$k")
        cp "$1.log" "$log"
        "$CRAFT_LOG" "$log" share all "$2" $k
    done
}

# is_whole JOB: its result is that of the unbroken run, and no log is left.
is_whole()
{
    set_command "$1"
    absent "$file".part* || return
    case $file in
    *.h5) equal "whole.$file" "$file" ;;
    *) same "whole.$file" "$file" ;;
    esac
}
