/*
 * rg_context.c - contexts: devices, threads, and the texts of errors and warnings.
 */
#include "library/rg_context.h"

#include "kernels/align/common/align_run.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Batches get 1 / MEMORY_DIVISOR of the memory that the process may use. */
enum {
    MEMORY_DIVISOR = 16,
    THREADS_MAX = 4096,
    WARNINGS_BYTES = 1 << 16,
    NAME_BYTES = 64
};

/* Of calls without a context. */
enum { REASON_BYTES = 512 };
static _Thread_local char reason[REASON_BYTES];

/* ---- messages ---- */

/* @return whether a word of the command line begins: --gap-open */
static bool begins_option(const char *text, const char *at)
{
    return at[0] == '-' && at[1] == '-' && islower((unsigned char)at[2]) &&
           (at == text || at[-1] == ' ' || at[-1] == '(');
}

/* @param word  [len] as on the command line
 * @return the name of the member or argument */
static const char *name_of(const char *word, size_t len, char out[NAME_BYTES])
{
    if (len == strlen("against") && strncmp(word, "against", len) == 0)
        return "references";
    snprintf(out, NAME_BYTES, "%.*s", (int)len, word);
    for (char *at = out; *at != '\0'; at++)
        *at = *at == '-' ? '_' : *at;
    return out;
}

/* Append text in which options have their names here: gap_open for --gap-open. */
static status_t append_text(buf_t *out, const char *text)
{
    const char *at = text, *from = text;
    char name[NAME_BYTES];
    status_t st = ST_OK;

    while (st == ST_OK && *at != '\0') {
        size_t len = 0;

        if (!begins_option(text, at)) {
            at++;
            continue;
        }
        while (islower((unsigned char)at[2 + len]) || at[2 + len] == '-')
            len++;
        if ((st = buf_append(out, from, (size_t)(at - from))) == ST_OK)
            st = buf_printf(out, "%s", name_of(at + 2, len, name));
        from = at += 2 + len;
    }
    return st == ST_OK ? buf_append(out, from, (size_t)(at - from)) : st;
}

/* Errors keep one line each, warnings too; the rest is nobody's business here.  A buffer
 * that cannot grow would log that: the sink is not in use meanwhile. */
static void take(log_sink_t *sink, log_level_t level, const char *text)
{
    static const char label[] = "warning: ";
    rg_messages_t *m = (rg_messages_t *)sink;
    const bool is_error = level == LOG_QUIET;
    buf_t *to = is_error ? &m->error : &m->warnings;

    if (!is_error && strncmp(text, label, sizeof(label) - 1) != 0)
        return;
    pthread_mutex_lock(&m->lock);
    if (!m->lacks_memory && to->len < WARNINGS_BYTES) {
        m->lacks_memory =
            (is_error && to->len > 0 && buf_append(to, "; ", 2) != ST_OK) ||
            append_text(to, is_error ? text : text + sizeof(label) - 1) != ST_OK ||
            (!is_error && buf_append(to, "\n", 1) != ST_OK);
    }
    pthread_mutex_unlock(&m->lock);
}

/* Of a buffer that cannot grow. */
static void drop(log_sink_t *sink, log_level_t level, const char *text)
{
    (void)sink;
    (void)level;
    (void)text;
}

static void take_safely(log_sink_t *sink, log_level_t level, const char *text)
{
    static log_sink_t nowhere = {drop};
    log_sink_t *before = log_set_sink(&nowhere);

    take(sink, level, text);
    log_set_sink(before);
}

static void messages_begin(rg_messages_t *m)
{
    m->sink.take = take_safely;
    pthread_mutex_init(&m->lock, NULL);
}

static void messages_clear(rg_messages_t *m)
{
    m->error.len = m->warnings.len = 0;
    m->lacks_memory = false;
}

static void messages_free(rg_messages_t *m)
{
    pthread_mutex_destroy(&m->lock);
    buf_free(&m->error);
    buf_free(&m->warnings);
}

static const char *text_of(const buf_t *text)
{
    return text->len > 0 ? (const char *)text->data : "";
}

