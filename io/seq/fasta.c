/*
 * fasta.c - reads a file block by block through the parser.
 */
#include "io/seq/fasta.h"

#include "io/base/format_check.h"
#include "io/base/logmsg.h"
#include "io/base/name_table.h"
#include "io/file/gz_input.h"
#include "io/seq/fasta_parse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 18 };

static status_t parse_all(const char *path, gz_input_t *in, fasta_parse_t *parse)
{
    status_t st = ST_ENOMEM;
    unsigned char *block = malloc(BLOCK_BYTES);
    bool is_first = true;
    size_t n, bom;

    if (block == NULL) {
        log_nomem("reading FASTA");
        goto done;
    }
    do {
        if ((st = gz_input_read(in, block, BLOCK_BYTES, &n)) != ST_OK)
            goto done;
        if (is_first && (st = format_check(path, block, n)) != ST_OK)
            goto done;
        bom = is_first ? format_check_bom(block, n) : 0;
        is_first = false;
        if ((st = fasta_parse_feed(parse, block + bom, n - bom)) != ST_OK)
            goto done;
    } while (n == BLOCK_BYTES);
done:
    free(block);
    return st;
}

/* Count the records whose name occurred before, and warn of them. */
static status_t count_same_names(const char *input, const seqset_t *set, int64_t *out)
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
                 "'%.80s'; they are distinguished by their order",
                 input, n_same, seqset_name(set, first));
    *out = n_same;
    return ST_OK;
}

status_t fasta_read(const char *path, const fasta_opts_t *opts, fasta_report_t *report,
                    seqset_t **out)
{
    const char *name = strcmp(path, "-") == 0 ? "stdin" : path;
    fasta_report_t counts = {0};
    status_t st;
    gz_input_t *in = NULL;
    fasta_parse_t *parse = NULL;
    seqset_t *set = NULL;

    if ((st = gz_input_open(path, &in)) != ST_OK)
        goto done;
    if ((st = fasta_parse_create(name, opts, &parse)) != ST_OK)
        goto done;
    if ((st = parse_all(path, in, parse)) != ST_OK)
        goto done;
    if ((st = fasta_parse_finish(parse, &counts.n_bad, &set)) != ST_OK)
        goto done;
    if ((st = count_same_names(name, set, &counts.n_same_name)) != ST_OK)
        goto done;
    if (report != NULL)
        *report = counts;
    *out = set;
    set = NULL;
done:
    seqset_destroy(set);
    fasta_parse_destroy(parse);
    gz_input_close(in);
    return st;
}
