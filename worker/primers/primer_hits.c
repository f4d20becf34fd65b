/*
 * primer_hits.c - a table of places: which primer, where, with which mismatches.
 */
#include "worker/primers/job_primers_state.h"

#include "kernels/primers/primer_gaps.h"

#include <inttypes.h>

void primer_hits_head(FILE *to)
{
    fputs("read\tmate\tpair\tprimer\tstrand\tstart\tend\tmismatches\tgaps\tcigar\n", to);
}

/* Print runs of equal columns. */
static void print_cigar(const char *columns, FILE *to)
{
    for (size_t n; *columns != '\0'; columns += n) {
        for (n = 1; columns[n] == *columns;)
            n++;
        fprintf(to, "%zu%c", n, *columns);
    }
}

static void write_hit(const job_primers_t *j, int64_t i, const primer_region_t *r,
                      primer_role_t role, FILE *to)
{
    const bool are_pairs = job_primers_n_files(j) == 2;
    const int mate = are_pairs && role != r->is_reversed;
    const bool is_minus = !are_pairs && role != r->is_reversed;
    char columns[PRIMER_LEN_MAX + PRIMER_GAPS_MAX + 1];
    const reads_t *reads = &j->reads[mate];

    fwrite(reads_text(reads, reads->at[i].header), 1, (size_t)reads_name_len(reads, i),
           to);
    fprintf(to, "\t%d\t%s\t%s\t%c\t%" PRId32 "\t%" PRId32 "\t%d\t%d\t", mate + 1,
            j->panel.names[r->pair], role == PRIMER_FORWARD ? "forward" : "reverse",
            is_minus ? '-' : '+', r->at[role] + 1, r->at[role] + r->len[role],
            r->mismatches[role], r->gaps[role]);
    primer_gaps_trace(primer_search_pattern(j->checker, r->pair, role, is_minus),
                      &j->text,
                      j->text.first_word[are_pairs ? 2 * i + mate : i] * 64 + r->at[role],
                      r->len[role], r->gaps[role], columns);
    print_cigar(columns, to);
    fputc('\n', to);
}

void primer_hits_write(const job_primers_t *j, int64_t first, const primer_region_t *r,
                       FILE *to)
{
    write_hit(j, first + r->read, r, PRIMER_FORWARD, to);
    write_hit(j, first + r->read, r, PRIMER_REVERSE, to);
}
