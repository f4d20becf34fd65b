/*
 * wavefront_plan.cuh - divides the pairs of a batch into jobs, strips and groups that
 * share launches (wavefront_layout.cuh), on the host.
 */
#pragma once

#include "kernels/align/wavefront/wavefront_layout.cuh"

#include <vector>

/* Bits of the parts of a key. */
struct wavefront_key_bits_t {
    int columns, matches, score; /* the last with its sign */
};

/* @return those of a pair, and the most of two */
wavefront_key_bits_t wavefront_key_bits(const align_spec_t *spec, int64_t m, int64_t n);
wavefront_key_bits_t wavefront_key_bits_max(wavefront_key_bits_t a,
                                            wavefront_key_bits_t b);

inline int wavefront_key_bits_sum(wavefront_key_bits_t b)
{
    return b.columns + b.matches + b.score;
}

/* Pairs that share launches: one with several jobs, or some with one job each. */
struct wavefront_group_t {
    int first_pair, n_pairs, first_task, n_tasks;
    int band, n_bands;     /* strips of a band; bands of the longest pair */
    bool has_scores;       /* a pass over scores comes first */
    bool is_direct;        /* the second pass stores the way back */
    bool has_sections;     /* one pair, whose sections are looked for first */
    bool meets;            /* one pair, whose scores are swept from both ends */
    long long lines, back; /* entries of a line; words */
    wavefront_key_bits_t bits;
    int kind;                   /* of keys */
    std::vector<int> band_task; /* [n_bands + 1] tasks of the third pass */
};

struct wavefront_plan_t {
    std::vector<wavefront_pair_t> pairs;
    std::vector<wavefront_job_t> jobs;
    std::vector<wavefront_task_t> tasks; /* of groups; behind them, of their bands */
    std::vector<wavefront_group_t> groups;
};

/* What a plan depends on. */
struct wavefront_limits_t {
    const align_spec_t *spec;
    const seqset_t *set;
    int n_warps;     /* that fill the device */
    long long bytes; /* of lines, and of the way back; a pair may need more */
    bool packs;      /* wavefront_costs_t */
};

/* @return memory of a group, in bytes */
long long wavefront_group_bytes(const wavefront_group_t &group);

/* @return a and g of wavefront_layout.cuh */
int wavefront_max_column(const align_scoring_t *s);
int wavefront_min_gap(const align_scoring_t *s);

/* Plan a batch. @throw std::bad_alloc */
void wavefront_plan(const wavefront_limits_t &limits, const pair_batch_t *batch,
                    wavefront_plan_t *out);
