/*
 * test_cnn_opts.c - which options of the job "cnn" go together.
 */
#include "tests/support/unit_test.h"

#include "worker/cnn/cnn_opts.h"

static void options_are_refused_with_their_reason(void **state)
{
    const struct {
        const char *output, *csv, *svg, *rate;
        bool force, resume;
        const char *why; /* NULL: accepted */
    } rows[] = {
        {"m.h5", NULL, NULL, NULL, false, false, NULL},
        {"m.h5", "c.csv", "c.svg", "0.5", true, false, NULL},
        {"m.h5", NULL, NULL, "1e-9", false, true, NULL},
        {NULL, NULL, NULL, NULL, false, false, "no output file; give -o MODEL.h5"},
        {"-", NULL, NULL, NULL, false, false,
         "HDF5 cannot be written to stdout; give -o a file"},
        {"m.h5", NULL, NULL, NULL, true, true, "give --force or --resume, not both"},
        {"m.h5", NULL, NULL, "0", false, false,
         "--rate 0: give a number above 0, at most 1000000"},
        {"m.h5", NULL, NULL, "-1", false, false,
         "--rate -1: give a number above 0, at most 1000000"},
        {"m.h5", NULL, NULL, "1x", false, false,
         "--rate 1x: give a number above 0, at most 1000000"},
        {"m.h5", NULL, NULL, "", false, false,
         "--rate : give a number above 0, at most 1000000"},
        {"m.h5", NULL, NULL, "inf", false, false,
         "--rate inf: give a number above 0, at most 1000000"},
        {"m.h5", NULL, NULL, "nan", false, false,
         "--rate nan: give a number above 0, at most 1000000"},
        {"m.h5", NULL, NULL, "1e7", false, false,
         "--rate 1e7: give a number above 0, at most 1000000"},
    };

    (void)state;
    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        cnn_opts_t o = cnn_opts_defaults();
        char why[JOB_OPTS_WHY_BYTES] = "";

        o.common.output = rows[k].output;
        o.common.force = rows[k].force;
        o.common.resume = rows[k].resume;
        o.csv = rows[k].csv;
        o.svg = rows[k].svg;
        o.rate_text = rows[k].rate;
        assert_int_equal(cnn_opts_settle(&o.common, why),
                         rows[k].why == NULL ? ST_OK : ST_EUSAGE);
        assert_string_equal(why, rows[k].why == NULL ? "" : rows[k].why);
    }
}

static void a_rate_is_read_as_a_number(void **state)
{
    cnn_opts_t o = cnn_opts_defaults();
    char why[JOB_OPTS_WHY_BYTES];

    (void)state;
    o.common.output = "m.h5";
    o.rate_text = "0.25";
    assert_int_equal(cnn_opts_settle(&o.common, why), ST_OK);
    assert_true(o.rate == 0.25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_refused_with_their_reason),
        cmocka_unit_test(a_rate_is_read_as_a_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
