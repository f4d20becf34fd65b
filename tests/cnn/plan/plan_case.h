/*
 * plan_case.h - programs of networks that are given as text, for tests of plans.
 */
#pragma once

#include "cnn/plan/cnn_plan.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    cnn_net_t *net;
    cnn_program_t *program;
} plan_case_t;

/* Compile the layers of a net whose images have 2 x 6 x 6 values and 3 classes. */
static inline plan_case_t plan_case_layers(const char *layers, int64_t n_images,
                                           cnn_plan_types_t types,
                                           cnn_plan_purpose_t purpose)
{
    const cnn_plan_options_t options = {n_images, types, purpose, CNN_PLACE_NET, false};
    plan_case_t c;
    char text[2048];

    snprintf(text, sizeof(text), "[net]\ninput = 2x6x6\nclasses = 3\n[layers]\n%s",
             layers);
    assert_int_equal(cnn_net_parse("x.ini", text, 0, &c.net), ST_OK);
    assert_int_equal(cnn_plan_compile(c.net, &options, &c.program), ST_OK);
    return c;
}

static inline plan_case_t plan_case_shipped(const char *name, int64_t n_images,
                                            cnn_plan_types_t types,
                                            cnn_plan_purpose_t purpose)
{
    const cnn_plan_options_t options = {n_images, types, purpose, CNN_PLACE_NET, false};
    plan_case_t c;

    assert_int_equal(cnn_net_read(name, 0, &c.net), ST_OK);
    assert_int_equal(cnn_plan_compile(c.net, &options, &c.program), ST_OK);
    return c;
}

static inline void plan_case_free(plan_case_t *c)
{
    cnn_program_destroy(c->program);
    cnn_net_destroy(c->net);
}

/* Write the steps as "OPERATION READS > WRITES", one per line, with names of tensors. */
static inline void plan_case_steps(const cnn_program_t *p, int first, int last, char *out)
{
    for (int s = first; s < last; s++) {
        const cnn_step_t *step = &p->steps[s];

        out += sprintf(out, "%s", cnn_op_name(step->op));
        for (int i = 0; i < step->n_reads; i++)
            out += sprintf(out, " %s", p->tensors[step->reads[i]].name);
        out += sprintf(out, " >");
        for (int i = 0; i < step->n_writes; i++)
            out += sprintf(out, " %s", p->tensors[step->writes[i]].name);
        out += sprintf(out, "\n");
    }
}
