/*
 * class_h5.h - what the models and the results of `classify` have in common as HDF5
 * files: the tree of taxa, and how the file was made.
 *
 *   /taxa/parent, /taxa/name   [taxa]; taxon 0 is the root
 *   /run                       attributes: class_run_t
 */
#ifndef RIBOGRID_IO_MODELFILE_CLASS_H5_H
#define RIBOGRID_IO_MODELFILE_CLASS_H5_H

#include "io/modelfile/class_run.h"
#include "io/modelfile/class_taxa.h"

#include <hdf5.h>
#include <stdbool.h>

/* @return whether it succeeded */
bool class_h5_put_taxa(hid_t file, const class_taxa_t *taxa);
bool class_h5_put_run(hid_t file, const class_run_t *run);

/* Log why a file is refused: "PATH: WHAT; give a file that `ribogrid classify` wrote".
 * @return ST_EINPUT */
status_t class_h5_refuse(const char *path, const char *what);

/* Check the format and its version. @param format  CLASS_MODEL_FORMAT or the like
 * @param what  that the file is not, for the message
 * @return ST_OK or ST_EINPUT (logged) */
status_t class_h5_check_format(hid_t file, const char *path, const char *format,
                               int version, const char *what) MUST_CHECK;

/* Read and check. @param out  freed by the caller
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (logged) */
status_t class_h5_get_taxa(hid_t file, const char *path, class_taxa_t *out) MUST_CHECK;
status_t class_h5_get_run(hid_t file, const char *path, class_run_t *out) MUST_CHECK;

/* @return whether all n numbers are within low .. high */
bool class_h5_is_within(const int32_t *values, int64_t n, int32_t low, int32_t high);

/* Read a dataset of names as one text. @param n  names that it must have; -1: any
 * @param offset  out: [n + 1] start of each; both are the caller's to free
 * @return ST_OK, ST_ENOMEM or ST_EINPUT (logged) */
status_t class_h5_get_names(hid_t file, const char *name, int64_t n, char **names,
                            int64_t **offset) MUST_CHECK;

#endif
