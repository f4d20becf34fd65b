/*
 * rg_native.c - compiles, loads and calls an emitted program.
 *
 * An error jumps out of the program's functions.  Of several errors in pieces that run in
 * parallel the one in the first piece counts, which is that of the interpreter.
 */
#include "graph/program/rg_native.h"

#include "graph/program/rg_alter.h"
#include "graph/program/rg_emit.h"
#include "graph/program/rg_sort.h"
#include "io/base/child.h"
#include "io/base/clock.h"
#include "io/base/logmsg.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 64, MIN_PIECE = 4096, PIECES_PER_THREAD = 16 };

struct rg_native {
    const rg_program_t *program;
    void *library;
    void (*main)(rg_host_t *host);
};

/* ---- compiling ---- */

/* The files of a compilation, which are in memory and have no names: -1: none. */
typedef struct {
    int source, library, messages;
} files_t;

static status_t open_files(files_t *f)
{
    f->source = memfd_create("program.c", 0);
    f->library = memfd_create("program.so", 0);
    f->messages = memfd_create("messages", 0);
    return f->source >= 0 && f->library >= 0 && f->messages >= 0 ? ST_OK : ST_EDEVICE;
}

static void close_files(const files_t *f)
{
    const int all[] = {f->source, f->library, f->messages};

    for (int i = 0; i < 3; i++)
        if (all[i] >= 0)
            close(all[i]);
}

static status_t write_source(const rg_program_t *program, const files_t *f)
{
    buf_t text = {0};
    status_t st = rg_emit_c(program, &text);

    if (st == ST_OK && (write(f->source, text.data, text.len) != (ssize_t)text.len ||
                        lseek(f->source, 0, SEEK_SET) != 0))
        st = ST_EDEVICE;
    buf_free(&text);
    return st;
}

/* Run the compiler: source from stdin, messages to stderr. @return ST_OK or ST_EDEVICE */
static status_t compile(const files_t *f, const char *compiler, const char *library)
{
    const char *const words[] = {compiler,
                                 "-x",
                                 "c",
                                 "-std=gnu11",
                                 "-O2",
                                 "-w",
                                 "-ffp-contract=off",
                                 "-fno-math-errno",
                                 "-pipe",
                                 "-shared",
                                 "-fPIC",
                                 "-o",
                                 library,
                                 "-",
                                 NULL};
    posix_spawn_file_actions_t actions;
    extern char **environ;
    int status = -1;
    pid_t pid;

    if (posix_spawn_file_actions_init(&actions) != 0)
        return log_nomem("a compiler");
    if (posix_spawn_file_actions_adddup2(&actions, f->source, STDIN_FILENO) == 0 &&
        posix_spawn_file_actions_adddup2(&actions, f->messages, STDERR_FILENO) == 0 &&
        posix_spawnp(&pid, compiler, &actions, NULL, (char **)(uintptr_t)words,
                     environ) == 0)
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
    posix_spawn_file_actions_destroy(&actions);
    return status == 0 ? ST_OK : ST_EDEVICE;
}

static status_t load(const char *library, rg_native_t *native)
{
    native->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (native->library == NULL)
        return ST_EDEVICE;
    *(void **)&native->main = dlsym(native->library, "rg_main");
    return native->main != NULL ? ST_OK : ST_EDEVICE;
}

/* Log the first line of the compiler's messages, or another reason. */
static void report(const files_t *f, const char *compiler, bool is_optional)
{
    char why[256];
    const ssize_t len = pread(f->messages, why, sizeof(why) - 1, 0);

    if (len > 0) {
        why[len] = '\0';
        why[strcspn(why, "\n")] = '\0';
    } else {
        strcpy(why, "it cannot be run, or what it makes cannot be loaded");
    }
    if (is_optional)
        log_verbose("the program is interpreted: %s: %s", compiler, why);
    else
        log_error("%s: %s; install a C compiler, name it by CC, or give --kernel "
                  "interpreter",
                  compiler, why);
}

