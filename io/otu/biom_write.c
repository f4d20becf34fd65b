/*
 * biom_write.c - an OTU table as BIOM: the format stores the matrix twice, by OTU and by
 * sample.
 */
#include "io/otu/biom_write.h"

#include "io/base/logmsg.h"
#include "io/hdf5/h5util.h"
#include "io/result/run_info.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CHUNK = 1 << 16 };

/* A sparse matrix in CSR form: rows are OTUs and columns samples, or the other way round.
 */
typedef struct {
    int64_t n, nnz;   /* rows, values */
    int32_t *start;   /* [n + 1] */
    int32_t *index;   /* [nnz] columns */
    double *value;    /* [nnz] */
    const char **ids; /* [n] */
} sparse_t;

static bool alloc_sparse(int64_t n, int64_t nnz, sparse_t *m)
{
    *m = (sparse_t){.n = n, .nnz = nnz};
    m->start = calloc((size_t)n + 2, sizeof(*m->start));
    m->index = malloc((size_t)nnz * sizeof(*m->index) + 1);
    m->value = malloc((size_t)nnz * sizeof(*m->value) + 1);
    m->ids = malloc((size_t)n * sizeof(*m->ids) + 1);
    return m->start != NULL && m->index != NULL && m->value != NULL && m->ids != NULL;
}

static void free_sparse(sparse_t *m)
{
    free(m->start);
    free(m->index);
    free(m->value);
    free(m->ids);
}

static void by_otu(const otu_table_t *t, char (*text)[OTU_NAME_BYTES], sparse_t *m)
{
    for (int64_t k = 0; k < t->n_otus; k++) {
        m->ids[k] = otu_table_name(t, k, text[k]);
        m->start[k + 1] = (int32_t)t->row_start[k + 1];
    }
    for (int64_t c = 0; c < m->nnz; c++) {
        m->index[c] = t->sample[c];
        m->value[c] = (double)t->count[c];
    }
}

static void by_sample(const otu_table_t *t, sparse_t *m)
{
    for (int64_t c = 0; c < m->nnz; c++)
        m->start[t->sample[c] + 2]++;
    for (int64_t j = 0; j < t->n_samples; j++) {
        m->ids[j] = t->sample_name[j];
        m->start[j + 2] += m->start[j + 1];
    }
    for (int64_t k = 0; k < t->n_otus; k++)
        for (int64_t c = t->row_start[k]; c < t->row_start[k + 1]; c++) {
            int32_t at = m->start[t->sample[c] + 1]++;

            m->index[at] = (int32_t)k;
            m->value[at] = (double)t->count[c];
        }
}

/* BIOM demands variable-length strings. */
static hid_t text_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);

    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static bool put_text(hid_t at, const char *name, const char *text)
{
    hid_t type = text_type();
    bool good = h5util_put(at, name, type, type, &text);

    H5Tclose(type);
    return good;
}

static bool put_ids(hid_t axis, const sparse_t *m)
{
    hid_t type = text_type();
    bool good = h5util_put_array(axis, "ids", type, type, m->ids, (hsize_t)m->n, 0);

    H5Tclose(type);
    return good;
}

static bool put_group(hid_t at, const char *name)
{
    hid_t group = h5util_create_group(at, name);

    return h5util_close(group, true);
}

static bool put_matrix(hid_t axis, const sparse_t *m)
{
    hid_t group = h5util_create_group(axis, "matrix");
    bool good = group >= 0 &&
                h5util_put_array(group, "data", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                                 m->value, (hsize_t)m->nnz, CHUNK) &&
                h5util_put_int32s(group, "indices", m->index, m->nnz, CHUNK) &&
                h5util_put_int32s(group, "indptr", m->start, m->n + 1, CHUNK);

    return h5util_close(group, good);
}

/* Write lineages as a table of OTUs by ranks, "" below the end of a lineage. */
static bool put_taxa(hid_t metadata, const otu_taxa_t *taxa)
{
    size_t n = (size_t)taxa->n * (size_t)taxa->n_ranks;
    const char **names = malloc(n * sizeof(*names) + 1);
    h5util_shape_t shape = {.rank = 2,
                            .size = {(hsize_t)taxa->n, (hsize_t)taxa->n_ranks}};
    hid_t type = text_type(), data = -1;
    bool good = names != NULL;

    for (size_t i = 0; good && i < n; i++) {
        names[i] = otu_taxa_name(taxa, (int64_t)i / taxa->n_ranks,
                                 (int)((int64_t)i % taxa->n_ranks) + 1);
        names[i] = names[i] != NULL ? names[i] : "";
    }
    if (good)
        data = h5util_create(metadata, "taxonomy", type, &shape);
    good = data >= 0 && H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) >= 0;
    H5Tclose(type);
    free(names);
    return h5util_close(data, good);
}

/* @param taxa  NULL: none; or there are no OTUs */
static bool put_metadata(hid_t axis, const otu_taxa_t *taxa)
{
    hid_t group = h5util_create_group(axis, "metadata");
    bool good = group >= 0 && (taxa == NULL || taxa->n == 0 || put_taxa(group, taxa));

    return h5util_close(group, good);
}

static bool put_axis(hid_t file, const char *name, const sparse_t *m,
                     const otu_taxa_t *taxa)
{
    hid_t axis = h5util_create_group(file, name);
    bool good = axis >= 0 && put_ids(axis, m) && put_matrix(axis, m) &&
                put_metadata(axis, taxa) && put_group(axis, "group-metadata");

    return h5util_close(axis, good);
}

/* Write an attribute of two integers. */
static bool put_pair(hid_t file, const char *name, int64_t first, int64_t second)
{
    int64_t value[2] = {first, second};
    hsize_t n = 2;
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t attribute =
        H5Acreate2(file, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    bool good = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT64, value) >= 0;

    H5Sclose(space);
    return h5util_close(attribute, good);
}

