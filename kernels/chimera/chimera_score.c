/*
 * chimera_score.c - votes of the bases of a read, and the best breakpoint.
 */
#include "kernels/chimera/chimera_score.h"

#include "io/seq/alphabet.h"
#include "io/seq/cigar.h"

#include <string.h>

const char *const chimera_method_name[CHIMERA_N_METHODS] = {"uchime", "uchime2",
                                                            "uchime3"};

/* What a base says. */
enum { NOTHING, FOR_A, FOR_B, ABSTAINS };

typedef struct {
    const uint8_t *read;
    int64_t len;
    uint8_t *parent[2]; /* [len] the base of each, or CODE_NONE: a gap */
    uint8_t *out;       /* [len] 1: left out */
    uint8_t *opinion;   /* [len] */
} columns_t;

/* ---- columns ---- */

static void leave_out(columns_t *c, int64_t i)
{
    if (i >= 0 && i < c->len)
        c->out[i] = 1;
}

/* Write the bases of a parent at those of the read, and leave out those at gaps. */
static void align_parent(columns_t *c, const contest_candidate_t *p, uint8_t *to)
{
    int64_t i = 0, k = 0;

    for (int64_t r = 0; r < p->n_runs; r++) {
        const int64_t len = cigar_run_len(p->runs[r]);
        const cigar_op_t op = cigar_run_op(p->runs[r]);

        if (op == CIGAR_D) { /* between two bases of the read */
            leave_out(c, i - 1);
            leave_out(c, i);
        } else if (op == CIGAR_I) {
            memset(to + i, CODE_NONE, (size_t)len);
            memset(c->out + i, 1, (size_t)len);
            leave_out(c, i - 1);
            leave_out(c, i + len);
        } else {
            memcpy(to + i, p->letters + k, (size_t)len);
        }
        i += op == CIGAR_D ? 0 : len;
        k += op == CIGAR_I ? 0 : len;
    }
}

static int opinion_of(uint8_t q, uint8_t a, uint8_t b)
{
    if (q == a)
        return q == b ? NOTHING : FOR_A;
    return q == b ? FOR_B : ABSTAINS;
}

static void find_opinions(columns_t *c)
{
    for (int64_t i = 0; i < c->len; i++) {
        const uint8_t q = c->read[i], a = c->parent[0][i], b = c->parent[1][i];

        if (!alphabet_is_base(ALPHABET_DNA, q) || !alphabet_is_base(ALPHABET_DNA, a) ||
            !alphabet_is_base(ALPHABET_DNA, b))
            c->out[i] = 1;
        c->opinion[i] = c->out[i] ? NOTHING : (uint8_t)opinion_of(q, a, b);
    }
}

/* ---- the breakpoint ---- */

typedef struct {
    int32_t yes, no, abstain;
} votes_t;

static double side(const chimera_rule_t *rule, votes_t v)
{
    return v.yes / (rule->xn * (v.no + rule->dn) + v.abstain);
}

static votes_t exchanged(votes_t v)
{
    return (votes_t){v.no, v.yes, v.abstain};
}

static bool counts(votes_t left, votes_t right)
{
    return left.yes > left.no && right.yes > right.no;
}

typedef struct {
    int64_t at; /* the last base on the left */
    votes_t left, right;
} breakpoint_t;

/* Of the parents in the order in which they were given, left is yes for the first one. */
static breakpoint_t find_breakpoint(const chimera_rule_t *rule, const columns_t *c,
                                    chimera_score_t *out)
{
    votes_t left = {0, 0, 0}, right = {0, 0, 0};
    breakpoint_t best = {.at = -1};

    for (int64_t i = 0; i < c->len; i++) {
        right.no += c->opinion[i] == FOR_A;
        right.yes += c->opinion[i] == FOR_B;
        right.abstain += c->opinion[i] == ABSTAINS;
    }
    for (int64_t i = 0; i < c->len; i++) {
        const bool for_a = c->opinion[i] == FOR_A, for_b = c->opinion[i] == FOR_B;
        const bool abstains = c->opinion[i] == ABSTAINS;
        votes_t l, r;
        bool is_swapped;
        double h;

        if (c->opinion[i] == NOTHING)
            continue;
        left = (votes_t){left.yes + for_a, left.no + for_b, left.abstain + abstains};
        right = (votes_t){right.yes - for_b, right.no - for_a, right.abstain - abstains};
        is_swapped = !counts(left, right);
        l = is_swapped ? exchanged(left) : left;
        r = is_swapped ? exchanged(right) : right;
        if (!counts(l, r) || (h = side(rule, l) * side(rule, r)) <= out->h)
            continue;
        out->h = h;
        out->is_swapped = is_swapped;
        best = (breakpoint_t){i, l, r};
    }
    return best;
}

