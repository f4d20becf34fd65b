/*
 * image_read.c - recognises kinds of images; labels of sequences from their lineages.
 */
#include "io/images/image_read.h"

#include "io/base/logmsg.h"
#include "io/base/texts.h"
#include "io/hdf5/h5check.h"
#include "io/seq/fasta.h"
#include "io/seq/taxonomy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SYNTHETIC_DEFAULT = 1024 };

static const char synthetic[] = "synthetic";

/* Number the taxa that occur as lowest ones, in the order of the taxonomy. */
static status_t number_classes(const taxonomy_t *t, int32_t *label_of, image_set_t *set)
{
    const int32_t n_taxa = taxonomy_n_taxa(t);
    int32_t n = 0;
    buf_t names = {0};
    status_t st = buf_reserve(&names, 1);

    for (int32_t taxon = 0; st == ST_OK && taxon < n_taxa; taxon++)
        if (label_of[taxon] >= 0) {
            label_of[taxon] = n++;
            if ((st = taxonomy_append(t, taxon, ";", &names)) == ST_OK)
                st = buf_append(&names, "", 1);
        }
    if (st != ST_OK)
        buf_free(&names);
    else if ((st = texts_take((char *)names.data, n, &set->classes)) == ST_OK)
        set->n_classes = n;
    return st;
}

/* Leave out the sequences without a lineage, keep them, or refuse them. */
static status_t settle_missing(const image_read_t *what, const taxonomy_t *t,
                               seqset_t *seqs)
{
    int32_t *kept = malloc((size_t)seqs->n * sizeof(*kept) + 1);
    int64_t n = 0, first = -1;

    if (kept == NULL)
        return log_nomem("labels");
    for (int64_t i = 0; i < seqs->n; i++) {
        if (taxonomy_find(t, seqset_name(seqs, i)) >= 0)
            kept[n++] = (int32_t)i;
        else if (first < 0)
            first = i;
    }
    if (first >= 0 && (n == 0 || !what->allow_missing)) {
        log_error("%s has no lineage for %" PRId64 " of %" PRId64 " sequences of %s, the "
                  "first is '%s'; give the lineages of all sequences%s",
                  what->taxonomy, seqs->n - n, seqs->n, what->path,
                  seqset_name(seqs, first), n > 0 ? ", or --allow-missing" : "");
        free(kept);
        return ST_EINPUT;
    }
    if (first >= 0)
        log_info("%s has no lineage for %" PRId64 " of %" PRId64 " sequences of %s%s",
                 what->taxonomy, seqs->n - n, seqs->n, what->path,
                 what->keeps_missing ? "" : ", which are left out");
    if (!what->keeps_missing)
        seqset_keep(seqs, kept, n);
    free(kept);
    return ST_OK;
}

/* Label each sequence with the lowest taxon of its lineage; -1: it has none. */
static status_t label_all(const seqset_t *seqs, const taxonomy_t *t, image_set_t *set)
{
    int32_t *label_of = malloc((size_t)taxonomy_n_taxa(t) * sizeof(*label_of));
    status_t st;

    set->labels = malloc((size_t)seqs->n * sizeof(*set->labels) + 1);
    if (label_of == NULL || set->labels == NULL) {
        free(label_of);
        return log_nomem("labels");
    }
    for (int32_t taxon = 0; taxon < taxonomy_n_taxa(t); taxon++)
        label_of[taxon] = -1;
    for (int64_t i = 0; i < seqs->n; i++)
        if ((set->labels[i] = taxonomy_find(t, seqset_name(seqs, i))) >= 0)
            label_of[set->labels[i]] = 0;
    st = number_classes(t, label_of, set);
    for (int64_t i = 0; st == ST_OK && i < seqs->n; i++)
        if (set->labels[i] >= 0)
            set->labels[i] = label_of[set->labels[i]];
    free(label_of);
    return st;
}

static status_t read_sequences(const image_read_t *what, image_set_t *out)
{
    const fasta_opts_t opts = {.alphabet = ALPHABET_DNA};
    seqset_t *seqs = NULL;
    taxonomy_t *t = NULL;
    status_t st = fasta_read(what->path, &opts, NULL, &seqs);

    *out = (image_set_t){.n = 0};
    if (st == ST_OK && what->taxonomy != NULL)
        st = taxonomy_read(what->taxonomy, &t);
    if (st == ST_OK && t != NULL)
        st = settle_missing(what, t, seqs);
    if (st == ST_OK)
        st = kmer_images_make(seqs, out);
    if (st == ST_OK)
        st = texts_copy(seqs->names, seqs->n, &out->names); /* as their sequences */
    if (st == ST_OK && t != NULL)
        st = label_all(seqs, t, out);
    taxonomy_destroy(t);
    seqset_destroy(seqs);
    if (st != ST_OK)
        image_set_free(out);
    return st;
}

static status_t make_synthetic(const image_read_t *what, image_set_t *out)
{
    const char *number = what->path + sizeof(synthetic) - 1;
    char *end = NULL;
    long long n = SYNTHETIC_DEFAULT;

    if (*number == ':')
        n = strtoll(number + 1, &end, 10);
    if (end != NULL && (*end != '\0' || end == number + 1 || n < 1 || n > INT32_MAX)) {
        log_error("%s: give a number of images from 1 to %d, as in synthetic:1024",
                  what->path, INT32_MAX);
        return ST_EINPUT;
    }
    return image_set_make(n, what->size, what->n_classes, what->seed, out);
}

static bool is_synthetic(const char *path)
{
    const size_t len = sizeof(synthetic) - 1;

    return strncmp(path, synthetic, len) == 0 && (path[len] == '\0' || path[len] == ':');
}

bool image_read_is_hdf5(const char *path)
{
    return !is_synthetic(path) && h5check_is_hdf5(path);
}

status_t image_read(const image_read_t *what, image_set_t *out)
{
    uint8_t magic[IMAGE_MAGIC_BYTES];
    status_t st;

    if (is_synthetic(what->path))
        return make_synthetic(what, out);
    if (h5check_is_hdf5(what->path))
        return h5_images_read(what->path, out);
    if ((st = image_magic_read(what->path, magic)) != ST_OK)
        return st;
    if (idx_images_are(magic))
        return idx_images_read(what->path, what->labels, out);
    if (pgm_images_are(magic))
        return pgm_images_read(what->path, out);
    return png_images_are(magic) ? png_images_read(what->path, out)
                                 : read_sequences(what, out);
}
