/*
 * primer_search.c - from the places of primers to regions.
 */
#include "kernels/primers/search/primer_search.h"

#include "io/base/logmsg.h"
#include "kernels/primers/primer_gaps.h"
#include "kernels/registry/backends.h"

#include <stdlib.h>

enum { WORD = 64 };

/* Words that a thread scans at a time, at least a read: few enough for its caches. */
enum { SCANNED_WORDS = 512 };

/* Patterns of a pair, by role: as the read has it if it is not reversed, and if it is. */
enum { PATTERNS = 4 };

/* The bits of a range of words. */
typedef struct {
    int64_t first, n; /* words */
    uint64_t *bits;   /* [patterns][primer_row_words(n)] */
    size_t capacity;  /* words */
} scanned_t;

struct primer_search {
    primer_context_t context;
    primer_search_opts_t opts;
    const primer_backend_t *backend;
    void *state;
    int n_pairs, n_threads;
    primer_pattern_t *patterns; /* [n_pairs][PATTERNS] */
    scanned_t *scanned;         /* [n_threads]; of a backend that is not parallel: one */
};

static int pattern_of(int pair, primer_role_t role, bool is_complement)
{
    return pair * PATTERNS + 2 * (int)role + is_complement;
}

static void make_patterns(primer_search_t *s, const primer_pair_t *pairs)
{
    const int n = s->opts.three_prime;

    for (int q = 0; q < s->n_pairs; q++)
        for (int role = PRIMER_FORWARD; role <= PRIMER_REVERSE; role++) {
            const primer_t *primer =
                role == PRIMER_FORWARD ? &pairs[q].forward : &pairs[q].reverse;
            const primer_t complement = primer_reverse_complement(primer);

            s->patterns[pattern_of(q, role, false)] =
                primer_pattern_make(primer, true, n);
            s->patterns[pattern_of(q, role, true)] =
                primer_pattern_make(&complement, false, n);
        }
}

static status_t open_backend(primer_search_t *s, device_t *device, const char *kernel)
{
    const backend_request_t request = {.name = kernel,
                                       .device = device,
                                       .fallback = device,
                                       .what = s->opts.max_gaps > 0
                                                   ? "primers with gaps"
                                                   : "places of primers"};
    const backend_t *row;
    status_t st = backend_open(&primer_table, &request, &s->context, &row, &s->state);

    if (st == ST_OK)
        s->backend = (const primer_backend_t *)row;
    return st;
}

status_t primer_search_create(device_t *device, const char *kernel, const pool_t *pool,
                              const base_planes_t *text, const primer_pair_t *pairs,
                              int n_pairs, const primer_search_opts_t *opts,
                              primer_search_t **out)
{
    primer_search_t *s = calloc(1, sizeof(*s));
    status_t st;

    if (s == NULL)
        return log_nomem("primers");
    s->opts = *opts;
    s->n_pairs = n_pairs;
    s->n_threads = pool_n_threads(pool);
    s->patterns = malloc((size_t)n_pairs * PATTERNS * sizeof(*s->patterns));
    s->scanned = calloc((size_t)s->n_threads, sizeof(*s->scanned));
    if (s->patterns == NULL || s->scanned == NULL) {
        st = log_nomem("primers");
        goto fail;
    }
    make_patterns(s, pairs);
    s->context = (primer_context_t){.device = device,
                                    .text = text,
                                    .patterns = s->patterns,
                                    .n_patterns = n_pairs * PATTERNS,
                                    .max_mismatches = opts->max_mismatches,
                                    .max_gaps = opts->max_gaps};
    if ((st = open_backend(s, device, kernel)) != ST_OK)
        goto fail;
    *out = s;
    return ST_OK;
fail:
    primer_search_destroy(s);
    return st;
}

void primer_search_destroy(primer_search_t *s)
{
    if (s == NULL)
        return;
    if (s->state != NULL)
        s->backend->destroy(s->state);
    for (int k = 0; s->scanned != NULL && k < s->n_threads; k++)
        free(s->scanned[k].bits);
    free(s->scanned);
    free(s->patterns);
    free(s);
}

const backend_t *primer_search_backend(const primer_search_t *s)
{
    return &s->backend->base;
}