status_t rg_native_create(const rg_program_t *program, bool is_optional,
                          rg_native_t **out)
{
    const char *compiler = getenv("CC");
    rg_native_t *native = calloc(1, sizeof(*native));
    files_t f = {-1, -1, -1};
    char library[PATH_BYTES];
    status_t st;

    if (native == NULL)
        return log_nomem("a graph program");
    if (compiler == NULL || compiler[0] == '\0')
        compiler = "cc";
    native->program = program;
    if ((st = open_files(&f)) == ST_OK) {
        snprintf(library, sizeof(library), "/proc/self/fd/%d", f.library);
        if ((st = write_source(program, &f)) == ST_OK &&
            (st = compile(&f, compiler, library)) == ST_OK)
            st = load(library, native);
    }
    if (st == ST_EDEVICE)
        report(&f, compiler, is_optional);
    close_files(&f);
    if (st == ST_OK)
        *out = native;
    else
        rg_native_destroy(native);
    return st;
}

void rg_native_destroy(rg_native_t *native)
{
    if (native == NULL)
        return;
    if (native->library != NULL)
        dlclose(native->library);
    free(native);
}

/* ---- running ---- */

typedef struct {
    rg_host_t host;
    rg_state_t state;
    rg_sort_t sort;
    pool_t *pool;
    int64_t n_parts;                           /* for which there is room */
    void (*piece)(int64_t begin, int64_t end); /* that runs now */
    pthread_mutex_t lock;                      /* of the error */
    atomic_int_fast64_t failed;                /* its piece, or INT64_MAX */
    rg_error_t error;
    rg_at_t at;
} call_t;

/* The program's functions get no context: a process runs one program at a time, and a
 * thread one of its pieces. */
static call_t *running;
static _Thread_local jmp_buf *escape;
static _Thread_local int64_t this_piece;

static void __attribute__((noreturn)) fail(rg_error_t error, int line, int column)
{
    pthread_mutex_lock(&running->lock);
    if (this_piece < atomic_load(&running->failed)) {
        atomic_store(&running->failed, this_piece);
        running->error = error;
        running->at = (rg_at_t){line, column};
    }
    pthread_mutex_unlock(&running->lock);
    longjmp(*escape, 1);
}

/* Leave the program if the host has failed. */
static void check(status_t st)
{
    if (st == ST_OK)
        return;
    pthread_mutex_lock(&running->lock);
    running->state.st = st;
    atomic_store(&running->failed, 0);
    pthread_mutex_unlock(&running->lock);
    longjmp(*escape, 1);
}

static void change(int set, int64_t node, rg_change_t how, int line, int column)
{
    rg_state_t *s = &running->state;

    check(rg_collection_change(&s->set[set], s->graph->n_nodes, node, how));
    if (s->set[set].n > s->input->max_items && s->set[set].list != NULL)
        fail(RG_ERROR_LARGE, line, column);
}

/* What the program reads of a graph that it may change. */
static void show_graph(call_t *c)
{
    const csr_t *g = c->state.graph, *in = c->state.in;

    c->host.n_nodes = g->n_nodes;
    c->host.first = g->first;
    c->host.in_first = in->first;
    c->host.id = g->id;
    c->host.to = g->to;
    c->host.in_to = in->to;
    c->host.weight = g->weight;
    c->host.value = g->value;
    c->host.map = c->state.map;
    c->host.n_mapped = c->state.n_mapped;
}

/* Make room for the results of all pieces. */
static status_t reserve_parts(call_t *c)
{
    const int64_t n = c->host.n_nodes / c->host.piece + 1;
    rg_value_t *part;

    if (n <= c->n_parts)
        return ST_OK;
    if ((part = realloc(c->host.part, 2 * (size_t)n * sizeof(*part))) == NULL)
        return log_nomem("a graph program");
    c->host.part = part;
    c->n_parts = 2 * n;
    return ST_OK;
}

