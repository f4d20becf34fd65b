#!/usr/bin/env bash
#
# mutate.sh - runs every command that reads result files on damaged files.
#
#   RIBOGRID=build/asan/ribogrid tests/mutate/mutate.sh [N [FIRST_SEED [JOBS]]]
#
# Makes N mutants of small valid files, with seeds from FIRST_SEED, and runs the
# commands on each, JOBS mutants at a time; the valid files are read first.  Prints how
# the runs ended. Fails if one was a fault of ours: a signal, a hang, a report of a
# sanitizer in our code, more than one line of error, impossible output of a success,
# too much memory or output, another file read or changed (outcome.sh).  Crashes and
# endless loops of HDF5 that the process around it turned into one line are counted
# apart.
#
# Without arguments it is short, for ctest: 24 mutants, and each one meets 4 of the commands
# that get far with such a file, other ones in turn.  With arguments each mutant meets all commands, unless
# MUTATE_COMMANDS says how many.
#
# MUTATE_DIR: where to keep results.tsv, seeds/, and failed/: mutants that failed, with
# messages.
# MUTATE_TOOLS: the directory of make_images, mutate_h5 and run_limited, if not the
# program's build.
mutate=$(cd "$(dirname "$0")" && pwd)
. "$mutate/../support/shell_test.sh"
. "$mutate/seeds.sh"
. "$mutate/outcome.sh"
cd "$OLDPWD" || exit 1 # MUTATE_DIR is relative to it

n_mutants=${1:-24}
first=${2:-1}
jobs=${3:-2}
tools=${MUTATE_TOOLS:-$(dirname "$RIBOGRID")/tests}
results=${MUTATE_DIR:-$tmp/results}
n_commands=${MUTATE_COMMANDS:-$([ $# -eq 0 ] && echo 4 || echo all)}
: "${MUTATE_SECONDS:=60}" "${MUTATE_MAX_MB:=64}" "${MUTATE_MAX_KB:=1500000}"
export RIBOGRID_STALL_SECONDS=${RIBOGRID_STALL_SECONDS:-5}
# Reports go to files; memory that is not there is refused, as without sanitizers.
export ASAN_OPTIONS=log_path=san:abort_on_error=1:detect_leaks=1
# The last one: GCC 13 misaligns AVX-512 vectors in such frames (its bug 110027).
ASAN_OPTIONS+=:allocator_may_return_null=1:max_allocation_size_mb=3000
ASAN_OPTIONS+=:detect_stack_use_after_return=0
export UBSAN_OPTIONS=log_path=san:print_stacktrace=1
LSAN_OPTIONS+=:log_path=san:exitcode=0 # HDF5 leaks where it fails
fields=query+target+raw+ql+tl+qlo+qhi+qstrand+bits+id+ids+id0+alnlen+id2+mism+pairs+id1
fields+=+qcov+gaps
row_fields=query+opens+exts+id3+qilo+qihi+tilo+tihi+caln+aln+qrow
# Commands that get far with a seed; with all commands, each mutant meets the others too.
dense=(view view_region info phylip lower column npy single complete centroid average
    opti report report_otus graph_pairs fasta extend counts)
hits=(view view_id view_region view_best info userout column single complete centroid opti report
    graph_pairs fasta extend counts)
cigars=(blast6 uc paf rows)
against=(view view_id view_region info userout taxonomy report fasta)
every=("${dense[@]}" "${cigars[@]}" view_id userout taxonomy resume)

# set_commands: set $commands to those for $seed_file.
set_commands()
{
    case $seed_file in
    log) commands=(info resume_log) ;;
    grid)
        commands=(graph divided file_view info page)
        [ ! -x "$RIBOGRID-bench" ] || commands+=(bench)
        ;;
    changed) commands=(from_changed info) ;;
    parts) commands=(from_parts file_view) ;;
    images) commands=(predict_images train) ;;
    train) commands=(classify file_view info page) ;;
    cnn) commands=(predict file_view page info) ;;
    automata) commands=(match match_dfa compress file_view page info) ;;
    gaps) commands=(taxa two file_view info page) ;;
    frames) commands=(rectangle file_view info page) ;;
    mesh) commands=(mesh_check mesh_refine file_view page info) ;;
    proteins) commands=(search file_view page info) ;;
    compressed) commands=(match_adfa file_view page info) ;;
    *.groups)
        commands=(info file_view page report_groups groups_uc groups_shared)
        [ "$seed_file" = old_dense.groups ] || commands+=(previous)
        ;;
    dense) commands=("${dense[@]}" resume) ;;
    samples) commands=("${dense[@]}") ;;
    score)
        commands=(view view_region info)
        [ "$seed" -le 0 ] || commands+=(phylip opti)
        ;;
    cigar | old_dense) commands=("${dense[@]}" "${cigars[@]}") ;;
    hits | sizes) commands=("${hits[@]}") ;;
    hits_cigar) commands=("${hits[@]}" "${cigars[@]}") ;;
    against) commands=("${against[@]}") ;;
    strands | old_hits) commands=("${against[@]}" "${cigars[@]}") ;;
    *) commands=(file_view info page) && return ;; # of other jobs
    esac
    case $seed_file in
    *.groups | log | grid | changed | parts | train | cnn | images | automata | compressed | proteins | gaps | mesh) ;;
    *) [ "$n_commands" = all ] && [ "$seed" -gt 0 ] && commands=("${every[@]}") ;;
    esac
}

