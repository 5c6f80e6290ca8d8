/* rng.c: xoshiro256** 1.0 seeded by splitmix64, after the public descriptions of Blackman and Vigna. */
#include "base/rng.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/types.h>

#include "base/assert.h"

__extension__ typedef unsigned __int128 u128;

static uint64_t rotate_left(uint64_t x, unsigned bits) { return (x << bits) | (x >> (64 - bits)); }

static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void rng_seed(struct rng *rng, uint64_t seed)
{
    for (size_t i = 0; i < COUNT_OF(rng->state); i++) { rng->state[i] = splitmix64(&seed); }
}

uint64_t rng_next(struct rng *rng)
{
    uint64_t *s = rng->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return result;
}

/* The high half of a 128-bit product, redrawn where the product's low half would favour some results (Lemire's method). */
uint64_t rng_below(struct rng *rng, uint64_t bound)
{
    ASSERT(bound > 0);
    u128 product = (u128)rng_next(rng) * bound;
    if ((uint64_t)product < bound) {
        uint64_t unfair = (0 - bound) % bound;
        while ((uint64_t)product < unfair) { product = (u128)rng_next(rng) * bound; }
    }
    return (uint64_t)(product >> 64);
}

uint64_t rng_entropy(void)
{
    uint64_t seed = 0;
    rng_secret(&seed, sizeof seed);
    return seed;
}

void rng_secret(void *out, size_t size)
{
    char *at = out;
    while (size > 0) {
        ssize_t got = getrandom(at, size, 0);
        if (got < 0 && errno == EINTR) { continue; }
        if (got <= 0) {
            fprintf(stderr, "the operating system gives no random bytes\n");
            abort();                                               /* a guessable secret is worse than no server */
        }
        at += got;
        size -= (size_t)got;
    }
}
