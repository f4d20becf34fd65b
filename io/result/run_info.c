/*
 * run_info.c - /run as a table, its stages, and its lines.
 */
#include "io/result/run_info.h"

#include "io/base/buf.h"
#include "io/base/texts.h"
#include "io/base/utf8.h"
#include "io/hdf5/h5check.h"
#include "io/hdf5/h5text.h"
#include "io/hdf5/h5util.h"
#include "io/result/result_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 32 };

static const char group_name[] = "/run", stage_prefix[] = "seconds_";

#define AT(member) offsetof(run_info_t, member)

const result_field_t run_info_fields[] = {
    {.name = "/run@program",
     .type = RESULT_TEXT,
     .at = AT(program),
     .meaning = "the program that wrote the file, and its version",
     .old_names = "/run@version @program"},
    {.name = "/run@command",
     .type = RESULT_TEXT,
     .at = AT(command),
     .meaning = "its command line",
     .old_names = "/run@command_line"},
    {.name = "/run@input",
     .type = RESULT_TEXT,
     .at = AT(input),
     .is_optional = true,
     .meaning = "the file that it read",
     .old_names = "@input"},
    {.name = "/run@started",
     .type = RESULT_TEXT,
     .at = AT(started),
     .is_optional = true,
     .unit = "UTC",
     .meaning = "when it started"},
    {.name = "/run@finished",
     .type = RESULT_TEXT,
     .at = AT(finished),
     .is_optional = true,
     .unit = "UTC",
     .meaning = "when it wrote the file"},
    {.name = "/run@seconds",
     .type = RESULT_REAL,
     .at = AT(seconds),
     .unit = "s",
     .meaning = "from the first task to the last result of the last run",
     .old_names = "/run@compute_seconds /run@seconds_total"},
    {.name = "/run@ranks",
     .type = RESULT_INT,
     .at = AT(ranks),
     .is_optional = true,
     .meaning = "number of ranks"},
    {.name = "/run/devices",
     .type = RESULT_LINES,
     .at = AT(devices),
     .is_optional = true,
     .meaning = "one line per rank: host, device, kernel, tasks, cost, busy seconds",
     .old_names = "/run@devices"},
    {.name = NULL},
};

const char *run_info_time(time_t at, char out[RUN_TIME_BYTES])
{
    struct tm utc;

    strftime(out, RUN_TIME_BYTES, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&at, &utc));
    return out;
}

void run_info_add(run_info_t *run, const char *stage, double seconds)
{
    if (run->n_stages == RUN_STAGES_MAX)
        return;
    snprintf(run->stage[run->n_stages].name, RUN_STAGE_BYTES, "%s", stage);
    run->stage[run->n_stages++].seconds = seconds;
}

double run_info_stage(const run_info_t *run, const char *stage)
{
    for (int i = 0; i < run->n_stages; i++)
        if (strcmp(run->stage[i].name, stage) == 0)
            return run->stage[i].seconds;
    return -1;
}

void run_info_free(run_info_t *run)
{
    result_free(run_info_fields, run);
}

bool run_info_write(hid_t file, const run_info_t *run)
{
    static const int64_t no_dims[RESULT_DIMS_MAX];
    bool good = result_write(file, run_info_fields, run, no_dims, NULL);
    hid_t group = good ? H5Gopen2(file, group_name, H5P_DEFAULT) : H5I_INVALID_HID;

    for (int i = 0; good && i < run->n_stages; i++) {
        char name[sizeof(stage_prefix) + RUN_STAGE_BYTES];

        snprintf(name, sizeof(name), "%s%s", stage_prefix, run->stage[i].name);
        good = h5util_put_real(group, name, run->stage[i].seconds);
    }
    return h5util_close(group, good);
}

/* @return whether an attribute of /run is a field's, by its name or an old one */
static bool is_of_field(const result_field_t *f, const char *attribute)
{
    result_place_t place;

    for (int k = 0; result_field_place(f, k, &place); k++)
        if (place.is_attribute && strcmp(place.group, group_name) == 0 &&
            strcmp(place.name, attribute) == 0)
            return true;
    return false;
}

static bool is_known(const char *attribute)
{
    for (const result_field_t *f = run_info_fields; f->name != NULL; f++)
        if (is_of_field(f, attribute))
            return true;
    return false;
}

/* Log that an attribute is no finite number. @return less than 0 */
static herr_t refuse_attribute(hid_t group, const char *name)
{
    h5check_refuse(group, name, "is an attribute that is no finite number");
    return -1;
}

/* Take an attribute if it is a stage. */
static herr_t take_stage(hid_t group, const char *name, const H5A_info_t *info, void *run)
{
    const size_t len = sizeof(stage_prefix) - 1;
    double seconds;

    (void)info;
    if (strncmp(name, stage_prefix, len) != 0 || is_known(name) ||
        strlen(name + len) >= RUN_STAGE_BYTES)
        return 0;
    if (!h5util_get_real(group, name, &seconds))
        return refuse_attribute(group, name);
    run_info_add(run, name + len, seconds);
    return 0;
}

