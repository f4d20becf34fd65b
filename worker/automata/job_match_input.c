/*
 * job_match_input.c - rank 0 reads the automata and the input, and sends them to the
 * other ranks.
 */
#include "worker/automata/job_match_state.h"

#include "io/base/logmsg.h"
#include "io/file/memfd_stream.h"
#include "io/file/packed_input.h"

#include <stdlib.h>
#include <string.h>

/* ---- the child ---- */

status_t match_child_answer(const void *opts, int question, buf_t *out)
{
    const match_opts_t *o = opts;
    automata_t automata;
    status_t st = automata_file_read(o->automata, &automata);

    (void)question; /* there is one */
    (void)out;
    if (st != ST_OK)
        return st;
    st = memfd_stream_put_object(o->stream, &automata_arrays, &automata);
    automata_free(&automata);
    return st;
}

static status_t read_automata(const match_opts_t *o, automata_t *out)
{
    status_t st;

    if (o->stream < 0 || o->common.reader == NULL)
        return automata_file_read(o->automata, out);
    st = memfd_stream_fetch(o->common.reader, MATCH_CHILD_AUTOMATA, o->stream,
                            &automata_arrays, out);
    if (!o->common.resume) /* nothing else will be asked */
        child_reader_stop(o->common.reader);
    return st;
}

/* ---- the input ---- */

static status_t read_bytes(job_match_t *j)
{
    buf_t bytes = {0};
    const status_t st = packed_input_read_file(j->opts->input, &bytes);

    j->bytes = bytes.data;
    j->n_bytes = (int64_t)bytes.len;
    if (st == ST_OK && j->n_bytes == 0)
        log_warn("%s is empty", j->opts->input);
    return st;
}

static status_t read_all(job_match_t *j)
{
    status_t st = read_automata(j->opts, &j->automata);

    return st == ST_OK ? read_bytes(j) : st;
}

ARRAY_COUNT(n_bytes, job_match_t, o->n_bytes)

static const array_t shared_rows[] = {ARRAY_MEMBER(job_match_t, automata,
                                                   &automata_arrays),
                                      ARRAY_VALUE(job_match_t, n_bytes, ARRAY_INT64),
                                      ARRAY_OF(job_match_t, bytes, ARRAY_BYTES, n_bytes),
                                      ARRAYS_END};

static const arrays_t shared = {"automata and input", sizeof(job_match_t), shared_rows,
                                NULL};

status_t job_match_read(job_match_t *j, exchange_t *x)
{
    status_t st = exchange_agree(x, x->rank == 0 ? read_all(j) : ST_OK);

    return st == ST_OK ? exchange_object(x, &shared, j) : st;
}

/* ---- pieces ---- */

/* @return where the first line begins that does not before a byte */
static int64_t next_line(const job_match_t *j, int64_t at)
{
    const uint8_t *feed;

    if (at == 0)
        return 0;
    feed = memchr(j->bytes + at - 1, '\n', (size_t)(j->n_bytes - at + 1));
    return feed != NULL ? feed - j->bytes + 1 : j->n_bytes;
}

scan_piece_t job_match_piece(const job_match_t *j, int64_t task)
{
    const int64_t begin = task * JOB_MATCH_PIECE, left = j->n_bytes - begin;
    const int64_t end = begin + (left < JOB_MATCH_PIECE ? left : JOB_MATCH_PIECE);

    return j->opts->lines ? (scan_piece_t){.data = j->bytes,
                                           .begin = next_line(j, begin),
                                           .end = next_line(j, end),
                                           .has_lines = true}
                          : (scan_piece_t){j->bytes, begin, end, 0, j->n_bytes, false};
}
