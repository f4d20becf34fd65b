/*
 * test_whole_file.c - an output file appears complete or not at all, and replaces nothing
 * but a regular file.
 */
#include "tests/support/unit_test.h"

#include "io/file/tmp_file.h"
#include "tests/io/file/whole_file_fixture.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

/* Whether files have temporary names until they are complete. */
static bool is_named;

/* Without /proc, a file without a name would never get one. */
int access(const char *file, int mode)
{
    if (is_named && strcmp(file, "/proc/self/fd") == 0) {
        errno = ENOENT;
        return -1;
    }
    return faccessat(AT_FDCWD, file, mode, 0);
}

/* @return the number of files in the folder */
static int n_files(void)
{
    struct dirent *entry;
    DIR *folder = opendir(dir);
    int n = 0;

    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL)
        n += entry->d_name[0] != '.';
    closedir(folder);
    return n;
}

static void begin(bool force, whole_file_t **out)
{
    assert_int_equal(whole_file_open(path, WHOLE_FILE_TEXT, force, out), ST_OK);
    fputs("abc", whole_file_stream(*out));
}

static void write_abc(bool force)
{
    whole_file_t *f;

    begin(force, &f);
    assert_int_equal(whole_file_close(f, ST_OK), ST_OK);
}

/* @return the permissions of the file */
static unsigned mode_of(const char *file)
{
    struct stat info;

    assert_int_equal(lstat(file, &info), 0);
    return (unsigned)info.st_mode & 07777;
}

static void assert_refused(whole_file_kind_t kind, bool force, const char *why)
{
    whole_file_t *f = NULL;

    for (int opens = 0; opens < 2; opens++) {
        capture_start();
        if (opens)
            assert_int_equal(whole_file_open(path, kind, force, &f), ST_EINPUT);
        else
            assert_int_equal(whole_file_check(path, kind, force), ST_EINPUT);
        capture_stop();
        assert_logged_one_line();
        assert_logged(path);
        assert_logged(why);
        assert_null(f);
    }
}

static void a_file_gets_its_name_when_it_is_closed(void **state)
{
    whole_file_t *f;

    (void)state;
    begin(false, &f);
    assert_int_equal(whole_file_finish(f), ST_OK);
    assert_int_equal(n_files(), is_named);
    assert_false(exists(path));
    assert_int_equal(whole_file_close(f, ST_OK), ST_OK);
    assert_int_equal(n_files(), 1);
    assert_content(path, "abc");
}

static void two_files_of_one_name_are_written_at_once(void **state)
{
    whole_file_t *f, *g;

    (void)state;
    begin(false, &f);
    begin(false, &g);
    assert_int_equal(n_files(), is_named ? 2 : 0);
    assert_int_equal(whole_file_close(f, ST_EIO), ST_EIO);
    assert_int_equal(whole_file_close(g, ST_EIO), ST_EIO);
    assert_int_equal(n_files(), 0);
}

static void after_an_error_the_old_file_stays(void **state)
{
    whole_file_t *f;

    (void)state;
    dir_put(path, "old", 3);
    begin(true, &f);
    assert_int_equal(whole_file_close(f, ST_EINPUT), ST_EINPUT);
    assert_int_equal(n_files(), 1);
    assert_content(path, "old");
    assert_int_equal(whole_file_close(NULL, ST_EINPUT), ST_EINPUT);
}

static void a_published_file_is_removed_after_an_error(void **state)
{
    whole_file_t *f;

    (void)state;
    begin(false, &f);
    assert_int_equal(whole_file_publish(f), ST_OK);
    assert_content(path, "abc");
    assert_int_equal(whole_file_close(f, ST_EIO), ST_EIO);
    assert_false(exists(path));
}

static void an_existing_file_is_replaced_only_by_force(void **state)
{
    (void)state;
    dir_put(path, "old", 3);
    assert_refused(WHOLE_FILE_TEXT, false, "x exists; give --force");
    write_abc(true);
    assert_content(path, "abc");
}

