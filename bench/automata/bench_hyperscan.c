/*
 * bench_hyperscan.c - times Hyperscan: all patterns in one database, one block.
 */
#include "bench/automata/automata_bench.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"

#include <hs/hs.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    hs_database_t *database;
    hs_scratch_t *scratch;
    const char **texts;
    unsigned *flags, *ids;
    uint8_t *is_taken; /* [n_patterns] */
    unsigned n;
} hyperscan_t;

/* Copy the text of a pattern, and set its flags. @return whether Hyperscan compiles it */
static bool take(const char *name, char **text, unsigned *flags)
{
    const automata_text_t pattern = automata_text(name);
    hs_database_t *database = NULL;
    hs_compile_error_t *error = NULL;
    bool is_taken;

    *flags = HS_FLAG_ALLOWEMPTY | (pattern.is_caseless ? HS_FLAG_CASELESS : 0) |
             (pattern.is_dot_any ? HS_FLAG_DOTALL : 0);
    *text = strndup(pattern.at, pattern.len);
    is_taken = *text != NULL && hs_compile(*text, *flags, HS_MODE_BLOCK, NULL, &database,
                                           &error) == HS_SUCCESS;
    hs_free_compile_error(error);
    hs_free_database(database);
    return is_taken;
}

static status_t compile(const nfa_t *nfa, hyperscan_t *h)
{
    const size_t n = (size_t)nfa->n_patterns + 1;
    hs_compile_error_t *error = NULL;
    status_t st = ST_OK;

    h->texts = calloc(n, sizeof(*h->texts));
    h->flags = calloc(n, sizeof(*h->flags));
    h->ids = calloc(n, sizeof(*h->ids));
    h->is_taken = calloc(n, 1);
    if (h->texts == NULL || h->flags == NULL || h->ids == NULL || h->is_taken == NULL)
        return log_nomem("patterns");
    for (unsigned k = 0; k < nfa->n_patterns; k++) {
        char *text;

        h->is_taken[k] = take(nfa->name[k], &text, &h->flags[h->n]);
        if (!h->is_taken[k]) {
            free(text);
            continue;
        }
        h->texts[h->n] = text;
        h->ids[h->n++] = k;
    }
    if (h->n == 0 ||
        hs_compile_multi(h->texts, h->flags, h->ids, h->n, HS_MODE_BLOCK, NULL,
                         &h->database, &error) != HS_SUCCESS ||
        hs_alloc_scratch(h->database, &h->scratch) != HS_SUCCESS) {
        log_error("Hyperscan: %s", error != NULL ? error->message : "no patterns");
        st = ST_EDEVICE;
    }
    hs_free_compile_error(error);
    return st;
}

static int on_match(unsigned id, unsigned long long from, unsigned long long to,
                    unsigned flags, void *ctx)
{
    (void)from;
    (void)flags;
    return buf_append(ctx, &(scan_hit_t){(int64_t)to, id}, sizeof(scan_hit_t)) != ST_OK;
}

/* @return whether the matches are those that the kernels found, of the same patterns */
static bool is_same(const automata_bench_t *b, const hyperscan_t *h, const buf_t *found)
{
    const scan_hit_t *ours = (const void *)b->matches.data,
                     *theirs = (const void *)found->data;
    size_t n_theirs = found->len / sizeof(*theirs), at = 0;

    for (size_t k = 0; k < b->matches.len / sizeof(*ours); k++) {
        if (!h->is_taken[ours[k].pattern])
            continue;
        if (at == n_theirs || memcmp(&ours[k], &theirs[at], sizeof(*ours)) != 0)
            return false;
        at++;
    }
    return at == n_theirs;
}

static status_t run_all(const automata_bench_t *b, const hyperscan_t *h,
                        automata_runs_t *out)
{
    buf_t found = {0};
    status_t st = ST_OK;

    for (int k = -1; st == ST_OK && k < b->n_runs; k++) {
        const double begin = clock_now_s();

        found.len = 0;
        if (hs_scan(h->database, (const char *)b->bytes.data, (unsigned)b->bytes.len, 0,
                    h->scratch, on_match, &found) != HS_SUCCESS) {
            log_error("Hyperscan: the scan failed");
            st = ST_EDEVICE;
        }
        if (k >= 0)
            out->seconds[k] = clock_now_s() - begin;
    }
    scan_sort_hits(&found, 0);
    out->n_found = (int64_t)(found.len / sizeof(scan_hit_t));
    out->same = !b->has_matches || is_same(b, h, &found);
    buf_free(&found);
    return st;
}

status_t automata_measure_hyperscan(automata_bench_t *b, automata_runs_t *out)
{
    hyperscan_t h = {.n = 0};
    status_t st;

    *out = (automata_runs_t){.name = "Hyperscan",
                             .device = "CPU",
                             .n_threads = 1,
                             .what = "matches"};
    if ((st = compile(&b->nfa, &h)) == ST_OK)
        st = run_all(b, &h, out);
    out->n_not_taken = b->nfa.n_patterns - h.n;
    hs_free_scratch(h.scratch);
    hs_free_database(h.database);
    for (unsigned k = 0; k < h.n; k++)
        free((char *)(uintptr_t)h.texts[k]);
    free(h.texts);
    free(h.flags);
    free(h.ids);
    free(h.is_taken);
    return st;
}
