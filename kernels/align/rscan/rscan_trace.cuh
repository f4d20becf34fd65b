/*
 * rscan_trace.cuh - CIGARs of pairs whose score, matches and columns are known.
 *
 * The three numbers give the diagonal steps d of every alignment that has them: with X
 * mismatches and G gap columns, columns = M + X + G and score = match M + mismatch X +
 * gap G, so that X follows, and d = M + X.  (If a mismatch costs what a gap does, d >=
 * M.)  A path with d diagonal steps puts m - d letters of the rows against gaps and n - d
 * of the columns, so it stays where -(m - d) <= j - i <= n - d.  All that is in question
 * when ties are broken, and when a best end is chosen, has the same three numbers and
 * lies in there, too: so the directions in this band are those of the whole matrix,
 * wherever the path comes.
 */
#ifndef RIBOGRID_KERNELS_ALIGN_RSCAN_RSCAN_TRACE_CUH
#define RIBOGRID_KERNELS_ALIGN_RSCAN_RSCAN_TRACE_CUH

#include "kernels/align/cuda/cuda_cigar.cuh"
#include "kernels/align/rscan/rscan_layout.cuh"

enum { RSCAN_TRACE_BLOCK = 128, RSCAN_TRACE_ROWS = 16 /* of a word of directions */ };

struct rscan_trace_launch_t {
    rscan_launch_t scan;   /* its set, pairs, layout, results, and lines */
    const int *rank;       /* [n_sequences] of two, rows are the one of lower rank */
    const unsigned *order; /* [n] pairs, those with alike bands together */
    int n;
    int *next;            /* of the order; or of `list` */
    const int *list;      /* places in the order; NULL: the whole order */
    const int *n_list;    /* its length */
    int *large, *n_large; /* places whose bands need more than blocks_len; may be NULL */
    unsigned *blocks;     /* [warps][blocks_len][32] directions */
    long long blocks_len;
    fraction_t min_overlap;
    const long long *trace_start; /* cuda_cigar_t's */
    long long *n_runs;
    uint32_t *runs;
};

/* @return blocks that a device holds at once of the kernel */
status_t rscan_trace_blocks(const device_t *device, int *out);

/* Enqueue: fill the keys by which pairs are ordered, and the order. */
status_t rscan_trace_keys(const rscan_trace_launch_t &launch, unsigned *keys,
                          unsigned *order, cudaStream_t stream);

/* Enqueue: sweep and trace. */
status_t rscan_trace_kernel_run(const rscan_trace_launch_t &launch, int n_blocks,
                                cudaStream_t stream);

struct rscan_trace_t;

/* @return whether pairs of at most len letters can be traced */
bool rscan_trace_holds(const align_spec_t *spec, int64_t len);

/*
 * Make ready; set, spec and batch are borrowed until destroy.
 *
 * @param most  letters of the longest sequence that comes
 */
status_t rscan_trace_create(const device_t *device, const seqset_t *set,
                            const align_spec_t *spec, const cuda_batch_t *batch, int most,
                            rscan_trace_t **out);

/* Enqueue a batch's CIGARs behind its numbers. @param scan  what these were computed with
 */
status_t rscan_trace_run(rscan_trace_t *t, const pair_batch_t *batch,
                         const cuda_work_t *work, const rscan_launch_t &scan);

/* Take a slot's CIGARs to the host; what was enqueued for it has run. */
status_t rscan_trace_fetch(rscan_trace_t *t, int slot, pair_results_t *out);

void rscan_trace_destroy(rscan_trace_t *t);

#endif