static void a_file_that_appeared_meanwhile_is_replaced_only_by_force(void **state)
{
    whole_file_t *f;

    (void)state;
    begin(false, &f);
    dir_put(path, "new", 3);
    capture_start();
    assert_int_equal(whole_file_close(f, ST_OK), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged("File exists; give --force");
    assert_content(path, "new");
}

static void a_replaced_file_keeps_its_mode_and_a_new_one_has_the_umask(void **state)
{
    mode_t before = umask(027);

    (void)state;
    write_abc(false);
    assert_int_equal(mode_of(path), 0640);
    assert_int_equal(chmod(path, 0604), 0);
    write_abc(true);
    assert_int_equal(mode_of(path), 0604);
    umask(before);
}

static void a_link_is_followed_and_stays(void **state)
{
    struct stat info;

    (void)state;
    dir_put(other, "old", 3);
    assert_int_equal(symlink("y", path), 0);
    assert_refused(WHOLE_FILE_HDF5, false, "x exists; give --force");
    write_abc(true);
    assert_content(other, "abc");
    assert_int_equal(lstat(path, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
}

static void a_link_to_a_missing_file_is_refused(void **state)
{
    (void)state;
    assert_int_equal(symlink("y", path), 0);
    assert_refused(WHOLE_FILE_TEXT, true, "is a symbolic link to a missing file");
    assert_false(exists(other));
}

static void a_directory_and_an_empty_name_are_refused(void **state)
{
    char full[PATH_BYTES];

    (void)state;
    snprintf(full, sizeof(full), "%s", path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_refused(WHOLE_FILE_TEXT, true, "is a directory");
    assert_refused(WHOLE_FILE_HDF5, true, "is a directory");
    dir_file("new/", path);
    assert_refused(WHOLE_FILE_TEXT, true, "is the name of a directory");
    snprintf(path, sizeof(path), "%s", full);
    capture_start();
    assert_int_equal(whole_file_check("", WHOLE_FILE_TEXT, true), ST_EINPUT);
    capture_stop();
    assert_logged("name is empty");
}

static void a_missing_folder_is_reported_with_the_reason(void **state)
{
    char missing[PATH_BYTES];

    (void)state;
    dir_file("none/x", missing);
    capture_start();
    assert_int_equal(whole_file_check(missing, WHOLE_FILE_TEXT, false), ST_EIO);
    capture_stop();
    assert_logged_one_line();
    assert_logged("none/x: cannot create: No such file or directory");
}

static void text_goes_into_a_pipe_and_hdf5_does_not(void **state)
{
    whole_file_t *f;
    char got[8] = "";
    int reader;

    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused(WHOLE_FILE_HDF5, true, "is not a regular file; HDF5 needs one");
    reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    begin(false, &f);
    assert_int_equal(whole_file_close(f, ST_OK), ST_OK);
    assert_int_equal(read(reader, got, sizeof(got)), 3);
    assert_string_equal(got, "abc");
    close(reader);
    assert_int_equal(mode_of(path), 0600);
}

static void a_device_is_written_and_not_replaced(void **state)
{
    whole_file_t *f = NULL;
    struct stat info;

    (void)state;
    assert_int_equal(symlink("/dev/full", path), 0); /* never /dev/null itself */
    assert_refused(WHOLE_FILE_HDF5, true, "is not a regular file; HDF5 needs one");
    begin(true, &f);
    capture_start();
    assert_int_equal(whole_file_close(f, ST_OK), ST_EIO);
    capture_stop();
    assert_logged_one_line();
    assert_logged("x: cannot write: No space left on device");
    assert_int_equal(stat("/dev/full", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
}

static void a_socket_is_refused(void **state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    (void)state;
    assert_true(strlen(path) < sizeof(address.sun_path));
    strcpy(address.sun_path, path);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_refused(WHOLE_FILE_TEXT, true, "is neither a file nor a pipe");
    close(fd);
}

static void the_file_behind_stdout_is_written_as_stdout(void **state)
{
    int before = dup(STDOUT_FILENO), file = open(path, O_RDWR | O_CREAT, 0600);
    whole_file_t *f = NULL;
    status_t st, hdf5;

    (void)state;
    fflush(stdout);
    dup2(file, STDOUT_FILENO);
    st = whole_file_open(path, WHOLE_FILE_TEXT, false, &f);
    capture_start();
    hdf5 = whole_file_check(path, WHOLE_FILE_HDF5, true);
    capture_stop();
    if (st == ST_OK) {
        fputs("abc", whole_file_stream(f));
        st = whole_file_close(f, ST_OK);
    }
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    close(file);
    assert_int_equal(st, ST_OK);
    assert_content(path, "abc");
    assert_int_equal(hdf5, ST_EINPUT);
    assert_logged("is stdout, which HDF5 cannot write to");
    assert_int_equal(whole_file_check("-", WHOLE_FILE_TEXT, false), ST_OK);
}

static void a_name_of_maximum_length_can_be_written(void **state)
{
    char name[256], before[PATH_BYTES];

    (void)state;
    snprintf(before, sizeof(before), "%s", path);
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    snprintf(path, sizeof(path), "%.3000s/%s", dir, name);
    write_abc(false);
    assert_content(path, "abc");
    unlink(path);
    snprintf(path, sizeof(path), "%s", before);
}

/* In a child, open a file and end by a signal. */
static void end_child_by(int number)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        whole_file_t *f = NULL;

        if (whole_file_open(path, WHOLE_FILE_TEXT, false, &f) == ST_OK)
            raise(number);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), number);
}

static void a_signal_leaves_no_file(void **state)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};

    (void)state;
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        end_child_by(signals[i]);
        assert_int_equal(n_files(), 0);
    }
}

