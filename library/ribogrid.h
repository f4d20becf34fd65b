/*
 * ribogrid.h - exact alignment of sequences, and algorithms on graphs, as a library.
 *
 * The functions compute the same integers as the program `ribogrid`.  They never exit,
 * print or change signals, fork only where `guarded` asks for it, and MPI is neither used
 * nor linked.
 *
 * A context has a device, threads and the text of the last error.  It is used by one
 * thread at a time: a call meanwhile from another one returns RG_EBUSY.  Several contexts
 * work side by side.  Sets, graphs and results never change, and any number of threads
 * may read them.
 *
 * Functions that can fail return an rg_status_t; rg_context_error has the reason. Outputs
 * are written only on success.  An `rg_x_t **out` is the caller's from then on, and is
 * freed by rg_x_destroy, which takes NULL.  Handles may be destroyed in any order: an
 * aligner keeps what it needs of its context and of its sets.  `const` pointers are
 * borrowed for the call.
 *
 * Structs of options begin with their size, so that a later library takes those of an
 * earlier header.  Initialise them with rg_..._init, then set what differs.  Options have
 * the names and words of the program's command line (docs/commands.md), with '_' for '-'.
 *
 * Link with `pkg-config --cflags --libs ribogrid`, or with ribogrid::ribogrid in CMake.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define RG_API __attribute__((visibility("default")))
#else
#define RG_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    RG_OK = 0,
    RG_ENOMEM = -1,    /* out of memory */
    RG_EINVAL = -2,    /* an invalid argument, or options that do not go together */
    RG_EINPUT = -3,    /* invalid sequences, or an invalid file */
    RG_EIO = -4,       /* reading or writing failed */
    RG_EDEVICE = -5,   /* the device failed, or is not there */
    RG_EBUSY = -6,     /* another thread uses the context */
    RG_ECANCELLED = -7 /* rg_context_cancel, or the progress callback */
} rg_status_t;

/* @return a static text: "out of memory" */
RG_API const char *rg_status_text(rg_status_t status);

/* @return the version of the library, "1.2.3"; static */
RG_API const char *rg_version(void);

/* ---- contexts ---- */

typedef struct rg_context rg_context_t;

typedef struct {
    size_t size;          /* set by rg_context_options_init */
    const char *device;   /* "auto" (default), "cpu", "cuda" or "cuda:I" */
    int32_t threads;      /* that compute, with the caller; 0 (default): all processors of
                           * the thread's affinity mask */
    int64_t memory_bytes; /* for pairs that are computed at a time; 0 (default): 1/16 of
                           * what the process may use */

    /*
     * Called by the thread that called the library, several times per second while work
     * takes long; NULL (default): not called.  It must not use the context, except for
     * rg_context_cancel.
     *
     * @param done  of 0 .. 1
     * @return 0, or anything else to cancel the call, as rg_context_cancel does
     */
    int (*progress)(void *arg, double done);
    void *progress_arg;

    /*
     * Memory for the arrays of results: those that rg_result_..., rg_groups_...,
     * rg_names_... and rg_columns_values return.  Both functions, or NULL (default):
     * malloc and free. All else is the library's own, and malloc's.
     *
     * allocate is called by the thread that called the library.  @return memory that is
     * aligned as that of malloc; NULL: the call returns RG_ENOMEM
     *
     * release is called once for each of them, with what allocate returned: by the thread
     * that destroys the result, which may be after the context is gone, or by a call that
     * failed.  Neither may call the library.
     */
    void *(*allocate)(void *arg, size_t bytes);
    void (*release)(void *arg, void *memory);
    void *allocator_arg;

    /* Not 0: result files and models are first read in a child process, with limits of
     * memory and time, so that a file that crashes HDF5 gives RG_EINPUT; 0 (default):
     * they are read at once.  The child is forked, and waited for; signals are left
     * alone.  It sees no rg_context_cancel. */
    int32_t guarded;
} rg_context_options_t;

/* @param size  sizeof(*options) */
RG_API void rg_context_options_init(rg_context_options_t *options, size_t size);

/*
 * Create a context and start its threads.
 *
 * @param options  NULL: defaults
 * @return RG_OK, RG_ENOMEM, RG_EINVAL or RG_EDEVICE; rg_context_error(NULL) has the
 * reason
 */
