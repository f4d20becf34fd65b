#!/usr/bin/env bash
#
# cli_files.sh - nobody's files are touched: outputs that are inputs, links, pipes, devices,
# directories, modes, temporary names and logs, for every command that writes a file.
. "$(dirname "$0")/../support/shell_test.sh"
umask 022
bench='' # `ribogrid-bench dispatch`, if it is built
[ -x "$RIBOGRID-bench" ] && bench=bench

"$RIBOGRID" simulate 12 --length 60 -o reads.fa
"$RIBOGRID" simulate 19 --length 60 --seed 2 -o all.fa
"$RIBOGRID" align reads.fa -q -o pairs.h5
"$RIBOGRID" align reads.fa --against reads.fa --id 0.5 -q -o hits.h5
awk '/^>/ { print substr($1, 2) "\tBacteria;Some" }' reads.fa >lineages
awk '/^>/ { print substr($1, 2) "\tA" }' reads.fa >samples
{
    printf 'Representative_Sequence\ttotal\tA\n'
    awk '/^>/ { print substr($1, 2) "\t2\t2" }' reads.fa
} >counts
printf ' A C G T\nA 4 -5 -5 -5\nC -5 4 -5 -5\nG -5 -5 4 -5\nT -5 -5 -5 4\n' >matrix
mkdir folder victims

# write_to OUTPUT COMMAND [OPTION...]: run a command that writes one file, and replaces it.
write_to()
{
    local output=$1 command=$2 program=$RIBOGRID

    shift 2
    case $command in
    align) set -- align reads.fa -q -o "$output" "$@" ;;
    simulate) set -- simulate 5 -o "$output" "$@" ;;
    report) set -- report pairs.h5 -o "$output" "$@" ;;
    export) set -- export pairs.h5 --format column -o "$output" "$@" ;;
    taxonomy) set -- taxonomy hits.h5 --taxonomy lineages -o "$output" "$@" ;;
    bench) program=$RIBOGRID-bench && set -- dispatch --folder "$tmp" --tile-bytes 20000 \
        --ranks 1 --sequences 300 --svg "$output" "$@" ;;
    esac
    timeout 60 "$program" "$@" --force
}

# keeps INPUT COMMAND...: the command refuses its input as its output.
keeps()
{
    local input=$1 status=0

    shift
    cp "$input" before
    refused 2 "$input( \(of .*\))? is an input of this command \(.*$input" "$@" && same before "$input" || status=1
    cp before "$input"
    return $status
}

# keeps_name INPUT COMMAND...: the same with a hard and a symbolic link as output, which the
# command line has as the word OUT.
keeps_name()
{
    local input=$1 status=0

    shift
    cp "$input" before
    ln "$input" hard
    refused 2 "hard is an input of this command \($input\)" "${@/#OUT/hard}" || status=1
    rm hard
    ln -s "$input" soft
    refused 2 "soft is an input of this command \($input\)" "${@/#OUT/soft}" || status=1
    rm soft
    same before "$input" || status=1
    cp before "$input"
    return $status
}

test_inputs()
{
    local align=("$RIBOGRID" align reads.fa --force)
    local export=("$RIBOGRID" export pairs.h5 --format column --force)

    cp reads.fa other.fa
    check "align: its reads" keeps reads.fa "${align[@]}" -o reads.fa
    check "align: its references" keeps other.fa "${align[@]}" --against other.fa -o other.fa
    check "align: its counts" keeps counts "${align[@]}" --count-table counts -o counts
    check "align: its samples" keeps samples "${align[@]}" --samples samples -o samples
    check "align: its matrix" keeps matrix "${align[@]}" --matrix matrix -o matrix
    check "align: links to its reads" keeps_name reads.fa "${align[@]}" -o OUT
    # shellcheck disable=SC2094 # that is what is tested
    check "align: the file that stdin is" refused 2 'reads.fa is an input .*\(stdin\)' \
        "$RIBOGRID" align - --force -o reads.fa <reads.fa
    cp reads.fa log.h5.part
    check "align: its log is its reads" keeps log.h5.part \
        "$RIBOGRID" align log.h5.part --force -o log.h5
    check "simulate has no input, and replaces" expect_exit 0 \
        "$RIBOGRID" simulate 5 --force -o other.fa
    check "report: its pairs" keeps pairs.h5 "$RIBOGRID" report pairs.h5 --force -o pairs.h5
    check "report: its lineages" keeps lineages \
        "$RIBOGRID" report pairs.h5 --taxonomy lineages --force -o lineages
    check "export: its pairs" keeps pairs.h5 "${export[@]}" -o pairs.h5
    check "export: links to its pairs" keeps_name pairs.h5 "${export[@]}" -o OUT
    check "taxonomy: its hits" keeps hits.h5 \
        "$RIBOGRID" taxonomy hits.h5 --taxonomy lineages --force -o hits.h5
    check "taxonomy: its lineages" keeps lineages \
        "$RIBOGRID" taxonomy hits.h5 --taxonomy lineages --force -o lineages
    for ending in otus.tsv biom reps.fasta list groups.h5; do
        cp pairs.h5 "x.$ending"
        check "cluster: its pairs, as x.$ending" keeps "x.$ending" \
            "$RIBOGRID" cluster "x.$ending" --id 0.97 --force -o x
        rm "x.$ending"
    done
    cp pairs.h5 before
    # shellcheck disable=SC2094 # that is what is tested
    "$RIBOGRID" view pairs.h5 >>pairs.h5 2>"$err"
    check "view: its pairs as stdout" expect_line 'stdout is an input .*\(pairs.h5\)' "$err"
    check "view: they are unchanged" same before pairs.h5
    check "no file is left" test "$(echo ./*.tmp-* x.*)" = './*.tmp-* x.*'
}

