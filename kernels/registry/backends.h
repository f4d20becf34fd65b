/*
 * backends.h - the backends of this build: the one place where they are listed, and the
 * tables that jobs choose from.
 */
#pragma once

#include "kernels/align/common/aligner_backend.h"
#include "kernels/automata/scan_backend.h"
#include "kernels/automata/subset_backend.h"
#include "kernels/classify/nbc_backend.h"
#include "kernels/cnn/common/cnn_backend.h"
#include "kernels/device/backend.h"
#include "kernels/graph/common/graph_backend.h"
#include "kernels/graph/part/part_backend.h"
#include "kernels/graph/update/csr_merge_gpu.h"
#include "kernels/ihist/ihist_backend.h"
#include "kernels/mesh/refine/mesh_backend.h"
#include "kernels/primers/primer_backend.h"
#include "kernels/sync/sync_measure.h"

/* Rows are aligner_backend_t.  A batch may need several, which the aligner ranks
 * (aligner.h): the table has rows only. */
extern const backend_table_t aligner_table;

extern const backend_table_t nbc_table;   /* nbc_backend_t, nbc_context_t */
extern const backend_table_t graph_table; /* graph_backend_t, graph_context_t */
extern const backend_table_t cnn_table;   /* cnn_backend_t, cnn_context_t */

/* Graphs that the ranks of a gang divide: part_backend_t, part_context_t. */
extern const backend_table_t part_table;

/* Places of primers: primer_backend_t, primer_context_t. */
extern const backend_table_t primer_table;

/* Patterns in bytes: scan_backend_t, scan_context_t. */
extern const backend_table_t scan_table;

/* States of automata: subset_backend_t, subset_context_t. */
extern const backend_table_t subset_table;

/* Integral histograms of images: ihist_backend_t, ihist_context_t. */
extern const backend_table_t ihist_table;

/* Refinement of meshes: mesh_backend_t, a device_t. */
extern const backend_table_t mesh_table;

/* Merges rows of graphs on a GPU: csr_merge_on_gpu; NULL in a build without CUDA. */
extern csr_merge_fn_t *const merge_on_gpu;

/* Measures barriers of a GPU: sync_measure; NULL in a build without CUDA. */
extern sync_measure_fn_t *const sync_measure_on_gpu;

/* The tables that --kernel names a row of, then NULL. */
extern const backend_table_t *const backend_tables[];

/* backend_choose for graphs, of the backend that context->run names. */
status_t graph_backend_choose(const graph_context_t *context,
                              const graph_backend_t **out) MUST_CHECK;