# words COMMAND: set $program and $words to its command line, on the mutant m.h5.
words()
{
    local to=(-o "out/x.$1")

    [ $((seed % 2)) -eq 0 ] && [ "$1" != npy ] && to=()
    program=$RIBOGRID
    case $1 in
    view) words=(view m.h5) ;;
    view_id) words=(view m.h5 --id 0.65) ;;
    view_region) words=(view m.h5 --region "2-7,3-8") ;;
    view_best) words=(view m.h5 --sort identity) ;;
    info) words=(info m.h5) ;;
    file_view) words=(view m.h5) ;;
    graph) words=(graph components m.h5 --symmetrize -q --threads 1 -o out/x.h5) ;;
    from_changed)
        words=(graph components m.h5 --from ../seeds/parts.h5 -q --threads 1 -o out/x.h5)
        ;;
    from_parts)
        words=(graph components ../seeds/changed.h5 --from m.h5 -q --threads 1 -o out/x.h5)
        ;;
    graph_pairs)
        words=(graph mis m.h5 --id 0.7 --order abundance -q --threads 1 -o out/x.h5)
        ;;
    divided)
        words=(graph bfs m.h5 --source 0 --partition on -q --threads 1 -o out/x.h5)
        ;;
    bench)
        program=$RIBOGRID-bench
        words=(graph m.h5 --algorithm bfs --device cpu --runs 1 --setting serial --tsv)
        ;;
    predict_images)
        words=(cnn predict ../seeds/network.h5 m.h5 -q --threads 1 -o out/x.tsv)
        ;;
    train)
        words=(cnn train ../seeds/small.ini m.h5 --batch 4 --epochs 1 -q --threads 1
            -o out/x.h5)
        ;;
    classify) words=(classify ../seeds/more.fa --model m.h5 -q --threads 1 -o out/x.h5) ;;
    match) words=(automata match m.h5 ../seeds/more.fa -q --threads 1 -o out/x.h5) ;;
    match_dfa)
        words=(automata match m.h5 ../seeds/more.fa -q --lines --kernel dfa --threads 1
            -o out/x.h5)
        ;;
    match_adfa)
        words=(automata match m.h5 ../seeds/more.fa -q --kernel adfa --threads 1 -o out/x.h5)
        ;;
    search) words=(search ../seeds/proteins.faa m.h5 -q --threads 1 -o out/x.h5) ;;
    compress) words=(automata compress m.h5 -q --threads 1 -o out/x.h5) ;;
    predict) words=(cnn predict m.h5 synthetic:6 -q --threads 1 -o out/x.tsv) ;;
    counts)
        words=(clades m.h5 --taxonomy taxonomy.tsv --cuts 2 -q --threads 1 -o out/x.h5)
        ;;
    mesh_check) words=(mesh check m.h5) ;;
    mesh_refine) words=(mesh refine m.h5 --max-points 500 --partial -q --threads 1 -o out/x) ;;
    rectangle) words=(ihist query m.h5 --rect 3,2,67,33 --frame 2) ;;
    taxa) words=(clades m.h5) ;;
    two) words=(clades m.h5 "Genus 0" "Genus 1" --pairs-file ../seeds/jobs/dense.pairs.h5) ;;
    page) words=(report m.h5 -o out/x.html) ;;
    userout) words=(export m.h5 --format userout --userfields "$fields" "${to[@]}") ;;
    rows) words=(export m.h5 --format userout --userfields "$row_fields" "${to[@]}") ;;
    lower) words=(export m.h5 --format phylip --triangle lower "${to[@]}") ;;
    column) words=(export m.h5 --format column --id 0.65 "${to[@]}") ;;
    blast6 | uc | phylip | paf | npy | fasta) words=(export m.h5 --format "$1" "${to[@]}") ;;
    taxonomy) words=(taxonomy m.h5 --taxonomy taxonomy.tsv "${to[@]}") ;;
    report)
        words=(report m.h5 --id 0.7 -o out/x.html)
        [ $((seed % 3)) -eq 0 ] && words+=(--taxonomy taxonomy.tsv)
        ;;
    extend)
        words=(align ../seeds/more.fa --extend m.h5 -q --device cpu --threads 1 -o out/x.h5)
        ;;
    resume) words=(align ../seeds/genes.fa -q --threads 1 --resume -o m.h5) ;;
    resume_log)
        words=(align ../seeds/genes.fa -q --threads 1 --id 0.5 --resume -o out/x.h5)
        cp m.h5 out/x.h5.part 2>/dev/null # may be a directory
        ;;
    report_otus) words=(report m.h5 --groups groups.h5 -o out/x.html) ;;
    groups_uc) words=(export pairs.h5 --groups m.h5 --format uc "${to[@]}") ;;
    groups_shared) words=(export pairs.h5 --groups m.h5 --format shared "${to[@]}") ;;
    previous)
        words=(cluster pairs.h5 --id 0.8 --previous m.h5 --changes "out/x.$1" -q --threads 1
            -o out/x)
        ;;
    report_groups) words=(report pairs.h5 --groups m.h5 -o out/x.html) ;;
    *)
        words=(cluster m.h5 --id 0.7 --method "$1" -q -o out/x)
        [ "$1" = complete ] || [ "$1" = centroid ] || words+=(--threads 2)
        ;;
    esac
}

