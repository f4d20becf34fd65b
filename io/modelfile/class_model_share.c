/*
 * class_model_share.c - a model in memory, as arrays that one process passes to another.
 */
#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/modelfile/class_model.h"

#include <stdlib.h>

void class_model_free(class_model_t *m)
{
    seqset_destroy(m->refs);
    free(m->taxon_of);
    class_taxa_free(&m->taxa);
    free(m->rules);
    *m = (class_model_t){.n_rules = 0};
}

class_model_shape_t class_model_shape(const class_model_t *m)
{
    return (class_model_shape_t){.n_refs = m->refs->n,
                                 .n_letters = m->refs->offset[m->refs->n],
                                 .names_bytes = m->refs->name_offset[m->refs->n],
                                 .n_taxa = m->taxa.n,
                                 .taxa_bytes = m->taxa.name_offset[m->taxa.n],
                                 .n_rules = m->n_rules,
                                 .rule_len = m->rule_len};
}

status_t class_model_create(const class_model_shape_t *s, class_model_t *out)
{
    class_model_t m = {.n_rules = s->n_rules, .rule_len = s->rule_len};
    status_t st = seqset_create(s->n_refs, s->n_letters, s->names_bytes, &m.refs);

    if (st == ST_OK)
        st = class_taxa_create((int32_t)s->n_taxa, s->taxa_bytes, &m.taxa);
    if (st == ST_OK) {
        m.taxon_of = malloc((size_t)s->n_refs * sizeof(*m.taxon_of) + 1);
        m.rules = malloc((size_t)(s->n_rules * s->rule_len) * sizeof(*m.rules) + 1);
        if (m.taxon_of == NULL || m.rules == NULL)
            st = log_nomem("a model");
    }
    if (st != ST_OK) {
        class_model_free(&m);
        return st;
    }
    *out = m;
    return ST_OK;
}

status_t class_model_each(const class_model_t *m, class_model_fn_t *fn, void *ctx)
{
    /* offsets come before what they measure, so that a reader knows its size */
    const class_taxa_t *t = &m->taxa;
    const seqset_t *r = m->refs;
    size_t n = (size_t)r->n;
    status_t st;

    if ((st = fn(ctx, r->offset, (n + 1) * sizeof(*r->offset))) != ST_OK ||
        (st = fn(ctx, r->name_offset, (n + 1) * sizeof(*r->name_offset))) != ST_OK ||
        (st = fn(ctx, r->letters, (size_t)r->offset[n])) != ST_OK ||
        (st = fn(ctx, r->names, (size_t)r->name_offset[n])) != ST_OK ||
        (st = fn(ctx, m->taxon_of, n * sizeof(*m->taxon_of))) != ST_OK)
        return st;
    n = (size_t)t->n;
    if ((st = fn(ctx, t->parent, n * sizeof(*t->parent))) != ST_OK ||
        (st = fn(ctx, t->name_offset, (n + 1) * sizeof(*t->name_offset))) != ST_OK ||
        (st = fn(ctx, t->names, (size_t)t->name_offset[n])) != ST_OK)
        return st;
    n = (size_t)(m->n_rules * m->rule_len);
    return n > 0 ? fn(ctx, m->rules, n * sizeof(*m->rules)) : ST_OK;
}

static status_t add(void *digest, void *data, size_t len)
{
    *(uint64_t *)digest = digest_add(*(uint64_t *)digest, data, len);
    return ST_OK;
}

uint64_t class_model_digest(const class_model_t *m)
{
    uint64_t digest = DIGEST_START;

    return class_model_each(m, add, &digest) == ST_OK ? digest : 0;
}
