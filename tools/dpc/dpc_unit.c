/*
 * dpc_unit.c - parses a CUDA file with libclang, and keeps what dpc needs of it.
 */
#include "tools/dpc/dpc_unit.h"

#include "io/base/buf.h"
#include "io/base/logmsg.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* While libclang's tree is visited. */
typedef struct {
    clang_api_t api;
    clang_file_t file; /* the one that is translated */
    const char *text;
    size_t len;
    dpc_unit_t *to;
    size_t outer_begin;       /* of the declaration at the top level */
    dpc_function_t *function; /* whose body is visited */
    int parent;
    status_t st;
} visit_t;

/* Names for the files in memory: a folder that exists everywhere. */
#define DECLS_FOLDER "/"
static const char *const decls_names[] = {DECLS_FOLDER "cuda_runtime.h",
                                          DECLS_FOLDER "cuda_runtime_api.h",
                                          DECLS_FOLDER "device_launch_parameters.h",
                                          DECLS_FOLDER "device_functions.h",
                                          DECLS_FOLDER "cuda_device_runtime_api.h",
                                          DECLS_FOLDER "vector_types.h",
                                          DECLS_FOLDER "omp.h",
                                          DECLS_FOLDER "ribogrid_dpc_decls.h"};

enum { N_DECLS = sizeof(decls_names) / sizeof(decls_names[0]), ARGUMENTS_MAX = 256 };

void *dpc_one_more(void *array, size_t n, size_t bytes)
{
    void *more = array;

    if ((n & (n - 1)) == 0)
        more = realloc(array, (n == 0 ? 1 : 2 * n) * bytes);
    if (more == NULL) {
        (void)log_nomem("a CUDA file");
        return NULL;
    }
    memset((char *)more + n * bytes, 0, bytes);
    return more;
}

/* Keep a text until the unit is freed. @return NULL: no memory (logged) */
__attribute__((format(printf, 2, 3))) static const char *keep_format(visit_t *v,
                                                                     const char *fmt, ...)
{
    va_list args;
    char *text = NULL;
    char **more = dpc_one_more(v->to->strings, v->to->n_strings, sizeof(*more));

    if (more != NULL) {
        v->to->strings = more;
        va_start(args, fmt);
        if (vasprintf(&text, fmt, args) < 0) {
            (void)log_nomem("a CUDA file");
            text = NULL;
        }
        va_end(args);
    }
    if (text == NULL)
        v->st = ST_ENOMEM;
    else
        more[v->to->n_strings++] = text;
    return text;
}

static const char *keep(visit_t *v, clang_string_t s)
{
    const char *text = v->api.getCString(s);
    const char *copy = keep_format(v, "%s", text != NULL ? text : "");

    v->api.disposeString(s);
    return copy;
}

/* A parameter's type: arrays are pointers. */
static const char *decay(visit_t *v, const char *type)
{
    const char *open = type != NULL ? strchr(type, '[') : NULL;
    const char *rest = open != NULL ? strchr(open, ']') + 1 : NULL;

    if (open == NULL || strchr(type, '(') != NULL)
        return type;
    return rest[0] == '[' ? keep_format(v, "%.*s (*)%s", (int)(open - type), type, rest)
                          : keep_format(v, "%.*s *", (int)(open - type), type);
}

/* Where a cursor lies, if that is in one file. */
static clang_file_t extent_of(visit_t *v, clang_cursor_t c, size_t *begin, size_t *end)
{
    const clang_range_t r = v->api.getCursorExtent(c);
    clang_file_t first = NULL, last = NULL;
    unsigned line, column, from = 0, to = 0;

    v->api.getExpansionLocation(v->api.getRangeStart(r), &first, &line, &column, &from);
    v->api.getExpansionLocation(v->api.getRangeEnd(r), &last, &line, &column, &to);
    *begin = from;
    *end = to < from ? from : to;
    return first;
}

/* @return whether a statement begins with its own word: it is not of a macro */
static bool begins_with(const visit_t *v, size_t at, const char *word)
{
    const size_t len = strlen(word);

    return at + len <= v->len && memcmp(v->text + at, word, len) == 0;
}

