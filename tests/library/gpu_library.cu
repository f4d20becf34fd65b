/*
 * gpu_library.cu - the library on a GPU: the same integers as on the CPU for every
 * preset, and arrays that are in the GPU's memory.
 *
 * A plain program, without cmocka, which GPU machines may lack.  It prints one line per
 * check, and exits with 1 if one fails, 77 without a GPU.
 */
#include "library/ribogrid.h"

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace
{

constexpr int N = 90;

int n_failed;

void check(const std::string &what, bool is_so, const rg_context_t *context = nullptr)
{
    printf("%s\t%s\n", is_so ? "ok" : "FAILED", what.c_str());
    if (!is_so && context != nullptr)
        printf("\t%s\n", rg_context_error(context));
    fflush(stdout);
    n_failed += !is_so;
}

struct sequences_t {
    std::string letters;
    std::vector<int64_t> offsets{0};
    std::vector<int32_t> pairs; /* [n][2] */

    /* Families of eight, whose members have a few changes, other lengths and some N. */
    sequences_t()
    {
        unsigned seed = 1;
        const auto draw = [&seed](unsigned n) {
            seed = seed * 1664525u + 1013904223u;
            return (seed >> 8) % n;
        };
        std::string first;

        for (int i = 0; i < N; i++) {
            if (i % 8 == 0) {
                first.clear();
                for (unsigned k = 0, len = 120 + draw(400); k < len; k++)
                    first += "ACGT"[draw(4)];
            }
            for (const char letter : first) {
                const unsigned change = draw(40);

                if (change > 1)
                    letters += letter;
                else if (change == 1)
                    letters += "ACGTN"[draw(5)];
            }
            offsets.push_back(static_cast<int64_t>(letters.size()));
        }
        for (int i = 0; i < N; i++)
            for (int k = 0; k < N; k += 1 + i % 3) {
                pairs.push_back(i);
                pairs.push_back(k);
            }
    }

    int64_t n_pairs() const
    {
        return static_cast<int64_t>(pairs.size() / 2);
    }
};

struct context_t {
    rg_context_t *at = nullptr;

    context_t(const char *device, int threads)
    {
        rg_context_options_t options;

        rg_context_options_init(&options, sizeof(options));
        options.device = device;
        options.threads = threads;
        if (rg_context_create(&options, &at) != RG_OK)
            printf("%s: %s\n", device, rg_context_error(nullptr));
    }

    context_t(const context_t &) = delete;

    ~context_t()
    {
        rg_context_destroy(at);
    }
};

rg_set_t *set_of(const context_t &c, const sequences_t &s)
{
    rg_set_t *set = nullptr;

    if (rg_set_create(c.at, "dna", N, s.letters.data(), s.offsets.data(), nullptr,
                      &set) != RG_OK)
        printf("%s\n", rg_context_error(c.at));
    return set;
}

rg_aligner_t *aligner_of(const context_t &c, const rg_set_t *set,
                         const rg_set_t *references, const rg_align_options_t &options)
{
    rg_aligner_t *aligner = nullptr;

    if (rg_aligner_create(c.at, set, references, &options, &aligner) != RG_OK)
        printf("%s\n", rg_context_error(c.at));
    return aligner;
}

template <typename T> bool same(const T *a, const T *b, int64_t n)
{
    return (a == nullptr) == (b == nullptr) &&
           (a == nullptr || memcmp(a, b, static_cast<size_t>(n) * sizeof(T)) == 0);
}

bool equal(const rg_result_t *a, const rg_result_t *b)
{
    const int64_t n = rg_result_count(a);
    const int64_t *starts = rg_result_cigar_starts(a);

    return a != nullptr && b != nullptr && n == rg_result_count(b) &&
           same(rg_result_queries(a), rg_result_queries(b), n) &&
           same(rg_result_targets(a), rg_result_targets(b), n) &&
           same(rg_result_scores(a), rg_result_scores(b), n) &&
           same(rg_result_matches(a), rg_result_matches(b), n) &&
           same(rg_result_columns(a), rg_result_columns(b), n) &&
           same(rg_result_strands(a), rg_result_strands(b), n) &&
           same(starts, rg_result_cigar_starts(b), n + 1) &&
           (starts == nullptr ||
            same(rg_result_cigar_runs(a), rg_result_cigar_runs(b), starts[n]));
}

/* ---- equal integers ---- */

struct way_t {
    const char *preset, *emit, *mode;
    double id;
    bool both; /* strands, with references */
};

struct results_t {
    rg_result_t *all = nullptr, *listed = nullptr;

    results_t(const context_t &c, const sequences_t &s, const way_t &w)
    {
        rg_align_options_t options;
        rg_set_t *set = set_of(c, s);
        rg_aligner_t *aligner;

        rg_align_options_init(&options, sizeof(options));
        options.preset = w.preset;
        options.emit = w.emit;
        options.mode = w.mode;
        if (w.id > 0)
            options.id = w.id;
        if (w.both)
            options.strand = "both";
        aligner = aligner_of(c, set, w.both ? set : nullptr, options);
        if (rg_aligner_all(aligner, &all) != RG_OK ||
            rg_aligner_pairs(aligner, s.pairs.data(), s.n_pairs(), &listed) != RG_OK)
            printf("%s\n", rg_context_error(c.at));
        rg_aligner_destroy(aligner);
        rg_set_destroy(set);
    }

    results_t(const results_t &) = delete;

    ~results_t()
    {
        rg_result_destroy(all);
        rg_result_destroy(listed);
    }
};

void compare(const context_t &gpu, const sequences_t &s)
{
    static const char *const presets[] = {"vsearch", "mothur", "needle", "blastn",
                                          "unit"};
    std::vector<way_t> ways = {{nullptr, "identity", nullptr, 0.9, false},
                               {nullptr, "cigar", nullptr, 0.8, true},
                               {nullptr, "score", "local", 0, false},
                               {nullptr, "cigar", "local", 0, false}};
    const context_t one("cpu", 1), two("cpu", 2);

    for (const char *preset : presets)
        for (const char *emit : {"score", "identity", "cigar"})
            ways.push_back({preset, emit, nullptr, 0, false});
    for (const way_t &w : ways) {
        const results_t a(gpu, s, w), b(one, s, w), c(two, s, w);

        check(std::string("equal to the CPU: ") + (w.preset ? w.preset : "default") +
                  " " + w.emit + (w.mode ? " local" : "") +
                  (w.both ? " both strands" : ""),
              equal(a.all, b.all) && equal(a.listed, b.listed) && equal(b.all, c.all) &&
                  equal(b.listed, c.listed) && rg_result_count(a.all) > 0);
    }
}

/* ---- arrays on the GPU ---- */

/* Memory there, filled by work of a stream. */
template <typename T> struct array_t {
    T *at = nullptr;
    size_t n;

    array_t(const T *from, size_t count, cudaStream_t stream) : n(count)
    {
        if (cudaMalloc(&at, n * sizeof(T)) != cudaSuccess ||
            (from != nullptr
                 ? cudaMemcpyAsync(at, from, n * sizeof(T), cudaMemcpyHostToDevice,
                                   stream)
                 : cudaMemsetAsync(at, 0xff, n * sizeof(T), stream)) != cudaSuccess)
            printf("no memory on the GPU\n");
    }

    array_t(const array_t &) = delete;

    ~array_t()
    {
        cudaFree(at);
    }

    std::vector<T> host() const
    {
        std::vector<T> out(n);

        cudaMemcpy(out.data(), at, n * sizeof(T), cudaMemcpyDeviceToHost);
        return out;
    }
};

void check_set(const context_t &gpu, const sequences_t &s, cudaStream_t stream)
{
    const array_t<char> letters(s.letters.data(), s.letters.size(), stream);
    const array_t<int64_t> offsets(s.offsets.data(), s.offsets.size(), stream);
    rg_set_t *host = set_of(gpu, s), *set = nullptr;
    bool is_same = rg_set_create_on_device(gpu.at, nullptr, N, letters.at, offsets.at,
                                           nullptr, stream, &set) == RG_OK;

    for (int i = 0; is_same && i < N; i++) {
        const size_t len = static_cast<size_t>(rg_set_length(host, i));
        std::string a(len, ' '), b(len, ' ');

        is_same = rg_set_length(set, i) == rg_set_length(host, i) &&
                  rg_set_letters(host, i, &a[0]) == RG_OK &&
                  rg_set_letters(set, i, &b[0]) == RG_OK && a == b;
    }
    check("a set is made of letters on the GPU", is_same);
    rg_set_destroy(set);
    set = nullptr;
    check("letters of the host are refused",
          rg_set_create_on_device(gpu.at, nullptr, N, s.letters.data(), offsets.at,
                                  nullptr, stream, &set) == RG_EINVAL &&
              strstr(rg_context_error(gpu.at), "letters") != nullptr && set == nullptr);
    check("and offsets of the host",
          rg_set_create_on_device(gpu.at, nullptr, N, letters.at, s.offsets.data(),
                                  nullptr, stream, &set) == RG_EINVAL &&
              strstr(rg_context_error(gpu.at), "offsets") != nullptr && set == nullptr);
    rg_set_destroy(host);
}

void check_pairs(const context_t &gpu, const sequences_t &s, cudaStream_t stream)
{
    const size_t n = s.pairs.size() / 2;
    const int64_t count = s.n_pairs();
    const array_t<int32_t> pairs(s.pairs.data(), 2 * n, stream),
        scores(nullptr, n, stream), matches(nullptr, n, stream),
        columns(nullptr, n, stream);
    const array_t<int8_t> strands(nullptr, n, stream);
    rg_set_t *set = set_of(gpu, s);
    rg_align_options_t options;
    rg_result_t *r = nullptr;
    rg_aligner_t *aligner;
    int device = -1, device_after = -1;

    rg_align_options_init(&options, sizeof(options));
    options.strand = "both";
    aligner = aligner_of(gpu, set, set, options);
    cudaGetDevice(&device);
    check("pairs on the GPU are aligned",
          rg_aligner_pairs_on_device(aligner, pairs.at, count, stream, scores.at,
                                     matches.at, columns.at, strands.at) == RG_OK,
          gpu.at);
    cudaGetDevice(&device_after);
    check("the thread uses the GPU that it did before", device == device_after);
    check("they are aligned from the host",
          rg_aligner_pairs(aligner, s.pairs.data(), count, &r) == RG_OK);
    check("results on the GPU are those on the host",
          same(scores.host().data(), rg_result_scores(r), count) &&
              same(matches.host().data(), rg_result_matches(r), count) &&
              same(columns.host().data(), rg_result_columns(r), count) &&
              same(strands.host().data(), rg_result_strands(r), count));
    check("pairs of the host are refused",
          rg_aligner_pairs_on_device(aligner, s.pairs.data(), count, stream, scores.at,
                                     nullptr, nullptr, nullptr) == RG_EINVAL &&
              strstr(rg_context_error(gpu.at), "pairs") != nullptr);
    check("and outputs there",
          rg_aligner_pairs_on_device(aligner, pairs.at, count, stream,
                                     const_cast<int32_t *>(rg_result_scores(r)), nullptr,
                                     nullptr, nullptr) == RG_EINVAL &&
              strstr(rg_context_error(gpu.at), "scores") != nullptr);
    check("a list that ends before its last pair is an error",
          rg_aligner_pairs_on_device(aligner, pairs.at, int64_t{1} << 33, stream,
                                     scores.at, nullptr, nullptr, nullptr) != RG_OK);
    check("no pairs are none",
          rg_aligner_pairs_on_device(aligner, nullptr, 0, stream, scores.at, nullptr,
                                     nullptr, nullptr) == RG_OK);
    check("the GPU goes on",
          rg_aligner_pairs_on_device(aligner, pairs.at, count, stream, scores.at, nullptr,
                                     nullptr, nullptr) == RG_OK,
          gpu.at);
    rg_aligner_destroy(aligner);
    options.strand = nullptr;
    options.emit = "score";
    aligner = aligner_of(gpu, set, nullptr, options);
    check("there is an aligner for scores", aligner != nullptr);
    check("what is not computed is refused",
          rg_aligner_pairs_on_device(aligner, pairs.at, count, stream, scores.at,
                                     matches.at, nullptr, nullptr) == RG_EINVAL &&
              rg_aligner_pairs_on_device(aligner, pairs.at, count, stream, scores.at,
                                         nullptr, nullptr, strands.at) == RG_EINVAL);
    rg_result_destroy(r);
    rg_aligner_destroy(aligner);
    rg_set_destroy(set);
}

} // namespace

int main()
{
    int n_gpus = 0;
    cudaStream_t stream;

    if (cudaGetDeviceCount(&n_gpus) != cudaSuccess || n_gpus == 0) {
        printf("skipped: there is no GPU\n");
        return 77;
    }
    const context_t gpu("cuda", 2);
    const sequences_t s;

    if (gpu.at == nullptr ||
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
        return EXIT_FAILURE;
    printf("%s\n", rg_context_device(gpu.at));
    compare(gpu, s);
    check_set(gpu, s, stream);
    check_set(gpu, s, nullptr);
    check_pairs(gpu, s, stream);
    check_pairs(gpu, s, nullptr);
    cudaStreamDestroy(stream);
    return n_failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
