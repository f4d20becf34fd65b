/*
 * test_cnn_net.c - networks from text: layers, sizes worked by hand, errors with their
 * line; the shipped ones.
 */
#include "tests/support/unit_test.h"

#include "cnn/net/cnn_net.h"
#include "tests/support/captured_log.h"

#define HEAD "[net]\ninput = 2x9x8\nclasses = 3\n[layers]\n"
#define TAIL "out = linear classes\nloss = softmax\n"

static cnn_net_t *read_net(const char *text)
{
    cnn_net_t *net;

    assert_int_equal(cnn_net_parse("x.ini", text, 0, &net), ST_OK);
    return net;
}

static const cnn_layer_t *layer(const cnn_net_t *net, const char *name)
{
    for (int i = 0; i < net->n_layers; i++)
        if (strcmp(net->layers[i].name, name) == 0)
            return &net->layers[i];
    fail_msg("no layer %s", name);
    return NULL;
}

static void assert_size(const cnn_net_t *net, const char *name, int64_t c, int64_t h,
                        int64_t w)
{
    const cnn_layer_t *l = layer(net, name);

    if (l->size[0] != c || l->size[1] != h || l->size[2] != w)
        fail_msg("%s is %dx%dx%d", name, (int)l->size[0], (int)l->size[1],
                 (int)l->size[2]);
}

static void assert_refused(const char *text, const char *message)
{
    cnn_net_t *net;
    status_t st;

    capture_start();
    st = cnn_net_parse("x.ini", text, 0, &net);
    capture_stop();
    if (st != ST_EINPUT)
        fail_msg("accepted, not refused with: %s", message);
    assert_logged(message);
    assert_logged_one_line();
}

static void windows_shrink_images(void **state)
{
    cnn_net_t *net = read_net(HEAD "a = convolution 6 kernel=3x2 stride=2x1 pad=1x0\n"
                                   "b = max 2\n"
                                   "c = average 2 ceil=yes from=a\n"
                                   "d = max 3 stride=1 pad=1 from=b\n"
                                   "e = lrn from=c\n"
                                   "f = concat from=b,d\n"
                                   "g = linear 5\n"
                                   "h = linear 4 from=e\n"
                                   "i = concat from=h,g\n" TAIL);

    (void)state;
    assert_size(net, "input", 2, 9, 8);
    assert_size(net, "a", 6, 5, 7); /* (9 + 2 - 3) / 2 + 1, 8 - 2 + 1 */
    assert_size(net, "b", 6, 2, 3);
    assert_size(net, "c", 6, 3, 4);
    assert_size(net, "d", 6, 2, 3);
    assert_size(net, "e", 6, 3, 4);
    assert_size(net, "f", 12, 2, 3);
    assert_size(net, "g", 5, 1, 1);
    assert_size(net, "i", 9, 1, 1);
    assert_size(net, "out", 3, 1, 1);
    assert_size(net, "loss", 3, 1, 1);
    assert_int_equal(net->n_classes, 3);
    assert_int_equal(net->n_layers, 12);
    assert_int_equal(net->layers[layer(net, "i")->inputs[0]].size[0], 4);
    cnn_net_destroy(net);
}

static void defaults_are_few_and_useful(void **state)
{
    cnn_net_t *net = read_net(HEAD "a = convolution 4 kernel=1\n"
                                   "b = max 3\n"
                                   "c = lrn\n"
                                   "d = linear 2 init=constant:0.5 bias=no\n" TAIL);
    const cnn_layer_t *a = layer(net, "a");

    (void)state;
    assert_int_equal(a->params.convolution.stride[0], 1);
    assert_int_equal(a->params.convolution.pad[1], 0);
    assert_int_equal(a->params.convolution.groups, 1);
    assert_true(a->has_bias);
    assert_int_equal(a->init.kind, CNN_INIT_XAVIER);
    assert_int_equal(layer(net, "b")->params.pool.stride[1], 3);
    assert_int_equal(layer(net, "c")->params.lrn.size, 5);
    assert_int_equal(layer(net, "d")->init.kind, CNN_INIT_CONSTANT);
    assert_true(layer(net, "d")->init.value == 0.5);
    assert_false(layer(net, "d")->has_bias);
    assert_int_equal(net->solver.batch, 64);
    cnn_net_destroy(net);
}

