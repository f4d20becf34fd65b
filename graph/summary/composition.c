/*
 * composition.c - counts reads by taxon and sample.
 */
#include "graph/summary/composition.h"

#include "io/base/logmsg.h"

#include <stdlib.h>
#include <string.h>

bool composition_rank_parse(const char *text, composition_rank_t *out)
{
    static const struct {
        const char *name;
        composition_rank_t rank;
    } ranks[] = {{"domain", {1, 'd'}}, {"kingdom", {1, 'k'}}, {"phylum", {2, 'p'}},
                 {"class", {3, 'c'}},  {"order", {4, 'o'}},   {"family", {5, 'f'}},
                 {"genus", {6, 'g'}},  {"species", {7, 's'}}};
    char *end;
    long number;

    for (size_t k = 0; k < sizeof(ranks) / sizeof(ranks[0]); k++)
        if (strcmp(text, ranks[k].name) == 0) {
            *out = ranks[k].rank;
            return true;
        }
    number = strtol(text, &end, 10);
    *out = (composition_rank_t){(int)number, 0};
    return *text >= '1' && *text <= '9' && *end == '\0' && number < 1000;
}

/* @return the letter of a prefix such as "g__", 'd' for "k__"; 0: none */
static char letter_of(const char *name)
{
    if (*name == '\0' || strncmp(name + 1, "__", 2) != 0)
        return 0;
    return *name == 'k' ? 'd' : *name;
}

size_t composition_taxon_len(const char *lineage, composition_rank_t rank)
{
    static const char root[] = "Root;";
    const char letter = rank.letter == 'k' ? 'd' : rank.letter;
    const bool has_letters = letter != 0 && letter_of(lineage) != 0;
    const char *at = lineage;

    if (letter != 0 && strncmp(at, root, strlen(root)) == 0)
        at += strlen(root);
    for (int number = 1;; number++) {
        const size_t len = strcspn(at, ";");

        if (has_letters ? letter_of(at) == letter : number == rank.number)
            return (size_t)(at - lineage) + len;
        if (at[len] == '\0')
            return 0;
        at += len + 1;
    }
}

/* A taxon with its reads in all samples. */
typedef struct {
    int64_t number, reads;
} taxon_t;

typedef struct {
    name_table_t taxa;
    int64_t *taxon_of; /* [lineages] -1: none of the rank */
    taxon_t *sorted;   /* [taxa.n] */
    int *row_of;       /* [taxa.n] */
} work_t;

static int by_reads(const void *a, const void *b)
{
    const taxon_t *x = a, *y = b;

    if (x->reads != y->reads)
        return x->reads > y->reads ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* @return the taxon of a read, or -1 */
static int64_t taxon_of(const work_t *w, const class_names_t *names, int64_t read)
{
    return names->lineage_of[read] < 0 ? -1 : w->taxon_of[names->lineage_of[read]];
}

static status_t find_taxa(work_t *w, const class_names_t *names, composition_rank_t rank)
{
    status_t st = ST_OK;

    w->taxon_of = malloc(((size_t)names->lineages.n + 1) * sizeof(*w->taxon_of));
    if (w->taxon_of == NULL)
        return log_nomem("taxa");
    for (int64_t i = 0; st == ST_OK && i < names->lineages.n; i++) {
        const char *lineage = name_table_at(&names->lineages, i);
        const size_t len = composition_taxon_len(lineage, rank);

        w->taxon_of[i] = -1;
        if (len > 0)
            st = name_table_add(&w->taxa, lineage, len, &w->taxon_of[i], NULL);
    }
    return st;
}

/* Give the largest taxa rows of their own. */
static status_t choose(work_t *w, const class_names_t *names, const abundance_t *reads,
                       int max, composition_t *c)
{
    const int64_t n = w->taxa.n;

    w->sorted = calloc((size_t)n + 1, sizeof(*w->sorted));
    w->row_of = malloc(((size_t)n + 1) * sizeof(*w->row_of));
    c->taxa = calloc((size_t)max + 1, sizeof(*c->taxa));
    if (w->sorted == NULL || w->row_of == NULL || c->taxa == NULL)
        return log_nomem("taxa");
    for (int64_t i = 0; i < n; i++)
        w->sorted[i].number = i;
    for (int64_t read = 0; read < names->reads->n; read++)
        if (taxon_of(w, names, read) >= 0)
            w->sorted[taxon_of(w, names, read)].reads += reads->size[read];
    qsort(w->sorted, (size_t)n, sizeof(*w->sorted), by_reads);
    c->n_taxa = n;
    for (int64_t i = 0; i < n; i++) {
        w->row_of[w->sorted[i].number] = i < max ? (int)i : max;
        if (i >= max)
            continue;
        c->taxa[i] = strdup(name_table_at(&w->taxa, w->sorted[i].number));
        if (c->taxa[i] == NULL)
            return log_nomem("taxa");
        c->n_shown++;
    }
    return ST_OK;
}

static void count(const work_t *w, const class_names_t *names, int64_t read,
                  int64_t sample, int64_t n, composition_t *c)
{
    const int64_t taxon = taxon_of(w, names, read);
    const int row = taxon < 0 ? c->n_shown + 1 : w->row_of[taxon];

    c->counts[row * c->n_samples + sample] += n;
}

static status_t count_all(const work_t *w, const class_names_t *names,
                          const abundance_t *reads, composition_t *c)
{
    const abundance_count_t *counts = (const void *)reads->counts.data;
    const size_t n_counts = reads->counts.len / sizeof(*counts);

    c->n_samples = reads->samples.n > 0 ? reads->samples.n : 1;
    c->counts =
        calloc((size_t)(c->n_shown + 2) * (size_t)c->n_samples, sizeof(*c->counts));
    if (c->counts == NULL)
        return log_nomem("counts of taxa");
    for (size_t i = 0; reads->samples.n > 0 && i < n_counts; i++)
        count(w, names, counts[i].row, counts[i].sample, counts[i].count, c);
    for (int64_t read = 0; reads->samples.n == 0 && read < names->reads->n; read++)
        count(w, names, read, 0, reads->size[read], c);
    return ST_OK;
}

status_t composition_make(const class_names_t *names, const abundance_t *reads,
                          composition_rank_t rank, int max, composition_t *out)
{
    work_t w = {.taxon_of = NULL};
    status_t st = find_taxa(&w, names, rank);

    *out = (composition_t){0};
    if (st == ST_OK)
        st = choose(&w, names, reads, max, out);
    if (st == ST_OK)
        st = count_all(&w, names, reads, out);
    name_table_free(&w.taxa);
    free(w.taxon_of);
    free(w.sorted);
    free(w.row_of);
    if (st != ST_OK)
        composition_free(out);
    return st;
}

void composition_free(composition_t *c)
{
    for (int k = 0; c->taxa != NULL && k < c->n_shown; k++)
        free(c->taxa[k]);
    free(c->taxa);
    free(c->counts);
    *c = (composition_t){0};
}