static int64_t alter(rg_alter_t how, int64_t a, int64_t b, double weight, int line,
                     int column)
{
    call_t *c = running;
    int64_t node = -1;
    status_t st;

    if (!isfinite(weight))
        fail(RG_ERROR_WEIGHT, line, column);
    if (how == RG_NEW_NODE && c->host.n_nodes >= c->state.input->max_items)
        fail(RG_ERROR_LARGE, line, column);
    pthread_mutex_lock(&c->lock);
    st = rg_alter(&c->state, how, a, b, weight, &node);
    pthread_mutex_unlock(&c->lock);
    check(st);
    if (how == RG_NEW_NODE || how == RG_COMMIT || how == RG_REBALANCE) {
        show_graph(c);
        check(reserve_parts(c));
    }
    return node;
}

static void sort_add(int64_t node, int is_real, rg_value_t key)
{
    check(rg_sort_add(&running->sort, is_real != 0, key, node));
}

static void sort_into(int set)
{
    rg_state_t *s = &running->state;

    check(rg_sort_into(&running->sort, &s->set[set], s->graph->n_nodes));
}

static void run_piece(void *ctx, int64_t k, int thread)
{
    call_t *c = ctx;
    jmp_buf here, *outer = escape;
    const int64_t begin = k * c->host.piece, end = begin + c->host.piece;

    (void)thread;
    if (k > atomic_load(&c->failed))
        return;
    child_tick();
    escape = &here;
    this_piece = k;
    if (setjmp(here) == 0)
        c->piece(begin, end < c->host.n_nodes ? end : c->host.n_nodes);
    escape = outer;
}

static void parallel(void (*piece)(int64_t begin, int64_t end))
{
    call_t *c = running;

    c->piece = piece;
    pool_run(c->pool, (c->host.n_nodes + c->host.piece - 1) / c->host.piece, run_piece,
             c);
    if (atomic_load(&c->failed) != INT64_MAX)
        longjmp(*escape, 1);
}

/* A power of two, so that a piece is a subtree of a sum over nodes. */
static int64_t piece_of(int64_t n_nodes, int n_threads)
{
    int64_t piece = MIN_PIECE;

    while (piece < n_nodes / (n_threads * PIECES_PER_THREAD))
        piece *= 2;
    return piece;
}

static rg_host_t host_of(call_t *c, const rg_input_t *input)
{
    return (rg_host_t){.attribute = c->state.attribute,
                       .set = c->state.set,
                       .initial = c->state.initial,
                       .param = c->state.param,
                       .is_given = input->is_given,
                       .max_iterations = input->max_iterations,
                       .parallel = parallel,
                       .piece =
                           piece_of(c->state.graph->n_nodes, pool_n_threads(c->pool)),
                       .change = change,
                       .alter = alter,
                       .sort_add = sort_add,
                       .sort_into = sort_into,
                       .fail = fail,
                       .tick = child_tick};
}

static status_t call_main(const rg_native_t *native, call_t *c)
{
    jmp_buf here;

    running = c;
    escape = &here;
    this_piece = 0;
    if (setjmp(here) == 0)
        native->main(&c->host);
    escape = NULL;
    running = NULL;
    if (atomic_load(&c->failed) != INT64_MAX)
        state_fail(&c->state, c->at, c->error);
    c->state.n_iterations = c->host.n_iterations;
    c->state.n_visited = c->host.n_visited;
    return c->state.st;
}

status_t rg_native_run(const rg_native_t *native, const rg_input_t *input, pool_t *pool,
                       rg_result_t *out)
{
    call_t c = {.pool = pool, .lock = PTHREAD_MUTEX_INITIALIZER};
    double begin;
    status_t st = state_create(native->program, input, &c.state);

    *out = (rg_result_t){0};
    if (st == ST_OK) {
        atomic_init(&c.failed, INT64_MAX);
        c.host = host_of(&c, input);
        show_graph(&c);
        st = reserve_parts(&c);
    }
    if (st == ST_OK) {
        begin = clock_now_s();
        st = call_main(native, &c);
        out->seconds = clock_now_s() - begin;
    }
    if (st == ST_OK)
        st = rg_alter_finish(&c.state, out);
    if (st == ST_OK)
        state_take_outputs(&c.state, out);
    else
        rg_result_free(out);
    free(c.host.part);
    rg_sort_free(&c.sort);
    state_destroy(&c.state);
    return st;
}
