/*
 * rg_align_options.h - options of alignments, as those of the job "align".
 */
#pragma once

#include "library/ribogrid.h"
#include "worker/align/align_opts.h"

/*
 * Settle options for the sequences of an alphabet.
 *
 * @param given  its texts are borrowed by `out`
 * @param has_references  whether queries are aligned with references
 * @return ST_OK or ST_EUSAGE (logged)
 */
status_t rg_align_options_settle(const rg_align_options_t *given, bool has_references,
                                 alphabet_t alphabet, align_opts_t *out) MUST_CHECK;
