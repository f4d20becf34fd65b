/*
 * test_class_net.c - probabilities of classes add up to the support of the taxa above.
 */
#include "tests/support/unit_test.h"

#include "worker/classify/class_net.h"

#include "io/base/logmsg.h"
#include "io/images/image_read.h"

enum { MAX_OUTPUTS = 4, N_RANKS = 3 };

/* Find the support of the lineage of an output. @return the mean */
static double support_of(const char *const *lineages, const float *probabilities,
                         int64_t n_outputs, int output, uint16_t *out)
{
    int32_t taxon_of[MAX_OUTPUTS], class_of[MAX_OUTPUTS];
    class_taxa_t taxa;
    nbc_classes_t classes;
    const class_net_query_t query = {.classes = &classes, .class_of = class_of};
    double mean;

    assert_int_equal(class_taxa_of_lineages(lineages, n_outputs, &taxa, taxon_of), ST_OK);
    assert_int_equal(nbc_classes_create(taxa.parent, taxa.n, taxon_of, n_outputs,
                                        &classes, class_of),
                     ST_OK);
    assert_int_equal(classes.n_ranks, N_RANKS);
    mean = class_net_support(&query, probabilities, n_outputs, class_of[output], out);
    nbc_classes_free(&classes);
    class_taxa_free(&taxa);
    return mean;
}

static void assert_support(const uint16_t *support, int a, int b, int c)
{
    assert_int_equal(support[0], a);
    assert_int_equal(support[1], b);
    assert_int_equal(support[2], c);
}

/* B = 0.5 + 0.25 + 0.125, B;X = 0.5 + 0.25; of the other X nothing counts. */
static void a_taxon_has_the_sum_of_its_classes(void **state)
{
    static const char *const lineages[] = {"B;X;G1", "B;X;G2", "B;Y", "A;X"};
    static const float p[] = {0.5F, 0.25F, 0.125F, 0.125F};
    uint16_t support[N_RANKS];

    (void)state;
    support_of(lineages, p, 4, 0, support);
    assert_support(support, 8750, 7500, 5000);
    support_of(lineages, p, 4, 1, support);
    assert_support(support, 8750, 7500, 2500);
    support_of(lineages, p, 4, 2, support);
    assert_support(support, 8750, 1250, 0);
    support_of(lineages, p, 4, 3, support);
    assert_support(support, 1250, 1250, 0);
}

/* (0.875 + 0.75 + 0.5) / 3; of a lineage of two ranks (0.875 + 0.125) / 2. */
static void the_mean_is_that_of_the_ranks_of_the_lineage(void **state)
{
    static const char *const lineages[] = {"B;X;G1", "B;X;G2", "B;Y", "A;X"};
    static const float p[] = {0.5F, 0.25F, 0.125F, 0.125F};
    uint16_t support[N_RANKS];

    (void)state;
    assert_true(support_of(lineages, p, 4, 0, support) == (8750 + 7500 + 5000) / 3.0);
    assert_true(support_of(lineages, p, 4, 2, support) == 5000);
}

static void a_class_may_lie_above_another(void **state)
{
    static const char *const lineages[] = {"B;X", "B;X;G"};
    static const float p[] = {0.75F, 0.25F};
    uint16_t support[N_RANKS];

    (void)state;
    support_of(lineages, p, 2, 0, support);
    assert_support(support, 10000, 10000, 0);
    support_of(lineages, p, 2, 1, support);
    assert_support(support, 10000, 10000, 2500);
}

/* 3 x 0.33333 + 0.1 is more than 1. */
static void rounding_never_exceeds_one(void **state)
{
    static const char *const lineages[] = {"B;X;G1", "B;X;G2", "B;X;G3", "B;X;G4"};
    static const float p[] = {0.33333F, 0.33333F, 0.33333F, 0.1F};
    uint16_t support[N_RANKS];

    (void)state;
    support_of(lineages, p, 4, 3, support);
    assert_support(support, 10000, 10000, 1000);
}

/* Classes of the network are looked up among those names. */
static void a_sent_network_has_the_names_of_its_classes(void **state)
{
    cnn_net_t net = {.n_classes = 7};
    cnn_layer_t input = {.size = {1, KMER_IMAGES_SIDE, KMER_IMAGES_SIDE}};
    const class_opts_t opts = {.model = "net.h5"};
    predict_model_t model = {.stored = {.n_named = 7}, .net = &net};
    seqset_t refs = {.n = 7};
    const class_model_t classes = {.refs = &refs};

    (void)state;
    net.layers = &input;
    log_set_level(LOG_QUIET);
    assert_int_equal(class_net_check_sent(&opts, &model, &classes), ST_OK);
    refs.n = 6;
    assert_int_equal(class_net_check_sent(&opts, &model, &classes), ST_EINPUT);
    refs.n = 7;
    model.stored.n_named = 0;
    assert_int_equal(class_net_check_sent(&opts, &model, &classes), ST_EINPUT);
    model.stored.n_named = 7;
    input.size[1] = 28;
    assert_int_equal(class_net_check_sent(&opts, &model, &classes), ST_EINPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_taxon_has_the_sum_of_its_classes),
        cmocka_unit_test(the_mean_is_that_of_the_ranks_of_the_lineage),
        cmocka_unit_test(a_class_may_lie_above_another),
        cmocka_unit_test(rounding_never_exceeds_one),
        cmocka_unit_test(a_sent_network_has_the_names_of_its_classes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
