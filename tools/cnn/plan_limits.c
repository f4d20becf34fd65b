/*
 * plan_limits.c - a line per limit: what is moved, what memory is taken, how fast it is.
 */
#include "tools/cnn/cnn_pages.h"

#include "io/base/logmsg.h"
#include "kernels/cnn/common/cnn_scratch.h"
#include "kernels/registry/backends.h"
#include "worker/cnn/cnn_opts.h"
#include "worker/cnn/place_choice.h"

#include <inttypes.h>
#include <math.h>

static const double mib = 1048576;

static int threads_of(const plan_limits_t *l)
{
    if (l->n_threads > 0)
        return l->n_threads;
    return l->has_rates && l->rates.n_threads > 0 ? l->rates.n_threads : l->cpu->n_cores;
}

/* ---- programs ---- */

static status_t predict(plan_limits_t *l, int i)
{
    status_t st;

    l->seconds[i] = NAN;
    if (!l->has_rates)
        return ST_OK;
    st = cnn_rates_time(&l->rates, l->has_on_cpu ? &l->on_cpu : NULL, l->whole,
                        l->programs[i], &l->seconds[i]);
    if (st != ST_EUSAGE)
        return st;
    log_error("there are no rates of copies for %s; measure them with `ribogrid cnn "
              "time %s --batch %" PRId64 " --type %s --kinds`",
              l->name, l->name, l->how->n_images, cnn_number_name[l->how->types]);
    return ST_EINPUT;
}

status_t plan_limits_make(plan_limits_t *l, const option_sizes_t *limits)
{
    const device_place_t place = {.device = l->device,
                                  .kernel = l->has_rates ? l->rates.kernel : NULL,
                                  .n_threads = threads_of(l),
                                  .host_bytes = INT64_MAX};
    status_t st = ST_OK;

    for (int i = 0; st == ST_OK && i < limits->n; i++) {
        const device_limit_t limit = {limits->at[i], l->policy, l->rematerialize};
        cnn_plan_options_t how = *l->how;
        size_t memory_bytes;

        l->bytes[i] = (size_t)limits->at[i];
        device_limit_text(l->bytes[i], l->labels[i]);
        if (how.place == CNN_PLACE_AUTO)
            st = place_choice_make(&(place_choice_t){.net = l->net,
                                                     .how = l->how,
                                                     .limit = &limit,
                                                     .device = &place,
                                                     .rates =
                                                         l->has_rates ? &l->rates : NULL},
                                   &how.place);
        if (st != ST_OK ||
            (st = cnn_plan_compile(l->net, &how, &l->programs[i])) != ST_OK)
            break;
        l->n++;
        if ((st = device_limit_apply(&limit, &place, &l->programs[i], 1,
                                     &memory_bytes)) == ST_OK)
            st = predict(l, i);
    }
    return st;
}

void plan_limits_free(plan_limits_t *l)
{
    for (int i = 0; i < l->n; i++)
        cnn_program_destroy(l->programs[i]);
    l->n = 0;
}

/* ---- the table ---- */

/* @return bytes that the kernels of a limit's program take beside the arena */
static size_t scratch_of(const plan_limits_t *l, int i)
{
    const cnn_context_t context = {.device = l->device,
                                   .program = l->programs[i],
                                   .memory_bytes = l->bytes[i]};
    const backend_request_t request = {.name = l->has_rates ? l->rates.kernel : NULL,
                                       .device = l->device};
    const backend_t *row;

    return l->device == NULL || device_is_gpu(l->device) ||
                   backend_choose(&cnn_table, &request, &context, &row) != ST_OK
               ? cnn_scratch_bytes(l->programs[i], l->bytes[i])
               : ((const cnn_backend_t *)row)->scratch(&context, threads_of(l));
}

static void print_number(FILE *to, bool is_tsv, const char *form, const char *none_form,
                         double value)
{
    if (is_tsv && isnan(value))
        fputs("\tNA", to);
    else if (is_tsv)
        fprintf(to, "\t%.6g", value);
    else if (isnan(value))
        fprintf(to, none_form, "NA");
    else
        fprintf(to, form, value);
}

