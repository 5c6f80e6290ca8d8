/* models.c: GPUs by name alone: the short name of a real one, and invented ones for machines without. */
#include "agent/gpu/gpu.h"

#include "base/buf.h"
#include "base/id.h"
#include "base/sigv4.h"

enum { SIMULATED_MAX = 64, GIB = 1024 };

/* ---- short names ---- */

static bool is_one_of(struct str word, const struct str *words, size_t count)
{
    for (size_t w = 0; w < count; w++) {
        if (str_eq_nocase(words[w], word)) { return true; }
    }
    return false;
}

static const struct str makers[] = {                 /* before the model, and no part of it */
    STR_INIT("NVIDIA"), STR_INIT("Tesla"), STR_INIT("Quadro"), STR_INIT("GeForce"), STR_INIT("GRID"), STR_INIT("Graphics"),
};
static const struct str series[] = { STR_INIT("RTX"), STR_INIT("GTX"), STR_INIT("TITAN") };   /* mean nothing without the next word */
static const struct str ends[] = { STR_INIT("Generation"), STR_INIT("Laptop"), STR_INIT("GPU"), STR_INIT("with") };

/* "80GB", "16GiB" */
static bool is_memory_size(struct str word)
{
    return word.len > 2 && word.ptr[0] >= '0' && word.ptr[0] <= '9' && (str_ends_with(word, STR("GB")) || str_ends_with(word, STR("GiB")));
}

struct str gpu_short_model(struct str name, struct arena *arena)
{
    struct buf out = buf_in(arena);
    bool in_series = false;
    struct str rest = str_trim(name), word = { NULL, 0 };
    while (rest.len > 0) {
        str_cut(rest, ' ', &word, &rest);
        if (word.len == 0) { continue; }
        if (out.len == 0 && is_one_of(word, makers, COUNT_OF(makers))) { continue; }
        if (out.len > 0 && (is_one_of(word, ends, COUNT_OF(ends)) || is_memory_size(word))) { break; }
        if (out.len > 0) { buf_put_char(&out, '-'); }
        struct str stem = str_slice(word, 0, str_find(word, '-'));                     /* "V100-SXM2-16GB" ends at the hyphen */
        in_series = in_series || is_one_of(stem, series, COUNT_OF(series));
        buf_put(&out, in_series ? word : stem);
        if (!in_series) { break; }
    }
    return arena_str(arena, out.len > 0 ? buf_str(&out) : str_trim(name));
}

/* ---- simulated GPUs ---- */

/* How the GPUs of one machine are connected. */
enum board { BOARD_PCIE, BOARD_TWO_EACH, BOARD_CUBE_MESH, BOARD_SWITCHED };
struct model { struct str name; int64_t memory_mib; enum board board; int64_t nvlinks; };   /* nvlinks: of one, into the switches */

static const struct model models[] = {
    { STR_INIT("K80"),  12 * GIB, BOARD_TWO_EACH, 0 },   { STR_INIT("M60"),   8 * GIB, BOARD_TWO_EACH, 0 },
    { STR_INIT("P4"),    8 * GIB, BOARD_PCIE, 0 },       { STR_INIT("P40"),  24 * GIB, BOARD_PCIE, 0 },
    { STR_INIT("P100"), 16 * GIB, BOARD_PCIE, 0 },       { STR_INIT("V100"), 16 * GIB, BOARD_CUBE_MESH, 0 },
    { STR_INIT("T4"),   16 * GIB, BOARD_PCIE, 0 },       { STR_INIT("A10"),  24 * GIB, BOARD_PCIE, 0 },
    { STR_INIT("A10G"), 24 * GIB, BOARD_PCIE, 0 },       { STR_INIT("A30"),  24 * GIB, BOARD_PCIE, 0 },
    { STR_INIT("A40"),  48 * GIB, BOARD_PCIE, 0 },       { STR_INIT("A100"), 40 * GIB, BOARD_SWITCHED, 12 },
    { STR_INIT("L4"),   24 * GIB, BOARD_PCIE, 0 },       { STR_INIT("L40"),  48 * GIB, BOARD_PCIE, 0 },
    { STR_INIT("L40S"), 48 * GIB, BOARD_PCIE, 0 },       { STR_INIT("H100"), 80 * GIB, BOARD_SWITCHED, 18 },
    { STR_INIT("H200"), 141 * GIB, BOARD_SWITCHED, 18 }, { STR_INIT("B200"), 180 * GIB, BOARD_SWITCHED, 18 },
    { STR_INIT("RTX-3090"), 24 * GIB, BOARD_PCIE, 0 },   { STR_INIT("RTX-4090"), 24 * GIB, BOARD_PCIE, 0 },
    { STR_INIT("RTX-5090"), 32 * GIB, BOARD_PCIE, 0 },   { STR_INIT("T4g"),  16 * GIB, BOARD_PCIE, 0 },
    { STR_INIT("B300"), 288 * GIB, BOARD_SWITCHED, 18 }, { STR_INIT("Radeon-Pro-V520"), 8 * GIB, BOARD_PCIE, 0 },
    { STR_INIT("RTX-PRO-4500"), 32 * GIB, BOARD_PCIE, 0 }, { STR_INIT("RTX-PRO-Server-6000"), 96 * GIB, BOARD_PCIE, 0 },
};

static const struct model *find_model(struct str name)
{
    for (size_t m = 0; m < COUNT_OF(models); m++) {
        if (str_eq_nocase(models[m].name, name)) { return &models[m]; }
    }
    return NULL;
}

