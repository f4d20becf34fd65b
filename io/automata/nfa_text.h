/*
 * nfa_text.h - reads automata as text, in the format of Becchi's regular expression
 * processor: "# NFA" or "# DFA", the number of states, and then lines
 *
 *     0 : initial
 *     0 -> 1 : 97 98|101      bytes and ranges of bytes, in decimal
 *     7 : accepting 1 2       numbers of rules
 *
 * Each rule becomes a pattern.  Where the initial state leads to itself with every byte,
 * its rules are found anywhere; else they begin where the record does.
 */
#pragma once

#include "io/automata/nfa.h"
#include "io/file/lines.h"

/* @return whether a file that begins with this line is one of these */
bool nfa_text_is_head(const char *line);

/*
 * Read what follows the head, and add a pattern "rule N" for each rule, in their order.
 *
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t nfa_text_read(lines_t *from, nfa_builder_t *to) MUST_CHECK;
