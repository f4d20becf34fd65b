/*
 * otu_previous_changes.c - lists what became of OTUs, as a table and as messages.
 */
#include "io/otu/otu_previous.h"

#include "io/base/buf.h"
#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdlib.h>

/* OTUs that a message names, and others that it names with each. */
enum { NAMED_MAX = 10, OTHERS_MAX = 3 };

/* What an OTU that split has gained, and what a joined one has gained besides, is in the
 * table's other columns. */
typedef enum { UNCHANGED, GREW, JOINED, SPLIT, RETIRED, NEW, N_CHANGES } change_t;

static const char *const change_name[N_CHANGES] = {"unchanged", "grew",    "joined",
                                                   "split",     "retired", "new"};

/* A line: an OTU, or one that is retired. */
typedef struct {
    change_t change;
    int64_t otu, old; /* their numbers in the tables; -1: none */
} line_t;

static int64_t n_lines(const otu_previous_t *p)
{
    return p->now->n_otus + p->groups.table->n_otus;
}

static int64_t n_members(const otu_table_t *t, int64_t otu)
{
    return otu >= 0 ? t->member_start[otu + 1] - t->member_start[otu] : 0;
}

static int64_t size_of(const otu_table_t *t, int64_t otu)
{
    return otu >= 0 ? t->size[otu] : 0;
}

/* @return the OTU of a sequence; -1: none, or it is not in the table */
static int32_t otu_of(const otu_table_t *t, int32_t sequence)
{
    return sequence < t->n ? t->otu[sequence] : -1;
}

static change_t change_of(const otu_previous_t *p, int64_t otu)
{
    const otu_table_t *now = p->now, *before = p->groups.table;
    const int32_t old = p->origin[otu];
    int64_t n_kept = 0, n_joined = 0;

    if (old < 0)
        return NEW;
    for (int64_t m = now->member_start[otu]; m < now->member_start[otu + 1]; m++) {
        const int32_t there = otu_of(before, now->member[m]);

        n_kept += there == old;
        n_joined += there >= 0 && there != old;
    }
    return n_kept < n_members(before, old)                ? SPLIT
           : n_joined > 0                                 ? JOINED
           : n_members(now, otu) > n_members(before, old) ? GREW
           : size_of(now, otu) != size_of(before, old)    ? GREW
                                                          : UNCHANGED;
}

/* @return whether there is a k-th line: OTUs, then earlier ones that are retired */
static bool line_at(const otu_previous_t *p, int64_t k, line_t *out)
{
    const int64_t old = k - p->now->n_otus;

    if (old < 0)
        *out = (line_t){change_of(p, k), k, p->origin[k]};
    else
        *out = (line_t){RETIRED, -1, old};
    return old < 0 || p->heir[old] < 0 || p->origin[p->heir[old]] != old;
}

/*
 * Append the names of the OTUs of another table that have sequences of an OTU, but one.
 *
 * @param before  written before the first of them
 * @param max     names; "..." stands for the others
 */
static status_t list_others(const otu_previous_t *p, const otu_table_t *of, int64_t otu,
                            const otu_table_t *other, int64_t but, const char *before,
                            int64_t max, buf_t *out)
{
    const int64_t begin = otu >= 0 ? of->member_start[otu] : 0;
    const int64_t end = otu >= 0 ? of->member_start[otu + 1] : 0;
    int64_t n = 0;
    status_t st = ST_OK;

    for (int64_t m = begin; st == ST_OK && m < end; m++) {
        const int32_t there = otu_of(other, of->member[m]);
        char text[OTU_NAME_BYTES];

        if (there < 0 || there == but || p->n_shared[there]++ > 0 || n > max)
            continue;
        st = buf_printf(out, "%s%s", n == 0 ? before : ",",
                        n < max ? otu_table_name(other, there, text) : "...");
        n++;
    }
    for (int64_t m = begin; m < end; m++)
        if (otu_of(other, of->member[m]) >= 0)
            p->n_shared[otu_of(other, of->member[m])] = 0;
    return st;
}

/* Append the earlier OTUs that others of a line's sequences are from. */
static status_t list_from(const otu_previous_t *p, const line_t *line, const char *before,
                          int64_t max, buf_t *out)
{
    return list_others(p, p->now, line->otu, p->groups.table, line->old, before, max,
                       out);
}