const primer_pattern_t *primer_search_pattern(const primer_search_t *s, int pair,
                                              primer_role_t role, bool is_complement)
{
    return &s->patterns[pattern_of(pair, role, is_complement)];
}

int64_t primer_search_word_bytes(const primer_search_t *s)
{
    return s->backend->is_parallel
               ? 0
               : s->context.n_patterns * (int64_t)sizeof(*s->scanned->bits);
}

/* @return the first sequence of a read, or of a pair of them */
static int64_t sequence_of(const primer_search_t *s, int64_t read)
{
    return s->opts.are_pairs ? 2 * read : read;
}

/* Scan the words of reads first .. end - 1. */
static status_t scan(primer_search_t *s, int64_t first, int64_t end, scanned_t *to)
{
    const int64_t *first_word = s->context.text->first_word;
    size_t needed;

    to->first = first_word[sequence_of(s, first)];
    to->n = first_word[sequence_of(s, end)] - to->first;
    needed = (size_t)primer_row_words(to->n) * (size_t)s->context.n_patterns;
    if (needed > to->capacity) {
        free(to->bits);
        to->capacity = 0;
        if ((to->bits = buf_alloc_pages(needed * sizeof(*to->bits))) == NULL)
            return log_nomem("places of primers");
        to->capacity = needed;
    }
    return to->n > 0 ? s->backend->scan(s->state, to->first, to->n, to->bits) : ST_OK;
}

status_t primer_search_load(primer_search_t *s, int64_t first, int64_t n)
{
    return s->backend->is_parallel ? ST_OK : scan(s, first, first + n, s->scanned);
}

/* ---- places in a sequence ---- */

/* What is looked for in a sequence, and where. */
typedef struct {
    const primer_search_t *s;
    const scanned_t *scanned;
    int64_t sequence;
} view_t;

typedef struct {
    int32_t at; /* -1: none */
    int len, mismatches, gaps;
} place_t;

/* A search for the best place, and of equal ones the first or the last one. */
typedef struct {
    int32_t end; /* of the bases that may belong to it */
    bool is_last;
    place_t best;
} contest_t;

/* Fewest edits, then fewest gaps. */
static int rank_of(const place_t *p)
{
    return (p->mismatches + p->gaps) * (PRIMER_GAPS_MAX + 1) + p->gaps;
}

/* Of the last places, the one that ends last, and there the shortest one. */
static bool is_later(const place_t *a, const place_t *b)
{
    return a->at + a->len != b->at + b->len ? a->at + a->len > b->at + b->len
                                            : a->len < b->len;
}

/* Places come by their first base, and there the shorter ones first. */
static void enter(contest_t *c, place_t place)
{
    const int rank = rank_of(&place), best = rank_of(&c->best);

    if (place.at + place.len <= c->end &&
        (c->best.at < 0 || rank < best ||
         (rank == best && c->is_last && is_later(&place, &c->best))))
        c->best = place;
}

/* Enter all alignments of a primer that begin at a place. */
static void enter_alignments(const view_t *v, const primer_pattern_t *p, int64_t place,
                             int32_t at, contest_t *c)
{
    const primer_context_t *context = &v->s->context;
    primer_alignments_t a;

    primer_gaps_align(p, context->text, place, context->max_gaps, &a);
    for (int d = 0; d < PRIMER_DIAGONALS; d++)
        for (int g = 0; g <= context->max_gaps; g++)
            if (a.mismatches[g][d] <= context->max_mismatches)
                enter(c,
                      (place_t){at, p->len + d - PRIMER_GAPS_MAX, a.mismatches[g][d], g});
}

/* Find the best place in bases from .. end - 1, and of equal ones the first or the last
 * one. */