/* Eight GPUs, as in a p3.16xlarge: NVLinks between each two. */
enum { MESH_SIZE = 8 };
static const uint8_t cube_mesh[MESH_SIZE][MESH_SIZE] = {
    { 0, 1, 1, 2, 2, 0, 0, 0 }, { 1, 0, 2, 1, 0, 2, 0, 0 }, { 1, 2, 0, 2, 0, 0, 1, 0 }, { 2, 1, 2, 0, 0, 0, 0, 1 },
    { 2, 0, 0, 0, 0, 1, 1, 2 }, { 0, 2, 0, 0, 1, 0, 2, 1 }, { 0, 0, 1, 0, 1, 2, 0, 2 }, { 0, 0, 0, 1, 2, 1, 2, 0 },
};

static int64_t simulated_link(const struct model *model, const struct gpu_info *gpus, size_t a, size_t b)
{
    enum gpu_place place = gpus[a].numa_node == gpus[b].numa_node ? GPU_SAME_PROCESSOR : GPU_ACROSS_PROCESSORS;
    switch (model == NULL ? BOARD_PCIE : model->board) {
    case BOARD_PCIE:      break;
    case BOARD_TWO_EACH:  return gpu_link_score(a / 2 == b / 2 ? GPU_SAME_BOARD : place, 0);
    case BOARD_CUBE_MESH: return gpu_link_score(place, a / MESH_SIZE == b / MESH_SIZE ? cube_mesh[a % MESH_SIZE][b % MESH_SIZE] : 0);
    case BOARD_SWITCHED:  return gpu_link_score(place, model->nvlinks);
    }
    return gpu_link_score(place, 0);
}

static int64_t *simulated_links(const struct model *model, const struct gpu_info *gpus, size_t count, struct arena *arena)
{
    int64_t *scores = ARENA_NEW(arena, int64_t, count * count);
    for (size_t a = 0; a < count; a++) {
        for (size_t b = 0; b < count; b++) { scores[a * count + b] = a == b ? 0 : simulated_link(model, gpus, a, b); }
    }
    return scores;
}

/* "-80GB" at the end gives the memory of any model, known or not. */
static bool memory_in_name(struct str model, int64_t *memory_mib)
{
    struct str rest = model, word = model;
    while (str_find(rest, '-') < rest.len) { str_cut(rest, '-', &word, &rest); }
    int64_t gib = 0;
    if (rest.len == model.len || !is_memory_size(rest) || !str_to_i64(str_slice(rest, 0, str_find(rest, 'G')), &gib)) { return false; }
    *memory_mib = gib * GIB;
    return gib >= 1 && gib <= 4096;
}

/* *model becomes the name in the table, so that "v100" and "V100" are one kind of GPU to the scheduler. */
static bool find_memory(struct str *model, int64_t *memory_mib, struct err *err)
{
    if (memory_in_name(*model, memory_mib)) { return true; }
    const struct model *found = find_model(*model);
    if (found == NULL) {
        return err_set(err, ERR_INVALID_PARAMETER, "GPU model \"" STR_FMT "\" is not known; say its memory with it, as in \""
                       STR_FMT "-80GB\".", STR_ARG(*model), STR_ARG(*model));
    }
    *model = found->name;
    *memory_mib = found->memory_mib;
    return true;
}

static bool is_model_text(struct str model)
{
    for (size_t i = 0; i < model.len; i++) {
        char c = model.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'), digit = c >= '0' && c <= '9';
        if (!letter && !digit && c != '-' && c != '_' && c != '.') { return false; }
    }
    return model.len > 0 && model.len <= 64;
}

/* A UUID in NVML's form, made of a hash, so that a machine that starts again has the same GPUs as before. */
static struct str simulated_uuid(struct str seed, size_t index, struct arena *arena)
{
    struct str text = arena_printf(arena, "berth simulated GPU %zu of " STR_FMT, index, STR_ARG(seed));
    uint8_t hash[32];
    sha256_bytes(text, hash);
    struct id id;
    char uuid[ID_UUID_LEN + 1];
    memcpy(id.bytes, hash, sizeof id.bytes);
    id_uuid(id, uuid);
    return arena_printf(arena, "GPU-%s", uuid);
}

bool gpu_simulate(struct str spec, struct str seed, struct gpu_inventory *inventory, struct arena *arena, struct err *err)
{
    struct str model = { NULL, 0 }, digits = { NULL, 0 };
    int64_t count = 1, memory_mib = 0;
    bool counted = str_cut(spec, ':', &model, &digits);
    if (!is_model_text(model) || (counted && (!str_to_i64(digits, &count) || count < 1 || count > SIMULATED_MAX))) {
        return err_set(err, ERR_INVALID_PARAMETER, "Simulated GPUs are written MODEL or MODEL:COUNT with a count of 1 to %d, as in "
                       "\"V100:4\"; \"" STR_FMT "\" is not.", (int)SIMULATED_MAX, STR_ARG(spec));
    }
    if (!find_memory(&model, &memory_mib, err)) { return false; }

    *inventory = (struct gpu_inventory){ .count = (size_t)count, .pci_devices = count };
    inventory->gpus = ARENA_NEW(arena, struct gpu_info, inventory->count);
    for (size_t index = 0; index < inventory->count; index++) {
        inventory->gpus[index] = (struct gpu_info){
            .uuid = simulated_uuid(seed, index, arena),
            .model = arena_str(arena, model),
            .memory_mib = memory_mib,
            .pci_bus_id = arena_printf(arena, "00000000:%02zX:00.0", index + 1),
            .numa_node = index * 2 < inventory->count ? 0 : 1,     /* two sockets, half of the GPUs at each */
        };
    }
    inventory->links = simulated_links(find_model(gpu_short_model(model, arena)), inventory->gpus, inventory->count, arena);
    return true;
}
