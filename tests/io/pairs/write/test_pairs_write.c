/*
 * test_pairs_write.c - when a log cannot become a result, it stays the log that it was.
 */
#include "tests/support/unit_test.h"

#include "tests/io/pairs/pairs_fixture.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static void a_log_without_a_chunk_makes_no_result(void **state)
{
    status_t st;
    pairs_counts_t counts;
    seqset_t *set = numbered_set(5);
    tile_grid_t grid = tile_grid(set);
    reslog_t *log = finished_log(&grid, 1); /* three are needed */
    pairs_head_t head = head_of(3);

    (void)state;
    capture_start();
    st = pairs_write(&head, set, &grid, log, &counts);
    capture_stop();
    assert_int_equal(st, ST_EIO);
    assert_logged_one_line();
    reslog_close(log);
    seqset_destroy(set);
}

/* The log has room for nothing more. @return 0, or the number of the check that failed */
static int write_on_a_full_disk(void)
{
    seqset_t *set = numbered_set(5);
    tile_grid_t grid = tile_grid(set);
    reslog_t *log = finished_log(&grid, 1);
    const struct rlimit size = {(rlim_t)reslog_end(log), RLIM_INFINITY};
    pairs_head_t head = head_of(1);
    pairs_counts_t counts;
    struct stat info;

    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &size) != 0)
        return 1;
    if (pairs_write(&head, set, &grid, log, &counts) != ST_EIO)
        return 2;
    if (stat(log_path, &info) != 0 || info.st_size != reslog_end(log))
        return 3;
    return reslog_is_log(log_path) ? 0 : 4;
}

static void after_a_full_disk_the_log_is_what_it_was(void **state)
{
    int ended;
    pid_t child;

    (void)state;
    capture_start();
    if ((child = fork()) == 0)
        _exit(write_on_a_full_disk());
    waitpid(child, &ended, 0);
    capture_stop();
    assert_logged_one_line();
    assert_logged("HDF5 cannot write the file: File too large");
    assert_true(WIFEXITED(ended));
    assert_int_equal(WEXITSTATUS(ended), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_log_without_a_chunk_makes_no_result, results_forget),
        cmocka_unit_test_teardown(after_a_full_disk_the_log_is_what_it_was,
                                  results_forget),
    };

    return cmocka_run_group_tests(tests, results_make, dir_remove);
}
