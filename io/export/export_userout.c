/*
 * export_userout.c - the table of fields, and the quantities that they print.
 */
#include "io/export/export_file.h"

#include "io/seq/alphabet.h"
#include "io/seq/cigar.h"

#include <string.h>

const char export_userout_default[] =
    "query+target+id+alnlen+mism+opens+qlo+qhi+tlo+thi+evalue+bits";

/* Integers of a pair that fields print, alone or as a percentage. */
typedef enum {
    ZERO,
    QUERY_LEN,
    TARGET_LEN,
    SHORTER,
    LONGER,
    MATCHES,
    MISMATCHES,
    PAIRS,
    INNER,
    COLUMNS,
    GAPS,
    OPENS,
    EXTS,
    SAME_BY_MBL,
    FILE_MATCHES,
    FILE_COLUMNS,
    QUERY_FIRST,
    QUERY_LAST,
    TARGET_FIRST,
    TARGET_LAST,
    QUERY_INNER_FIRST,
    QUERY_INNER_LAST,
    TARGET_INNER_FIRST,
    TARGET_INNER_LAST,
    N_QUANTITIES
} quantity_t;

typedef struct {
    const char *name;
    unsigned facts;
    quantity_t number;
    bool is_percent; /* of the denominator */
    quantity_t denominator;
    /* NULL: print the number; else this function prints the field */
    void (*put)(const export_userout_t *u, const export_hit_t *h, FILE *out);
} field_t;

/* On the minus strand vsearch swaps the query's first and last position, but not those
 * without end gaps. */
static void fill(const export_hit_t *h, int64_t q[N_QUANTITIES])
{
    bool minus = h->hit->strand < 0;

    q[ZERO] = 0;
    q[QUERY_LEN] = h->m;
    q[TARGET_LEN] = h->n;
    q[SHORTER] = h->m < h->n ? h->m : h->n;
    q[LONGER] = h->m < h->n ? h->n : h->m;
    q[MATCHES] = h->matches;
    q[MISMATCHES] = h->pairs - h->matches;
    q[PAIRS] = h->pairs;
    q[INNER] = h->inner;
    q[COLUMNS] = h->columns;
    q[GAPS] = h->inner - h->pairs;
    q[OPENS] = h->counts.gap_runs - h->counts.end_runs;
    q[EXTS] = q[GAPS] - q[OPENS];
    q[SAME_BY_MBL] =
        identity_def_of_counts(IDENTITY_MBL, true, &h->counts, h->m, h->n).numerator;
    q[FILE_MATCHES] = h->hit->matches;
    q[FILE_COLUMNS] = h->hit->columns;
    q[QUERY_FIRST] = minus ? h->m + 1 - h->query_first : h->query_first;
    q[QUERY_LAST] = minus ? h->m + 1 - h->query_last : h->query_last;
    q[TARGET_FIRST] = h->target_first;
    q[TARGET_LAST] = h->target_last;
    q[QUERY_INNER_FIRST] = h->query_left + 1;
    q[QUERY_INNER_LAST] = h->m - h->query_right;
    q[TARGET_INNER_FIRST] = h->target_left + 1;
    q[TARGET_INNER_LAST] = h->n - h->target_right;
}

static void put_query(const export_userout_t *u, const export_hit_t *h, FILE *out)
{
    export_names_put(u->names, h->query, out);
}

static void put_target(const export_userout_t *u, const export_hit_t *h, FILE *out)
{
    export_names_put(u->names, h->target, out);
}

static void put_raw(const export_userout_t *u, const export_hit_t *h, FILE *out)
{
    (void)u;
    export_out_score(out, h->hit->score, h->scores_in_halves);
}

static void put_evalue(const export_userout_t *u, const export_hit_t *h, FILE *out)
{
    (void)u;
    export_out_evalue(out, h->evalue);
}

static void put_bits(const export_userout_t *u, const export_hit_t *h, FILE *out)
{
    (void)u;
    export_out_bits(out, h->bits);
}

static void put_qstrand(const export_userout_t *u, const export_hit_t *h, FILE *out)
{
    (void)u;
    putc_unlocked(h->hit->strand < 0 ? '-' : '+', out);
}

