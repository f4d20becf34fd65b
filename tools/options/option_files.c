/*
 * option_files.c - collects the files of a command line, and compares each with those
 * before it.
 */
#include "tools/options/option_files.h"

#include "io/base/buf.h"
#include "io/base/logmsg.h"
#include "io/file/whole_file.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40, LABEL_BYTES = 192 };

typedef struct {
    dev_t device; /* of the file, or of its folder */
    ino_t inode;
    char name[NAME_MAX + 1];    /* of a file that does not exist; else "" */
    char label[LABEL_BYTES];    /* in messages */
    bool is_output, is_derived; /* is_derived: its name comes from the option's value */
} file_t;

struct option_files {
    const command_t *command;
    buf_t files;     /* file_t */
    file_t standard; /* what stdout is */
    bool has_stdin;

    /* what is being added */
    const char *value, *option; /* the latter "-o", or "" of a word */
    bool is_output;
};

static bool take_info(const struct stat *info, file_t *out)
{
    out->device = info->st_dev;
    out->inode = info->st_ino;
    return S_ISREG(info->st_mode);
}

/* Replace a path to a symbolic link by what the link says. @return whether it was one */
static bool follow(char path[PATH_MAX])
{
    char target[PATH_MAX], folder[PATH_MAX];
    const ssize_t len = readlink(path, target, sizeof(target) - 1);

    if (len < 0)
        return false;
    target[len] = '\0';
    strcpy(folder, path);
    return snprintf(path, PATH_MAX, "%s%s%s", target[0] != '/' ? dirname(folder) : "",
                    target[0] != '/' ? "/" : "", target) < PATH_MAX;
}

/* Find the place where a file would be created. @return whether its folder exists */
static bool find_place(const char *path, file_t *out)
{
    char at[PATH_MAX], folder[PATH_MAX];
    struct stat info;
    int n = 0;

    if (snprintf(at, sizeof(at), "%s", path) >= (int)sizeof(at))
        return false;
    while (n < LINKS_MAX && follow(at))
        n++;
    strcpy(folder, at);
    if (n == LINKS_MAX || stat(dirname(folder), &info) != 0)
        return false;
    (void)take_info(&info, out);
    return snprintf(out->name, sizeof(out->name), "%s", basename(at)) <
           (int)sizeof(out->name);
}

/* Find out what a path leads to; a missing input is not compared: its reader reports it.
 * @return whether it can be the same file as another path */
static bool find(const char *path, bool is_output, file_t *out)
{
    struct stat info;

    if (strcmp(path, "-") == 0)
        return fstat(is_output ? STDOUT_FILENO : STDIN_FILENO, &info) == 0 &&
               take_info(&info, out);
    if (stat(path, &info) == 0)
        return take_info(&info, out);
    return is_output && errno == ENOENT && find_place(path, out);
}

static bool is_same(const file_t *a, const file_t *b)
{
    return a->device == b->device && a->inode == b->inode &&
           strcmp(a->name, b->name) == 0;
}

/* Refuse a file that is one of those before it. */
static status_t compare(const option_files_t *to, const file_t *new)
{
    const file_t *files = (const file_t *)(const void *)to->files.data;

    for (size_t i = 0; i < to->files.len / sizeof(*files); i++) {
        const file_t *old = &files[i];
        const bool are_outputs = old->is_output && new->is_output;

        if (!is_same(old, new) || (!old->is_output && !new->is_output) ||
            (are_outputs && is_same(new, &to->standard)))
            continue;
        if (new->is_derived && strcmp(old->label, new->label) == 0)
            continue; /* the command says which value is given twice */
        if (are_outputs)
            log_error("%s: %s and %s are the same file; give another output",
                      to->command->name, new->label, old->label);
        else
            log_error("%s: %s is an input of this command (%s); give another output",
                      to->command->name, old->is_output ? old->label : new->label,
                      old->is_output ? new->label : old->label);
        return ST_EUSAGE;
    }
    return ST_OK;
}