/* Append the OTUs that have others of the sequences that a line's OTU had. */
static status_t list_to(const otu_previous_t *p, const line_t *line, const char *before,
                        int64_t max, buf_t *out)
{
    return list_others(p, p->groups.table, line->old, p->now, line->otu, before, max,
                       out);
}

static const char *name_of(const otu_previous_t *p, const line_t *line,
                           char text[OTU_NAME_BYTES])
{
    return line->otu >= 0 ? otu_table_name(p->now, line->otu, text)
                          : otu_table_name(p->groups.table, line->old, text);
}

/* ---- messages ---- */

/* Append the name of an OTU: "Otu03 (from Otu07, to Otu12)". */
static status_t append_named(const otu_previous_t *p, const line_t *line, buf_t *out)
{
    char text[OTU_NAME_BYTES];
    const size_t start = out->len;
    size_t len;
    status_t st = buf_printf(out, "%s%s", start > 0 ? ", " : "", name_of(p, line, text));

    len = out->len;
    if (st == ST_OK && (st = list_from(p, line, " (from ", OTHERS_MAX, out)) == ST_OK)
        st = list_to(p, line, out->len > len ? "; to " : " (to ", OTHERS_MAX, out);
    return st == ST_OK && out->len > len ? buf_append(out, ")", 1) : st;
}

static void log_lines(const otu_previous_t *p, const int64_t *n, const buf_t *names)
{
    log_info("%s: %" PRId64 " OTUs: %" PRId64 " unchanged, %" PRId64 " grew, %" PRId64
             " joined, %" PRId64 " split, %" PRId64 " retired; and %" PRId64 " new",
             p->path, p->groups.table->n_otus, n[UNCHANGED], n[GREW], n[JOINED], n[SPLIT],
             n[RETIRED], n[NEW]);
    for (change_t k = GREW; k < N_CHANGES; k++) {
        if (n[k] > NAMED_MAX)
            log_info("%s: %.*s and %" PRId64 " others", change_name[k], (int)names[k].len,
                     (const char *)names[k].data, n[k] - NAMED_MAX);
        else if (n[k] > 0)
            log_info("%s: %.*s", change_name[k], (int)names[k].len,
                     (const char *)names[k].data);
    }
}

status_t otu_previous_log(const otu_previous_t *p)
{
    int64_t n[N_CHANGES] = {0};
    buf_t names[N_CHANGES] = {{0}};
    status_t st = ST_OK;

    for (int64_t k = 0; st == ST_OK && k < n_lines(p); k++) {
        line_t line;

        if (line_at(p, k, &line) && n[line.change]++ < NAMED_MAX)
            st = append_named(p, &line, &names[line.change]);
    }
    if (st == ST_OK)
        log_lines(p, n, names);
    for (change_t k = 0; k < N_CHANGES; k++)
        buf_free(&names[k]);
    return st;
}

/* ---- the table ---- */

/* Append NA to what has nothing since. */
static status_t fill(buf_t *out, size_t len)
{
    return out->len == len ? buf_printf(out, "\tNA") : ST_OK;
}

status_t otu_previous_write(const otu_previous_t *p, FILE *to)
{
    const otu_table_t *now = p->now, *old = p->groups.table;
    buf_t text = {0};
    status_t st = ST_OK;

    fputs("otu\tchange\tsequences\tprevious_sequences\tabundance\tprevious_abundance\t"
          "from\tto\n",
          to);
    for (int64_t k = 0; st == ST_OK && k < n_lines(p); k++) {
        char name[OTU_NAME_BYTES];
        line_t line;

        text.len = 0;
        if (!line_at(p, k, &line))
            continue;
        fprintf(to, "%s\t%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%" PRId64,
                name_of(p, &line, name), change_name[line.change],
                n_members(now, line.otu), n_members(old, line.old),
                size_of(now, line.otu), size_of(old, line.old));
        if ((st = list_from(p, &line, "\t", INT64_MAX, &text)) == ST_OK &&
            (st = fill(&text, 0)) == ST_OK) {
            const size_t len = text.len;

            if ((st = list_to(p, &line, "\t", INT64_MAX, &text)) == ST_OK)
                st = fill(&text, len);
        }
        fprintf(to, "%.*s\n", (int)text.len, (const char *)text.data);
    }
    buf_free(&text);
    return st;
}