static place_t find_place(const view_t *v, int pattern, int32_t from, int32_t end,
                          bool is_last)
{
    const base_planes_t *text = v->s->context.text;
    const primer_pattern_t *p = &v->s->patterns[pattern];
    const int max_gaps = v->s->context.max_gaps;
    const int64_t first = text->first_word[v->sequence];
    const uint64_t *bits = v->scanned->bits + pattern * primer_row_words(v->scanned->n) +
                           (first - v->scanned->first);
    contest_t c = {.end = end, .is_last = is_last, .best = {.at = -1}};

    for (int64_t w = from / WORD; w * WORD + p->len - max_gaps <= end && w * WORD < end;
         w++) {
        uint64_t left = bits[w];

        if (w == from / WORD)
            left &= ~UINT64_C(0) << from % WORD;
        for (; left != 0; left &= left - 1) {
            const int bit = __builtin_ctzll(left);
            const int32_t at = (int32_t)(w * WORD + bit);

            if (max_gaps > 0)
                enter_alignments(v, p, (first + w) * WORD + bit, at, &c);
            else
                enter(&c, (place_t){at, p->len,
                                    primer_pattern_compare(p, text, first + w, bit), 0});
        }
    }
    return c.best;
}

static place_t find_first(const view_t *v, int pattern, int32_t from)
{
    return find_place(v, pattern, from, v->s->context.text->len[v->sequence], false);
}

/* ---- regions ---- */

static void set_place(primer_region_t *r, primer_role_t role, place_t place)
{
    r->at[role] = place.at;
    r->len[role] = (uint8_t)place.len;
    r->mismatches[role] = (uint8_t)place.mismatches;
    r->gaps[role] = (uint8_t)place.gaps;
}

/* Find the region of a sequence on one strand.  On the reverse one the forward primer's
 * reverse complement comes last, and what is first there is last in the sequence. */
static bool find_on_strand(const view_t *v, int pair, bool is_reversed,
                           primer_region_t *out)
{
    const int forward = pattern_of(pair, PRIMER_FORWARD, is_reversed);
    const int reverse = pattern_of(pair, PRIMER_REVERSE, !is_reversed);
    const int32_t len = v->s->context.text->len[v->sequence];
    const place_t f = find_place(v, forward, 0, len, is_reversed);
    place_t r;

    if (f.at < 0)
        return false;
    r = is_reversed ? find_place(v, reverse, 0, f.at, true)
                    : find_first(v, reverse, f.at + f.len);
    if (r.at < 0 || (is_reversed ? r.at + r.len == f.at : r.at == f.at + f.len))
        return false;
    *out = (primer_region_t){.pair = (int16_t)pair, .is_reversed = is_reversed};
    set_place(out, PRIMER_FORWARD, f);
    set_place(out, PRIMER_REVERSE, r);
    return true;
}

/* Find a primer in its read of a pair, and the end of what is kept of that. */
static bool find_in_read(const view_t *v, int pair, primer_role_t role,
                         primer_region_t *out)
{
    const int pattern = pattern_of(pair, role, false),
              other = pattern_of(pair, PRIMER_REVERSE - role, true);
    const place_t place = find_first(v, pattern, 0);
    place_t end;

    if (place.at < 0)
        return false;
    set_place(out, role, place);
    end = find_first(v, other, place.at + place.len);
    out->end[role] = end.at >= 0 ? end.at : v->s->context.text->len[v->sequence];
    out->end_len[role] = end.at >= 0 ? (uint8_t)end.len : 0;
    return true;
}

/* Find the primers of a pair of reads. @param is_reversed  the reads are swapped */
static bool find_in_pair(const view_t *v, int pair, bool is_reversed,
                         primer_region_t *out)
{
    view_t forward = *v, reverse = *v;

    forward.sequence += is_reversed;
    reverse.sequence += !is_reversed;
    *out = (primer_region_t){.pair = (int16_t)pair, .is_reversed = is_reversed};
    return find_in_read(&forward, pair, PRIMER_FORWARD, out) &&
           find_in_read(&reverse, pair, PRIMER_REVERSE, out);
}

static bool find_region(const view_t *v, int pair, primer_region_t *out)
{
    const bool are_pairs = v->s->opts.are_pairs;
    primer_region_t reversed;
    const bool is_found = are_pairs ? find_in_pair(v, pair, false, out)
                                    : find_on_strand(v, pair, false, out);

    if (is_found && primer_region_edits(out) == 0)
        return true;
    if (are_pairs ? !find_in_pair(v, pair, true, &reversed)
                  : !find_on_strand(v, pair, true, &reversed))
        return is_found;
    if (!is_found || primer_region_edits(&reversed) < primer_region_edits(out))
        *out = reversed;
    return true;
}