status_t run_info_read(result_reader_t *r, run_info_t *out)
{
    hid_t group;
    hsize_t at = 0;
    status_t st = result_read(r, run_info_fields, out);

    if (st != ST_OK)
        return st;
    if ((group = h5check_open_group(r->file, group_name)) < 0)
        return ST_EINPUT;
    if (H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, &at, take_stage, out) < 0)
        st = ST_EINPUT;
    H5Gclose(group);
    return st;
}

/* ---- lines ---- */

static void print_bytes(const char *section, const char *name, size_t name_len,
                        const char *text, size_t len, FILE *to)
{
    buf_t line = {0};

    if (buf_printf(&line, "%s\t", section) == ST_OK &&
        utf8_escape(name, name_len, UTF8_NONE, &line) == ST_OK &&
        buf_append(&line, "\t", 1) == ST_OK &&
        utf8_escape(text, len, UTF8_NONE, &line) == ST_OK)
        fprintf(to, "%.*s\n", (int)line.len, (const char *)line.data);
    buf_free(&line);
}

void run_info_print_line(const char *section, const char *name, const char *text,
                         FILE *to)
{
    print_bytes(section, name, strlen(name), text, strlen(text), to);
}

void run_info_print_job(const char *job, FILE *to)
{
    while (*job != '\0') {
        size_t len = strcspn(job, "\n");
        const char *equals = memchr(job, '=', len);
        size_t name_len = equals != NULL ? (size_t)(equals - job) : len;
        size_t value = equals != NULL ? name_len + 1 : name_len;

        print_bytes("job", job, name_len, job + value, len - value, to);
        job += len + (job[len] == '\n');
    }
}

/* Print a text of several lines as as many lines, but for empty ones. */
static void print_lines(const char *name, const char *text, FILE *to)
{
    while (*text != '\0') {
        const size_t len = strcspn(text, "\n");

        if (len > 0)
            print_bytes("run", name, strlen(name), text, len, to);
        text += len + (text[len] == '\n');
    }
}

/* Print an attribute if it is a text or a number. @return whether it is */
static bool print_attribute(hid_t at, const char *attribute, const char *name, FILE *to)
{
    char *text = h5text_get(at, attribute), number[NUMBER_BYTES];
    double value;

    if (text != NULL) {
        print_lines(name, text, to);
        free(text);
        return true;
    }
    if (!h5util_get_real(at, attribute, &value))
        return false;
    /* whole numbers have all their digits */
    snprintf(number, sizeof(number), "%.*g", value == floor(value) ? 15 : 6, value);
    run_info_print_line("run", name, number, to);
    return true;
}

/* Print what no field has. */
static herr_t print_other(hid_t run, const char *name, const H5A_info_t *info, void *to)
{
    hid_t attribute;

    (void)info;
    if (is_known(name) || strcmp(name, "job") == 0 ||
        print_attribute(run, name, name, to) ||
        (attribute = h5check_open_attribute(run, name)) < 0) /* of an unknown kind */
        return 0;
    H5Aclose(attribute);
    return refuse_attribute(run, name);
}

/* Print the attribute of a field by its name, or the first of its old ones. */
static void print_field(hid_t file, hid_t run, const result_field_t *f, FILE *to)
{
    result_place_t place;

    for (int k = 0; result_field_place(f, k, &place); k++) {
        const hid_t group = strcmp(place.group, "/") == 0 ? file : run;

        if (group >= 0 && H5Aexists(group, place.name) > 0 &&
            print_attribute(group, place.name, strchr(f->name, '@') + 1, to))
            return;
    }
}

static status_t print_devices(hid_t run, FILE *to)
{
    int64_t n = 0;
    char **lines;

    if (!h5check_exists(run, "devices")) {
        if (H5Aexists(run, "devices") > 0)
            print_attribute(run, "devices", "device", to);
        return ST_OK;
    }
    if ((lines = h5text_get_array(run, "devices", -1, &n)) == NULL)
        return ST_EINPUT;
    for (int64_t i = 0; i < n; i++)
        fprintf(to, "run\tdevice\t%s\n", lines[i]);
    texts_free(lines);
    return ST_OK;
}

status_t run_info_print_open(hid_t file, FILE *to)
{
    hid_t run = H5I_INVALID_HID;
    hsize_t at = 0;
    status_t st;

    if (h5check_exists(file, group_name) &&
        (run = h5check_open_group(file, group_name)) < 0)
        return ST_EINPUT;
    for (const result_field_t *f = run_info_fields; f->name != NULL; f++)
        if (result_field_is_attribute(f))
            print_field(file, run, f, to);
    if (run < 0)
        return ST_OK;
    st = H5Aiterate2(run, H5_INDEX_NAME, H5_ITER_INC, &at, print_other, to) >= 0
             ? print_devices(run, to)
             : ST_EINPUT;
    H5Gclose(run);
    return st;
}

status_t run_info_print(const char *path, FILE *to)
{
    hid_t file;
    status_t st;

    h5util_init();
    if ((file = h5check_open_file(path)) < 0)
        return ST_EINPUT;
    st = run_info_print_open(file, to);
    H5Fclose(file);
    return st;
}

status_t run_info_print_format(const char *path, FILE *to)
{
    hid_t file;

    h5util_init();
    if ((file = h5check_open_file(path)) < 0)
        return ST_EINPUT;
    h5text_print_format(file, to);
    H5Fclose(file);
    return ST_OK;
}
