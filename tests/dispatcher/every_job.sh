#!/usr/bin/env bash
#
# every_job.sh - what holds for every kind of job: equal results of several ranks, of a run
# that was killed, and after a full disk; damaged and odd inputs are refused in one line.
. "$(dirname "$0")/../support/shell_test.sh"
. "$here/support/log_test.sh"
need_mpirun

# on_ranks N JOB
on_ranks()
{
    set_command "$2"
    mpi "$1" "${command[@]}" --force -q -o "$file"
}

# killed MS JOB: kill a run after this time, if it has not ended; its log may be resumed.
killed()
{
    set_command "$2"
    timeout -s KILL "$(printf '0.%03d' "$1")" "${command[@]}" --force -q -o "$file" 2>"$err"
    silent "$err" && { [ ! -e "$file" ] || rm "$file"; }
}

# no_space JOB: no file may have a byte. The limit leaves one line, and no result.
no_space()
{
    local code

    set_command "$1"
    (ulimit -f 0 && exec "${command[@]}" -q -o "$file") 2>&1 >/dev/null | cat >"$err"
    code=${PIPESTATUS[0]}
    [ "$code" -eq 1 ] && expect_line 'File too large' "$err" && absent "$file"
}

# odd_input JOB: each file that the command reads is missing, a folder, noise.
odd_input()
{
    local k odd whole n=0

    set_command "$1"
    whole=("${command[@]}")
    for ((k = 1; k < ${#whole[@]}; k++)); do
        [ -f "${whole[k]}" ] || continue
        for odd in missing folder noise; do
            command=("${whole[@]}")
            command[k]=$odd.${whole[k]##*.}
            n=$((n + 1))
            refused 1 '^ribogrid: ' "${command[@]}" -q -o "$file" || return 1
            absent "$file" || return 1
        done
    done
    [ $n -gt 0 ]
}

make_odd()
{
    local end

    for end in fa tax h5 ini rg pgm poly; do
        mkdir "folder.$end" && head -c 5000 /dev/urandom >"noise.$end"
    done
}

make_jobs
make_odd
for job in $jobs; do
    keep_log "$job"
    for n in $([ "$job" = cnn ] || echo 2 3); do # that rounds by the ranks: cli_cnn_train.sh
        check "$job: $n ranks" expect_exit 0 on_ranks "$n" "$job"
        check "$job: equal on $n ranks" is_whole "$job"
    done
    for ms in 30 60 90; do
        check "$job: killed after $ms ms" killed $ms "$job"
        check "$job: resumed" expect_exit 0 resume "$job"
        check "$job: equal after a kill" is_whole "$job"
        rm -f "$file"
    done
    check "$job: no space" no_space "$job"
    check "$job: resumed with space" expect_exit 0 resume "$job"
    check "$job: equal after a full disk" is_whole "$job"
    rm -f "$file"
    check "$job: odd inputs" odd_input "$job"
done
finish
