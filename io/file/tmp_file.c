/*
 * tmp_file.c - files without a name get one through /proc; temporary names are listed for
 * the handler of signals.
 */
#include "io/file/tmp_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
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

/* @return a file without a name in the target's folder, or -1: there are none here */
static int open_nameless(const char *target, mode_t mode)
{
    char *copy = strdup(target);
    int fd = -1;

    if (copy != NULL && access("/proc/self/fd", X_OK) == 0)
        fd = open(dirname(copy), O_RDWR | O_TMPFILE | O_CLOEXEC, mode);
    free(copy);
    return fd;
}

/* Give a file without a name this one. @return whether it succeeded, else errno */
static bool link_to(int fd, const char *name)
{
    char link[32];

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

/* Create a file with a temporary name, or give one to a file that has none.
 * @param nameless  or -1
 * @return the descriptor, or -1 with errno */
static int make_named(const char *target, int nameless, mode_t mode, char **out)
{
    sigset_t all, before;
    char *name = NULL;
    int fd = -1;

    tmp_file_share();
    catch_signals();
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* until the name is in the list */
    for (int i = 0; fd < 0 && i < TRIES_MAX && make_path(target, &name); i++) {
        if (nameless < 0)
            fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        else
            fd = link_to(nameless, name) ? nameless : -1;
        if (fd >= 0) {
            add_to_list(name);
            *out = name;
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

int tmp_file_create(const char *target, mode_t mode, char **name)
{
    int fd = open_nameless(target, mode);

    *name = NULL;
    return fd >= 0 ? fd : make_named(target, -1, mode, name);
}

bool tmp_file_rename(const char *from, const char *to, bool force)
{
    if (force)
        return rename(from, to) == 0;
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS)
        return false;
    if (link(from, to) != 0) /* on file systems without that, such as NFS */
        return errno != EEXIST && rename(from, to) == 0;
    unlink(from);
    return true;
}

void tmp_file_forget(char *name)
{
    entry_t *entry;

    if (name == NULL)
        return;
    pthread_mutex_lock(&lock);
    if ((entry = find(name)) != NULL)
        atomic_store(&entry->used, false);
    pthread_mutex_unlock(&lock);
    free(name);
}

bool tmp_file_publish(int fd, char **name, const char *target, bool force)
{
    if (*name == NULL) {
        if (link_to(fd, target))
            return true;
        if (errno != EEXIST || !force || make_named(target, fd, 0, name) < 0)
            return false;
    }
    if (!tmp_file_rename(*name, target, force))
        return false;
    tmp_file_forget(*name);
    *name = NULL;
    return true;
}

void tmp_file_remove(char *name)
{
    if (name == NULL)
        return;
    unlink(name);
    tmp_file_forget(name);
}
