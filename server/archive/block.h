/* block.h: up to sixteen samples of one GPU in 200 bytes, exact in the units of wire/gpu_figure.h as long as they fit, which figures of real GPUs do; otherwise
 * the least digits of those that vary most are left out. Pure. Knows figures; refuses to know files, and which time a sample's number means.
 *
 *   4  check of all that follows, and of the GPU's number      192  bits: which samples there are (16), and then each figure:
 *   4  number of the block                                            which samples know it: 0 none, 1 all, 2 those in the 16 bits that follow
 *                                                                     base (6 bits of length, sign in the lowest), width (5), if it is not 0: step (6 bits
 *                                                                     of length), and of each sample that knows it, in `width` bits: (value - base) / step
 *
 * The SM clock is kept as its distance to the graphics clock, and free memory as what used memory leaves of the total beside it: both hardly ever change. */
#ifndef BERTH_SERVER_ARCHIVE_BLOCK_H
#define BERTH_SERVER_ARCHIVE_BLOCK_H

#include "wire/gpu_figure.h"

enum { BLOCK_SAMPLES = 16, BLOCK_BYTES = 200 };

struct block_samples { uint32_t number; uint16_t present; struct gpu_figures samples[BLOCK_SAMPLES]; };   /* present: a bit a sample */

void block_write(const struct block_samples *samples, uint32_t gpu, unsigned char bytes[BLOCK_BYTES]);
/* False: it is no block of this GPU, or was only written in part. */
bool block_read(const unsigned char bytes[BLOCK_BYTES], uint32_t gpu, struct block_samples *samples);

/* For other parts of the files: FNV-1a. */
uint32_t block_check(uint32_t begin, const void *bytes, size_t size);

#endif
