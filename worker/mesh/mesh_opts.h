/*
 * mesh_opts.h - the job "mesh refine" and its options, as a front end fills them in.
 */
#pragma once

#include "io/mesh/mesh_data.h"
#include "worker/job.h"
#include "worker/job_opts.h"

typedef struct {
    job_opts_t common;

    const char *input, *triangles; /* triangles: NULL: to be made */
    double angle, max_area;
    int64_t max_points;
    int steiner; /* 0: off-centres */
    int variant; /* mesh_variant_t */
    bool partial, repair;

    /* set by mesh_opts_settle: of an output in Triangle's formats the file that stands
     * for all, which is common.output then, and the others; else empty */
    const char *prefix;
    char node[MESH_PATH_BYTES], ele[MESH_PATH_BYTES], poly[MESH_PATH_BYTES];
    int stream; /* file that an HDF5 mesh passes through, or -1 */
} mesh_opts_t;

mesh_opts_t mesh_opts_defaults(void);

/*
 * Check the options against each other, and find the names of the outputs.
 *
 * @param why  out, on ST_EUSAGE: what is wrong and what to do
 * @return ST_OK, ST_EUSAGE, or ST_EINPUT (logged)
 */
status_t mesh_opts_settle(job_opts_t *opts, char why[JOB_OPTS_WHY_BYTES]) MUST_CHECK;

/* The job "mesh refine": one mesh. */
extern const job_ops_t job_mesh_ops;
