/*
 * job_align_child.c - the child of the job "align": it reads the result of an earlier
 * run, and databases that `search build` has written.
 */
#include "worker/align/job_align_state.h"

#include "io/file/memfd_stream.h"
#include "io/prepare/protein_db.h"

static status_t send_database(const align_opts_t *o)
{
    protein_db_t db;
    status_t st = protein_db_read(o->against, &db);

    if (st != ST_OK)
        return st;
    st = memfd_stream_put_object(o->database, &protein_db_arrays, &db);
    protein_db_free(&db);
    return st;
}

/* In the child of the run. @param opts  const align_opts_t * */
static status_t answer(const void *opts, int what, buf_t *out)
{
    const align_opts_t *o = opts;

    switch ((job_align_question_t)what) {
    case ALIGN_CHILD_OLD:
        return job_align_send_old(o);
    case ALIGN_CHILD_TILES:
        return job_align_send_tiles(o, out);
    default:
        return send_database(o);
    }
}

status_t job_align_reader(job_opts_t *opts, job_reader_t *out)
{
    align_opts_t *o = (align_opts_t *)opts;
    const bool is_database = o->against != NULL && protein_db_is_hdf5(o->against);
    status_t st = ST_OK;

    *out = (job_reader_t){.is_needed = o->extend != NULL || is_database,
                          .answer = answer,
                          .files = {o->extend, is_database ? o->against : NULL}};
    opts->reads_again = o->extend != NULL;
    if (o->extend != NULL)
        st = job_align_old_stream(&o->stream);
    if (st == ST_OK && is_database)
        st = memfd_stream_create(protein_db_arrays.what, &o->database);
    return st;
}
