/*
 * test_clades_count.c - unit tests of integral histograms against naive counts of random
 * matrices, by way of records and of a file.
 */
#include "tests/support/unit_test.h"

#include "graph/clades/clades_ask.h"
#include "graph/clades/clades_count.h"
#include "graph/clades/clades_plan.h"
#include "io/base/rng.h"
#include "io/base/texts.h"
#include "tests/support/captured_log.h"

enum { N = 23, BINS = 9, SIDE = 5, TAXA = 15 };

/* Rows 0 .. N-1 have these lineages in turn: two names are equal, some end early. */
static const char *const lineages[] = {"A;P;F;G", "A;P;F;H", "A;P;F",   "A;Q;F;G",
                                       "A;Q;K;L", "B;R;M;O", "B;R;M;T", "B"};
enum { N_LINEAGES = sizeof(lineages) / sizeof(*lineages) };

static const char *lineage_of(int i)
{
    return lineages[i * 5 % N_LINEAGES];
}

/* A plan, and a random matrix. */
typedef struct {
    clades_t plan;
    clades_map_t map;
    clades_pair_t pair[N][N]; /* columns = 0: without an identity */
} case_t;

static void make_plan(const char *cuts_text, clades_t *out)
{
    char names[N * 4], table[N * 32] = "", path[PATH_BYTES], *at = names, job[] = "x=1\n";
    pairs_file_t file = {.path = job, .rows.n = N, .job = job};
    taxonomy_t *t = NULL;
    clades_cuts_t cuts;

    for (int i = 0; i < N; i++) {
        at += sprintf(at, "s%d", i) + 1;
        sprintf(table + strlen(table), "s%d\t%s\n", i, lineage_of(i));
    }
    assert_int_equal(texts_copy(names, N, &file.rows.names), ST_OK);
    dir_file("table", path);
    dir_put(path, table, strlen(table));
    assert_int_equal(taxonomy_read(path, &t), ST_OK);
    unlink(path);
    assert_true(clades_cuts_parse(cuts_text, &cuts));
    assert_int_equal(clades_plan_make(&file, t, "table", &cuts, BINS, out), ST_OK);
    taxonomy_destroy(t);
    texts_free(file.rows.names);
}

static void make_case(const char *cuts, uint64_t seed, case_t *out)
{
    rng_t rng = rng_seed(seed);

    *out = (case_t){.plan.n = 0};
    make_plan(cuts, &out->plan);
    assert_int_equal(clades_map_make(&out->plan, &out->map), ST_OK);
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N; j++) {
            const int32_t columns = (int32_t)rng_below(&rng, 12);
            const int32_t matches =
                columns > 0 ? (int32_t)rng_below(&rng, (uint64_t)columns + 1) : 0;

            out->pair[i][j] = (clades_pair_t){i, j, matches, columns};
        }
}

static void free_case(case_t *c)
{
    clades_map_free(&c->map);
    clades_free(&c->plan);
}

/* Make the record of a rectangle. */
static void record_of(const case_t *c, const pairs_region_t *r, buf_t *out)
{
    clades_count_t count;

    assert_int_equal(clades_count_begin(&c->map, r, N * N, &count), ST_OK);
    for (int64_t i = r->row0; i < r->row1; i++)
        for (int64_t j = r->col0; j < r->col1; j++) {
            const clades_pair_t *p = &c->pair[i][j];

            if (i % 2 == 0) /* either way */
                clades_count_pairs(&count, p, 1);
            else
                clades_count_row(&count, i, j, 1, &p->matches, &p->columns);
        }
    assert_int_equal(clades_count_end(&count, ST_OK, out), ST_OK);
    assert_null(clades_count_check(&c->map, r, out));
}

/* Add up the records of all rectangles, and write the file. */
static void write_case(case_t *c, const char *path)
{
    clades_t *p = &c->plan;
    const int64_t row = p->n_cuts * p->n_bins;
    int64_t *count = calloc((size_t)(p->n_cuts * row), sizeof(*count));
    int64_t *before = calloc((size_t)row, sizeof(*before));
    char job[] = "job=clades\n";
    clades_writer_t *w = NULL;
    clades_t head;

    p->level_count = calloc((size_t)(p->n_levels * p->n_bins), sizeof(*p->level_count));
    p->best_matches = calloc((size_t)(p->n * p->n_levels), sizeof(*p->best_matches));
    p->best_columns = calloc((size_t)(p->n * p->n_levels), sizeof(*p->best_columns));
    for (int64_t i = 0; i < N; i += SIDE)
        for (int64_t j = i; j < N; j += SIDE) {
            const pairs_region_t r = {i, i + SIDE < N ? i + SIDE : N, j,
                                      j + SIDE < N ? j + SIDE : N};
            buf_t record = {0};
            clades_place_t place = {0};

            record_of(c, &r, &record);
            clades_count_add_levels(&c->map, &r, &record, p);
            for (int64_t first = 0; first < p->n_cuts; first += 2) { /* in strips */
                const int64_t last = first + 2 < p->n_cuts ? first + 2 : p->n_cuts;

                clades_count_add_blocks(&c->map, &r, &record, first, last, &place,
                                        count + first * row);
            }
            buf_free(&record);
        }
    head = *p;
    head.job = job;
    head.info = (run_info_t){.program = "test",
                             .command = "test",
                             .input = "test",
                             .started = "now",
                             .finished = "now",
                             .ranks = 1,
                             .devices = ""};
    assert_int_equal(clades_writer_open(path, true, &head, NULL, &w), ST_OK);
    for (int64_t a = 0; a < p->n_cuts; a++) {
        clades_count_integrate(p, a, before, count + a * row);
        assert_int_equal(clades_writer_add(w, count + a * row + a * p->n_bins,
                                           (p->n_cuts - a) * p->n_bins),
                         ST_OK);
    }
    assert_int_equal(clades_writer_close(w, ST_OK), ST_OK);
    free(count);
    free(before);
}

