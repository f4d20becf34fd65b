/*
 * bash_completion.h - the tables that bash completes command lines by, made from the
 * tables of options.  completion.bash, which follows them, reads them.
 */
#ifndef RIBOGRID_TOOLS_PAGES_BASH_COMPLETION_H
#define RIBOGRID_TOOLS_PAGES_BASH_COMPLETION_H

#include "tools/options/options.h"

#include <stdio.h>

/* Write the functions _ribogrid_options and _ribogrid_values. @param all  every command;
 * ended by NULL */
void bash_completion_write(const command_t *const *all, FILE *to);

#endif
