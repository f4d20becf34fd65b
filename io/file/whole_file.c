/*
 * whole_file.c - what an output's path leads to, and the file that gets this name.
 */
#include "io/file/whole_file.h"

#include "io/base/logmsg.h"
#include "io/file/sync_ahead.h"
#include "io/file/tmp_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of a file that is copied, per call. */
enum { COPY_BYTES = 1 << 26 };

/* What a path means as an output. */
typedef struct {
    char *target; /* the file that gets the content: the path, or what a link leads to */
    bool exists, is_stdout;
    mode_t mode; /* of what exists */
} place_t;

struct whole_file {
    char *path;          /* as given; NULL: stdout */
    char *target;        /* the name that the file gets */
    char *tmp;           /* its temporary name; or NULL */
    FILE *stream;        /* NULL: HDF5 */
    int fd;              /* -1: stdout */
    sync_ahead_t *ahead; /* of a file that is being written; or NULL */
    bool is_direct;      /* a pipe, a device or stdout */
    bool force, is_published;
};

static status_t refuse(const char *path, const char *why)
{
    log_error("%s %s; give another output", path, why);
    return ST_EINPUT;
}

static status_t fail(const char *path, const char *verb)
{
    log_error("%s: cannot %s: %s; give another output", path, verb, strerror(errno));
    return ST_EIO;
}

static bool is_stdout_path(const char *path)
{
    return path == NULL || strcmp(path, "-") == 0;
}

/* Follow a symbolic link in the last part of a path. */
static status_t follow(const char *path, struct stat *info, place_t *out)
{
    if (stat(path, info) != 0) {
        if (errno == ENOENT)
            return refuse(path, "is a symbolic link to a missing file");
        return fail(path, "open");
    }
    out->exists = true;
    /* what is no regular file is opened under its own name: a pipe in /proc has no other
     */
    out->target = S_ISREG(info->st_mode) ? realpath(path, NULL) : strdup(path);
    return out->target != NULL ? ST_OK : fail(path, "open");
}

/* Find out what a path leads to. @param out  the caller frees the target, also on failure
 */
static status_t find_place(const char *path, place_t *out)
{
    struct stat info, std;
    size_t len = strlen(path);

    *out = (place_t){.target = NULL};
    if (len == 0)
        return refuse("the output's name", "is empty");
    if (lstat(path, &info) != 0) {
        if (errno != ENOENT)
            return fail(path, "open");
        if (path[len - 1] == '/')
            return refuse(path, "is the name of a directory");
    } else if (S_ISLNK(info.st_mode)) {
        status_t st = follow(path, &info, out);

        if (st != ST_OK)
            return st;
    } else {
        out->exists = true;
    }
    if (out->target == NULL && (out->target = strdup(path)) == NULL)
        return log_nomem("a path");
    out->mode = out->exists ? info.st_mode : 0;
    out->is_stdout = out->exists && !S_ISCHR(info.st_mode) &&
                     fstat(STDOUT_FILENO, &std) == 0 && std.st_dev == info.st_dev &&
                     std.st_ino == info.st_ino;
    return ST_OK;
}

status_t whole_file_check_folder(const char *path)
{
    char *copy = strdup(path);
    status_t st = ST_OK;

    if (copy == NULL)
        return log_nomem("a path");
    if (access(dirname(copy), W_OK | X_OK) != 0)
        st = fail(path, "create");
    free(copy);
    return st;
}

/* Check what a path leads to. */
static status_t check_place(const char *path, whole_file_kind_t kind, bool force,
                            const place_t *place)
{
    if (place->exists && S_ISDIR(place->mode))
        return refuse(path, "is a directory");
    if (place->is_stdout)
        return kind == WHOLE_FILE_TEXT
                   ? ST_OK
                   : refuse(path, "is stdout, which HDF5 cannot write to");
    if (place->exists && !S_ISREG(place->mode)) {
        if (kind == WHOLE_FILE_HDF5)
            return refuse(path, "is not a regular file; HDF5 needs one");
        if (!S_ISFIFO(place->mode) && !S_ISCHR(place->mode))
            return refuse(path, "is neither a file nor a pipe");
        return ST_OK;
    }
    if (place->exists && !force) {
        log_error("%s exists; give --force to replace it, or another output", path);
        return ST_EINPUT;
    }
    return whole_file_check_folder(place->target);
}