status_t option_files_add(option_files_t *to, const char *path)
{
    const char *space = to->option[0] != '\0' ? " " : "";
    const bool is_standard = strcmp(path, "-") == 0;
    const bool is_stdin = is_standard && !to->is_output;
    file_t file = {.is_output = to->is_output,
                   .is_derived = strcmp(path, to->value) != 0};
    status_t st;

    if (is_stdin && to->has_stdin) {
        log_error("%s: stdin (-) is given for two inputs; give a file for one of them",
                  to->command->name);
        return ST_EUSAGE;
    }
    to->has_stdin = to->has_stdin || is_stdin;
    if (!find(path, to->is_output, &file))
        return ST_OK;
    if (!file.is_derived)
        snprintf(file.label, sizeof(file.label), "%s%s%s", to->option, space,
                 is_stdin      ? "stdin"
                 : is_standard ? "stdout"
                               : path);
    else
        snprintf(file.label, sizeof(file.label), "%s (of %s%s%s)", path, to->option,
                 space, to->value);
    st = compare(to, &file);
    return st == ST_OK ? buf_append(&to->files, &file, sizeof(file)) : st;
}

status_t option_files_add_beside(option_files_t *to, const char *path, const char *suffix)
{
    buf_t beside = {0};
    status_t st = buf_printf(&beside, "%s%s", path, suffix);

    if (st == ST_OK && (st = buf_append(&beside, "", 1)) == ST_OK)
        st = option_files_add(to, (const char *)beside.data);
    buf_free(&beside);
    return st;
}

/* @return value k of a row, a path, or NULL */
static const char *value_of(const option_t *o, int64_t k, const job_opts_t *args)
{
    return k < option_n_values(o) && (o->kind == OPTION_INPUT || o->kind == OPTION_OUTPUT)
               ? ((const char *const *)(const void *)((const char *)args + o->at))[k]
               : NULL;
}

/* Add the files of a value.  @param option  "-o", or "" for a word */
static status_t add_value(option_files_t *to, const option_t *o, const char *option,
                          const char *value, const job_opts_t *args)
{
    to->option = option;
    to->value = value;
    to->is_output = o->kind == OPTION_OUTPUT;
    return o->files != NULL && strcmp(value, "-") != 0 ? o->files(args, value, to)
                                                       : option_files_add(to, value);
}

/* Add the files of words or options; NULL: there are none. */
static status_t add_rows(option_files_t *to, const option_t *o, bool are_words,
                         const job_opts_t *args)
{
    char option[64] = "";
    status_t st = ST_OK;

    for (; st == ST_OK && o != NULL && o->kind != OPTION_END; o++) {
        const char *value;

        if (!are_words && o->letter != 0)
            snprintf(option, sizeof(option), "-%c", o->letter);
        else if (!are_words)
            snprintf(option, sizeof(option), "--%s", o->name);
        for (int64_t k = 0; st == ST_OK && (value = value_of(o, k, args)) != NULL; k++)
            st = add_value(to, o, option, value, args);
    }
    return st;
}

status_t option_files_check(const command_t *command, const option_t *options,
                            const job_opts_t *args)
{
    static const option_t standard = {.kind = OPTION_OUTPUT};
    option_files_t to = {.command = command};
    status_t st;

    (void)find("-", true, &to.standard);
    if ((st = add_value(&to, &standard, "", "-", args)) == ST_OK &&
        (st = add_rows(&to, command->words, true, args)) == ST_OK)
        st = add_rows(&to, options, false, args);
    buf_free(&to.files);
    for (const option_t *o = options; st == ST_OK && o->kind != OPTION_END; o++) {
        const char *path = o->kind == OPTION_OUTPUT ? value_of(o, 0, args) : NULL;

        if (path != NULL && o->files == NULL && command->job == NULL)
            st = whole_file_check(path, WHOLE_FILE_TEXT, args->force);
    }
    return st;
}
