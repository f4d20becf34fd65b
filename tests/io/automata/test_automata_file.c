/*
 * test_automata_file.c - automata and matches as HDF5 files, and what is no automaton.
 */
#include "tests/support/unit_test.h"

#include "io/automata/automata_file.h"
#include "io/automata/dfa_dot.h"
#include "io/automata/match_file.h"
#include "io/hdf5/h5util.h"
#include "tests/support/captured_log.h"
#include "tests/support/made_patterns.h"

/* "ab" as a group of three states, and "c+" without one. Classes: a, b, others. */
typedef struct {
    automata_t a;
    int32_t group[2], n_classes[1], middle[1], next[9], output[3], live[2], listed[1];
    int64_t first_state[2], first_live[4], first_listed[3];
    uint8_t class_of[256];
    int32_t *pattern_of;
} made_t;

static made_t m;

static const run_info_t run_info = {.program = "ribogrid",
                                    .command = "ribogrid automata",
                                    .input = "patterns",
                                    .started = "2026-01-31T12:00:00Z",
                                    .finished = "2026-01-31T12:00:01Z",
                                    .ranks = 1,
                                    .devices = "rank=0"};

static int make(void **state)
{
    static const char *const texts[] = {"ab", "c+", NULL};

    (void)state;
    m = (made_t){.group = {0, -1},
                 .n_classes = {3},
                 .next = {0, 1, 0, 0, 1, 2, 0, 1, 0},
                 .output = {0, 0, 1},
                 .live = {0, 1},
                 .listed = {dfa_listed(0, false)},
                 .first_state = {0, 3},
                 .first_live = {0, 0, 1, 2},
                 .first_listed = {0, 0, 1}};
    m.class_of['a'] = 1;
    m.class_of['b'] = 2;
    m.a.nfa = made_patterns(texts);
    m.a.job = (char *)(uintptr_t) "job=automata build\n";
    m.a.dfas = (dfa_set_t){.n_patterns = 2,
                           .n_groups = 1,
                           .n_states = 3,
                           .n_cells = 9,
                           .n_live = 2,
                           .n_outputs = 2,
                           .n_listed = 1,
                           .group = m.group,
                           .class_of = m.class_of,
                           .n_classes = m.n_classes,
                           .middle = m.middle,
                           .first_state = m.first_state,
                           .next = m.next,
                           .output = m.output,
                           .first_live = m.first_live,
                           .live = m.live,
                           .first_listed = m.first_listed,
                           .listed = m.listed};
    return nfa_list_patterns(&m.a.nfa, &m.pattern_of) == ST_OK ? 0 : -1;
}

static int unmake(void **state)
{
    (void)state;
    free(m.pattern_of);
    nfa_free(&m.a.nfa);
    return 0;
}

static const char *misfit(void)
{
    return dfa_set_misfit(&m.a.dfas, &m.a.nfa, 0, m.pattern_of);
}

static void automata_of_a_file_are_checked(void **state)
{
    (void)state;
    assert_null(misfit());
#define REFUSED(member, value)        \
    do {                              \
        const int32_t was = m.member; \
                                      \
        m.member = value;             \
        assert_non_null(misfit());    \
        m.member = was;               \
        assert_null(misfit());        \
    } while (0)
    REFUSED(group[1], 1);
    REFUSED(group[1], -2);
    REFUSED(n_classes[0], 2);
    REFUSED(n_classes[0], 257);
    REFUSED(middle[0], 3);
    REFUSED(middle[0], -2);
    REFUSED(next[4], 3);
    REFUSED(next[4], -1);
    REFUSED(output[1], 2);
    REFUSED(live[1], 2); /* of the pattern without a group */
    REFUSED(live[1], 3);
    REFUSED(listed[0], dfa_listed(2, false));
#undef REFUSED
    m.class_of['x'] = 3;
    assert_non_null(misfit());
}