/* Only queries are reverse-complemented. */
static void put_tstrand(const export_userout_t *u, const export_hit_t *h, FILE *out)
{
    (void)u;
    (void)h;
    putc_unlocked('+', out);
}

static void put_frame(const export_userout_t *u, const export_hit_t *h, FILE *out)
{
    (void)u;
    (void)h;
    fputs_unlocked("+0", out);
}

static void put_aln(const export_userout_t *u, const export_hit_t *h, FILE *out)
{
    (void)u;
    for (int64_t i = 0; i < h->n_runs; i++)
        for (int64_t k = cigar_run_len(h->runs[i]); k > 0; k--)
            putc_unlocked(export_lines_letter(h->runs[i]), out);
}

static void put_caln(const export_userout_t *u, const export_hit_t *h, FILE *out)
{
    (void)u;
    export_lines_caln(h, out);
}

/* Write one sequence of the alignment, with inner gaps and without end gaps. */
static void put_row(const seqset_t *set, int64_t sequence, bool reversed,
                    cigar_op_t gap_op, const export_hit_t *h, FILE *out)
{
    const uint8_t *codes = seqset_letters(set, sequence);
    int64_t len = seqset_len(set, sequence), at = 0;

    for (int64_t i = 0; i < h->end_inner; i++)
        for (int64_t k = cigar_run_len(h->runs[i]); k > 0; k--) {
            bool is_gap = cigar_run_op(h->runs[i]) == gap_op;
            uint8_t code = CODE_NONE;

            if (!is_gap) {
                code = reversed ? alphabet_complement(codes[len - 1 - at]) : codes[at];
                at++;
            }
            if (i >= h->first_inner)
                putc_unlocked(alphabet_letter(set->alphabet, code), out);
        }
}

static void put_qrow(const export_userout_t *u, const export_hit_t *h, FILE *out)
{
    put_row(u->set, h->hit->row, h->hit->strand < 0, CIGAR_D, h, out);
}

static void put_trow(const export_userout_t *u, const export_hit_t *h, FILE *out)
{
    put_row(u->set, h->hit->col, false, CIGAR_I, h, out);
}

#define NUMBER(quantity)                quantity, false, ZERO, NULL
#define PERCENT(numerator, denominator) numerator, true, denominator, NULL
#define TEXT(put)                       ZERO, false, ZERO, put