static void a_kill_leaves_at_most_what_the_parent_removes(void **state)
{
    (void)state;
    tmp_file_share();
    end_child_by(SIGKILL);
    assert_int_equal(n_files(), is_named);
    tmp_file_remove_all();
    assert_int_equal(n_files(), 0);
}

static void a_temporary_file_that_another_has_replaced_is_not_renamed(void **state)
{
    char tmp[PATH_BYTES], self[32];
    whole_file_t *f;
    ssize_t len;

    (void)state;
    if (!is_named)
        return;
    begin(false, &f);
    snprintf(self, sizeof(self), "/proc/self/fd/%d", whole_file_fd(f));
    len = readlink(self, tmp, sizeof(tmp) - 1);
    assert_true(len > 0);
    tmp[len] = '\0';
    unlink(tmp);
    dir_put(tmp, "of another", 10);
    capture_start();
    assert_int_equal(whole_file_close(f, ST_OK), ST_EIO);
    capture_stop();
    assert_logged("another program has replaced this file");
    assert_false(exists(path));
    assert_content(tmp, "of another");
    unlink(tmp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FILE_TEST(a_file_gets_its_name_when_it_is_closed),
        FILE_TEST(two_files_of_one_name_are_written_at_once),
        FILE_TEST(after_an_error_the_old_file_stays),
        FILE_TEST(a_published_file_is_removed_after_an_error),
        FILE_TEST(an_existing_file_is_replaced_only_by_force),
        FILE_TEST(a_file_that_appeared_meanwhile_is_replaced_only_by_force),
        FILE_TEST(a_replaced_file_keeps_its_mode_and_a_new_one_has_the_umask),
        FILE_TEST(a_link_is_followed_and_stays),
        FILE_TEST(a_link_to_a_missing_file_is_refused),
        FILE_TEST(a_directory_and_an_empty_name_are_refused),
        FILE_TEST(a_missing_folder_is_reported_with_the_reason),
        FILE_TEST(text_goes_into_a_pipe_and_hdf5_does_not),
        FILE_TEST(a_device_is_written_and_not_replaced),
        FILE_TEST(a_socket_is_refused),
        FILE_TEST(the_file_behind_stdout_is_written_as_stdout),
        FILE_TEST(a_name_of_maximum_length_can_be_written),
        FILE_TEST(a_signal_leaves_no_file),
        FILE_TEST(a_kill_leaves_at_most_what_the_parent_removes),
        FILE_TEST(a_temporary_file_that_another_has_replaced_is_not_renamed),
    };
    int n_failed = 0;

    for (int named = 0; named < 2; named++) { /* without and with temporary names */
        is_named = named;
        n_failed += cmocka_run_group_tests(tests, dir_make, dir_remove);
    }
    return n_failed;
}