# state: what another program would notice of the files here.
state()
{
    find . -path ./out -prune -o ! -name 'std*' ! -name 'san*' ! -name . -printf \
        '%P %y %i %m %s %T@ %C@\n' | sort
}

# keep COMMAND CLASS...: keep a mutant that failed.
keep()
{
    local name=$seed.$seed_file

    mkdir -p "$results/failed"
    [ -f m.h5 ] && cp m.h5 "$results/failed/$name.h5"
    {
        echo "$what"
        echo "${program##*/} ${words[*]}"
        echo "$2"
        head -c 2000 stderr
        head -n 60 -q san.* 2>/dev/null
    } >"$results/failed/$name.$1.txt"
}

# note COMMAND CLASS PEAK_KB CAUSE: add a line to the results.
note()
{
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$seed" "$seed_file" "$@" >>"../$worker.tsv"
}

# run_one COMMAND: run it on the mutant and write down what came of it.
run_one()
{
    local ended code left peak class program

    rm -rf out san.*
    mkdir out
    words "$1"
    # shellcheck disable=SC2034 # judge reads them
    read -r ended code _ left _ peak < <("$tools/run_limited" "$MUTATE_SECONDS" \
        "$MUTATE_MAX_MB" stdout stderr "$program" "${words[@]}") || ended=nothing
    class=$(judge "$1")
    [ "$seed" -gt 0 ] || [ "$class" = accepted ] || class="valid $class"
    note "$1" "${class%% *}" "$peak" "${class#* }"
    case ${class%% *} in
    accepted | refused | contained) ;;
    *) keep "$1" "$class" ;;
    esac
}

