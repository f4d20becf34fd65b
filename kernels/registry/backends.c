/*
 * backends.c - the tables of backends.
 */
#include "kernels/registry/backends.h"

#include "io/base/logmsg.h"
#ifdef RIBOGRID_HAVE_CUDA
#include "kernels/align/cuda/cuda_aligners.h"
#endif

/* ---- alignments ---- */

static const backend_t *const aligners[] = {
#ifdef RIBOGRID_HAVE_CUDA
    &bscan_cuda_backend.base,
    &sscan_backend.base,
    &rscan_backend.base,
    &ascan_backend.base,
    &dscan_backend.base,
    &tiled_dscan_backend.base,
    &pscan_backend.base,
    &lscan_backend.base,
    &wavefront_backend.base,
#endif
    &bscan_backend.base,
    &simd_backend.base,
    &simd_local_backend.base,
    &scalar_backend.base,
    NULL,
};

const backend_table_t aligner_table = {.name = "align", .rows = aligners};

/* ---- naive Bayes ---- */

/* `reference` is last: others are faster. */
static const backend_t *const classifiers[] = {
    &nbc_cpu_backend.base,
#ifdef RIBOGRID_HAVE_CUDA
    &nbc_cuda_backend.base,
#endif
    &nbc_reference_backend.base,
    NULL,
};

static bool nbc_takes(const backend_t *row, const void *context)
{
    return ((const nbc_backend_t *)row)->takes(context);
}

static status_t nbc_create(const backend_t *row, const void *context, void **state)
{
    return ((const nbc_backend_t *)row)->create(context, state);
}

static void nbc_refuse(const void *context)
{
    const nbc_context_t *c = context;

    log_error("%s: a model of %lld classes does not fit the memory of this device; "
              "classify on the CPU",
              c->device->name, (long long)c->model->classes->n);
}

const backend_table_t nbc_table = {.name = "classify",
                                   .rows = classifiers,
                                   .takes = nbc_takes,
                                   .create = nbc_create,
                                   .refuse = nbc_refuse};

/* ---- graphs ---- */

/* `nested` has templates of its own.  `serial` is last: others are faster. */
static const backend_t *const graphs[] = {
    &cpu_graph_backend.base,
#ifdef RIBOGRID_HAVE_CUDA
    &cuda_graph_backend.base,   &nested_graph_backend.base,
#endif
    &serial_graph_backend.base, NULL,
};

static bool graph_takes(const backend_t *row, const void *context)
{
    return graph_backend_takes((const graph_backend_t *)row, context);
}

static status_t graph_create(const backend_t *row, const void *context, void **state)
{
    return ((const graph_backend_t *)row)->create(context, state);
}

static void graph_refuse(const void *context)
{
    const graph_context_t *c = context;

    log_error("%s cannot be computed in this way by the kernel; give --kernel auto",
              graph_info(c->spec->algorithm)->name);
}

const backend_table_t graph_table = {.name = "graph",
                                     .rows = graphs,
                                     .takes = graph_takes,
                                     .create = graph_create,
                                     .refuse = graph_refuse};

status_t graph_backend_choose(const graph_context_t *context, const graph_backend_t **out)
{
    const backend_request_t request = {.name = context->run->backend,
                                       .device = context->device};
    const backend_t *row;
    status_t st = backend_choose(&graph_table, &request, context, &row);

    if (st == ST_OK)
        *out = (const graph_backend_t *)row;
    return st;
}

/* ---- divided graphs ---- */

static const backend_t *const parts[] = {
#ifdef RIBOGRID_HAVE_CUDA
    &part_cuda_backend.base,
#endif
    &part_cpu_backend.base,
    NULL,
};

static bool part_takes(const backend_t *row, const void *context)
{
    const part_context_t *c = context;

    return ((const part_backend_t *)row)->takes(c->spec->algorithm);
}

static status_t part_create(const backend_t *row, const void *context, void **state)
{
    return ((const part_backend_t *)row)->create(context, state);
}

static void part_refuse(const void *context)
{
    const part_context_t *c = context;

    log_error("%s has no kernel for divided graphs; give --partition off",
              graph_info(c->spec->algorithm)->name);
}

const backend_table_t part_table = {.name = "divided graph",
                                    .rows = parts,
                                    .takes = part_takes,
                                    .create = part_create,
                                    .refuse = part_refuse};

/* ---- neural networks ---- */

/* `serial` is last: others are faster. */
static const backend_t *const networks[] = {
    &cpu_cnn_backend.base,
#ifdef RIBOGRID_HAVE_CUDNN
    &cudnn_cnn_backend.base,
#endif
#ifdef RIBOGRID_HAVE_CUDA
    &native_cnn_backend.base,
#endif
    &serial_cnn_backend.base, NULL,
};

static bool cnn_takes(const backend_t *row, const void *context)
{
    return ((const cnn_backend_t *)row)->takes(context);
}

static status_t cnn_create(const backend_t *row, const void *context, void **state)
{
    return ((const cnn_backend_t *)row)->create(context, state);
}

static void cnn_refuse(const void *context)
{
    (void)context;
    log_error("no kernel of this name and device runs programs of this precision; choose "
              "fp32 or another device");
}

const backend_table_t cnn_table = {.name = "cnn",
                                   .rows = networks,
                                   .takes = cnn_takes,
                                   .create = cnn_create,
                                   .refuse = cnn_refuse};

/* ---- primers ---- */

/* `scalar` is last: others are faster. */
static const backend_t *const primers[] = {
#ifdef RIBOGRID_HAVE_CUDA
    &primer_cuda_backend.base,
#endif
    &primer_cpu_backend.base,
    &primer_reference_backend.base,
    NULL,
};

