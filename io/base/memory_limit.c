/*
 * memory_limit.c - asks the machine, the cgroup and the limits of the process.
 */
#include "io/base/memory_limit.h"

#include "io/base/byte_size.h"
#include "io/base/logmsg.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LINE_BYTES = 512 };

/* @return the number that a file begins with, or -1 if there is none, as in "max" */
static int64_t number_in(const char *path)
{
    FILE *file = fopen(path, "r");
    long long value = -1;

    if (file == NULL)
        return -1;
    if (fscanf(file, "%lld", &value) != 1)
        value = -1;
    fclose(file);
    return value;
}

/* @return the lowest limit of this process's cgroup and those above it (v2), the limit of
 *         its cgroup (v1), or -1 */
static int64_t cgroup_memory(void)
{
    char line[LINE_BYTES], path[2 * LINE_BYTES];
    int64_t lowest = -1;
    FILE *file = fopen("/proc/self/cgroup", "r");

    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        char *group = strstr(line, "::");
        char *v1 = strstr(line, ":memory:");

        line[strcspn(line, "\n")] = '\0';
        if (v1 != NULL) {
            snprintf(path, sizeof(path), "/sys/fs/cgroup/memory%s/memory.limit_in_bytes",
                     v1 + strlen(":memory:"));
            lowest = number_in(path);
        }
        if (group == NULL)
            continue;
        for (group += 2; *group != '\0';) {
            char *slash;
            int64_t limit;

            snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.max", group);
            limit = number_in(path);
            if (limit >= 0 && (lowest < 0 || limit < lowest))
                lowest = limit;
            if ((slash = strrchr(group, '/')) == NULL)
                break;
            *slash = '\0';
        }
    }
    if (file != NULL)
        fclose(file);
    return lowest;
}

/* @return the lower of two limits, of which -1 is none */
static int64_t lower(int64_t a, int64_t b)
{
    return b >= 0 && b < a ? b : a;
}

/* @return the soft limit of the process, or -1 */
static int64_t process_limit(__rlimit_resource_t resource)
{
    struct rlimit limit;

    return getrlimit(resource, &limit) == 0 && limit.rlim_cur <= INT64_MAX
               ? (int64_t)limit.rlim_cur
               : -1;
}

int64_t memory_limit(void)
{
    int64_t bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);

    bytes = lower(bytes, cgroup_memory());
    bytes = lower(bytes, process_limit(RLIMIT_AS));
    return lower(bytes, process_limit(RLIMIT_DATA));
}

status_t memory_limit_check(double bytes, const char *remedy, const char *fmt, ...)
{
    const double has = (double)memory_limit();
    char need_text[BYTE_SIZE_TEXT_BYTES], has_text[BYTE_SIZE_TEXT_BYTES], what[256];
    va_list args;

    if (bytes <= has)
        return ST_OK;
    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    log_error("memory for %s: %s, and this process may use %s; %s", what,
              byte_size_text(bytes, need_text), byte_size_text(has, has_text), remedy);
    return ST_ENOMEM;
}