/* @return whether a statement is kept */
static bool is_statement(const visit_t *v, int kind, size_t at)
{
    switch (kind) {
    case CLANG_COMPOUND:
        return begins_with(v, at, "{");
    case CLANG_IF:
        return begins_with(v, at, "if");
    case CLANG_SWITCH:
        return begins_with(v, at, "switch");
    case CLANG_WHILE:
        return begins_with(v, at, "while");
    case CLANG_DO:
        return begins_with(v, at, "do");
    case CLANG_FOR:
    case CLANG_FOR_RANGE:
        return begins_with(v, at, "for");
    case CLANG_LAMBDA:
        return begins_with(v, at, "[");
    case CLANG_LABEL:
    case CLANG_GOTO:
    case CLANG_TRY:
    case CLANG_VARIABLE:
    case CLANG_PARAMETER:
    case CLANG_TYPEDEF:
    case CLANG_TYPE_ALIAS:
    case CLANG_STRUCT:
    case CLANG_CLASS:
    case CLANG_UNION:
    case CLANG_ENUM:
        return true;
    default:
        return false;
    }
}

/* @return whether a variable's name stands in the file; otherwise it is of a macro, and
 * known there alone */
static bool is_named_here(visit_t *v, clang_cursor_t c, size_t begin, size_t end)
{
    const lex_t *lex = &v->to->lex;
    const char *name = keep(v, v->api.getCursorSpelling(c));

    for (size_t i = lex_at(lex, begin);
         name != NULL && i < lex->n && lex->all[i].begin < end; i++)
        if (lex_is(lex, i, name))
            return true;
    return false;
}

static bool add_node(visit_t *v, clang_cursor_t c, size_t begin, size_t end)
{
    dpc_function_t *f = v->function;
    dpc_node_t n = {.kind = c.kind, .begin = begin, .end = end, .parent = v->parent};
    dpc_node_t *more;

    if (c.kind == CLANG_VARIABLE || c.kind == CLANG_PARAMETER) {
        const clang_type_t type = v->api.getCursorType(c);
        const int storage = v->api.Cursor_getStorageClass(c);

        n.name = keep(v, v->api.getCursorSpelling(c));
        n.type = keep(v, v->api.getTypeSpelling(type));
        if (c.kind == CLANG_PARAMETER)
            n.type = decay(v, n.type);
        if (c.kind == CLANG_PARAMETER && n.name != NULL && n.name[0] == '\0') {
            n.is_unnamed = true;
            n.name = keep_format(v, "dp_unnamed_%zu", f->n_nodes);
        }
        n.is_const = v->api.isConstQualifiedType(type) != 0;
        n.is_extern = storage == 2; /* CX_SC_Extern, CX_SC_Static */
        n.is_static = storage == 3;
        n.is_reference =
            type.kind == CLANG_REFERENCE || type.kind == CLANG_RVALUE_REFERENCE;
    }
    if ((more = dpc_one_more(f->nodes, f->n_nodes, sizeof(*more))) == NULL)
        v->st = ST_ENOMEM;
    if (v->st != ST_OK)
        return false;
    f->nodes = more;
    more[f->n_nodes++] = n;
    return true;
}

static int visit_body(clang_cursor_t c, clang_cursor_t around, clang_data_t data)
{
    visit_t *v = data;
    const int parent = v->parent;
    size_t begin, end;

    (void)around;
    if (v->st != ST_OK)
        return CLANG_BREAK;
    if (c.kind == CLANG_SHARED_ATTRIBUTE && parent >= 0)
        v->function->nodes[parent].is_shared = true;
    if (extent_of(v, c, &begin, &end) != v->file)
        return CLANG_CONTINUE;
    if (is_statement(v, c.kind, begin) &&
        (c.kind != CLANG_VARIABLE || is_named_here(v, c, begin, end))) {
        if (!add_node(v, c, begin, end))
            return CLANG_BREAK;
        v->parent = (int)v->function->n_nodes - 1;
        if (c.kind == CLANG_STRUCT || c.kind == CLANG_CLASS || c.kind == CLANG_UNION ||
            c.kind == CLANG_ENUM) {
            v->parent = parent;
            return CLANG_CONTINUE;
        }
    }
    v->api.visitChildren(c, visit_body, v);
    v->parent = parent;
    return v->st == ST_OK ? CLANG_CONTINUE : CLANG_BREAK;
}

static int visit_attributes(clang_cursor_t c, clang_cursor_t around, clang_data_t data)
{
    dpc_function_t *f = data;

    (void)around;
    f->is_global = f->is_global || c.kind == CLANG_GLOBAL_ATTRIBUTE;
    f->is_device = f->is_device || c.kind == CLANG_DEVICE_ATTRIBUTE;
    f->is_host = f->is_host || c.kind == CLANG_HOST_ATTRIBUTE;
    return CLANG_CONTINUE;
}

