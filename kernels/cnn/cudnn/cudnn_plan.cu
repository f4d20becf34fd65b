/*
 * cudnn_plan.cu - the fastest of cuDNN's plans for a convolution.
 */
#include "kernels/cnn/cudnn/cudnn_plan.cuh"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace
{

/* Heuristics propose some 40 configurations, many of which no problem here allows. */
constexpr int MAX_CONFIGS = 64, MAX_RUN = 10, N_TIMED = 3;

/* An engine's configurations that heuristics propose; owned by a bag */
typedef struct {
    cudnn_bag_t bag;
    cudnnBackendDescriptor_t at[MAX_CONFIGS];
    int n;
} configs_t;

void add_proposals(cudnnBackendDescriptor_t graph, cudnnBackendHeurMode_t mode,
                   configs_t *out)
{
    cudnn_bag_t bag = {};
    const cudnnBackendDescriptor_t h =
        cudnn_make(&bag, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    int64_t n = 0;

    cudnn_set(&bag, h, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH,
              CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &graph);
    cudnn_set(&bag, h, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
    cudnn_finish(&bag, h);
    if (bag.status == CUDNN_STATUS_SUCCESS)
        bag.status =
            cudnnBackendGetAttribute(h, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                     CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &n, nullptr);
    if (bag.status == CUDNN_STATUS_SUCCESS && n > 0) {
        const int64_t room = MAX_CONFIGS - out->n;
        cudnnBackendDescriptor_t *at = &out->at[out->n];

        n = n < room ? n : room;
        for (int64_t k = 0; k < n; k++)
            at[k] = cudnn_make(&out->bag, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
        if (out->bag.status == CUDNN_STATUS_SUCCESS &&
            cudnnBackendGetAttribute(h, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                     CUDNN_TYPE_BACKEND_DESCRIPTOR, n, &n,
                                     at) == CUDNN_STATUS_SUCCESS)
            out->n += int(n);
    }
    cudnn_bag_free(&bag);
}

/* The engine of a configuration, which lives as long as the bag */
cudnnBackendDescriptor_t engine_of(cudnn_bag_t *bag, cudnnBackendDescriptor_t config)
{
    cudnnBackendDescriptor_t engine = cudnn_make(bag, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    int64_t n = 0;

    if (bag->status == CUDNN_STATUS_SUCCESS)
        bag->status =
            cudnnBackendGetAttribute(config, CUDNN_ATTR_ENGINECFG_ENGINE,
                                     CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &n, &engine);
    return engine;
}

bool has(const cudnnBackendNumericalNote_t *notes, int64_t n,
         cudnnBackendNumericalNote_t note)
{
    for (int64_t k = 0; k < n; k++)
        if (notes[k] == note)
            return true;
    return false;
}

/* Whether an engine keeps the rules of a problem */
bool is_allowed(const cudnn_problem_t *p, cudnnBackendDescriptor_t config)
{
    cudnn_bag_t bag = {};
    const cudnnBackendDescriptor_t engine = engine_of(&bag, config);
    cudnnBackendNumericalNote_t notes[CUDNN_NUMERICAL_NOTE_TYPE_COUNT];
    int64_t n = 0;
    bool known;

    if (bag.status == CUDNN_STATUS_SUCCESS)
        bag.status = cudnnBackendGetAttribute(engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                              CUDNN_TYPE_NUMERICAL_NOTE,
                                              CUDNN_NUMERICAL_NOTE_TYPE_COUNT, &n, notes);
    known = bag.status == CUDNN_STATUS_SUCCESS;
    cudnn_bag_free(&bag);
    return known && !has(notes, n, CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS) &&
           !has(notes, n, CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION) &&
           (p->any_order || !has(notes, n, CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC));
}

void append_knobs(cudnnBackendDescriptor_t config, char *tag)
{
    cudnnBackendDescriptor_t knobs[CUDNN_KNOB_TYPE_COUNTS];
    cudnn_bag_t bag = {};
    int64_t n = 0, one;

    for (cudnnBackendDescriptor_t &knob : knobs)
        knob = cudnn_make(&bag, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
    if (bag.status == CUDNN_STATUS_SUCCESS)
        bag.status = cudnnBackendGetAttribute(config, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
                                              CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                              CUDNN_KNOB_TYPE_COUNTS, &n, knobs);
    for (int64_t k = 0; k < n && bag.status == CUDNN_STATUS_SUCCESS; k++) {
        const size_t len = strlen(tag);
        cudnnBackendKnobType_t type;
        int64_t value;

        if (cudnnBackendGetAttribute(knobs[k], CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE,
                                     CUDNN_TYPE_KNOB_TYPE, 1, &one,
                                     &type) == CUDNN_STATUS_SUCCESS &&
            cudnnBackendGetAttribute(knobs[k], CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE,
                                     CUDNN_TYPE_INT64, 1, &one,
                                     &value) == CUDNN_STATUS_SUCCESS)
            snprintf(tag + len, CUDNN_TAG_BYTES - len, "_k%d=%lld", int(type),
                     static_cast<long long>(value));
    }
    cudnn_bag_free(&bag);
}

void write_tag(cudnnBackendDescriptor_t config, char *tag)
{
    cudnn_bag_t bag = {};
    const cudnnBackendDescriptor_t engine = engine_of(&bag, config);
    int64_t index = -1, n = 0;

    if (bag.status == CUDNN_STATUS_SUCCESS)
        cudnnBackendGetAttribute(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64,
                                 1, &n, &index);
    snprintf(tag, CUDNN_TAG_BYTES, "eng%lld", static_cast<long long>(index));
    cudnn_bag_free(&bag);
    append_knobs(config, tag);
}

/* A configuration of its own from a tag */
cudnnBackendDescriptor_t config_of(cudnn_bag_t *bag, cudnnBackendDescriptor_t graph,
                                   const char *tag)
{
    cudnnBackendDescriptor_t knobs[CUDNN_KNOB_TYPE_COUNTS];
    char *at;
    int64_t n = 0, index = strtoll(tag + strlen("eng"), &at, 10);
    const cudnnBackendDescriptor_t engine =
        cudnn_make(bag, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    cudnnBackendDescriptor_t config;

    cudnn_set(bag, engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH,
              CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &graph);
    cudnn_set(bag, engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &index);
    cudnn_finish(bag, engine);
    while (at[0] == '_' && at[1] == 'k' && n < CUDNN_KNOB_TYPE_COUNTS) {
        const cudnnBackendKnobType_t type =
            static_cast<cudnnBackendKnobType_t>(strtol(at + 2, &at, 10));
        const int64_t value = *at == '=' ? strtoll(at + 1, &at, 10) : 0;
        const cudnnBackendDescriptor_t knob =
            cudnn_make(bag, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);

        cudnn_set(bag, knob, CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1,
                  &type);
        cudnn_set(bag, knob, CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, 1,
                  &value);
        cudnn_finish(bag, knob);
        knobs[n++] = knob;
    }
    config = cudnn_make(bag, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    cudnn_set(bag, config, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
              &engine);
    if (n > 0)
        cudnn_set(bag, config, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
                  CUDNN_TYPE_BACKEND_DESCRIPTOR, n, knobs);
    cudnn_finish(bag, config);
    return config;
}

/* Compile out->tag. @return whether that was possible */
bool make_plan(cudnnHandle_t handle, cudnnBackendDescriptor_t graph, cudnn_plan_t *out)
{
    cudnn_bag_t *bag = &out->bag;
    const cudnnBackendDescriptor_t config = config_of(bag, graph, out->tag);
    const cudnnBackendDescriptor_t plan =
        cudnn_make(bag, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    int64_t bytes = 0, n = 0;

    cudnn_set(bag, plan, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
    cudnn_set(bag, plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG,
              CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &config);
    cudnn_finish(bag, plan);
    if (bag->status == CUDNN_STATUS_SUCCESS)
        bag->status =
            cudnnBackendGetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                     CUDNN_TYPE_INT64, 1, &n, &bytes);
    if (bag->status != CUDNN_STATUS_SUCCESS) {
        cudnn_bag_free(bag);
        return false;
    }
    out->plan = plan;
    out->workspace_bytes = size_t(bytes);
    return true;
}

cudnnStatus_t run_graph(cudnnHandle_t handle, const cudnn_plan_t *plan,
                        const cudnn_data_t *data, void *workspace)
{
    const int64_t numbers[4] = {CUDNN_X, CUDNN_W, CUDNN_Y, CUDNN_BIAS};
    void *const pointers[4] = {data->x, data->w, data->y, data->bias};
    const int64_t n = plan->problem.bias_relu ? 4 : 3;
    cudnn_bag_t bag = {};
    const cudnnBackendDescriptor_t pack =
        cudnn_make(&bag, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    cudnnStatus_t status;

    cudnn_set(&bag, pack, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, n,
              pointers);
    cudnn_set(&bag, pack, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, n,
              numbers);
    cudnn_set(&bag, pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1,
              &workspace);
    cudnn_finish(&bag, pack);
    status = bag.status;
    if (status == CUDNN_STATUS_SUCCESS)
        status = cudnnBackendExecute(handle, plan->plan, pack);
    cudnn_bag_free(&bag);
    return status;
}

/* Time of a run, the shortest of some. @return whether the plan runs */
status_t time_plan(cudnnHandle_t handle, cudnn_plan_t *plan, const cudnn_data_t *data,
                   void *workspace, cudaStream_t stream, double limit, bool *runs)
{
    cudaEvent_t begin = nullptr, end = nullptr;
    float best = 0;
    status_t st = CUDA_TRY(cudaEventCreate(&begin));

    *runs = false;
    if (st == ST_OK)
        st = CUDA_TRY(cudaEventCreate(&end));
    for (int k = 0; k <= N_TIMED && st == ST_OK; k++) {
        float ms = 0;

        cudaEventRecord(begin, stream);
        if (cudnn_plan_run(handle, plan, data, workspace) != CUDNN_STATUS_SUCCESS) {
            cudaGetLastError(); /* this plan is not for this device */
            *runs = false;
            break;
        }
        cudaEventRecord(end, stream);
        if ((st = CUDA_TRY(cudaEventSynchronize(end))) != ST_OK ||
            (st = CUDA_TRY(cudaEventElapsedTime(&ms, begin, end))) != ST_OK)
            break;
        *runs = true;
        if (k < 2 || ms < best) /* the first run loads the kernel */
            best = ms;
        if (k == 1 && ms > 2000 * limit)
            break;
    }
    plan->seconds = double(best) / 1000;
    if (begin != nullptr)
        cudaEventDestroy(begin);
    if (end != nullptr)
        cudaEventDestroy(end);
    return st;
}

bool is_known(char tags[][CUDNN_TAG_BYTES], int n, const char *tag)
{
    for (int k = 0; k < n; k++)
        if (strcmp(tags[k], tag) == 0)
            return true;
    return false;
}

/* Tags of configurations that keep the rules of a problem. @return their number */
int propose(cudnnHandle_t handle, const cudnn_problem_t *problem,
            char tags[][CUDNN_TAG_BYTES])
{
    static const cudnnBackendHeurMode_t modes[] = {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_B,
                                                   CUDNN_HEUR_MODE_FALLBACK};
    cudnn_bag_t bag = {};
    configs_t configs = {};
    const cudnnBackendDescriptor_t graph = cudnn_problem_graph(&bag, handle, problem);
    int n = 0;

    for (int m = 0; m < 3 && bag.status == CUDNN_STATUS_SUCCESS; m++)
        add_proposals(graph, modes[m], &configs);
    for (int k = 0; k < configs.n; k++) {
        write_tag(configs.at[k], tags[n]);
        if (!is_known(tags, n, tags[n]) && is_allowed(problem, configs.at[k]))
            n++;
    }
    cudnn_bag_free(&configs.bag);
    cudnn_bag_free(&bag);
    return n;
}

} // namespace

cudnnStatus_t cudnn_plan_run(cudnnHandle_t handle, const cudnn_plan_t *plan,
                             const cudnn_data_t *data, void *workspace)
{
    if (plan->problem.strict)
        return cudnn_algorithm_run(handle, plan, data, workspace);
    return run_graph(handle, plan, data, workspace);
}

status_t cudnn_plan_measure(cudnnHandle_t handle, const cudnn_problem_t *problem,
                            const cudnn_data_t *data, void *workspace, size_t limit,
                            cudaStream_t stream, cudnn_plan_t *out)
{
    char tags[MAX_CONFIGS][CUDNN_TAG_BYTES];
    const int n = problem->strict ? cudnn_algorithm_propose(problem, MAX_CONFIGS, tags)
                                  : propose(handle, problem, tags);
    int n_run = 0;
    status_t st = ST_OK;

    *out = cudnn_plan_t{};
    for (int k = 0; k < n && n_run < MAX_RUN && st == ST_OK; k++) {
        cudnn_plan_t plan = {};
        bool runs = false;

        cudnn_plan_restore(handle, problem, tags[k], &plan);
        if (plan.is_made && plan.workspace_bytes <= limit) {
            st = time_plan(handle, &plan, data, workspace, stream,
                           out->is_made ? out->seconds : 1e9, &runs);
            n_run++;
        }
        if (runs && (!out->is_made || plan.seconds < out->seconds)) {
            cudnn_plan_free(out);
            *out = plan;
        } else {
            cudnn_plan_free(&plan);
        }
    }
    return st;
}

void cudnn_plan_restore(cudnnHandle_t handle, const cudnn_problem_t *problem,
                        const char *tag, cudnn_plan_t *out)
{
    cudnnBackendDescriptor_t graph;

    *out = cudnn_plan_t{};
    out->problem = *problem;
    snprintf(out->tag, sizeof(out->tag), "%.*s", CUDNN_TAG_BYTES - 1, tag);
    if (problem->strict) {
        out->is_made = cudnn_algorithm_make(handle, out);
    } else if (strncmp(tag, "eng", 3) == 0) {
        graph = cudnn_problem_graph(&out->graph, handle, problem);
        out->is_made =
            out->graph.status == CUDNN_STATUS_SUCCESS && make_plan(handle, graph, out);
    }
    if (!out->is_made)
        cudnn_plan_free(out);
}

void cudnn_plan_free(cudnn_plan_t *plan)
{
    cudnn_bag_free(&plan->bag);
    cudnn_bag_free(&plan->graph);
    cudnn_algorithm_free(&plan->algorithm);
    plan->plan = nullptr;
    plan->is_made = false;
}
