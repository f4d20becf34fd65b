/*
 * test_trial_cache.c - the next run knows the result of a trial; a bad cache does no
 * harm.
 */
#include "tests/support/unit_test.h"

#include "tests/kernels/align/engine/trial_backends.h"

static void a_cached_result_saves_the_trial(void **state)
{
    seqset_t *set = set_of(60, 100);
    trial_outcome_t first, again;
    int n;

    (void)state;
    assert_int_equal(try(slow_and_quick, set, EMIT_SCORE, "1", &first), ST_OK);
    n = n_calls;
    assert_true(n > 0);
    assert_int_equal(try(slow_and_quick, set, EMIT_SCORE, "1", &again), ST_OK);
    assert_int_equal(n_calls, n);
    assert_ptr_equal(again.best[TRIAL_SHORT], &quick);
    assert_float_equal(again.cells_per_s[TRIAL_SHORT] / first.cells_per_s[TRIAL_SHORT], 1,
                       1e-3);
    assert_int_equal(try(slow_and_quick, set, EMIT_IDENTITY, "1", &again), ST_OK);
    assert_true(n_calls > n); /* another key */
    n = n_calls;
    assert_int_equal(try(slow_and_quick, set, EMIT_SCORE, "2", &again), ST_OK);
    assert_true(n_calls > n); /* another version */
    seqset_destroy(set);
}

static void an_entry_that_names_no_existing_backend_is_ignored(void **state)
{
    static const backend_t *const table[] = {&quick.base, NULL};
    seqset_t *set = set_of(60, 100);
    trial_cache_t *cache;
    trial_entry_t entry = {"quick", 1e9};
    trial_outcome_t out;

    (void)state;
    assert_int_equal(trial_cache_create("1", &cache), ST_OK);
    assert_false(trial_cache_get(cache, "a key", &entry));
    trial_cache_put(cache, "a key", &entry);
    entry = (trial_entry_t){"none", 2e9};
    trial_cache_put(cache, "a key", &entry); /* replaces the first */
    assert_true(trial_cache_get(cache, "a key", &entry));
    assert_string_equal(entry.kernel, "none");
    assert_false(trial_cache_get(cache, "a ke", &entry));
    assert_false(trial_cache_get(cache, "a key ", &entry));
    trial_cache_destroy(cache);
    assert_int_equal(try(table, set, EMIT_SCORE, "1", &out), ST_OK);
    assert_ptr_equal(out.best[TRIAL_SHORT], &quick);
    seqset_destroy(set);
}

static void an_unwritable_cache_is_no_error(void **state)
{
    static const char *const places[] = {"/proc/no/such", "/dev/null/x", ""};
    seqset_t *set = set_of(60, 100);
    trial_outcome_t out;

    (void)state;
    setenv("XDG_CACHE_HOME", "not/absolute", 1);
    setenv("HOME", "", 1);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        setenv("RIBOGRID_CACHE", places[i], 1);
        for (int run = 0; run < 2; run++) {
            n_calls = 0;
            assert_int_equal(try(slow_and_quick, set, EMIT_SCORE, "1", &out), ST_OK);
            assert_ptr_equal(out.best[TRIAL_SHORT], &quick);
            assert_true(n_calls > 0);
        }
    }
    seqset_destroy(set);
}

static void missing_directories_are_created(void **state)
{
    const char *const parts[] = {"/.cache/ribogrid/kernels", "/.cache/ribogrid",
                                 "/.cache"};
    trial_entry_t entry = {"quick", 1e9}, got;
    trial_cache_t *cache;
    char path[128];

    (void)state;
    unsetenv("RIBOGRID_CACHE");
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", dir, 1);
    assert_int_equal(trial_cache_create("1", &cache), ST_OK);
    trial_cache_put(cache, "key", &entry);
    assert_true(trial_cache_get(cache, "key", &got));
    trial_cache_destroy(cache);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        snprintf(path, sizeof(path), "%s%s", dir, parts[i]);
        assert_int_equal(remove(path), 0); /* fails if anything else is there */
    }
}

/* @return what the kernel calls the file: its type and permissions */
static mode_t mode_of(const char *path)
{
    struct stat info;

    assert_int_equal(lstat(path, &info), 0);
    return info.st_mode;
}

