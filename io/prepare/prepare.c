/*
 * prepare.c - the steps from records to sequences, and their messages.
 */
#include "io/prepare/prepare.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/base/texts.h"
#include "io/pairs/pairs_read.h"
#include "io/prepare/abundance.h"
#include "io/seq/alphabet.h"
#include "io/seq/seg.h"
#include "io/seq/tantan.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Names listed in a message, and the bytes of each. */
enum { NAMES_SHOWN = 3, NAME_BYTES_SHOWN = 80 };

/* The state between steps. */
typedef struct {
    const seq_files_t *files;
    const char *input; /* their name in messages */
    const prepare_opts_t *opts;
    const primer_cut_t *cuts; /* [n_records], or NULL */
    const prepare_previous_t *before;
    int64_t n_before; /* its sequences, which are the first records from its step on */
    pool_t *pool;
    seqset_t *set;
    abundance_t read;     /* abundances of the records; size NULL: none given */
    int32_t *kept;        /* capacity n_records: scratch for the indices a step keeps */
    int32_t *sequence_of; /* [n_records] the sequence of each record; -1: dropped */
    int64_t n_records;
    prepared_t out;
} work_t;

/* Warn of labels that are not read, although equal sequences are about to lose them. */
static void warn_of_labels(const work_t *w)
{
    const char *name = w->set->n > 0 ? seqset_name(w->set, 0) : "";
    const abundance_labels_t has = abundance_labels(name);

    if (w->opts->derep && has.sizes && !w->opts->labels.sizes)
        log_warn("%s: the names contain sizes, such as '%.80s'; use them with --sizein",
                 w->input, name);
    if (w->opts->derep && has.samples && !w->opts->labels.samples)
        log_warn("%s: the names contain samples, such as '%.80s'; use them with "
                 "--samplein",
                 w->input, name);
}

static status_t read_sizes(work_t *w)
{
    const prepare_opts_t *o = w->opts;

    if (o->count_table != NULL)
        return abundance_from_count_table(o->count_table, w->files, w->set, &w->read);
    if (o->samples != NULL)
        return abundance_from_samples(o->samples, w->files, w->set, &w->read);
    warn_of_labels(w);
    return abundance_is_given(o->labels, w->files)
               ? abundance_from_names(w->files, o->labels, w->set, &w->read)
               : ST_OK;
}

/* Note which sequences remain: those of w->kept, n. */
static void note_kept(work_t *w, int64_t n)
{
    int64_t k = 0;

    for (int64_t i = 0; i < w->n_records; i++)
        if (w->sequence_of[i] >= 0)
            w->sequence_of[i] =
                k < n && w->kept[k] == w->sequence_of[i] ? (int32_t)k++ : -1;
}

static status_t cut_primers(work_t *w)
{
    status_t st = ST_OK;

    if (w->opts->primers.text == NULL)
        return ST_OK;
    st = primer_trim_set(w->files, &w->opts->primers, w->cuts, w->set, w->kept);
    if (st == ST_OK)
        note_kept(w, w->set->n);
    return st;
}

/* Log how many of n records each given limit dropped. */
static status_t log_filtered(const work_t *w, int64_t n)
{
    const seq_filter_report_t *d = &w->out.dropped;
    const seq_filter_t *f = &w->opts->filter;
    const char *letters = alphabet_letters[w->set->alphabet];
    buf_t reasons = {0};
    status_t st = ST_OK;

    if (f->min_length > 0)
        st = buf_printf(&reasons, ", %" PRId64 " with fewer than %" PRId64 " %s",
                        d->n_short, f->min_length, letters);
    if (st == ST_OK && f->max_length > 0)
        st = buf_printf(&reasons, ", %" PRId64 " with more than %" PRId64 " %s",
                        d->n_long, f->max_length, letters);
    if (st == ST_OK && f->max_ambig >= 0)
        st = buf_printf(&reasons,
                        ", %" PRId64 " with more than %" PRId64 " ambiguity codes",
                        d->n_ambig, f->max_ambig);
    if (st == ST_OK)
        log_info("%s: %" PRId64 " of %" PRId64 " records dropped%.*s", w->input,
                 d->n_short + d->n_long + d->n_ambig, n, (int)reasons.len,
                 (const char *)reasons.data);
    buf_free(&reasons);
    return st;
}

