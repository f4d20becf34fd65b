/*
 * backend.c - finds rows, and falls back from a GPU to the CPU.
 */
#include "kernels/device/backend.h"

#include "io/base/logmsg.h"

#include <stdio.h>
#include <string.h>

enum { NAMES_BYTES = 512 };

static bool is_named(const backend_t *row, const char *name)
{
    return name == NULL || strcmp(name, "auto") == 0 || strcmp(row->name, name) == 0;
}

/* @param context  NULL: whatever the row takes */
static const backend_t *first(const backend_table_t *table, const char *name,
                              device_kind_t kind, const void *context)
{
    for (const backend_t *const *row = table->rows; *row != NULL; row++)
        if ((*row)->kind == kind && is_named(*row, name) &&
            (context == NULL || table->takes(*row, context)))
            return *row;
    return NULL;
}

const backend_t *backend_find(const backend_table_t *table, const char *name,
                              device_kind_t kind)
{
    return first(table, name, kind, NULL);
}

unsigned backend_kinds(const backend_table_t *table, const char *name)
{
    unsigned kinds = 0;

    for (const backend_t *const *row = table->rows; *row != NULL; row++)
        if (is_named(*row, name))
            kinds |= DEVICE_BIT((*row)->kind);
    return kinds;
}

const char *backend_guess(const backend_table_t *table, const char *name,
                          char out[NEAR_WORD_BYTES])
{
    near_word_t near = near_word_begin(name, strlen(name));

    for (const backend_t *const *row = table->rows; *row != NULL; row++)
        near_word_try(&near, (*row)->name);
    return near_word_text(&near, "", out);
}

const char *backend_name_on(const backend_table_t *table, const char *name,
                            device_kind_t kind)
{
    return backend_find(table, name, kind) != NULL ? name : NULL;
}

double backend_rate(const backend_t *row, const pool_t *pool)
{
    return row->rate * device_n_units(row->kind, pool);
}

status_t backend_refuse_name(const backend_table_t *table, const char *name,
                             device_kind_t kind)
{
    char names[NAMES_BYTES] = "auto";

    for (const backend_t *const *row = table->rows; *row != NULL; row++) {
        const size_t len = strlen(names);

        if ((*row)->kind == kind)
            snprintf(names + len, sizeof(names) - len, " %s", (*row)->name);
    }
    log_error("--kernel %s: no such kernel for this device; choose from: %s", name,
              names);
    return ST_EUSAGE;
}

void backend_log_fallback(const device_t *device, const char *cause, const char *what,
                          const backend_t *on_cpu)
{
    log_info("%s has %s for %s; the CPU computes them, with kernel %s", device->name,
             cause, what, on_cpu->name);
}

static status_t refuse(const backend_table_t *table, const backend_request_t *r,
                       const void *context)
{
    if (backend_find(table, r->name, r->device->kind) == NULL)
        return backend_refuse_name(table, r->name != NULL ? r->name : "auto",
                                   r->device->kind);
    table->refuse(context);
    return ST_EUSAGE;
}

status_t backend_choose(const backend_table_t *table, const backend_request_t *request,
                        const void *context, const backend_t **out)
{
    const backend_t *row = first(table, request->name, request->device->kind, context);

    if (row == NULL)
        return refuse(table, request, context);
    *out = row;
    return ST_OK;
}

/* @param cause  why the GPU does not */
static status_t open_on_cpu(const backend_table_t *table, const backend_request_t *r,
                            const char *cause, const void *context, const backend_t **out,
                            void **state)
{
    const device_t gpu = *r->fallback;
    backend_request_t on_cpu = *r;
    const backend_t *row;
    status_t st;

    *r->fallback = device_cpu();
    on_cpu.name = backend_name_on(table, r->name, r->device->kind);
    if ((st = backend_choose(table, &on_cpu, context, &row)) != ST_OK)
        return st;
    backend_log_fallback(&gpu, cause, r->what, row);
    if ((st = table->create(row, context, state)) == ST_OK)
        *out = row;
    return st;
}

status_t backend_open(const backend_table_t *table, const backend_request_t *request,
                      const void *context, const backend_t **out, void **state)
{
    const bool may_fall_back =
        request->fallback != NULL && device_is_gpu(request->device);
    const backend_t *row = NULL;
    status_t st;

    if (may_fall_back &&
        first(table, request->name, request->device->kind, context) == NULL)
        return open_on_cpu(table, request, "no kernel", context, out, state);
    if ((st = backend_choose(table, request, context, &row)) != ST_OK)
        return st;
    st = table->create(row, context, state);
    if (st == ST_EDEVICE && may_fall_back)
        return open_on_cpu(table, request, "too little memory", context, out, state);
    if (st == ST_OK)
        *out = row;
    return st;
}
