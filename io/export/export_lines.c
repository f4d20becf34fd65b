/*
 * export_lines.c - writing one line per pair: blast6, uc, column, paf.
 */
#include "io/export/export_file.h"

#include "io/seq/cigar.h"

enum { NO_MAPQ = 255 }; /* PAF: missing */

static void put_names(const export_lines_t *lines, const export_hit_t *h, FILE *out)
{
    export_names_put(lines->names, h->query, out);
    putc_unlocked('\t', out);
    export_names_put(lines->names, h->target, out);
}

static char strand_of(const export_hit_t *h)
{
    return h->hit->strand < 0 ? '-' : '+';
}

/* On the minus strand vsearch swaps the query's positions, which are those on the query
 * as it is in its file. */
status_t export_lines_blast6(void *state, const export_hit_t *h, FILE *out)
{
    const export_lines_t *lines = state;
    bool minus = h->hit->strand < 0;

    put_names(lines, h, out);
    putc_unlocked('\t', out);
    export_out_percent(out, h->hit->matches, h->hit->columns);
    export_out_tab_int(out, h->inner);
    export_out_tab_int(out, h->pairs - h->matches);
    export_out_tab_int(out, h->counts.gap_runs - h->counts.end_runs);
    export_out_tab_int(out, minus ? h->m + 1 - h->query_first : h->query_first);
    export_out_tab_int(out, minus ? h->m + 1 - h->query_last : h->query_last);
    export_out_tab_int(out, h->target_first);
    export_out_tab_int(out, h->target_last);
    putc_unlocked('\t', out);
    export_out_evalue(out, h->evalue);
    putc_unlocked('\t', out);
    export_out_bits(out, h->bits);
    putc_unlocked('\n', out);
    return ST_OK;
}

char export_lines_letter(uint32_t run)
{
    cigar_op_t op = cigar_run_op(run);

    return op == CIGAR_I ? 'D' : op == CIGAR_D ? 'I' : 'M';
}

void export_lines_caln(const export_hit_t *h, FILE *out)
{
    for (int64_t i = 0, len = 0; i < h->n_runs; i++) {
        char letter = export_lines_letter(h->runs[i]);

        len += cigar_run_len(h->runs[i]);
        if (i + 1 < h->n_runs && export_lines_letter(h->runs[i + 1]) == letter)
            continue; /* = and X are both M */
        if (len > 1)
            export_out_int(out, len);
        putc_unlocked(letter, out);
        len = 0;
    }
}

static void put_rows_without_hits(export_lines_t *lines, int64_t end, FILE *out)
{
    for (; lines->next_row < end; lines->next_row++) {
        fputs_unlocked("N\t*\t*\t*\t.\t*\t*\t*\t", out);
        export_names_put(lines->names, lines->file->rows.names[lines->next_row], out);
        fputs_unlocked("\t*\n", out);
    }
}

status_t export_lines_uc(void *state, const export_hit_t *h, FILE *out)
{
    export_lines_t *lines = state;

    put_rows_without_hits(lines, h->hit->row, out);
    lines->next_row = h->hit->row + 1;
    putc_unlocked('H', out);
    export_out_tab_int(out, h->hit->col);
    export_out_tab_int(out, h->m);
    putc_unlocked('\t', out);
    export_out_percent(out, h->hit->matches, h->hit->columns);
    putc_unlocked('\t', out);
    putc_unlocked(strand_of(h), out);
    fputs_unlocked("\t0\t0\t", out);
    if (h->perfect)
        putc_unlocked('=', out);
    else
        export_lines_caln(h, out);
    putc_unlocked('\t', out);
    put_names(lines, h, out);
    putc_unlocked('\n', out);
    return ST_OK;
}

void export_lines_uc_end(export_lines_t *lines, FILE *out)
{
    put_rows_without_hits(lines, lines->file->rows.n, out);
}

status_t export_lines_column(void *state, const export_hit_t *h, FILE *out)
{
    const pairs_hit_t *hit = h->hit;

    put_names(state, h, out);
    putc_unlocked('\t', out);
    export_out_fraction(out, hit->columns - hit->matches, hit->columns,
                        EXPORT_DISTANCE_DIGITS);
    putc_unlocked('\n', out);
    return ST_OK;
}

/* The alignment without its end gaps. */
static void put_cg(const export_hit_t *h, FILE *out)
{
    fputs_unlocked("\tcg:Z:", out);
    for (int64_t i = h->first_inner; i < h->end_inner; i++) {
        export_out_int(out, cigar_run_len(h->runs[i]));
        putc_unlocked("MIDNSHP=X"[cigar_run_op(h->runs[i])], out);
    }
}

/* PAF counts positions on the query as it is in its file, on both strands. */
status_t export_lines_paf(void *state, const export_hit_t *h, FILE *out)
{
    const export_lines_t *lines = state;
    bool minus = h->hit->strand < 0;

    if (h->inner == 0) /* only gaps: PAF cannot express that */
        return ST_OK;
    export_names_put(lines->names, h->query, out);
    export_out_tab_int(out, h->m);
    export_out_tab_int(out, minus ? h->query_right : h->query_left);
    export_out_tab_int(out, h->m - (minus ? h->query_left : h->query_right));
    putc_unlocked('\t', out);
    putc_unlocked(strand_of(h), out);
    putc_unlocked('\t', out);
    export_names_put(lines->names, h->target, out);
    export_out_tab_int(out, h->n);
    export_out_tab_int(out, h->target_left);
    export_out_tab_int(out, h->n - h->target_right);
    export_out_tab_int(out, h->matches);
    export_out_tab_int(out, h->inner);
    export_out_tab_int(out, NO_MAPQ);
    fputs_unlocked("\tNM:i:", out);
    export_out_int(out, h->inner - h->matches);
    fputs_unlocked(h->scores_in_halves ? "\tAS:f:" : "\tAS:i:", out);
    export_out_score(out, h->hit->score, h->scores_in_halves);
    put_cg(h, out);
    putc_unlocked('\n', out);
    return ST_OK;
}
