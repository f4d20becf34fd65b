/*
 * native_winograd.cu - the plan and its passes: points, a product in 36 groups, results.
 */
#include "kernels/cnn/native/native_winograd.cuh"

#include "kernels/cnn/native/native_points.cuh"

#include <algorithm>

namespace
{

constexpr int SIZE = NATIVE_SIDE, TAPS = NATIVE_TAPS, ALL = NATIVE_POINTS;
constexpr size_t AT_ONCE_BYTES = size_t(256) << 20; /* at most, of points in a pass */
constexpr int MIN_CHANNELS = 32;

/* ---- the plan ---- */

int tiles(int n, int size)
{
    return (n + size - 1) / size;
}

/* The products at the points, as a convolution of images of one pixel in 36 groups */
native_problem_t product_of(const native_problem_t *p)
{
    native_problem_t q = {};

    q.h = q.w = q.out_h = q.out_w = q.tap_h = q.tap_w = q.stride_h = q.stride_w = 1;
    q.c = p->c;
    q.k = p->k;
    q.n_groups = ALL;
    q.c_all = ALL * p->c;
    q.k_all = ALL * p->k;
    q.d_is_float = true;
    return q;
}

bool is_3x3(const native_problem_t *p)
{
    return p->tap_h == TAPS && p->tap_w == TAPS && p->stride_h == 1 && p->stride_w == 1 &&
           p->n_groups == 1 && p->pad_h < TAPS && p->pad_w < TAPS;
}

/* Whether transforms take less than they save, and copies are of 16 bytes */
bool has_channels(const native_problem_t *p)
{
    return p->c >= MIN_CHANNELS && p->k >= MIN_CHANNELS && p->c % 4 == 0 && p->k % 4 == 0;
}

/* Whether products at the points are fewer than 3 / 5 of all, rows of whole tiles */
bool saves(int64_t n_tiles, int64_t n_results)
{
    const int64_t rows = (n_tiles + NATIVE_ROWS - 1) / NATIVE_ROWS * NATIVE_ROWS;

    return rows * ALL * 5 <= n_results * TAPS * TAPS * 3;
}

/* The workspace: one behind the other */
typedef struct {
    float *filter; /* the points of w; backward to the filter: sums of all passes */
    float *x, *y;  /* the points of both images, by their names in native_problem.cuh */
    float *sums;   /* of a product in parts */
} memory_t;

size_t aligned(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* @return the sums of all passes, each in its parts */
int n_sums(const native_winograd_t *w)
{
    const int n_passes = tiles(w->n, w->n_at_once);

    return (n_passes - 1) * w->product.p.n_parts + w->last.p.n_parts;
}

enum { FILTER, X, Y, SUMS, N_PARTS };

/* Bytes of the members of memory_t. @return their sum */
size_t sizes_of(const native_winograd_t *w, size_t bytes[N_PARTS])
{
    const native_problem_t *p = &w->product.p;
    const bool is_filter = w->op == NATIVE_FILTER;
    const size_t filters = is_filter ? size_t(n_sums(w)) : 1;
    const size_t per_channel =
        size_t(w->n_at_once) * w->tiles_h * w->tiles_w * sizeof(float);
    const size_t sums =
        std::max(native_plan_bytes(&w->product), native_plan_bytes(&w->last));

    bytes[FILTER] = aligned(filters * ALL * p->c * p->k * sizeof(float));
    bytes[X] = aligned(per_channel * p->c_all);
    bytes[Y] = aligned(per_channel * p->k_all);
    bytes[SUMS] = is_filter ? 0 : aligned(sums);
    return bytes[FILTER] + bytes[X] + bytes[Y] + bytes[SUMS];
}

memory_t lay_out(const native_winograd_t *w, void *workspace)
{
    float *at = static_cast<float *>(workspace);
    size_t bytes[N_PARTS];
    memory_t m = {};

    (void)sizes_of(w, bytes);
    m.filter = at;
    m.x = m.filter + bytes[FILTER] / sizeof(float);
    m.y = m.x + bytes[X] / sizeof(float);
    m.sums = m.y + bytes[Y] / sizeof(float);
    return m;
}

/* ---- a pass ---- */

/* A tensor of all images, and the points of some of them */
typedef struct {
    native_tiling_t tiling;
    float *at; /* the first of these images */
    float *points;
} side_t;

typedef struct {
    side_t x, y;
    const native_plan_t *product;
} pass_t;

native_tiling_t tiling_of(const native_winograd_t *w, int n_images, int height, int width,
                          int channels)
{
    native_tiling_t t = {};

    t.h = height;
    t.w = width;
    t.channels = channels;
    t.n = int64_t(n_images) * w->tiles_h * w->tiles_w * channels;
    t.by_channels = cnn_divisor(unsigned(channels));
    t.by_tiles_w = cnn_divisor(unsigned(w->tiles_w));
    t.by_tiles = cnn_divisor(unsigned(w->tiles_h * w->tiles_w));
    return t;
}

/* Images [first, first + n) */
pass_t pass_of(const native_winograd_t *w, const native_problem_t *p, int first,
               const memory_t *m)
{
    const int left = w->n - first, n = left < w->n_at_once ? left : w->n_at_once;
    const bool is_forward = w->op == NATIVE_FORWARD;
    pass_t pass = {};
    void *x = w->op == NATIVE_DATA ? p->d : const_cast<void *>(is_forward ? p->a : p->b);
    void *y = is_forward ? p->d : const_cast<void *>(p->a);

    pass.x.tiling = tiling_of(w, n, p->h, p->w, p->c);
    pass.y.tiling = tiling_of(w, n, p->out_h, p->out_w, p->k);
    pass.x.points = m->x;
    pass.y.points = m->y;
    pass.x.at = static_cast<float *>(x) + int64_t(first) * p->h * p->w * p->c;
    pass.y.at = static_cast<float *>(y) + int64_t(first) * p->out_h * p->out_w * p->k;
    if (w->op == NATIVE_DATA) { /* tiles of dx, which reads dy around it */
        pass.y.tiling.pad_h = TAPS - 1 - p->pad_h;
        pass.y.tiling.pad_w = TAPS - 1 - p->pad_w;
    } else {
        pass.x.tiling.pad_h = p->pad_h;
        pass.x.tiling.pad_w = p->pad_w;
    }
    pass.product = left > w->n_at_once ? &w->product : &w->last;
    return pass;
}

/* Forward, and backward to the data */
status_t convolve(const native_winograd_t *w, const native_problem_t *p,
                  const pass_t &pass, const memory_t *m, cudaStream_t stream)
{
    const side_t &from = w->op == NATIVE_DATA ? pass.y : pass.x;
    const side_t &to = w->op == NATIVE_DATA ? pass.x : pass.y;
    native_plan_t product = *pass.product;
    status_t st;

    product.p.a = from.points;
    product.p.b = m->filter;
    product.p.d = to.points;
    product.p.sums = m->sums;
    st = native_image_points(&from.tiling, from.at, from.points, stream);
    if (st == ST_OK)
        st = native_plan_run(&product, stream);
    return st == ST_OK ? native_points_image(&to.tiling, to.points, p->bias, p->relu,
                                             to.at, stream)
                       : st;
}

/* Backward to the filter. @param n  sums before those of this pass */
status_t add_to_filter(const pass_t &pass, int n, const memory_t *m, cudaStream_t stream)
{
    native_plan_t product = *pass.product;
    status_t st;

    product.p.a = pass.y.points;
    product.p.b = pass.x.points;
    product.p.sums = m->filter + int64_t(n) * ALL * product.p.c * product.p.k;
    product.p.d = product.p.sums;
    st = native_image_points(&pass.x.tiling, pass.x.at, pass.x.points, stream);
    if (st == ST_OK)
        st = native_gradient_points(&pass.y.tiling, pass.y.at, pass.y.points, stream);
    return st == ST_OK ? native_plan_multiply(&product, stream) : st;
}

} // namespace

bool native_winograd_plan(native_op_t op, const native_problem_t *p, int n, int n_cores,
                          size_t limit, native_winograd_t *out)
{
    const bool is_data = op == NATIVE_DATA;
    const int h = is_data ? p->h : p->out_h, w = is_data ? p->w : p->out_w;
    const native_problem_t q = product_of(p);
    native_winograd_t plan = {};

    plan.op = op;
    plan.n = n;
    plan.tiles_h = tiles(h, SIZE);
    plan.tiles_w = tiles(w, SIZE);
    const int n_tiles = plan.tiles_h * plan.tiles_w;
    const size_t bytes = size_t(n_tiles) * (q.c_all + q.k_all) * sizeof(float);
    const size_t most = std::min(AT_ONCE_BYTES, limit / 2); /* the rest is for filters */
    if (!is_3x3(p) || !has_channels(p) || bytes > most)
        return false;
    plan.n_at_once = tiles(n, tiles(n, int(most / bytes)));
    const int n_last = n - (tiles(n, plan.n_at_once) - 1) * plan.n_at_once;
    plan.product = native_plan(op, NATIVE_STRICT, &q, plan.n_at_once * n_tiles, n_cores);
    plan.last = native_plan(op, NATIVE_STRICT, &q, n_last * n_tiles, n_cores);
    *out = plan;
    return saves(int64_t(plan.n_at_once) * n_tiles, int64_t(plan.n_at_once) * h * w) &&
           native_winograd_bytes(&plan) <= limit;
}

size_t native_winograd_bytes(const native_winograd_t *w)
{
    size_t bytes[N_PARTS];

    return sizes_of(w, bytes);
}

status_t native_winograd_run(const native_winograd_t *w, const native_problem_t *p,
                             void *workspace, cudaStream_t stream)
{
    const memory_t m = lay_out(w, workspace);
    int n_added = 0;
    status_t st = ST_OK;

    if (w->op != NATIVE_FILTER)
        st = native_filter_points(p->k, p->c, w->op == NATIVE_DATA,
                                  static_cast<const float *>(p->b), m.filter, stream);
    for (int first = 0; st == ST_OK && first < w->n; first += w->n_at_once) {
        const pass_t pass = pass_of(w, p, first, &m);

        st = w->op == NATIVE_FILTER ? add_to_filter(pass, n_added, &m, stream)
                                    : convolve(w, p, pass, &m, stream);
        n_added += pass.product->p.n_parts;
    }
    if (st != ST_OK || w->op != NATIVE_FILTER)
        return st;
    return native_points_filter(p->k, p->c, n_added, m.filter, static_cast<float *>(p->d),
                                stream);
}