RG_API rg_status_t rg_context_create(const rg_context_options_t *options,
                                     rg_context_t **out);

/* No call may be using it. */
RG_API void rg_context_destroy(rg_context_t *context);

/*
 * Get the reason of the last failure, in one line with a remedy.
 *
 * @param context  NULL: of the last call in this thread that had no valid context
 * @return text, "" if there was none; valid until the next call with this context
 */
RG_API const char *rg_context_error(const rg_context_t *context);

/* @return the warnings of the last call, one per line, "" if there were none; valid until
 * the next call with this context */
RG_API const char *rg_context_warnings(const rg_context_t *context);

/*
 * Cancel the call in progress, or if there is none, the next one: if it aligns or runs an
 * algorithm, it soon returns RG_ECANCELLED, unless it is about to end.  Any thread and
 * any signal handler may call this.
 */
RG_API void rg_context_cancel(rg_context_t *context);

/* @return the name of the device, as given by its vendor */
RG_API const char *rg_context_device(const rg_context_t *context);

/* @return the number of threads that compute */
RG_API int32_t rg_context_threads(const rg_context_t *context);

/* ---- sets of sequences ---- */

/* Sequences of one alphabet, DNA or proteins, with names; numbered from 0. */
typedef struct rg_set rg_set_t;

/*
 * Create a set from memory.  Letters are those of FASTA: either case, U is T, IUPAC's
 * ambiguity codes.
 *
 * @param alphabet  "dna", "protein", or NULL: guessed from the letters
 * @param n         at most 2147483647
 * @param letters   [offsets[n]] of all sequences
 * @param offsets   [n + 1] sequence i is letters[offsets[i]] .. letters[offsets[i + 1] -
 *                  1]: at least one letter
 * @param names     n texts one after the other, each with its NUL, of at most 65535
 * bytes; NULL: "0", "1", ...
 * @return RG_OK, RG_ENOMEM, RG_EINVAL or RG_EINPUT
 */
RG_API rg_status_t rg_set_create(rg_context_t *context, const char *alphabet, int64_t n,
                                 const char *letters, const int64_t *offsets,
                                 const char *names, rg_set_t **out);

/*
 * Create a set from the memory of the context's GPU; as rg_set_create.  Letters and
 * offsets are copied to the host, where they are checked.
 *
 * @param letters, offsets  addresses of CUDA: of cudaMalloc on that GPU, or managed ones
 * @param names   in the host's memory
 * @param stream  a cudaStream_t, whose work the call waits for; NULL: the default one
 * @return RG_OK, RG_ENOMEM, RG_EINVAL (also: no such address, or no GPU), RG_EINPUT or
 *         RG_EDEVICE
 */
RG_API rg_status_t rg_set_create_on_device(rg_context_t *context, const char *alphabet,
                                           int64_t n, const char *letters,
                                           const int64_t *offsets, const char *names,
                                           void *stream, rg_set_t **out);

typedef struct {
    size_t size;          /* set by rg_read_options_init */
    const char *alphabet; /* "dna", "protein", or NULL (default): guessed */
    int32_t skip_bad;     /* not 0: drop invalid records, with a warning (default: 0) */
    int32_t degap;        /* not 0: remove '.' and '-' (default: 0) */
    int32_t full_names;   /* not 0: names are whole headers; 0 (default): up to the first
                           * blank */
} rg_read_options_t;

/* @param size  sizeof(*options) */
RG_API void rg_read_options_init(rg_read_options_t *options, size_t size);

/*
 * Read FASTA or FASTQ, plain or compressed with gzip; with bzip2, xz and zstd if the
 * library was built with them.
 *
 * @param path     a file; "-": standard input
 * @param options  NULL: defaults
 * @return RG_OK, RG_ENOMEM, RG_EINVAL, RG_EIO or RG_EINPUT
 */
RG_API rg_status_t rg_set_read(rg_context_t *context, const char *path,
                               const rg_read_options_t *options, rg_set_t **out);

RG_API void rg_set_destroy(rg_set_t *set);

/* @return the number of sequences */
RG_API int64_t rg_set_count(const rg_set_t *set);

/* @return "dna" or "protein" */
RG_API const char *rg_set_alphabet(const rg_set_t *set);

/* @return the number of letters of a sequence; -1: there is no such sequence */
RG_API int64_t rg_set_length(const rg_set_t *set, int64_t index);

