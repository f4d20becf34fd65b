/*
 * cnn_net.c - reads a network: inih splits its text, tables of keys give it meaning.
 */
#include "cnn/net/cnn_net.h"

#include "cnn/net/net_layer.h"
#include "io/base/buf.h"
#include "io/base/logmsg.h"

#include <ini.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_TEXT_BYTES = 59000 }; /* a model file keeps the text (io/modelfile) */

typedef struct {
    net_source_t source;
    const char *at; /* what is left of the text */
    net_head_t head;
    cnn_solver_t solver;
    uint64_t head_given, solver_given; /* keys as bits */
    buf_t layers;                      /* cnn_layer_t; the first is the input */
    status_t st;                       /* the first error; inih goes on */
} reader_t;

/* Give inih the next line, without blanks in front, which would continue a value. */
static char *next_line(char *to, int size, void *reader)
{
    reader_t *r = reader;
    size_t len;

    if (r->st != ST_OK || *r->at == '\0')
        return NULL;
    r->source.line++;
    r->at += strspn(r->at, " \t");
    len = strcspn(r->at, "\n");
    if (len + 2 > (size_t)size) {
        r->st = net_refuse(&r->source, "longer than %d characters; shorten the line",
                           size - 2);
        return NULL;
    }
    memcpy(to, r->at, len);
    r->at += len;
    r->at += *r->at == '\n';
    memcpy(to + len, "\n", 2);
    return to;
}

static status_t set_key(const reader_t *r, const char *section, const net_key_t *keys,
                        const char *name, const char *value, void *to, uint64_t *given)
{
    int key = net_key_find(keys, name);

    return key >= 0 ? net_key_set(&r->source, keys, key, value, to, given)
                    : net_refuse(&r->source,
                                 "[%s] has no key '%s'; docs/cnn.md lists the keys",
                                 section, name);
}

/* What inih calls for each NAME = VALUE. @return 0: an error */
static int take(void *reader, const char *section, const char *name, const char *value)
{
    reader_t *r = reader;

    if (r->st != ST_OK)
        return 0;
    if (strcmp(section, "net") == 0)
        r->st = set_key(r, section, net_head_keys, name, value, &r->head, &r->head_given);
    else if (strcmp(section, "solver") == 0)
        r->st = set_key(r, section, cnn_solver_keys, name, value, &r->solver,
                        &r->solver_given);
    else if (strcmp(section, "layers") == 0)
        r->st = net_layer_parse(&r->source, name, value, &r->layers);
    else
        r->st =
            net_refuse(&r->source,
                       "unknown section [%s]; give [net], [layers] or [solver]", section);
    return r->st == ST_OK;
}

/* Fill in what [net] says about all layers. */
static status_t settle(reader_t *r, int n_classes)
{
    cnn_layer_t *layers = (cnn_layer_t *)(void *)r->layers.data;
    int n = (int)(r->layers.len / sizeof(*layers));

    r->source.line = 0;
    if (r->head.input[0] == 0)
        return net_refuse(&r->source, "the size of images is missing; write input = "
                                      "CHANNELSxHEIGHTxWIDTH in [net]");
    if (n == 1)
        return net_refuse(&r->source, "no layers; list them in [layers]");
    memcpy(layers[0].size, r->head.input, sizeof(layers[0].size));
    if (n_classes == 0)
        n_classes = r->head.classes;
    for (int i = 0; i < n; i++) {
        cnn_layer_t *l = &layers[i];
        bool has_weights =
            l->kind == CNN_LAYER_CONVOLUTION || l->kind == CNN_LAYER_LINEAR;

        r->source.line = l->line;
        if (has_weights && l->n_out == 0 && (l->n_out = n_classes) == 0)
            return net_refuse(&r->source,
                              "%s: the number of classes is not known; write "
                              "classes = N in [net]",
                              l->name);
        if (has_weights && l->init.kind == CNN_INIT_DEFAULT)
            l->init = r->head.init;
        if (l->kind == CNN_LAYER_BATCH_NORM && l->params.batch_norm.epsilon == 0)
            l->params.batch_norm.epsilon = r->head.epsilon;
        if (l->kind == CNN_LAYER_DROPOUT)
            l->params.dropout.layer = i;
    }
    r->source.line = 0;
    return cnn_solver_check(&r->source, &r->solver, r->solver_given);
}

static status_t read_text(reader_t *r, int n_classes)
{
    const cnn_layer_t input = {.name = "input", .kind = CNN_LAYER_INPUT};
    status_t st = buf_append(&r->layers, &input, sizeof(input));
    int line;

    if (st != ST_OK)
        return st;
    line = ini_parse_stream(next_line, r, take, r);
    if (r->st != ST_OK)
        return r->st;
    if (line < 0)
        return log_nomem("a network's text");
    if (line > 0) {
        r->source.line = line;
        return net_refuse(&r->source, "neither a [SECTION] nor KEY = VALUE; correct it, "
                                      "or begin comments with ;");
    }
    if ((st = settle(r, n_classes)) != ST_OK)
        return st;
    return net_shape_infer(r->source.name, (cnn_layer_t *)(void *)r->layers.data,
                           (int)(r->layers.len / sizeof(cnn_layer_t)));
}

status_t cnn_net_parse(const char *name, const char *text, int n_classes, cnn_net_t **out)
{
    reader_t r = {.source = {name, 0},
                  .at = text,
                  .head = net_head_defaults,
                  .solver = cnn_solver_defaults};
    cnn_net_t *net = calloc(1, sizeof(*net));
    status_t st = ST_ENOMEM;

    if (net == NULL || (net->name = strdup(name)) == NULL ||
        (net->text = strdup(text)) == NULL) {
        log_nomem("a network");
        goto fail;
    }
    if ((st = read_text(&r, n_classes)) != ST_OK)
        goto fail;
    net->layers = (cnn_layer_t *)(void *)r.layers.data;
    net->n_layers = (int)(r.layers.len / sizeof(cnn_layer_t));
    net->n_classes = (int)net->layers[net->n_layers - 1].size[0];
    net->solver = r.solver;
    *out = net;
    return ST_OK;
fail:
    buf_free(&r.layers);
    cnn_net_destroy(net);
    return st;
}

status_t cnn_net_load(const char *name, buf_t *out)
{
    static const shipped_texts_t nets = {"network", "the INI file of a network",
                                         net_shipped, MAX_TEXT_BYTES};

    return shipped_text_load(&nets, name, out);
}

status_t cnn_net_read(const char *name, int n_classes, cnn_net_t **out)
{
    buf_t text = {0};
    status_t st = cnn_net_load(name, &text);

    if (st == ST_OK)
        st = cnn_net_parse(name, (const char *)text.data, n_classes, out);
    buf_free(&text);
    return st;
}

void cnn_net_destroy(cnn_net_t *net)
{
    if (net == NULL)
        return;
    free(net->name);
    free(net->text);
    free(net->layers);
    free(net);
}
