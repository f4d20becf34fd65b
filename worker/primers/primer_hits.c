/*
 * primer_hits.c - a table of places: which primer, where, with which mismatches.
 */
#include "worker/primers/job_primers_state.h"

#include <inttypes.h>

void primer_hits_head(FILE *to)
{
    fputs("read\tmate\tpair\tprimer\tstrand\tstart\tend\tmismatches\tcigar\n", to);
}

/* Print runs of matches (=) and mismatches (X) of a primer, as the read has it. */
static void print_cigar(const base_planes_t *text, int64_t sequence, int32_t at,
                        const primer_t *primer, FILE *to)
{
    bool is_match = true;
    int n = 0;

    for (int i = 0; i <= primer->len; i++) {
        const bool matches =
            i < primer->len &&
            (base_planes_code(text, sequence, at + i) & ~primer->codes[i]) == 0;

        if (n > 0 && (i == primer->len || matches != is_match)) {
            fprintf(to, "%d%c", n, is_match ? '=' : 'X');
            n = 0;
        }
        is_match = matches;
        n++;
    }
}

static void write_hit(const job_primers_t *j, int64_t i, const primer_region_t *r,
                      primer_role_t role, FILE *to)
{
    const bool are_pairs = job_primers_n_files(j) == 2;
    const int mate = are_pairs && role != r->is_reversed;
    const bool is_minus = !are_pairs && role != r->is_reversed;
    const primer_pair_t *pair = &j->pairs[r->pair];
    const primer_t *primer = role == PRIMER_FORWARD ? &pair->forward : &pair->reverse;
    const primer_t turned = primer_reverse_complement(primer);
    const reads_t *reads = &j->reads[mate];

    fwrite(reads_text(reads, reads->at[i].header), 1, (size_t)reads_name_len(reads, i),
           to);
    fprintf(to, "\t%d\t%s\t%s\t%c\t%" PRId32 "\t%" PRId32 "\t%d\t", mate + 1,
            j->panel.names[r->pair], role == PRIMER_FORWARD ? "forward" : "reverse",
            is_minus ? '-' : '+', r->at[role] + 1, r->at[role] + primer->len,
            r->mismatches[role]);
    print_cigar(&j->text, are_pairs ? 2 * i + mate : i, r->at[role],
                is_minus ? &turned : primer, to);
    fputc('\n', to);
}

void primer_hits_write(const job_primers_t *j, int64_t first, const primer_region_t *r,
                       FILE *to)
{
    write_hit(j, first + r->read, r, PRIMER_FORWARD, to);
    write_hit(j, first + r->read, r, PRIMER_REVERSE, to);
}