/* The first token of a declaration, which attributes may precede, and its body. */
static void find_head(visit_t *v, dpc_function_t *f)
{
    const lex_t *lex = &v->to->lex;
    size_t i = lex_at(lex, f->begin);

    for (size_t k; (k = lex_before(lex, i)) < lex->n; i = k)
        if (lex_is(lex, k, ";") || lex_is(lex, k, "}") || lex_is(lex, k, "{") ||
            lex->all[i - 1].in_directive)
            break;
    f->head_begin = i < lex->n ? lex->all[i].begin : f->begin;
    for (size_t n = 0; n < f->n_nodes && f->body_end == 0; n++)
        if (f->nodes[n].kind == CLANG_COMPOUND && f->nodes[n].parent < 0) {
            f->body_begin = f->nodes[n].begin;
            f->body_end = f->nodes[n].end;
        }
}

static void add_function(visit_t *v, clang_cursor_t c)
{
    dpc_function_t f = {.is_template = c.kind == CLANG_FUNCTION_TEMPLATE,
                        .is_method = c.kind == CLANG_METHOD,
                        .is_defined = v->api.isCursorDefinition(c) != 0,
                        .outer_begin = v->outer_begin};
    const clang_file_t file = extent_of(v, c, &f.begin, &f.end);
    dpc_function_t *more;

    f.is_here = file == v->file;
    f.name = keep(v, v->api.getCursorSpelling(c));
    f.text = file != NULL ? v->api.getFileContents(v->to->unit, file, &f.text_len) : NULL;
    if (f.text == NULL || f.end > f.text_len)
        return;
    v->api.visitChildren(c, visit_attributes, &f);
    if ((more = dpc_one_more(v->to->functions, v->to->n_functions, sizeof(*more))) ==
        NULL)
        v->st = ST_ENOMEM;
    if (v->st != ST_OK)
        return;
    v->to->functions = more;
    more[v->to->n_functions++] = f;
    if (!f.is_here || !f.is_defined)
        return;
    v->function = &more[v->to->n_functions - 1];
    v->parent = -1;
    v->api.visitChildren(c, visit_body, v);
    find_head(v, v->function);
}

static void add_global(visit_t *v, clang_cursor_t c)
{
    const dpc_global_t g = {keep(v, v->api.getCursorSpelling(c)),
                            c.kind == CLANG_ENUMERATOR ||
                                v->api.isConstQualifiedType(v->api.getCursorType(c)) !=
                                    0};
    dpc_global_t *more = dpc_one_more(v->to->globals, v->to->n_globals, sizeof(*more));

    if (more == NULL)
        v->st = ST_ENOMEM;
    if (v->st != ST_OK)
        return;
    v->to->globals = more;
    more[v->to->n_globals++] = g;
}

static int visit_top(clang_cursor_t c, clang_cursor_t around, clang_data_t data)
{
    enum { NAMESPACE = 22, LINKAGE = 23, UNEXPOSED = 1, UNIT = 350, OLD_UNIT = 300 };
    visit_t *v = data;
    size_t begin, end;

    if (v->st != ST_OK)
        return CLANG_BREAK;
    if (v->api.Location_isInSystemHeader(v->api.getCursorLocation(c)))
        return CLANG_CONTINUE;
    extent_of(v, c, &begin, &end);
    if (around.kind == UNIT || around.kind == OLD_UNIT)
        v->outer_begin = begin;
    if (c.kind == CLANG_FUNCTION || c.kind == CLANG_FUNCTION_TEMPLATE ||
        c.kind == CLANG_METHOD)
        add_function(v, c);
    else if (c.kind == CLANG_VARIABLE || c.kind == CLANG_ENUMERATOR)
        add_global(v, c);
    else if (c.kind == NAMESPACE || c.kind == LINKAGE || c.kind == UNEXPOSED ||
             c.kind == CLANG_STRUCT || c.kind == CLANG_CLASS || c.kind == CLANG_ENUM)
        return CLANG_RECURSE;
    return v->st == ST_OK ? CLANG_CONTINUE : CLANG_BREAK;
}

