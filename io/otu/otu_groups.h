/*
 * otu_groups.h - OTUs in HDF5: which sequence is in which OTU, and how they were found.
 *
 * docs/file-format.md describes the format.
 */
#pragma once

#include "io/file/whole_file.h"
#include "io/otu/otu_table.h"
#include "io/pairs/pairs_file.h"
#include "io/result/result_kind.h"
#include "io/result/run_info.h"

/* How the OTUs were found: root attributes. */
typedef struct {
    const char *program, *input, *method;
    const char *order;    /* NULL: the method has none */
    int64_t seed, starts; /* -1: the method has none */
    fraction_t id;
    int64_t min_size;
    const char *previous;   /* the groups whose names were kept; NULL: none */
    int64_t digest;         /* otu_groups_digest of all sequences, by otu_groups_write;
                             * -1: not known */
    double mcc;             /* NAN: not known */
    int64_t tp, tn, fp, fn; /* of mcc; -1: not known */
    const run_info_t *run;  /* for /run; NULL: not known, or not read */
} otu_groups_head_t;

typedef struct {
    otu_groups_head_t head; /* of a file that was read, its texts belong to this struct */
    char **names;           /* [table->n] of the sequences */
    char **otu_names;       /* [table->n_otus]: otu_table_name */
    otu_table_t *table; /* read without samples; n_otus_left_out is 0: the file does not
                           say */
} otu_groups_t;

/* Numbers of dimensions. */
enum { OTU_GROUPS_SEQUENCES = 1, OTU_GROUPS_OTUS, OTU_GROUPS_MEMBERS };

extern const result_kind_t otu_groups_kind;
extern const result_field_t otu_groups_fields[];       /* of otu_groups_t */
extern const result_field_t otu_groups_table_fields[]; /* of otu_table_t */

/*
 * Create or replace the file.
 *
 * @param set  the sequences
 * @return ST_OK, ST_ENOMEM or ST_EIO
 */
status_t otu_groups_write(const whole_file_t *to, const otu_groups_head_t *head,
                          const otu_table_t *table, const seqset_t *set) MUST_CHECK;

/* @return a digest of 63 bits of the first n sequences of a set, by names and bases */
int64_t otu_groups_digest(const seqset_t *set, int64_t n);

/* Reading PREFIX.groups.h5, checked as it is read. */

/*
 * Read a file.
 *
 * Members ascend within an OTU and agree with the OTU of each sequence; abundances do not
 * increase from OTU to OTU, and have a sum; names are distinct numbers.
 *
 * @param out  release with otu_groups_free
 * @return ST_OK, ST_ENOMEM or ST_EINPUT
 */
status_t otu_groups_read(const char *path, otu_groups_t *out) MUST_CHECK;

/*
 * Check that the sequences have the names of those of a file of pairs.
 *
 * @param path      of the groups
 * @param has_more  the file may have more sequences after these
 * @return ST_OK or ST_EINPUT (logged)
 */
status_t otu_groups_check_names(const otu_groups_t *groups, const char *path,
                                const pairs_file_t *file, bool has_more) MUST_CHECK;

/* Takes a zeroed one, too. */
void otu_groups_free(otu_groups_t *groups);
