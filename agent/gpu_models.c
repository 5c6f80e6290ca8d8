/* gpu_models.c: GPUs by name alone: the short name of a real one, and invented ones for machines without. */
#include "agent/gpu.h"

#include "base/buf.h"
#include "base/sigv4.h"

enum { SIMULATED_MAX = 64, UUID_BYTES = 16, GIB = 1024 };

/* ---- short names ---- */

static bool is_one_of(struct str word, const struct str *words, size_t count)
{
    for (size_t w = 0; w < count; w++) {
        if (str_eq_nocase(words[w], word)) { return true; }
    }
    return false;
}

static const struct str makers[] = {                 /* said before the model, and no part of it */
    STR_INIT("NVIDIA"), STR_INIT("Tesla"), STR_INIT("Quadro"), STR_INIT("GeForce"), STR_INIT("GRID"), STR_INIT("Graphics"),
};
static const struct str series[] = { STR_INIT("RTX"), STR_INIT("GTX"), STR_INIT("TITAN") };   /* mean nothing without what follows */
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

static const struct { struct str model; int64_t memory_mib; } models[] = {
    { STR_INIT("K80"),  12 * GIB }, { STR_INIT("M60"),   8 * GIB }, { STR_INIT("P4"),    8 * GIB }, { STR_INIT("P40"),  24 * GIB },
    { STR_INIT("P100"), 16 * GIB }, { STR_INIT("V100"), 16 * GIB }, { STR_INIT("T4"),   16 * GIB }, { STR_INIT("A10"),  24 * GIB },
    { STR_INIT("A10G"), 24 * GIB }, { STR_INIT("A30"),  24 * GIB }, { STR_INIT("A40"),  48 * GIB }, { STR_INIT("A100"), 40 * GIB },
    { STR_INIT("L4"),   24 * GIB }, { STR_INIT("L40"),  48 * GIB }, { STR_INIT("L40S"), 48 * GIB }, { STR_INIT("H100"), 80 * GIB },
    { STR_INIT("H200"), 141 * GIB }, { STR_INIT("B200"), 180 * GIB },
    { STR_INIT("RTX-3090"), 24 * GIB }, { STR_INIT("RTX-4090"), 24 * GIB }, { STR_INIT("RTX-5090"), 32 * GIB },
};

/* "-80GB" at the end says the memory of any model, known or not. */
static bool memory_in_name(struct str model, int64_t *memory_mib)
{
    struct str rest = model, word = model;
    while (str_find(rest, '-') < rest.len) { str_cut(rest, '-', &word, &rest); }
    int64_t gib = 0;
    if (rest.len == model.len || !is_memory_size(rest) || !str_to_i64(str_slice(rest, 0, str_find(rest, 'G')), &gib)) { return false; }
    *memory_mib = gib * GIB;
    return gib >= 1 && gib <= 4096;
}

/* *model becomes the name as the table spells it, so that "v100" and "V100" are one kind of GPU to the scheduler. */
static bool find_memory(struct str *model, int64_t *memory_mib, struct err *err)
{
    if (memory_in_name(*model, memory_mib)) { return true; }
    for (size_t m = 0; m < COUNT_OF(models); m++) {
        if (str_eq_nocase(models[m].model, *model)) {
            *model = models[m].model;
            *memory_mib = models[m].memory_mib;
            return true;
        }
    }
    return err_set(err, ERR_INVALID_PARAMETER, "GPU model \"" STR_FMT "\" is not known; say its memory with it, as in \""
                   STR_FMT "-80GB\".", STR_ARG(*model), STR_ARG(*model));
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

/* A UUID in NVML's form made of a hash, so that a machine that starts again has the same GPUs as before. */
static struct str simulated_uuid(struct str seed, size_t index, struct arena *arena)
{
    struct str text = arena_printf(arena, "berth simulated GPU %zu of " STR_FMT, index, STR_ARG(seed));
    uint8_t hash[32];
    sha256_bytes(text, hash);
    struct buf out = buf_in(arena);
    buf_put(&out, STR("GPU-"));
    for (size_t b = 0; b < UUID_BYTES; b++) {
        if (b == 4 || b == 6 || b == 8 || b == 10) { buf_put_char(&out, '-'); }
        buf_printf(&out, "%02x", hash[b]);
    }
    return arena_str(arena, buf_str(&out));
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
    return true;
}
