# Completes a command line of ribogrid.  The functions _ribogrid_options, _ribogrid_values
# and _ribogrid_words come from the program's tables of options.

# The words that may follow `help`: commands, then the second words of some.
_ribogrid_help_words()
{
    local word

    for word in $(_ribogrid_words "$1"); do
        if [ -z "$1" ] || _ribogrid_options "$1 $word" | grep -q .; then
            echo "$word"
        fi
    done
}

_ribogrid()
{
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local command='' n=1 words='' values=''

    COMPREPLY=()
    if [ "$COMP_CWORD" -gt 1 ] && [ "${COMP_WORDS[1]}" = help ]; then
        words=$(_ribogrid_help_words "${COMP_WORDS[*]:2:COMP_CWORD - 2}")
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
        return
    fi
    # the command may be two words, such as "graph make"
    if [ "$COMP_CWORD" -gt 1 ]; then
        command=${COMP_WORDS[1]}
        n=2
        if [ "$COMP_CWORD" -gt 2 ] && _ribogrid_options "$command ${COMP_WORDS[2]}" | grep -q .; then
            command="$command ${COMP_WORDS[2]}"
            n=3
        fi
    fi
    case $before in
    -*) values=$(_ribogrid_values "$command $before") ;;
    esac
    if [ "$values" = '<other>' ]; then
        return
    elif [ -n "$values" ] && [ "$values" != '<file>' ]; then
        words=$values
    elif [ -z "$values" ] && [[ $word == -* ]]; then
        words=$(_ribogrid_options "$command")
    elif [ -z "$values" ] && [ "$COMP_CWORD" -eq "$n" ]; then
        words=$(_ribogrid_words "$command")
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    if [ ${#COMPREPLY[@]} -eq 0 ] && [ -n "$command" ] && [[ $word != -* ]] \
        && { [ -z "$values" ] || [ "$values" = '<file>' ]; }; then
        compopt -o filenames 2>/dev/null # fails only outside a completion
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -F _ribogrid ribogrid
