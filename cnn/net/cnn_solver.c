/*
 * cnn_solver.c - the keys of [solver] and the policies of the rate.
 */
#include "cnn/net/cnn_net.h"

#include <math.h>

const cnn_solver_t cnn_solver_defaults = {
    .type = CNN_SOLVER_SGD,
    .rate = 0.01,
    .bias_rate = 1,
    .momentum = 0.9,
    .beta1 = 0.9,
    .beta2 = 0.999,
    .epsilon = 1e-8,
    .policy = CNN_RATE_FIXED,
    .power = 1,
    .epochs = 10,
    .batch = 64,
};

#define AT(member) offsetof(cnn_solver_t, member)

/* These belong to some types and policies only. */
enum { MOMENTUM, BETA1, BETA2, EPSILON, GAMMA, POWER, STEP };

const net_key_t cnn_solver_keys[] = {
    [MOMENTUM] = {"momentum", NET_REAL, AT(momentum), 0, 1, NULL},
    [BETA1] = {"beta1", NET_REAL, AT(beta1), 0, 0.999999, NULL},
    [BETA2] = {"beta2", NET_REAL, AT(beta2), 0, 0.999999, NULL},
    [EPSILON] = {"epsilon", NET_REAL, AT(epsilon), 1e-30, 1, NULL},
    [GAMMA] = {"gamma", NET_REAL, AT(gamma), 0, 1e6, NULL},
    [POWER] = {"power", NET_REAL, AT(power), 0, 100, NULL},
    [STEP] = {"step", NET_REAL, AT(step), 1e-6, 1e6, NULL},
    {"type", NET_CHOICE, AT(type), 0, 0, "sgd|adam"},
    {"rate", NET_REAL, AT(rate), 0, CNN_RATE_MAX, NULL},
    {"bias-rate", NET_REAL, AT(bias_rate), 0, 1e6, NULL},
    {"decay", NET_REAL, AT(decay), 0, 1, NULL},
    {"policy", NET_CHOICE, AT(policy), 0, 0, "fixed|step|exp|inv|poly|cosine"},
    {"epochs", NET_REAL, AT(epochs), 1e-6, 1e6, NULL},
    {"batch", NET_INT, AT(batch), 1, 1 << 20, NULL},
    {NULL, NET_INT, 0, 0, 0, NULL},
};

_Static_assert(sizeof(cnn_solver_type_t) == sizeof(int) &&
                   sizeof(cnn_rate_policy_t) == sizeof(int),
               "NET_CHOICE writes an int");

static const char *const type_names[] = {"sgd", "adam"};
static const char *const policy_names[] = {"fixed", "step", "exp",
                                           "inv",   "poly", "cosine"};

/* Keys as bits. */
static const uint64_t keys_of_type[] = {
    [CNN_SOLVER_SGD] = 1 << MOMENTUM,
    [CNN_SOLVER_ADAM] = 1 << BETA1 | 1 << BETA2 | 1 << EPSILON,
};
static const struct {
    uint64_t needed, taken;
} keys_of_policy[] = {
    [CNN_RATE_FIXED] = {0, 0},
    [CNN_RATE_STEP] = {1 << GAMMA | 1 << STEP, 1 << GAMMA | 1 << STEP},
    [CNN_RATE_EXP] = {1 << GAMMA, 1 << GAMMA},
    [CNN_RATE_INV] = {1 << GAMMA, 1 << GAMMA | 1 << POWER},
    [CNN_RATE_POLY] = {0, 1 << POWER},
    [CNN_RATE_COSINE] = {0, 0},
};

status_t cnn_solver_check(const net_source_t *source, const cnn_solver_t *s,
                          uint64_t given)
{
    for (int k = 0; k <= STEP; k++) {
        const char *key = cnn_solver_keys[k].name;
        uint64_t bit = UINT64_C(1) << k;

        if (k <= EPSILON && (given & bit) && !(keys_of_type[s->type] & bit))
            return net_refuse(source, "[solver]: %s has no %s; remove it",
                              type_names[s->type], key);
        if (k > EPSILON && (given & bit) && !(keys_of_policy[s->policy].taken & bit))
            return net_refuse(source, "[solver]: the policy %s has no %s; remove it",
                              policy_names[s->policy], key);
        if (k > EPSILON && !(given & bit) && (keys_of_policy[s->policy].needed & bit))
            return net_refuse(source, "[solver]: the policy %s needs %s; add it",
                              policy_names[s->policy], key);
    }
    return ST_OK;
}

double cnn_solver_rate(const cnn_solver_t *s, double t)
{
    double part = fmin(t / s->epochs, 1);

    switch (s->policy) {
    case CNN_RATE_FIXED:
        break;
    case CNN_RATE_STEP:
        return s->rate * pow(s->gamma, floor(t / s->step));
    case CNN_RATE_EXP:
        return s->rate * pow(s->gamma, t);
    case CNN_RATE_INV:
        return s->rate * pow(1 + s->gamma * t, -s->power);
    case CNN_RATE_POLY:
        return s->rate * pow(1 - part, s->power);
    case CNN_RATE_COSINE:
        return s->rate * (1 + cos(acos(-1) * part)) / 2;
    }
    return s->rate;
}
