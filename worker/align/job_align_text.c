/*
 * job_align_text.c - the text of the job "align": everything its result depends on, one
 * "name=value" per line.  Two runs with equal texts are the same job.
 */
#include "worker/align/job_align_state.h"

#include "io/base/logmsg.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
    LINE_INT,      /* int64_t */
    LINE_NUMBER,   /* double */
    LINE_SCORE,    /* int64_t, in the unit of scores */
    LINE_DIGEST,   /* uint64_t */
    LINE_FRACTION, /* fraction_t */
    LINE_FLAG,     /* bool: the line is there only if it is true */
    LINE_TEXT,     /* const char * */
    LINE_WORD      /* an enum: the index into `words` */
} line_kind_t;

typedef struct {
    const char *name;
    line_kind_t kind;
    bool applies;
    const void *at; /* within align_opts_t: an option, which --extend takes from a text */
    const char *const *words;
    int n_words;
} line_t;

#define WORDS(list) list, (int)(sizeof(list) / sizeof((list)[0]))
#define NO_WORDS    NULL, 0

enum { LINES_MAX = 40 };

static status_t append_line(const line_t *line, buf_t *text)
{
    const fraction_t *fraction = line->at;

    switch (line->kind) {
    case LINE_INT:
    case LINE_SCORE:
        return buf_printf(text, "%s=%" PRId64 "\n", line->name,
                          *(const int64_t *)line->at);
    case LINE_NUMBER:
        return buf_printf(text, "%s=%.17g\n", line->name, *(const double *)line->at);
    case LINE_DIGEST:
        return buf_printf(text, "%s=%016" PRIx64 "\n", line->name,
                          *(const uint64_t *)line->at);
    case LINE_FRACTION:
        return buf_printf(text, "%s=%" PRId64 "/%" PRId64 "\n", line->name,
                          fraction->numerator, fraction->denominator);
    case LINE_FLAG:
        return buf_printf(text, "%s=1\n", line->name);
    case LINE_TEXT:
        return buf_printf(text, "%s=%s\n", line->name, *(const char *const *)line->at);
    default:
        return buf_printf(text, "%s=%s\n", line->name,
                          line->words[*(const int *)line->at]);
    }
}

/* How records become sequences, which the sequences themselves do not tell.
 * @param out  [LINES_MAX] @return the number of lines */
static int list_preparation(const prepare_opts_t *o, line_t *out)
{
    const bool has_primers = o->primers.text != NULL;
    const line_t lines[] = {
        {"sizein", LINE_FLAG, o->labels.sizes, &o->labels.sizes, NO_WORDS},
        {"samplein", LINE_FLAG, o->labels.samples, &o->labels.samples, NO_WORDS},
        {"primers", LINE_TEXT, has_primers, &o->primers.text, NO_WORDS},
        {"primer_mismatches", LINE_INT, has_primers && o->primers.max_mismatches >= 0,
         &o->primers.max_mismatches, NO_WORDS},
        {"min_length", LINE_INT, o->filter.min_length > 0, &o->filter.min_length,
         NO_WORDS},
        {"max_length", LINE_INT, o->filter.max_length > 0, &o->filter.max_length,
         NO_WORDS},
        {"max_ambig", LINE_INT, o->filter.max_ambig >= 0, &o->filter.max_ambig, NO_WORDS},
        {"orient", LINE_FLAG, o->orient, &o->orient, NO_WORDS},
        {"derep", LINE_FLAG, o->derep, &o->derep, NO_WORDS},
        {"mask", LINE_WORD, o->mask != MASK_NONE, &o->mask, WORDS(mask_name)},
    };

    memcpy(out, lines, sizeof(lines));
    return (int)(sizeof(lines) / sizeof(lines[0]));
}

/* The order is part of the format: a job is resumed only if its text is equal.
 * @param out  [LINES_MAX] @return their number */
