/*
 * test_choice_cache.c - texts are found again by their keys, and old ones make room.
 */
#include "tests/support/unit_test.h"

#include "io/store/choice_cache.h"
#include "tests/support/captured_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char path[PATH_BYTES];

static int begin(void **state)
{
    int failed = dir_make(state);

    dir_file("algorithms", path);
    return failed != 0 ? failed : setenv("RIBOGRID_CACHE", dir, 1);
}

static int forget(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

/* @param expected  NULL: there is none */
static void assert_text(const char *key, const char *expected)
{
    buf_t text = {0};

    assert_int_equal(choice_cache_get("algorithms", key, &text), ST_OK);
    assert_int_equal(text.len, expected == NULL ? 0 : strlen(expected) + 1);
    if (expected != NULL)
        assert_string_equal((const char *)text.data, expected);
    buf_free(&text);
}

static void a_text_is_found_by_its_key(void **state)
{
    (void)state;
    assert_text("one", NULL);
    choice_cache_put("algorithms", "one", "first\nsecond\n");
    choice_cache_put("algorithms", "other", "third\n");
    assert_text("one", "first\nsecond\n");
    assert_text("other", "third\n");
    assert_text("on", NULL);
    assert_text("first", NULL);
    choice_cache_put("algorithms", "one", "new\n");
    assert_text("one", "new\n");
    assert_text("other", "third\n");
}

static void old_texts_make_room(void **state)
{
    enum { BYTES = 100 << 10 };
    char *text = malloc(BYTES + 1);
    size_t len;

    (void)state;
    assert_non_null(text);
    memset(text, 'x', BYTES);
    memcpy(text + BYTES - 1, "\n", 2);
    choice_cache_put("algorithms", "1", text);
    choice_cache_put("algorithms", "2", text);
    choice_cache_put("algorithms", "3", text);
    choice_cache_put("algorithms", "4", "last\n");
    assert_text("1", NULL);
    assert_text("2", text);
    assert_text("3", text);
    assert_text("4", "last\n");
    free(dir_get(path, &len));
    assert_in_range(len, 2 * BYTES, 2 * BYTES + 200);
    free(text);
}

static void a_damaged_file_does_no_harm(void **state)
{
    static const char *const files[] = {"",           "\n\n",           "\n\n\n\nx",
                                        "0000 one\n", "one\nfirst\n\n", "\0\0\n\n\0"};

    (void)state;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        dir_put(path, files[i], i == 5 ? 5 : strlen(files[i]));
        assert_text("one", NULL);
        choice_cache_put("algorithms", "one", "first\n");
        assert_text("one", "first\n");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_text_is_found_by_its_key, forget),
        cmocka_unit_test_teardown(old_texts_make_room, forget),
        cmocka_unit_test_teardown(a_damaged_file_does_no_harm, forget),
    };

    return cmocka_run_group_tests(tests, begin, dir_remove);
}
