/*
 * h5text.h - text in HDF5: attributes and 1-d datasets of UTF-8.
 */
#ifndef RIBOGRID_IO_STORE_H5TEXT_H
#define RIBOGRID_IO_STORE_H5TEXT_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

/* Add a text as an attribute to a group, dataset or file. @return whether it succeeded */
bool h5text_put(hid_t at, const char *name, const char *text);

/* @return the text of an attribute, owned by the caller, or NULL if there is none */
char *h5text_get(hid_t at, const char *name);

/* Write n texts as a 1-d dataset. @return whether it succeeded */
bool h5text_put_array(hid_t at, const char *name, const char *const *texts, hsize_t n);

/*
 * Read a 1-d dataset of texts.
 *
 * @param n      number of texts that the dataset must have; -1: any
 * @param n_out  the number of texts; may be NULL
 * @return them, to be freed by h5text_free_array, or NULL if there is no such dataset
 */
char **h5text_get_array(hid_t at, const char *name, int64_t n, int64_t *n_out);

/* Takes NULL. */
void h5text_free_array(char **texts, int64_t n);

#endif