# All pairs of files of all commands are compared by test_option_files.c; here programs run.
test_outputs()
{
    local train=("$RIBOGRID" cnn train lenet synthetic:8 -o n.h5) bench=$RIBOGRID-bench

    check "align: --blast6out" refused 2 '--blast6out ./n.h5 and -o n.h5 are the same file' \
        "$RIBOGRID" align reads.fa -o n.h5 --blast6out ./n.h5 --force
    check "graph: --newick" refused 2 '--newick ./n.h5 and -o n.h5 are the same file' \
        "$RIBOGRID" graph mst pairs.h5 -o n.h5 --newick ./n.h5 --force
    check "cluster: --newick" refused 2 \
        '--newick ./n.list and n.list \(of -o n\) are the same file' "$RIBOGRID" cluster \
        pairs.h5 --id 0.97 --method single -o n --newick ./n.list
    check "cnn train: --csv" refused 2 '--csv ./n.h5 and -o n.h5 are the same file' \
        "${train[@]}" --csv ./n.h5
    check "cnn train: its log" refused 2 \
        '--csv n.h5.part and n.h5.part \(of -o n.h5\) are the same file' \
        "${train[@]}" --csv n.h5.part
    check "cnn plan: --svg" refused 2 '--svg folder/../n and -o n are the same file' \
        "$RIBOGRID" cnn plan lenet -o n --svg folder/../n
    check "cnn plan: /dev/null twice" expect_exit 0 \
        "$RIBOGRID" cnn plan lenet -o /dev/null --svg /dev/null
    echo '2 5' >degrees.h5
    check "graph make: its degrees" keeps degrees.h5 \
        "$RIBOGRID" graph make clone:degrees.h5 -o ./degrees.h5 --force
    [ ! -x "$bench" ] || check "bench: its degrees" keeps degrees.h5 \
        "$bench" graph clone:degrees.h5 --svg degrees.h5 --force
    echo labels >some-labels-idx1
    echo images >some-images-idx3
    check "cnn train: labels found by name" keeps some-labels-idx1 \
        "$RIBOGRID" cnn train lenet some-images-idx3 -o some-labels-idx1 --force
    check "cnn predict: labels found by name" keeps some-labels-idx1 \
        "$RIBOGRID" cnn predict n.h5 some-images-idx3 -o some-labels-idx1 --force
    check "no file is left" absent n n.*
}