/* @return the name of a sequence, valid as long as the set; NULL: there is none such */
RG_API const char *rg_set_name(const rg_set_t *set, int64_t index);

/*
 * Write the letters of a sequence, in upper case, T for U, without a NUL.
 *
 * @param out  [rg_set_length]
 * @return RG_OK or RG_EINVAL
 */
RG_API rg_status_t rg_set_letters(const rg_set_t *set, int64_t index, char *out);

/* ---- alignment ---- */

/* How to align; the words are those of `ribogrid align --help`. */
typedef struct {
    size_t size;        /* set by rg_align_options_init */
    const char *preset; /* "vsearch", "mothur", "needle", "blastn" or "unit": how this
                         * program scores; what is set below overrides it; NULL (default):
                         * none */
    const char *emit;   /* "score", "identity" (also matches and columns, the default) or
                         * "cigar" (also alignments) */
    const char *mode;   /* "global" (default) or "local" */
    const char *ends;   /* of global alignments: "free" (default), "count" or "query" */
    const char *strand; /* with references: "plus" (default) or "both" */

    /* scores and costs: multiples of 0.5; NAN (default): those of the preset or program
     */
    double match, mismatch, gap;
    double gap_open, gap_extend; /* costs, instead of gap: of a gap's first letter,
                                  * and of each further one */
    double end_gap_open, end_gap_extend; /* likewise of gaps at the ends */
    const char *matrix;    /* "NUC.4.4", "BLASTN.2.3", "BLOSUM62", or a file in NCBI
                            * format */
    const char *ambiguity; /* "n-mismatch", "match", "mismatch", "same" or "neutral" */

    /* what is kept, and how it is reported */
    const char *iddef;       /* definition of identity: "0" to "4", "onegap", ... */
    double id;               /* minimum identity of 0 .. 1 of the pairs to keep, rounded
                              * to nine digits; NAN (default): none */
    double min_overlap;      /* of 0 .. 1, likewise: columns that an identity needs,
                              * relative to the shorter sequence; NAN: the default */
    int64_t top;             /* with references: best hits of each query, and ties; 0
                              * (default): all; at most 10000 */
    const char *cigar_style; /* "m" (default), or "eqx": = and X instead of M */

    /* how it is computed, which changes no result */
    const char *kernel; /* "auto" (default) or a name of `ribogrid devices -v` */
    const char *band;   /* "auto" (default) or "off" */
} rg_align_options_t;

/* @param size  sizeof(*options) */
RG_API void rg_align_options_init(rg_align_options_t *options, size_t size);

/* Aligns the sequences of one set with each other, or queries with references. */
typedef struct rg_aligner rg_aligner_t;

/* Alignments of pairs; see below. */
typedef struct rg_result rg_result_t;

/*
 * Create an aligner.
 *
 * @param references  NULL: pairs are of two sequences of `queries`
 * @param options     NULL: defaults
 * @return RG_OK, RG_ENOMEM, RG_EINVAL, RG_EIO (matrix), RG_EINPUT (matrix; the two sets
 * are of different alphabets) or RG_EDEVICE
 */
RG_API rg_status_t rg_aligner_create(rg_context_t *context, const rg_set_t *queries,
                                     const rg_set_t *references,
                                     const rg_align_options_t *options,
                                     rg_aligner_t **out);

RG_API void rg_aligner_destroy(rg_aligner_t *aligner);

/* @return what a score of 1 in results stands for: 1, or 0.5 if an option is a multiple
 * of 0.5 only */
RG_API double rg_aligner_score_unit(const rg_aligner_t *aligner);

/*
 * Align a list of pairs.  Each is reported, in the order of the list: `id` and `top` do
 * not apply.  The context is that of the aligner.
 *
 * @param pairs  [n][2] query and target: sequences of the set; or a query and a reference
 * @return RG_OK, RG_ENOMEM, RG_EINVAL, RG_EDEVICE, RG_EBUSY or RG_ECANCELLED
 */
RG_API rg_status_t rg_aligner_pairs(rg_aligner_t *aligner, const int32_t *pairs,
                                    int64_t n, rg_result_t **out);

