/*
 * pattern_nfa.h - from the tree of a pattern to its position automaton.
 */
#pragma once

#include "io/automata/nfa.h"
#include "io/automata/pattern_tree.h"

/*
 * Add the automaton of a pattern.
 *
 * @param name  of the pattern
 * @param why   out, on ST_EINPUT: what is above its limit; a static text
 * @return ST_OK, ST_ENOMEM (logged) or ST_EINPUT (not logged; nothing was added)
 */
status_t pattern_nfa_add(const pattern_tree_t *tree, const char *name, nfa_builder_t *to,
                         const char **why) MUST_CHECK;
