/*
 * fuzz_replay_main.c - runs a fuzz target once on every file of the given folders:
 * fuzz_replay fuzz_fasta FOLDER...
 *
 * This makes a corpus a regression test where libFuzzer is missing.  With
 * RIBOGRID_FUZZ_RUNS=N each file is followed by N mutants of it, the same in every run;
 * one that takes 20 s ends the program, and the last one is left in the file
 * RIBOGRID_FUZZ_MUTANT if that is set.
 */
#include "io/base/rng.h"

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* FUZZ_TARGETS is a file of lines FUZZ_TARGET(name), which CMake writes. */
#define FUZZ_TARGET(name) int name(const uint8_t *data, size_t len);
#include FUZZ_TARGETS
#undef FUZZ_TARGET

static const struct {
    const char *name;
    int (*run)(const uint8_t *data, size_t len);
} targets[] = {
#define FUZZ_TARGET(name) {#name, name},
#include FUZZ_TARGETS
#undef FUZZ_TARGET
};

/* The one that runs. */
static int (*run)(const uint8_t *data, size_t len);

enum { PATH_BYTES = 4096, MUTANT_SECONDS = 20, EDITS_MAX = 4, GROWTH_MAX = 256 };

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

/* What readers of numbers, lines and fields may stumble over. */
static const char *const words[] = {
    "-1",
    "0",
    "nan",
    "inf",
    "1e999",
    "2147483648",
    "9223372036854775807",
    "18446744073709551616",
    "\n",
    "\r\n",
    "\t",
    " ",
    ">",
    ";",
    "%",
    "\"",
    "\xff",
    "0x1p9",
};

/* Edit a text once, in room for more of it. @return its new length */
static size_t edit(rng_t *rng, uint8_t *text, size_t len, size_t capacity)
{
    const char *word = words[rng_below(rng, sizeof(words) / sizeof(words[0]))];
    const size_t word_len = strlen(word);
    size_t at = rng_below(rng, len + 1), n = rng_below(rng, len - at + 1);

    n = n < GROWTH_MAX ? n : GROWTH_MAX;
    switch (rng_below(rng, 5)) {
    case 0: /* change a byte */
        if (at < len)
            text[at] = (uint8_t)rng_next(rng);
        return len;
    case 1: /* leave out */
        memmove(text + at, text + at + n, len - at - n);
        return len - n;
    case 2: /* repeat */
        if (len + n > capacity)
            return len;
        memmove(text + at + n, text + at, len - at);
        return len + n;
    case 3: /* end early */
        return at;
    default:
        if (len + word_len > capacity)
            return len;
        memmove(text + at + word_len, text + at, len - at);
        memcpy(text + at, word, word_len);
        return len + word_len;
    }
}

static void keep(const uint8_t *text, size_t len)
{
    const char *path = getenv("RIBOGRID_FUZZ_MUTANT");
    FILE *to = path != NULL ? fopen(path, "wb") : NULL;

    if (to == NULL)
        return;
    fwrite(text, 1, len, to);
    fclose(to);
}

static void mutate(const uint8_t *data, size_t len)
{
    const char *text = getenv("RIBOGRID_FUZZ_RUNS");
    const long n = text != NULL ? strtol(text, NULL, 10) : 0;
    const size_t capacity = len + EDITS_MAX * GROWTH_MAX;
    rng_t rng = rng_seed(len);
    uint8_t *mutant = malloc(capacity);

    for (long i = 0; mutant != NULL && i < n; i++) {
        size_t mutant_len = len;

        memcpy(mutant, data, len);
        for (uint64_t k = 1 + rng_below(&rng, EDITS_MAX); k > 0; k--)
            mutant_len = edit(&rng, mutant, mutant_len, capacity);
        keep(mutant, mutant_len);
        alarm(MUTANT_SECONDS);
        run(mutant, mutant_len);
    }
    alarm(0);
    free(mutant);
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
        run(data, len);
        mutate(data, len);
        free(data);
        n++;
    }
    closedir(dir);
    return n;
}

int main(int argc, char **argv)
{
    int n_all = 0;

    for (size_t i = 0; argc > 1 && i < sizeof(targets) / sizeof(targets[0]); i++)
        if (strcmp(argv[1], targets[i].name) == 0)
            run = targets[i].run;
    if (run == NULL) {
        fprintf(stderr, "usage: %s TARGET FOLDER...\n", argv[0]);
        return EXIT_FAILURE;
    }
    for (int i = 2; i < argc; i++) {
        int n = replay(argv[i]);

        printf("%s: %d files replayed\n", argv[i], n);
        if (n == 0)
            return EXIT_FAILURE;
        n_all += n;
    }
    return n_all > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