static void words_behind_a_convolution_are_layers_of_their_own(void **state)
{
    cnn_net_t *net = read_net("[net]\ninput = 3x4x4\nepsilon = 0.5\ninit = he\n[layers]\n"
                              "a = convolution 4 kernel=1 batch-norm relu dropout\n"
                              "b = convolution 4 kernel=1 relu bias=no from=a\n"
                              "c = concat from=a,b\n"
                              "d = linear 7\n"
                              "e = softmax\n");

    (void)state;
    assert_int_equal(net->n_layers, 10);
    assert_false(layer(net, "a")->has_bias); /* the batch norm would remove it */
    assert_int_equal(layer(net, "a")->init.kind, CNN_INIT_HE);
    assert_true(layer(net, "a.batch-norm")->params.batch_norm.epsilon == 0.5);
    assert_int_equal(layer(net, "a.dropout")->params.dropout.layer, 4);
    assert_ptr_equal(&net->layers[layer(net, "b")->inputs[0]], layer(net, "a.dropout"));
    assert_ptr_equal(&net->layers[layer(net, "c")->inputs[1]], layer(net, "b.relu"));
    assert_int_equal(net->n_classes, 7);
    cnn_net_destroy(net);
}

static void the_caller_may_say_how_many_classes_there_are(void **state)
{
    cnn_net_t *net;

    (void)state;
    assert_int_equal(cnn_net_parse("x.ini", HEAD TAIL, 17, &net), ST_OK);
    assert_int_equal(net->n_classes, 17);
    cnn_net_destroy(net);
}

static void errors_name_line_cause_and_remedy(void **state)
{
    (void)state;
    assert_refused("[net]\ninput = 3x4\n",
                   "x.ini:2: input = '3x4': give CHANNELSxHEIGHT");
    assert_refused("[net]\nsize = 3\n", "x.ini:2: [net] has no key 'size'");
    assert_refused("[nett]\ninput = 3x4x4\n", "x.ini:2: unknown section [nett]; give");
    assert_refused("[layers]\na = relu\n", "x.ini: the size of images is missing; write");
    assert_refused("[net]\ninput=1x1x1\n", "x.ini: no layers; list them in [layers]");
    assert_refused(HEAD "a convolution 3\n" TAIL, "x.ini:5: neither a [SECTION] nor KEY");
    assert_refused(HEAD "a = conv 3\n" TAIL, "x.ini:5: unknown type of layer 'conv'");
    assert_refused(HEAD "a = convolution 3\n" TAIL, "x.ini:5: convolution needs kernel");
    assert_refused(HEAD "a = max\n" TAIL, "x.ini:5: max needs kernel; write max N");
    assert_refused(HEAD "a = max 2 kernel=2\n" TAIL, "x.ini:5: kernel is given twice");
    assert_refused(HEAD "a = max 2 pad=2\n" TAIL, "x.ini:5: a: pad must be smaller");
    assert_refused(HEAD "a = max 2 width=2\n" TAIL, "x.ini:5: max has no 'width'");
    assert_refused(HEAD "a = max 2 stride = 2\n" TAIL, "x.ini:5: 'stride': write KEY=");
    assert_refused(HEAD "a = max 0\n" TAIL, "x.ini:5: kernel = '0': give whole numbers");
    assert_refused(HEAD "a = relu from=b\n" TAIL, "x.ini:5: from=b: no layer above");
    assert_refused(HEAD "a = relu\na = relu\n" TAIL,
                   "x.ini:6: a layer above is called a");
    assert_refused(HEAD "a = concat\n" TAIL, "x.ini:5: concat needs its inputs; write");
    assert_refused(HEAD "a = linear 2 relu relu\n" TAIL, "x.ini:5: relu twice");
    assert_refused(HEAD "a.b = relu\n" TAIL, "x.ini:5: layer 'a.b': give a name of");
    assert_refused(HEAD "a = dropout 1\n" TAIL, "x.ini:5: p = '1': give a number from 0");
    assert_refused("[net]\ninput = 1x1x1\n[layers]\na = linear classes\n",
                   "x.ini:4: a: the number of classes is not known; write classes = N");
}

static void errors_of_sizes_name_the_layers(void **state)
{
    (void)state;
    assert_refused(HEAD "a = convolution 4 kernel=3 stride=4\nb = max 4\n" TAIL,
                   "x.ini:6: b: a 4x4 window does not fit into the 2x2 output of a");
    assert_refused(HEAD "a = convolution 4 kernel=3 groups=3\n" TAIL,
                   "x.ini:5: a: 3 groups do not divide 2 channels into 4");
    assert_refused(HEAD "a = max 2\nb = max 3 from=input\nc = concat from=a,b\n" TAIL,
                   "x.ini:7: c: a is 4x4 and b is 3x2; give all inputs one height");
    assert_refused(HEAD "a = max 2\nb = softmax\n",
                   "x.ini:6: b: a is 4x4, not 1x1; put a linear layer in front");
    assert_refused(HEAD "a = max 2\nb = max 2 from=input\n" TAIL,
                   "x.ini:5: a: no layer reads its output; name it in from= below");
    assert_refused(HEAD "a = max 2\n",
                   "x.ini:5: a: a network ends with its only softmax");
    assert_refused(HEAD "a = linear 2\nb = softmax\n" TAIL,
                   "x.ini:6: b: a network ends with its only softmax; remove");
    assert_refused(HEAD "a = linear 1000000\nb = linear 1000000\n" TAIL,
                   "x.ini:6: b: more than 2^34 weights; use fewer outputs");
}

