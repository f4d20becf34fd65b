/*
 * net_layer.c - layers by a table of types and a table of keys for each type.
 */
#include "cnn/net/net_layer.h"
#include "io/base/plural.h"

#include <stdio.h>
#include <string.h>

const net_head_t net_head_defaults = {.init = {CNN_INIT_XAVIER, 0}, .epsilon = 1e-5};

const net_key_t net_head_keys[] = {
    {"input", NET_IMAGE, offsetof(net_head_t, input), 1, 1 << 16, NULL},
    {"classes", NET_INT, offsetof(net_head_t, classes), 1, CNN_NET_MAX_CLASSES, NULL},
    {"init", NET_INIT, offsetof(net_head_t, init), 0, 0, NULL},
    {"epsilon", NET_REAL, offsetof(net_head_t, epsilon), 1e-12, 1, NULL},
    {NULL, NET_INT, 0, 0, 0, NULL},
};

#define AT(member) offsetof(cnn_layer_t, member)
#define END                          \
    {                                \
        NULL, NET_INT, 0, 0, 0, NULL \
    }

enum { MAX_WINDOW = 4096, MAX_OUT = 1 << 20 };

/* The first key of a table is that of the value without a key. */
static const net_key_t convolution_keys[] = {
    {"channels", NET_INT, AT(n_out), 1, MAX_OUT, NULL},
    {"kernel", NET_PAIR, AT(params.convolution.kernel), 1, MAX_WINDOW, NULL},
    {"stride", NET_PAIR, AT(params.convolution.stride), 1, MAX_WINDOW, NULL},
    {"pad", NET_PAIR, AT(params.convolution.pad), 0, MAX_WINDOW, NULL},
    {"groups", NET_INT, AT(params.convolution.groups), 1, MAX_OUT, NULL},
    {"bias", NET_BOOL, AT(has_bias), 0, 0, NULL},
    {"init", NET_INIT, AT(init), 0, 0, NULL},
    END};

static const net_key_t linear_keys[] = {{"outputs", NET_INT, AT(n_out), 1, MAX_OUT, NULL},
                                        {"bias", NET_BOOL, AT(has_bias), 0, 0, NULL},
                                        {"init", NET_INIT, AT(init), 0, 0, NULL},
                                        END};

static const net_key_t pool_keys[] = {
    {"kernel", NET_PAIR, AT(params.pool.kernel), 1, MAX_WINDOW, NULL},
    {"stride", NET_PAIR, AT(params.pool.stride), 1, MAX_WINDOW, NULL},
    {"pad", NET_PAIR, AT(params.pool.pad), 0, MAX_WINDOW, NULL},
    {"ceil", NET_BOOL, AT(params.pool.is_ceil), 0, 0, NULL},
    {"count-padding", NET_BOOL, AT(params.pool.count_padding), 0, 0, NULL},
    END};

static const net_key_t lrn_keys[] = {
    {"size", NET_INT, AT(params.lrn.size), 1, MAX_WINDOW, NULL},
    {"alpha", NET_REAL, AT(params.lrn.alpha), 0, 1e6, NULL},
    {"beta", NET_REAL, AT(params.lrn.beta), 0, 100, NULL},
    {"k", NET_REAL, AT(params.lrn.k), 1e-6, 1e6, NULL},
    END};

static const net_key_t dropout_keys[] = {{"p", NET_REAL, AT(params.dropout.p), 0, 0.999,
                                          NULL},
                                         END};

static const net_key_t batch_norm_keys[] = {
    {"epsilon", NET_REAL, AT(params.batch_norm.epsilon), 1e-12, 1, NULL},
    {"momentum", NET_REAL, AT(params.batch_norm.momentum), 0, 1, NULL},
    END};

static const net_key_t no_keys[] = {END};

/* Of layers of every type, and those that follow on the line */
static const net_key_t place_keys[] = {{"place", NET_CHOICE, AT(place), 0, 0,
                                        "device|cpu"},
                                       END};

static const cnn_layer_t convolution_defaults = {
    .kind = CNN_LAYER_CONVOLUTION,
    .has_bias = true,
    .params.convolution = {.stride = {1, 1}, .groups = 1},
};
static const cnn_layer_t linear_defaults = {.kind = CNN_LAYER_LINEAR, .has_bias = true};
static const cnn_layer_t max_defaults = {.kind = CNN_LAYER_POOL};
static const cnn_layer_t average_defaults = {.kind = CNN_LAYER_POOL,
                                             .params.pool = {.is_mean = true,
                                                             .count_padding = true}};
static const cnn_layer_t lrn_defaults = {
    .kind = CNN_LAYER_LRN,
    .params.lrn = {.size = 5, .alpha = 1e-4, .beta = 0.75, .k = 1}};