# run_mutant SEED: make it and run the commands on it.  Mutants 1 - n to 0 of n seed files
# are the files as they are: no command may refuse them.
run_mutant()
{
    local seed=$1 seed_file what code=0 before commands n i is_against=0

    seed_file=${seeds[(seed + ${#seeds[@]}) % ${#seeds[@]}]}
    rm -rf m.h5 groups.h5
    if [ "$seed" -le 0 ]; then
        what="as it is"
        cp "../seeds/$seed_file.h5" m.h5
    else
        what=$(ASAN_OPTIONS=detect_leaks=0 timeout 60 "$tools/mutate_h5" \
            "../seeds/$seed_file.h5" "$seed" m.h5 2>mutate.err) || code=$?
        # HDF5 may crash in a file that the mutator has damaged and goes on to change
        [ $code -le 128 ] || note - contained 0 "signal $((code - 128))"
        [ $code -eq 0 ] || [ $code -gt 128 ] || note - unmade 0 "$(tail -n 1 mutate.err)"
        [ $code -eq 0 ] || return
    fi
    case $seed_file in
    *.groups) cp "../seeds/${seed_file%.groups}.h5" pairs.h5 ;;
    samples | old_dense) cp "../seeds/$seed_file.groups.h5" groups.h5 ;;
    against | strands | old_hits) is_against=1 ;;
    esac
    [ -e groups.h5 ] || cp ../seeds/dense.groups.h5 groups.h5
    set_commands
    n=${#commands[@]}
    before=$(state)
    for ((i = 0; i < n; i++)); do
        [ "$n_commands" = all ] || [ $(((i + 4 * (seed + n)) % n)) -lt "$n_commands" ] ||
            continue
        run_one "${commands[i]}"
    done
    [ "$before" = "$(state)" ] || {
        note - touched 0 "$(diff <(echo "$before") <(state) | tr '\n' '|')"
        keep all touched
    }
}

# work WORKER: every jobs-th mutant, in a directory of its own.
work()
{
    local worker=w$1 k

    mkdir -p "$results/$worker" && cd "$results/$worker" || exit 1
    cp -p ../seeds/secret.txt ../seeds/other.h5 ../seeds/taxonomy.tsv . || exit 1
    mkfifo fifo || exit 1
    : >"../$worker.tsv"
    for ((k = $1 - ${#seeds[@]} + 1; k <= 0; k += jobs)); do
        run_mutant "$k"
    done
    for ((k = first + $1; k < first + n_mutants; k += jobs)); do
        run_mutant "$k"
    done
}

# print_totals FILE: the counts, and the first faults.
print_totals()
{
    awk -F '\t' '
        { n[$4]++; if ($3 != "-") runs++; if ($5 > peak) peak = $5 }
        $1 > 0 && !seen[$1]++ { mutants++ }
        $4 !~ /^(accepted|refused|contained)$/ {
            faults++
            kinds[$4]++
            if (faults <= 20) print $1, $2, $3 ": " $4, $6
        }
        END {
            printf "%d mutants, %d runs: %d refused, %d accepted, ", mutants, runs,
                n["refused"], n["accepted"]
            printf "%d contained crashes and loops of HDF5; peak %d MB\n", n["contained"],
                peak / 1024
            printf "faults of ours: %d", faults
            for (kind in kinds) printf ", %d %s", kinds[kind], kind
            print ""
            exit faults > 0 || mutants == 0 || n["accepted"] == 0 || n["refused"] == 0
        }' "$1"
}

for tool in make_images mutate_h5 run_limited; do
    [ -x "$tools/$tool" ] || {
        echo "no $tools/$tool: build it, or set MUTATE_TOOLS"
        exit 1
    }
done
mkdir -p "$results/seeds" && cd "$results/seeds" || exit 1
cp "$mutate"/../golden/old_*.h5 .
make_seeds 2>../seeds.log || {
    cat ../seeds.log
    echo "cannot make the seed files"
    exit 1
}
for ((w = 0; w < jobs; w++)); do
    (work "$w") &
done
wait
cd "$results" || exit 1
cat w*.tsv | sort -n -k 1,1 -s >results.tsv
rm -rf w[0-9]*
[ -z "${MUTATE_DIR:-}" ] || echo "$results: results.tsv and failed/"
print_totals results.tsv
