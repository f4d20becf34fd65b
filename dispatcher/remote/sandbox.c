/*
 * sandbox.c - confines a process that serves a client.
 */
#include "dispatcher/remote/sandbox.h"

#include "io/base/sanitized.h"
#include "io/store/cache_file.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__has_include)
#if __has_include(<linux/landlock.h>)
#include <linux/landlock.h>
#define HAS_LANDLOCK
#endif
#endif

static void lower_limit(__rlimit_resource_t resource, rlim_t value)
{
    struct rlimit limit;

    if (getrlimit(resource, &limit) != 0)
        return;
    limit.rlim_max = limit.rlim_max < value ? limit.rlim_max : value;
    limit.rlim_cur = limit.rlim_cur < value ? limit.rlim_cur : value;
    (void)setrlimit(resource, &limit);
}

#ifdef HAS_LANDLOCK

enum {
    READ = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |
           LANDLOCK_ACCESS_FS_READ_DIR,
    WRITE = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_FILE |
            LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
            LANDLOCK_ACCESS_FS_MAKE_DIR,
    OF_FILES = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE |
               LANDLOCK_ACCESS_FS_WRITE_FILE,
    OTHER = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_SOCK |
            LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
            LANDLOCK_ACCESS_FS_MAKE_SYM
};

/* Allow a file, or what lies below a folder, if it exists. */
static void allow(int rules, const char *path, uint64_t access)
{
    struct landlock_path_beneath_attr rule = {.allowed_access = access};
    struct stat info;

    if (path == NULL || *path != '/' ||
        (rule.parent_fd = open(path, O_PATH | O_CLOEXEC)) < 0)
        return;
    if (fstat(rule.parent_fd, &info) == 0 && !S_ISDIR(info.st_mode))
        rule.allowed_access &= OF_FILES;
    (void)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
}

/* Allow each path of a list as that of LD_LIBRARY_PATH. */
static void allow_list(int rules, const char *list)
{
    char path[4096];

    for (; list != NULL && *list != '\0'; list += list[0] == ':') {
        const size_t len = strcspn(list, ":");

        snprintf(path, sizeof(path), "%.*s", (int)len, list);
        allow(rules, path, READ);
        list += len;
    }
}

/* The folder above the program's, with the libraries that are installed beside it. */
static void allow_program(int rules)
{
    char path[4096];
    const ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
    char *slash;

    for (int up = 0; len > 0 && up < 2; up++) {
        path[up == 0 ? len : (ssize_t)strlen(path)] = '\0';
        if ((slash = strrchr(path, '/')) == NULL || slash == path)
            return;
        *slash = '\0';
    }
    if (len > 0)
        allow(rules, path, READ);
}

static void allow_cuda(int rules)
{
    const char *home = getenv("HOME");
    char cache[4096];

    allow(rules, "/dev", READ | WRITE);
    allow(rules, "/proc/self/task", READ | WRITE); /* it names its threads */
    allow(rules, getenv("CUDA_CACHE_PATH"), READ | WRITE);
    allow(rules, getenv("CUDA_MPS_PIPE_DIRECTORY"), READ | WRITE);
    allow(rules, "/tmp/nvidia-mps", READ | WRITE);
    if (home == NULL)
        return;
    snprintf(cache, sizeof(cache), "%s/.nv", home);
    allow(rules, cache, READ | WRITE);
}

/* The folder of what kernels' trials found. */
static void allow_trials(int rules)
{
    char *path = cache_file_folder();

    allow(rules, path, READ | WRITE);
    free(path);
}

static bool confine_files(sandbox_t kind)
{
    static const char *const readable[] = {"/usr",           "/lib",
                                           "/lib64",         "/lib32",
                                           "/opt",           "/proc",
                                           "/sys",           "/etc/ld.so.cache",
                                           "/etc/localtime", "/etc/nvidia",
                                           "/nix",           "/dev/null"};
    const struct landlock_ruleset_attr handled = {.handled_access_fs =
                                                      READ | WRITE | OTHER};
    const int rules =
        (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof(handled), 0);
    bool is_confined;

    if (rules < 0)
        return false;
    for (size_t i = 0; i < sizeof(readable) / sizeof(readable[0]); i++)
        allow(rules, readable[i], READ);
    allow_program(rules);
    allow_list(rules, getenv("LD_LIBRARY_PATH"));
    allow_list(rules, getenv("CONDA_PREFIX"));
    allow_list(rules, getenv("CUDA_HOME"));
    if (kind != SANDBOX_TALKS)
        allow_trials(rules);
    if (kind == SANDBOX_HAS_GPU)
        allow_cuda(rules);
    is_confined = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return is_confined;
}

#else

static bool confine_files(sandbox_t kind)
{
    (void)kind;
    return false;
}

#endif

/* What CUDA reserves and does not use is no data. */
void sandbox_limit_memory(int64_t bytes)
{
    if (!IS_SANITIZED)
        lower_limit(RLIMIT_DATA, (rlim_t)bytes);
}

bool sandbox_enter(sandbox_t kind, int64_t memory_bytes)
{
    lower_limit(RLIMIT_CORE, 0);
    sandbox_limit_memory(memory_bytes);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && confine_files(kind);
}
