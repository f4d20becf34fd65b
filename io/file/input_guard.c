/*
 * input_guard.c - a list of devices and inodes.
 */
#include "io/file/input_guard.h"

#include "io/base/logmsg.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    dev_t device;
    ino_t inode;
    const char *path;
} input_t;

static input_t *inputs;
static int n_inputs;

status_t input_guard_add(const char *path)
{
    bool is_stdin = strcmp(path, "-") == 0;
    struct stat info;
    input_t *more;

    if ((is_stdin ? fstat(STDIN_FILENO, &info) : stat(path, &info)) != 0 ||
        !S_ISREG(info.st_mode))
        return ST_OK;
    more = realloc(inputs, (size_t)(n_inputs + 1) * sizeof(*inputs));
    if (more == NULL)
        return log_nomem("the list of inputs");
    inputs = more;
    inputs[n_inputs++] = (input_t){info.st_dev, info.st_ino, is_stdin ? "stdin" : path};
    return ST_OK;
}

static status_t check(const char *name, const struct stat *info)
{
    for (int i = 0; i < n_inputs; i++)
        if (inputs[i].device == info->st_dev && inputs[i].inode == info->st_ino) {
            log_error("%s is an input of this command (%s); give another output", name,
                      inputs[i].path);
            return ST_EINPUT;
        }
    return ST_OK;
}

status_t input_guard_check(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 ? check(path, &info) : ST_OK;
}

status_t input_guard_check_stdout(void)
{
    struct stat info;

    return fstat(STDOUT_FILENO, &info) == 0 ? check("stdout", &info) : ST_OK;
}

void input_guard_clear(void)
{
    free(inputs);
    inputs = NULL;
    n_inputs = 0;
}