static int list_lines(const job_align_t *j, line_t *out)
{
    static const char *const strand_words[] = {"plus", "both"};
    const align_opts_t *o = j->opts;
    const prepared_t *p = &j->prepared;
    const bool has_sizes = p->size != NULL || p->members.n > 0 || p->samples.n > 0;
    const bool has_overlap = align_ends_limit_overlap(o->ends) && o->emit != EMIT_SCORE;
    const bool has_matrix = o->matrix != NULL, has_references = o->against != NULL;
    const bool is_affine = j->spec.align.scoring.gaps == GAPS_AFFINE;
    const bool is_priced = o->ends == ENDS_PRICED;
    const line_t lines[] = {
        {"sequences", LINE_INT, true, &j->n_queries, NO_WORDS},
        {"input_digest", LINE_DIGEST, true, &j->digest, NO_WORDS},
        {"emit", LINE_WORD, true, &o->emit, WORDS(align_emit_name)},
        {"ends", LINE_WORD, true, &o->ends, WORDS(align_ends_name)},
        {"sizes_digest", LINE_DIGEST, has_sizes, &j->sizes_digest, NO_WORDS},
        {"samples", LINE_INT, p->samples.n > 0, &p->samples.n, NO_WORDS},
        {"min_overlap", LINE_FRACTION, has_overlap, &o->min_overlap, NO_WORDS},
        {"iddef", LINE_WORD, j->spec.identity_name != NULL, &o->iddef,
         WORDS(identity_def_name)},
        {"cigar_style", LINE_WORD, o->emit == EMIT_CIGAR, &o->cigar_style,
         WORDS(cigar_style_name)},
        {"score_unit", LINE_WORD, o->score_unit == SCORE_UNIT_HALF, &o->score_unit,
         WORDS(align_score_unit_name)},
        {"matrix_digest", LINE_DIGEST, has_matrix, &j->spec.matrix_digest, NO_WORDS},
        {"match", LINE_SCORE, !has_matrix, &o->match, NO_WORDS},
        {"mismatch", LINE_SCORE, !has_matrix, &o->mismatch, NO_WORDS},
        {"gap", LINE_SCORE, !is_affine, &o->gap, NO_WORDS},
        {"gap_open", LINE_SCORE, is_affine, &o->gap_open, NO_WORDS},
        {"gap_extend", LINE_SCORE, is_affine, &o->gap_extend, NO_WORDS},
        {"end_gap_open", LINE_SCORE, is_priced, &o->end_gap_open, NO_WORDS},
        {"end_gap_extend", LINE_SCORE, is_priced, &o->end_gap_extend, NO_WORDS},
        {"ambiguity", LINE_WORD, !has_matrix, &o->ambiguity, WORDS(align_ambiguity_name)},
        {"min_identity", LINE_FRACTION, o->min_identity.denominator != 0,
         &o->min_identity, NO_WORDS},
        {"references", LINE_INT, has_references, &j->n_references, NO_WORDS},
        {"references_digest", LINE_DIGEST, has_references, &j->references_digest,
         NO_WORDS},
        {"strand", LINE_WORD, has_references, &o->strand, WORDS(strand_words)},
        {PAIRS_JOB_EVALUE, LINE_NUMBER, o->max_evalue > 0, &o->max_evalue, NO_WORDS},
        {PAIRS_JOB_DB_SIZE, LINE_INT, o->db_size > 0, &o->db_size, NO_WORDS},
        {"composition", LINE_WORD, o->composition != COMP_OFF, &o->composition,
         WORDS(comp_mode_name)},
        {"method", LINE_WORD, o->method != SEARCH_EXACT, &o->method,
         WORDS(search_method_name)},
        {"top", LINE_INT, o->top > 0, &o->top, NO_WORDS},
        {PAIRS_JOB_CENTROIDS, LINE_WORD, o->centroids != CENTROIDS_ANY, &o->centroids,
         WORDS(align_centroids_name)},
        {"full_names", LINE_FLAG, o->fasta.full_names, &o->fasta.full_names, NO_WORDS},
    };

    memcpy(out, lines, sizeof(lines));
    return (int)(sizeof(lines) / sizeof(lines[0]));
}

static status_t append_lines(const line_t *lines, int n, buf_t *text)
{
    status_t st = ST_OK;

    for (int i = 0; st == ST_OK && i < n; i++)
        if (lines[i].applies)
            st = append_line(&lines[i], text);
    return st;
}

static status_t append_job(const job_align_t *j, buf_t *text)
{
    line_t lines[LINES_MAX];
    const int n = list_lines(j, lines);
    status_t st = buf_printf(text, "job=align\n");

    return st == ST_OK ? append_lines(lines, n, text) : st;
}

status_t job_align_describe_preparation(const job_align_t *j, buf_t *text)
{
    line_t lines[LINES_MAX];
    const int n = list_preparation(&j->opts->prepare, lines);
    status_t st = append_lines(lines, n, text);

    return st == ST_OK ? buf_append(text, "", 1) : st;
}

