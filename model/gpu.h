/* gpu.h: the GPUs of a machine, and the short texts in which agents report facts that the API has no members for: devices that
 * differ, partitions, and connections between devices. Agents print them, the server reads them; both are lists over the
 * devices in slot order, with "N*" before a word that is repeated N times.
 *
 *   berth.gpu-kinds   "7*H200/143771,3*H200/18176/1g.18gb"     model/MiB, and a partition's profile; of every device
 *   berth.gpu-links   "2*1850,4*1810,1850,…"                   the score of each pair: 0-1, 0-2, …, 1-2, … (scheduler/place/gpu_pick.h)
 *
 * A text too long for one attribute continues in the attribute with ".2" added to its name, then ".3", … */
#ifndef BERTH_MODEL_GPU_H
#define BERTH_MODEL_GPU_H

#include "base/arena.h"
#include "model/records/gpu.h"

enum {
    GPUS_MAX = 64,                           /* of one machine: its devices fit one word of bits */
    GPU_SHARE_WHOLE = 1000,                  /* shares are counted in thousandths of a device */
    GPU_LINK_MAX = 9999,                     /* no pair scores more */
    GPU_TEXT_PART_MAX = 128,                 /* the value of one attribute */
    FINDINGS_MAX = 64, FINDING_TEXT_MAX = 512, FAULTS_MAX = 128,     /* of a report of a machine's health: findings, bytes of a text, faults */
};

struct gpu_use { struct str uuid; int64_t share; };       /* thousandths that are taken of a device */
struct gpu_use_list { struct gpu_use *items; size_t count; };

bool gpu_is_partition(const struct gpu *gpu);

/* Devices with the same model and memory need no text. */
bool gpu_list_is_plain(const struct gpu_list *gpus);
struct str gpu_kinds_text(const struct gpu_list *gpus, struct arena *arena);
/* Fills in all except the UUIDs, borrowing from `text`. False, and nothing is filled in, if it describes another number of devices. */
bool gpu_kinds_read(struct str text, struct gpu_list *gpus);

/* `scores`: count x count, by rows. */
struct str gpu_links_text(const int64_t *scores, size_t count, struct arena *arena);
/* False if the text describes another number of devices; then *scores is undefined. */
bool gpu_links_read(struct str text, size_t count, int64_t *scores);

/* A score has this much for each NVLink of the pair, and less than that for their places on the machine. */
enum { GPU_LINK_NVLINK = 100 };
/* The groups of devices that are better connected among themselves than with the others: islands[g] is the group's number, from 0 in order of devices.
 * Each group has two devices or more, and all its pairs have at least the lowest score that divides them so; where all pairs have NVLinks, only their
 * numbers count. Returns how many groups; 0: there are none. */
size_t gpu_islands(const int64_t *scores, size_t count, size_t *islands);

/* The name of a text's part: `name` itself, then with ".2" added, … `part` counts from 0. */
struct str gpu_text_part(struct str name, size_t part, struct arena *arena);

#endif
