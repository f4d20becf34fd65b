/*
 * class_region.c - counts common words by diagonals.
 */
#include "kernels/classify/class_region.h"

#include "io/base/logmsg.h"
#include "io/base/rng.h"

#include <stdlib.h>
#include <string.h>

enum {
    END_BASES = 120, /* of a read, at either end, whose diagonal is looked for */
    WORDS_MIN = 5,   /* on a diagonal; by chance there are three at most */
    LONGER_MIN = 10, /* a part may be as many bases longer or shorter than its read, */
    LONGER_PART = 5, /* and this part of it */
    READS_MAX = 512, /* that are drawn */
    TRIES = 8,       /* reads that are looked for in a reference */
    COMPARED = 100,  /* references, to find out what reads are; */
    SEARCHED = 4000, /* as many if none is like a read: genes may lack conserved ends */
    BEYOND_MAX = 3,  /* bases of a part beyond the ends of its reference */
    DRAWS_PER_PART = 16, /* references that are compared for one part, at most */
};

/* Reads that cover as much of a reference are taken for whole; medians. */
#define WHOLE_MIN 0.9

/* Of a read less lies within a reference if it is longer. */
#define INSIDE_MIN 0.8

struct class_region_scratch {
    int32_t last[NBC_N_WORDS]; /* position of the reference's last such word, or -1 */
    int32_t *before;  /* [capacity] of each position: the same word's one before */
    int32_t *n_words; /* [capacity] of each diagonal */
    int64_t capacity;
};

status_t class_region_scratch_create(class_region_scratch_t **out)
{
    class_region_scratch_t *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return log_nomem("the region of reads");
    memset(s->last, -1, sizeof(s->last));
    *out = s;
    return ST_OK;
}

void class_region_scratch_destroy(class_region_scratch_t *s)
{
    if (s == NULL)
        return;
    free(s->before);
    free(s->n_words);
    free(s);
}

static status_t reserve(class_region_scratch_t *s, int64_t n)
{
    if (n <= s->capacity)
        return ST_OK;
    free(s->before);
    free(s->n_words);
    s->capacity = 0;
    s->before = malloc((size_t)n * sizeof(*s->before));
    s->n_words = malloc((size_t)n * sizeof(*s->n_words));
    if (s->before == NULL || s->n_words == NULL)
        return log_nomem("the region of reads");
    s->capacity = n;
    return ST_OK;
}

static void index_words(class_region_scratch_t *s, class_region_sequence_t ref)
{
    nbc_word_walk_t w = {.letters = ref.letters, .end = ref.len};

    while (nbc_word_next(&w)) {
        const int64_t at = w.at - NBC_WORD_BASES;

        s->before[at] = s->last[w.word];
        s->last[w.word] = (int32_t)at;
    }
}

static void forget_words(class_region_scratch_t *s, class_region_sequence_t ref)
{
    nbc_word_walk_t w = {.letters = ref.letters, .end = ref.len};

    while (nbc_word_next(&w))
        s->last[w.word] = -1;
}

/*
 * Find the diagonal of some bases of a read.
 *
 * @param out  position in the reference less that in the read
 * @return whether enough words are on it
 */
static bool find_diagonal(class_region_scratch_t *s, class_region_sequence_t read,
                          int64_t first, int64_t end, int64_t ref_len, int64_t *out)
{
    nbc_word_walk_t w = {.letters = read.letters, .at = first, .end = end};
    int32_t max = 0;

    memset(s->n_words, 0, (size_t)(read.len + ref_len) * sizeof(*s->n_words));
    while (nbc_word_next(&w))
        for (int32_t at = s->last[w.word]; at >= 0; at = s->before[at]) {
            const int64_t diagonal = at - (w.at - NBC_WORD_BASES);

            if (++s->n_words[diagonal + read.len] > max) {
                max = s->n_words[diagonal + read.len];
                *out = diagonal;
            }
        }
    return max >= WORDS_MIN;
}

status_t class_region_find(class_region_scratch_t *s, class_region_sequence_t read,
                           class_region_sequence_t ref, bool *found, class_region_t *out)
{
    const int64_t half = read.len / 2, n = half < END_BASES ? half : END_BASES;
    const int64_t max_change = LONGER_MIN + read.len / LONGER_PART;
    int64_t first = 0, last = 0;
    const status_t st = reserve(s, read.len + ref.len + 1);

    *found = false;
    if (st != ST_OK)
        return st;
    index_words(s, ref);
    if (find_diagonal(s, read, 0, n, ref.len, &first) &&
        find_diagonal(s, read, read.len - n, read.len, ref.len, &last) &&
        llabs(last - first) <= max_change && last + read.len > first) {
        *found = true;
        *out = (class_region_t){first, last + read.len};
    }
    forget_words(s, ref);
    return ST_OK;
}

/* ---- parts of references ---- */

/* Some of the reads, or their reverse complements. */
typedef struct {
    seqset_t *set;
    int64_t n;
    bool both_strands; /* the set has the reverse complements behind the reads */
} drawn_t;

