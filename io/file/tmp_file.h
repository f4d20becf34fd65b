/*
 * tmp_file.h - files that get their name when they are complete.
 *
 * They are new files of this process: nothing that exists is opened, and no link is
 * followed.  Until then they have no name (O_TMPFILE), so that not even kill -9 leaves
 * them.  File systems without that, such as NFS, have them under PATH.tmp-RANDOM, also
 * while one replaces another: a signal that ends the program removes it, unless it is
 * handled otherwise; kill -9 leaves it.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/*
 * Create a file, open for reading and writing.
 *
 * @param target  its name later
 * @param mode    without the bits of the umask
 * @param name    out: its temporary name, or NULL: it has none; the caller passes it to
 *                tmp_file_publish, tmp_file_forget or tmp_file_remove
 * @return the descriptor, or -1 with errno
 */
int tmp_file_create(const char *target, mode_t mode, char **name);

/*
 * Give the file its name.
 *
 * @param name   in, out: as of tmp_file_create; NULL after success
 * @param force  replace what has that name
 * @return whether it succeeded, else errno (EEXIST: without force)
 */
bool tmp_file_publish(int fd, char **name, const char *target, bool force);

/* Give any file another name, as tmp_file_publish does. */
bool tmp_file_rename(const char *from, const char *to, bool force);

/* It is no temporary file any more.  Frees the name; takes NULL. */
void tmp_file_forget(char *name);

/* Remove the file, if it has a name.  Frees the name; takes NULL. */
void tmp_file_remove(char *name);

/* Before fork(): the parent's tmp_file_remove_all also removes the child's files. */
void tmp_file_share(void);

/* Remove all temporary files; async-signal-safe. */
void tmp_file_remove_all(void);
