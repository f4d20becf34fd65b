/*
 * unit_main.c - runs one of the unit tests of a folder, which are one program because
 * linking each would take longer than running most: unit_io test_fasta.
 *
 * UNIT_TESTS is a file of lines UNIT_TEST(name), which CMake writes; the `main` of such a
 * test has been renamed to name_main.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNIT_TEST(name) int name##_main(void);
#include UNIT_TESTS
#undef UNIT_TEST

static const struct {
    const char *name;
    int (*run)(void);
} tests[] = {
#define UNIT_TEST(name) {#name, name##_main},
#include UNIT_TESTS
#undef UNIT_TEST
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof(tests) / sizeof(tests[0]); i++)
        if (strcmp(argv[1], tests[i].name) == 0)
            return tests[i].run();
    fprintf(stderr, "usage: %s TEST\n", argv[0]);
    return EXIT_FAILURE;
}
