/*
 * clang_api.h - the part of libclang's C interface that `ribogrid dpc` uses.
 *
 * The library is loaded when it is needed: nothing of it takes part in the build, and
 * other commands start no later.  The interface has been stable since version 3; the
 * declarations here are those of clang-c/Index.h, with names of our own.
 */
#pragma once

#include "io/base/status.h"

#include <stddef.h>

typedef void *clang_index_t;
typedef void *clang_unit_t;
typedef void *clang_file_t;
typedef void *clang_diagnostic_t;
typedef void *clang_data_t;

typedef struct {
    const void *data;
    unsigned flags;
} clang_string_t;

typedef struct {
    int kind, xdata;
    const void *data[3];
} clang_cursor_t;

typedef struct {
    int kind;
    void *data[2];
} clang_type_t;

typedef struct {
    const void *data[2];
    unsigned at;
} clang_location_t;

typedef struct {
    const void *data[2];
    unsigned begin, end;
} clang_range_t;

typedef struct {
    const char *name, *contents;
    unsigned long len;
} clang_unsaved_t;

typedef struct {
    unsigned n;
    clang_range_t *all;
} clang_ranges_t;

typedef int (*clang_visitor_t)(clang_cursor_t cursor, clang_cursor_t parent,
                               clang_data_t data);

/* Of a visitor; of clang_parse; of a diagnostic. */
enum { CLANG_BREAK = 0, CLANG_CONTINUE = 1, CLANG_RECURSE = 2 };
enum { CLANG_RECORD = 0x01, CLANG_KEEP_GOING = 0x200 };
enum { CLANG_ERROR = 3 };

/* Kinds of cursors. */
enum {
    CLANG_STRUCT = 2,
    CLANG_UNION = 3,
    CLANG_CLASS = 4,
    CLANG_ENUM = 5,
    CLANG_ENUMERATOR = 7,
    CLANG_FUNCTION = 8,
    CLANG_VARIABLE = 9,
    CLANG_PARAMETER = 10,
    CLANG_TYPEDEF = 20,
    CLANG_METHOD = 21,
    CLANG_TEMPLATE_TYPE = 27,
    CLANG_TEMPLATE_VALUE = 28,
    CLANG_TEMPLATE_TEMPLATE = 29,
    CLANG_FUNCTION_TEMPLATE = 30,
    CLANG_TYPE_ALIAS = 36,
    CLANG_LAMBDA = 144,
    CLANG_LABEL = 201,
    CLANG_COMPOUND = 202,
    CLANG_CASE = 203,
    CLANG_IF = 205,
    CLANG_SWITCH = 206,
    CLANG_WHILE = 207,
    CLANG_DO = 208,
    CLANG_FOR = 209,
    CLANG_GOTO = 210,
    CLANG_RETURN = 214,
    CLANG_TRY = 224,
    CLANG_FOR_RANGE = 225,
    CLANG_DECLARATIONS = 231,
    CLANG_DEVICE_ATTRIBUTE = 413,
    CLANG_GLOBAL_ATTRIBUTE = 414,
    CLANG_HOST_ATTRIBUTE = 415,
    CLANG_SHARED_ATTRIBUTE = 416
};

/* Kinds of types. */
enum { CLANG_REFERENCE = 103, CLANG_RVALUE_REFERENCE = 104 };

/* The functions: result, name without "clang_", parameters. */
#define CLANG_FUNCTIONS(X)                                                       \
    X(clang_index_t, createIndex, (int, int))                                    \
    X(void, disposeIndex, (clang_index_t))                                       \
    X(int, parseTranslationUnit2,                                                \
      (clang_index_t, const char *, const char *const *, int, clang_unsaved_t *, \
       unsigned, unsigned, clang_unit_t *))                                      \
    X(void, disposeTranslationUnit, (clang_unit_t))                              \
    X(clang_cursor_t, getTranslationUnitCursor, (clang_unit_t))                  \
    X(unsigned, visitChildren, (clang_cursor_t, clang_visitor_t, clang_data_t))  \
    X(clang_file_t, getFile, (clang_unit_t, const char *))                       \
    X(clang_string_t, getFileName, (clang_file_t))                               \
    X(const char *, getFileContents, (clang_unit_t, clang_file_t, size_t *))     \
    X(clang_ranges_t *, getSkippedRanges, (clang_unit_t, clang_file_t))          \
    X(void, disposeSourceRangeList, (clang_ranges_t *))                          \
    X(clang_range_t, getCursorExtent, (clang_cursor_t))                          \
    X(clang_location_t, getCursorLocation, (clang_cursor_t))                     \
    X(clang_location_t, getRangeStart, (clang_range_t))                          \
    X(clang_location_t, getRangeEnd, (clang_range_t))                            \
    X(int, Location_isInSystemHeader, (clang_location_t))                        \
    X(void, getExpansionLocation,                                                \
      (clang_location_t, clang_file_t *, unsigned *, unsigned *, unsigned *))    \
    X(clang_string_t, getCursorSpelling, (clang_cursor_t))                       \
    X(unsigned, isCursorDefinition, (clang_cursor_t))                            \
    X(clang_type_t, getCursorType, (clang_cursor_t))                             \
    X(clang_type_t, getCursorResultType, (clang_cursor_t))                       \
    X(clang_string_t, getTypeSpelling, (clang_type_t))                           \
    X(unsigned, isConstQualifiedType, (clang_type_t))                            \
    X(int, Cursor_getStorageClass, (clang_cursor_t))                             \
    X(unsigned, getNumDiagnostics, (clang_unit_t))                               \
    X(clang_diagnostic_t, getDiagnostic, (clang_unit_t, unsigned))               \
    X(void, disposeDiagnostic, (clang_diagnostic_t))                             \
    X(int, getDiagnosticSeverity, (clang_diagnostic_t))                          \
    X(clang_location_t, getDiagnosticLocation, (clang_diagnostic_t))             \
    X(clang_string_t, getDiagnosticSpelling, (clang_diagnostic_t))               \
    X(const char *, getCString, (clang_string_t))                                \
    X(void, disposeString, (clang_string_t))

typedef struct {
    void *library;
    char resources[96]; /* the folder of the compiler's own headers; "": unknown */
#define CLANG_MEMBER(result, name, parameters) result(*name) parameters;
    CLANG_FUNCTIONS(CLANG_MEMBER)
#undef CLANG_MEMBER
} clang_api_t;

/* Load the library. @return ST_OK or ST_EDEVICE (logged: none is installed) */
status_t clang_api_load(clang_api_t *out) MUST_CHECK;
