/*
 * fuzz_trial_cache.c - libFuzzer target: arbitrary bytes as the cache of trials, in which
 * an entry is looked up, stored, and found.
 */
#include "io/store/trial_cache.h"
#include "tests/support/fuzz_file.h"

#include <string.h>

static char folder[64], path[80];

static void remove_folder(void)
{
    unlink(path);
    rmdir(folder);
}

static void make_folder(void)
{
    snprintf(folder, sizeof(folder), "%s/fuzz_trial_cache.XXXXXX", fuzz_folder());
    if (mkdtemp(folder) == NULL || setenv("RIBOGRID_CACHE", folder, 1) != 0)
        abort();
    snprintf(path, sizeof(path), "%s/kernels", folder);
    atexit(remove_folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const trial_entry_t stored = {.kernel = "simd", .cells_per_s = 2e9};
    trial_entry_t found;
    trial_cache_t *cache;
    FILE *file;

    if (folder[0] == '\0')
        make_folder();
    if ((file = fopen(path, "wb")) == NULL || fwrite(data, 1, len, file) != len ||
        fclose(file) != 0 || trial_cache_create("fuzz", &cache) != ST_OK)
        abort();
    fuzz_quiet();
    if (trial_cache_get(cache, "a key", &found) && !(found.cells_per_s > 0))
        abort();
    trial_cache_put(cache, "a key", &stored);
    fuzz_loud();
    if (!trial_cache_get(cache, "a key", &found) || strcmp(found.kernel, "simd") != 0)
        abort();
    trial_cache_destroy(cache);
    return 0;
}
