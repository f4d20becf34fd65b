/*
 * chimera_lines.c - results of `chimeras` as lines of text, and reads as FASTA.
 */
#include "io/amplicon/chimera_result.h"

#include "io/seq/fasta.h"

#include <inttypes.h>

/* Of a row of /reads/matches. */
enum { MODEL, A, B, A_AND_B };

static void print_name(const chimera_result_t *r, int64_t read, FILE *to)
{
    fputs(r->names + r->name_offset[read], to);
    if (r->size != NULL)
        fprintf(to, ";size=%" PRId64, r->size[read]);
}

static const char *parent_name(const chimera_result_t *r, int32_t parent)
{
    return r->parent_names + r->parent_name_offset[parent];
}

static void print_parents(const chimera_result_t *r, int64_t i, FILE *to)
{
    const char *a = parent_name(r, r->parent[2 * i]);
    const char *b = parent_name(r, r->parent[2 * i + 1]);
    const int32_t *matches = r->matches + CHIMERA_RESULT_MATCHES * i;
    const int32_t *votes = r->votes + CHIMERA_RESULT_VOTES * i;
    const int closer = matches[A] >= matches[B] ? A : B;
    const int shown[] = {MODEL, A, B, A_AND_B, closer};
    double percent[CHIMERA_RESULT_MATCHES];

    for (int k = 0; k < CHIMERA_RESULT_MATCHES; k++)
        percent[k] = 100.0 * matches[k] / r->columns[i];
    fprintf(to, "\t%s\t%s\t%s", a, b, closer == A ? a : b);
    for (size_t k = 0; k < sizeof(shown) / sizeof(*shown); k++)
        fprintf(to, "\t%.1f", percent[shown[k]]);
    for (int k = 0; k < CHIMERA_RESULT_VOTES; k++)
        fprintf(to, "\t%" PRId32, votes[k]);
    fprintf(to, "\t%.1f", percent[MODEL] - percent[closer]);
}

void chimera_lines_print(const chimera_result_t *r, bool has_header, FILE *to)
{
    static const char call[CHIMERA_RESULT_CALLS] = {'N', '?', 'Y'};

    if (has_header)
        fputs("score\tread\tparent_a\tparent_b\tcloser_parent\tid_model\tid_a\tid_b\tid_"
              "ab\t"
              "id_closer\tleft_yes\tleft_no\tleft_abstain\tright_yes\tright_no\t"
              "right_abstain\tdivergence\tcall\n",
              to);
    for (int64_t i = 0; i < r->n && !ferror(to); i++) {
        fprintf(to, "%.4f\t", r->score[i]);
        print_name(r, i, to);
        if (r->parent[2 * i] < 0)
            fputs("\t*\t*\t*\t*\t*\t*\t*\t*\t0\t0\t0\t0\t0\t0\t*", to);
        else
            print_parents(r, i, to);
        fprintf(to, "\t%c\n", call[r->call[i]]);
    }
}

status_t chimera_fasta_print(const chimera_result_t *r, const seqset_t *set, int call,
                             FILE *to)
{
    for (int64_t i = 0; i < r->n; i++)
        if (r->call[i] == call &&
            !fasta_write_sequence(to, r->names + r->name_offset[i],
                                  r->size != NULL ? r->size[i] : 0, NULL, set, i))
            return ST_EIO;
    return ST_OK;
}
