/*
 * report_data.h - the data that a report page shows.
 */
#pragma once

#include "io/base/fraction.h"

#include <stdbool.h>
#include <stdint.h>

/* A run of neighbours in the order of the sequences, drawn in one colour. */
typedef struct {
    const char *name;
    int64_t begin, end; /* positions in the order */
} report_strip_t;

/* A name beside the heat map: of an OTU or of a taxon. */
typedef struct {
    int64_t otu;        /* from 0; -1: a taxon */
    const char *taxon;  /* of an OTU: that of its representative; NULL: not known */
    int64_t begin, end; /* positions in the order */
} report_label_t;

typedef struct {
    int64_t n;                    /* sequences that it shows */
    int side;                     /* cells along each side */
    const double *mean;           /* [side x side] mean identity; NAN: no identities */
    const double *coverage;       /* [side x side] fraction of the cell's pairs that have
                                   * an identity */
    const char *order;            /* "taxonomic order" */
    const report_strip_t *strips; /* [n_strips] in order, without gaps */
    int n_strips;
    int n_phyla;                  /* of all sequences */
    const char *const *names;     /* [n] in order; drawn where there are few */
    const char *const *taxa;      /* [n] lowest taxa, NULL: none; NULL: not known */
    const report_label_t *labels; /* [n_labels] ascending if they are OTUs */
    int64_t n_labels;
    bool shows_otus; /* the largest ones, which the labels name, not all sequences */
} report_heat_map_t;

/* A histogram in steps of 1 %: entry k counts [k, k + 1) %, the last one identity 1
 * alone.
 */
enum { REPORT_BARS = 101 };

typedef struct {
    const int64_t *bars;     /* [REPORT_BARS] */
    fraction_t min_identity; /* none is below it; 0/0: not known */
    fraction_t id;           /* a cutoff */
    int64_t n_reached;       /* at or above the cutoff */
    const char *one, *many;  /* of what: "pair", "pairs" */
} report_histogram_t;

/* One of the largest OTUs. */
typedef struct {
    int64_t n_members;
    const char *representative; /* or the reference */
    const char *lineage;        /* of these; NULL: none */
    const int64_t *in_sample;   /* [n_samples] abundances */
} report_otu_t;

/* How sequences were clustered into OTUs, and the result. */
typedef struct {
    const char *file;    /* that lists them; NULL: they were found for this report */
    const char *method;  /* "opti" */
    fraction_t id;       /* two sequences are close at or above this identity */
    int64_t n_otus;      /* without those left out */
    int64_t n_single;    /* OTUs of one sequence */
    const int64_t *size; /* [n_otus] abundances, descending */
    int64_t min_size;    /* OTUs with a lower abundance are left out */
    int64_t n_left_out;  /* their sequences */
    const report_otu_t *largest; /* [n_largest] the first ones */
    int64_t n_largest;
    const char *const *samples; /* [n_samples] names */
    int64_t n_samples;          /* 0: not known */
    bool has_lineages;
    bool are_references; /* an OTU is a reference and the queries mapped to it */
} report_otus_t;

/* A sequence that chains OTUs together. */
typedef struct {
    const char *name;
    int64_t otu;                 /* from 0; -1: none */
    double betweenness;          /* more than 0 */
    int64_t n_neighbors, n_otus; /* close sequences, and the OTUs of these and its own */
} report_bridge_t;

typedef struct {
    const report_bridge_t *bridges; /* [n] in order of descending betweenness */
    int64_t n;
    int64_t n_clusters;             /* of single linkage that hold several OTUs */
    int64_t n_sequences, n_sources; /* in them; where paths start, if fewer: drawn */
} report_bridges_t;

typedef struct {
    const char *title;
    const char *file;         /* the result file */
    int64_t n;                /* sequences */
    int64_t n_identities;     /* pairs with an identity */
    int64_t n_close;          /* pairs at or above the identity of the OTUs */
    fraction_t min_identity;  /* the file has no pairs below it; 0/0: it has all pairs */
    const int64_t *histogram; /* [REPORT_BARS] */
    bool has_overlap;         /* an identity requires an overlap: end gaps are free */
    const report_otus_t *otus;
    const report_bridges_t *bridges; /* NULL: they were not looked for */
    const report_heat_map_t *heat_map;
    const char *about; /* lines: section TAB name TAB value */
} report_data_t;

/* Format a fraction as "97 %", with a no-break space. @return out */
enum { REPORT_PERCENT_BYTES = 32 };
const char *report_data_percent(const fraction_t *fraction,
                                char out[REPORT_PERCENT_BYTES]);