/* clang-format off */
static const field_t fields[] = {
    {"aln", EXPORT_CIGAR, TEXT(put_aln)},
    {"alnlen", EXPORT_INNER, NUMBER(INNER)},
    {"bits", 0, TEXT(put_bits)},
    {"caln", EXPORT_CIGAR, TEXT(put_caln)},
    {"evalue", 0, TEXT(put_evalue)},
    {"exts", EXPORT_CIGAR, NUMBER(EXTS)},
    {"gaps", EXPORT_INNER | EXPORT_PAIRS, NUMBER(GAPS)},
    {"id", EXPORT_IDENTITY, PERCENT(FILE_MATCHES, FILE_COLUMNS)},
    {"id0", EXPORT_MATCHES, PERCENT(MATCHES, SHORTER)},
    {"id1", EXPORT_MATCHES | EXPORT_PAIRS, PERCENT(MATCHES, COLUMNS)},
    {"id2", EXPORT_MATCHES | EXPORT_INNER, PERCENT(MATCHES, INNER)},
    {"id3", EXPORT_CIGAR, PERCENT(SAME_BY_MBL, LONGER)},
    {"id4", EXPORT_MATCHES | EXPORT_PAIRS, PERCENT(MATCHES, COLUMNS)},
    {"ids", EXPORT_MATCHES, NUMBER(MATCHES)},
    {"mism", EXPORT_MATCHES | EXPORT_PAIRS, NUMBER(MISMATCHES)},
    {"opens", EXPORT_CIGAR, NUMBER(OPENS)},
    {"pairs", EXPORT_PAIRS, NUMBER(PAIRS)},
    {"pctgaps", EXPORT_INNER | EXPORT_PAIRS, PERCENT(GAPS, INNER)},
    {"pctpv", EXPORT_MATCHES | EXPORT_INNER, PERCENT(MATCHES, INNER)},
    {"pv", EXPORT_MATCHES, NUMBER(MATCHES)},
    {"qcov", EXPORT_PAIRS, PERCENT(PAIRS, QUERY_LEN)},
    {"qframe", 0, TEXT(put_frame)},
    {"qhi", EXPORT_POSITIONS, NUMBER(QUERY_LAST)},
    {"qihi", EXPORT_CIGAR, NUMBER(QUERY_INNER_LAST)},
    {"qilo", EXPORT_CIGAR, NUMBER(QUERY_INNER_FIRST)},
    {"ql", 0, NUMBER(QUERY_LEN)},
    {"qlo", EXPORT_POSITIONS, NUMBER(QUERY_FIRST)},
    {"qrow", EXPORT_CIGAR | EXPORT_QUERY_BASES, TEXT(put_qrow)},
    {"qs", 0, NUMBER(QUERY_LEN)},
    {"qstrand", 0, TEXT(put_qstrand)},
    {"query", 0, TEXT(put_query)},
    {"raw", 0, TEXT(put_raw)},
    {"target", 0, TEXT(put_target)},
    {"tcov", EXPORT_PAIRS, PERCENT(PAIRS, TARGET_LEN)},
    {"tframe", 0, TEXT(put_frame)},
    {"thi", EXPORT_POSITIONS, NUMBER(TARGET_LAST)},
    {"tihi", EXPORT_CIGAR, NUMBER(TARGET_INNER_LAST)},
    {"tilo", EXPORT_CIGAR, NUMBER(TARGET_INNER_FIRST)},
    {"tl", 0, NUMBER(TARGET_LEN)},
    {"tlo", EXPORT_POSITIONS, NUMBER(TARGET_FIRST)},
    {"trow", EXPORT_CIGAR | EXPORT_TARGET_BASES, TEXT(put_trow)},
    {"ts", 0, NUMBER(TARGET_LEN)},
    {"tstrand", 0, TEXT(put_tstrand)},
};
/* clang-format on */

enum { N_FIELDS = sizeof(fields) / sizeof(fields[0]) };

static int find(const char *name, size_t len)
{
    for (int i = 0; i < N_FIELDS; i++)
        if (strlen(fields[i].name) == len && strncmp(fields[i].name, name, len) == 0)
            return i;
    return -1;
}

bool export_userout_parse(const char *text, export_fields_t *out, const char **bad,
                          int *bad_len)
{
    out->n = 0;
    for (;; text++) {
        size_t len = strcspn(text, "+");
        int field = find(text, len);

        if (field < 0 || out->n == EXPORT_USEROUT_MAX) {
            *bad = text;
            *bad_len = (int)len;
            return false;
        }
        out->field[out->n++] = field;
        text += len;
        if (*text == '\0')
            return true;
    }
}

unsigned export_userout_facts(const export_fields_t *f)
{
    unsigned facts = 0;

    for (int i = 0; i < f->n; i++)
        facts |= fields[f->field[i]].facts;
    return facts;
}

const char *export_userout_lacking(const export_fields_t *f, unsigned known)
{
    for (int i = 0; i < f->n; i++)
        if (fields[f->field[i]].facts & ~known)
            return fields[f->field[i]].name;
    return NULL;
}

status_t export_userout_write(void *state, const export_hit_t *h, FILE *out)
{
    const export_userout_t *u = state;
    int64_t q[N_QUANTITIES];

    fill(h, q);
    for (int i = 0; i < u->fields->n; i++) {
        const field_t *f = &fields[u->fields->field[i]];

        if (i > 0)
            putc_unlocked('\t', out);
        if (f->put != NULL)
            f->put(u, h, out);
        else if (f->is_percent)
            export_out_percent(out, q[f->number], q[f->denominator]);
        else
            export_out_int(out, q[f->number]);
    }
    putc_unlocked('\n', out);
    return ST_OK;
}
