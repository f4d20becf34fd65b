/*
 * test_sandbox.c - a confined process opens no file of a user, and writes none.
 */
#include "dispatcher/remote/sandbox.h"
#include "io/store/trial_cache.h"
#include "tests/support/captured_log.h"
#include "tests/support/unit_test.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { SKIPPED = 77 };

static char here[PATH_BYTES];

static bool is_denied(const char *path, int flags)
{
    const int fd = open(path, flags, 0600);
    const int code = errno;

    if (fd >= 0)
        close(fd);
    return fd < 0 && code == EACCES;
}

static bool keeps_trials(void)
{
    const trial_entry_t in = {"simd", 1e9};
    trial_entry_t out;
    trial_cache_t *cache;

    if (trial_cache_create("version", &cache) != ST_OK)
        return false;
    trial_cache_put(cache, "key", &in);
    return trial_cache_get(cache, "key", &out);
}

/* As CUDA does, which does not begin where it may not. */
static bool names_threads(void)
{
    char path[PATH_BYTES];

    snprintf(path, sizeof(path), "/proc/self/task/%d/comm", (int)getpid());
    return open(path, O_WRONLY) >= 0;
}

/* In a child. @return the number of the first rule that is broken; 0: none */
static int broken_rule(sandbox_t kind)
{
    const bool has_gpu = kind == SANDBOX_HAS_GPU;
    const bool is_confined = sandbox_enter(kind, (int64_t)1 << 34);
    char new_file[PATH_BYTES];
    struct rlimit core;

    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
        return 1;
    if (getrlimit(RLIMIT_CORE, &core) != 0 || core.rlim_max != 0)
        return 2;
    if (!is_confined)
        return SKIPPED; /* the kernel has no Landlock */
    dir_file("new", new_file);
    if (!is_denied(here, O_RDONLY) || !is_denied("/etc/passwd", O_RDONLY))
        return 3;
    if (!is_denied(here, O_WRONLY) || !is_denied(new_file, O_WRONLY | O_CREAT))
        return 4;
    if (access("/usr", F_OK) != 0 || open("/proc/self/status", O_RDONLY) < 0 ||
        open("/usr", O_RDONLY | O_DIRECTORY) < 0)
        return 5;
    if (has_gpu != (open("/dev/zero", O_RDWR) >= 0) || has_gpu != names_threads())
        return 6;
    return keeps_trials() == (kind != SANDBOX_TALKS) ? 0 : 7;
}

static void run_confined(sandbox_t kind)
{
    const pid_t pid = fork();
    int status;

    if (pid == 0)
        _exit(broken_rule(kind));
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == SKIPPED)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void files_of_users_are_closed(void **state)
{
    (void)state;
    run_confined(SANDBOX_TALKS);
    run_confined(SANDBOX_COMPUTES);
}

static void so_they_are_beside_a_gpu(void **state)
{
    (void)state;
    run_confined(SANDBOX_HAS_GPU);
}

static int make(void **state)
{
    char cache[PATH_BYTES];

    if (dir_make(state) != 0)
        return -1;
    dir_file("cache", cache);
    setenv("RIBOGRID_CACHE", cache, 1);
    dir_file("secret", here);
    dir_put(here, "x", 1);
    return 0;
}

static int clean(void **state)
{
    char kept[PATH_BYTES];

    unlink(here);
    dir_file("cache/kernels", kept);
    unlink(kept);
    dir_file("cache", kept);
    rmdir(kept);
    return dir_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_users_are_closed),
        cmocka_unit_test(so_they_are_beside_a_gpu),
    };

    return cmocka_run_group_tests(tests, make, clean);
}
