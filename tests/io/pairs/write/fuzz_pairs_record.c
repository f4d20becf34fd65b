/*
 * fuzz_pairs_record.c - libFuzzer target: arbitrary bytes as the record of a tile: of
 * hits or of matrices, as the first byte says, whose CIGARs and numbers have to fit 9
 * sequences.
 */
#include "io/pairs/write/pairs_hits.h"
#include "io/pairs/write/pairs_write.h"
#include "tests/support/fuzz_file.h"

enum { N_SEQUENCES = 9, LENGTH = 10, SIDE = 4 };

static seqset_t *make_set(void)
{
    static const uint8_t letters[LENGTH] = {1, 2, 4, 8, 1, 2, 4, 8, 1, 2};
    seqset_builder_t builder = {.alphabet = ALPHABET_DNA};
    seqset_t *set = NULL;

    for (int i = 0; i < N_SEQUENCES; i++)
        if (seqset_builder_add(&builder, "a", 1, letters, LENGTH) != ST_OK)
            abort();
    if (seqset_builder_finish(&builder, &set) != ST_OK)
        abort();
    seqset_builder_free(&builder);
    return set;
}

/* What was accepted is made of whole hits. */
static void check_hits(const buf_t *record)
{
    pairs_hits_t hits = {.n_without_identity = 0};

    if (pairs_hits_unpack(record->data, record->len, &hits) != ST_OK ||
        pairs_hits_bytes(record->data, record->len) < 0)
        abort();
    pairs_hits_free(&hits);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static seqset_t *set;
    const tile_grid_t grid = tile_grid_of(N_SEQUENCES, SIDE);
    pairs_record_job_t job = {.grid = &grid,
                              .min_score = -1000,
                              .max_score = 1000,
                              .min_identity = {1, 2}};
    buf_t record = {0};

    set = set != NULL ? set : make_set();
    if (len == 0 || buf_append(&record, data + 1, len - 1) != ST_OK)
        return 0;
    job.set = set;
    job.is_sparse = data[0] & 1;
    job.has_strands = data[0] & 2;
    job.counts_bases = data[0] & 4;
    job.end_gaps = len & 1 ? "ID" : NULL;
    job.n_end_gaps = 1 + (len & 2) / 2;
    job.marks_matches = len & 4;
    job.n_datasets = data[0] & 8 ? PAIRS_N_CIGAR : PAIRS_N_IDENTITY;
    if (pairs_record_check(&job, (data[0] >> 4) % grid.n_tiles, &record) == NULL &&
        job.is_sparse)
        check_hits(&record);
    buf_free(&record);
    return 0;
}
