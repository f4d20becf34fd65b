/*
 * job_classify_input.c - rank 0 reads the sequences, the taxonomy or the model, and sends
 * them to the other ranks.
 */
#include "worker/classify/job_classify_state.h"

#include "io/base/logmsg.h"
#include "io/seq/taxonomy.h"
#include "kernels/primers/search/primer_cut.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static status_t read_set(job_classify_t *j, seqset_t **out)
{
    status_t st = seq_files_list(&j->opts->inputs, &j->files);

    return st == ST_OK
               ? fasta_read_files(&j->files, &j->opts->fasta, j->base.pool, NULL, out)
               : st;
}

/* ---- references and their lineages ---- */

/* The taxon of each reference, and which of them are left out. */
typedef struct {
    int32_t *taxon; /* [references] of the table, or -1 */
    int32_t *kept;  /* [n_kept] references with a lineage */
    int64_t n_kept, n_missing;
    const char *missing; /* the first reference without */
} lineages_t;

static status_t find_lineages(const taxonomy_t *t, const seqset_t *refs, lineages_t *l)
{
    l->taxon = malloc((size_t)refs->n * sizeof(*l->taxon) + 1);
    l->kept = malloc((size_t)refs->n * sizeof(*l->kept) + 1);
    if (l->taxon == NULL || l->kept == NULL)
        return log_nomem("lineages");
    for (int64_t i = 0; i < refs->n; i++) {
        l->taxon[i] = taxonomy_find(t, seqset_name(refs, i));
        if (l->taxon[i] >= 0)
            l->kept[l->n_kept++] = (int32_t)i;
        else if (l->n_missing++ == 0)
            l->missing = seqset_name(refs, i);
    }
    return ST_OK;
}

static status_t check_missing(const class_opts_t *o, const lineages_t *l)
{
    if (l->n_missing == 0)
        return ST_OK;
    if (l->n_kept == 0 || !o->allow_missing) {
        log_error("%s has no lineage for %" PRId64 " of %" PRId64
                  " references, the first is '%s'; %s",
                  o->taxonomy, l->n_missing, l->n_missing + l->n_kept, l->missing,
                  l->n_kept == 0 ? "give the table that belongs to them"
                                 : "add them, or give --allow-missing to leave them out");
        return ST_EINPUT;
    }
    log_warn("%s has no lineage for %" PRId64
             " references, which are left out; the first is '%s'",
             o->taxonomy, l->n_missing, l->missing);
    return ST_OK;
}

/* @return whether no lineage is too long (else logged) */
static bool check_ranks(const class_opts_t *o, const taxonomy_t *t)
{
    for (int32_t i = 0; i < taxonomy_n_taxa(t); i++)
        if (taxonomy_rank(t, i) > CLASS_RANKS_MAX) {
            log_error("%s: a lineage has more than %d ranks, its lowest is '%s'; "
                      "shorten it",
                      o->taxonomy, CLASS_RANKS_MAX, taxonomy_name(t, i));
            return false;
        }
    return true;
}

/* Number the taxa above references, in the order of the table.
 * @param number  [taxa] out: -1 for taxa without references */
static int32_t number_taxa(const taxonomy_t *t, const lineages_t *l, int32_t *number)
{
    int32_t n = 0;

    memset(number, -1, (size_t)taxonomy_n_taxa(t) * sizeof(*number));
    number[TAXONOMY_ROOT] = 0;
    for (int64_t k = 0; k < l->n_kept; k++)
        for (int32_t taxon = l->taxon[l->kept[k]]; number[taxon] < 0;
             taxon = taxonomy_ancestor(t, taxon, taxonomy_rank(t, taxon) - 1))
            number[taxon] = 0;
    for (int32_t i = 0; i < taxonomy_n_taxa(t); i++)
        if (number[i] == 0)
            number[i] = n++;
    return n;
}

static status_t copy_taxa(const taxonomy_t *t, const int32_t *number, int32_t n,
                          class_taxa_t *out)
{
    int64_t bytes = 0;
    status_t st;

    for (int32_t i = 0; i < taxonomy_n_taxa(t); i++)
        bytes += number[i] >= 0 ? (int64_t)strlen(taxonomy_name(t, i)) + 1 : 0;
    if ((st = class_taxa_create(n, bytes, out)) != ST_OK)
        return st;
    out->name_offset[0] = 0;
    for (int32_t i = 0; i < taxonomy_n_taxa(t); i++) {
        const int32_t k = number[i];
        const char *name = taxonomy_name(t, i);

        if (k < 0)
            continue;
        out->parent[k] =
            k == 0 ? -1 : number[taxonomy_ancestor(t, i, taxonomy_rank(t, i) - 1)];
        out->name_offset[k + 1] = out->name_offset[k] + (int64_t)strlen(name) + 1;
        memcpy(out->names + out->name_offset[k], name, strlen(name) + 1);
    }
    return ST_OK;
}