/*
 * Align a list of pairs from the memory of the context's GPU, and store the results
 * there; as rg_aligner_pairs.  Lists and results are copied by way of the host.  What the
 * outputs hold is not defined if the call fails.
 *
 * @param pairs   [n][2] an address of CUDA: of cudaMalloc on that GPU, or a managed one
 * @param stream  a cudaStream_t, whose work the call waits for, and which has stored the
 *                results when it returns; NULL: the default one
 * @param scores, matches, columns, strands  out: [n] addresses of CUDA; NULL: not wanted,
 *        or not computed, as of the functions rg_result_... below
 * @return RG_OK, RG_ENOMEM, RG_EINVAL (also: no such address, or no GPU), RG_EDEVICE,
 *         RG_EBUSY or RG_ECANCELLED
 */
RG_API rg_status_t rg_aligner_pairs_on_device(rg_aligner_t *aligner, const int32_t *pairs,
                                              int64_t n, void *stream, int32_t *scores,
                                              int32_t *matches, int32_t *columns,
                                              int8_t *strands);

/*
 * Align all pairs query < target of a set, or all queries with all references.  The
 * context is that of the aligner.
 *
 * Without references and `id` all n (n - 1) / 2 pairs are reported; otherwise those that
 * have an identity, of `id` or more, and with `top` the best of each query.  Pairs that
 * provably are none of these are not aligned.  Pairs are sorted by query, then by target.
 *
 * @return RG_OK, RG_ENOMEM, RG_EINVAL, RG_EDEVICE, RG_EBUSY or RG_ECANCELLED
 */
RG_API rg_status_t rg_aligner_all(rg_aligner_t *aligner, rg_result_t **out);

/* ---- results ---- */

/*
 * Read a file of `ribogrid align`, or of rg_result_write.
 *
 * @param queries, references  out: its sets; references: NULL if its pairs are of one
 *        set, else with names and lengths alone, as the file has no letters of them;
 *        each may be NULL: not wanted
 * @return RG_OK, RG_ENOMEM, RG_EINVAL, RG_EIO, RG_EINPUT, RG_EBUSY or RG_ECANCELLED
 */
RG_API rg_status_t rg_result_read(rg_context_t *context, const char *path,
                                  rg_set_t **queries, rg_set_t **references,
                                  rg_result_t **out);

/*
 * Write the result of rg_aligner_all to a file as `ribogrid align -o PAIRS.h5` does, with
 * the same datasets; one that exists is replaced.
 *
 * @return RG_OK, RG_ENOMEM, RG_EINVAL (a result of listed pairs, or of a file), RG_EIO or
 *         RG_EINPUT
 */
RG_API rg_status_t rg_result_write(rg_context_t *context, const rg_result_t *result,
                                   const char *path);

RG_API void rg_result_destroy(rg_result_t *result);

/* @return what a score of 1 stands for, as rg_aligner_score_unit */
RG_API double rg_result_score_unit(const rg_result_t *result);

/* @return the number of pairs, n below.  The arrays are valid as long as the result; an
 * array that was not computed is NULL */
RG_API int64_t rg_result_count(const rg_result_t *result);

/* @return [n] indices of the queries, and of their targets */
RG_API const int32_t *rg_result_queries(const rg_result_t *result);
RG_API const int32_t *rg_result_targets(const rg_result_t *result);

/* @return [n] scores, in units of rg_aligner_score_unit */
RG_API const int32_t *rg_result_scores(const rg_result_t *result);

/* @return [n] matches and columns by the definition of identity, which is matches /
 * columns; columns are 0 where a pair has none.  NULL with emit "score" */
RG_API const int32_t *rg_result_matches(const rg_result_t *result);
RG_API const int32_t *rg_result_columns(const rg_result_t *result);

/* @return [n] 1, or -1: the reverse complement of the query is aligned.  NULL unless
 * strand is "both" */
RG_API const int8_t *rg_result_strands(const rg_result_t *result);

/*
 * Runs of alignments, in the format of BAM: length << 4 | operation, with the operations
 * M 0, I 1 (a letter of the query against a gap), D 2 (of the target), = 7 and X 8.  Pair
 * i has the runs starts[i] .. starts[i + 1] - 1; none if it has no alignment.
 *
 * @return [n + 1] starts, and [starts[n]] runs.  NULL unless emit is "cigar"
 */
RG_API const int64_t *rg_result_cigar_starts(const rg_result_t *result);
RG_API const uint32_t *rg_result_cigar_runs(const rg_result_t *result);

