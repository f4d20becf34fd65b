/*
 * cnn_rates_keep.c - rates as text: "KERNEL THREADS", then a line "SECONDS WHAT" for the
 * whole and for each kind, and "BYTES_PER_S WHAT" for copies.
 */
#include "cnn/rates/cnn_rates.h"

#include "io/base/digest.h"
#include "io/store/choice_cache.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char file_name[] = "rates";

static bool is_rate(double x)
{
    return isfinite(x) && x > 0;
}

static bool has_kind(const cnn_program_t *p, int kind)
{
    for (int s = 0; s < p->n_steps; s++)
        if ((int)cnn_op_kind(p->steps[s].op) == kind)
            return true;
    return false;
}

/* Steps of the other kinds may run as one with the step before them. */
static bool is_always_alone(int kind)
{
    return kind == CNN_KIND_CONVOLUTION || kind == CNN_KIND_LINEAR ||
           kind == CNN_KIND_UPDATE;
}

const char *cnn_rates_check(const cnn_rates_t *r, const cnn_program_t *program)
{
    static const char *const missing[CNN_N_KINDS] = {
        [CNN_KIND_CONVOLUTION] = "there is no time of convolutions",
        [CNN_KIND_LINEAR] = "there is no time of fully connected layers",
        [CNN_KIND_UPDATE] = "there is no time of updates",
    };

    if (!is_rate(r->iteration_s))
        return "there is no time of training";
    for (int k = 0; k < CNN_N_KINDS; k++) {
        if (is_always_alone(k) && has_kind(program, k) && !is_rate(r->kind_s[k]))
            return missing[k];
        if (r->kind_s[k] != 0 && !is_rate(r->kind_s[k]))
            return "a time is no number above 0";
    }
    if ((r->in_per_s != 0 && !is_rate(r->in_per_s)) ||
        (r->out_per_s != 0 && !is_rate(r->out_per_s)))
        return "a rate of copies is no number above 0";
    return NULL;
}

/* ---- text ---- */

/* Write the key: what the steps compute, and the kind of device. */
static status_t make_key(const cnn_program_t *p, device_kind_t device, buf_t *out)
{
    uint64_t digest = digest_add(DIGEST_START, &p->math, sizeof(p->math));

    for (int i = 0; i < p->n_tensors; i++) {
        digest = digest_add(digest, p->tensors[i].size, sizeof(p->tensors[i].size));
        digest = digest_add(digest, &p->tensors[i].type, sizeof(p->tensors[i].type));
    }
    for (int s = 0; s < p->n_steps; s++)
        digest = digest_add(digest, &p->steps[s].op, sizeof(p->steps[s].op));
    return buf_printf(out, "%016" PRIx64 " %s%c", digest, device_kind_name[device], '\0');
}

/* The values of rates, in the order of their lines. */
enum { WHOLE, IN, OUT, KINDS, N_VALUES = KINDS + CNN_N_KINDS };

static double *value_at(cnn_rates_t *r, int i)
{
    double *const values[KINDS] = {&r->iteration_s, &r->in_per_s, &r->out_per_s};

    return i < KINDS ? values[i] : &r->kind_s[i - KINDS];
}

static const char *name_of(int i)
{
    static const char *const names[KINDS] = {"training", "bytes in", "bytes out"};

    return i < KINDS ? names[i] : cnn_kind_name((cnn_kind_t)(i - KINDS));
}

void cnn_rates_keep(const cnn_rates_t *r, const cnn_program_t *program)
{
    cnn_rates_t rates = *r;
    buf_t key = {0}, text = {0};
    status_t st = make_key(program, r->device, &key);

    if (st == ST_OK)
        st = buf_printf(&text, "%s %d\n", r->kernel, r->n_threads);
    for (int i = 0; st == ST_OK && i < N_VALUES; i++)
        st = buf_printf(&text, "%.17g %s\n", *value_at(&rates, i), name_of(i));
    if (st == ST_OK && (st = buf_append(&text, "", 1)) == ST_OK)
        choice_cache_put(file_name, (const char *)key.data, (const char *)text.data);
    buf_free(&key);
    buf_free(&text);
}

/* @return whether a text is one that cnn_rates_keep wrote */
static bool parse(const char *text, cnn_rates_t *r)
{
    const char *line = strchr(text, '\n');
    char *end;

    if (line == NULL || sscanf(text, "%31s %d", r->kernel, &r->n_threads) != 2)
        return false;
    for (int i = 0; i < N_VALUES; i++, line = strchr(line + 1, '\n')) {
        const size_t len = strlen(name_of(i));

        if (line == NULL)
            return false;
        *value_at(r, i) = strtod(line + 1, &end);
        if (*end != ' ' || strncmp(end + 1, name_of(i), len) != 0 || end[1 + len] != '\n')
            return false;
    }
    return true;
}

status_t cnn_rates_find(const cnn_program_t *program, device_kind_t device,
                        cnn_rates_t *out, bool *found)
{
    cnn_rates_t rates = {.device = device};
    buf_t key = {0}, text = {0};
    status_t st = make_key(program, device, &key);

    if (st == ST_OK)
        st = choice_cache_get(file_name, (const char *)key.data, &text);
    *found = st == ST_OK && text.len > 0 && parse((const char *)text.data, &rates) &&
             cnn_rates_check(&rates, program) == NULL;
    if (*found)
        *out = rates;
    buf_free(&key);
    buf_free(&text);
    return st;
}
