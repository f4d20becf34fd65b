/*
 * protein_blocks.c - reads blocks of residues into a region of addresses, and gives their
 * memory back.
 */
#include "io/prepare/protein_blocks.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    int holders;
    bool is_here;
    int64_t last_use;
    const char *wrong; /* why it could not be read, or NULL */
    int error;         /* errno of that, or 0 */
} block_t;

struct protein_blocks {
    const char *path;
    const protein_db_t *db;
    pool_t *pool;
    int fd;
    seqset_t *set;        /* its letters are the region */
    int64_t region_bytes; /* 0: none */
    int64_t n_queries;
    uint8_t *residues;              /* in the region: of protein 0 */
    uint8_t code_of[UINT8_MAX + 1]; /* of letters that the database has */
    int64_t *first;                 /* [db->n_blocks + 1] protein of each block */
    block_t *blocks;                /* [db->n_blocks] */
    int64_t max_bytes, resident, use;
    int64_t first_absent; /* hold: of the range being read */
};

/* ---- opening ---- */

/* Append n offsets of a set that start behind others. */
static void copy_offsets(int64_t *to, const int64_t *from, int64_t n, int64_t base)
{
    for (int64_t i = 0; i <= n; i++)
        to[i] = base + from[i];
}

/* Give the set its memory: a region that takes none, for the letters. */
static status_t allocate_set(protein_blocks_t *b, const seqset_t *q, const seqset_t *p)
{
    const size_t n = (size_t)(q->n + p->n) + 1;
    const size_t bytes = (size_t)(q->offset[q->n] + p->offset[p->n]) + 1;
    seqset_t *set = calloc(1, sizeof(*set));
    void *region;

    if (set == NULL)
        return log_nomem("a database");
    b->set = set;
    set->alphabet = ALPHABET_PROTEIN;
    set->offset = malloc(n * sizeof(*set->offset));
    set->name_offset = malloc(n * sizeof(*set->name_offset));
    set->names = malloc((size_t)(q->name_offset[q->n] + p->name_offset[p->n]) + 1);
    region = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region != MAP_FAILED) {
        set->letters = region;
        b->region_bytes = (int64_t)bytes;
    }
    if (set->offset == NULL || set->name_offset == NULL || set->names == NULL ||
        set->letters == NULL)
        return log_nomem("a database");
    return ST_OK;
}

static status_t join(protein_blocks_t *b, const seqset_t *q, const seqset_t *p)
{
    status_t st = allocate_set(b, q, p);
    seqset_t *set = b->set;

    if (st != ST_OK)
        return st;
    set->n = q->n + p->n;
    copy_offsets(set->offset, q->offset, q->n, 0);
    copy_offsets(set->offset + q->n, p->offset, p->n, q->offset[q->n]);
    copy_offsets(set->name_offset, q->name_offset, q->n, 0);
    copy_offsets(set->name_offset + q->n, p->name_offset, p->n, q->name_offset[q->n]);
    memcpy(set->names, q->names, (size_t)q->name_offset[q->n]);
    memcpy(set->names + q->name_offset[q->n], p->names, (size_t)p->name_offset[p->n]);
    memcpy(set->letters, q->letters, (size_t)q->offset[q->n]);
    b->n_queries = q->n;
    b->residues = set->letters + q->offset[q->n];
    return ST_OK;
}

static status_t open_file(protein_blocks_t *b)
{
    const seqset_t *set = b->db->set;
    struct stat info;

    if ((b->fd = open(b->path, O_RDONLY | O_CLOEXEC)) < 0 || fstat(b->fd, &info) != 0) {
        log_error("%s: cannot open the file: %s", b->path, strerror(errno));
        return ST_EIO;
    }
    if (S_ISREG(info.st_mode) && info.st_size - b->db->place >= set->offset[set->n])
        return ST_OK;
    log_error("%s: the file ends before its residues; give a file that `%s` wrote",
              b->path, protein_db_kind.maker);
    return ST_EINPUT;
}

