/*
 * automata_bench.h - what `ribogrid-bench automata` measures: patterns, an input, and
 * the time in which its matches are found.
 */
#pragma once

#include "kernels/automata/scan_backend.h"

enum { AUTOMATA_RUNS_MAX = 100, AUTOMATA_PIECE = 1 << 18 };

typedef struct {
    nfa_t nfa;
    dfa_set_t dfas; /* groups; none unless a kernel needs them */
    buf_t bytes;
    int n_runs;    /* after one to warm up, at most AUTOMATA_RUNS_MAX */
    int batch;     /* pieces that a GPU scans side by side */
    buf_t matches; /* scan_hit_t: those that the first kernel found */
    bool has_matches;
} automata_bench_t;

/* The runs of a kernel or a peer. */
typedef struct {
    const char *name;
    const char *device;
    int n_threads; /* 0: of a GPU */
    double seconds[AUTOMATA_RUNS_MAX], kernel_s[AUTOMATA_RUNS_MAX];
    int64_t n_found;     /* matches, or patterns */
    const char *what;    /* is found: "matches" or "patterns" */
    int64_t n_not_taken; /* patterns that a peer refuses */
    bool has_kernel;     /* seconds: a GPU has scanned all */
    bool same;           /* as the first kernel's matches */
} automata_runs_t;

/* Print the heads of columns, or a line per result. */
void automata_print_head(void);
void automata_print(const automata_bench_t *b, automata_runs_t *r);

/* Measure a kernel. @return ST_OK, or an error of the kernel (logged) */
status_t automata_measure(automata_bench_t *b, const scan_backend_t *row,
                          const device_t *device, int n_threads,
                          automata_runs_t *out) MUST_CHECK;

/*
 * Make an input of texts that patterns describe, with random bytes in between.
 *
 * @param n_bytes  at least
 * @param out      is appended to
 * @return ST_OK or ST_ENOMEM (logged)
 */
status_t automata_make_input(const nfa_t *nfa, int64_t n_bytes, uint64_t seed,
                             buf_t *out) MUST_CHECK;

/* A pattern as other programs take it: without the slashes of /PATTERN/FLAGS. */
typedef struct {
    const char *at; /* of len bytes */
    size_t len;
    bool is_caseless, is_dot_any;
} automata_text_t;

automata_text_t automata_text(const char *name);

/* Measure another program, on one thread; there where CMake found it.
 * @return ST_OK, ST_ENOMEM or ST_EDEVICE (logged) */
typedef status_t (*automata_peer_t)(automata_bench_t *b, automata_runs_t *out);

status_t automata_measure_hyperscan(automata_bench_t *b, automata_runs_t *out) MUST_CHECK;
status_t automata_measure_re2(automata_bench_t *b, automata_runs_t *out) MUST_CHECK;
