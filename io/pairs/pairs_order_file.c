/*
 * pairs_order_file.c - the law of a result file's scores, and the orders that it has or
 * can have.
 */
#include "io/base/logmsg.h"
#include "io/pairs/evalue.h"
#include "io/pairs/pairs_order.h"

#include <stdlib.h>

/* @return the letters of a file's references, or those that E-values are to be of */
static double letters_of(const pairs_file_t *file)
{
    const char *text = pairs_job_value(file, PAIRS_JOB_DB_SIZE);
    double letters = text != NULL ? strtod(text, NULL) : 0;

    for (int64_t j = 0; text == NULL && j < file->cols.n; j++)
        letters += (double)file->cols.lengths[j];
    return letters;
}

bool evalue_begin(const pairs_file_t *file, evalue_t *out)
{
    const char *digest = pairs_job_value(file, "matrix_digest");
    int64_t open, extend;

    return file->ends_local && !file->scores_in_halves && digest != NULL &&
           pairs_job_number(file, "gap_open", &open) &&
           pairs_job_number(file, "gap_extend", &extend) &&
           evalue_find(strtoull(digest, NULL, 16), open, extend, letters_of(file), out);
}

status_t evalue_require(const pairs_file_t *file, const char *option, evalue_t *out)
{
    if (evalue_begin(file, out))
        return ST_OK;
    log_error("%s: %s needs local alignments of proteins whose scores have a known "
              "law; align with --mode local and %s",
              file->path, option, evalue_known);
    return ST_EINPUT;
}

pairs_order_t pairs_order_default(const pairs_file_t *f)
{
    evalue_t law;

    if (pairs_job_value(f, PAIRS_JOB_EVALUE) != NULL && evalue_begin(f, &law))
        return PAIRS_BY_EVALUE;
    if (f->top == 0)
        return PAIRS_BY_ROW;
    return f->ends_local ? PAIRS_BY_SCORE : PAIRS_BY_IDENTITY;
}

status_t pairs_order_check(const pairs_file_t *f, pairs_order_t order)
{
    evalue_t law;

    if (order == PAIRS_BY_EVALUE)
        return evalue_require(f, "--sort evalue", &law);
    if (order != PAIRS_BY_IDENTITY || f->n_datasets != PAIRS_N_SCORE)
        return ST_OK;
    log_error("%s: the file holds only scores; sort by score, or align with --emit "
              "identity",
              f->path);
    return ST_EINPUT;
}