/* ---- calls ---- */

static rg_status_t status_of(status_t st)
{
    switch (st) {
    case ST_OK:
        return RG_OK;
    case ST_ENOMEM:
        return RG_ENOMEM;
    case ST_EUSAGE:
        return RG_EINVAL;
    case ST_EINPUT:
        return RG_EINPUT;
    case ST_EIO:
    case ST_EBUSY: /* the log of a run of the program */
        return RG_EIO;
    case ST_ESTOPPED:
        return RG_ECANCELLED;
    default:
        return RG_EDEVICE;
    }
}

const char *rg_status_text(rg_status_t status)
{
    static const char *const texts[] = {"no error",
                                        "out of memory",
                                        "invalid argument",
                                        "invalid input",
                                        "reading or writing failed",
                                        "the device failed",
                                        "another thread uses the context",
                                        "cancelled"};
    const int k = -(int)status;

    return k >= 0 && k < (int)(sizeof(texts) / sizeof(texts[0])) ? texts[k]
                                                                 : "no such status";
}

/* End a text, with a reason if there is none. */
static void end_text(buf_t *text, const char *otherwise)
{
    if (text->len == 0 && otherwise != NULL &&
        buf_append(text, otherwise, strlen(otherwise)) != ST_OK)
        return;
    if (buf_append(text, "", 1) != ST_OK)
        text->len = 0;
}

rg_status_t rg_context_enter(rg_context_t *c, log_sink_t **before)
{
    if (c == NULL) {
        snprintf(reason, sizeof(reason), "there is no context; give one");
        return RG_EINVAL;
    }
    if (atomic_exchange(&c->is_busy, true))
        return RG_EBUSY;
    messages_clear(&c->messages);
    *before = log_set_sink(&c->messages.sink);
    c->gpu_before = device_is_gpu(&c->binding.device) ? device_in_use() : -1;
    return RG_OK;
}

rg_status_t rg_context_leave(rg_context_t *c, log_sink_t *before, status_t st)
{
    const rg_status_t status = status_of(st);

    __atomic_store_n(&c->cancel, 0, __ATOMIC_RELAXED);
    if (status != RG_OK)
        end_text(&c->messages.error, rg_status_text(status));
    else
        c->messages.error.len = 0;
    if (c->messages.warnings.len > 0)
        end_text(&c->messages.warnings, NULL);
    device_use_again(c->gpu_before);
    log_set_sink(before);
    atomic_store(&c->is_busy, false);
    return status;
}

void rg_context_remedy(rg_context_t *c, const char *remedy)
{
    buf_t *error = &c->messages.error;
    const char *end = error->len > 0 ? memmem(error->data, error->len, "; ", 2) : NULL;

    if (end != NULL)
        error->len = (size_t)(end - (const char *)error->data);
    if (buf_append(error, "; ", 2) != ST_OK ||
        buf_append(error, remedy, strlen(remedy)) != ST_OK)
        error->len = 0;
}

status_t rg_context_progress(rg_context_t *c, double done)
{
    if (c->progress != NULL && c->progress(c->progress_arg, done) != 0)
        return ST_ESTOPPED;
    return align_cancelled(&c->cancel) ? ST_ESTOPPED : ST_OK;
}

void rg_context_cancel(rg_context_t *context)
{
    if (context != NULL)
        __atomic_store_n(&context->cancel, 1, __ATOMIC_RELAXED);
}

const char *rg_context_error(const rg_context_t *context)
{
    return context != NULL ? text_of(&context->messages.error) : reason;
}

const char *rg_context_warnings(const rg_context_t *context)
{
    return context != NULL ? text_of(&context->messages.warnings) : "";
}

/* ---- options ---- */

/* What an earlier header lacks has its default; a later header may give what this library
 * does not know. */
status_t rg_options_take(const void *given, void *out, size_t size)
{
    size_t given_size;

    if (given == NULL)
        return ST_OK;
    memcpy(&given_size, given, sizeof(given_size));
    if (given_size < sizeof(given_size) || given_size > size) {
        log_error("options of %zu bytes, where this library knows %zu: initialise them "
                  "with their rg_..._init, and use a library that is not older than the "
                  "header",
                  given_size, size);
        return ST_EUSAGE;
    }
    memcpy(out, given, given_size);
    return ST_OK;
}

