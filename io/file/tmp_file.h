/*
 * tmp_file.h - temporary files beside the files that they will replace: PATH.tmp-RANDOM.
 *
 * They are new files of this process: nothing that exists is opened, and no link is
 * followed.  A signal that ends the program removes them, unless it is handled otherwise;
 * kill -9 leaves them.
 */
#pragma once

#include <sys/types.h>

/*
 * Create a temporary file, open for reading and writing.
 *
 * @param target  the file to replace later
 * @param mode    of the new file, without the bits of the umask
 * @param path    out: the caller passes it to tmp_file_forget or tmp_file_remove
 * @return the descriptor, or -1 with errno
 */
int tmp_file_create(const char *target, mode_t mode, char **path);

/* The file was renamed: it is no temporary file any more.  Frees the path. */
void tmp_file_forget(char *path);

/* Remove the file, if it is there.  Frees the path; takes NULL. */
void tmp_file_remove(char *path);

/* Before fork(): the parent's tmp_file_remove_all also removes the child's files. */
void tmp_file_share(void);

/* Remove all temporary files; async-signal-safe. */
void tmp_file_remove_all(void);
