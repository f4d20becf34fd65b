/*
 * dfa_dot.h - deterministic automata as text for Graphviz.
 */
#pragma once

#include "io/automata/dfa_set.h"

#include <stdio.h>

/* Print a digraph with a cluster per group.  Arrows from one state to another share their
 * bytes; those back to the state within a record (or the first, if there is none) are
 * left out.  Who gives the stream checks it for errors. */
void dfa_dot_print(const dfa_set_t *d, const nfa_t *nfa, FILE *to);