/* Count pairs of positions. */
static void count_naively(const case_t *c, const int64_t range[4], int64_t *count)
{
    memset(count, 0, (BINS + 1) * sizeof(*count));
    for (int64_t x = range[0]; x < range[1]; x++)
        for (int64_t y = range[2]; y < range[3]; y++) {
            const int32_t i = c->plan.row[x], j = c->plan.row[y];
            const clades_pair_t *p = i < j ? &c->pair[i][j] : &c->pair[j][i];

            if (x < y && p->columns > 0)
                count[p->matches * BINS / p->columns]++;
        }
}

/* ---- tests ---- */

static void ranges_between_all_cuts_are_counted_as_by_hand(void **state)
{
    static const char *const cuts[] = {"all", "every:3", "every:100", "1", "2", "3", "4"};
    char path[PATH_BYTES];

    (void)state;
    dir_file("c.h5", path);
    for (size_t t = 0; t < sizeof(cuts) / sizeof(*cuts); t++) {
        const clades_t *head = NULL;
        clades_file_t *f = NULL;
        case_t c;

        make_case(cuts[t], t + 1, &c);
        write_case(&c, path);
        assert_int_equal(clades_file_open(path, &f, &head), ST_OK);
        for (int64_t a = 0; a < head->n_cuts; a++)
            for (int64_t b = a + 1; b <= head->n_cuts; b++)
                for (int64_t d = b - 1; d < head->n_cuts; d = d < b ? b : d + 1)
                    for (int64_t e = d + 1; e <= head->n_cuts; e++) {
                        const bool is_within = d < b;
                        const int64_t from = is_within ? a : d, to = is_within ? b : e;
                        const int64_t range[] = {head->cut[a], head->cut[b],
                                                 head->cut[from], head->cut[to]};
                        int64_t want[BINS + 1], got[BINS + 1] = {0};

                        count_naively(&c, range, want);
                        assert_int_equal(clades_file_count(f, a, b, from, to, got),
                                         ST_OK);
                        assert_memory_equal(got, want, sizeof(want));
                        if (is_within)
                            break;
                    }
        clades_file_close(f);
        free_case(&c);
    }
    unlink(path);
}

/* @return the number of equal names, and whether the lineages go on behind them */
static int level_by_hand(const char *a, const char *b)
{
    int rank = 0;

    for (;;) {
        const size_t m = strcspn(a, ";"), n = strcspn(b, ";");

        if (*a == '\0' || *b == '\0')
            return 2 * rank + 1;
        if (m != n || strncmp(a, b, m) != 0)
            return 2 * rank;
        rank++;
        a += m + (a[m] == ';');
        b += n + (b[n] == ';');
    }
}

static void levels_are_common_names_and_have_the_highest_identity(void **state)
{
    char path[PATH_BYTES];
    int64_t count[10][BINS + 1] = {{0}};
    clades_pair_t best[N][10] = {{{0}}};
    case_t c;

    (void)state;
    dir_file("c.h5", path);
    make_case("2", 7, &c);
    write_case(&c, path);
    assert_int_equal(c.plan.n_levels, 10);
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N; j++) {
            const int level = level_by_hand(lineage_of(i), lineage_of(j));
            const clades_pair_t *p = &c.pair[i][j];

            if (p->columns == 0)
                continue;
            count[level][p->matches * BINS / p->columns]++;
            for (int k = 0; k < 2; k++) {
                clades_pair_t *b = &best[k == 0 ? i : j][level];
                const int more = p->matches * b->columns - b->matches * p->columns;

                if (b->columns == 0 || more > 0 || (more == 0 && p->columns > b->columns))
                    *b = *p;
            }
        }
    assert_memory_equal(c.plan.level_count, count, sizeof(count));
    for (int64_t p = 0; p < N; p++)
        for (int level = 0; level < 10; level++) {
            const clades_pair_t *want = &best[c.plan.row[p]][level];

            assert_int_equal(c.plan.best_matches[p * 10 + level], want->matches);
            assert_int_equal(c.plan.best_columns[p * 10 + level], want->columns);
        }
    free_case(&c);
    unlink(path);
}