# is_refused_folder COMMAND...: a directory as output is refused before anything is read.
is_refused_folder()
{
    refused 1 '^ribogrid(-bench)?: folder is a directory; give another output$' "$@" &&
        absent folder/* folder.*
}

test_folders()
{
    local command

    for command in align simulate report export taxonomy $bench; do
        check "$command: a directory" is_refused_folder write_to folder $command
    done
    check "align: a directory, before the input is read" is_refused_folder \
        "$RIBOGRID" align missing.fa -o folder
    check "report: a directory, before the input is read" is_refused_folder \
        "$RIBOGRID" report missing.h5 -o folder
    check "cluster: a directory" refused 1 \
        "'folder' is a directory; give a prefix of file names, such as folder/otus" \
        "$RIBOGRID" cluster pairs.h5 --id 0.97 -o folder
    check "cluster: a name that ends in a slash" refused 1 "'folder/' is a directory" \
        "$RIBOGRID" cluster pairs.h5 --id 0.97 -o folder/
    mkdir y.list
    check "cluster: a directory has the name of a file" refused 1 'y.list is a directory' \
        "$RIBOGRID" cluster pairs.h5 --id 0.97 -o y
    check "cluster: no file is left" test "$(echo y.*)" = y.list
    rmdir y.list
    echo mine >mine
    check "report: an existing file, before the input is read" refused 1 \
        'mine exists; give --force' "$RIBOGRID" report missing.h5 -o mine
    check "export: an existing file, before the input is read" refused 1 \
        'mine exists; give --force' "$RIBOGRID" export missing.h5 --format column -o mine
    check "taxonomy: an existing file, before the input is read" refused 1 \
        'mine exists; give --force' \
        "$RIBOGRID" taxonomy missing.h5 --taxonomy lineages -o mine
    [ -z "$bench" ] || check "bench: an existing file" refused 1 'mine exists; give --force' \
        "$RIBOGRID-bench" dispatch --ranks 1 --svg mine
    check "cluster: a missing folder, before the input is read" refused 1 \
        'no/x.otus.tsv: cannot create: No such file' \
        "$RIBOGRID" cluster missing.h5 --id 0.97 -o no/x
    check "that file is unchanged" grep -qx mine mine
}

# Somebody has put links where temporary files used to be.
test_temporaries()
{
    local name

    for name in t.h5 t.html t.dist t.fa o.otus.tsv o.biom o.reps.fasta o.list o.groups.h5; do
        echo precious >"victims/$name"
        ln -s "victims/$name" "$name.tmp"
    done
    check "align" expect_exit 0 "$RIBOGRID" align reads.fa -q -o t.h5
    check "report" expect_exit 0 "$RIBOGRID" report pairs.h5 -o t.html
    check "export" expect_exit 0 "$RIBOGRID" export pairs.h5 --format column -o t.dist
    check "simulate" expect_exit 0 "$RIBOGRID" simulate 5 -o t.fa
    check "cluster" expect_exit 0 "$RIBOGRID" cluster pairs.h5 --id 0.97 -q -o o
    check "no link at a temporary name was followed" test \
        "$(cat victims/* | sort | uniq -c | tr -d ' \n')" = 9precious
    check "no temporary file is left" absent ./*.tmp-*
    check "a new file has the mode of the umask" test "$(stat -c %a t.h5 t.html o.biom |
        uniq)" = 644
    chmod 600 t.h5 t.fa o.biom o.list
    "$RIBOGRID" align reads.fa -q --force -o t.h5
    "$RIBOGRID" simulate 5 --force -o t.fa
    "$RIBOGRID" cluster pairs.h5 --id 0.97 -q --force -o o
    check "a replaced file keeps its mode" test \
        "$(stat -c %a t.h5 t.fa o.biom o.list | uniq)" = 600
}

test_links()
{
    local command

    for command in align simulate report export taxonomy $bench; do
        echo old >victims/target
        ln -sf victims/target link
        check "$command: a link is followed" expect_exit 0 write_to link $command
        check "$command: the link stays" test -L link
        check "$command: its target is new" test "$(head -c 3 victims/target)" != old
        rm victims/target
        check "$command: a link to a missing file" refused 1 \
            'link is a symbolic link to a missing file; give another output' \
            write_to link $command
        check "$command: nothing is created" absent victims/target
    done
    rm -f link
}

# is_pipe FILE
is_pipe()
{
    [ -p "$1" ]
}

test_pipes()
{
    local command

    mkfifo pipe
    ln -s /proc/self/fd/1 stdout_link # as /dev/stdout is, but ours
    for command in simulate report export taxonomy $bench; do
        timeout 60 cat pipe >from_pipe &
        check "$command: into a pipe" expect_exit 0 write_to pipe $command
        wait $!
        check "$command: the pipe stays" is_pipe pipe
        check "$command: text has come" test -s from_pipe
        check "$command: to /dev/stdout" expect_exit 0 write_to stdout_link $command
        [ $command = bench ] || check "$command: the same text" same from_pipe "$out"
    done
    check "align: a pipe is refused" refused 1 'pipe is not a regular file; HDF5 needs one' \
        write_to pipe align
    check "align: /dev/stdout is refused" refused 1 \
        'stdout_link is stdout, which HDF5 cannot write to' write_to stdout_link align
    ln -s pipe z.biom
    check "cluster: a link to a pipe is refused" refused 1 \
        'z.biom is not a regular file; HDF5 needs one' \
        timeout 60 "$RIBOGRID" cluster pairs.h5 --id 0.97 --force -o z
    rm z.biom pipe stdout_link
    check "- is stdout" expect_exit 0 "$RIBOGRID" simulate 5 -o -
    check "the text is there" grep -q '^>' "$out"
    check "no file is called -" absent ./-
}

# Five records follow 14 that are compressed.
test_leftovers()
{
    local input

    awk '/^>/ { n++ } n <= 14' all.fa | gzip -n >head.gz
    awk '/^>/ { n++ } n > 14' all.fa >tail.fa
    gzip -n <tail.fa >tail.gz
    head -c 512 /dev/zero >zeros
    cat head.gz tail.gz >members.gz
    check "two members are one file" expect_exit 0 "$RIBOGRID" align members.gz -q -o m.h5
    check "all records are read" test "$(field sequences m.h5)" = 19
    cat head.gz tail.fa >text.gz
    cat head.gz zeros >zeros.gz
    cat head.gz zeros tail.gz >hidden.gz
    { cat head.gz && head -c 50 tail.gz; } >cut.gz
    { cat head.gz && head -c 50 tail.gz && cat tail.gz; } >damaged.gz
    for input in text zeros hidden cut damaged; do
        check "$input after a gzip member" refused 1 \
            "^ribogrid: $input.gz: .*gzip data.*(at byte|near byte|after) [0-9]+.*; fetch" \
            "$RIBOGRID" align $input.gz -o n.h5
    done
    check "no file is left" absent n.h5 n.h5.part
    { head -n 6 lineages | gzip -n && tail -n +7 lineages; } >lineages.gz
    check "lineages that are half compressed are refused" refused 1 \
        '^ribogrid: lineages.gz: data that are not gzip after the end' \
        "$RIBOGRID" report pairs.h5 --taxonomy lineages.gz -o n.html
}

# says OPTION...: a missing file and a directory after the options are reported with the
# system's reason.
says()
{
    refused 1 'cannot read none: No such file or directory' "$RIBOGRID" "$@" none &&
        refused 1 'cannot read folder: Is a directory' "$RIBOGRID" "$@" folder
}

test_reasons()
{
    check "align" says align -o n.h5
    check "align --against" says align reads.fa -o n.h5 --against
    check "align --count-table" says align reads.fa -o n.h5 --count-table
    check "align --samples" says align reads.fa -o n.h5 --samples
    check "align --matrix" says align reads.fa -o n.h5 --matrix
    check "report --taxonomy" says report pairs.h5 -o n.html --taxonomy
    check "taxonomy --taxonomy" says taxonomy hits.h5 -o n.tsv --taxonomy
    check "stdin for two inputs" refused 2 'stdin \(-\) is given for two inputs' \
        "$RIBOGRID" align - -o n.h5 --samples -
    check "no file is left" absent n.*
}

# Copies of /dev/null, so that the machine's own is never at risk.
test_devices()
{
    local command

    mknod null c 1 3 2>/dev/null || return
    echo x 2>/dev/null >null || return # devices do not work in this folder
    for command in simulate report export taxonomy $bench; do
        check "$command: to a device" expect_exit 0 write_to null $command
        check "$command: the device stays" test -c null
    done
    check "align: a device is refused" refused 1 'null is not a regular file; HDF5 needs one' \
        write_to null align
    mknod w.groups.h5 c 1 3
    check "cluster: a device is refused" refused 1 \
        'w.groups.h5 is not a regular file; HDF5 needs one' \
        "$RIBOGRID" cluster pairs.h5 --id 0.97 --force -o w
    check "the devices stay" test -c null -a -c w.groups.h5
    rm -f null w.groups.h5
}

# The log keeps its name, so what is there is refused unless it is a log.
test_logs()
{
    echo precious >victims/part
    ln -s victims/part l.h5.part
    check "a link is refused" refused 1 'l.h5.part is a symbolic link, where the log' \
        "$RIBOGRID" align reads.fa -o l.h5
    check "also with --force" refused 1 'l.h5.part is a symbolic link' write_to l.h5 align
    check "also with --resume" refused 1 'l.h5.part is a symbolic link' "$RIBOGRID" align \
        reads.fa -o l.h5 --resume
    check "its target is unchanged" grep -qx precious victims/part
    ln -sf victims/none l.h5.part
    check "a link to a missing file is refused" refused 1 'is a symbolic link' write_to l.h5 align
    check "its target is not created" absent victims/none
    rm l.h5.part
    mkfifo l.h5.part
    check "a pipe does not hang" refused 1 'l.h5.part is a pipe' write_to l.h5 align
    rm l.h5.part
    mkdir l.h5.part
    check "a directory is refused" refused 1 'l.h5.part is a directory' write_to l.h5 align
    rmdir l.h5.part
    printf '\0\0precious' >l.h5.part
    cp l.h5.part before
    check "--force spares another program's file" refused 1 \
        'l.h5.part is not a log of ribogrid' write_to l.h5 align
    check "it is unchanged" same before l.h5.part
    rm l.h5.part
    check "no result" absent l.h5 l.h5.tmp-*
    printf 'RGLOG2\r\ndamaged' >l.h5.part
    check "--force replaces a damaged log" expect_exit 0 write_to l.h5 align
    check "it is removed in the end" absent l.h5.part
}

test_inputs
test_outputs
test_folders
test_temporaries
test_links
test_pipes
test_devices
test_logs
test_leftovers
test_reasons
finish