/* ---- the text of an earlier run (--extend) ---- */

/* A value of any kind. */
typedef union {
    int64_t number;
    double real;
    fraction_t fraction;
    bool flag;
    const char *text;
    int word;
} value_t;

/* @return the value of a line in a text of lines that end with NULs, or NULL */
static const char *find_value(const char *text, const char *end, const char *name)
{
    const size_t len = strlen(name);

    for (; text < end; text += strlen(text) + 1)
        if (strncmp(text, name, len) == 0 && text[len] == '=')
            return text + len + 1;
    return NULL;
}

static bool parse_number(const char *text, int64_t max, int64_t *out)
{
    char *end;

    *out = strtoll(text, &end, 10);
    return end > text && *end == '\0' && *out >= -max && *out <= max;
}

/* @param halves  those of the text's unit of scores @return whether it has such a value
 */
static bool parse_value(const line_t *line, const char *text, int halves, value_t *out)
{
    char *end;

    switch (line->kind) {
    case LINE_INT:
        return parse_number(text, ALIGN_DB_SIZE_MAX, &out->number);
    case LINE_NUMBER:
        out->real = strtod(text, &end);
        return end > text && *end == '\0' && out->real > 0 && out->real < INFINITY;
    case LINE_SCORE:
        if (!parse_number(text, PAIRS_JOB_SCORE_MAX, &out->number))
            return false;
        out->number *= halves;
        return true;
    case LINE_FRACTION:
        return fraction_from_ratio(text, &out->fraction);
    case LINE_FLAG:
        out->flag = true;
        return strcmp(text, "1") == 0;
    case LINE_TEXT:
        out->text = text;
        return true;
    default:
        for (out->word = 0; out->word < line->n_words; out->word++)
            if (strcmp(line->words[out->word], text) == 0)
                return true;
        return false;
    }
}

static bool is_equal(const line_t *line, const value_t *value)
{
    const fraction_t *f = line->at;

    switch (line->kind) {
    case LINE_FRACTION:
        return fraction_reached(f, value->fraction.numerator,
                                value->fraction.denominator) &&
               fraction_reached(&value->fraction, f->numerator, f->denominator);
    case LINE_NUMBER:
        return *(const double *)line->at == value->real;
    case LINE_FLAG:
        return *(const bool *)line->at == value->flag;
    case LINE_TEXT:
        return strcmp(*(const char *const *)line->at, value->text) == 0;
    case LINE_WORD:
        return *(const int *)line->at == value->word;
    default:
        return *(const int64_t *)line->at == value->number;
    }
}

/* @return ST_EINPUT */
static status_t refuse_option(const align_opts_t *o, const char *name, const char *value)
{
    if (value != NULL)
        log_error("%s was aligned with %s=%s, and the options given are others; leave "
                  "them out: they are taken from it",
                  o->extend, name, value);
    else
        log_error(
            "%s was aligned without '%s'; leave that option out, or align all files "
            "again",
            o->extend, name);
    return ST_EINPUT;
}

/* Set the option of a line, as a command line does. */
static void set_option(align_opts_t *o, size_t at, const line_t *line,
                       const value_t *value)
{
    static const size_t bytes[] = {
        [LINE_INT] = sizeof(value->number),   [LINE_NUMBER] = sizeof(value->real),
        [LINE_SCORE] = sizeof(value->number), [LINE_FRACTION] = sizeof(value->fraction),
        [LINE_FLAG] = sizeof(value->flag),    [LINE_TEXT] = sizeof(value->text),
        [LINE_WORD] = sizeof(value->word)};

    if (line->at == &o->ends && value->word == ENDS_LOCAL) {
        GIVE(o, mode, MODE_LOCAL);
    } else if (line->at != &o->ends || value->word != ENDS_PRICED) {
        memcpy((char *)o + at, value, bytes[line->kind]);
        given_add(&o->common.given, at);
    }
}

/* @param text  of its value; NULL: it has no line */
static status_t take_option(align_opts_t *o, const line_t *line, const char *text,
                            int halves)
{
    const size_t at = (size_t)((const char *)line->at - (const char *)o);
    const bool is_given = given_has(&o->common.given, at);
    value_t value;

    if (text == NULL)
        return is_given && line->applies ? refuse_option(o, line->name, NULL) : ST_OK;
    if (!parse_value(line, text, halves, &value))
        return log_refusal(o->extend, "make it again", "its job has %s=%.80s", line->name,
                           text);
    if (is_given)
        return is_equal(line, &value) ? ST_OK : refuse_option(o, line->name, text);
    set_option(o, at, line, &value);
    return ST_OK;
}

