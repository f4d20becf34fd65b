/*
 * bench_align.h - the parts of `ribogrid-bench align`: its pairs, results, kernels and
 * peers.
 */
#pragma once

#include "kernels/align/engine/aligner.h"

/* bench_pairs.c: the pairs that a benchmark aligns: all pairs of a sequence set, or of
 * queries and targets of different lengths.
 *
 * As in a real run, each sequence occurs in many pairs, and pairs are ordered by query.
 */

/* Identities of simulated sequences are from this to 1.  Unrelated ones have about so
 * much, because the best alignment finds matches by chance. */
#define BENCH_IDENTITY_MIN 0.55

typedef struct {
    alphabet_t alphabet;
    int64_t n;             /* pairs; fewer if the input has fewer */
    int64_t n_sample;      /* pairs, evenly spaced, that the peers align as well */
    int64_t length;        /* bases per query */
    int64_t target_length; /* bases per target */
    double identity;       /* mean of two sequences, where they overlap */
    int codes_percent;     /* percentage of sequences with ambiguity codes */
    const char *input;     /* FASTA file to use instead of simulated sequences, or NULL */
} bench_pairs_opts_t;

typedef struct {
    seqset_t *set;
    pair_t *pairs; /* [n] */
    int64_t n;
    pair_t *sample; /* [n_sample]; pair k of the sample is pairs[k * step] */
    int64_t n_sample, step;
    double cells, sample_cells; /* cells of the full matrices */
    double mean_length;
    double identity; /* measured mean over part of the sample; -1: not measured, because
                        one alignment would take minutes */
} bench_pairs_t;

/*
 * Read sequences, or simulate them with a given mean identity.
 *
 * Simulated sequences, of bases or of amino acids with equal probabilities, descend
 * independently from one random ancestor: nine of ten edits
 * are substitutions; half of the others insert a base, half delete one.  If queries and
 * targets differ in length, the shorter ones descend from pieces of the ancestor, each
 * from another one.
 *
 * @param spec  scoring and ends, for measuring identities
 * @return ST_OK, ST_ENOMEM, ST_EINPUT (fewer than two sequences), or an error of
 *         fasta_read
 */
status_t bench_pairs_make(const bench_pairs_opts_t *opts, const align_spec_t *spec,
                          bench_pairs_t **out) MUST_CHECK;

/* Takes NULL. */
void bench_pairs_destroy(bench_pairs_t *p);

/* @return how many pairs of the sample to check against nw_reference.h, which is slow */
int64_t bench_pairs_n_checked(const bench_pairs_t *p);

/* bench_result.c: the measured times of one kernel or peer, and how to measure them. */

enum { BENCH_RUNS_MAX = 1000 };

/* Who aligns.  The peers come first: they also index the columns of ratios. */
typedef enum {
    LIBRARY_PARASAIL,
    LIBRARY_EDLIB,
    LIBRARY_WFA2,
    N_PEER_LIBRARIES,
    LIBRARY_OURS
} bench_library_t;

typedef struct {
    char what[48];
    bench_library_t library;
    char device[16];                     /* "cpu", "cuda:0" */
    char device_name[DEVICE_NAME_BYTES]; /* the vendor's name */
    int threads;                         /* 0: a GPU */
    bool pageable;                       /* a GPU's batches are not in pinned memory */
    int n_buffers;                       /* batches in flight */
    const char *init;                    /* baseline: who writes the borders, else NULL */
    int64_t n_batches;                   /* 0: a peer, which has no batches */
    align_emit_t emit;
    align_ends_t ends;
    const char *absent; /* why there are no times, or NULL if there are */
    bool effective;     /* may compute fewer cells than `cells` */
    int64_t n_pairs;
    double cells;
    int n_runs;
    double min, median, max;        /* seconds */
    double ratio[N_PEER_LIBRARIES]; /* its rate / the peer's rate; 0: no such peer */
    const pair_t *pairs;            /* [n_pairs], borrowed */
    int32_t *score;                 /* [n_sample] scores of the sample; NULL if absent */
} bench_result_t;

/* All results for one set of pairs. */
typedef struct {
    bench_result_t *all;
    int n, capacity;
} bench_results_t;

/* Append a zeroed result. @return it, valid until the next call, or NULL (out of memory,
 * logged) */
bench_result_t *bench_result_add(bench_results_t *results);

/* Free the results. */
void bench_results_clear(bench_results_t *results);

/*
 * Time n_runs runs after one run to warm up.
 *
 * @param run  does the work once
 * @return ST_OK or the first error of `run`
 */
status_t bench_result_measure(bench_result_t *result, int n_runs,
                              status_t (*run)(void *ctx), void *ctx) MUST_CHECK;

/* Fill in the ratios of every kernel to each peer with the same output and ends. */
void bench_results_compare(bench_results_t *results);

/* The results as a readable table or as TSV. */

typedef struct {
    bool is_tsv;
    bool has_peers;    /* print ratios to the peers */
    bool in_halves;    /* scores of specs are twice those of the user */
    int64_t n_printed; /* results so far; 0 at the start */
    bool has_effective;
} bench_print_t;

void bench_print_begin(const bench_print_t *p);

/* Print the results for one set of pairs, which was made from `opts`. */
void bench_print_results(bench_print_t *p, const bench_pairs_opts_t *opts,
                         const bench_pairs_t *pairs, const align_spec_t *spec,
                         const bench_results_t *results);

void bench_print_end(const bench_print_t *p);

/* bench_kernels.c: times ribogrid's kernels on a benchmark's pairs and checks their
 * results. */

typedef struct {
    const char *kernel;  /* "auto": the device's choice; "all"; or a backend's name */
    bool init_on_device; /* "baseline": a kernel writes the borders, not the host */
    int64_t n_batches;   /* batches to cut the pairs into; at most one per pair */
    const device_t *devices;
    int n_devices;
    pool_t *pool; /* threads of the CPU backends */
    int n_runs;
    align_run_t run;
    bool is_unchecked; /* no pairs are aligned for comparison */
} bench_kernels_opts_t;

/* @return the backend of that name for a kind of device ("baseline" included), or NULL */
const aligner_backend_t *bench_kernels_backend(const bench_kernels_opts_t *opts,
                                               device_kind_t kind);

/*
 * Measure each requested kernel on each device that has it and append one result per
 * kernel.  The scalar backend aligns only the sample.  Part of the sample is checked
 * against nw_reference.h, or against the CPU backends where the reference would take
 * seconds per pair.
 *
 * @return ST_OK, ST_ENOMEM, or ST_EDEVICE (a device failed or a result is wrong; logged)
 */
status_t bench_kernels_run(const bench_pairs_t *pairs, const align_spec_t *spec,
                           const bench_kernels_opts_t *opts,
                           bench_results_t *results) MUST_CHECK;

/* bench_peers.c: measures other alignment libraries on the same pairs, with one thread
 * each.
 *
 * parasail (Daily 2016) computes the full matrix; edlib (Sosic, Sikic 2017) and WFA2
 * (Marco-Sola 2021) compute only the cells that the distance requires; both are exact. */

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