static status_t filter(work_t *w)
{
    const seq_filter_t *f = &w->opts->filter;
    const int64_t n_before = w->set->n;
    int64_t n;

    if (f->min_length <= 0 && f->max_length <= 0 && f->max_ambig < 0)
        return ST_OK;
    n = seq_filter_find(f, w->set, w->kept, &w->out.dropped);
    note_kept(w, n);
    seqset_keep(w->set, w->kept, n);
    return log_filtered(w, n_before);
}

const char *const mask_name[4] = {"none", "seg", "db", "tantan"};

status_t prepare_mask(const char *path, mask_t mask, bool of_references, pool_t *pool,
                      seqset_t *set)
{
    int64_t n, n_sequences;
    status_t st;

    if (mask == MASK_NONE)
        return ST_OK;
    if (set->alphabet != ALPHABET_PROTEIN) {
        log_error("%s: --mask %s is for proteins; leave it out", path, mask_name[mask]);
        return ST_EINPUT;
    }
    if (mask == MASK_DB && !of_references)
        return ST_OK;
    st = mask == MASK_TANTAN ? tantan_mask(pool, set, &n, &n_sequences)
                             : seg_mask(pool, mask == MASK_DB ? &seg_light : &seg_usual,
                                        set, &n, &n_sequences);
    if (st == ST_OK)
        log_info("%s: masked %" PRId64 " residues of %s in %" PRId64 " of %" PRId64
                 " sequences",
                 path, n, mask == MASK_TANTAN ? "tandem repeats" : "low complexity",
                 n_sequences, set->n);
    return st;
}

/* Make room for n_before more records at the front, which stay. */
static status_t add_records(work_t *w)
{
    const size_t n_before = (size_t)w->before->set->n, n = (size_t)w->n_records;
    int32_t *kept = realloc(w->kept, (n_before + n + 1) * sizeof(*kept)), *sequence_of;

    w->kept = kept != NULL ? kept : w->kept;
    sequence_of = realloc(w->sequence_of, (n_before + n + 1) * sizeof(*sequence_of));
    if (sequence_of == NULL || kept == NULL) {
        w->sequence_of = sequence_of != NULL ? sequence_of : w->sequence_of;
        return log_nomem("the sequences");
    }
    w->sequence_of = sequence_of;
    memmove(sequence_of + n_before, sequence_of, n * sizeof(*sequence_of));
    for (size_t i = 0; i < n_before; i++)
        sequence_of[i] = (int32_t)i;
    for (size_t i = n_before; i < n_before + n; i++)
        if (sequence_of[i] >= 0)
            sequence_of[i] += (int32_t)n_before;
    w->n_before = (int64_t)n_before;
    w->n_records += w->n_before;
    return ST_OK;
}

static status_t join_previous(work_t *w)
{
    const prepare_opts_t *o = w->opts;
    const bool of_files =
        o->count_table == NULL && o->samples == NULL && !o->labels.samples;
    const int64_t n_new = w->n_records;
    status_t st;

    if (w->before == NULL)
        return ST_OK;
    if (w->before->set->n > INT32_MAX - n_new) {
        log_error("%s and %s have more than 2147483647 sequences; split the files",
                  w->before->path, w->input);
        return ST_EINPUT;
    }
    if ((st = add_records(w)) != ST_OK ||
        (st = prepare_previous_count(w->before, w->files, of_files, n_new, &w->read)) !=
            ST_OK)
        return st;
    return prepare_previous_join(w->before, w->files, w->set);
}

/* Log the number of reverse-complemented records and the first names. */
static status_t log_reversed(const work_t *w, const int8_t *strand)
{
    int64_t n = w->out.n_reverse, n_shown = n < NAMES_SHOWN ? n : NAMES_SHOWN;
    buf_t names = {0};
    status_t st = ST_OK;

    for (int64_t i = 0, k = 0; st == ST_OK && k < n_shown; i++)
        if (strand[i] == ORIENT_REVERSE)
            st = buf_printf(&names, "%s%.*s", k++ > 0 ? ", " : "", NAME_BYTES_SHOWN,
                            seqset_name(w->set, i));
    if (st == ST_OK && n > n_shown)
        st = buf_printf(&names, " and %" PRId64 " more", n - n_shown);
    if (st == ST_OK && w->opts->orient)
        log_info("%s: %" PRId64 " of %" PRId64
                 " records were reverse-complemented and have "
                 "been oriented: %.*s",
                 w->input, n, w->set->n, (int)names.len, names.data);
    else if (st == ST_OK && w->opts->both_strands)
        log_verbose("%s: %" PRId64 " of %" PRId64 " records look reverse-complemented; "
                    "both strands are aligned: %.*s",
                    w->input, n, w->set->n, (int)names.len, names.data);
    else if (st == ST_OK)
        log_warn("%s: %" PRId64 " of %" PRId64 " records look reverse-complemented; "
                 "use --orient to orient them: %.*s",
                 w->input, n, w->set->n, (int)names.len, names.data);
    buf_free(&names);
    return st;
}

