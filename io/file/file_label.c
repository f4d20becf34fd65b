/*
 * file_label.c - the extended attribute "user.ribogrid.job".
 */
#include "io/file/file_label.h"

#include <string.h>
#include <sys/xattr.h>

static const char attribute[] = "user.ribogrid.job";

bool file_label_write(int fd, const char *text)
{
    return fsetxattr(fd, attribute, text, strlen(text), 0) == 0;
}

status_t file_label_read(const char *path, buf_t *out)
{
    char text[4096]; /* more than common file systems keep */
    const ssize_t len = getxattr(path, attribute, text, sizeof(text));
    status_t st;

    if (len <= 0)
        return ST_OK;
    st = buf_append(out, text, (size_t)len);
    return st == ST_OK ? buf_append(out, "", 1) : st;
}
