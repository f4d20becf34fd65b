/*
 * ihist_file.h - integral histograms of images, as an HDF5 file (docs/file-format.md,
 * docs/ihist.md): their tiles, one after the other, each of which is a chunk.
 */
#pragma once

#include "io/base/buf.h"
#include "io/result/result_kind.h"
#include "io/result/run_info.h"

extern const result_kind_t ihist_file_kind;

enum { IHIST_FILE_BINS_MAX = 256, IHIST_FILE_SIDE_MAX = 256 };

/* All but the numbers. */
typedef struct {
    int64_t n_frames, height, width;
    int64_t n_bins, side; /* of a tile, in pixels */
    char *job;            /* lines "name=value": all that the content depends on */
    run_info_t info;
} ihist_head_t;

/* @return the tiles in a row of tiles, those of a frame, and the values of one */
static inline int64_t ihist_head_across(const ihist_head_t *h)
{
    return (h->width + h->side - 1) / h->side;
}

static inline int64_t ihist_head_tiles(const ihist_head_t *h)
{
    return (h->height + h->side - 1) / h->side * ihist_head_across(h);
}

static inline int64_t ihist_head_values(const ihist_head_t *h)
{
    return h->side * h->side * h->n_bins;
}

/* A file in the making. */
typedef struct ihist_writer ihist_writer_t;

/*
 * Begin a file, which appears complete or not at all.
 *
 * @param force    replace an existing file
 * @param is_wide  numbers have 64 bits; else 32
 * @return ST_OK, or ST_ENOMEM, ST_EIO or ST_EINPUT (logged), after which nothing has to
 *         be closed
 */
status_t ihist_writer_open(const char *path, bool force, const ihist_head_t *head,
                           bool is_wide, ihist_writer_t **out) MUST_CHECK;

/* Append the next tile. @param chunk  [len] as tile_pack_append makes it
 * @return ST_OK or ST_EIO (logged) */
status_t ihist_writer_add(ihist_writer_t *w, const unsigned char *chunk,
                          uint32_t len) MUST_CHECK;

/* Close the file, and give it its name if all went well; remove it otherwise.
 * @param st  what came of writing @return st, or what closing came to */
status_t ihist_writer_close(ihist_writer_t *w, status_t st) MUST_CHECK;

/* A file that is read. */
typedef struct ihist_file ihist_file_t;

/* Open a file, and read and check all but its numbers.
 * @param head  out: the file's
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged) */
status_t ihist_file_open(const char *path, ihist_file_t **out,
                         const ihist_head_t **head) MUST_CHECK;

/*
 * Count the pixels of a rectangle of a frame by bins: of columns x[0] .. x[1]-1 and rows
 * y[0] .. y[1]-1, which exist.
 *
 * @param frame  from 0
 * @param count  [n_bins] out
 * @return ST_OK, ST_EIO or ST_EINPUT (logged)
 */
status_t ihist_file_count(ihist_file_t *f, int64_t frame, const int64_t x[2],
                          const int64_t y[2], int64_t *count) MUST_CHECK;

/* Takes NULL. */
void ihist_file_close(ihist_file_t *f);
