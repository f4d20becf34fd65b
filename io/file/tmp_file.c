/*
 * tmp_file.c - creates temporary files, and lists them for the handler of signals.
 */
#include "io/file/tmp_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

enum { LISTED_MAX = 128, TRIES_MAX = 100, SUFFIX_BYTES = 16 };

typedef struct {
    atomic_bool used; /* set after the path was written */
    char path[PATH_MAX];
} entry_t;

static entry_t *listed; /* [LISTED_MAX], shared with children */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list's writers */

static const int fatal[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGUSR1, SIGUSR2};

void tmp_file_remove_all(void)
{
    for (int i = 0; listed != NULL && i < LISTED_MAX; i++)
        if (atomic_exchange(&listed[i].used, false))
            unlink(listed[i].path);
}

static void on_signal(int number)
{
    tmp_file_remove_all();
    signal(number, SIG_DFL);
    raise(number);
}

/* Signals that are ignored, or handled by others, stay as they are, also if another
 * thread installs its handler at this moment. */
static void catch_signals(void)
{
    for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++) {
        struct sigaction ours = {.sa_handler = on_signal}, before;

        if (sigaction(fatal[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL &&
            sigaction(fatal[i], &ours, &before) == 0 && before.sa_handler != SIG_DFL)
            sigaction(fatal[i], &before, NULL);
    }
}

void tmp_file_share(void)
{
    void *memory = MAP_FAILED;

    pthread_mutex_lock(&lock);
    if (listed == NULL)
        memory = mmap(NULL, LISTED_MAX * sizeof(*listed), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) /* without it a signal leaves temporary files */
        listed = memory;
    pthread_mutex_unlock(&lock);
}

static entry_t *find(const char *path)
{
    for (int i = 0; listed != NULL && i < LISTED_MAX; i++)
        if (path == NULL
                ? !atomic_load(&listed[i].used)
                : atomic_load(&listed[i].used) && strcmp(listed[i].path, path) == 0)
            return &listed[i];
    return NULL;
}

static void add_to_list(const char *path)
{
    entry_t *entry;

    pthread_mutex_lock(&lock);
    entry = find(NULL);
    if (entry != NULL && strlen(path) < sizeof(entry->path)) {
        strcpy(entry->path, path);
        atomic_store(&entry->used, true);
    }
    pthread_mutex_unlock(&lock);
}

/* Write TARGET.tmp-RANDOM; a name too long for the system is cut.
 * @return whether it succeeded */
static bool make_path(const char *target, char **path)
{
    static const char digits[] = "abcdefghijklmnopqrstuvwxyz234567";
    const char *slash = strrchr(target, '/');
    size_t folder = slash != NULL ? (size_t)(slash + 1 - target) : 0;
    size_t name = strnlen(target + folder, NAME_MAX - SUFFIX_BYTES);
    unsigned char bits[8];
    char random[sizeof(bits) + 1] = "";

    if (getrandom(bits, sizeof(bits), 0) != sizeof(bits))
        return false;
    for (size_t i = 0; i < sizeof(bits); i++)
        random[i] = digits[bits[i] % (sizeof(digits) - 1)];
    if (asprintf(path, "%.*s.tmp-%s", (int)(folder + name), target, random) >= 0)
        return true;
    errno = ENOMEM;
    return false;
}

int tmp_file_create(const char *target, mode_t mode, char **path)
{
    sigset_t all, before;
    char *name = NULL;
    int fd = -1;

    tmp_file_share();
    catch_signals();
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* until the new file is in the list */
    for (int i = 0; fd < 0 && i < TRIES_MAX && make_path(target, &name); i++) {
        fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (fd >= 0) {
            add_to_list(name);
            *path = name;
        } else {
            int error = errno;

            free(name);
            errno = error;
            if (error != EEXIST)
                break;
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return fd;
}

void tmp_file_forget(char *path)
{
    entry_t *entry;

    pthread_mutex_lock(&lock);
    if ((entry = find(path)) != NULL)
        atomic_store(&entry->used, false);
    pthread_mutex_unlock(&lock);
    free(path);
}

void tmp_file_remove(char *path)
{
    if (path == NULL)
        return;
    unlink(path);
    tmp_file_forget(path);
}
