/* rng.h: seeded random numbers (xoshiro256**, Blackman and Vigna, seeded by splitmix64). Same seed, same numbers.
 * Not for secrets: those come from rng_secret(). */
#ifndef BERTH_BASE_RNG_H
#define BERTH_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng { uint64_t state[4]; };

void     rng_seed(struct rng *rng, uint64_t seed);
uint64_t rng_next(struct rng *rng);
uint64_t rng_below(struct rng *rng, uint64_t bound);             /* 0 .. bound-1, unbiased; bound > 0 */
uint64_t rng_entropy(void);                                      /* a seed from the operating system */
void     rng_secret(void *out, size_t size);                     /* cryptographic bytes; ends the process if the system has none */

#endif