/*
 * Write the alignment of a pair as CIGAR text, "12M1I30M", with its NUL.
 *
 * @param out   [size] text, cut off if it is longer; may be NULL if size is 0
 * @return the length of the whole text without the NUL; -1: no such pair, or no CIGARs
 */
RG_API int64_t rg_result_cigar_text(const rg_result_t *result, int64_t index, char *out,
                                    size_t size);

/* ---- clusters ---- */

/* docs/clusters.md defines the methods. */
typedef struct {
    size_t size; /* set by rg_cluster_options_init */
    const char
        *method; /* "opti" (default), "single", "complete", "average" or "centroid" */
    double id;   /* above 0, at most 1: minimum identity of close sequences (0.97) */
    const char *order;    /* centroid: "abundance" (default) or "length" first */
    const int64_t *sizes; /* [sequences] abundances, at least 1; NULL (default): equal */
    uint64_t seed;        /* opti: of the random orders (1) */
    int64_t starts;       /* opti: random orders to try, 1 to 1000000 (10) */
} rg_cluster_options_t;

/* @param size  sizeof(*options) */
RG_API void rg_cluster_options_init(rg_cluster_options_t *options, size_t size);

/*
 * Cluster the sequences of a set.
 *
 * @param pairs    of rg_aligner_all without references, with identities; aligned with an
 *                 `id` of at most that of the clusters, for "average" without one
 * @param options  NULL: defaults
 * @param out      [sequences of the set] the cluster of each one, named by one of its
 *                 members: the centroid, else the first
 * @param mcc      out: Matthews' correlation coefficient of the clusters and the pairs;
 *                 may be NULL
 * @return RG_OK, RG_ENOMEM, RG_EINVAL, RG_EINPUT (average: too many sequences that are
 *         close) or RG_EBUSY
 */
RG_API rg_status_t rg_cluster(rg_context_t *context, const rg_result_t *pairs,
                              const rg_cluster_options_t *options, int32_t *out,
                              double *mcc);

/* Clusters with names, as `ribogrid cluster` writes them: the most abundant first. */
typedef struct rg_groups rg_groups_t;

/* Cluster the sequences of a set; as rg_cluster. */
RG_API rg_status_t rg_groups_create(rg_context_t *context, const rg_result_t *pairs,
                                    const rg_cluster_options_t *options,
                                    rg_groups_t **out);

/*
 * Read PREFIX.groups.h5 of `ribogrid cluster`, or a file of rg_groups_write.
 *
 * @return RG_OK, RG_ENOMEM, RG_EINVAL, RG_EIO or RG_EINPUT
 */
RG_API rg_status_t rg_groups_read(rg_context_t *context, const char *path,
                                  rg_groups_t **out);

/*
 * Write groups of rg_groups_create to a file as PREFIX.groups.h5; one that exists is
 * replaced.
 *
 * @return RG_OK, RG_ENOMEM, RG_EINVAL (they were read from a file) or RG_EIO
 */
RG_API rg_status_t rg_groups_write(rg_context_t *context, const rg_groups_t *groups,
                                   const char *path);

RG_API void rg_groups_destroy(rg_groups_t *groups);

/* @return the number of groups, and of sequences.  The arrays are valid as long as the
 * groups */
RG_API int64_t rg_groups_count(const rg_groups_t *groups);
RG_API int64_t rg_groups_sequences(const rg_groups_t *groups);

/* @return [sequences] the group of each one; -1: in none, as it was too small */
RG_API const int32_t *rg_groups_of(const rg_groups_t *groups);

/* @return [groups] the most abundant member of each group, and its abundance */
RG_API const int32_t *rg_groups_representatives(const rg_groups_t *groups);
RG_API const int64_t *rg_groups_sizes(const rg_groups_t *groups);

/* @return Matthews' correlation coefficient of groups and pairs; NAN: not known */
RG_API double rg_groups_mcc(const rg_groups_t *groups);

/* @return the name of a group, and of a sequence, valid as long as the groups; NULL:
 * there is none such */
RG_API const char *rg_groups_name(const rg_groups_t *groups, int64_t group);
RG_API const char *rg_groups_sequence(const rg_groups_t *groups, int64_t index);

/* ---- classification ---- */

