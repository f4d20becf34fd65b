#!/usr/bin/env bash
#
# power_loss.sh - what a power loss leaves of a log is resumed to the result of the unbroken
# run, for every kind of job: the log cut at any byte, with zeros or noise behind the cut,
# with a block of zeros within, and a log that was about to become the result.
#
#   RIBOGRID_CUTS=all tests/dispatcher/power_loss.sh    (every byte: half an hour)
. "$(dirname "$0")/../support/shell_test.sh"
. "$here/support/log_test.sh"
n_logs=0

# resumes JOB WHAT: the job goes on from $file.part to the result of the unbroken run.
resumes()
{
    n_logs=$((n_logs + 1))
    check "$1, $2: resumed" expect_exit 0 resume "$1"
    check "$1, $2: equal" is_whole "$1"
    rm -f "$file" "$file.part"
}

# ends JOB: print where its records end, in ascending order.
ends()
{
    cp "$1.log" list.part
    "$CRAFT_LOG" list.part list | awk '{ print $4 }' | sort -n
}

# cuts JOB: print where its log is cut: in its header, at the ends of some records, in the
# header of the record after, in the middle of that, before its last byte.
cuts()
{
    local end before=0

    if [ "${RIBOGRID_CUTS:-}" = all ]; then
        seq 0 "$(stat -c %s "$1.log")"
        return
    fi
    echo 300
    ends "$1" | awk 'NR <= 2 || NR % 4 == 0' | while read -r end; do
        [ "$before" -gt 0 ] && echo $((before + 20)) $(((before + end) / 2)) $((end - 1))
        echo "$end"
        before=$end
    done | tr ' ' '\n'
}

# What a file system may leave behind the end of what reached the disk: nothing, zeros of
# blocks that were allocated but not written, or another file's bytes.
test_cuts()
{
    local job=$1 at tail=0

    for at in $(cuts "$job"); do
        set_command "$job"
        head -c "$at" "$job.log" >"$file.part"
        case $tail in
        1) head -c 5000 /dev/zero >>"$file.part" ;;
        2) head -c 5000 "$RIBOGRID" >>"$file.part" ;;
        esac
        # before its end a header is no log's if something follows it
        if [ "$tail" -gt 0 ] && [ "$at" -lt "$(ends "$job" | head -1)" ]; then
            head -c "$at" "$job.log" >"$file.part"
        fi
        resumes "$job" "cut at $at with tail $tail"
        tail=$(((tail + 1) % 3))
    done
}

# A block in the middle that did not reach the disk, while those behind it did.
test_hole()
{
    local job=$1 size first

    set_command "$job"
    size=$(stat -c %s "$job.log")
    first=$(ends "$job" | head -1)
    [ $((first + 64)) -lt "$size" ] || return 0
    cp "$job.log" "$file.part"
    dd if=/dev/zero of="$file.part" bs=1 seek=$((first - 8)) count=64 conv=notrunc 2>/dev/null
    resumes "$job" "with a hole at $((first - 8))"
}

# has_records LOG
has_records()
{
    [ -n "$("$CRAFT_LOG" "$1" list)" ]
}

# shards_resume JOB WHAT [REGEX]: as resumes, from several logs, with a message, or none.
shards_resume()
{
    n_logs=$((n_logs + 1))
    check "$1, $2: resumed" expect_exit 0 "${command[@]}" --resume -o "$file"
    check "$1, $2: equal" is_whole "$1"
    if [ $# -gt 2 ]; then
        check "$1, $2: named" grep -q "$3" "$err"
    else
        check "$1, $2: nothing is missed" test "$(grep -c 'is missing\|is empty' "$err")" = 0
    fi
    rm -f "$file" "$file".part*
}

# Logs of several ranks, one of which is lost, torn, or was taken over already.
test_shards()
{
    local job=$1 lost first

    share_log "$job" 3
    shards_resume "$job" "of three logs"
    share_log "$job" 3
    cp "$job.log" "$file.part"
    rm "$file.part.1"
    shards_resume "$job" "partly taken over"
    for lost in "$file.part" "$file.part.1" "$file.part.2"; do
        share_log "$job" 3
        has_records "$lost" || continue # what has few tasks
        rm "$lost"
        shards_resume "$job" "without $lost" "$lost is missing: what it held is computed again"
    done
    share_log "$job" 3
    has_records "$file.part.2" || { rm "$file".part* && return; }
    truncate -s -1 "$file.part.2"
    shards_resume "$job" "with a torn shard" "$file.part.2: dropping a torn record"
    share_log "$job" 3
    : >"$file.part.2"
    shards_resume "$job" "with an empty shard" "$file.part.2 is empty: what it held"
    share_log "$job" 3
    first=$("$CRAFT_LOG" "$file.part.1" list | awk '{ print $4 }' | sort -n | head -1)
    dd if=/dev/zero of="$file.part.1" bs=1 seek=$((first - 8)) count=8 conv=notrunc 2>/dev/null
    shards_resume "$job" "with a hole in a shard"
}

# The log of matrices becomes the result; the power fails before that has its name, or
# before it has its superblock.
test_result()
{
    cp whole.dense.h5 dense.h5.part
    set_command dense
    resumes dense "finished, without its name"
    cp whole.dense.h5 dense.h5.part
    dd if=dense.log of=dense.h5.part bs=512 count=1 conv=notrunc 2>/dev/null
    resumes dense "without its superblock"
}

make_jobs
for job in $jobs; do
    keep_log "$job"
    test_cuts "$job"
    test_hole "$job"
    [[ " $free_jobs " != *" $job "* ]] || test_shards "$job"
done
test_result
echo "$n_logs logs"
finish