/* State 1 has its default's transitions but for that with b, and state 2 all of them. */
static void defaults_of_a_file_are_checked(void **state)
{
    int32_t fallback[] = {-1, 0, 0}, next[] = {0, 1, 0, 2};
    int64_t first_cell[] = {0, 3, 4, 4};
    uint8_t cell_class[] = {0, 1, 2, 2};
    dfa_set_t *d = &m.a.dfas;

    (void)state;
    d->next = next;
    d->n_cells = 4;
    assert_non_null(misfit()); /* of whole rows there are nine */
    d->fallback = fallback;
    d->first_cell = first_cell;
    assert_non_null(misfit());
    d->cell_class = cell_class;
    assert_null(misfit());
#define REFUSED(cell, value)          \
    do {                              \
        const int64_t was = cell;     \
                                      \
        cell = value;                 \
        assert_non_null(misfit());    \
        cell = (__typeof__(cell))was; \
        assert_null(misfit());        \
    } while (0)
    REFUSED(fallback[0], 0);  /* for ever */
    REFUSED(fallback[1], 2);  /* a later one */
    REFUSED(fallback[1], -1); /* without a whole row */
    REFUSED(fallback[1], -2);
    REFUSED(cell_class[0], 1);
    REFUSED(cell_class[3], 3);
    REFUSED(first_cell[1], 2);
    REFUSED(first_cell[1], 5);
    REFUSED(first_cell[3], 3);
    REFUSED(next[3], 3);
#undef REFUSED
}

static void positions_of_a_file_are_checked(void **state)
{
    nfa_t *nfa = &m.a.nfa;

    (void)state;
    assert_null(nfa_misfit(nfa));
    nfa->next[0] = 2; /* of another pattern */
    assert_non_null(nfa_misfit(nfa));
    nfa->next[0] = 1;
    nfa->role[0] = NFA_ROLES + 1;
    assert_non_null(nfa_misfit(nfa));
    nfa->role[0] = NFA_STARTS;
    nfa->first[1] = 4;
    assert_non_null(nfa_misfit(nfa));
}

static void what_was_written_is_read(void **state)
{
    char path[PATH_BYTES];
    automata_t a;

    (void)state;
    dir_file("automata.h5", path);
    h5util_init();
    assert_int_equal(automata_file_write(path, false, &m.a, &run_info, NULL), ST_OK);
    assert_int_equal(automata_file_read(path, &a), ST_OK);
    assert_int_equal(arrays_digest(&automata_arrays, 1, &a),
                     arrays_digest(&automata_arrays, 1, &m.a));
    assert_string_equal(a.job, m.a.job);
    automata_free(&a);
    m.next[0] = 3;
    assert_int_equal(automata_file_write(path, true, &m.a, &run_info, NULL), ST_OK);
    capture_start();
    assert_int_equal(automata_file_read(path, &a), ST_EINPUT);
    capture_stop();
    assert_logged("a state leads to an unknown one");
    unlink(path);
}

/* Write a file in two pieces. */
static void write_matches(const char *path, const match_file_t *all)
{
    match_file_t first = *all, rest = *all;
    match_writer_t *w = NULL;

    first.n_hits = all->n_hits / 2;
    rest.n_hits -= first.n_hits;
    rest.end += first.n_hits;
    rest.hit += first.n_hits;
    if (all->record != NULL)
        rest.record += first.n_hits;
    assert_int_equal(match_writer_open(path, true, all, all->record != NULL, NULL, &w),
                     ST_OK);
    assert_int_equal(match_writer_add(w, &first), ST_OK);
    assert_int_equal(match_writer_add(w, &rest), ST_OK);
    assert_int_equal(match_writer_close(w, ST_OK), ST_OK);
}