status_t protein_blocks_open(const char *path, const protein_db_t *db,
                             const seqset_t *queries, int64_t max_bytes, pool_t *pool,
                             protein_blocks_t **out)
{
    protein_blocks_t *b = calloc(1, sizeof(*b));
    status_t st = ST_OK;
    int64_t n_blocks;

    if (b == NULL)
        return log_nomem("a database");
    *b = (protein_blocks_t){
        .path = path, .db = db, .pool = pool, .fd = -1, .max_bytes = max_bytes};
    for (int code = 1; code < PROTEIN_SIZE; code++)
        if ((db->letters >> code & 1) != 0)
            b->code_of[(unsigned char)alphabet_letter(ALPHABET_PROTEIN, (uint8_t)code)] =
                (uint8_t)code;
    b->blocks = calloc((size_t)db->n_blocks + 1, sizeof(*b->blocks));
    b->first = protein_db_blocks(db->set, &n_blocks);
    if (b->blocks == NULL || b->first == NULL || n_blocks != db->n_blocks)
        st = log_nomem("a database");
    if (st == ST_OK)
        st = open_file(b);
    if (st == ST_OK)
        st = join(b, queries, db->set);
    if (st == ST_OK)
        *out = b;
    else
        protein_blocks_close(b);
    return st;
}

seqset_t *protein_blocks_set(const protein_blocks_t *b)
{
    return b->set;
}

int64_t protein_blocks_resident(const protein_blocks_t *b)
{
    return b->resident;
}

void protein_blocks_close(protein_blocks_t *b)
{
    if (b == NULL)
        return;
    if (b->fd >= 0)
        close(b->fd);
    if (b->region_bytes > 0) {
        munmap(b->set->letters, (size_t)b->region_bytes);
        b->set->letters = NULL;
    }
    seqset_destroy(b->set);
    free(b->blocks);
    free(b->first);
    free(b);
}

/* ---- a block ---- */

static int64_t block_start(const protein_blocks_t *b, int64_t k)
{
    return b->db->set->offset[b->first[k]];
}

static int64_t block_bytes(const protein_blocks_t *b, int64_t k)
{
    return block_start(b, k + 1) - block_start(b, k);
}

static status_t refuse_block(const protein_blocks_t *b, int64_t k)
{
    const block_t *block = &b->blocks[k];

    if (block->error != 0) {
        log_error("%s: cannot read: %s", b->path, strerror(block->error));
        return ST_EIO;
    }
    log_error("%s: %s in proteins %" PRId64 " to %" PRId64
              "; give a file that `%s` wrote",
              b->path, block->wrong, b->first[k] + 1, b->first[k + 1],
              protein_db_kind.maker);
    return ST_EINPUT;
}

/* @return NULL, or what is wrong */
static const char *read_bytes(const protein_blocks_t *b, int64_t k, uint8_t *to)
{
    const size_t size = (size_t)block_bytes(b, k);
    size_t at = 0;

    while (at < size) {
        const ssize_t n = pread(b->fd, to + at, size - at,
                                (off_t)(b->db->place + block_start(b, k)) + (off_t)at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            b->blocks[k].error = errno;
            return "the file cannot be read";
        }
        if (n == 0)
            return "the file ends";
        at += (size_t)n;
    }
    return NULL;
}

/* @return likewise */
static const char *read_block(const protein_blocks_t *b, int64_t k)
{
    uint8_t *to = b->residues + block_start(b, k);
    const int64_t n = block_bytes(b, k);
    const char *wrong = read_bytes(b, k, to);
    bool is_known = true;

    if (wrong != NULL)
        return wrong;
    if (digest_add(DIGEST_START, to, (size_t)n) != (uint64_t)b->db->block_digest[k])
        return "there are other residues than were written";
    for (int64_t i = 0; i < n; i++)
        is_known &= (to[i] = b->code_of[to[i]]) != CODE_NONE;
    return is_known ? NULL : "there are letters that the database does not list";
}