/* Code that the preprocessor leaves out is no code. */
static void mark_left_out(visit_t *v)
{
    clang_ranges_t *ranges = v->api.getSkippedRanges(v->to->unit, v->file);
    lex_t *lex = &v->to->lex;

    if (ranges == NULL)
        return;
    for (unsigned k = 0; k < ranges->n; k++) {
        clang_file_t file;
        unsigned line, column, begin, end;

        v->api.getExpansionLocation(v->api.getRangeStart(ranges->all[k]), &file, &line,
                                    &column, &begin);
        v->api.getExpansionLocation(v->api.getRangeEnd(ranges->all[k]), &file, &line,
                                    &column, &end);
        for (size_t i = lex_at(lex, begin); i < lex->n && lex->all[i].begin < end; i++)
            lex->all[i].in_directive = lex->all[i].is_left_out = true;
    }
    v->api.disposeSourceRangeList(ranges);
}

static bool is_missing_file(const char *text)
{
    static const char end[] = "file not found";

    return strlen(text) >= strlen(end) &&
           strcmp(text + strlen(text) - strlen(end), end) == 0;
}

static status_t add_fault(visit_t *v, clang_diagnostic_t d)
{
    dpc_fault_t *more, fault = {.line = 0};
    clang_file_t file = NULL;
    unsigned line = 0, column, at = 0;

    v->api.getExpansionLocation(v->api.getDiagnosticLocation(d), &file, &line, &column,
                                &at);
    if ((fault.text = keep(v, v->api.getDiagnosticSpelling(d))) == NULL)
        return v->st;
    fault.is_fatal = is_missing_file(fault.text);
    if (file == v->file) {
        fault.at = at;
        fault.line = (int)line;
    } else if (!fault.is_fatal) {
        return ST_OK;
    }
    if ((more = dpc_one_more(v->to->faults, v->to->n_faults, sizeof(*more))) == NULL)
        return v->st = ST_ENOMEM;
    v->to->faults = more;
    more[v->to->n_faults++] = fault;
    return ST_OK;
}

static status_t add_faults(visit_t *v)
{
    const unsigned n = v->api.getNumDiagnostics(v->to->unit);

    for (unsigned i = 0; i < n && v->st == ST_OK; i++) {
        const clang_diagnostic_t d = v->api.getDiagnostic(v->to->unit, i);

        if (v->api.getDiagnosticSeverity(d) >= CLANG_ERROR)
            v->st = add_fault(v, d);
        v->api.disposeDiagnostic(d);
    }
    return v->st;
}

/* A toolkit's folder of headers, for files that include more than our declarations. */
static const char *toolkit_headers(void)
{
    static char path[512];
    const char *const roots[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"),
                                 "/usr/local/cuda", "/opt/cuda"};

    for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
        if (roots[i] != NULL && roots[i][0] != '\0') {
            snprintf(path, sizeof(path), "%s/include", roots[i]);
            if (access(path, R_OK) == 0)
                return path;
        }
    return NULL;
}

typedef struct {
    const char *all[ARGUMENTS_MAX];
    char texts[8][600];
    int n;
} arguments_t;

/* @return whether types have to be found that the file does not write */
static bool has_auto(const lex_t *lex)
{
    for (size_t i = 0; i < lex->n; i++)
        if (lex_is(lex, i, "auto") || lex_is(lex, i, "decltype"))
            return true;
    return false;
}

static void fill_arguments(const visit_t *v, const dpc_parse_t *how, arguments_t *to)
{
    static const char *const fixed[] = {"-x",
                                        "cuda",
                                        "--cuda-host-only",
                                        "-nocudainc",
                                        "-nocudalib",
                                        "-ferror-limit=0",
                                        "-Wno-everything",
                                        "-I" DECLS_FOLDER,
                                        "-include",
                                        DECLS_FOLDER "ribogrid_dpc_decls.h"};
    const char *toolkit = toolkit_headers();

    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
        to->all[to->n++] = fixed[i];
    snprintf(to->texts[0], sizeof(to->texts[0]), "-std=%s", how->standard);
    snprintf(to->texts[1], sizeof(to->texts[1]), "-D__CUDA_ARCH__=%d0", how->arch);
    to->all[to->n++] = to->texts[0];
    to->all[to->n++] = to->texts[1];
    if (has_auto(&v->to->lex))
        to->all[to->n++] = "-DRIBOGRID_DPC_AUTO";
    if (v->api.resources[0] != '\0') {
        to->all[to->n++] = "-resource-dir";
        to->all[to->n++] = v->api.resources;
    }
    for (int i = 0; i < how->n_includes; i++) {
        to->all[to->n++] = "-I";
        to->all[to->n++] = how->includes[i];
    }
    for (int i = 0; i < how->n_defines; i++) {
        to->all[to->n++] = "-D";
        to->all[to->n++] = how->defines[i];
    }
    if (toolkit != NULL) { /* behind ours */
        snprintf(to->texts[2], sizeof(to->texts[2]), "%s", toolkit);
        snprintf(to->texts[3], sizeof(to->texts[3]), "%s/cccl", toolkit);
        for (int i = 2; i <= 3; i++) {
            to->all[to->n++] = "-isystem";
            to->all[to->n++] = to->texts[i];
        }
    }
}