static bool is_option(const align_opts_t *o, const line_t *line)
{
    return (uintptr_t)line->at - (uintptr_t)o < sizeof(*o) && line->at != &o->score_unit;
}

status_t job_align_take_options(job_align_t *j, char *text)
{
    align_opts_t *o = (align_opts_t *)j->base.opts;
    char *const end = text + strlen(text);
    const char *ends, *unit;
    line_t lines[LINES_MAX];
    const int n_job = list_lines(j, lines);
    const int n = n_job + list_preparation(&o->prepare, lines + n_job);
    status_t st = ST_OK;

    for (char *at = text; at < end; at++)
        if (*at == '\n')
            *at = '\0';
    ends = find_value(text, end, "ends");
    unit = find_value(text, end, "score_unit");
    if (IS_GIVEN(o, mode) && ends != NULL &&
        (o->mode == MODE_LOCAL) != (strcmp(ends, align_ends_name[ENDS_LOCAL]) == 0))
        return refuse_option(o, "ends", ends);
    for (int i = 0; st == ST_OK && i < n; i++)
        if (is_option(o, &lines[i]))
            st = take_option(o, &lines[i], find_value(text, end, lines[i].name),
                             unit != NULL ? 1 : 2);
    return st;
}

/* @return behind lines about the sequences alone, which grow */
static const char *skip_content(const char *at)
{
    static const char *const content[] = {"sequences=", "input_digest=", "sizes_digest=",
                                          "samples="};

    for (size_t i = 0; i < sizeof(content) / sizeof(content[0]); i++)
        if (strncmp(at, content[i], strlen(content[i])) == 0) {
            at += strcspn(at, "\n");
            return skip_content(at + (*at == '\n'));
        }
    return at;
}

status_t job_align_compare_options(const job_align_t *j, const char *there)
{
    buf_t text = {0};
    const char *ours;
    status_t st = append_job(j, &text);

    if (st == ST_OK)
        st = buf_append(&text, "", 1);
    ours = (const char *)text.data;
    while (st == ST_OK) {
        size_t len, our_len;

        there = skip_content(there);
        ours = skip_content(ours);
        len = strcspn(there, "\n");
        our_len = strcspn(ours, "\n");
        if (*there == '\0' && *ours == '\0')
            break;
        if (len != our_len || memcmp(there, ours, len) != 0) {
            log_error("%s was aligned with '%.*s', and now it would be '%.*s'; give the "
                      "same --matrix and --against, or align all files again",
                      j->opts->extend, (int)len, there, (int)our_len, ours);
            st = ST_EINPUT;
        }
        there += len + (there[len] == '\n');
        ours += our_len + (ours[our_len] == '\n');
    }
    buf_free(&text);
    return st;
}

/* What its records hold. */
static pairs_record_job_t records_of(const job_align_t *j)
{
    const int64_t longest = seqset_max_len(j->set);
    const align_range_t scores = align_range(&j->spec.align, longest, longest);
    const bool is_canonical =
        identity_def_is_canonical(j->spec.identity, j->spec.count_ends) ||
        j->opts->ends == ENDS_QUERY || j->opts->ends == ENDS_LOCAL;
    const char *end_gaps = j->opts->ends == ENDS_COUNT   ? ""
                           : j->opts->ends == ENDS_QUERY ? "D"
                                                         : "ID";

    return (pairs_record_job_t){.set = j->set,
                                .grid = &j->grid,
                                .n_datasets = j->spec.n_datasets,
                                .is_sparse = j->is_sparse,
                                .has_strands = j->n_strands > 1,
                                .counts_bases = j->spec.identity == IDENTITY_MBL,
                                .end_gaps = is_canonical ? end_gaps : NULL,
                                .n_end_gaps = j->opts->ends == ENDS_LOCAL ? 2 : 1,
                                .marks_matches = j->opts->cigar_style == CIGAR_STYLE_EQX,
                                .min_identity = j->opts->min_identity,
                                .min_score = scores.min,
                                .max_score = scores.max};
}

status_t job_align_describe(job_t *job)
{
    job_align_t *j = (job_align_t *)job;

    j->records = records_of(j);
    return append_job(j, &job->text);
}