/* Give the pages that lie in the block alone back to the system. */
static void drop_block(protein_blocks_t *b, int64_t k)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uint8_t *from = b->residues + block_start(b, k);
    uint8_t *first = from + (page - (uintptr_t)from % page) % page;
    uint8_t *end = from + block_bytes(b, k);

    end -= (uintptr_t)end % page;
    if (first < end)
        madvise(first, (size_t)(end - first), MADV_DONTNEED);
    b->blocks[k].is_here = false;
    b->resident -= block_bytes(b, k);
}

/* ---- ranges ---- */

/* @return the block of a protein */
static int64_t block_of(const protein_blocks_t *b, int64_t protein)
{
    int64_t low = 0, high = b->db->n_blocks - 1;

    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;

        if (b->first[middle] <= protein)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* @return the earliest last use of blocks that are here and nobody holds; INT64_MAX:
 * there are none */
static int64_t find_oldest(const protein_blocks_t *b)
{
    int64_t oldest = INT64_MAX;

    for (int64_t k = 0; k < b->db->n_blocks; k++)
        if (b->blocks[k].is_here && b->blocks[k].holders == 0 &&
            b->blocks[k].last_use < oldest)
            oldest = b->blocks[k].last_use;
    return oldest;
}

/* Drop blocks that nobody holds until there is room for some bytes. */
static void make_room(protein_blocks_t *b, int64_t bytes)
{
    while (b->resident > 0 && b->resident > b->max_bytes - bytes) {
        const int64_t oldest = find_oldest(b);

        if (oldest == INT64_MAX)
            return;
        for (int64_t k = 0; k < b->db->n_blocks; k++)
            if (b->blocks[k].is_here && b->blocks[k].holders == 0 &&
                b->blocks[k].last_use == oldest && b->resident > b->max_bytes - bytes)
                drop_block(b, k);
    }
}

static void read_if_absent(void *ctx, int64_t k, int thread)
{
    protein_blocks_t *b = ctx;
    const int64_t block = b->first_absent + k;

    (void)thread;
    if (!b->blocks[block].is_here)
        b->blocks[block].wrong = read_block(b, block);
}

/* Have the system read what will probably be held next: as much again. */
static void read_ahead(const protein_blocks_t *b, int64_t first, int64_t end)
{
    const int64_t bytes = block_start(b, end) - block_start(b, first);
    const int64_t next = end < b->db->n_blocks ? end : 0;

    if (!b->blocks[next].is_here)
        (void)posix_fadvise(b->fd, (off_t)(b->db->place + block_start(b, next)),
                            (off_t)bytes, POSIX_FADV_WILLNEED);
}

status_t protein_blocks_hold(protein_blocks_t *b, int64_t first, int64_t end)
{
    const int64_t k0 = first < end ? block_of(b, first) : 0;
    const int64_t k1 = first < end ? block_of(b, end - 1) + 1 : 0;
    int64_t bytes = 0;

    b->use++;
    for (int64_t k = k0; k < k1; k++) {
        b->blocks[k].holders++;
        b->blocks[k].last_use = b->use;
        if (!b->blocks[k].is_here)
            bytes += block_bytes(b, k);
    }
    if (bytes == 0)
        return ST_OK;
    make_room(b, bytes);
    b->first_absent = k0;
    pool_run(b->pool, k1 - k0, read_if_absent, b);
    for (int64_t k = k0; k < k1; k++) {
        if (b->blocks[k].wrong != NULL)
            return refuse_block(b, k);
        if (!b->blocks[k].is_here)
            b->resident += block_bytes(b, k);
        b->blocks[k].is_here = true;
    }
    read_ahead(b, k0, k1);
    return ST_OK;
}

void protein_blocks_release(protein_blocks_t *b, int64_t first, int64_t end)
{
    if (first < end)
        for (int64_t k = block_of(b, first); k <= block_of(b, end - 1); k++)
            b->blocks[k].holders--;
}
