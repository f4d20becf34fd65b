/*
 * shipped_text.h - texts that are part of the program, by name, and files beside them.
 */
#pragma once

#include "io/base/buf.h"

#include <stddef.h>

typedef struct {
    const char *name, *text;
} shipped_text_t;

/* What a command takes: the name of a text, or a file. */
typedef struct {
    const char *kind;          /* "network" */
    const char *file;          /* "the INI file of a network" */
    const shipped_text_t *all; /* a name of NULL at the end */
    size_t max_bytes;
} shipped_texts_t;

/*
 * Load a text, with a final NUL.
 *
 * @param name  of a shipped text, or the path of a file; "-": stdin
 * @param out   empty
 * @return ST_OK, ST_ENOMEM, ST_EIO or ST_EINPUT (logged: neither, or too long)
 */
status_t shipped_text_load(const shipped_texts_t *texts, const char *name,
                           buf_t *out) MUST_CHECK;
