/*
 * export_clusters.c - one scan finds the pair of each member with its representative,
 * then the records are written OTU by OTU.
 */
#include "io/export/export_file.h"

#include "io/base/buf.h"
#include "io/base/logmsg.h"
#include "io/export/export_hit.h"
#include "io/export/export_out.h"
#include "io/seq/cigar.h"

#include <stdlib.h>

/* A member's pair with its representative. */
typedef struct {
    int32_t matches, columns; /* 0: the file does not hold the pair */
    bool perfect;
    int64_t first_run, n_runs; /* n_runs = 0: no alignment is known */
} member_t;

typedef struct {
    const pairs_file_t *file;
    const otu_table_t *table;
    export_names_t names;
    member_t *member; /* [table->n] */
    buf_t runs;       /* uint32_t: their alignments, the member being the query */
    FILE *out;
} clusters_t;

/* @return whether one sequence of a pair is the representative of the other one's OTU */
static bool is_wanted(const void *state, const pairs_hit_t *hit)
{
    const otu_table_t *t = ((const clusters_t *)state)->table;
    int32_t otu = t->otu[hit->row];

    return otu >= 0 && otu == t->otu[hit->col] &&
           (t->representative[otu] == hit->row || t->representative[otu] == hit->col);
}

/* Keep the pair for the member; if that is the target, query and target change places. */
static status_t keep_pair(void *state, const export_hit_t *h, FILE *out)
{
    clusters_t *c = state;
    const otu_table_t *t = c->table;
    bool is_query = t->representative[t->otu[h->hit->row]] == h->hit->col;
    member_t *m = &c->member[is_query ? h->hit->row : h->hit->col];
    status_t st = ST_OK;

    (void)out;
    *m = (member_t){.matches = h->hit->matches,
                    .columns = h->hit->columns,
                    .perfect = h->perfect,
                    .first_run = (int64_t)(c->runs.len / sizeof(*h->runs)),
                    .n_runs = h->n_runs};
    for (int64_t i = 0; st == ST_OK && i < h->n_runs; i++) {
        cigar_op_t op = cigar_run_op(h->runs[i]);
        uint32_t run = h->runs[i];

        if (!is_query && (op == CIGAR_I || op == CIGAR_D))
            run = cigar_run(cigar_run_len(run), op == CIGAR_I ? CIGAR_D : CIGAR_I);
        st = buf_append(&c->runs, &run, sizeof(run));
    }
    return st;
}

static void put_name(clusters_t *c, int64_t i)
{
    export_names_put(&c->names, c->file->rows.names[i], c->out);
}

/* Write the record of a representative or of a cluster. */
static void put_cluster(clusters_t *c, char type, int64_t otu, int64_t number)
{
    putc_unlocked(type, c->out);
    export_out_tab_int(c->out, otu);
    export_out_tab_int(c->out, number);
    fputs_unlocked("\t*\t*\t*\t*\t*\t", c->out);
    put_name(c, c->table->representative[otu]);
    fputs_unlocked("\t*\n", c->out);
}

static void put_alignment(clusters_t *c, const member_t *m)
{
    const uint32_t *runs = (const uint32_t *)(const void *)c->runs.data;

    if (m->n_runs == 0)
        putc_unlocked('*', c->out);
    else if (m->perfect)
        putc_unlocked('=', c->out);
    else
        export_lines_caln(&(export_hit_t){.runs = runs + m->first_run,
                                          .n_runs = m->n_runs},
                          c->out);
}

static void put_member(clusters_t *c, int64_t otu, int64_t i)
{
    const member_t *m = &c->member[i];

    putc_unlocked('H', c->out);
    export_out_tab_int(c->out, otu);
    export_out_tab_int(c->out, pairs_len(c->file, i));
    putc_unlocked('\t', c->out);
    if (m->columns > 0)
        export_out_percent(c->out, m->matches, m->columns);
    else
        putc_unlocked('*', c->out);
    fputs_unlocked("\t+\t0\t0\t", c->out);
    put_alignment(c, m);
    putc_unlocked('\t', c->out);
    put_name(c, i);
    putc_unlocked('\t', c->out);
    put_name(c, c->table->representative[otu]);
    putc_unlocked('\n', c->out);
}

static void put_all(clusters_t *c)
{
    const otu_table_t *t = c->table;

    for (int64_t k = 0; k < t->n_otus; k++) {
        put_cluster(c, 'S', k, pairs_len(c->file, t->representative[k]));
        for (int64_t m = t->member_start[k]; m < t->member_start[k + 1]; m++)
            if (t->member[m] != t->representative[k])
                put_member(c, k, t->member[m]);
    }
    for (int64_t k = 0; k < t->n_otus; k++)
        put_cluster(c, 'C', k, t->size[k]);
}

status_t export_clusters_uc(const pairs_file_t *file, const otu_table_t *table, FILE *to)
{
    clusters_t c = {.file = file, .table = table, .names.format = "uc", .out = to};
    export_pick_t pick = {.takes = is_wanted, .state = &c};
    status_t st;

    if ((c.member = calloc((size_t)table->n + 1, sizeof(*c.member))) == NULL)
        st = log_nomem("clusters");
    else if ((st = export_names_check(&c.names, file)) == ST_OK)
        st = export_hit_each(file, &pick, EXPORT_IDENTITY | EXPORT_CIGAR, keep_pair, &c,
                             c.out);
    if (st == ST_OK) {
        put_all(&c);
        st = export_out_flush(c.out);
    }
    buf_free(&c.runs);
    free(c.member);
    return st;
}
