/*
 * identity_def.c - counting the columns of an alignment, and the definitions of identity.
 */
#include "io/pairs/identity_def.h"

#include "io/seq/cigar.h"

const char *const identity_def_name[IDENTITY_DEFS] = {"0",      "1",       "2",
                                                      "3",      "4",       "onegap",
                                                      "nogaps", "eachgap", "onegap-ends"};

identity_def_t identity_def_canonical(bool count_ends)
{
    return count_ends ? IDENTITY_ALL_COLUMNS : IDENTITY_INNER_COLUMNS;
}

bool identity_def_is_canonical(identity_def_t def, bool count_ends)
{
    if (!count_ends)
        return def == IDENTITY_INNER_COLUMNS;
    return def == IDENTITY_ALL_COLUMNS || def == IDENTITY_BLAST ||
           def == IDENTITY_EACHGAP;
}

bool identity_def_counts_overhang(identity_def_t def, bool count_ends)
{
    return def == IDENTITY_ALL_COLUMNS || def == IDENTITY_BLAST ||
           (def == IDENTITY_EACHGAP && count_ends);
}

bool identity_def_may_lack_columns(identity_def_t def, bool count_ends)
{
    switch (def) {
    case IDENTITY_NOGAPS:
        return true;
    case IDENTITY_INNER_COLUMNS:
        return count_ends;
    case IDENTITY_ONEGAP:
    case IDENTITY_EACHGAP:
        return !count_ends;
    default:
        return false;
    }
}

/* Result files store these texts: they must not change. */
const char *identity_def_words(identity_def_t def, bool count_ends)
{
    switch (def) {
    case IDENTITY_CDHIT:
        return "matches / letters of the shorter sequence";
    case IDENTITY_INNER_COLUMNS:
        return "matches / columns without end gaps";
    case IDENTITY_MBL:
        return "letters of the longer sequence less mismatches and gaps, at least 0 / "
               "letters of the longer sequence";
    case IDENTITY_ONEGAP_ENDS:
        return "matches / columns with two letters and gaps";
    case IDENTITY_ONEGAP:
        return count_ends ? "matches / columns with two letters and gaps"
                          : "matches / columns with two letters and gaps between them";
    case IDENTITY_NOGAPS:
        return "matches / columns with two letters";
    case IDENTITY_EACHGAP:
        return count_ends ? "matches / all columns"
                          : "matches / columns from the first with two letters to the "
                            "last";
    default:
        return "matches / all columns";
    }
}

static bool is_gap(uint32_t run)
{
    return cigar_run_op(run) == CIGAR_I || cigar_run_op(run) == CIGAR_D;
}

static void count_margins(const uint32_t *runs, int64_t n_runs, identity_counts_t *c)
{
    cigar_margins_t m = cigar_margins(runs, n_runs);

    c->margin_letters = m.query_left + m.target_left + m.query_right + m.target_right;
    c->margin_runs = m.first + n_runs - m.end;
}

identity_counts_t identity_def_count(const uint32_t *runs, int64_t n_runs,
                                     int64_t matches)
{
    identity_counts_t c = {.matches = matches};

    for (int64_t i = 0; i < n_runs; i++) {
        int64_t len = cigar_run_len(runs[i]);

        if (cigar_run_op(runs[i]) == CIGAR_EQ) {
            c.matches += len;
        } else if (!is_gap(runs[i])) {
            c.mismatches += len;
        } else {
            c.gap_letters += len;
            c.gap_runs++;
            if (i == 0 || i == n_runs - 1) {
                c.end_letters += len;
                c.end_runs++;
            }
        }
    }
    c.mismatches -= matches; /* they were counted among the columns of M */
    count_margins(runs, n_runs, &c);
    return c;
}

identity_value_t identity_def_of_counts(identity_def_t def, bool count_ends,
                                        const identity_counts_t *c, int64_t m, int64_t n)
{
    int64_t shorter = m < n ? m : n, longer = m < n ? n : m;
    int64_t pairs = c->matches + c->mismatches, same;

    switch (def) {
    case IDENTITY_CDHIT:
        return (identity_value_t){c->matches, shorter};
    case IDENTITY_INNER_COLUMNS:
        return (identity_value_t){c->matches, pairs + c->gap_letters - c->end_letters};
    case IDENTITY_MBL:
        same = longer - c->mismatches - c->gap_runs;
        return (identity_value_t){same > 0 ? same : 0, longer};
    case IDENTITY_ONEGAP_ENDS:
        return (identity_value_t){c->matches, pairs + c->gap_runs};
    case IDENTITY_ONEGAP:
        return (identity_value_t){c->matches, pairs + c->gap_runs -
                                                  (count_ends ? 0 : c->margin_runs)};
    case IDENTITY_NOGAPS:
        return (identity_value_t){c->matches, pairs};
    case IDENTITY_EACHGAP:
        return (identity_value_t){c->matches, pairs + c->gap_letters -
                                                  (count_ends ? 0 : c->margin_letters)};
    default:
        return (identity_value_t){c->matches, pairs + c->gap_letters};
    }
}
