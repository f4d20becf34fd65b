/*
 * clades_plan.c - sorts sequences by lineage, lists their taxa as ranges, and cuts.
 */
#include "graph/clades/clades_plan.h"

#include "graph/summary/heat_map.h"
#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/base/texts.h"
#include "io/pairs/pairs_scan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool clades_cuts_parse(const char *text, clades_cuts_t *out)
{
    static const char every[] = "every:";
    char *end;

    *out = (clades_cuts_t){.every = 1};
    if (strcmp(text, "all") == 0)
        return true;
    if (strncmp(text, every, strlen(every)) == 0) {
        text += strlen(every);
        out->every = strtoll(text, &end, 10);
        return *text >= '1' && *text <= '9' && *end == '\0' && out->every <= INT32_MAX;
    }
    out->every = 0;
    return composition_rank_parse(text, &out->rank);
}

uint64_t clades_digest(const pairs_file_t *f)
{
    const uint64_t digest = texts_digest(f->rows.names, f->rows.n, DIGEST_START);

    return digest_add(digest, f->job, strlen(f->job));
}

status_t clades_check_pairs(const pairs_file_t *f)
{
    const status_t st = pairs_scan_check_one_set(f);

    return st == ST_OK && f->rows.n == 0
               ? log_refusal(f->path, "align sequences", "it has no sequences")
               : st;
}

/* ---- taxa ---- */

typedef struct {
    const taxonomy_t *t;
    const int32_t *order;             /* [n] */
    const int32_t *taxa;              /* [n] by row */
    int32_t at[CLADES_MAX_RANKS + 1]; /* the current taxon of each rank */
    buf_t names;                      /* of taxa, each with its NUL */
    clades_t *out;
} work_t;

static int rank_of(const work_t *w, int64_t position)
{
    return taxonomy_rank(w->t, w->taxa[w->order[position]]);
}

/* @return the rank of the lowest common taxon of a sequence and the one before it */
static int common_rank(const work_t *w, int64_t position)
{
    const int32_t a = w->taxa[w->order[position - 1]], b = w->taxa[w->order[position]];
    int rank = rank_of(w, position);

    if (rank_of(w, position - 1) < rank)
        rank = rank_of(w, position - 1);
    while (taxonomy_ancestor(w->t, a, rank) != taxonomy_ancestor(w->t, b, rank))
        rank--;
    return rank;
}

/* Begin the taxa of a sequence below a rank. */
static status_t begin_taxa(work_t *w, int64_t position, int rank)
{
    clades_t *c = w->out;
    status_t st = ST_OK;

    while (st == ST_OK && ++rank <= rank_of(w, position)) {
        const int32_t taxon = taxonomy_ancestor(w->t, w->taxa[w->order[position]], rank);
        const char *name = taxonomy_name(w->t, taxon);

        st = buf_append(&w->names, name, strlen(name) + 1);
        w->at[rank] = (int32_t)c->n_taxa++;
        c->parent[w->at[rank]] = w->at[rank - 1];
        c->begin[w->at[rank]] = (int32_t)position;
    }
    return st;
}

/* End those that a sequence has below a rank. */
static void end_taxa(work_t *w, int64_t last, int rank)
{
    for (int r = rank + 1; r <= rank_of(w, last); r++)
        w->out->end[w->at[r]] = (int32_t)last + 1;
}

static status_t list_taxa(work_t *w)
{
    clades_t *c = w->out;
    const size_t n = (size_t)taxonomy_n_taxa(w->t);
    status_t st = ST_OK;

    c->parent = calloc(n, sizeof(*c->parent));
    c->begin = calloc(n, sizeof(*c->begin));
    c->end = calloc(n, sizeof(*c->end));
    if (c->parent == NULL || c->begin == NULL || c->end == NULL)
        return log_nomem("taxa");
    c->n_taxa = 1; /* the root */
    c->end[0] = (int32_t)c->n;
    if ((st = buf_append(&w->names, "", 1)) == ST_OK)
        st = begin_taxa(w, 0, 0);
    for (int64_t p = 1; st == ST_OK && p < c->n; p++) {
        const int rank = common_rank(w, p);

        end_taxa(w, p - 1, rank);
        st = begin_taxa(w, p, rank);
    }
    end_taxa(w, c->n - 1, 0);
    return st == ST_OK
               ? texts_copy((const char *)w->names.data, c->n_taxa, &c->taxon_name)
               : st;
}

/* ---- cuts ---- */

static bool is_cut(const work_t *w, const clades_cuts_t *cuts, int rank, int64_t position)
{
    int common;

    if (cuts->every > 0)
        return position % cuts->every == 0;
    common = common_rank(w, position);
    return common < rank &&
           (rank_of(w, position) > common || rank_of(w, position - 1) > common);
}

