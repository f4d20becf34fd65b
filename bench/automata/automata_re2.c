/*
 * automata_re2.c - times RE2::Set, which tells the patterns that match, not where.
 */
#include "bench/automata/automata_bench.h"
#include "bench/automata/bench_re2.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    void *set;
    int64_t *ids; /* [n] patterns, by their number in the set */
    unsigned char *found;
    int64_t n;
} re2_t;

static status_t compile(const nfa_t *nfa, re2_t *r)
{
    r->set = bench_re2_open();
    r->ids = malloc(((size_t)nfa->n_patterns + 1) * sizeof(*r->ids));
    r->found = malloc((size_t)nfa->n_patterns + 1);
    if (r->set == NULL || r->ids == NULL || r->found == NULL)
        return log_nomem("patterns");
    for (int64_t k = 0; k < nfa->n_patterns; k++) {
        const automata_text_t text = automata_text(nfa->name[k]);

        if (bench_re2_add(r->set, text.at, text.len, text.is_caseless, text.is_dot_any))
            r->ids[r->n++] = k;
    }
    if (r->n > 0 && bench_re2_compile(r->set))
        return ST_OK;
    log_error("RE2: the patterns need too much memory");
    return ST_EDEVICE;
}

/* @return whether the patterns are those whose matches the kernels found */
static status_t check(const automata_bench_t *b, const re2_t *r, bool *same)
{
    const scan_hit_t *hits = (const void *)b->matches.data;
    uint8_t *is_found = calloc((size_t)b->nfa.n_patterns + 1, 1);

    if (is_found == NULL)
        return log_nomem("patterns");
    for (size_t k = 0; k < b->matches.len / sizeof(*hits); k++)
        is_found[hits[k].pattern] = 1;
    *same = true;
    for (int64_t k = 0; b->has_matches && k < r->n; k++)
        *same = *same && is_found[r->ids[k]] == r->found[k];
    free(is_found);
    return ST_OK;
}

status_t automata_measure_re2(automata_bench_t *b, automata_runs_t *out)
{
    re2_t r = {.n = 0};
    status_t st;

    *out = (automata_runs_t){.name = "RE2::Set",
                             .device = "CPU",
                             .n_threads = 1,
                             .what = "patterns"};
    st = compile(&b->nfa, &r);
    for (int k = -1; st == ST_OK && k < b->n_runs; k++) {
        const double begin = clock_now_s();

        memset(r.found, 0, (size_t)r.n);
        out->n_found =
            bench_re2_match(r.set, (const char *)b->bytes.data, b->bytes.len, r.found);
        if (k >= 0)
            out->seconds[k] = clock_now_s() - begin;
        if (out->n_found < 0) {
            log_error("RE2: the scan needs too much memory");
            st = ST_EDEVICE;
        }
    }
    out->n_not_taken = b->nfa.n_patterns - r.n;
    if (st == ST_OK)
        st = check(b, &r, &out->same);
    bench_re2_close(r.set);
    free(r.ids);
    free(r.found);
    return st;
}
