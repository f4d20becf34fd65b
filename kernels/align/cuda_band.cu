/*
 * cuda_band.cu - k-mer sketches on the device.
 */
#include "kernels/align/cuda_band.cuh"

status_t cuda_band_create(const seqset_t *set, const align_spec_t *spec, cuda_band_t *out)
{
    const size_t n = static_cast<size_t>(set->n);
    const size_t word_bytes = n * KMER_SKETCH_WORDS * sizeof(uint64_t);
    kmer_sketch_t *sketch = nullptr;
    unsigned long long *words = nullptr;
    int *n_kmers = nullptr;
    status_t st = kmer_sketch_create(set, &sketch);

    if (st != ST_OK)
        return st;
    if ((st = CUDA_TRY(cudaMalloc(&words, word_bytes + 1))) == ST_OK &&
        (st = CUDA_TRY(cudaMalloc(&n_kmers, (n + 1) * sizeof(int)))) == ST_OK &&
        (st = CUDA_TRY(cudaMemcpy(words, kmer_sketch_words(sketch), word_bytes,
                                  cudaMemcpyHostToDevice))) == ST_OK)
        st = CUDA_TRY(cudaMemcpy(n_kmers, kmer_sketch_counts(sketch), n * sizeof(int),
                                 cudaMemcpyHostToDevice));
    kmer_sketch_destroy(sketch);
    *out = cuda_band_t{words, n_kmers, band_width_steps(spec)};
    if (st != ST_OK)
        cuda_band_free(out);
    return st;
}

void cuda_band_free(cuda_band_t *b)
{
    cudaFree(const_cast<unsigned long long *>(b->words));
    cudaFree(const_cast<int *>(b->n_kmers));
    *b = cuda_band_t{};
}
