/* links.c: how well the GPUs of this machine are connected, by NVML: the place of a pair on the PCI bus, and the NVLinks between the two,
 * either from one to the other or, on boards with switches, from both into the switches. */
#include "agent/gpu/gpu_internal.h"

#include "model/gpu.h"

struct ends {                                        /* of one GPU's links that are up */
    struct nvml_pci peers[NVML_LINKS_MAX]; size_t peer_count;
    int64_t to_switches;
};

static void read_ends(const struct nvml *nvml, struct nvml_device *device, struct ends *ends)
{
    *ends = (struct ends){ 0 };
    if (nvml->link_state == NULL) { return; }
    for (unsigned int link = 0; link < NVML_LINKS_MAX; link++) {
        int on = 0, type = 0;
        if (nvml->link_state(device, link, &on) != NVML_OK || on != NVML_ON) { continue; }
        bool to_switch = nvml->link_remote_type != NULL && nvml->link_remote_type(device, link, &type) == NVML_OK
            && type == NVML_REMOTE_SWITCH;
        if (to_switch) {
            ends->to_switches++;
        } else if (nvml->link_remote_pci != NULL && nvml->link_remote_pci(device, link, &ends->peers[ends->peer_count]) == NVML_OK) {
            ends->peer_count++;
        }
    }
}

static int64_t count_direct(const struct ends *ends, const struct nvml_pci *other)
{
    int64_t count = 0;
    for (size_t p = 0; p < ends->peer_count; p++) {
        const struct nvml_pci *peer = &ends->peers[p];
        if (peer->domain == other->domain && peer->bus == other->bus && peer->device == other->device) { count++; }
    }
    return count;
}

/* Links into switches connect no GPUs until another program has set up the switches. */
static int64_t count_switched(const struct nvml *nvml, struct nvml_device *a, struct nvml_device *b, const struct ends *a_ends,
                              const struct ends *b_ends)
{
    int status = 0;
    bool is_up = nvml->p2p_status == NULL || (nvml->p2p_status(a, b, NVML_P2P_NVLINK, &status) == NVML_OK && status == 0);
    int64_t fewer = a_ends->to_switches < b_ends->to_switches ? a_ends->to_switches : b_ends->to_switches;
    return is_up ? fewer : 0;
}

/* NVML's levels from one board (0) to different processors (50). */
static bool read_place(const struct nvml *nvml, struct nvml_device *a, struct nvml_device *b, enum gpu_place *place)
{
    static const enum gpu_place places[] = {
        GPU_SAME_BOARD, GPU_ONE_SWITCH, GPU_SEVERAL_SWITCHES, GPU_SAME_BRIDGE, GPU_SAME_PROCESSOR, GPU_ACROSS_PROCESSORS,
    };
    int level = -1;
    bool told = nvml->common_ancestor != NULL && nvml->common_ancestor(a, b, &level) == NVML_OK && level >= 0
        && (size_t)level / 10 < COUNT_OF(places);
    *place = told ? places[level / 10] : GPU_ACROSS_PROCESSORS;
    return told;
}

bool gpu_links_probe(const struct nvml *nvml, struct nvml_device *const *devices, size_t count, int64_t *scores)
{
    struct ends ends[GPUS_MAX];
    struct nvml_pci pci[GPUS_MAX];
    bool told = false;
    ASSERT(count <= GPUS_MAX);
    for (size_t g = 0; g < count; g++) {
        pci[g] = (struct nvml_pci){ 0 };
        if (devices[g] == NULL) { continue; }
        read_ends(nvml, devices[g], &ends[g]);
        if (nvml->pci(devices[g], &pci[g]) != NVML_OK) { ends[g] = (struct ends){ 0 }; }
    }
    for (size_t a = 0; a < count; a++) {
        scores[a * count + a] = 0;
        for (size_t b = a + 1; b < count; b++) {
            int64_t score = 0;
            if (devices[a] != NULL && devices[b] != NULL) {
                enum gpu_place place;
                told = read_place(nvml, devices[a], devices[b], &place) || told;
                int64_t direct = count_direct(&ends[a], &pci[b]);
                int64_t links = direct > 0 ? direct : count_switched(nvml, devices[a], devices[b], &ends[a], &ends[b]);
                told = told || links > 0;
                score = gpu_link_score(place, links);
            }
            scores[a * count + b] = scores[b * count + a] = score;
        }
    }
    return told;
}