/* A model of `ribogrid classify train` or a network of `ribogrid cnn train` for
 * sequences; never changes. */
typedef struct rg_model rg_model_t;

/*
 * Read a model.
 *
 * @return RG_OK, RG_ENOMEM, RG_EINVAL, RG_EIO or RG_EINPUT
 */
RG_API rg_status_t rg_model_read(rg_context_t *context, const char *path,
                                 rg_model_t **out);

RG_API void rg_model_destroy(rg_model_t *model);

/* How to classify; the words are those of `ribogrid classify --help`. */
typedef struct {
    size_t size;         /* set by rg_classify_options_init */
    const char *method;  /* "auto" (default), "nbc", "align", "joint" or "cnn" */
    const char *prior;   /* joint: "equal" (default) or "references" */
    const char *strand;  /* "plus" or "both" (default) */
    int32_t resamples;   /* 1 to 10000 (100) */
    uint64_t seed;       /* of the resamples (1) */
    double novelty_rate; /* of 0 .. 1: sequences of absent taxa that may get a name; */
    double min_support;  /* or a minimum support of names; NAN (default): not given */
    const char *kernel;  /* "auto" (default) or a name of `ribogrid devices -v` */
} rg_classify_options_t;

/* @param size  sizeof(*options) */
RG_API void rg_classify_options_init(rg_classify_options_t *options, size_t size);

/* Names of sequences. */
typedef struct rg_names rg_names_t;

/*
 * Classify the sequences of a set of DNA.
 *
 * Thresholds of names may be learned for the sequences of the set together: those of
 * parts of it may have other names.  Each call prepares the kernel for the model, so that
 * many sequences at once are the fast way.
 *
 * @param options  NULL: defaults
 * @return RG_OK, RG_ENOMEM, RG_EINVAL, RG_EINPUT (proteins; the model has not what the
 *         options need), RG_EDEVICE, RG_EBUSY or RG_ECANCELLED
 */
RG_API rg_status_t rg_classify(rg_context_t *context, const rg_model_t *model,
                               const rg_set_t *set, const rg_classify_options_t *options,
                               rg_names_t **out);

/*
 * Read names from a file of `ribogrid classify -o NAMES.h5`, or of rg_names_write.
 *
 * @return RG_OK, RG_ENOMEM, RG_EINVAL, RG_EIO or RG_EINPUT
 */
RG_API rg_status_t rg_names_read(rg_context_t *context, const char *path,
                                 rg_names_t **out);

/*
 * Write names of rg_classify to a file as `ribogrid classify -o NAMES.h5` does; one that
 * exists is replaced.
 *
 * @return RG_OK, RG_ENOMEM, RG_EINVAL (they were read from a file) or RG_EIO
 */
RG_API rg_status_t rg_names_write(rg_context_t *context, const rg_names_t *names,
                                  const char *path);

RG_API void rg_names_destroy(rg_names_t *names);

/* @return the number of sequences, n below.  The arrays are valid as long as the names */
RG_API int64_t rg_names_count(const rg_names_t *names);

/* @return the number of ranks of the longest lineage */
RG_API int32_t rg_names_ranks(const rg_names_t *names);

/* @return [n][ranks] the taxa of the most likely lineage, from the highest rank on; -1
 * below it, or everywhere if there is none */
RG_API const int32_t *rg_names_taxa(const rg_names_t *names);

/* @return [n][ranks] the support of each of them, in units of 1/10000; 0 below */
RG_API const uint16_t *rg_names_supports(const rg_names_t *names);

/* @return [n] how many of its taxa each sequence is named by, from the highest rank on */
RG_API const uint8_t *rg_names_named(const rg_names_t *names);

/* @return [n] 1, or -1: classified as the reverse complement */
RG_API const int8_t *rg_names_strands(const rg_names_t *names);

/* @return the name of a sequence, valid as long as the names; NULL: there is none such */
RG_API const char *rg_names_sequence(const rg_names_t *names, int64_t index);

/* @return the number of taxa, and the name of a taxon; NULL: there is no such taxon */
RG_API int32_t rg_names_taxon_count(const rg_names_t *names);
RG_API const char *rg_names_taxon(const rg_names_t *names, int32_t taxon);

/* ---- graphs ---- */

/* A graph in compressed sparse rows, as scipy.sparse.csr_matrix has it; never changes. */
typedef struct rg_graph rg_graph_t;

