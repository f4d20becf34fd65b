/*
 * primer_trim.c - moves the regions between primers together.
 */
#include "io/prepare/prepare.h"

#include "io/base/logmsg.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MISUSE_BYTES = 256 };

typedef struct {
    int64_t n_kept, n_reverse;
    int64_t first_missing; /* -1: none */
} outcome_t;

primer_trim_t primer_trim_defaults(void)
{
    return (primer_trim_t){.max_mismatches = -1};
}

const char *primer_trim_misuse(const primer_trim_t *o)
{
    static _Thread_local char out[MISUSE_BYTES];
    primer_pair_t pair;
    const char *wrong;
    int len;

    if (o->text == NULL)
        return o->max_mismatches >= 0 || o->missing != PRIMER_MISSING_DROP
                   ? "--primer-mismatches and --missing-primers need --primers; give it"
                   : NULL;
    if ((wrong = primer_pair_misuse(o->text)) != NULL) {
        snprintf(out, sizeof(out), "--primers: %s", wrong);
        return out;
    }
    (void)primer_pair_parse(o->text, &pair);
    len = pair.forward.len < pair.reverse.len ? pair.forward.len : pair.reverse.len;
    if (primer_trim_matches_all(primer_trim_mismatches(o), len))
        return "--primer-mismatches is above a third of a primer's length, which would "
               "match anywhere; give fewer";
    return NULL;
}

/* Cut every record; one without primers becomes empty. */
static void cut(const primer_cut_t *cuts, seqset_t *set, int32_t *kept, outcome_t *out)
{
    int64_t at = 0;

    for (int64_t i = 0; i < set->n; i++) {
        const primer_cut_t *c = &cuts[i];
        const int64_t len = c->end - c->begin;

        if (c->end > 0)
            kept[out->n_kept++] = (int32_t)i;
        else if (out->first_missing < 0)
            out->first_missing = i;
        if (c->is_reversed)
            orient_reverse_complement(set, i);
        out->n_reverse += c->is_reversed;
        memmove(set->letters + at, seqset_letters(set, i) + c->begin, (size_t)len);
        set->offset[i] = at;
        at += len;
    }
    set->offset[set->n] = at;
}

/* Log the first record without both primers. @return ST_EINPUT */
static status_t refuse_missing(const seq_files_t *files, const primer_trim_t *o,
                               const seqset_t *set, const outcome_t *found)
{
    int64_t in_file;
    const char *path = seq_files_find(files, found->first_missing, &in_file);

    log_error("%s: %" PRId64 " of %" PRId64 " records lack a primer of --primers "
              "%.160s, the first is '%.80s'%s%s; drop them with --missing-primers drop",
              files->label, set->n - found->n_kept, set->n, o->text,
              seqset_name(set, found->first_missing), files->n > 1 ? " of " : "",
              files->n > 1 ? path : "");
    return ST_EINPUT;
}

static status_t log_outcome(const seq_files_t *files, const primer_trim_t *o,
                            const seqset_t *set, const outcome_t *found)
{
    const int64_t n_missing = set->n - found->n_kept;
    const char *input = files->label;

    if (found->n_kept == 0 && set->n > 0) {
        log_error("%s: no record has both primers of --primers %.160s with at most %d "
                  "mismatches in each; give primers 5' to 3', and records that include "
                  "them",
                  input, o->text, primer_trim_mismatches(o));
        return ST_EINPUT;
    }
    if (n_missing > 0 && o->missing == PRIMER_MISSING_STOP)
        return refuse_missing(files, o, set, found);
    log_info("%s: %" PRId64 " of %" PRId64
             " records have both primers of %.160s and were "
             "cut, %" PRId64 " of them reverse-complemented; %" PRId64 " were dropped",
             input, found->n_kept, set->n, o->text, found->n_reverse, n_missing);
    return ST_OK;
}

status_t primer_trim_set(const seq_files_t *files, const primer_trim_t *o,
                         const primer_cut_t *cuts, seqset_t *set, int32_t *kept)
{
    outcome_t found = {.first_missing = -1};
    status_t st;

    if (set->alphabet != ALPHABET_DNA) {
        log_error("%s: --primers needs nucleotides, and these are proteins; leave it out",
                  files->label);
        return ST_EINPUT;
    }
    cut(cuts, set, kept, &found);
    if ((st = log_outcome(files, o, set, &found)) == ST_OK)
        seqset_keep(set, kept, found.n_kept);
    return st;
}