static void matches_are_written_and_read_in_order(void **state)
{
    char *names[] = {"ab", "c+"};
    int64_t end[] = {4, 4, 2}, record[] = {0, 0, 3};
    int32_t hit[] = {0, 1, 0};
    match_file_t matches = {.n_patterns = 2,
                            .n_hits = 3,
                            .pattern = names,
                            .record = record,
                            .end = end,
                            .hit = hit,
                            .job = "job=automata match\n",
                            .info = run_info};
    char path[PATH_BYTES];
    const match_file_t *head = NULL, *block = NULL;
    match_reader_t *r = NULL;

    (void)state;
    dir_file("matches.h5", path);
    h5util_init();
    write_matches(path, &matches);
    assert_int_equal(match_reader_open(path, &r, &head), ST_OK);
    assert_int_equal(head->n_hits, 3);
    assert_string_equal(head->pattern[1], "c+");
    assert_int_equal(match_reader_next(r, &block), ST_OK);
    assert_int_equal(block->n_hits, 3);
    assert_memory_equal(block->end, end, sizeof(end));
    assert_memory_equal(block->record, record, sizeof(record));
    assert_memory_equal(block->hit, hit, sizeof(hit));
    assert_int_equal(match_reader_next(r, &block), ST_OK);
    assert_int_equal(block->n_hits, 0);
    match_reader_close(r);
    hit[1] = 0; /* twice */
    write_matches(path, &matches);
    assert_int_equal(match_reader_open(path, &r, &head), ST_OK);
    capture_start();
    assert_int_equal(match_reader_next(r, &block), ST_EINPUT);
    capture_stop();
    assert_logged("matches do not ascend at match 2");
    match_reader_close(r);
    matches.record = NULL;
    matches.n_hits = 0;
    write_matches(path, &matches);
    assert_int_equal(match_reader_open(path, &r, &head), ST_OK);
    assert_int_equal(match_reader_next(r, &block), ST_OK);
    assert_int_equal(block->n_hits, 0);
    assert_null(block->record);
    match_reader_close(r);
    unlink(path);
}

/* More than a block: the order and values count over its end. */
static void matches_are_read_in_blocks(void **state)
{
    enum { N = (1 << 16) + 2 };
    static int64_t end[N];
    static int32_t hit[N];
    char *names[] = {"ab"};
    match_file_t matches = {.n_patterns = 1,
                            .n_hits = N,
                            .pattern = names,
                            .end = end,
                            .hit = hit,
                            .job = "job=automata match\n",
                            .info = run_info};
    const match_file_t *head = NULL, *block = NULL;
    match_reader_t *r = NULL;
    char path[PATH_BYTES];

    (void)state;
    dir_file("matches.h5", path);
    h5util_init();
    for (int k = 0; k < N; k++)
        end[k] = k + 1;
    for (int bad = 0; bad < 3; bad++) {
        if (bad == 1)
            hit[N - 1] = 1;
        if (bad == 2)
            end[N - 2] = end[N - 3];
        write_matches(path, &matches);
        assert_int_equal(match_reader_open(path, &r, &head), ST_OK);
        assert_int_equal(match_reader_next(r, &block), ST_OK);
        assert_int_equal(block->end[block->n_hits - 1], 1 << 16);
        capture_start();
        assert_int_equal(match_reader_next(r, &block), bad > 0 ? ST_EINPUT : ST_OK);
        capture_stop();
        if (bad == 1)
            assert_logged("leads to a pattern that does not exist at value 65538");
        if (bad == 2)
            assert_logged("matches do not ascend at match 65537");
        hit[N - 1] = 0;
        match_reader_close(r);
    }
    unlink(path);
}

static void arrows_of_a_graph_have_bytes(void **state)
{
    char *text = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);

    (void)state;
    assert_non_null(to);
    dfa_dot_print(&m.a.dfas, &m.a.nfa, to);
    fclose(to);
    assert_non_null(strstr(text, "g0_0 -> g0_1 [label=\"a\"];"));
    assert_non_null(strstr(text, "g0_1 -> g0_2 [label=\"b\"];"));
    assert_non_null(strstr(text, "g0_2 [label=\"2\\nab\" shape=doublecircle];"));
    assert_null(strstr(text, "-> g0_0"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(automata_of_a_file_are_checked, make, unmake),
        cmocka_unit_test_setup_teardown(defaults_of_a_file_are_checked, make, unmake),
        cmocka_unit_test_setup_teardown(positions_of_a_file_are_checked, make, unmake),
        cmocka_unit_test_setup_teardown(what_was_written_is_read, make, unmake),
        cmocka_unit_test(matches_are_written_and_read_in_order),
        cmocka_unit_test(matches_are_read_in_blocks),
        cmocka_unit_test_setup_teardown(arrows_of_a_graph_have_bytes, make, unmake),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