static class_region_sequence_t sequence_of(const seqset_t *set, int64_t i)
{
    return (class_region_sequence_t){seqset_letters(set, i), seqset_len(set, i)};
}

/* Draw reads, and reverse-complement them. */
static status_t draw_reads(const seqset_t *reads, bool both_strands, rng_t *rng,
                           drawn_t *out)
{
    seqset_builder_t some = {.alphabet = reads->alphabet}, none = some;
    seqset_t *plain = NULL, *empty = NULL;
    status_t st = ST_OK;

    for (int i = 0; st == ST_OK && i < READS_MAX; i++) {
        const int64_t read =
            reads->n <= READS_MAX ? i : (int64_t)rng_below(rng, (uint64_t)reads->n);

        if (read < reads->n)
            st = seqset_builder_add(&some, "", 0, seqset_letters(reads, read),
                                    (size_t)seqset_len(reads, read));
    }
    if (st == ST_OK)
        st = seqset_builder_finish(&some, &plain);
    if (st == ST_OK)
        st = seqset_builder_finish(&none, &empty);
    if (st == ST_OK)
        st = seqset_join(plain, both_strands, empty, &out->set);
    if (st == ST_OK) {
        out->n = plain->n;
        out->both_strands = both_strands;
    }
    seqset_builder_free(&some);
    seqset_builder_free(&none);
    seqset_destroy(plain);
    seqset_destroy(empty);
    return st;
}

/* What a reference and the reads have in common. */
typedef struct {
    class_region_kind_t kind;
    int64_t read_len;
    class_region_t region; /* of the reference, where a read is; CLASS_REGION_LONGER: of
                            * the read */
} match_t;

/* @return the fraction of len bases that the region covers */
static double covered(const class_region_t *r, int64_t len)
{
    const int64_t first = r->first > 0 ? r->first : 0;
    const int64_t end = r->end < len ? r->end : len;

    return end > first ? (double)(end - first) / (double)len : 0;
}

/* Look for a read in a reference, else for the reference in the read. */
static status_t match(class_region_scratch_t *s, class_region_sequence_t read,
                      class_region_sequence_t ref, match_t *out)
{
    bool found;
    status_t st = class_region_find(s, read, ref, &found, &out->region);

    out->kind = CLASS_REGION_UNLIKE;
    out->read_len = read.len;
    if (st != ST_OK)
        return st;
    if (found) {
        const int64_t len = out->region.end - out->region.first;
        const double inside = covered(&out->region, ref.len) * (double)ref.len;

        out->kind = inside < INSIDE_MIN * (double)len             ? CLASS_REGION_LONGER
                    : covered(&out->region, ref.len) >= WHOLE_MIN ? CLASS_REGION_WHOLE
                                                                  : CLASS_REGION_PART;
        return ST_OK;
    }
    st = class_region_find(s, ref, read, &found, &out->region);
    if (st == ST_OK && found)
        out->kind = CLASS_REGION_LONGER;
    return st;
}

/* Look for some reads in a reference, until one matches. */
static status_t match_any(class_region_scratch_t *s, const drawn_t *d,
                          const seqset_t *refs, int64_t ref, rng_t *rng, match_t *out)
{
    status_t st = ST_OK;

    out->kind = CLASS_REGION_UNLIKE;
    for (int k = 0; st == ST_OK && out->kind == CLASS_REGION_UNLIKE && k < TRIES; k++) {
        const int64_t read = (int64_t)rng_below(rng, (uint64_t)d->n);

        st = match(s, sequence_of(d->set, read), sequence_of(refs, ref), out);
        if (st == ST_OK && out->kind == CLASS_REGION_UNLIKE && d->both_strands)
            st = match(s, sequence_of(d->set, d->n + read), sequence_of(refs, ref), out);
    }
    return st;
}

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* @param x  [n], sorted afterwards; n may be 0 */
static int64_t median(int64_t *x, int64_t n)
{
    qsort(x, (size_t)n, sizeof(*x), ascending);
    return n > 0 ? x[n / 2] : 0;
}

enum { LENGTHS = 4 };

/* What medians are made of. */
typedef struct {
    int64_t *of[LENGTHS]; /* [capacity] read, reference, first base, end */
    int64_t n;
} lengths_t;

static void add_lengths(lengths_t *l, const match_t *m, int64_t ref_len)
{
    l->of[0][l->n] = m->read_len;
    l->of[1][l->n] = ref_len;
    l->of[2][l->n] = m->region.first;
    l->of[3][l->n++] = m->region.end;
}

