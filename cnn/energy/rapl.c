/*
 * rapl.c - reads powercap files.
 */
#include "cnn/energy/energy_meter.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 512, TEXT_BYTES = 64 };

static const double microjoule = 1e-6;

/* Read a file of one line. @return whether it could be read */
static bool read_text(const char *path, char text[TEXT_BYTES])
{
    FILE *file = fopen(path, "r");
    bool good = file != NULL && fgets(text, TEXT_BYTES, file) != NULL;

    if (file != NULL)
        fclose(file);
    return good;
}

static bool read_joules(const char *path, double *out)
{
    char text[TEXT_BYTES];
    unsigned long long microjoules;

    if (!read_text(path, text) || sscanf(text, "%llu", &microjoules) != 1)
        return false;
    *out = (double)microjoules * microjoule;
    return true;
}

/* Add a folder if it is a package. @return 0, or the errno of a counter that this user
 * may not read */
static int add_package(rapl_t *r, const char *folder, const char *name)
{
    char path[PATH_BYTES], text[TEXT_BYTES];
    char *file = r->file[r->n];

    snprintf(path, sizeof(path), "%s/%s/name", folder, name);
    if (!read_text(path, text) || strncmp(text, "package", strlen("package")) != 0)
        return 0;
    snprintf(path, sizeof(path), "%s/%s/max_energy_range_uj", folder, name);
    if (!read_joules(path, &r->range_j[r->n]))
        return 0;
    if (snprintf(file, sizeof(r->file[0]), "%s/%s/energy_uj", folder, name) >=
        (int)sizeof(r->file[0]))
        return ENAMETOOLONG;
    errno = 0;
    if (!read_joules(file, &r->last_j[r->n]))
        return errno != 0 ? errno : EIO;
    r->n++;
    return 0;
}

bool rapl_open(rapl_t *r, const char *folder, char *why)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    int error = 0;

    *r = (rapl_t){.n = 0};
    if (dir == NULL) {
        snprintf(why, RAPL_WHY_BYTES, "%s does not exist: no RAPL on this machine",
                 folder);
        return false;
    }
    while (error == 0 && r->n < RAPL_PACKAGES_MAX && (entry = readdir(dir)) != NULL)
        if (strchr(entry->d_name, ':') != NULL)
            error = add_package(r, folder, entry->d_name);
    closedir(dir);
    if (error != 0)
        snprintf(why, RAPL_WHY_BYTES, "%s: %s", r->file[r->n], strerror(error));
    else if (r->n == 0)
        snprintf(why, RAPL_WHY_BYTES, "%s has no packages", folder);
    return error == 0 && r->n > 0;
}

bool rapl_energy_j(rapl_t *r, double *out)
{
    for (int p = 0; p < r->n; p++) {
        double now;

        if (!read_joules(r->file[p], &now))
            return false;
        r->total_j += now - r->last_j[p] + (now < r->last_j[p] ? r->range_j[p] : 0);
        r->last_j[p] = now;
    }
    *out = r->total_j;
    return true;
}
