/*
 * bench_peers.h - other libraries that align the same pairs, one thread each.
 *
 * parasail (Daily 2016) computes the full matrix; edlib (Sosic, Sikic 2017) and WFA2
 * (Marco-Sola 2021) compute what the distance makes them, exactly.
 */
#ifndef RIBOGRID_TOOLS_BENCH_BENCH_PEERS_H
#define RIBOGRID_TOOLS_BENCH_BENCH_PEERS_H

#include "tools/bench/bench_result.h"

/*
 * Measure every peer that has an output and kind of ends on the sample; a row each, also
 * for those that this build lacks or that cannot take the pairs.
 *
 * @return ST_OK or ST_ENOMEM
 */
status_t bench_peers_run(const bench_pairs_t *pairs, const align_spec_t *spec, int n_runs,
                         bench_results_t *rows) MUST_CHECK;

/*
 * Compare the scores of every kernel with every peer's of the same ends, on pairs of
 * which both have the same definition: parasail takes all codes as we do, edlib and WFA2
 * compare letters.
 *
 * @return ST_OK or ST_EDEVICE (they differ, logged)
 */
status_t bench_peers_check(const bench_pairs_t *pairs,
                           const bench_results_t *rows) MUST_CHECK;

#endif