static status_t make_model(const class_opts_t *o, const taxonomy_t *t, lineages_t *l,
                           class_model_t *m)
{
    int32_t *number;
    int32_t n;
    status_t st = find_lineages(t, m->refs, l);

    if (st != ST_OK || (st = check_missing(o, l)) != ST_OK)
        return st;
    if (!check_ranks(o, t))
        return ST_EINPUT;
    number = malloc((size_t)taxonomy_n_taxa(t) * sizeof(*number));
    m->taxon_of = malloc((size_t)l->n_kept * sizeof(*m->taxon_of) + 1);
    if (number == NULL || m->taxon_of == NULL) {
        free(number);
        return log_nomem("lineages");
    }
    n = number_taxa(t, l, number);
    if ((st = copy_taxa(t, number, n, &m->taxa)) == ST_OK) {
        for (int64_t k = 0; k < l->n_kept; k++)
            m->taxon_of[k] = number[l->taxon[l->kept[k]]];
        seqset_keep(m->refs, l->kept, l->n_kept);
    }
    free(number);
    return st;
}

/* Keep what lies between the primers, and what reads are labelled with. */
static status_t cut_primers(job_classify_t *j, seqset_t *set)
{
    const primer_trim_t *o = &j->opts->primers;
    primer_cut_t *cuts = NULL;
    int32_t *kept;
    status_t st;

    if (o->text == NULL)
        return ST_OK;
    kept = malloc(((size_t)set->n + 1) * sizeof(*kept));
    st = kept != NULL ? primer_cut_find(o, set, j->base.pool, &cuts)
                      : log_nomem("primers");
    if (st == ST_OK)
        st = primer_trim_set(&j->files, o, cuts, set, kept);
    free(cuts);
    for (int64_t i = 0; st == ST_OK && i < set->n; i++) {
        if (j->sizes != NULL)
            j->sizes[i] = j->sizes[kept[i]];
        if (j->samples_of.of != NULL)
            j->samples_of.of[i] = j->samples_of.of[kept[i]];
    }
    free(kept);
    return st;
}

static status_t remember_primers(const class_opts_t *o, class_model_t *m)
{
    if (o->primers.text == NULL)
        return ST_OK;
    if ((m->primers = strdup(o->primers.text)) == NULL)
        return log_nomem("a model");
    m->primers_len = (int64_t)strlen(m->primers);
    return ST_OK;
}

static status_t read_references(job_classify_t *j)
{
    const class_opts_t *o = j->opts;
    class_model_t *m = &j->model;
    lineages_t lineages = {.n_kept = 0};
    taxonomy_t *taxonomy;
    status_t st = read_set(j, &m->refs);

    if (st != ST_OK)
        return st;
    if (m->refs->n == 0) {
        log_error("%s holds no sequence; give references to train with", j->files.label);
        return ST_EINPUT;
    }
    if ((st = cut_primers(j, m->refs)) != ST_OK ||
        (st = taxonomy_read(o->taxonomy, &taxonomy)) != ST_OK)
        return st;
    st = make_model(o, taxonomy, &lineages, m);
    if (st == ST_OK)
        st = remember_primers(o, m);
    free(lineages.taxon);
    free(lineages.kept);
    taxonomy_destroy(taxonomy);
    return st;
}

/* ---- all ranks ---- */

/* Keep the samples of reads, each of which is of one. */
static status_t take_samples(job_classify_t *j, abundance_t *a)
{
    const abundance_count_t *counts = (const abundance_count_t *)(void *)a->counts.data;
    const int64_t end = (int64_t)a->samples.text.len;
    class_samples_t *s = &j->samples_of;
    status_t st;

    if (a->samples.n == 0)
        return ST_OK;
    if ((st = buf_append(&a->samples.starts, &end, sizeof(end))) != ST_OK)
        return st;
    s->of = malloc((size_t)j->reads->n * sizeof(*s->of) + 1);
    if (s->of == NULL)
        return log_nomem("the samples");
    for (int64_t i = 0; i < j->reads->n; i++)
        s->of[i] = counts[i].sample;
    s->n = a->samples.n;
    s->names = (char *)a->samples.text.data;
    s->name_offset = (int64_t *)(void *)a->samples.starts.data;
    a->samples.text = a->samples.starts = (buf_t){0};
    return ST_OK;
}