/* @return the current time in UTC as BIOM files have it: "2026-01-31T23:59:59" */
static const char *date_now(char date[RUN_TIME_BYTES])
{
    run_info_time(time(NULL), date);
    date[strlen(date) - 1] = '\0'; /* Z */
    return date;
}

static bool put_root(hid_t file, const otu_table_t *t, const char *program)
{
    char date[RUN_TIME_BYTES];

    return put_text(file, "id", "No Table ID") && /* what biom-format writes */
           put_text(file, "type", "OTU table") &&
           put_text(file, "format-url", "http://biom-format.org") &&
           put_pair(file, "format-version", 2, 1) &&
           put_text(file, "generated-by", program) &&
           put_text(file, "creation-date", date_now(date)) &&
           put_pair(file, "shape", t->n_otus, t->n_samples) &&
           h5util_put_int(file, "nnz", t->row_start[t->n_otus]);
}

static status_t write_file(const whole_file_t *to, const otu_table_t *t,
                           const otu_taxa_t *taxa, const char *program,
                           const sparse_t *otus, const sparse_t *samples)
{
    h5file_t *image;
    hid_t file;
    bool good;

    h5util_init();
    file = h5file_create(whole_file_fd(to), &image);
    good = file >= 0 && put_root(file, t, program) &&
           put_axis(file, "observation", otus, taxa) &&
           put_axis(file, "sample", samples, NULL);
    return h5file_end(image, good)
               ? ST_OK
               : h5util_cannot_write(whole_file_path(to), file < 0 ? "create" : "write");
}

status_t biom_write(const whole_file_t *to, const otu_table_t *t, const otu_taxa_t *taxa,
                    const char *program)
{
    int64_t nnz = t->row_start[t->n_otus];
    char(*text)[OTU_NAME_BYTES] = malloc((size_t)t->n_otus * sizeof(*text) + 1);
    sparse_t otus, samples;
    bool has_otus, has_samples;
    status_t st = ST_EINPUT;

    if (nnz > INT32_MAX) {
        free(text);
        log_error("%s: BIOM can hold at most 2^31 - 1 counts; raise --min-size",
                  whole_file_path(to));
        return ST_EINPUT;
    }
    has_otus = alloc_sparse(t->n_otus, nnz, &otus);
    has_samples = alloc_sparse(t->n_samples, nnz, &samples);
    if (text == NULL || !has_otus || !has_samples) {
        st = log_nomem("the BIOM table");
    } else {
        by_otu(t, text, &otus);
        by_sample(t, &samples);
        st = write_file(to, t, taxa, program, &otus, &samples);
    }
    free_sparse(&otus);
    free_sparse(&samples);
    free(text);
    return st;
}

/* ---- an OTU table as BIOM 1.0: rows are OTUs, columns are samples ---- */

static void put_string(FILE *file, const char *text)
{
    putc('"', file);
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;

        if (c < ' ' || c == '"' || c == '\\')
            fprintf(file, "\\u%04x", c);
        else
            putc(c, file);
    }
    putc('"', file);
}

static void put_lineage(FILE *file, const otu_taxa_t *taxa, int64_t otu)
{
    const char *name;

    fputs("{\"taxonomy\": [", file);
    for (int rank = 1; (name = otu_taxa_name(taxa, otu, rank)) != NULL; rank++) {
        fputs(rank > 1 ? ", " : "", file);
        put_string(file, name);
    }
    fputs("]}", file);
}

static void put_rows(FILE *file, const otu_table_t *t, const otu_taxa_t *taxa)
{
    char text[OTU_NAME_BYTES];

    for (int64_t k = 0; k < t->n_otus; k++) {
        fprintf(file, "%s\n{\"id\": ", k > 0 ? "," : "");
        put_string(file, otu_table_name(t, k, text));
        fputs(", \"metadata\": ", file);
        if (taxa != NULL)
            put_lineage(file, taxa, k);
        else
            fputs("null", file);
        putc('}', file);
    }
}

static void put_columns(FILE *file, const otu_table_t *t)
{
    for (int64_t j = 0; j < t->n_samples; j++) {
        fprintf(file, "%s\n{\"id\": ", j > 0 ? "," : "");
        put_string(file, t->sample_name[j]);
        fputs(", \"metadata\": null}", file);
    }
}

void biom_json_write(FILE *file, const otu_table_t *t, const otu_taxa_t *taxa,
                     const char *program)
{
    char date[RUN_TIME_BYTES];

    fputs("{\"id\": null,\n\"format\": \"Biological Observation Matrix 1.0.0\",\n"
          "\"format_url\": \"http://biom-format.org\",\n\"type\": \"OTU table\",\n"
          "\"generated_by\": ",
          file);
    put_string(file, program);
    fprintf(file,
            ",\n\"date\": \"%s\",\n\"matrix_type\": \"sparse\",\n"
            "\"matrix_element_type\": \"int\",\n\"shape\": [%" PRId64 ", %" PRId64
            "],\n\"rows\": [",
            date_now(date), t->n_otus, t->n_samples);
    put_rows(file, t, taxa);
    fputs("],\n\"columns\": [", file);
    put_columns(file, t);
    fputs("],\n\"data\": [", file);
    for (int64_t k = 0; k < t->n_otus; k++)
        for (int64_t c = t->row_start[k]; c < t->row_start[k + 1]; c++)
            fprintf(file, "%s\n[%" PRId64 ", %" PRId32 ", %" PRId64 "]", c > 0 ? "," : "",
                    k, t->sample[c], t->count[c]);
    fputs("]}\n", file);
}
