/*
 * rg_program.c - words, memory and messages of a graph program.
 */
#include "graph/program/rg_program.h"

#include "io/base/logmsg.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { MESSAGE_BYTES = 256 };

const char *const rg_type_name[RG_N_TYPES] = {"int",  "real", "bool",
                                              "node", "edge", "set"};

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