/* Find the regions of reads whose words were scanned.
 * @param base  the read from which regions count */
static status_t find_scanned(const primer_search_t *s, const scanned_t *scanned,
                             int64_t first, int64_t end, int64_t base, buf_t *out)
{
    status_t st = ST_OK;

    for (int64_t i = first; i < end; i++) {
        const view_t v = {s, scanned, sequence_of(s, i)};
        primer_region_t region;

        for (int q = 0; st == ST_OK && q < s->n_pairs; q++)
            if (find_region(&v, q, &region)) {
                region.read = (int32_t)(i - base);
                st = buf_append(out, &region, sizeof(region));
            }
    }
    return st;
}

status_t primer_search_find(primer_search_t *s, int64_t first, int64_t n, int thread,
                            buf_t *out)
{
    const int64_t *first_word = s->context.text->first_word;
    const int64_t end = first + n;
    scanned_t *scanned = &s->scanned[thread];
    status_t st = ST_OK;

    if (!s->backend->is_parallel)
        return find_scanned(s, s->scanned, first, end, first, out);
    for (int64_t i = first, k; st == ST_OK && i < end; i = k) {
        const int64_t limit = first_word[sequence_of(s, i)] + SCANNED_WORDS;

        for (k = i + 1; k < end && first_word[sequence_of(s, k + 1)] <= limit;)
            k++;
        if ((st = scan(s, i, k, scanned)) == ST_OK)
            st = find_scanned(s, scanned, i, k, first, out);
    }
    return st;
}

/* ---- regions of others ---- */

/* @return whether a pattern is aligned with a read as a region says of a primer */
static bool is_place(const primer_search_t *s, int64_t sequence, int pattern,
                     const primer_region_t *r, primer_role_t role)
{
    const primer_context_t *c = &s->context;
    const primer_pattern_t *p = &s->patterns[pattern];
    const int32_t at = r->at[role];
    const int d = r->len[role] - p->len + PRIMER_GAPS_MAX;
    primer_alignments_t a;

    if (at < 0 || at > c->text->len[sequence] - r->len[role] || d < 0 ||
        d >= PRIMER_DIAGONALS || r->gaps[role] > c->max_gaps ||
        r->mismatches[role] > c->max_mismatches)
        return false;
    primer_gaps_align(p, c->text, c->text->first_word[sequence] * WORD + at, c->max_gaps,
                      &a);
    return a.mismatches[r->gaps[role]][d] == r->mismatches[role];
}

static bool may_be_in_pair(const primer_search_t *s, int64_t sequence,
                           const primer_region_t *r)
{
    bool good = true;

    for (int role = PRIMER_FORWARD; good && role <= PRIMER_REVERSE; role++) {
        const int64_t i = sequence + (role != r->is_reversed);

        good = is_place(s, i, pattern_of(r->pair, role, false), r, role) &&
               r->end[role] >= r->at[role] + r->len[role] &&
               r->end[role] <= s->context.text->len[i] - r->end_len[role];
    }
    return good;
}

static bool may_be_in_read(const primer_search_t *s, int64_t sequence,
                           const primer_region_t *r)
{
    const int first = r->is_reversed ? PRIMER_REVERSE : PRIMER_FORWARD;

    for (int role = PRIMER_FORWARD; role <= PRIMER_REVERSE; role++)
        if (!is_place(s, sequence, pattern_of(r->pair, role, role != first), r, role))
            return false;
    return r->at[first] + r->len[first] < r->at[!first] && r->end[0] == 0 &&
           r->end[1] == 0 && r->end_len[0] == 0 && r->end_len[1] == 0;
}

bool primer_search_may_be(const primer_search_t *s, int64_t first,
                          const primer_region_t *region)
{
    const int64_t n = s->context.text->n / (s->opts.are_pairs ? 2 : 1);
    const int64_t sequence = sequence_of(s, first + region->read);

    return region->read >= 0 && region->read < n - first && region->pair >= 0 &&
           region->pair < s->n_pairs && region->is_reversed <= 1 && region->zero == 0 &&
           (s->opts.are_pairs ? may_be_in_pair(s, sequence, region)
                              : may_be_in_read(s, sequence, region));
}