/* A run over all files would turn a sequence of the earlier one. */
static status_t refuse_reversed(const work_t *w, int64_t i)
{
    log_error(
        "%s: '%.80s' looks reverse-complemented beside the records of %s; align all "
        "files again",
        w->before->path, seqset_name(w->set, i), w->input);
    return ST_EINPUT;
}

static status_t orient(work_t *w)
{
    int8_t *strand;
    status_t st;

    if (w->set->alphabet != ALPHABET_DNA)
        return ST_OK;
    if ((strand = malloc((size_t)w->set->n + 1)) == NULL)
        return log_nomem("the strands of sequences");
    if ((st = orient_find(w->set, w->pool, strand)) != ST_OK)
        goto done;
    for (int64_t i = 0; i < w->set->n; i++) {
        w->out.n_reverse += strand[i] == ORIENT_REVERSE;
        w->out.n_unknown += strand[i] == ORIENT_UNKNOWN;
        if (strand[i] != ORIENT_REVERSE || !w->opts->orient)
            continue;
        if (i >= w->n_before)
            orient_reverse_complement(w->set, i);
        else if (st == ST_OK)
            st = refuse_reversed(w, i);
    }
    if (st == ST_OK && w->out.n_reverse > 0)
        st = log_reversed(w, strand);
    if (st == ST_OK && w->opts->orient && w->out.n_unknown > 0)
        log_info("%s: the strand of %" PRId64 " of %" PRId64
                 " records is unknown; they are left unchanged",
                 w->input, w->out.n_unknown, w->set->n);
done:
    free(strand);
    return st;
}

/* Copy the names of the records, which the set is about to lose.
 * @param sequence  [n_records] ownership passes to w */
static status_t keep_members(work_t *w, int32_t *sequence)
{
    w->out.members.n = w->set->n;
    w->out.members.sequence = sequence;
    return texts_copy(w->set->names, w->set->n, &w->out.members.name);
}

static status_t dereplicate(work_t *w)
{
    int32_t *sequence = malloc(((size_t)w->set->n + 1) * sizeof(*sequence));
    int64_t n_distinct;
    status_t st;

    if (sequence == NULL)
        return log_nomem("equal sequences");
    if ((st = derep_find(w->set, sequence, w->kept, &n_distinct)) != ST_OK) {
        free(sequence);
        return st;
    }
    if ((st = keep_members(w, sequence)) != ST_OK)
        return st;
    log_info("%s: %" PRId64 " records are %" PRId64 " different sequences", w->input,
             w->set->n, n_distinct);
    for (int64_t i = 0; i < w->n_records; i++)
        if (w->sequence_of[i] >= 0)
            w->sequence_of[i] = sequence[w->sequence_of[i]];
    seqset_keep(w->set, w->kept, n_distinct);
    return w->before != NULL ? prepare_previous_members(w->before, &w->out.members)
                             : ST_OK;
}

static status_t sum_sizes(work_t *w)
{
    int64_t *size;

    if (w->read.size == NULL && !w->opts->derep)
        return ST_OK;
    if ((size = calloc((size_t)w->set->n + 1, sizeof(*size))) == NULL)
        return log_nomem("the sizes");
    for (int64_t i = 0; i < w->n_records; i++)
        if (w->sequence_of[i] >= 0)
            size[w->sequence_of[i]] += w->read.size != NULL ? w->read.size[i] : 1;
    w->out.size = size;
    return ST_OK;
}

