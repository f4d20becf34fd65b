#include "io/fasta.h"

#include "io/fasta_parse.h"
#include "io/fasta_sniff.h"
#include "io/logmsg.h"
#include "io/name_table.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { BLOCK_BYTES = 1 << 18 };

/* Open a file, plain or gzip; zlib tells which. */
static status_t open_input(const char *path, const char *shown, gzFile *out)
{
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    gzFile in;

    if (fd < 0) {
        log_error("cannot read %s: %s; check the path and its permissions", shown,
                  strerror(errno));
        return ST_EIO;
    }
    if ((in = gzdopen(fd, "rb")) == NULL) {
        close(fd);
        return log_nomem("reading FASTA");
    }
    gzbuffer(in, BLOCK_BYTES);
    *out = in;
    return ST_OK;
}

/* Say why zlib gave less than was asked for; at a proper end that is no error. */
static status_t check_end(gzFile in, const char *shown)
{
    int read_errno = errno;
    int code;

    gzerror(in, &code);
    switch (code) {
    case Z_OK:
    case Z_STREAM_END:
        return ST_OK;
    case Z_MEM_ERROR:
        return log_nomem("reading FASTA");
    case Z_ERRNO:
        log_error("cannot read %s: %s; check that it is a file and can be read", shown,
                  strerror(read_errno));
        return ST_EIO;
    case Z_BUF_ERROR:
        log_error(
            "%s: unexpected end of the gzip data: the download or copy is incomplete; "
            "fetch it again",
            shown);
        return ST_EINPUT;
    default:
        log_error("%s: the gzip data are damaged; fetch the file again", shown);
        return ST_EINPUT;
    }
}

/* @param n_read  bytes now in the block, fewer than BLOCK_BYTES only at the end */
static status_t read_block(gzFile in, const char *shown, unsigned char *block,
                           size_t *n_read)
{
    int n = gzread(in, block, BLOCK_BYTES);
    status_t st;

    if (n < BLOCK_BYTES && (st = check_end(in, shown)) != ST_OK)
        return st;
    *n_read = (size_t)n;
    return ST_OK;
}

static status_t parse_all(const char *path, const char *shown, gzFile in,
                          fasta_parse_t *parse)
{
    status_t st = ST_ENOMEM;
    unsigned char *block = malloc(BLOCK_BYTES);
    bool is_first = true;
    size_t n, mark;

    if (block == NULL) {
        log_nomem("reading FASTA");
        goto done;
    }
    do {
        if ((st = read_block(in, shown, block, &n)) != ST_OK)
            goto done;
        if (is_first && (st = fasta_sniff(path, block, n)) != ST_OK)
            goto done;
        mark = is_first ? fasta_sniff_mark(block, n) : 0;
        is_first = false;
        if ((st = fasta_parse_feed(parse, block + mark, n - mark)) != ST_OK)
            goto done;
    } while (n == BLOCK_BYTES);
done:
    free(block);
    return st;
}

/* Count the records whose name another has had before, and warn of them. */
static status_t count_same_names(const char *shown, const seqset_t *set, int64_t *out)
{
    name_table_t names = {0};
    int64_t n_same = 0, first = 0, number;
    status_t st = ST_OK;
    bool is_new;

    for (int64_t i = 0; st == ST_OK && i < set->n; i++) {
        const char *name = seqset_name(set, i);

        st = name_table_add(&names, name, strlen(name), &number, &is_new);
        if (st == ST_OK && !is_new && n_same++ == 0)
            first = i;
    }
    name_table_free(&names);
    if (st != ST_OK)
        return st;
    if (n_same > 0)
        log_warn("%s: %" PRId64 " records have a name that occurred before, the first is "
                 "'%.80s'; they are kept apart by their order",
                 shown, n_same, seqset_name(set, first));
    *out = n_same;
    return ST_OK;
}

status_t fasta_read(const char *path, const fasta_opts_t *opts, fasta_report_t *report,
                    seqset_t **out)
{
    const char *shown = strcmp(path, "-") == 0 ? "stdin" : path;
    fasta_report_t counts = {0};
    status_t st;
    gzFile in = NULL;
    fasta_parse_t *parse = NULL;
    seqset_t *set = NULL;

    if ((st = open_input(path, shown, &in)) != ST_OK)
        goto done;
    if ((st = fasta_parse_create(shown, opts, &parse)) != ST_OK)
        goto done;
    if ((st = parse_all(path, shown, in, parse)) != ST_OK)
        goto done;
    if ((st = fasta_parse_finish(parse, &counts.n_bad, &set)) != ST_OK)
        goto done;
    if ((st = count_same_names(shown, set, &counts.n_same_name)) != ST_OK)
        goto done;
    if (report != NULL)
        *report = counts;
    *out = set;
    set = NULL;
done:
    seqset_destroy(set);
    fasta_parse_destroy(parse);
    if (in != NULL)
        gzclose(in);
    return st;
}
