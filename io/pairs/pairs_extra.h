/*
 * pairs_extra.h - what a result file may tell besides its pairs: abundances, the records
 * behind each sequence, samples.
 */
#ifndef RIBOGRID_IO_PAIRS_PAIRS_EXTRA_H
#define RIBOGRID_IO_PAIRS_PAIRS_EXTRA_H

#include "io/pairs/pairs_file.h"
#include "io/store/h5util.h"

/* Write what the head gives of n sequences. @return whether it went well */
bool pairs_extra_write(hid_t file, const pairs_head_t *head, int64_t n);

#endif