/* Replace the records in the counts by their sequences. */
static void move_counts(work_t *w)
{
    abundance_count_t *c = (abundance_count_t *)w->read.counts.data;
    size_t n = w->read.counts.len / sizeof(*c), n_kept = 0;

    for (size_t k = 0; k < n; k++)
        if (w->sequence_of[c[k].row] >= 0) {
            c[n_kept] = c[k];
            c[n_kept++].row = w->sequence_of[c[k].row];
        }
    w->read.counts.len = n_kept * sizeof(*c);
    abundance_merge(&w->read.counts);
}

/* Move the names of the samples out of their table. */
static status_t keep_samples(work_t *w)
{
    name_table_t *t = &w->read.samples;
    char *names = (char *)t->text.data;

    t->text = (buf_t){0};
    w->out.samples.n = t->n;
    return texts_take(names, t->n, &w->out.samples.name);
}

static status_t sum_samples(work_t *w)
{
    pairs_samples_t *s = &w->out.samples;
    const abundance_count_t *c;
    int64_t n_counts, n = w->set->n;

    if (w->read.samples.n == 0)
        return ST_OK;
    move_counts(w);
    c = (const abundance_count_t *)w->read.counts.data;
    n_counts = (int64_t)(w->read.counts.len / sizeof(*c));
    s->row_start = calloc((size_t)n + 1, sizeof(*s->row_start));
    s->sample = malloc(((size_t)n_counts + 1) * sizeof(*s->sample));
    s->count = malloc(((size_t)n_counts + 1) * sizeof(*s->count));
    if (s->row_start == NULL || s->sample == NULL || s->count == NULL)
        return log_nomem("the samples");
    for (int64_t k = 0; k < n_counts; k++) {
        s->row_start[c[k].row + 1]++;
        s->sample[k] = c[k].sample;
        s->count[k] = c[k].count;
    }
    for (int64_t i = 0; i < n; i++)
        s->row_start[i + 1] += s->row_start[i];
    return keep_samples(w);
}

static status_t find_records(work_t *w)
{
    int32_t *record = malloc(((size_t)w->set->n + 1) * sizeof(*record));

    if (record == NULL)
        return log_nomem("the records' numbers");
    for (int64_t i = w->n_records - 1; i >= 0; i--)
        if (w->sequence_of[i] >= 0)
            record[w->sequence_of[i]] = (int32_t)i;
    w->out.record = record;
    return ST_OK;
}

static status_t run_steps(work_t *w)
{
    status_t st;

    for (int64_t i = 0; i < w->n_records; i++)
        w->sequence_of[i] = (int32_t)i;
    if ((st = read_sizes(w)) != ST_OK)
        return st;
    if ((st = cut_primers(w)) != ST_OK)
        return st;
    if ((st = filter(w)) != ST_OK ||
        (st = prepare_mask(w->input, w->opts->mask, false, w->pool, w->set)) != ST_OK ||
        (st = join_previous(w)) != ST_OK)
        return st;
    if ((st = orient(w)) != ST_OK)
        return st;
    if (w->opts->derep && (st = dereplicate(w)) != ST_OK)
        return st;
    if ((st = find_records(w)) != ST_OK || (st = sum_sizes(w)) != ST_OK)
        return st;
    return sum_samples(w);
}

status_t prepare_set(const seq_files_t *files, const prepare_opts_t *opts,
                     const primer_cut_t *cuts, const prepare_previous_t *before,
                     pool_t *pool, seqset_t *set, prepared_t *out)
{
    work_t w = {.files = files,
                .input = files->label,
                .opts = opts,
                .cuts = cuts,
                .before = before,
                .pool = pool,
                .set = set,
                .n_records = set->n};
    const char *misuse = prepare_misuse(opts);
    status_t st;

    if (misuse != NULL) {
        log_error("%s", misuse);
        return ST_EUSAGE;
    }
    if (set->n > INT32_MAX) {
        log_error("%s: %" PRId64
                  " sequences exceed the limit of 2147483647; split the file",
                  w.input, set->n);
        return ST_EINPUT;
    }
    w.out.n_records = set->n;
    w.kept = malloc(((size_t)set->n + 1) * sizeof(*w.kept));
    w.sequence_of = malloc(((size_t)set->n + 1) * sizeof(*w.sequence_of));
    st = w.kept != NULL && w.sequence_of != NULL ? run_steps(&w)
                                                 : log_nomem("the sequences");
    if (st == ST_OK)
        *out = w.out;
    else
        prepare_free(&w.out);
    abundance_free(&w.read);
    free(w.kept);
    free(w.sequence_of);
    return st;
}

