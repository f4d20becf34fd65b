/*
 * scan_cuda_tables.cu - copies the tables of a scan to the device.
 */
#include "kernels/automata/cuda/scan_cuda.cuh"

namespace
{

/* Copy an array. @param out  written on success and on failure */
template <typename T> status_t put(status_t st, const T **out, const T *from, int64_t n)
{
    T *to = nullptr;

    if (st == ST_OK)
        st = cuda_put_new(&to, from, static_cast<size_t>(n));
    *out = to;
    return st;
}

status_t put_filter(const start_filter_t *f, scan_device_t *d)
{
    status_t st = ST_OK;

    for (int m = 0; m < f->n_masks; m++)
        d->masks[m] = f->masks[m];
    d->n_masks = f->n_masks;
    d->log2_bits = f->log2_bits;
    d->log2_slots = f->log2_slots;
    st = put(st, &d->pairs, f->pairs, START_FILTER_PAIRS);
    st = put(st, &d->bits, f->bits, INT64_C(1) << (f->log2_bits - 5));
    st = put(st, &d->slots, f->slots, INT64_C(1) << f->log2_slots);
    st = put(st, &d->listed, f->listed, f->n_listed);
    return put(st, &d->points, f->points, f->n_points);
}

/* Find the bytes that some loop lacks; a line feed may end a record. */
void find_breaks(const scan_tables_t *t, scan_device_t *d)
{
    d->breaks['\n' / 32] |= 1u << '\n' % 32;
    for (int64_t k = 0; k < t->filter.n_points; k++) {
        const int32_t loop = t->filter.points[k].loop;

        for (int byte = 0; loop >= 0 && byte < 256; byte++)
            if (!byte_set_has(&t->bits.nfa->set[loop], byte))
                d->breaks[byte / 32] |= 1u << byte % 32;
    }
}

} // namespace

status_t scan_device_create(const scan_tables_t *t, scan_device_t *d)
{
    const nfa_t *nfa = t->bits.nfa;
    status_t st;

    *d = {};
    find_breaks(t, d);
    st = put_filter(&t->filter, d);
    st = put(st, &d->exit, t->exit, t->filter.n_points);
    st = put(st, &d->exits, t->exits, t->n_exit_words);
    st = put(st, &d->loops, t->loops, t->bits.n_state_words);
    st = put(st, &d->patterns, t->bits.pattern, nfa->n_patterns);
    st = put(st, &d->words, t->bits.words, t->bits.n_words);
    st = put(st, &d->class_of, t->bits.class_of, nfa->n_patterns * 256);
    st = put(st, &d->first, nfa->first, nfa->n_patterns);
    return put(st, &d->sets, nfa->set, nfa->n_positions);
}

void scan_device_free(scan_device_t *d)
{
    const void *arrays[] = {d->pairs,    d->bits,  d->slots, d->listed,   d->points,
                            d->exit,     d->exits, d->loops, d->patterns, d->words,
                            d->class_of, d->first, d->sets};

    for (const void *array : arrays)
        cudaFree(const_cast<void *>(array));
    *d = {};
}