static const cnn_layer_t relu_defaults = {.kind = CNN_LAYER_RELU};
static const cnn_layer_t dropout_defaults = {.kind = CNN_LAYER_DROPOUT,
                                             .params.dropout = {.p = 0.5}};
static const cnn_layer_t batch_norm_defaults = {.kind = CNN_LAYER_BATCH_NORM,
                                                .params.batch_norm = {.momentum = 0.1}};
static const cnn_layer_t concat_defaults = {.kind = CNN_LAYER_CONCAT};
static const cnn_layer_t softmax_defaults = {.kind = CNN_LAYER_SOFTMAX};

typedef struct {
    const char *word;
    const cnn_layer_t *defaults;
    const net_key_t *keys;
    uint64_t needed; /* keys as bits */
    bool may_follow; /* on the line of a convolution or linear layer */
} type_t;

static const type_t types[] = {
    {"convolution", &convolution_defaults, convolution_keys, 3, false},
    {"linear", &linear_defaults, linear_keys, 1, false},
    {"max", &max_defaults, pool_keys, 1, false},
    {"average", &average_defaults, pool_keys, 1, false},
    {"lrn", &lrn_defaults, lrn_keys, 0, false},
    {"relu", &relu_defaults, no_keys, 0, true},
    {"dropout", &dropout_defaults, dropout_keys, 0, true},
    {"batch-norm", &batch_norm_defaults, batch_norm_keys, 0, true},
    {"concat", &concat_defaults, no_keys, 0, false},
    {"softmax", &softmax_defaults, no_keys, 0, false},
};

enum { N_TYPES = sizeof(types) / sizeof(types[0]), VALUE_BYTES = 512 };

static const char type_words[] =
    "convolution, linear, max, average, lrn, relu, dropout, batch-norm, concat, softmax";

/* A line in the making. */
typedef struct {
    const net_source_t *source;
    const type_t *type;
    cnn_layer_t layer;
    uint64_t given, place_given;
    bool has_from;
    const type_t *next[4]; /* types that follow */
    int n_next;
    const cnn_layer_t *before; /* [n_before] layers of lines before */
    int n_before;
} line_t;

static const type_t *find_type(const char *word)
{
    for (int t = 0; t < N_TYPES; t++)
        if (strcmp(types[t].word, word) == 0)
            return &types[t];
    return NULL;
}

/* @return the number of the layer that a name means, with those that follow it on its
 * line; -1: none */
static int find_layer(const line_t *l, const char *name)
{
    size_t len = strlen(name);

    for (int i = l->n_before; i-- > 0;) {
        const char *other = l->before[i].name;

        if (strncmp(other, name, len) == 0 && (other[len] == '\0' || other[len] == '.'))
            return i;
    }
    return -1;
}

/* from=NAME or, of a concat, from=NAME,NAME,... */
static status_t set_from(line_t *l, char *names)
{
    cnn_layer_t *layer = &l->layer;
    int max = layer->kind == CNN_LAYER_CONCAT ? CNN_MAX_READS : 1;

    if (l->has_from)
        return net_refuse(l->source, "from is given twice; remove one of the two");
    for (char *at = names, *name; (name = strsep(&at, ",")) != NULL;) {
        int input = find_layer(l, name);

        if (input < 0)
            return net_refuse(l->source,
                              "from=%s: no layer above has this name; name one of them, "
                              "or input",
                              name);
        if (layer->n_inputs == max)
            return net_refuse(l->source, "%s takes at most %d input%s; remove the others",
                              l->type->word, max, plural(max));
        layer->inputs[layer->n_inputs++] = input;
    }
    l->has_from = true;
    return ST_OK;
}

static status_t add_key(line_t *l, char *word, char *equals)
{
    int key;

    *equals = '\0';
    if (strcmp(word, "from") == 0)
        return set_from(l, equals + 1);
    if ((key = net_key_find(place_keys, word)) >= 0)
        return net_key_set(l->source, place_keys, key, equals + 1, &l->layer,
                           &l->place_given);
    key = net_key_find(l->type->keys, word);
    if (key < 0)
        return net_refuse(l->source, "%s has no '%s'; docs/cnn.md lists the keys",
                          l->type->word, word);
    return net_key_set(l->source, l->type->keys, key, equals + 1, &l->layer, &l->given);
}

