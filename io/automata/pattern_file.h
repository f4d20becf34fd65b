/*
 * pattern_file.h - reads patterns, one per line, plain or as /pattern/flags; or automata
 * in the text format of Becchi's tools (nfa_text.h), which their first line names.
 */
#pragma once

#include "io/automata/nfa.h"

/* Limit of the text of a pattern. */
enum { PATTERN_MAX_BYTES = 1 << 20 };

/*
 * Read patterns.
 *
 * Errors name line and column.
 *
 * @param skip_unsupported  leave out patterns that cannot be used, and list them
 * @param out               freed by nfa_free
 * @param n_skipped         out: patterns that were left out
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged)
 */
status_t pattern_file_read(const char *path, bool skip_unsupported, nfa_t *out,
                           int64_t *n_skipped) MUST_CHECK;