/* Check a path other than NULL, and find out what it leads to. */
static status_t check(const char *path, whole_file_kind_t kind, bool force,
                      place_t *place)
{
    status_t st = ST_OK;

    *place = (place_t){.target = NULL};
    if (strcmp(path, "-") == 0)
        place->is_stdout = true;
    else
        st = find_place(path, place);
    return st == ST_OK ? check_place(path, kind, force, place) : st;
}

status_t whole_file_check(const char *path, whole_file_kind_t kind, bool force)
{
    place_t place;
    status_t st;

    if (is_stdout_path(path) && kind == WHOLE_FILE_TEXT)
        return ST_OK;
    st = check(path, kind, force, &place);
    free(place.target);
    return st;
}

static void destroy(whole_file_t *f)
{
    tmp_file_remove(f->tmp);
    (void)sync_ahead_end(f->ahead);
    if (f->stream != NULL && f->stream != stdout)
        fclose(f->stream);
    else if (f->stream == NULL && f->fd >= 0)
        close(f->fd);
    free(f->path);
    free(f->target);
    free(f);
}

/* Open a pipe or a device, or whatever it has become since it was checked. */
static status_t open_directly(whole_file_t *f)
{
    struct stat info;

    f->fd = open(f->target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (f->fd < 0 || fstat(f->fd, &info) != 0)
        return fail(f->path, "open");
    return S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode)
               ? ST_OK
               : refuse(f->path, "has changed");
}

/* Create the file; it gets the mode of what it will replace, and before that nobody else
 * may read it. */
static status_t open_tmp(whole_file_t *f, const place_t *place)
{
    f->fd = tmp_file_create(f->target, place->exists ? 0600 : 0666, &f->tmp);
    if (f->fd < 0)
        return fail(f->path, "create");
    if (place->exists)
        (void)fchmod(f->fd, place->mode & 0777); /* some file systems have no modes */
    f->ahead = sync_ahead_begin(f->fd);
    return ST_OK;
}

static status_t open_place(whole_file_t *f, whole_file_kind_t kind, const place_t *place)
{
    status_t st;

    f->is_direct = place->exists && !S_ISREG(place->mode);
    st = f->is_direct ? open_directly(f) : open_tmp(f, place);
    if (st != ST_OK || kind == WHOLE_FILE_HDF5)
        return st;
    f->stream = fdopen(f->fd, "w");
    return f->stream != NULL ? ST_OK : fail(f->path, "open");
}

status_t whole_file_open(const char *path, whole_file_kind_t kind, bool force,
                         whole_file_t **out)
{
    place_t place = {.is_stdout = true};
    whole_file_t *f = NULL;
    status_t st = ST_OK;

    if (!is_stdout_path(path) || kind == WHOLE_FILE_HDF5)
        st = check(path, kind, force, &place);
    if (st == ST_OK && (f = calloc(1, sizeof(*f))) == NULL)
        st = log_nomem("an output file");
    if (st != ST_OK) {
        free(place.target);
        return st;
    }
    f->fd = -1;
    f->force = force;
    f->target = place.target;
    f->is_direct = place.is_stdout;
    if (f->is_direct)
        f->stream = stdout;
    else if ((f->path = strdup(path)) == NULL)
        st = log_nomem("a path");
    else
        st = open_place(f, kind, &place);
    if (st == ST_OK)
        *out = f;
    else
        destroy(f);
    return st;
}

FILE *whole_file_stream(whole_file_t *f)
{
    return f->stream;
}

int whole_file_fd(const whole_file_t *f)
{
    return f->fd;
}

const char *whole_file_path(const whole_file_t *f)
{
    return f->path;
}

/* File systems that cannot sync are no error. @param error  of a sync, or 0 */
static bool is_synced(int error)
{
    return error == 0 || error == EINVAL || error == EROFS || error == ENOSYS;
}

static bool sync_fd(int fd)
{
    return is_synced(fsync(fd) == 0 ? 0 : errno);
}

