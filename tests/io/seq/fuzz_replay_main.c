/*
 * fuzz_replay_main.c - runs a fuzz target once on every file of the given folders.
 *
 * This makes a corpus a regression test where libFuzzer is missing.
 */
#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { PATH_BYTES = 4096 };

/* @return the contents of a file, or NULL if it is not a regular file or not readable */
static uint8_t *load(const char *path, size_t *len)
{
    FILE *in = NULL;
    uint8_t *data = NULL;
    struct stat info;

    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return NULL;
    if ((in = fopen(path, "rb")) == NULL)
        return NULL;
    *len = (size_t)info.st_size;
    data = malloc(*len > 0 ? *len : 1);
    if (data != NULL && fread(data, 1, *len, in) != *len) {
        free(data);
        data = NULL;
    }
    fclose(in);
    return data;
}

/* @return the number of files */
static int replay(const char *dir_path)
{
    DIR *dir = opendir(dir_path);
    struct dirent *entry;
    int n = 0;

    if (dir == NULL)
        return 0;
    while ((entry = readdir(dir)) != NULL) {
        char path[PATH_BYTES];
        size_t len = 0;
        uint8_t *data;

        snprintf(path, sizeof(path), "%s/%s", dir_path, entry->d_name);
        if ((data = load(path, &len)) == NULL)
            continue;
        LLVMFuzzerTestOneInput(data, len);
        free(data);
        n++;
    }
    closedir(dir);
    return n;
}

int main(int argc, char **argv)
{
    int n_all = 0;

    for (int i = 1; i < argc; i++) {
        int n = replay(argv[i]);

        printf("%s: %d files replayed\n", argv[i], n);
        if (n == 0)
            return EXIT_FAILURE;
        n_all += n;
    }
    return n_all > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