static void print_limit(FILE *to, const plan_limits_t *l, int i, bool is_tsv)
{
    const cnn_program_t *p = l->programs[i];
    const swap_traffic_t t = swap_program_traffic(p);
    const double arena = (double)p->arena_bytes / mib,
                 scratch = (double)scratch_of(l, i) / mib;
    const plan_panel_t panel = plan_limits_panel(l, i);

    if (is_tsv)
        fprintf(to, "%s\t%s\t%.1f\t%.1f\t%d\t%d\t%.1f\t%.1f\t%.1f\t%d", l->labels[i],
                swap_policy_name[l->policy], t.in_bytes / mib, t.out_bytes / mib,
                t.n_fetches, t.n_evicts, arena, scratch, (double)p->swap_bytes / mib,
                t.n_repeats);
    else
        fprintf(to, "%8s  %6s  %10.1f  %10.1f  %7d  %6d  %10.1f  %10.1f", l->labels[i],
                swap_policy_name[l->policy], t.in_bytes / mib, t.out_bytes / mib,
                t.n_fetches, t.n_evicts, arena + scratch, (double)p->swap_bytes / mib);
    fprintf(to, is_tsv ? "\t%.3f" : "  %11.3f", t.repeats_flops / 1e9);
    if (is_tsv)
        fprintf(to, "\t%.1f\t%s", arena + scratch, l->has_rates ? l->rates.kernel : "NA");
    print_number(to, is_tsv, "  %10.4g", "  %10s", l->seconds[i]);
    print_number(to, is_tsv, "  %10.1f", "  %10s", panel.images_per_s);
    print_number(to, is_tsv, "  %5.1f", "  %5s",
                 100 * panel.images_per_s / panel.full_images_per_s);
    fprintf(to, is_tsv ? "\t%s\n" : "  %6s\n",
            cnn_program_uses_cpu(p) ? "cpu" : "device");
}

/* Print what a limit changes in results. */
static void print_rounding(FILE *to, const plan_limits_t *l, int i)
{
    const swap_traffic_t t = swap_program_traffic(l->programs[i]);
    const int n = t.n_split_sums;

    if (t.has_parts)
        fprintf(to,
                "\nwithin %s convolutions or fully connected layers are computed in "
                "parts:\nresults of cudnn may differ by rounding\n",
                l->labels[i]);
    if (n > 0)
        fprintf(to,
                "\nwithin %s the sums of %d steps of batch norm are those "
                "of parts of the batch:\nresults differ by rounding\n",
                l->labels[i], n);
}

/* Print whose rates these are, or how to measure them. */
static void print_rates(FILE *to, const plan_limits_t *l)
{
    if (l->has_rates)
        fprintf(to,
                "\npredicted from measured rates of the kernel %s: %.1f images/s "
                "without a limit\n",
                l->rates.kernel, (double)l->how->n_images / l->rates.iteration_s);
    else if (l->how->purpose == CNN_PLAN_TRAINING)
        fprintf(to,
                "\nno rates: measure them with `ribogrid cnn time %s --batch %" PRId64
                " --type %s --kinds`,\nor give --rates FILE\n",
                l->name, l->how->n_images, cnn_number_name[l->how->types]);
}

void plan_limits_print(FILE *to, const plan_limits_t *l, bool is_tsv)
{
    if (is_tsv)
        fputs("limit\tswap\tin_mib\tout_mib\tfetches\tevictions\tarena_mib\tscratch_mib\t"
              "pinned_mib\trepeated\trepeated_gflop\tpeak_mib\tkernel\tseconds\timages_"
              "per_s\t"
              "percent\tplace\n",
              to);
    else
        fprintf(
            to,
            "%8s  %6s  %10s  %10s  %7s  %6s  %10s  %10s  %11s  %10s  %10s  %5s  %6s\n",
            "limit", "swap", "MiB in", "MiB out", "fetches", "evicts", "MiB peak",
            "MiB pinned", "GFLOP again", "s", "images/s", "%", "place");
    for (int i = 0; i < l->n; i++)
        print_limit(to, l, i, is_tsv);
    if (is_tsv)
        return;
    for (int i = 0; i < l->n; i++)
        print_rounding(to, l, i);
    print_rates(to, l);
}

plan_panel_t plan_limits_panel(const plan_limits_t *l, int i)
{
    const double images = (double)l->how->n_images;

    return (plan_panel_t){.label = l->labels[i],
                          .program = l->programs[i],
                          .limit_bytes = (double)l->bytes[i],
                          .images_per_s = images / l->seconds[i],
                          .full_images_per_s =
                              l->has_rates ? images / l->rates.iteration_s : NAN};
}
