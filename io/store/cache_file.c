/*
 * cache_file.c - a file that is read as a whole, and replaced atomically.
 */
#include "io/store/cache_file.h"

#include "io/base/digest.h"
#include "io/base/logmsg.h"
#include "io/file/tmp_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *cache_file_path(const char *name)
{
    const char *own = getenv("RIBOGRID_CACHE"), *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    char *path = NULL;
    int len = 0;

    if (own != NULL && own[0] != '\0')
        len = asprintf(&path, "%s/%s", own, name);
    else if (xdg != NULL && xdg[0] == '/')
        len = asprintf(&path, "%s/ribogrid/%s", xdg, name);
    else if (home != NULL && home[0] == '/')
        len = asprintf(&path, "%s/.cache/ribogrid/%s", home, name);
    return len > 0 ? path : NULL;
}

/* Create the missing directories of a path, which is restored. */
static void make_directories(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0777); /* if it fails, the file cannot be created */
        *slash = '/';
    }
}

char *cache_file_folder(void)
{
    char *path = cache_file_path("");

    if (path != NULL)
        make_directories(path);
    return path;
}

uint64_t cache_file_build(const char *version)
{
    uint64_t digest = digest_add(DIGEST_START, version, strlen(version));
    struct stat program;

    if (stat("/proc/self/exe", &program) == 0) {
        digest = digest_add(digest, &program.st_size, sizeof(program.st_size));
        digest = digest_add(digest, &program.st_mtim, sizeof(program.st_mtim));
    }
    return digest;
}

status_t cache_file_read(const char *path, buf_t *out, bool *is_ours)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    status_t st = ST_OK;
    struct stat info;
    ssize_t n = 1;

    *is_ours = fd >= 0 || lstat(path, &info) != 0 || S_ISREG(info.st_mode);
    if (fd < 0)
        return st;
    *is_ours = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    if (*is_ours && (st = buf_reserve(out, CACHE_FILE_MAX_BYTES)) == ST_OK)
        while (n > 0 && out->len < CACHE_FILE_MAX_BYTES) {
            n = read(fd, out->data + out->len, CACHE_FILE_MAX_BYTES - out->len);
            out->len += n > 0 ? (size_t)n : 0;
        }
    close(fd);
    return st;
}

/* @return whether it succeeded, else errno */
static bool replace(char *path, const buf_t *text)
{
    char *tmp;
    int fd, error;
    bool good;

    make_directories(path);
    if ((fd = tmp_file_create(path, 0600, &tmp)) < 0)
        return false;
    errno = 0;
    good = write(fd, text->data, text->len) == (ssize_t)text->len &&
           tmp_file_publish(fd, &tmp, path, true);
    error = errno != 0 ? errno : ENOSPC;
    close(fd);
    tmp_file_remove(tmp);
    errno = error;
    return good;
}

static void warn_once(const char *path)
{
    static bool was_said;

    if (!was_said)
        log_warn("%s is not a regular file: what this run measures is not kept; remove "
                 "it, or set RIBOGRID_CACHE to another folder",
                 path);
    was_said = true;
}

void cache_file_replace(char *path, const buf_t *text, bool is_ours)
{
    if (!is_ours)
        warn_once(path);
    else if (!replace(path, text))
        log_verbose("%s: cannot write: %s; the next run will measure again", path,
                    strerror(errno));
}