static status_t parse(visit_t *v, const dpc_parse_t *how)
{
    const char *decls = dpc_texts[DPC_DECLS].text;
    clang_unsaved_t files[N_DECLS + 1];
    arguments_t args = {.n = 0};

    _Static_assert(ARGUMENTS_MAX > 4 * DPC_LIST_MAX - 32, "room for all arguments");
    for (int i = 0; i < N_DECLS; i++)
        files[i] = (clang_unsaved_t){decls_names[i], decls, strlen(decls)};
    files[N_DECLS] = (clang_unsaved_t){how->path, v->text, v->len};
    fill_arguments(v, how, &args);
    v->to->index = v->api.createIndex(0, 0);
    if (v->to->index == NULL ||
        v->api.parseTranslationUnit2(v->to->index, how->path, args.all, args.n, files,
                                     N_DECLS + 1, CLANG_KEEP_GOING | CLANG_RECORD,
                                     &v->to->unit) != 0) {
        log_error("%s: libclang cannot parse it", how->path);
        return ST_EINPUT;
    }
    v->file = v->api.getFile(v->to->unit, how->path);
    return ST_OK;
}

/* A type of a file that is missing would be unknown. */
static status_t check_faults(const dpc_parse_t *how, const dpc_unit_t *unit)
{
    for (size_t i = 0; i < unit->n_faults; i++)
        if (unit->faults[i].is_fatal) {
            if (unit->faults[i].line > 0)
                log_error("%s:%d: %s; give its folder (-I DIR)", how->path,
                          unit->faults[i].line, unit->faults[i].text);
            else
                log_error("%s: in a file that it includes: %s; give its folder (-I DIR)",
                          how->path, unit->faults[i].text);
            return ST_EINPUT;
        }
    return ST_OK;
}

status_t dpc_unit_parse(const dpc_parse_t *how, const char *text, size_t len,
                        dpc_unit_t *out)
{
    visit_t v = {.text = text, .len = len, .to = out};

    *out = (dpc_unit_t){0};
    if ((v.st = lex_scan(text, len, &out->lex)) != ST_OK ||
        (v.st = clang_api_load(&v.api)) != ST_OK)
        return v.st;
    out->clang = v.api;
    if ((v.st = parse(&v, how)) == ST_OK && (v.st = add_faults(&v)) == ST_OK &&
        (v.st = check_faults(how, out)) == ST_OK) {
        mark_left_out(&v);
        v.api.visitChildren(v.api.getTranslationUnitCursor(out->unit), visit_top, &v);
    }
    return v.st;
}

void dpc_unit_free(dpc_unit_t *unit)
{
    if (unit->unit != NULL)
        unit->clang.disposeTranslationUnit(unit->unit);
    if (unit->index != NULL)
        unit->clang.disposeIndex(unit->index);
    for (size_t i = 0; i < unit->n_functions; i++)
        free(unit->functions[i].nodes);
    for (size_t i = 0; i < unit->n_strings; i++)
        free(unit->strings[i]);
    free(unit->functions);
    free(unit->faults);
    free(unit->globals);
    free(unit->strings);
    lex_free(&unit->lex);
    *unit = (dpc_unit_t){0};
}

const dpc_node_t *dpc_parameter(const dpc_function_t *f, int number)
{
    for (size_t n = 0; n < f->n_nodes; n++)
        if (f->nodes[n].kind == CLANG_PARAMETER && f->nodes[n].parent < 0 &&
            number-- == 0)
            return &f->nodes[n];
    return NULL;
}

int dpc_node_around(const dpc_function_t *f, size_t at, const int *kinds, int n_kinds)
{
    int found = -1;

    for (size_t n = 0; n < f->n_nodes; n++)
        for (int k = 0; k < n_kinds; k++)
            if (f->nodes[n].kind == kinds[k] && f->nodes[n].begin <= at &&
                at < f->nodes[n].end)
                found = (int)n; /* inner ones come later */
    return found;
}