/* A pipe would never answer, and is not replaced; a link is not followed. */
static void what_is_no_regular_file_is_left_alone(void **state)
{
    char path[128], target[160];
    trial_cache_t *cache;
    trial_entry_t entry = {"quick", 1e9};

    (void)state;
    file_path(path);
    snprintf(target, sizeof(target), "%s.target", path);
    assert_int_equal(trial_cache_create("1", &cache), ST_OK);
    for (int is_link = 0; is_link < 2; is_link++) {
        assert_int_equal(is_link ? symlink(target, path) : mkfifo(path, 0600), 0);
        assert_false(trial_cache_get(cache, "key", &entry));
        trial_cache_put(cache, "key", &entry);
        assert_true(is_link ? S_ISLNK(mode_of(path)) : S_ISFIFO(mode_of(path)));
        assert_int_equal(access(target, F_OK), -1);
        unlink(path);
    }
    trial_cache_put(cache, "key", &entry);
    assert_true(trial_cache_get(cache, "key", &entry));
    trial_cache_destroy(cache);
}

static void write_garbage(const char *text, size_t len)
{
    char path[128];
    FILE *file;

    file_path(path);
    assert_non_null(file = fopen(path, "w"));
    assert_int_equal(fwrite(text, 1, len, file), len);
    fclose(file);
}

static void garbage_in_the_cache_is_ignored(void **state)
{
    static const char garbage[] = "\n\t\t\t\nx\0y\nzz\tkey\tquick\t1e9\n\tkey\tquick\t1\n"
                                  "0\tkey\tquick\tnan\n0\tkey\tquick\t-1\n0\tkey\tquick\t"
                                  "1e9x\n0\tkey\tquick\n0\tkey\t\t1\n0\tkey\tquick\t1e9";
    char *noise = calloc(1, 400000);
    rng_t rng = rng_seed(1);
    seqset_t *set = set_of(60, 100);
    trial_outcome_t out;

    (void)state;
    assert_non_null(noise);
    for (int i = 0; i < 400000; i++)
        noise[i] = (char)rng_below(&rng, 256);
    for (int k = 0; k < 3; k++) {
        if (k < 2)
            write_garbage(k == 0 ? garbage : noise, k == 0 ? sizeof(garbage) : 400000);
        else
            write_garbage("", 0);
        n_calls = 0;
        assert_int_equal(try(slow_and_quick, set, EMIT_SCORE, "1", &out), ST_OK);
        assert_true(n_calls > 0);
        n_calls = 0;
        assert_int_equal(try(slow_and_quick, set, EMIT_SCORE, "1", &out), ST_OK);
        assert_ptr_equal(out.best[TRIAL_SHORT], &quick);
        assert_int_equal(n_calls, 0); /* the garbage was replaced */
    }
    free(noise);
    seqset_destroy(set);
}

static void the_cache_keeps_only_the_newest_entries(void **state)
{
    trial_entry_t entry = {"quick", 1e9};
    trial_cache_t *cache;
    char key[16];

    (void)state;
    assert_int_equal(trial_cache_create("1", &cache), ST_OK);
    for (int i = 0; i < 230; i++) {
        snprintf(key, sizeof(key), "key %d", i);
        trial_cache_put(cache, key, &entry);
    }
    assert_true(trial_cache_get(cache, "key 229", &entry));
    assert_true(trial_cache_get(cache, "key 30", &entry));
    assert_false(trial_cache_get(cache, "key 29", &entry));
    trial_cache_destroy(cache);
}

static void a_key_with_the_names_of_many_backends_is_found_again(void **state)
{
    trial_cache_t *cache;
    trial_entry_t entry = {"quick", 1e9};
    char key[1201];

    (void)state;
    memset(key, 'k', sizeof(key) - 1);
    key[sizeof(key) - 1] = '\0';
    assert_int_equal(trial_cache_create("1", &cache), ST_OK);
    trial_cache_put(cache, key, &entry);
    assert_true(trial_cache_get(cache, key, &entry));
    trial_cache_destroy(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_cached_result_saves_the_trial),
        TEST(an_entry_that_names_no_existing_backend_is_ignored),
        TEST(an_unwritable_cache_is_no_error),
        TEST(missing_directories_are_created),
        TEST(what_is_no_regular_file_is_left_alone),
        TEST(garbage_in_the_cache_is_ignored),
        TEST(the_cache_keeps_only_the_newest_entries),
        TEST(a_key_with_the_names_of_many_backends_is_found_again),
    };

    return cmocka_run_group_tests(tests, make_ready, clean_up);
}