/* Sync what has been written to the file. @return whether it succeeded, else errno */
static bool sync_tmp(whole_file_t *f)
{
    int error = sync_ahead_end(f->ahead);

    f->ahead = NULL;
    if (is_synced(error))
        return sync_fd(f->fd);
    errno = error;
    return false;
}

bool whole_file_has_name(int fd, const char *path)
{
    struct stat ours, there;

    return fstat(fd, &ours) == 0 && lstat(path, &there) == 0 &&
           ours.st_dev == there.st_dev && ours.st_ino == there.st_ino;
}

/* @return whether an open file still has its name; logged if not */
static bool check_name(int fd, const char *name)
{
    if (whole_file_has_name(fd, name))
        return true;
    log_error("%s: another program has replaced this file; write to a folder of your own",
              name);
    return false;
}

status_t whole_file_finish(whole_file_t *f)
{
    bool failed;

    if (f->path == NULL || f->is_published)
        return ST_OK;
    errno = 0;
    failed = f->stream != NULL && (fflush(f->stream) != 0 || ferror(f->stream));
    if (failed && errno == 0 && !f->is_direct)
        (void)!write(f->fd, "", 1); /* an earlier write failed: find out why */
    if (!failed && (f->is_direct || sync_tmp(f)))
        return ST_OK;
    log_error("%s: cannot write: %s", f->path,
              errno != 0 ? strerror(errno) : "the disk may be full");
    return ST_EIO;
}

static status_t cannot_name(const char *path)
{
    status_t st = errno == EEXIST ? ST_EINPUT : ST_EIO;

    log_error("%s: cannot create: %s; give %sanother output", path, strerror(errno),
              errno == EEXIST ? "--force to replace it, or " : "");
    return st;
}

void whole_file_sync_folder(const char *path)
{
    char *copy = strdup(path);
    int folder =
        copy != NULL ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

    if (folder >= 0) {
        (void)sync_fd(folder);
        close(folder);
    }
    free(copy);
}

status_t whole_file_publish(whole_file_t *f)
{
    status_t st = whole_file_finish(f);

    if (st != ST_OK || f->is_direct || f->is_published)
        return st;
    if (f->tmp != NULL && !check_name(f->fd, f->tmp)) {
        tmp_file_forget(f->tmp);
        f->tmp = NULL;
        return ST_EIO;
    }
    if (!tmp_file_publish(f->fd, &f->tmp, f->target, f->force))
        return cannot_name(f->path);
    whole_file_sync_folder(f->target);
    f->is_published = true;
    return ST_OK;
}

/* Copy a file to another file system. */
static status_t copy_to(const char *path, bool force, const char *from, int fd)
{
    whole_file_t *to;
    off_t at = 0;
    ssize_t n = 0;
    status_t st = whole_file_open(path, WHOLE_FILE_HDF5, force, &to);

    if (st != ST_OK)
        return st;
    while ((n = sendfile(to->fd, fd, &at, COPY_BYTES)) > 0 || (n < 0 && errno == EINTR))
        ;
    if (n < 0)
        st = fail(path, "write");
    if ((st = whole_file_close(to, st)) == ST_OK)
        unlink(from);
    return st;
}

status_t whole_file_adopt(const char *path, bool force, const char *from, int fd)
{
    place_t place;
    status_t st = check(path, WHOLE_FILE_HDF5, force, &place);

    if (st == ST_OK && !check_name(fd, from))
        st = ST_EIO;
    if (st != ST_OK) {
        free(place.target);
        return st;
    }
    if (place.exists)
        (void)fchmod(fd, place.mode & 0777); /* some file systems have no modes */
    if (tmp_file_rename(from, place.target, force))
        whole_file_sync_folder(place.target);
    else
        st = errno == EXDEV ? copy_to(path, force, from, fd) : cannot_name(path);
    free(place.target);
    return st;
}

status_t whole_file_close(whole_file_t *f, status_t st)
{
    if (f == NULL)
        return st;
    if (st == ST_OK)
        st = whole_file_publish(f);
    else if (f->is_published)
        unlink(f->target);
    destroy(f);
    return st;
}
