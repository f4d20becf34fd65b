/*
 * energy_meter.c - windows of energy from NVML, RAPL and /proc/stat.
 */
#include "cnn/energy/energy_meter.h"

#include "io/base/clock.h"
#include "io/base/logmsg.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- RAPL: powercap files ---- */

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

typedef struct {
    double idle, all; /* seconds of all processors */
} processors_t;

struct energy_meter {
    nvml_t *nvml;
    bool has_gpu_energy, has_rapl;
    char why_no_gpu[NVML_WHY_BYTES], why_no_rapl[RAPL_WHY_BYTES];
    rapl_t rapl;
    double gpu_j, cpu_j, started;
    processors_t processors;
};

/* Longer than the GPU's counter stands still. */
static const double counter_timeout_s = 1;

status_t energy_meter_create(const device_t *device, energy_meter_t **out)
{
    energy_meter_t *m = calloc(1, sizeof(*m));
    double joules;

    if (m == NULL)
        return log_nomem("measuring energy");
    if (device->kind == DEVICE_CUDA)
        m->nvml = nvml_open(device->uuid, m->why_no_gpu);
    else
        snprintf(m->why_no_gpu, sizeof(m->why_no_gpu), "the device is a CPU");
    m->has_gpu_energy = m->nvml != NULL && nvml_energy_j(m->nvml, &joules);
    if (m->nvml != NULL && !m->has_gpu_energy)
        snprintf(m->why_no_gpu, sizeof(m->why_no_gpu),
                 "the GPU has no counter of energy");
    m->has_rapl = rapl_open(&m->rapl, RAPL_FOLDER, m->why_no_rapl);
    *out = m;
    return ST_OK;
}

bool energy_meter_has_source(const energy_meter_t *m)
{
    return m->has_gpu_energy || m->has_rapl;
}

static status_t describe_gpu(energy_meter_t *m, buf_t *out)
{
    unsigned core, memory;
    bool ecc;
    status_t st;

    st = m->has_gpu_energy
             ? buf_printf(out, "GPU energy: NVML's counter\n")
             : buf_printf(out, "GPU energy: absent, because %s\n", m->why_no_gpu);
    if (st != ST_OK || m->nvml == NULL)
        return st;
    if (nvml_clocks_mhz(m->nvml, &core, &memory))
        st = buf_printf(out, "GPU clocks: cores %u MHz, memory %u MHz\n", core, memory);
    if (st == ST_OK)
        st = buf_printf(out, "GPU memory's error correction: %s\n",
                        !nvml_ecc(m->nvml, &ecc) ? "unknown"
                        : ecc                    ? "on"
                                                 : "off");
    return st;
}

status_t energy_meter_describe(energy_meter_t *m, buf_t *out)
{
    status_t st = describe_gpu(m, out);

    if (st != ST_OK)
        return st;
    return m->has_rapl
               ? buf_printf(out, "CPU energy: RAPL, %d packages\n", m->rapl.n)
               : buf_printf(out, "CPU energy: absent, because %s\n", m->why_no_rapl);
}

/* Wait until the GPU's counter has moved, so that a window begins and ends with it. */
static double next_gpu_j(energy_meter_t *m)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    const double start = clock_now_s();
    double before, now;

    if (!m->has_gpu_energy || !nvml_energy_j(m->nvml, &before))
        return NAN;
    do {
        nanosleep(&pause, NULL);
        if (!nvml_energy_j(m->nvml, &now))
            return NAN;
    } while (now == before && clock_now_s() - start < counter_timeout_s);
    return now;
}

static double cpu_j(energy_meter_t *m)
{
    double joules;

    return m->has_rapl && rapl_energy_j(&m->rapl, &joules) ? joules : NAN;
}

/* Read the first line of /proc/stat: user, nice, system, idle, iowait, ... */
static processors_t read_processors(void)
{
    FILE *file = fopen("/proc/stat", "r");
    unsigned long long v[8] = {0};
    processors_t p = {NAN, NAN};
    int n = 0;

    if (file == NULL)
        return p;
    n = fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2],
               &v[3], &v[4], &v[5], &v[6], &v[7]);
    fclose(file);
    if (n < 4)
        return p;
    p = (processors_t){(double)(v[3] + v[4]), 0};
    for (int i = 0; i < 8; i++)
        p.all += (double)v[i];
    return p;
}

void energy_meter_begin(energy_meter_t *m)
{
    m->gpu_j = next_gpu_j(m);
    m->cpu_j = cpu_j(m);
    m->processors = read_processors();
    m->started = clock_now_s();
}

energy_window_t energy_meter_end(energy_meter_t *m)
{
    const double gpu = next_gpu_j(m);
    const processors_t p = read_processors();

    return (energy_window_t){
        .seconds = clock_now_s() - m->started,
        .gpu_j = gpu - m->gpu_j,
        .cpu_j = cpu_j(m) - m->cpu_j,
        .cpu_idle = (p.idle - m->processors.idle) / (p.all - m->processors.all),
    };
}

status_t energy_meter_lock_clock(energy_meter_t *m, unsigned mhz)
{
    if (m->nvml != NULL)
        return nvml_lock_clocks(m->nvml, mhz, 0);
    log_error("cannot lock a GPU's clock, because %s; leave out --clocks", m->why_no_gpu);
    return ST_EDEVICE;
}

double energy_meter_clock_mhz(energy_meter_t *m)
{
    unsigned core, memory;

    return m->nvml != NULL && nvml_clocks_mhz(m->nvml, &core, &memory) ? (double)core
                                                                       : NAN;
}

void energy_meter_destroy(energy_meter_t *m)
{
    if (m == NULL)
        return;
    nvml_close(m->nvml);
    free(m);
}