static void taxa_are_ranges_and_cuts_are_their_borders(void **state)
{
    clades_t c;

    (void)state;
    make_plan("2", &c);
    assert_int_equal(c.n_taxa, TAXA + 1);
    for (int32_t t = 1; t < c.n_taxa; t++) {
        const int rank = clades_rank(&c, t);
        int n = 0;

        for (int32_t p = c.begin[t]; p < c.end[t]; p++) {
            buf_t lineage = {0};
            const char *of = lineage_of(c.row[p]);

            assert_int_equal(clades_lineage(&c, t, &lineage), ST_OK);
            assert_memory_equal(of, lineage.data, lineage.len);
            assert_true(of[lineage.len] == '\0' || of[lineage.len] == ';');
            buf_free(&lineage);
        }
        for (int32_t u = 1; u < c.n_taxa; u++)
            n += clades_rank(&c, u) == rank && c.begin[u] < c.end[t] &&
                 c.begin[t] < c.end[u];
        assert_int_equal(n, 1); /* itself */
        assert_true(rank > 2 || clades_is_cut(&c, t));
    }
    clades_free(&c);
}

static void a_name_of_two_taxa_needs_its_lineage(void **state)
{
    int32_t taxon = -1;
    clades_t c;

    (void)state;
    make_plan("2", &c);
    capture_start();
    assert_int_equal(clades_find(&c, "c.h5", "F", &taxon), ST_EINPUT);
    capture_stop();
    assert_logged("'F' is A;P;F and A;Q;F; give");
    assert_logged_one_line();
    assert_int_equal(clades_find(&c, "c.h5", "A;Q;F", &taxon), ST_OK);
    assert_string_equal(c.taxon_name[c.parent[taxon]], "Q");
    assert_int_equal(clades_find(&c, "c.h5", "L", &taxon), ST_OK);
    capture_start();
    assert_int_equal(clades_find(&c, "c.h5", "Q;F", &taxon), ST_EINPUT);
    assert_int_equal(clades_find(&c, "c.h5", "", &taxon), ST_EINPUT);
    assert_int_equal(clades_find(&c, "c.h5", "A;Q;", &taxon), ST_EINPUT);
    capture_stop();
    clades_free(&c);
}

/* Cut, longer, and with a byte changed: it is refused, or has as many pairs. */
static void records_that_no_rectangle_makes_are_refused(void **state)
{
    const pairs_region_t r = {0, 10, 10, 20};
    buf_t record = {0};
    case_t c;

    (void)state;
    make_case("all", 3, &c);
    record_of(&c, &r, &record);
    for (size_t len = 0; len < record.len; len++) {
        const buf_t cut = {record.data, len, len};

        assert_non_null(clades_count_check(&c.map, &r, &cut));
    }
    for (size_t k = 0; k < record.len; k++) {
        int64_t *count = calloc((size_t)(N * N * (BINS + 1)), sizeof(*count));
        clades_place_t place = {0};

        record.data[k] ^= 0x41;
        if (clades_count_check(&c.map, &r, &record) == NULL)
            clades_count_add_blocks(&c.map, &r, &record, 0, N, &place, count);
        record.data[k] ^= 0x41;
        free(count);
    }
    assert_int_equal(buf_append(&record, "\1\1", 2), ST_OK);
    assert_non_null(clades_count_check(&c.map, &r, &record));
    buf_free(&record);
    free_case(&c);
}

static void cuts_are_ranks_or_numbers(void **state)
{
    clades_cuts_t cuts;

    (void)state;
    assert_true(clades_cuts_parse("family", &cuts));
    assert_int_equal(cuts.rank.number, 5);
    assert_true(clades_cuts_parse("every:64", &cuts));
    assert_int_equal(cuts.every, 64);
    assert_false(clades_cuts_parse("every:0", &cuts));
    assert_false(clades_cuts_parse("every:", &cuts));
    assert_false(clades_cuts_parse("every:3x", &cuts));
    assert_false(clades_cuts_parse("every:99999999999999999999", &cuts));
    assert_false(clades_cuts_parse("families", &cuts));
    assert_false(clades_cuts_parse("0", &cuts));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_between_all_cuts_are_counted_as_by_hand),
        cmocka_unit_test(levels_are_common_names_and_have_the_highest_identity),
        cmocka_unit_test(taxa_are_ranges_and_cuts_are_their_borders),
        cmocka_unit_test(a_name_of_two_taxa_needs_its_lineage),
        cmocka_unit_test(records_that_no_rectangle_makes_are_refused),
        cmocka_unit_test(cuts_are_ranks_or_numbers),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