/* ---- the call ---- */

static void count_matches(const columns_t *c, int64_t breakpoint, chimera_score_t *out)
{
    const uint8_t *a = c->parent[out->is_swapped], *b = c->parent[!out->is_swapped];

    for (int64_t i = 0; i < c->len; i++) {
        const uint8_t q = c->read[i];

        if (c->out[i])
            continue;
        out->columns++;
        out->matches[CHIMERA_Q_MODEL] += q == (i <= breakpoint ? a[i] : b[i]);
        out->matches[CHIMERA_Q_A] += q == a[i];
        out->matches[CHIMERA_Q_B] += q == b[i];
        out->matches[CHIMERA_A_B] += a[i] == b[i];
    }
}

chimera_identities_t chimera_identities(int32_t columns,
                                        const int32_t matches[CHIMERA_N_MATCHES])
{
    chimera_identities_t id = {.model = 100.0 * matches[CHIMERA_Q_MODEL] / columns,
                               .a = 100.0 * matches[CHIMERA_Q_A] / columns,
                               .b = 100.0 * matches[CHIMERA_Q_B] / columns,
                               .parents = 100.0 * matches[CHIMERA_A_B] / columns};

    id.top = id.a > id.b ? id.a : id.b;
    id.divergence = id.model - id.top;
    return id;
}

static int64_t sum(votes_t v)
{
    return (int64_t)v.yes + v.no + v.abstain;
}

static chimera_call_t call_of(const chimera_rule_t *rule, const breakpoint_t *b,
                              const chimera_score_t *s)
{
    const int32_t *m = s->matches;

    if (rule->method != CHIMERA_UCHIME)
        return m[CHIMERA_Q_MODEL] == s->columns && m[CHIMERA_Q_A] < s->columns &&
                       m[CHIMERA_Q_B] < s->columns
                   ? CHIMERA_YES
                   : CHIMERA_NO;
    if (s->h < rule->min_h)
        return CHIMERA_NO;
    return chimera_identities(s->columns, m).divergence >= rule->min_div &&
                   sum(b->left) >= rule->min_diffs && sum(b->right) >= rule->min_diffs
               ? CHIMERA_YES
               : CHIMERA_BORDERLINE;
}

status_t chimera_score(const chimera_rule_t *rule, const uint8_t *read, int64_t len,
                       const contest_candidate_t parents[2], buf_t *scratch,
                       chimera_score_t *out)
{
    columns_t c = {.read = read, .len = len};
    chimera_score_t s = {.h = 0};
    breakpoint_t best;
    status_t st;

    scratch->len = 0;
    if ((st = buf_reserve(scratch, 4 * (size_t)len)) != ST_OK)
        return st;
    c.parent[0] = scratch->data;
    c.parent[1] = c.parent[0] + len;
    c.out = c.parent[1] + len;
    c.opinion = c.out + len;
    memset(c.out, 0, (size_t)len);
    for (int p = 0; p < 2; p++)
        align_parent(&c, &parents[p], c.parent[p]);
    find_opinions(&c);
    best = find_breakpoint(rule, &c, &s);
    if (best.at >= 0) {
        const int32_t votes[CHIMERA_N_VOTES] = {best.left.yes,     best.left.no,
                                                best.left.abstain, best.right.yes,
                                                best.right.no,     best.right.abstain};

        memcpy(s.votes, votes, sizeof(votes));
        count_matches(&c, best.at, &s);
        s.call = call_of(rule, &best, &s);
    }
    *out = s;
    return ST_OK;
}