/* Read abundances and samples, which names or files have. */
static status_t read_labels(job_classify_t *j)
{
    const class_opts_t *o = j->opts;
    abundance_t a = {.size = NULL};
    status_t st;

    if (!abundance_is_given(o->labels, &j->files))
        return ST_OK;
    if ((st = abundance_from_names(&j->files, o->labels, j->reads, &a)) != ST_OK ||
        (st = take_samples(j, &a)) != ST_OK)
        goto done;
    if (o->labels.sizes) {
        j->sizes = a.size;
        a.size = NULL;
    }
done:
    abundance_free(&a);
    return st;
}

static status_t read_input(job_classify_t *j)
{
    const class_opts_t *o = j->opts;
    status_t st = o->is_training ? read_references(j)
                                 : class_child_read_model(o, &j->model, &j->net.model);

    if (st == ST_OK && class_net_exists(&j->net))
        st = class_net_taxa(o, &j->net.model, &j->model);
    if (st != ST_OK || o->is_training)
        return st;
    if ((st = class_naming_create(o, &j->model, class_net_exists(&j->net), &j->naming)) !=
        ST_OK)
        return st;
    if ((st = read_set(j, &j->reads)) == ST_OK && (st = read_labels(j)) == ST_OK)
        st = cut_primers(j, j->reads);
    if (st == ST_OK && j->reads->n == 0)
        log_warn("%s holds no sequence: there is nothing to classify", j->files.label);
    return st;
}

static bool reads_are_dna(const void *object)
{
    return ((const job_classify_t *)object)->reads->alphabet == ALPHABET_DNA;
}

static const array_t shared_rows[] = {
    ARRAY_MEMBER(job_classify_t, model, &class_model_arrays),
    ARRAY_MEMBER(job_classify_t, net.model.stored, &predict_stored_arrays),
    ARRAY_POINTER(job_classify_t, reads, &seqset_arrays, .is_optional = true,
                  .has_sense = reads_are_dna),
    ARRAYS_END};

static const arrays_t shared = {"a model", sizeof(job_classify_t), shared_rows, NULL};

/* What follows from the model on every rank; rank 0 has network and naming already. */
static status_t settle_model(job_classify_t *j)
{
    const predict_opts_t net = class_net_opts(j->opts);
    const class_model_t *m = &j->model;
    status_t st = ST_OK;

    if (j->net.model.stored.text != NULL)
        st = predict_model_compile(&net, &j->net.model);
    if (st != ST_OK)
        return st;
    if (!j->opts->is_training && j->naming.rules == NULL)
        st = class_naming_create(j->opts, m, class_net_exists(&j->net), &j->naming);
    if (st != ST_OK)
        return st;
    if ((j->class_of = malloc((size_t)m->refs->n * sizeof(*j->class_of) + 1)) == NULL)
        return log_nomem("classes");
    st = nbc_classes_create(m->taxa.parent, m->taxa.n, m->taxon_of, m->refs->n,
                            &j->classes, j->class_of);
    return st == ST_OK && !j->opts->is_training && !class_net_exists(&j->net)
               ? job_classify_parts_plan(j)
               : st;
}

/* What reading makes sure of, of what a client has sent. */
static status_t check_sent(const job_classify_t *j)
{
    const predict_stored_t *net = &j->net.model.stored;

    if (j->reads != NULL && j->model.refs->n > 0 &&
        (net->text == NULL || (net->values != NULL && net->n_classes >= 0 &&
                               net->n_classes <= CNN_NET_MAX_CLASSES)))
        return ST_OK;
    log_error("the client sent no reads, no references, or an incomplete network");
    return ST_EINPUT;
}

status_t job_classify_read(job_classify_t *j, exchange_t *x)
{
    status_t st = exchange_agree(x, x->rank == 0 ? read_input(j) : ST_OK);

    if (st != ST_OK || (st = exchange_object(x, &shared, j)) != ST_OK)
        return st;
    if (x->has_no_gangs && x->rank > 0) /* who does not trust rank 0 looks, too */
        st = check_sent(j);
    if (st == ST_OK)
        st = settle_model(j);
    if (st == ST_OK && x->has_no_gangs && x->rank > 0 && class_net_exists(&j->net))
        st = class_net_check_sent(j->opts, &j->net.model, &j->model);
    return exchange_agree(x, st);
}
