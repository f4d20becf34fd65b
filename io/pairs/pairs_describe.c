/*
 * pairs_describe.c - printing the metadata of a result file.
 */
#include "io/pairs/pairs_describe.h"

#include "io/base/buf.h"
#include "io/base/texts.h"
#include "io/base/utf8.h"
#include "io/hdf5/h5check.h"
#include "io/hdf5/h5text.h"
#include "io/pairs/pairs_state.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 32 };

static void describe_bytes(const char *section, const char *name, size_t name_len,
                           const char *text, size_t len, FILE *to)
{
    buf_t line = {0};

    if (buf_printf(&line, "%s\t", section) == ST_OK &&
        utf8_escape(name, name_len, UTF8_NONE, &line) == ST_OK &&
        buf_append(&line, "\t", 1) == ST_OK &&
        utf8_escape(text, len, UTF8_NONE, &line) == ST_OK)
        fprintf(to, "%.*s\n", (int)line.len, (const char *)line.data);
    buf_free(&line);
}

void pairs_describe_line(const char *section, const char *name, const char *text,
                         FILE *to)
{
    describe_bytes(section, name, strlen(name), text, strlen(text), to);
}

/* Print an attribute of /run if it is a text or a number. */
static herr_t describe_attribute(hid_t run, const char *name, const H5A_info_t *info,
                                 void *to)
{
    char *text = h5text_get(run, name);

    (void)info;
    if (text != NULL) {
        pairs_describe_line("run", name, text, to);
    } else {
        char print[NUMBER_BYTES];
        double number;

        if (h5util_get_real(run, name,
                            &number)) { /* whole numbers have all their digits */
            snprintf(print, sizeof(print), "%.*g", number == floor(number) ? 15 : 6,
                     number);
            pairs_describe_line("run", name, print, to);
        }
    }
    free(text);
    return 0;
}

static status_t describe_devices(hid_t run, FILE *to)
{
    int64_t n = 0;
    char **lines;

    if (!h5check_exists(run, "devices"))
        return ST_OK;
    if ((lines = h5text_get_array(run, "devices", -1, &n)) == NULL)
        return ST_EINPUT;
    for (int64_t i = 0; i < n; i++)
        fprintf(to, "run\tdevice\t%s\n", lines[i]);
    texts_free(lines);
    return ST_OK;
}

static status_t describe_run(const pairs_file_t *f, FILE *to)
{
    hsize_t at = 0;
    status_t st;
    hid_t run;

    if (!h5check_exists(f->file, "/run"))
        return ST_OK;
    if ((run = h5check_open_group(f->file, "/run")) < 0)
        return ST_EINPUT;
    H5Aiterate2(run, H5_INDEX_NAME, H5_ITER_INC, &at, describe_attribute, to);
    st = describe_devices(run, to);
    H5Gclose(run);
    return st;
}

void pairs_describe_job(const char *job, FILE *to)
{
    while (*job != '\0') {
        size_t len = strcspn(job, "\n");
        const char *equals = memchr(job, '=', len);
        size_t name_len = equals != NULL ? (size_t)(equals - job) : len;
        size_t value = equals != NULL ? name_len + 1 : name_len;

        describe_bytes("job", job, name_len, job + value, len - value, to);
        job += len + (job[len] == '\n');
    }
}

/* Print a root attribute if it is there and a text. */
static void describe_text(const pairs_file_t *f, const char *name, FILE *to)
{
    char *text = h5text_get(f->file, name);

    if (text != NULL)
        pairs_describe_line("file", name, text, to);
    free(text);
}

static int64_t stored_bytes(const pairs_file_t *f)
{
    int64_t stored = 0;

    for (int d = 0; d < PAIRS_DATASETS_MAX; d++)
        if (f->dataset[d] != NULL)
            stored += h5data_stored_bytes(f->dataset[d]);
    for (int d = 0; d < PAIRS_HIT_DATASETS; d++)
        if (f->hit[d] != NULL)
            stored += h5data_stored_bytes(f->hit[d]);
    if (f->n_datasets == PAIRS_N_CIGAR)
        stored += h5data_stored_bytes(f->cigar) + h5data_stored_bytes(f->cigar_offset);
    return stored;
}

static void describe_pairs(const pairs_file_t *f, FILE *to)
{
    int64_t n = f->rows.n;

    if (f->is_sparse)
        fprintf(to, "file\tlayout\thits\n");
    fprintf(to, "file\tsequences\t%" PRId64 "\n", n);
    if (f->is_against)
        fprintf(to, "file\treferences\t%" PRId64 "\n", f->references.n);
    fprintf(to, "file\tpairs\t%" PRId64 "\n",
            f->is_against ? n * f->references.n : n * (n - 1) / 2);
    if (f->is_sparse)
        fprintf(to, "file\thits\t%" PRId64 "\n", f->n_hits);
    fprintf(to, "file\tdatasets\t%s%s%s\n",
            f->n_datasets == PAIRS_N_SCORE ? "score" : "score matches columns",
            pairs_has_strand(f) ? " strand" : "",
            f->n_datasets == PAIRS_N_CIGAR ? " cigar" : "");
}

status_t pairs_describe(const pairs_file_t *f, FILE *to)
{
    int64_t minor = 0;

    h5util_get_int(f->file, "format_version_minor", &minor);
    fprintf(to, "file\tformat\t%s %" PRId64 ".%" PRId64 "\n", PAIRS_FORMAT, f->version,
            minor);
    describe_pairs(f, to);
    describe_text(f, "alphabet", to);
    if (f->n_datasets != PAIRS_N_SCORE) {
        describe_text(f, "identity", to);
        describe_text(f, "identity_definition", to);
    }
    describe_text(f, "min_identity", to);
    if (f->top > 0)
        fprintf(to, "file\ttop\t%" PRId64 "\n", f->top);
    describe_text(f, "cigar_style", to);
    describe_text(f, "score_unit", to);
    if (!f->is_sparse)
        fprintf(to, "file\ttile\t%" PRId64 " x %" PRId64 "\n", f->grid.side,
                f->grid.side);
    fprintf(to, "file\tstored_bytes\t%" PRId64 "\n", stored_bytes(f));
    pairs_describe_job(f->job, to);
    return describe_run(f, to);
}
