/*
 * cuda_sketch.cu - makes k-mer sketches and copies them to the device.
 */
#include "kernels/align/cuda/cuda_sketch.cuh"

#include "kernels/device/cuda_put.cuh"

status_t cuda_sketch_create(pool_t *pool, const seqset_t *set, cuda_sketch_t *out)
{
    const size_t n = static_cast<size_t>(set->n);
    const size_t word_bytes = n * KMER_SKETCH_WORDS * sizeof(uint64_t);
    kmer_sketch_t *sketch = nullptr;
    unsigned long long *words = nullptr;
    int *n_kmers = nullptr;
    status_t st = kmer_sketch_create(pool, set, &sketch);

    if (st != ST_OK)
        return st;
    if ((st = CUDA_TRY(cudaMalloc(&words, word_bytes + 1))) == ST_OK &&
        (st = cuda_put(words, kmer_sketch_words(sketch), word_bytes)) == ST_OK)
        st = cuda_put_new(&n_kmers, kmer_sketch_counts(sketch), n);
    kmer_sketch_destroy(sketch);
    *out = cuda_sketch_t{words, n_kmers};
    if (st != ST_OK)
        cuda_sketch_free(out);
    return st;
}

void cuda_sketch_free(cuda_sketch_t *s)
{
    cudaFree(const_cast<unsigned long long *>(s->words));
    cudaFree(const_cast<int *>(s->n_kmers));
    *s = cuda_sketch_t{};
}