static status_t list_cuts(work_t *w, const clades_cuts_t *cuts, const char *path)
{
    clades_t *c = w->out;
    const int n_above = cuts->rank.letter != 0 ? taxonomy_phylum_rank(w->t) - 2 : 0;
    const int rank = cuts->rank.number + n_above; /* there may be a rank "Root" */

    if (cuts->every == 0 && rank > c->n_ranks)
        return log_refusal(path, "give --cuts with a rank that they have, or every:N",
                           "its lineages have only %" PRId64 " ranks, and not %d",
                           c->n_ranks, rank);
    if ((c->cut = malloc(((size_t)c->n + 1) * sizeof(*c->cut))) == NULL)
        return log_nomem("cuts");
    c->cut[0] = 0;
    c->n_cuts = 0;
    for (int64_t p = 1; p < c->n; p++)
        if (is_cut(w, cuts, rank, p))
            c->cut[++c->n_cuts] = p;
    c->cut[++c->n_cuts] = c->n;
    if (c->n_cuts < INT32_MAX / 2 &&
        clades_n_values(c->n_cuts, c->n_bins) <= CLADES_MAX_VALUES)
        return ST_OK;
    log_error("--cuts: %" PRId64 " blocks by %" PRId64 " bins make a table of %.3g "
              "values, and the limit is %.3g; give fewer --bins, or --cuts with a higher "
              "rank or every:N",
              c->n_cuts, c->n_bins,
              (double)c->n_cuts * (double)c->n_cuts / 2 * (double)c->n_bins,
              (double)CLADES_MAX_VALUES);
    return ST_EINPUT;
}

/* ---- sequences ---- */

static status_t find_taxa(const pairs_file_t *f, const taxonomy_t *t, const char *path,
                          int32_t *taxa)
{
    int64_t n_missing = 0, first = 0;

    for (int64_t i = f->rows.n; i-- > 0;)
        if ((taxa[i] = taxonomy_find(t, f->rows.names[i])) < 0) {
            n_missing++;
            first = i;
        }
    return n_missing == 0
               ? ST_OK
               : log_refusal(path, "add their lineages",
                             "it has no lineage for %" PRId64 " of %" PRId64
                             " sequences of %s, the first is %s",
                             n_missing, f->rows.n, f->path, f->rows.names[first]);
}

static status_t name_sequences(const pairs_file_t *f, clades_t *c)
{
    buf_t names = {0};
    status_t st = ST_OK;

    for (int64_t p = 0; st == ST_OK && p < c->n; p++) {
        const char *name = f->rows.names[c->row[p]];

        st = buf_append(&names, name, strlen(name) + 1);
    }
    if (st == ST_OK)
        st = texts_copy((const char *)names.data, c->n, &c->name);
    buf_free(&names);
    return st;
}

static status_t sort_sequences(const taxonomy_t *t, const char *path, const int32_t *taxa,
                               clades_t *c)
{
    for (int64_t i = 0; i < c->n; i++) {
        c->row[i] = (int32_t)i;
        if (taxonomy_rank(t, taxa[i]) > c->n_ranks)
            c->n_ranks = taxonomy_rank(t, taxa[i]);
    }
    c->n_levels = 2 * c->n_ranks + 2;
    if (c->n_ranks > CLADES_MAX_RANKS)
        return log_refusal(path, "shorten its lineages", "it has more than %d ranks",
                           CLADES_MAX_RANKS);
    return taxon_order_sort(t, taxa, c->n, c->row);
}

status_t clades_plan_make(const pairs_file_t *f, const taxonomy_t *t, const char *path,
                          const clades_cuts_t *cuts, int64_t n_bins, clades_t *out)
{
    clades_t c = {.n = f->rows.n,
                  .n_bins = n_bins + 1,
                  .min_identity = f->min_identity,
                  .digest = clades_digest(f)};
    int32_t *taxa = malloc((size_t)c.n * sizeof(*taxa) + 1);
    work_t w = {.t = t, .taxa = taxa, .out = &c};
    status_t st = ST_OK;

    w.order = c.row = malloc((size_t)c.n * sizeof(*c.row) + 1);
    if (taxa == NULL || c.row == NULL)
        st = log_nomem("taxa");
    if (st == ST_OK && (st = find_taxa(f, t, path, taxa)) == ST_OK &&
        (st = sort_sequences(t, path, taxa, &c)) == ST_OK &&
        (st = name_sequences(f, &c)) == ST_OK && (st = list_taxa(&w)) == ST_OK)
        st = list_cuts(&w, cuts, path);
    buf_free(&w.names);
    free(taxa);
    if (st == ST_OK)
        *out = c;
    else
        clades_free(&c);
    return st;
}
