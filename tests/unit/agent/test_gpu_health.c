/* Is a GPU fit for tasks: what NVML says, look by look, and its errors as they happen, from a made-up library. */
#include "tests/unit/check.h"

#include "agent/gpu/look.h"
#include "agent/machine_gpus.h"

/* ---- NVIDIA's numbers ---- */

static void test_xids(void)
{
    static const struct { unsigned int number; bool out; enum gpu_fault_kind fault; } rows[] = {
        { 13, false, GPU_WELL }, { 31, false, GPU_WELL }, { 43, false, GPU_WELL }, { 45, false, GPU_WELL }, { 94, false, GPU_WELL },
        { 48, true, GPU_FAILED }, { 62, true, GPU_FAILED }, { 64, true, GPU_FAILED }, { 74, true, GPU_FAILED }, { 95, true, GPU_FAILED },
        { 119, true, GPU_FAILED }, { 79, true, GPU_GONE }, { 9999, false, GPU_WELL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct gpu_state state = { 0 };
        char row[16];
        (void)snprintf(row, sizeof row, "Xid %u", rows[r].number);
        CHECK_EQ(row, gpu_state_error(&state, rows[r].number, 5), rows[r].out);
        CHECK_EQ(row, state.fault, rows[r].fault);
    }
}

/* ---- looks ---- */

#define WELL .memory_used_mib = 10, .ecc_uncorrected = 0
#define BUSY .memory_used_mib = 9000, .ecc_uncorrected = 0, .in_use = true

/* Each row is a life: looks, one after the other, `times` of each; the fault at the end, and how it is reported. */
static const struct {
    const char *name;
    struct { unsigned int xid; struct gpu_sample sample; int times; } steps[5];
    enum gpu_fault_kind fault; const char *reason;
} lives[] = {
    { "all is well", { { 0, { WELL }, 5 } }, GPU_WELL, "" },
    { "gone", { { 0, { WELL }, 1 }, { 0, { .code = NVML_LOST, .memory_used_mib = -1 }, 1 } }, GPU_GONE,
      "it no longer answers: it has fallen off the bus or was taken out" },
    { "gone, as it said itself", { { 0, { WELL }, 1 }, { 79, { .code = NVML_LOST }, 1 } }, GPU_GONE, "Xid 79: it has fallen off the bus" },
    { "back", { { 0, { .code = NVML_LOST }, 1 }, { 0, { WELL }, GPU_CLEAN_LOOKS } }, GPU_WELL, "" },
    { "back, but not for long enough", { { 0, { .code = NVML_LOST }, 1 }, { 0, { WELL }, GPU_CLEAN_LOOKS - 1 } }, GPU_GONE,
      "it no longer answers: it has fallen off the bus or was taken out" },
    { "one answer that fails", { { 0, { WELL }, 1 }, { 0, { .code = 999, .code_text = "Unknown Error" }, 1 } }, GPU_WELL, "" },
    { "answers that fail", { { 0, { .code = 999, .code_text = "Unknown Error" }, 2 } }, GPU_SICK, "it does not answer: Unknown Error" },
    { "a reset is needed", { { 0, { .code = NVML_RESET_REQUIRED }, 1 } }, GPU_SICK, "it needs a reset: `nvidia-smi --gpu-reset` or a reboot" },
    { "rows wait", { { 0, { WELL, .remap_pending = true }, 1 } }, GPU_SICK,
      "its memory has bad places that are taken out of use by a reset: `nvidia-smi --gpu-reset` or a reboot" },
    { "pages wait", { { 0, { WELL, .retire_pending = true }, 1 } }, GPU_SICK,
      "its memory has bad places that are taken out of use by a reset: `nvidia-smi --gpu-reset` or a reboot" },
    { "rows failed", { { 0, { WELL, .remap_failed = true, .remap_pending = true }, 1 } }, GPU_SICK,
      "its memory has rows that could not be remapped: the device should be replaced" },
    { "reset since", { { 0, { WELL, .remap_pending = true }, 1 }, { 0, { WELL }, GPU_CLEAN_LOOKS } }, GPU_WELL, "" },
    { "old ECC errors", { { 0, { .memory_used_mib = 10, .ecc_uncorrected = 7 }, 3 } }, GPU_WELL, "" },
    { "new ECC errors", { { 0, { WELL }, 1 }, { 0, { .memory_used_mib = 10, .ecc_uncorrected = 2 }, 2 } }, GPU_FAILED, "2 uncorrectable ECC errors" },
    { "an error holds", { { 48, { WELL }, GPU_HOLD_LOOKS - 1 } }, GPU_FAILED, "Xid 48: double bit ECC error" },
    { "an error is over", { { 48, { WELL }, GPU_HOLD_LOOKS } }, GPU_WELL, "" },
    { "twice takes twice as long", { { 48, { WELL }, GPU_HOLD_LOOKS }, { 48, { WELL }, GPU_HOLD_LOOKS } }, GPU_FAILED, "Xid 48: double bit ECC error" },
    { "who is on it may meet it again", { { 48, { BUSY }, 10 * GPU_HOLD_LOOKS } }, GPU_FAILED, "Xid 48: double bit ECC error" },
    { "memory in use", { { 0, { WELL }, 3 }, { 0, { BUSY }, 5 } }, GPU_WELL, "" },
    { "memory given back late", { { 0, { WELL }, 3 }, { 0, { BUSY }, 5 }, { 0, { .memory_used_mib = 9000 }, 1 }, { 0, { WELL }, 5 } }, GPU_WELL, "" },
    { "memory left behind",
      { { 0, { WELL }, 3 }, { 0, { BUSY }, 5 }, { 0, { .memory_used_mib = 2010, .pids = { 41, 42 }, .process_count = 2 }, 3 } }, GPU_DIRTY,
      "2000 MiB of memory were left behind by its tasks, of process 41, 42" },
    { "a little left behind", { { 0, { WELL }, 3 }, { 0, { BUSY }, 5 }, { 0, { .memory_used_mib = 10 + GPU_LEFT_BEHIND_MIB }, 3 } }, GPU_WELL, "" },
    { "cleared up", { { 0, { WELL }, 3 }, { 0, { BUSY }, 5 }, { 0, { .memory_used_mib = 2010 }, 3 }, { 0, { WELL }, 1 } }, GPU_WELL, "" },
    { "somebody's from the beginning", { { 0, { .memory_used_mib = 5000 }, 9 } }, GPU_WELL, "" },
};

static void test_lives(void)
{
    for (size_t l = 0; l < COUNT_OF(lives); l++) {
        struct gpu_state state = { 0 };
        int64_t now_ms = 1000;
        for (size_t s = 0; s < COUNT_OF(lives[l].steps); s++) {
            if (lives[l].steps[s].xid != 0) { (void)gpu_state_error(&state, lives[l].steps[s].xid, now_ms); }
            for (int t = 0; t < lives[l].steps[s].times; t++) { (void)gpu_state_look(&state, &lives[l].steps[s].sample, now_ms += GPU_LOOK_EVERY_MS); }
        }
        CHECK_EQ(lives[l].name, state.fault, lives[l].fault);
        CHECK_STR(lives[l].name, str_from(state.reason), str_from(lives[l].reason));
    }
}

/* A fault that goes on began when it began; one that comes once more is a new one. */
static void test_news(void)
{
    struct gpu_state state = { 0 };
    const struct gpu_sample lost = { .code = NVML_LOST };
    CHECK("news", gpu_state_look(&state, &lost, 10));
    CHECK("no news", !gpu_state_look(&state, &lost, 20));
    CHECK_EQ("since", state.since_ms, 10);
    state = (struct gpu_state){ 0 };
    CHECK("an error", gpu_state_error(&state, 48, 10));
    CHECK("again", gpu_state_error(&state, 48, 20));
    CHECK_EQ("since the last", state.since_ms, 20);
}

/* ---- through the library ---- */

struct nvml_device { unsigned int index; };
struct nvml_events { int registered; };
static struct nvml_device devices[2] = { { 0 }, { 1 } };
static struct nvml_events event_set;
static struct { int init, code[2]; unsigned int count; struct nvml_event queue[4]; size_t queued, taken; int opened; unsigned long long used; } made;

static int made_init(void) { made.opened += made.init == NVML_OK; return made.init; }
static int made_shutdown(void) { made.opened--; return NVML_OK; }
static const char *made_text(int code) { return code == NVML_LOST ? "GPU is lost" : "Unknown Error"; }
static int made_count(unsigned int *count) { *count = made.count; return NVML_OK; }
static int made_device(unsigned int index, struct nvml_device **device) { *device = &devices[index]; return made.code[index]; }
static int made_uuid(struct nvml_device *device, char *out, unsigned int size)
{
    (void)snprintf(out, size, "GPU-%u", device->index);
    return made.code[device->index];
}
static int made_memory(struct nvml_device *device, struct nvml_memory *memory)
{
    *memory = (struct nvml_memory){ .total = 16ull << 30, .used = made.used };
    return made.code[device->index];
}
static int made_pci(struct nvml_device *device, struct nvml_pci *pci)
{
    *pci = (struct nvml_pci){ .bus = 0x3b + device->index };
    (void)snprintf(pci->bus_id, sizeof pci->bus_id, "00000000:%02X:00.0", pci->bus);
    return NVML_OK;
}
static int made_open(struct nvml_events **events) { *events = &event_set; return NVML_OK; }
static int made_close(struct nvml_events *events) { events->registered = 0; return NVML_OK; }
static int made_add(struct nvml_device *device, unsigned long long kinds, struct nvml_events *events)
{
    CHECK_EQ("errors are asked for", kinds, NVML_EVENT_XID);
    events->registered++;
    return device->index == 0 ? NVML_OK : NVML_NOT_SUPPORTED;
}
static int made_wait(struct nvml_events *events, struct nvml_event *event, unsigned int timeout_ms)
{
    (void)events;
    (void)timeout_ms;
    if (made.taken == made.queued) { return NVML_TIMEOUT; }
    *event = made.queue[made.taken++];
    return NVML_OK;
}
static int made_ecc(struct nvml_device *device, int kind, int counter, unsigned long long *count)
{
    CHECK("uncorrectable, since the driver was loaded", kind == NVML_UNCORRECTED && counter == NVML_SINCE_LOADED);
    *count = 0;
    return device->index == 0 ? NVML_OK : NVML_NOT_SUPPORTED;
}

static const struct nvml library = {
    .init = made_init, .shutdown = made_shutdown, .error_text = made_text, .count = made_count, .device = made_device, .uuid = made_uuid,
    .memory = made_memory, .pci = made_pci, .events_open = made_open, .events_close = made_close, .events_add = made_add,
    .events_wait = made_wait, .ecc_errors = made_ecc,
};

static bool nobody(void *owner, const char *bus_id)
{
    (void)owner;
    return strcmp(bus_id, "nowhere") == 0;
}

static void test_library(void)
{
    struct gpu_looks looks = { 0 };
    bool broken;
    made.count = 2;
    CHECK("it opens", gpu_looks_open(&looks, &library));
    CHECK_EQ("two devices", looks.count, 2);
    CHECK_EQ("that report errors", event_set.registered, 2);
    CHECK("nothing is wrong", !gpu_looks_look(&looks, &library, nobody, NULL, 10, &broken) && !broken);
    made.queue[made.queued++] = (struct nvml_event){ .device = &devices[1], .kind = NVML_EVENT_XID, .data = 31 };
    CHECK("an application's error", !gpu_looks_wait(&looks, &library, 5, 20));
    made.queue[made.queued++] = (struct nvml_event){ .device = &devices[1], .kind = NVML_EVENT_XID, .data = 79 };
    CHECK("off the bus", gpu_looks_wait(&looks, &library, 5, 30));
    CHECK_EQ("the other is well", looks.gpus[0].state.fault, GPU_WELL);
    CHECK_EQ("this one is gone", looks.gpus[1].state.fault, GPU_GONE);
    made.code[1] = NVML_LOST;
    CHECK("no news", !gpu_looks_look(&looks, &library, nobody, NULL, 40, &broken));
    CHECK("NVML wants to be opened again", broken);
    gpu_looks_close(&looks, &library);
    CHECK_EQ("closed", made.opened, 0);

    made.count = 1;                                      /* the driver forgets it */
    CHECK("opens", gpu_looks_open(&looks, &library));
    CHECK_EQ("it is not forgotten", looks.count, 2);
    CHECK("it is nowhere", looks.gpus[1].device == NULL);
    (void)gpu_looks_look(&looks, &library, nobody, NULL, 50, &broken);
    CHECK_EQ("still gone", looks.gpus[1].state.fault, GPU_GONE);
    gpu_looks_close(&looks, &library);
    made.count = 2;
    made.code[1] = NVML_OK;
    CHECK("opens", gpu_looks_open(&looks, &library));
    for (int n = 0; n < GPU_CLEAN_LOOKS; n++) { (void)gpu_looks_look(&looks, &library, nobody, NULL, 60 + n, &broken); }
    CHECK_EQ("back at the same place", looks.gpus[1].state.fault, GPU_WELL);
    gpu_looks_close(&looks, &library);
    made.init = NVML_DRIVER_NOT_LOADED;
    CHECK("no driver", !gpu_looks_open(&looks, &library));
    CHECK_EQ("closed", made.opened, 0);
}

/* ---- which devices there are ---- */

static struct gpu_info info(const char *uuid, const char *bus_id) { return (struct gpu_info){ .uuid = str_from(uuid), .pci_bus_id = str_from(bus_id) }; }

static void test_merge(void)
{
    struct arena arena = { 0 };
    arena_init(&arena, 1 << 20);
    int64_t links[9] = { 0, 1, 2, 1, 0, 3, 2, 3, 0 };
    struct gpu_info before_gpus[] = { info("GPU-0", "a"), info("GPU-1", "b"), info("GPU-2", "c") }, now_gpus[] = { info("GPU-0", "a"), info("GPU-2", "c") };
    struct gpu_info split[] = { info("GPU-0", "a"), info("MIG-1", "b"), info("MIG-2", "b"), info("GPU-2", "c") };
    struct gpu_inventory before = { .gpus = before_gpus, .count = 3, .links = links }, now = { .gpus = now_gpus, .count = 2 }, merged;
    gpu_inventory_merge(&before, &now, &merged, &arena);
    CHECK("one that is gone stays, in its slot", gpu_inventory_is_same(&before, &merged));
    CHECK("and so do the links", merged.links == links);
    now = (struct gpu_inventory){ .gpus = split, .count = 4 };
    gpu_inventory_merge(&before, &now, &merged, &arena);
    CHECK("one that is split is its parts", gpu_inventory_is_same(&now, &merged));
    now = (struct gpu_inventory){ .problem = STR("the NVIDIA driver does not start") };
    gpu_inventory_merge(&before, &now, &merged, &arena);
    CHECK("without a driver they are where they were", gpu_inventory_is_same(&before, &merged));
    CHECK("and the reason is given", str_is_set(merged.problem));
    before.count = 0;
    now = (struct gpu_inventory){ .gpus = now_gpus, .count = 2 };
    gpu_inventory_merge(&before, &now, &merged, &arena);
    CHECK("those that come are there", gpu_inventory_is_same(&now, &merged));
    arena_finish(&arena);
}

/* ---- the report ---- */

static void test_report(void)
{
    struct arena arena = { 0 };
    arena_init(&arena, 1 << 20);
    struct gpu_info gpus[] = { info("GPU-0", "a"), info("MIG-1", "b"), info("MIG-2", "b") };
    struct gpu_trouble trouble = { STR("b"), STR("Xid 79: it has fallen off the bus"), GPU_GONE, 5000 };
    struct inventory inventory = { .gpus = { .gpus = gpus, .count = 3 } };
    struct machine_gpus machine = { .cluster = "default", .inventory = &inventory, .instance = "arn:x", .troubles = { &trouble, 1 } };
    CHECK_STR("all parts of it", machine_gpus_report(&machine, &arena),
              STR("{\"cluster\":\"default\",\"containerInstance\":\"arn:x\",\"status\":\"IMPAIRED\",\"statusReason\":\"MIG-1: Xid 79: it has fallen off the bus\","
                  "\"findings\":[],\"gpus\":[{\"uuid\":\"MIG-1\",\"reason\":\"Xid 79: it has fallen off the bus\",\"since\":5.000,\"gone\":true},"
                  "{\"uuid\":\"MIG-2\",\"reason\":\"Xid 79: it has fallen off the bus\",\"since\":5.000,\"gone\":true}]}"));
    machine.troubles.count = 0;
    inventory = (struct inventory){ .gpus = { .pci_devices = 8 }, .gpus_off = true };
    struct str off = machine_gpus_report(&machine, &arena);
    CHECK("switched off", memmem(off.ptr, off.len, "GPU support is switched off", 27) != NULL);
    arena_finish(&arena);
}

int main(void)
{
    test_xids();
    test_lives();
    test_news();
    test_library();
    test_merge();
    test_report();
    return check_report();
}