static status_t add_word(line_t *l, char *word)
{
    const type_t *next = find_type(word);
    char *equals = strchr(word, '=');
    bool has_weights = l->type->defaults->kind == CNN_LAYER_CONVOLUTION ||
                       l->type->defaults->kind == CNN_LAYER_LINEAR;

    if (equals != NULL)
        return add_key(l, word, equals);
    if (next != NULL && next->may_follow && has_weights) {
        for (int i = 0; i < l->n_next; i++)
            if (l->next[i] == next)
                return net_refuse(l->source, "%s twice; remove one of the two", word);
        l->next[l->n_next++] = next;
        return ST_OK;
    }
    if (has_weights && strcmp(word, "classes") == 0 && !(l->given & 1)) {
        l->given |= 1;
        return ST_OK;
    }
    if (l->type->keys[0].name == NULL || (l->given & 1))
        return net_refuse(l->source, "'%s': write KEY=VALUE without blanks, or remove it",
                          word);
    return net_key_set(l->source, l->type->keys, 0, word, &l->layer, &l->given);
}

static status_t check(line_t *l)
{
    for (int k = 0; l->type->keys[k].name != NULL; k++)
        if ((l->type->needed & ~l->given) >> k & 1)
            return net_refuse(l->source, "%s needs %s; write %s %s", l->type->word,
                              l->type->keys[k].name, l->type->word,
                              k == 0 ? "N" : "N kernel=K");
    if (l->type->defaults->kind == CNN_LAYER_CONCAT && !l->has_from)
        return net_refuse(l->source, "concat needs its inputs; write from=NAME,NAME");
    return ST_OK;
}

/* Fill in what follows from other keys. */
static void settle(line_t *l)
{
    cnn_layer_t *layer = &l->layer;
    cnn_pool_t *pool = &layer->params.pool;

    if (layer->kind == CNN_LAYER_POOL && pool->stride[0] == 0)
        memcpy(pool->stride, pool->kernel, sizeof(pool->stride));
    /* A batch norm right behind subtracts the mean, and with it any bias. */
    if (l->n_next > 0 && l->next[0]->defaults->kind == CNN_LAYER_BATCH_NORM &&
        !(l->given >> net_key_find(l->type->keys, "bias") & 1))
        layer->has_bias = false;
    if (!l->has_from) {
        layer->n_inputs = 1;
        layer->inputs[0] = l->n_before - 1;
    }
}

static status_t check_name(const line_t *l, const char *name)
{
    if (strlen(name) > NET_MAX_NAME || name[0] == '\0' ||
        strspn(name,
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") !=
            strlen(name))
        return net_refuse(
            l->source, "layer '%s': give a name of at most %d letters, digits, - and _",
            name, NET_MAX_NAME);
    if (find_layer(l, name) >= 0)
        return net_refuse(l->source, "a layer above is called %s; change this name",
                          name);
    if (l->n_before + 4 > NET_MAX_LAYERS)
        return net_refuse(l->source, "more than %d layers; remove some", NET_MAX_LAYERS);
    return ST_OK;
}

static status_t append(line_t *l, const char *name, buf_t *layers)
{
    status_t st;
    int n = l->n_before;

    snprintf(l->layer.name, sizeof(l->layer.name), "%s", name);
    l->layer.line = l->source->line;
    st = buf_append(layers, &l->layer, sizeof(l->layer));
    for (int i = 0; i < l->n_next && st == ST_OK; i++) {
        cnn_layer_t next = *l->next[i]->defaults;

        snprintf(next.name, sizeof(next.name), "%s.%s", name, l->next[i]->word);
        next.line = l->source->line;
        next.place = l->layer.place;
        next.n_inputs = 1;
        next.inputs[0] = n++;
        st = buf_append(layers, &next, sizeof(next));
    }
    return st;
}

status_t net_layer_parse(const net_source_t *source, const char *name, const char *value,
                         buf_t *layers)
{
    line_t l = {.source = source,
                .before = (const cnn_layer_t *)(const void *)layers->data,
                .n_before = (int)(layers->len / sizeof(cnn_layer_t))};
    char words[VALUE_BYTES], *at = words, *word;
    status_t st;

    snprintf(words, sizeof(words), "%s", value);
    if ((st = check_name(&l, name)) != ST_OK)
        return st;
    while ((word = strsep(&at, " \t")) != NULL) {
        if (word[0] == '\0')
            continue;
        if (l.type != NULL) {
            if ((st = add_word(&l, word)) != ST_OK)
                return st;
            continue;
        }
        if ((l.type = find_type(word)) == NULL)
            return net_refuse(source, "unknown type of layer '%s'; give one of %s", word,
                              type_words);
        l.layer = *l.type->defaults;
    }
    if (l.type == NULL)
        return net_refuse(source, "layer %s has no type; give one of %s", name,
                          type_words);
    if ((st = check(&l)) != ST_OK)
        return st;
    settle(&l);
    return append(&l, name, layers);
}
