/*
 * man_page.h - manual pages, made from the tables of options.
 */
#ifndef RIBOGRID_TOOLS_PAGES_MAN_PAGE_H
#define RIBOGRID_TOOLS_PAGES_MAN_PAGE_H

#include "tools/options/options.h"

#include <stdio.h>

/* What the pages of a build have in common. */
typedef struct {
    const char *version;
    const char *date; /* 2026-01-31 */
} man_build_t;

/* @param name  out: "ribogrid-cnn-train.1" for the command "cnn train" */
void man_page_file(const command_t *command, char *name, size_t size);

/* Write the page of a command. @param children  "cnn train" and so on for "cnn";
 * ended by NULL */
void man_page_write(const command_t *command, const command_t *const *children,
                    const man_build_t *build, FILE *to);

/* Write the page of the program. @param commands  ended by NULL */
void man_page_write_program(const command_t *const *commands, const man_build_t *build,
                            FILE *to);

#endif
