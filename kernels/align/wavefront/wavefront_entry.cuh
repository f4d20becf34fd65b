/*
 * wavefront_entry.cuh - entries of the lines between strips, with the strip that wrote
 * them.
 */
#pragma once

#include "kernels/align/wavefront/wavefront_layout.cuh"

#include <cstring>

namespace
{

/* H, and f of the row behind; neither is negative. */
template <typename V> struct alignas(2 * sizeof(V)) entry_t {
    V h, f;
};

/* Entries of a line that one warp writes and another reads meanwhile.  Their sign bits
 * are a tag, 1 to 3 in turn for the strips of a job: an entry that has the tag of the
 * strip above is there, so that no fence is needed.
 *
 * Only at the begin might a tag be that of an earlier strip: so a strip begins when the
 * one above has its first chunk (`begun`).  Later, a strip that wrote the last column of
 * a chunk had all of the next one from the strip above, and so on: strips further up are
 * ahead by more than a chunk. */
template <typename V> struct tagged_t {
    using word_t = std::conditional_t<sizeof(V) == 4, unsigned, unsigned long long>;
    static constexpr int SIGN = 8 * sizeof(V) - 1;
    word_t h, f;

    __device__ static word_t bits_of(V x)
    {
        word_t bits;

        memcpy(&bits, &x, sizeof(bits));
        return bits;
    }

    __device__ static V value_of(word_t bits)
    {
        V x;

        bits &= ~(word_t{1} << SIGN);
        memcpy(&x, &bits, sizeof(x));
        return x;
    }

    __device__ void set(const entry_t<V> &entry, unsigned tag)
    {
        h = bits_of(entry.h) | static_cast<word_t>(tag & 1) << SIGN;
        f = bits_of(entry.f) | static_cast<word_t>(tag >> 1) << SIGN;
    }

    __device__ entry_t<V> entry() const
    {
        return {value_of(h), value_of(f)};
    }

    __device__ unsigned tag() const
    {
        return static_cast<unsigned>(h >> SIGN | f >> SIGN << 1);
    }
};

__device__ inline unsigned tag_of(int strip)
{
    return 1 + static_cast<unsigned>(strip) % 3;
}

} // namespace