void rg_context_options_init(rg_context_options_t *options, size_t size)
{
    const rg_context_options_t defaults = {.size = size, .device = "auto"};

    if (options != NULL)
        memcpy(options, &defaults, size < sizeof(defaults) ? size : sizeof(defaults));
}

/* ---- contexts ---- */

static status_t check_options(const rg_context_options_t *o)
{
    if (device_option_kinds(o->device) == 0) {
        log_error("device %s: give auto, cpu, cuda or cuda:I", o->device);
        return ST_EUSAGE;
    }
    if (o->threads < 0 || o->threads > THREADS_MAX) {
        log_error("threads of %d: give 0 to %d", o->threads, THREADS_MAX);
        return ST_EUSAGE;
    }
    if (o->memory_bytes < 0) {
        log_error("memory_bytes of less than 0; give 0 for the default");
        return ST_EUSAGE;
    }
    if ((o->allocate == NULL) != (o->release == NULL)) {
        log_error("an allocator is two functions; give allocate and release, or neither");
        return ST_EUSAGE;
    }
    return ST_OK;
}

static status_t create(rg_context_t *c, const rg_context_options_t *given)
{
    exchange_t alone = exchange_alone();
    rg_context_options_t o;
    status_t st;

    rg_context_options_init(&o, sizeof(o));
    if ((st = rg_options_take(given, &o, sizeof(o))) != ST_OK)
        return st;
    if (o.device == NULL)
        o.device = "auto";
    if ((st = check_options(&o)) != ST_OK)
        return st;
    if ((device_option_kinds(o.device) & DEVICE_BIT(DEVICE_CUDA)) != 0)
        c->gpu_before = device_in_use();
    if ((st = bind_choose(&alone, o.device, o.threads, &c->binding)) != ST_OK)
        return st;
    c->memory_bytes =
        o.memory_bytes > 0 ? o.memory_bytes : c->binding.memory_bytes / MEMORY_DIVISOR;
    c->may_fall_back = strcmp(o.device, "auto") == 0;
    c->progress = o.progress;
    c->progress_arg = o.progress_arg;
    c->is_guarded = o.guarded != 0;
    c->memory = (rg_allocator_t){o.allocate, o.release, o.allocator_arg};
    return pool_create(c->binding.n_threads, &c->pool);
}

rg_status_t rg_context_create(const rg_context_options_t *options, rg_context_t **out)
{
    rg_context_t *c = calloc(1, sizeof(*c));
    rg_status_t status = RG_ENOMEM;
    log_sink_t *before;

    snprintf(reason, sizeof(reason), "%s", rg_status_text(RG_ENOMEM));
    if (c == NULL)
        return status;
    messages_begin(&c->messages);
    atomic_store(&c->n_owners, 1);
    c->gpu_before = -1;
    before = log_set_sink(&c->messages.sink);
    if (out != NULL)
        status = rg_context_leave(c, before, create(c, options));
    else
        status = rg_context_leave(c, before, ST_EUSAGE);
    if (status == RG_OK) {
        reason[0] = '\0';
        *out = c;
        return RG_OK;
    }
    snprintf(reason, sizeof(reason), "%s", rg_context_error(c));
    rg_context_destroy(c);
    return status;
}

rg_context_t *rg_context_share(rg_context_t *context)
{
    atomic_fetch_add(&context->n_owners, 1);
    return context;
}

void rg_context_destroy(rg_context_t *c)
{
    if (c == NULL || atomic_fetch_sub(&c->n_owners, 1) > 1)
        return;
    pool_destroy(c->pool);
    messages_free(&c->messages);
    free(c);
}

const char *rg_context_device(const rg_context_t *context)
{
    return context != NULL ? context->binding.device.name : "";
}

int32_t rg_context_threads(const rg_context_t *context)
{
    return context != NULL ? context->binding.n_threads : 0;
}