uint64_t prepare_digest(const prepared_t *p, int64_t n)
{
    const pairs_members_t *m = &p->members;
    const pairs_samples_t *s = &p->samples;
    int64_t shape[] = {p->size != NULL, m->n, s->n};
    uint64_t digest = digest_add(DIGEST_START, shape, sizeof(shape));

    if (p->size != NULL)
        digest = digest_add(digest, p->size, (size_t)n * sizeof(*p->size));
    digest = texts_digest(m->name, m->n, digest);
    digest = digest_add(digest, m->sequence, (size_t)m->n * sizeof(*m->sequence));
    if (s->n == 0)
        return digest;
    digest = texts_digest(s->name, s->n, digest);
    digest = digest_add(digest, s->row_start, (size_t)(n + 1) * sizeof(*s->row_start));
    digest = digest_add(digest, s->sample, (size_t)s->row_start[n] * sizeof(*s->sample));
    return digest_add(digest, s->count, (size_t)s->row_start[n] * sizeof(*s->count));
}

void prepare_free(prepared_t *p)
{
    free(p->size);
    free(p->record);
    pairs_members_free(&p->members);
    pairs_samples_free(&p->samples);
    *p = (prepared_t){0};
}

/* ---- counts ambiguity codes and compares lengths ---- */

static int64_t count_ambiguous(const seqset_t *set, int64_t i)
{
    const uint8_t *letters = seqset_letters(set, i);
    int64_t len = seqset_len(set, i), n = 0;

    for (int64_t k = 0; k < len; k++)
        n += !alphabet_is_base(set->alphabet, letters[k]);
    return n;
}

int64_t seq_filter_find(const seq_filter_t *filter, const seqset_t *set, int32_t *kept,
                        seq_filter_report_t *report)
{
    int64_t n_kept = 0;

    *report = (seq_filter_report_t){0};
    for (int64_t i = 0; i < set->n; i++) {
        int64_t len = seqset_len(set, i);

        if (len < filter->min_length)
            report->n_short++;
        else if (filter->max_length > 0 && len > filter->max_length)
            report->n_long++;
        else if (filter->max_ambig >= 0 && count_ambiguous(set, i) > filter->max_ambig)
            report->n_ambig++;
        else
            kept[n_kept++] = (int32_t)i;
    }
    return n_kept;
}

/* ---- a hash table of sequences ---- */

/* A slot of the table.  Digests are compared before bases, which are far away in memory.
 */
typedef struct {
    uint64_t digest;
    int32_t sequence; /* -1: empty */
} slot_t;

static bool is_equal(const seqset_t *set, int64_t i, int64_t j)
{
    return seqset_len(set, i) == seqset_len(set, j) &&
           memcmp(seqset_letters(set, i), seqset_letters(set, j),
                  (size_t)seqset_len(set, i)) == 0;
}

status_t derep_find(const seqset_t *set, int32_t *sequence_of, int32_t *first,
                    int64_t *n_distinct)
{
    size_t n_slots = 2;
    int32_t n = 0;
    slot_t *slots;

    while (n_slots < 2 * (size_t)set->n)
        n_slots *= 2;
    if ((slots = malloc(n_slots * sizeof(*slots))) == NULL)
        return log_nomem("equal sequences");
    for (size_t k = 0; k < n_slots; k++)
        slots[k].sequence = -1;
    for (int64_t i = 0; i < set->n; i++) {
        uint64_t digest =
            digest_add(DIGEST_START, seqset_letters(set, i), (size_t)seqset_len(set, i));
        size_t at = (size_t)(digest ^ digest >> 32) & (n_slots - 1);

        while (slots[at].sequence >= 0 && (slots[at].digest != digest ||
                                           !is_equal(set, first[slots[at].sequence], i)))
            at = (at + 1) & (n_slots - 1);
        if (slots[at].sequence < 0) {
            slots[at] = (slot_t){digest, n};
            first[n++] = (int32_t)i;
        }
        sequence_of[i] = slots[at].sequence;
    }
    free(slots);
    *n_distinct = n;
    return ST_OK;
}
