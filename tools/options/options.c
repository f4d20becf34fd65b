/*
 * options.c - parses a command line and prints a command's help, both from its table.
 */
#include "tools/options/options.h"

#include "io/base/byte_size.h"
#include "io/base/halves.h"
#include "io/base/logmsg.h"
#include "io/base/near_word.h"
#include "io/file/packed_input.h"
#include "tools/options/option_files.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELP_COLUMN = 30 };

/* A number from here on in place of a fraction is most likely meant as percent. */
enum { MIN_PERCENT = 10 };

status_t options_misuse(const command_t *command, const char *fmt, ...)
{
    char text[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    log_error("%s: %s; see `%s %s --help`", command->name, text, log_program(),
              command->name);
    return ST_EUSAGE;
}

/* Write a number of bytes as a command line has it: 256G. */
static void write_size(int64_t bytes, char *out, size_t size)
{
    static const char *const units[] = {"", "K", "M", "G", "T"};
    int u = 0;

    for (; u < 4 && bytes != 0 && bytes % 1024 == 0; u++)
        bytes /= 1024;
    snprintf(out, size, "%" PRId64 "%s", bytes, units[u]);
}

/* Write the value of a member as a command line has it. */
static void write_value(const option_t *o, const void *at, char *out, size_t size)
{
    const char *word = o->value;
    char half[HALVES_TEXT_BYTES];

    switch (o->kind) {
    case OPTION_INT:
        snprintf(out, size, "%" PRId64, *(const int64_t *)at);
        return;
    case OPTION_HALVES:
        snprintf(out, size, "%s", halves_text(*(const int64_t *)at, half));
        return;
    case OPTION_NUMBER:
    case OPTION_POSITIVE:
        snprintf(out, size, "%g", *(const double *)at);
        return;
    case OPTION_SIZE:
        write_size(*(const int64_t *)at, out, size);
        return;
    case OPTION_FRACTION:
        snprintf(out, size, "%.9g", fraction_value(at));
        return;
    case OPTION_CHOICE:
        for (int i = 0; i < *(const int *)at; i++)
            word += strcspn(word, "|") + 1;
        snprintf(out, size, "%.*s", (int)strcspn(word, "|"), word);
        return;
    default:
        assert(o->kind == OPTION_TEXT && *(const char *const *)at != NULL);
        snprintf(out, size, "%s", *(const char *const *)at);
    }
}

const char *option_help(const option_t *o, const void *defaults,
                        char out[OPTION_HELP_BYTES])
{
    char value[64], text[OPTION_HELP_BYTES];
    const int len =
        snprintf(text, sizeof(text), "%s%s", o->help, o->note != NULL ? o->note : "");
    const char *mark = strstr(text, "{}");

    assert(len < OPTION_HELP_BYTES);
    if (mark != NULL)
        write_value(o, (const char *)defaults + o->at, value, sizeof(value));
    snprintf(out, OPTION_HELP_BYTES, "%.*s%s%s", mark != NULL ? (int)(mark - text) : len,
             text, mark != NULL ? value : "", mark != NULL ? mark + 2 : "");
    return out;
}

/* @return a row, with what its word gives */
static option_t complete(const option_t *o)
{
    const option_t *word = &option_words[o->word];
    option_t out = *o;

    if (o->word == WORD_NONE)
        return out;
    out.kind = o->kind != OPTION_WORD ? o->kind : word->kind;
    out.name = word->name;
    out.letter = word->letter;
    out.value = o->value != NULL ? o->value : word->value;
    out.help = word->help;
    out.note = o->help;
    out.min = o->min != 0 ? o->min : word->min;
    out.max = o->max != 0 ? o->max : word->max;
    return out;
}

/* Append the rows of a table whose structure is at an offset. */
static void add_rows(const option_t *o, size_t at, option_t *out, int *n)
{
    for (; o->kind != OPTION_END; o++) {
        assert(*n < OPTIONS_MAX - 1);
        if (o->kind == OPTION_TABLE) {
            if (o->name != NULL)
                out[(*n)++] = (option_t){.kind = OPTION_GROUP, .name = o->name};
            add_rows(o->table, at + o->at, out, n);
        } else {
            out[*n] = complete(o);
            out[(*n)++].at += at;
        }
    }
}

void options_list(const command_t *command, option_t out[OPTIONS_MAX])
{
    static const option_t every_command[] = {{.kind = OPTION_GROUP, .name = "Messages"},
                                             {OPTION_FLAG, "quiet", 'q',
                                              OPTION_AT(job_opts_t, quiet), NULL,
                                              "print only errors"},
                                             {OPTION_FLAG, "verbose", 'v',
                                              OPTION_AT(job_opts_t, verbose), NULL,
                                              "print more messages"},
                                             {.kind = OPTION_END}};
    int n = 0;

    if (command->options != NULL) {
        add_rows(command->options, 0, out, &n);
        add_rows(every_command, 0, out, &n);
    }
    out[n] = (option_t){.kind = OPTION_END};
}

void *options_defaults(const command_t *command)
{
    void *args = calloc(1, command->args_bytes);

    assert(command->args_bytes >= sizeof(job_opts_t));
    if (args == NULL) {
        (void)log_nomem("options");
        return NULL;
    }
    *(job_opts_t *)args = job_opts_defaults();
    if (command->defaults != NULL)
        command->defaults(args);
    return args;
}

const char *options_usage(const command_t *command, char out[OPTIONS_USAGE_BYTES])
{
    size_t n = 0;

    out[0] = '\0';
    for (const option_t *o = command->words; o != NULL && o->kind != OPTION_END; o++)
        n += (size_t)snprintf(out + n, OPTIONS_USAGE_BYTES - n, "%s%s", o->name,
                              o[1].kind != OPTION_END || *command->usage != '\0' ? " "
                                                                                 : "");
    n += (size_t)snprintf(out + n, OPTIONS_USAGE_BYTES - n, "%s", command->usage);
    assert(n < OPTIONS_USAGE_BYTES);
    return out;
}

/* A line of help; a name too long for its column gets a line of its own. */
static void print_option(const option_t *o, const void *defaults, FILE *to)
{
    char left[192], help[OPTION_HELP_BYTES];
    int n;

    if (o->letter != 0)
        n = snprintf(left, sizeof(left), "-%c, ", o->letter);
    else
        n = snprintf(left, sizeof(left), "    ");
    n += snprintf(left + n, sizeof(left) - (size_t)n, "--%s%s%s", o->name,
                  o->value != NULL ? " " : "", o->value != NULL ? o->value : "");
    assert(n < (int)sizeof(left));
    if (n > HELP_COLUMN)
        fprintf(to, "  %s\n  %*s%s\n", left, HELP_COLUMN + 2, "",
                option_help(o, defaults, help));
    else
        fprintf(to, "  %-*s  %s\n", HELP_COLUMN, left, option_help(o, defaults, help));
}

status_t options_print_help(const command_t *command, FILE *to)
{
    char usage[OPTIONS_USAGE_BYTES];
    option_t rows[OPTIONS_MAX];
    void *defaults = options_defaults(command);

    if (defaults == NULL)
        return ST_ENOMEM;
    options_list(command, rows);
    fprintf(to, "%s %s: %s\n\nusage: %s %s %s\n", log_program(), command->name,
            command->summary, log_program(), command->name,
            options_usage(command, usage));
    if (rows[0].kind != OPTION_GROUP)
        fprintf(to, "\n");
    for (const option_t *o = rows; o->kind != OPTION_END; o++)
        if (o->kind == OPTION_GROUP)
            fprintf(to, "\n%s:\n", o->name);
        else
            print_option(o, defaults, to);
    fprintf(to, "  %-*s  %s\n", HELP_COLUMN, "-h, --help", "print this text");
    if (command->print_more != NULL)
        command->print_more(to);
    if (command->notes != NULL)
        fprintf(to, "\n%s", command->notes);
    fprintf(to, "\nexample:\n  %s\n", command->example);
    free(defaults);
    return ST_EDONE;
}

static bool parse_int(const char *text, int64_t *out)
{
    char *end;
    long long value;

    errno = 0;
    value = strtoll(text, &end, 10);
    if (errno != 0 || end == text || *end != '\0')
        return false;
    *out = value;
    return true;
}

/* What is wrong with a fraction, and which one is meant if that can be guessed: from
 * percent (97, 97%), or from a decimal comma. */
static status_t misuse_fraction(const command_t *c, const char *name, const char *text)
{
    char point[32], *end = point;
    bool has_comma = strchr(text, ',') != NULL, has_percent;
    double value = -1;

    if (snprintf(point, sizeof(point), "%s", text) < (int)sizeof(point) &&
        strspn(text, "0123456789.,%") == strlen(text)) {
        if (has_comma)
            *strchr(point, ',') = '.';
        value = strtod(point, &end);
    }
    has_percent = strcmp(end, "%") == 0;
    if (value < 0 || end == point || (*end != '\0' && !has_percent))
        return options_misuse(c, "--%s %s: give a decimal from 0 to 1", name, text);
    if (value <= 1 && !has_comma && !has_percent)
        return options_misuse(c, "--%s %s: give at most nine digits after the point",
                              name, text);
    if (has_percent || value >= MIN_PERCENT)
        value /= 100;
    if (value > 1)
        return options_misuse(c, "--%s %s: give a decimal from 0 to 1", name, text);
    return options_misuse(c, "--%s %s: give a decimal from 0 to 1%s; did you mean %.9g?",
                          name, text, has_comma ? ", with a point" : "", value);
}

/* A list of one number and another without a point may be a decimal comma: "0,97". */
static status_t set_fractions(const command_t *c, const option_t *o, const char *text,
                              fraction_list_t *out)
{
    fraction_list_t list = {.n = 0};
    const char *at = text, *end;

    for (bool more = true; more; at = end + 1) {
        char word[32];

        end = at + strcspn(at, ",");
        more = *end == ',';
        if (list.n == FRACTION_LIST_MAX)
            return options_misuse(c, "--%s: give at most %d numbers", o->name,
                                  FRACTION_LIST_MAX);
        snprintf(word, sizeof(word), "%.*s", (int)(end - at), at);
        if (end - at >= (long)sizeof(word) ||
            !fraction_from_decimal(word, &list.at[list.n++]))
            return misuse_fraction(c, o->name, strchr(text, '.') == NULL ? text : word);
    }
    *out = list;
    return ST_OK;
}

_Static_assert(sizeof(option_kind_t) == sizeof(int), "OPTION_CHOICE writes enums as int");

/* Refuse a value that is none of an option's. */
static status_t misuse_choice(const command_t *c, const option_t *o, const char *text)
{
    near_word_t near = near_word_begin(text, strlen(text));
    char guess[NEAR_WORD_BYTES];

    near_word_try_all(&near, o->value);
    return options_misuse(c, "--%s %.80s: give one of %s%s", o->name, text, o->value,
                          near_word_text(&near, "", guess));
}

static bool parse_choice(const char *text, const char *words, int *out)
{
    size_t len = strlen(text);

    for (int i = 0; *words != '\0'; i++) {
        size_t word = strcspn(words, "|");

        if (word == len && strncmp(words, text, len) == 0) {
            *out = i;
            return true;
        }
        words += word + (words[word] == '|');
    }
    return false;
}

static status_t set_halves(const command_t *c, const option_t *o, const char *text,
                           int64_t *out)
{
    char min[HALVES_TEXT_BYTES], max[HALVES_TEXT_BYTES];
    int64_t value;

    if (!halves_parse(text, &value) || value < o->min || value > o->max)
        return options_misuse(c, "--%s %s: give a number from %s to %s, whole or with .5",
                              o->name, text, halves_text(o->min, min),
                              halves_text(o->max, max));
    *out = value;
    return ST_OK;
}

/* A decimal: no hexadecimal digits, infinity or NaN, which strtod takes. */
static status_t set_number(const command_t *c, const option_t *o, const char *text,
                           double *out)
{
    const bool is_positive = o->kind == OPTION_POSITIVE;
    char *end;
    const double value = strtod(text, &end);

    if (end == text || *end != '\0' || text[strspn(text, "+-.0123456789eE")] != '\0' ||
        (is_positive ? value <= 0 : value < (double)o->min) || value > (double)o->max)
        return is_positive
                   ? options_misuse(c,
                                    "--%s %s: give a number above 0, up to %" PRId64
                                    ", such as 0.001",
                                    o->name, text, o->max)
                   : options_misuse(c,
                                    "--%s %s: give a number from %" PRId64 " to %" PRId64
                                    ", such as 1.5",
                                    o->name, text, o->min, o->max);
    *out = value;
    return ST_OK;
}

static status_t set_size(const command_t *c, const option_t *o, const char *text,
                         int64_t *out)
{
    if (byte_size_parse(text, out))
        return ST_OK;
    return options_misuse(c,
                          "--%s %s: give bytes from 0 to 8388607T, such as 500M or 64G",
                          o->name, text);
}

static status_t set_sizes(const command_t *c, const option_t *o, const char *text,
                          option_sizes_t *out)
{
    char size[32];

    out->n = 0;
    for (const char *at = text; at != NULL;) {
        const size_t len = strcspn(at, ",");

        if (out->n == OPTION_SIZES_MAX)
            return options_misuse(c, "--%s %s: give at most %d sizes", o->name, text,
                                  OPTION_SIZES_MAX);
        snprintf(size, sizeof(size), "%.*s",
                 (int)(len < sizeof(size) ? len : sizeof(size) - 1), at);
        if (set_size(c, o, size, &out->at[out->n++]) != ST_OK)
            return ST_EUSAGE;
        at = at[len] == ',' ? at + len + 1 : NULL;
    }
    return ST_OK;
}

static status_t set_max_input(const command_t *c, const option_t *o, const char *text)
{
    int64_t bytes = 0;
    status_t st = set_size(c, o, text, &bytes);

    if (st == ST_OK)
        packed_input_set_limit(bytes);
    return st;
}

static status_t add_text(const command_t *c, const option_t *o, const char *text,
                         option_texts_t *to)
{
    if (to->n == OPTION_TEXTS_MAX)
        return options_misuse(c, "--%s: give it at most %d times", o->name,
                              OPTION_TEXTS_MAX);
    to->at[to->n++] = text;
    return ST_OK;
}

static status_t set(const command_t *c, const option_t *o, const char *text, void *args)
{
    void *at = (char *)args + o->at;
    int64_t value;

    switch (o->kind) {
    case OPTION_TEXT:
    case OPTION_INPUT:
    case OPTION_OUTPUT:
        *(const char **)at = text;
        return ST_OK;
    case OPTION_TEXTS:
        return add_text(c, o, text, at);
    case OPTION_INT:
        if (!parse_int(text, &value) || value < o->min || value > o->max)
            return options_misuse(c,
                                  "%s%s %s: give a whole number from %" PRId64
                                  " to %" PRId64,
                                  o->help != NULL ? "--" : "", o->name, text, o->min,
                                  o->max);
        *(int64_t *)at = value;
        return ST_OK;
    case OPTION_HALVES:
        return set_halves(c, o, text, at);
    case OPTION_NUMBER:
    case OPTION_POSITIVE:
        return set_number(c, o, text, at);
    case OPTION_SIZE:
        return set_size(c, o, text, at);
    case OPTION_SIZES:
        return set_sizes(c, o, text, at);
    case OPTION_MAX_INPUT:
        return set_max_input(c, o, text);
    case OPTION_FRACTION:
        if (!fraction_from_decimal(text, at))
            return misuse_fraction(c, o->name, text);
        return ST_OK;
    case OPTION_FRACTIONS:
        return set_fractions(c, o, text, at);
    case OPTION_CHOICE:
        if (!parse_choice(text, o->value, at))
            return misuse_choice(c, o, text);
        return ST_OK;
    default:
        *(bool *)at = true;
        return ST_OK;
    }
}

/* A command line, as far as it is parsed. */
typedef struct {
    const command_t *command;
    option_t options[OPTIONS_MAX];
    char **argv;
    int argc, i; /* argv[i] comes next */
    job_opts_t *args;
    const option_t *word;             /* that comes next; NULL: none */
    int n_repeated;                   /* words of its row so far */
    bool is_old[OPTIONS_RENAMES_MAX]; /* old words that were given, by command->renamed */
} line_t;

/*
 * Look for an old word.
 *
 * @param value  NULL: for an old name
 * @return the new word, which is noted; or the given one
 */
static const char *renamed(line_t *l, const char *option, const char *value)
{
    const option_rename_t *r = l->command->renamed;

    for (int i = 0; r != NULL && r[i].option != NULL; i++) {
        assert(i < OPTIONS_RENAMES_MAX);
        if (strcmp(r[i].option, option) == 0 &&
            (value == NULL ? r[i].value == NULL
                           : r[i].value != NULL && strcmp(r[i].value, value) == 0)) {
            l->is_old[i] = true;
            return r[i].is_now;
        }
    }
    return value != NULL ? value : option;
}

static void warn_of_old(const line_t *l)
{
    const option_rename_t *r = l->command->renamed;

    for (; r != NULL && r->option != NULL; r++) {
        if (!l->is_old[r - l->command->renamed])
            continue;
        log_warn("%s: --%s%s%s is now --%s%s%s; the old %s will go with the next version",
                 l->command->name, r->option, r->value != NULL ? " " : "",
                 r->value != NULL ? r->value : "",
                 r->value != NULL ? r->option : r->is_now, r->value != NULL ? " " : "",
                 r->value != NULL ? r->is_now : "", r->value != NULL ? "value" : "name");
    }
}

static const option_t *find(line_t *l, const char *arg, size_t *name_len)
{
    const bool is_long = arg[1] == '-';
    char name[NEAR_WORD_BYTES];

    *name_len = is_long ? strcspn(arg + 2, "=") : 1;
    if (*name_len >= sizeof(name))
        return NULL;
    snprintf(name, sizeof(name), "%.*s", (int)*name_len, arg + (is_long ? 2 : 1));
    for (const option_t *o = l->options; o->kind != OPTION_END; o++) {
        if (o->kind == OPTION_GROUP)
            continue;
        if (is_long ? strcmp(o->name, renamed(l, name, NULL)) == 0
                    : o->letter == arg[1] && (arg[2] == '\0' || o->kind == OPTION_TEXTS))
            return o;
    }
    return NULL;
}

static status_t misuse_unknown(const line_t *l, const char *arg, size_t name_len)
{
    const bool is_long = arg[1] == '-';
    near_word_t near = near_word_begin(arg + 2, is_long ? name_len : 0);
    char guess[NEAR_WORD_BYTES];

    for (const option_t *o = l->options; o->kind != OPTION_END; o++)
        if (o->kind != OPTION_GROUP)
            near_word_try(&near, o->name);
    return options_misuse(l->command, "unknown option %s%s", arg,
                          near_word_text(&near, "--", guess));
}

static status_t parse_option(line_t *l)
{
    const command_t *c = l->command;
    const char *arg = l->argv[l->i++], *value = NULL;
    size_t name_len;
    const option_t *o = find(l, arg, &name_len);
    status_t st;

    if (o == NULL)
        return misuse_unknown(l, arg, name_len);
    if (arg[1] == '-' && arg[2 + name_len] == '=')
        value = arg + 2 + name_len + 1;
    else if (arg[1] != '-' && arg[2] != '\0')
        value = arg + 2;
    if (o->kind == OPTION_FLAG && value != NULL)
        return options_misuse(c, "--%s takes no value", o->name);
    if (o->kind != OPTION_FLAG && value == NULL) {
        if (l->i == l->argc)
            return options_misuse(c, "%s needs a value: %s", arg, o->value);
        value = l->argv[l->i++];
    }
    if (o->kind == OPTION_CHOICE)
        value = renamed(l, o->name, value);
    if ((st = set(c, o, value, l->args)) == ST_OK)
        given_add(&l->args->given, o->at);
    return st;
}

/* Take an argument that is not an option. */
static status_t parse_word(line_t *l, const char *arg)
{
    option_t o = l->word != NULL ? *l->word : (option_t){.kind = OPTION_END};

    if (o.kind == OPTION_END && l->word > l->command->words &&
        option_n_values(l->word - 1) > 1)
        return options_misuse(l->command,
                              "unexpected argument '%s': give at most %" PRId64 " files",
                              arg, option_n_values(l->word - 1));
    if (o.kind == OPTION_END)
        return options_misuse(l->command, "unexpected argument '%s'", arg);
    o.at += (size_t)l->n_repeated * sizeof(const char *);
    if (++l->n_repeated == option_n_values(&o)) {
        l->n_repeated = 0;
        l->word++;
    }
    return set(l->command, &o, arg, l->args);
}

/* @return whether a word of each row is there */
static bool has_words(const line_t *l)
{
    return l->word == NULL || l->word->kind == OPTION_END || l->n_repeated > 0 ||
           l->word->is_optional;
}

/* Parse all arguments. @return also ST_EDONE after --help */
static status_t parse_line(line_t *l)
{
    char usage[OPTIONS_USAGE_BYTES];
    bool only_words = false;
    status_t st;

    while (l->i < l->argc) {
        const char *arg = l->argv[l->i];

        if (!only_words && (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0))
            return options_print_help(l->command, stdout);
        if (!only_words && strcmp(arg, "--") == 0) {
            only_words = true;
            l->i++;
        } else if (!only_words && arg[0] == '-' && arg[1] != '\0') {
            if ((st = parse_option(l)) != ST_OK)
                return st;
        } else {
            l->i++;
            if ((st = parse_word(l, arg)) != ST_OK)
                return st;
        }
    }
    return has_words(l) ? ST_OK
                        : options_misuse(l->command, "missing argument; give %s",
                                         options_usage(l->command, usage));
}

/* @param l  has the command and its arguments */
static status_t parse(line_t *l)
{
    status_t st;

    l->word = l->command->words;
    options_list(l->command, l->options);
    if ((st = parse_line(l)) != ST_OK)
        return st;
    log_set_level(l->args->quiet     ? LOG_QUIET
                  : l->args->verbose ? LOG_VERBOSE
                                     : LOG_NORMAL);
    return ST_OK;
}

status_t options_parse_only(const command_t *command, int argc, char **argv, void *args)
{
    line_t l = {.command = command, .argv = argv, .argc = argc, .args = args};

    return parse(&l);
}

status_t options_parse(const command_t *command, int argc, char **argv, void *args)
{
    line_t l = {.command = command, .argv = argv, .argc = argc, .args = args};
    status_t st = parse(&l);

    if (st != ST_OK)
        return st;
    if (!log_is_held())
        warn_of_old(&l);
    return option_files_check(command, l.options, l.args);
}
