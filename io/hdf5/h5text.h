/*
 * h5text.h - text in HDF5: attributes and 1-d datasets of UTF-8; a file's format.
 *
 * Text is written as fixed-length strings, padded with NULs.  Variable-length strings,
 * which result files before version 1.4 have, are read too.  Nothing here writes them:
 * HDF5 keeps them in a global heap, whose damage it does not survive.
 *
 * What is read is clean (utf8.h): other bytes are escaped, except for line feeds in
 * attributes.
 */
#pragma once

#include "io/base/status.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* An attribute's text is cut to this length: HDF5 allows it 64 KiB with its header. */
enum { H5TEXT_ATTRIBUTE_BYTES = 60000 };

/* Add a text as an attribute to a group, dataset or file; its bytes that are not clean
 * are escaped, except for line feeds.  A longer text than H5TEXT_ATTRIBUTE_BYTES ends
 * with
 * "...". @return whether it succeeded */
bool h5text_put(hid_t at, const char *name, const char *text);

/* @return the text of an attribute, owned by the caller, or NULL if there is none */
char *h5text_get(hid_t at, const char *name);

/* Name a file's format and the version of that, as attributes of the file.
 * @return whether it succeeded */
bool h5text_put_format(hid_t file, const char *format, int major, int minor);

/* Read the major version, too. @return whether the format is this one, and the version is
 * at least 1 */
bool h5text_get_format(hid_t file, const char *format, int64_t *version);

/* Print the line "file TAB format TAB NAME MAJOR.MINOR", as the file says. */
void h5text_print_format(hid_t file, FILE *to);

/* Refuse a file of a newer version than `known`. @return ST_OK or ST_EINPUT (logged) */
status_t h5text_check_version(const char *path, int64_t version, int known) MUST_CHECK;

/* @return text i, valid until the next call */
typedef const char *h5text_at_t(const void *ctx, int64_t i);

/*
 * Write n texts as a 1-d dataset, in pieces: what it needs does not grow with n.
 *
 * @param text_at  called twice for each text; texts are clean
 * @return whether it succeeded
 */
bool h5text_put_each(hid_t at, const char *name, int64_t n, h5text_at_t *text_at,
                     const void *ctx);

/* The same for an array of texts. */
bool h5text_put_array(hid_t at, const char *name, const char *const *texts, int64_t n);

/*
 * Read a 1-d dataset of texts.
 *
 * @param n      number of texts that the dataset must have; -1: any
 * @param n_out  the number of texts; may be NULL
 * @return them, to be freed by texts_free, or NULL if there is no such dataset
 */
char **h5text_get_array(hid_t at, const char *name, int64_t n, int64_t *n_out);