/* Find out what reads are, by the first references. */
static status_t find_kind(class_region_scratch_t *s, const drawn_t *d, rng_t *rng,
                          lengths_t *l, class_region_parts_t *out)
{
    const class_train_t *t = &out->train;
    int64_t n[CLASS_REGION_UNLIKE + 1] = {0};
    status_t st = ST_OK;

    for (int64_t i = 0; i < t->n && i < (l->n > 0 ? COMPARED : SEARCHED); i++) {
        match_t m;

        if ((st = match_any(s, d, t->model->refs, t->refs[i], rng, &m)) != ST_OK)
            break;
        n[m.kind]++;
        if (m.kind != CLASS_REGION_UNLIKE)
            add_lengths(l, &m, seqset_len(t->model->refs, t->refs[i]));
    }
    out->kind = l->n == 0                           ? CLASS_REGION_UNLIKE
                : 2 * n[CLASS_REGION_LONGER] > l->n ? CLASS_REGION_LONGER
                : 2 * n[CLASS_REGION_WHOLE] >= l->n ? CLASS_REGION_WHOLE
                                                    : CLASS_REGION_PART;
    out->read_len = median(l->of[0], l->n);
    out->ref_len = median(l->of[1], l->n);
    return st;
}

/* Cut parts, and keep the references that have one in front. */
static status_t cut_parts(class_region_scratch_t *s, const drawn_t *d, int64_t n_parts,
                          rng_t *rng, lengths_t *l, class_region_parts_t *out)
{
    class_train_t *t = &out->train;
    const seqset_t *refs = t->model->refs;
    seqset_builder_t builder = {.alphabet = refs->alphabet};
    const int64_t max = n_parts * DRAWS_PER_PART < t->n ? n_parts * DRAWS_PER_PART : t->n;
    int64_t n = 0;
    status_t st = ST_OK;

    l->n = 0;
    for (int64_t i = 0; st == ST_OK && i < max && n < n_parts; i++) {
        const int64_t ref = t->absent[i], len = seqset_len(refs, ref);
        class_region_t *r;
        match_t m;

        if ((st = match_any(s, d, refs, ref, rng, &m)) != ST_OK)
            break;
        r = &m.region;
        if ((m.kind != CLASS_REGION_PART && m.kind != CLASS_REGION_WHOLE) ||
            r->first < -BEYOND_MAX || r->end > len + BEYOND_MAX)
            continue;
        r->first = r->first > 0 ? r->first : 0;
        r->end = r->end < len ? r->end : len;
        add_lengths(l, &m, len);
        st = seqset_builder_add(&builder, "", 0, seqset_letters(refs, ref) + r->first,
                                (size_t)(r->end - r->first));
        t->absent[n] = t->absent[i];
        t->higher[n++] = t->higher[i];
    }
    t->n = n;
    out->region = (class_region_t){median(l->of[2], l->n), median(l->of[3], l->n)};
    if (st == ST_OK)
        st = seqset_builder_finish(&builder, &out->parts);
    seqset_builder_free(&builder);
    return st;
}

static status_t cut(class_region_scratch_t *s, const seqset_t *reads, bool both_strands,
                    int64_t n_parts, uint64_t seed, lengths_t *l,
                    class_region_parts_t *out)
{
    rng_t rng = rng_seed(seed);
    drawn_t drawn = {.n = 0};
    status_t st = draw_reads(reads, both_strands, &rng, &drawn);

    if (st == ST_OK)
        st = find_kind(s, &drawn, &rng, l, out);
    if (st == ST_OK && out->kind == CLASS_REGION_PART)
        st = cut_parts(s, &drawn, n_parts, &rng, l, out);
    else
        out->train.n = 0;
    seqset_destroy(drawn.set);
    return st;
}

status_t class_region_cut(const nbc_model_t *model, const seqset_t *reads,
                          bool both_strands, int64_t n_parts, uint64_t seed,
                          class_region_parts_t *out)
{
    class_region_scratch_t *scratch = NULL;
    lengths_t lengths = {.n = 0};
    int64_t n_lengths;
    status_t st;

    *out = (class_region_parts_t){.kind = CLASS_REGION_UNLIKE};
    if (reads->n == 0)
        return ST_OK;
    if ((st = class_region_scratch_create(&scratch)) != ST_OK ||
        (st = class_train_create(model, model->refs->n, seed, &out->train)) != ST_OK)
        goto done;
    out->train.is_cut = true;
    n_lengths = n_parts > COMPARED ? n_parts : COMPARED;
    for (int k = 0; st == ST_OK && k < LENGTHS; k++)
        if ((lengths.of[k] = malloc((size_t)n_lengths * sizeof(*lengths.of[k]))) == NULL)
            st = log_nomem("the region of reads");
    if (st == ST_OK)
        st = cut(scratch, reads, both_strands, n_parts, seed, &lengths, out);
done:
    class_region_scratch_destroy(scratch);
    for (int k = 0; k < LENGTHS; k++)
        free(lengths.of[k]);
    if (st != ST_OK)
        class_region_parts_free(out);
    return st;
}

void class_region_parts_free(class_region_parts_t *p)
{
    class_train_free(&p->train);
    seqset_destroy(p->parts);
    *p = (class_region_parts_t){.kind = CLASS_REGION_UNLIKE};
}