/*
 * Copy a graph.
 *
 * An undirected edge is two arcs, one in each direction.
 *
 * @param n        nodes, at most 2147483647
 * @param starts   [n + 1] node u has the arcs starts[u] .. starts[u + 1] - 1, from 0 on
 * @param targets  [starts[n]] nodes, strictly ascending in each row
 * @param weights  [starts[n]] whole weights of at least 0, or NULL
 * @param values   [starts[n]] real weights, instead; or NULL
 * @return RG_OK, RG_ENOMEM, RG_EINVAL or RG_EINPUT (such arcs are no graph)
 */
RG_API rg_status_t rg_graph_create(rg_context_t *context, int64_t n,
                                   const int64_t *starts, const int32_t *targets,
                                   const int32_t *weights, const double *values,
                                   rg_graph_t **out);

RG_API void rg_graph_destroy(rg_graph_t *graph);

/* @return the number of nodes, and of arcs */
RG_API int64_t rg_graph_nodes(const rg_graph_t *graph);
RG_API int64_t rg_graph_arcs(const rg_graph_t *graph);

/* @return 1 if every arc has its reverse, of the same weight, else 0 */
RG_API int32_t rg_graph_is_symmetric(const rg_graph_t *graph);

/* Options of algorithms; docs/graph.md defines them and the results. */
typedef struct {
    size_t size; /* set by rg_graph_options_init */
    /* [n_sources] nodes, ascending: bfs, sssp need one; betweenness: n_sources of 0
     * (default) are all */
    const int32_t *sources;
    int64_t n_sources;

    /* pagerank */
    double damping;         /* of 0 .. 1 (0.85) */
    double tolerance;       /* of at least 0 (1e-6) */
    int64_t max_iterations; /* at least 1 (100) */
    const char *dangling;   /* "spread" (default) or "leak" */

    /* mis */
    const char *order;       /* "id" (default), "degree" or "abundance" */
    const int64_t *priority; /* [n] of "abundance", the larger the earlier */
    uint64_t seed;           /* of "degree" (1) */

    const double *x;    /* [n] spmv: the vector; NULL (default): ones */
    const char *kernel; /* "auto" (default) or a name of `ribogrid devices -v` */
} rg_graph_options_t;

/* @param size  sizeof(*options) */
RG_API void rg_graph_options_init(rg_graph_options_t *options, size_t size);

/* Columns of values. */
typedef struct rg_columns rg_columns_t;

/*
 * Compute an algorithm, with the same bytes on every device and any number of threads.
 *
 * bfs: depth and parent; sssp: distance; pagerank: rank; betweenness: centrality; spmv:
 * y; components: component; mis: in_set; coloring: color; triangles: triangles;
 * tree-descendants: descendants and leaves; tree-heights: height: a value per node, -1
 * where no path leads.  mst: arc, the indices of the arcs u -> v, u < v, of a minimum
 * spanning forest, ascending.
 *
 * mst, mis, coloring and triangles take symmetric graphs without loops, those of trees
 * arcs from parents to children.
 *
 * @param algorithm  its name
 * @param options    NULL: defaults
 * @return RG_OK, RG_ENOMEM, RG_EINVAL, RG_EINPUT (it is not defined on this graph),
 *         RG_EDEVICE, RG_EBUSY or RG_ECANCELLED
 */
RG_API rg_status_t rg_graph_run(rg_context_t *context, const rg_graph_t *graph,
                                const char *algorithm, const rg_graph_options_t *options,
                                rg_columns_t **out);

RG_API void rg_columns_destroy(rg_columns_t *columns);

/* @return the number of columns */
RG_API int32_t rg_columns_count(const rg_columns_t *columns);

/* @return the name of a column, "depth", and the type of its values, "uint8", "int32",
 * "int64" or "float64"; NULL: there is no such column */
RG_API const char *rg_columns_name(const rg_columns_t *columns, int32_t index);
RG_API const char *rg_columns_type(const rg_columns_t *columns, int32_t index);

/* @return the number of values of each column, and the values of a column */
RG_API int64_t rg_columns_length(const rg_columns_t *columns);
RG_API const void *rg_columns_values(const rg_columns_t *columns, int32_t index);

#ifdef __cplusplus
}
#endif