static void a_line_that_is_too_long_is_refused(void **state)
{
    char text[1024] = HEAD "a = relu ";

    (void)state;
    memset(text + strlen(text), ' ', 600);
    assert_refused(text, "characters; shorten the line");
}

static void comments_and_blanks_do_not_matter(void **state)
{
    cnn_net_t *net = read_net("; a net\n# the same\n\n[net]\r\n  input=2x9x8 ; c, h, w\n"
                              "\t[layers]\n   a :  linear   3 \n   b=softmax");

    (void)state;
    assert_int_equal(net->n_layers, 3);
    cnn_net_destroy(net);
}

static void a_file_is_read_and_its_lines_are_counted(void **state)
{
    const char *text = HEAD "a = wrong\n";
    char path[PATH_BYTES];
    cnn_net_t *net;
    status_t st;

    (void)state;
    dir_file("a.ini", path);
    dir_put(path, HEAD TAIL, strlen(HEAD TAIL));
    assert_int_equal(cnn_net_read(path, 0, &net), ST_OK);
    assert_string_equal(net->name, path);
    assert_string_equal(net->text, HEAD TAIL);
    cnn_net_destroy(net);
    dir_put(path, text, strlen(text));
    capture_start();
    st = cnn_net_read(path, 0, &net);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_logged("a.ini:5: unknown type of layer 'wrong'");
    assert_int_equal(unlink(path), 0);
}

static void a_name_that_is_neither_file_nor_shipped_is_refused(void **state)
{
    cnn_net_t *net;

    (void)state;
    capture_start();
    assert_int_equal(cnn_net_read("alexnett", 0, &net), ST_EINPUT);
    capture_stop();
    assert_logged("alexnett: neither a file nor a shipped network");
    assert_logged("lenet, alexnet, overfeat-fast, vgg-a, googlenet, kmer-lenet; "
                  "did you mean alexnet?\n");
}

static cnn_net_t *shipped(const char *name)
{
    cnn_net_t *net;

    assert_int_equal(cnn_net_read(name, 0, &net), ST_OK);
    return net;
}

/* Sizes as in the papers and in torchvision. */
static void shipped_nets_have_the_sizes_of_their_models(void **state)
{
    cnn_net_t *net = shipped("lenet");

    (void)state;
    assert_size(net, "conv1", 20, 24, 24);
    assert_size(net, "pool2", 50, 4, 4);
    cnn_net_destroy(net);
    net = shipped("alexnet");
    assert_size(net, "conv1", 64, 55, 55);
    assert_size(net, "pool2", 192, 13, 13);
    assert_size(net, "pool5", 256, 6, 6);
    cnn_net_destroy(net);
    net = shipped("overfeat-fast");
    assert_size(net, "conv1", 96, 56, 56);
    assert_size(net, "conv2", 256, 24, 24);
    assert_size(net, "pool5", 1024, 6, 6);
    cnn_net_destroy(net);
    net = shipped("vgg-a");
    assert_size(net, "pool5", 512, 7, 7);
    cnn_net_destroy(net);
    net = shipped("googlenet");
    assert_size(net, "conv1", 64, 112, 112);
    assert_size(net, "pool1", 64, 56, 56); /* rounded up */
    assert_size(net, "3a", 256, 28, 28);
    assert_size(net, "3b", 480, 28, 28);
    assert_size(net, "4e", 832, 14, 14);
    assert_size(net, "5b", 1024, 7, 7);
    assert_size(net, "pool5", 1024, 1, 1);
    assert_int_equal(net->n_classes, 1000);
    cnn_net_destroy(net);
    net = shipped("kmer-lenet");
    assert_size(net, "pool2", 50, 13, 13);
    cnn_net_destroy(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_shrink_images),
        cmocka_unit_test(defaults_are_few_and_useful),
        cmocka_unit_test(words_behind_a_convolution_are_layers_of_their_own),
        cmocka_unit_test(the_caller_may_say_how_many_classes_there_are),
        cmocka_unit_test(errors_name_line_cause_and_remedy),
        cmocka_unit_test(errors_of_sizes_name_the_layers),
        cmocka_unit_test(a_line_that_is_too_long_is_refused),
        cmocka_unit_test(comments_and_blanks_do_not_matter),
        cmocka_unit_test(a_file_is_read_and_its_lines_are_counted),
        cmocka_unit_test(a_name_that_is_neither_file_nor_shipped_is_refused),
        cmocka_unit_test(shipped_nets_have_the_sizes_of_their_models),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