static bool primer_takes(const backend_t *row, const void *context)
{
    const primer_context_t *c = context;

    return c->max_mismatches <= PRIMER_MISMATCHES_MAX &&
           c->max_gaps <= (device_kind_is_gpu(row->kind) ? 0 : PRIMER_GAPS_MAX);
}

static void primer_refuse(const void *context)
{
    const primer_context_t *c = context;

    log_error("no kernel of this device finds primers with %d mismatches and %d gaps; "
              "choose the CPU, or give fewer",
              c->max_mismatches, c->max_gaps);
}

static status_t primer_create(const backend_t *row, const void *context, void **state)
{
    return ((const primer_backend_t *)row)->create(context, state);
}

const backend_table_t primer_table = {.name = "primers",
                                      .rows = primers,
                                      .takes = primer_takes,
                                      .create = primer_create,
                                      .refuse = primer_refuse};

/* ---- integral histograms ---- */

/* `serial` is last: others are faster. */
static const backend_t *const ihists[] = {
#ifdef RIBOGRID_HAVE_CUDA
    &ihist_look_back_backend.base,
    &ihist_wf_tiled_backend.base,
    &ihist_cw_tiledhv_backend.base,
#endif
    &ihist_tiled_backend.base,
    &ihist_serial_backend.base,
    NULL};

static bool ihist_takes(const backend_t *row, const void *context)
{
    return ((const ihist_backend_t *)row)->takes(context);
}

static void ihist_refuse(const void *context)
{
    const ihist_context_t *c = context;
    const long long width = c->shape.width, height = c->shape.height;

    if (!c->shape.is_wide)
        log_error("%s: its memory does not hold the integral histogram of %lld x %lld "
                  "pixels in %lld bins; give --device cpu",
                  c->device->name, width, height, (long long)c->shape.n_bins);
    else
        log_error("counts of %lld x %lld pixels need 64 bits; give --kernel serial",
                  width, height);
}

static status_t ihist_create(const backend_t *row, const void *context, void **state)
{
    return ((const ihist_backend_t *)row)->create(context, state);
}

const backend_table_t ihist_table = {.name = "integral histogram",
                                     .rows = ihists,
                                     .takes = ihist_takes,
                                     .create = ihist_create,
                                     .refuse = ihist_refuse};

/* ---- meshes ---- */

static const backend_t *const meshes[] = {
#ifdef RIBOGRID_HAVE_CUDA
    &mesh_rounds_cuda_backend.base,
#endif
    &mesh_rounds_backend.base, NULL};

static bool mesh_takes(const backend_t *row, const void *context)
{
    (void)row;
    (void)context;
    return true;
}

static void mesh_refuse(const void *context)
{
    log_error("%s: no kernel refines meshes there; give --device cpu",
              ((const device_t *)context)->name);
}

const backend_table_t mesh_table = {.name = "mesh refine",
                                    .rows = meshes,
                                    .takes = mesh_takes,
                                    .refuse = mesh_refuse};

/* ---- patterns ---- */

/* `dfa` is for few patterns with small automata; `scalar` is last: others are faster. */
static const backend_t *const scans[] = {
#ifdef RIBOGRID_HAVE_CUDA
    &scan_cuda_backend.base,
#endif
    &scan_nfa_backend.base,  &scan_dfa_backend.base,       &scan_adfa_backend.base,
    &scan_lazy_backend.base, &scan_reference_backend.base, NULL,
};

static bool scan_takes(const backend_t *row, const void *context)
{
    const scan_backend_t *b = (const scan_backend_t *)row;

    return b->takes == NULL || b->takes(context);
}

static void scan_refuse(const void *context)
{
    const scan_context_t *c = context;

    if (dfa_set_is_compressed(c->dfas))
        log_error("the automata are compressed; give --kernel adfa, or what `automata "
                  "build` has written");
    else
        log_error("the automata are not compressed; run `automata compress` before, or "
                  "give --kernel dfa");
}

static status_t scan_create(const backend_t *row, const void *context, void **state)
{
    return ((const scan_backend_t *)row)->create(context, state);
}

const backend_table_t scan_table = {.name = "automata match",
                                    .rows = scans,
                                    .takes = scan_takes,
                                    .create = scan_create,
                                    .refuse = scan_refuse};

/* ---- automata ---- */

/* `serial` is last: others are faster. */
static const backend_t *const subsets[] = {
#ifdef RIBOGRID_HAVE_CUDA
    &subset_cuda_backend.base,
#endif
    &subset_cpu_backend.base,
    &subset_serial_backend.base,
    NULL,
};

static bool subset_takes(const backend_t *row, const void *context)
{
    (void)row;
    (void)context;
    return true;
}

static void subset_refuse(const void *context)
{
    (void)context;
    log_error("no kernel of this device builds automata; choose the CPU");
}

static status_t subset_create_state(const backend_t *row, const void *context,
                                    void **state)
{
    return ((const subset_backend_t *)row)->create(context, state);
}

const backend_table_t subset_table = {.name = "automata build",
                                      .rows = subsets,
                                      .takes = subset_takes,
                                      .create = subset_create_state,
                                      .refuse = subset_refuse};

#ifdef RIBOGRID_HAVE_CUDA
csr_merge_fn_t *const merge_on_gpu = csr_merge_on_gpu;
sync_measure_fn_t *const sync_measure_on_gpu = sync_measure;
#else
csr_merge_fn_t *const merge_on_gpu = NULL;
sync_measure_fn_t *const sync_measure_on_gpu = NULL;
#endif

const backend_table_t *const backend_tables[] = {&aligner_table, &graph_table,
                                                 &nbc_table,     &cnn_table,
                                                 &primer_table,  &scan_table,
                                                 &subset_table,  &ihist_table,
                                                 &mesh_table,    NULL};
