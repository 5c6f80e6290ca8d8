/* gpu_pick.h: which whole devices of a machine. Knows how well its devices are connected and which of them are free; refuses
 * to know tasks and other machines. Pure.
 *
 * A pair of devices scores by its place on the PCI bus, in tens: 10 across processors, 20 at one processor, 30 at one host
 * bridge, 40 behind several switches, 50 behind one switch, 60 on one board; and 100 more for each NVLink between the two.
 * A set scores the sum of its pairs. (The scale is that of NVIDIA's go-gpuallocator.) */
#ifndef BERTH_SCHEDULER_PLACE_GPU_PICK_H
#define BERTH_SCHEDULER_PLACE_GPU_PICK_H

#include "scheduler/world/machine.h"

/* `count` of the free slots. All of them are split into sets of that size so that the sum of the sets' scores is largest, and
 * the best set of such a split is handed out: what stays behind is then the best for those who come next. Where sets are
 * alike, the one goes that leaves its neighbours closest together: aligned blocks of eight, four and two stay whole. */
uint64_t gpu_pick_whole(const struct rig *rig, uint64_t free_bits, uint32_t count);

#endif
