/*
 * reads_write.c - records are collected in blocks, which are compressed by all threads
 * and written in their order.
 */
#include "io/reads/reads_write.h"

#include "io/base/logmsg.h"
#include "io/file/whole_file.h"
#include "io/store/deflate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of a block, which becomes a gzip member of its own. */
enum { BLOCK_BYTES = 1 << 20 };

typedef struct {
    buf_t text, packed;
    status_t st;
} block_t;

struct reads_writer {
    whole_file_t *file;
    pool_t *pool;
    bool is_packed, is_fastq;
    block_t *blocks; /* [n_blocks] */
    int n_blocks, n_full;
    bool has_written;
};

static bool ends_with(const char *text, size_t len, const char *end)
{
    const size_t end_len = strlen(end);

    return len > end_len && memcmp(text + len - end_len, end, end_len) == 0;
}

bool reads_write_is_packed(const char *path)
{
    return ends_with(path, strlen(path), ".gz");
}

/* @return whether a file name has one of these extensions, before a .gz */
static bool has_extension(const char *path, const char *const *extensions)
{
    const size_t len = strlen(path) - (reads_write_is_packed(path) ? 3 : 0);

    while (*extensions != NULL && !ends_with(path, len, *extensions))
        extensions++;
    return *extensions != NULL;
}

bool reads_write_is_refused(const char *path)
{
    return has_extension(path, (const char *const[]){".bz2", ".xz", ".zst", NULL});
}

bool reads_write_is_fasta(const char *path)
{
    return has_extension(path, (const char *const[]){".fa", ".fasta", ".fna", NULL});
}

bool reads_write_is_fastq(const char *path)
{
    return has_extension(path, (const char *const[]){".fq", ".fastq", NULL});
}

static void destroy(reads_writer_t *w)
{
    for (int k = 0; w->blocks != NULL && k < w->n_blocks; k++) {
        buf_free(&w->blocks[k].text);
        buf_free(&w->blocks[k].packed);
    }
    free(w->blocks);
    free(w);
}

status_t reads_writer_open(const char *path, bool force, bool are_fastq, pool_t *pool,
                           reads_writer_t **out)
{
    reads_writer_t *w;
    status_t st;

    *out = NULL;
    if (path == NULL)
        return ST_OK;
    if ((w = calloc(1, sizeof(*w))) == NULL)
        return log_nomem("reads");
    w->pool = pool;
    w->is_packed = reads_write_is_packed(path);
    w->is_fastq = are_fastq && !reads_write_is_fasta(path);
    w->n_blocks = w->is_packed ? 2 * pool_n_threads(pool) : 1;
    w->blocks = calloc((size_t)w->n_blocks, sizeof(*w->blocks));
    st = w->blocks != NULL ? whole_file_open(path, WHOLE_FILE_TEXT, force, &w->file)
                           : log_nomem("reads");
    if (st == ST_OK)
        *out = w;
    else
        destroy(w);
    return st;
}

/* ---- blocks ---- */

static void pack_block(void *ctx, int64_t k, int thread)
{
    block_t *b = (block_t *)ctx + k;

    (void)thread;
    b->packed.len = 0;
    b->st = deflate_append_gzip(b->text.data, b->text.len, &b->packed);
}

/* Write all blocks that have a text, which are empty then; the first one in any case,
 * because an empty file of gzip has a member. */
static status_t flush(reads_writer_t *w)
{
    const int n = w->n_full + (w->n_full < w->n_blocks);
    status_t st = ST_OK;

    if (w->is_packed)
        pool_run(w->pool, n, pack_block, w->blocks);
    if (!w->is_packed && w->blocks[0].text.len == 0)
        return ST_OK;
    for (int k = 0; st == ST_OK && k < n; k++) {
        block_t *b = &w->blocks[k];
        const buf_t *from = w->is_packed ? &b->packed : &b->text;

        if (w->is_packed && b->st != ST_OK)
            return b->st;
        if ((b->text.len > 0 || !w->has_written) &&
            fwrite(from->data, 1, from->len, whole_file_stream(w->file)) != from->len) {
            log_error("cannot write %s: %s; check the free space",
                      whole_file_path(w->file), strerror(errno));
            st = ST_EIO;
        }
        b->text.len = 0;
        w->has_written = true;
    }
    w->n_full = 0;
    return st;
}

/* ---- records ---- */

static const unsigned char complement_of[256] = {
    ['A'] = 'T', ['C'] = 'G', ['G'] = 'C', ['T'] = 'A', ['U'] = 'A', ['M'] = 'K',
    ['R'] = 'Y', ['W'] = 'W', ['S'] = 'S', ['Y'] = 'R', ['K'] = 'M', ['V'] = 'B',
    ['H'] = 'D', ['D'] = 'H', ['B'] = 'V', ['N'] = 'N', ['a'] = 't', ['c'] = 'g',
    ['g'] = 'c', ['t'] = 'a', ['u'] = 'a', ['m'] = 'k', ['r'] = 'y', ['w'] = 'w',
    ['s'] = 's', ['y'] = 'r', ['k'] = 'm', ['v'] = 'b', ['h'] = 'd', ['d'] = 'h',
    ['b'] = 'v', ['n'] = 'n'};

static unsigned char *put(unsigned char *to, const char *from, size_t len)
{
    memcpy(to, from, len);
    return to + len;
}

static unsigned char *put_bases(unsigned char *to, const char *from, const read_part_t *p)
{
    const int32_t len = p->end - p->begin;

    if (!p->is_reversed)
        return put(to, from + p->begin, (size_t)len);
    for (int32_t i = 0; i < len; i++)
        to[i] = complement_of[(unsigned char)from[p->end - 1 - i]];
    return to + len;
}

static unsigned char *put_qualities(unsigned char *to, const char *from,
                                    const read_part_t *p)
{
    const int32_t len = p->end - p->begin;

    if (!p->is_reversed)
        return put(to, from + p->begin, (size_t)len);
    for (int32_t i = 0; i < len; i++)
        to[i] = (unsigned char)from[p->end - 1 - i];
    return to + len;
}

status_t reads_writer_add(reads_writer_t *w, const reads_t *reads, int64_t i,
                          read_part_t part)
{
    const read_t *r = &reads->at[i];
    const size_t most = (size_t)r->header_len + 2 * (size_t)(part.end - part.begin) + 6;
    unsigned char *at;
    buf_t *text;
    status_t st;

    if (w == NULL)
        return ST_OK;
    text = &w->blocks[w->n_full].text;
    if ((st = buf_reserve(text, most)) != ST_OK)
        return st;
    at = text->data + text->len;
    *at++ = w->is_fastq ? '@' : '>';
    at = put(at, reads_text(reads, r->header), (size_t)r->header_len);
    *at++ = '\n';
    at = put_bases(at, reads_text(reads, r->bases), &part);
    *at++ = '\n';
    if (w->is_fastq) {
        at = put(at, "+\n", 2);
        at = put_qualities(at, reads_text(reads, r->qualities), &part);
        *at++ = '\n';
    }
    text->len = (size_t)(at - text->data);
    if (text->len < BLOCK_BYTES || ++w->n_full < w->n_blocks)
        return ST_OK;
    return flush(w);
}

status_t reads_writer_close(reads_writer_t *w, status_t st,
                            status_t (*label)(const void *ctx, FILE *to), const void *ctx)
{
    if (w == NULL)
        return st;
    if (st == ST_OK)
        st = flush(w);
    if (st == ST_OK && label != NULL)
        st = label(ctx, whole_file_stream(w->file));
    st = whole_file_close(w->file, st);
    destroy(w);
    return st;
}
