/*
 * rg_program.c - words, memory and messages of a graph program.
 */
#include "graph/program/rg_program.h"

#include "io/base/logmsg.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { MESSAGE_BYTES = 256 };

#define SET_CHANGES (1 << RG_ADD | 1 << RG_REMOVE | 1 << RG_CLEAR)
#define SET_CALLS   ".add(NODE), .remove(NODE) or .clear()"

const char *const rg_type_name[RG_N_TYPES] = {"int",  "real", "bool",
                                              "node", "edge", "set"};

const rg_collection_info_t rg_collection_info[RG_N_COLLECTIONS] = {
    [RG_PLAIN_SET] = {"set", false, false, SET_CHANGES, SET_CALLS},
    [RG_MULTISET] = {"multiset", true, false, SET_CHANGES, SET_CALLS},
    [RG_OSET] = {"oset", false, true, SET_CHANGES, SET_CALLS},
    [RG_OMULTISET] = {"omultiset", true, true, SET_CHANGES, SET_CALLS},
    [RG_QUEUE] = {"queue", true, true, 1 << RG_ADD | 1 << RG_POP | 1 << RG_CLEAR,
                  ".add(NODE), .pop() or .clear()"}};

const char *const rg_construct_name[RG_N_CONSTRUCTS] = {
    [RG_EDGE_ATTRIBUTES] = "attributes of edges",
    [RG_MULTISETS] = "collections that have a node several times",
    [RG_SEQUENCES] = "collections in the order of insertion",
    [RG_SCANS] = "scan",
    [RG_SORTS] = "sort",
    [RG_CRITICAL] = "critical",
    [RG_CHANGES] = "changes of the graph"};

const char *const rg_assign_name[ASSIGN_N] = {"=", "+=", "min=", "max=", "|=", "&="};

struct rg_block {
    rg_block_t *next;
    max_align_t data[];
};

void *rg_alloc(rg_program_t *program, size_t bytes)
{
    rg_block_t *block = calloc(1, sizeof(*block) + bytes);

    if (block == NULL) {
        log_nomem("a graph program");
        return NULL;
    }
    block->next = program->blocks;
    program->blocks = block;
    return block->data;
}

void rg_free(rg_program_t *program)
{
    rg_block_t *next;

    for (rg_block_t *block = program->blocks; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
    *program = (rg_program_t){0};
}

rg_construct_t rg_find_construct(const rg_program_t *program, unsigned constructs)
{
    int c = 0;

    while (c < RG_N_CONSTRUCTS &&
           ((constructs >> c & 1) == 0 || program->used[c].line == 0))
        c++;
    return (rg_construct_t)c;
}

status_t rg_refuse(const rg_program_t *program, rg_at_t at, const char *fmt, ...)
{
    char message[MESSAGE_BYTES];
    va_list args;

    va_start(args, fmt);
    vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    log_error("%s:%d:%d: %s", program->path, at.line, at.column, message);
    return ST_EINPUT;
}
