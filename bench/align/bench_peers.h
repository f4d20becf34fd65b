/*
 * bench_peers.h - measures other alignment libraries on the same pairs, with one thread
 * each.
 *
 * parasail (Daily 2016) computes the full matrix; edlib (Sosic, Sikic 2017) and WFA2
 * (Marco-Sola 2021) compute only the cells that the distance requires; both are exact.
 */
#ifndef RIBOGRID_BENCH_ALIGN_BENCH_PEERS_H
#define RIBOGRID_BENCH_ALIGN_BENCH_PEERS_H

#include "bench/align/bench_result.h"

/*
 * Measure every peer that computes this output with these ends, on the sample.  Peers
 * that this build lacks, or that cannot align the pairs, get a result without times.
 *
 * @return ST_OK or ST_ENOMEM
 */
status_t bench_peers_run(const bench_pairs_t *pairs, const align_spec_t *spec, int n_runs,
                         bench_results_t *results) MUST_CHECK;

/*
 * Compare the scores of every kernel with those of every peer with the same ends.
 * parasail scores ambiguity codes as ribogrid does; edlib and WFA2 compare letters, so
 * pairs with ambiguity codes are skipped for them.
 *
 * @return ST_OK or ST_EDEVICE (scores differ, logged)
 */
status_t bench_peers_check(const bench_pairs_t *pairs,
                           const bench_results_t *results) MUST_CHECK;

#endif
