/* The newest samples of machines: what replaces what, what stays, what is forgotten, and that there is an end to it. */
#include "server/samples.h"

#include "tests/unit/check.h"

enum { START_MS = 1000000, ROOM = 6 };

static struct arena arena;
static struct samples *samples;

/* What one machine tells: "GPU-a=0.5,GPU-b" and "main,side"; a GPU without a figure has none. */
static bool put(uint8_t machine, bool whole, int64_t now_ms, const char *gpus, const char *containers)
{
    struct gpu_sample told_gpus[8];
    struct container_sample told_containers[8];
    struct machine_sample sample = {
        .instance = { { [15] = machine } }, .at_ms = now_ms, .simulated = whole, .gpus = { told_gpus, 0 }, .containers = { told_containers, 0 },
    };
    struct str one, rest = str_from(gpus);
    while (rest.len > 0) {
        struct str uuid, value;
        str_cut(rest, ',', &one, &rest);
        bool known = str_cut(one, '=', &uuid, &value);
        told_gpus[sample.gpus.count++] = (struct gpu_sample){ { .uuid = uuid, .utilization = { known ? (double)(value.ptr[0] - '0') / 10 : 0, known } }, now_ms };
    }
    for (rest = str_from(containers); rest.len > 0;) {
        str_cut(rest, ',', &one, &rest);
        told_containers[sample.containers.count++] = (struct container_sample){ .task = { { 7 } }, .container = one, .cpu_cores = { 2, true }, .at_ms = now_ms };
    }
    return samples_put(samples, &sample, whole, now_ms);
}

static struct str show(uint8_t machine, int64_t now_ms)
{
    struct machine_sample sample;
    struct buf out = buf_in(&arena);
    const struct id id = { { [15] = machine } };
    if (!samples_of(samples, id, now_ms, &sample, &arena)) { return STR("nothing"); }
    for (size_t g = 0; g < sample.gpus.count; g++) {
        const struct wire_gpu_sample *gpu = &sample.gpus.items[g].told;
        buf_printf(&out, "[" STR_FMT, STR_ARG(gpu->uuid));
        if (gpu->utilization.set) { buf_printf(&out, "=%.1f", gpu->utilization.value); }
        buf_put_char(&out, ']');
    }
    for (size_t c = 0; c < sample.containers.count; c++) { buf_printf(&out, "(" STR_FMT ")", STR_ARG(sample.containers.items[c].container)); }
    return buf_str(&out);
}

static void test_replacing(void)
{
    CHECK_STR("of nobody", show(1, START_MS), STR("nothing"));
    CHECK("first", put(1, true, START_MS, "GPU-a=5,GPU-b", "main"));
    CHECK_STR("first", show(1, START_MS), STR("[GPU-a=0.5][GPU-b](main)"));
    CHECK("the whole again", put(1, true, START_MS + 10, "GPU-a=7", ""));
    CHECK_STR("what a whole report does not name is gone", show(1, START_MS + 10), STR("[GPU-a=0.7]"));
    CHECK("a part", put(1, false, START_MS + 20, "", "main,main,side"));
    CHECK_STR("a part leaves the rest, and a name stands once", show(1, START_MS + 20), STR("[GPU-a=0.7](main)(side)"));
    CHECK_EQ("counted", (int64_t)samples_count(samples, START_MS + 20), 3);
    CHECK_STR("of another", show(2, START_MS + 20), STR("nothing"));
}

static void test_room(void)
{
    CHECK("fills it", put(2, true, START_MS + 30, "GPU-c,GPU-d,GPU-e", ""));
    CHECK("one too many", !put(3, true, START_MS + 30, "GPU-f", ""));
    CHECK_STR("is not kept", show(3, START_MS + 30), STR("nothing"));
    CHECK("more of one who is there", !put(2, false, START_MS + 40, "GPU-f", ""));
    CHECK_STR("which keeps what it had", show(2, START_MS + 40), STR("[GPU-c][GPU-d][GPU-e]"));
    CHECK("as many as before", put(2, true, START_MS + 50, "GPU-c=1,GPU-d,GPU-f", ""));
    CHECK_EQ("counted", (int64_t)samples_count(samples, START_MS + 50), ROOM);
}

static void test_age(void)
{
    CHECK("a later part", put(1, false, START_MS + SAMPLES_KEPT_MS, "", "side"));
    CHECK_STR("what is old is left out", show(1, START_MS + SAMPLES_KEPT_MS + 30), STR("(side)"));
    CHECK_STR("the silent one", show(2, START_MS + 2 * SAMPLES_KEPT_MS), STR("nothing"));
    CHECK_STR("both in the end", show(1, START_MS + 3 * SAMPLES_KEPT_MS), STR("nothing"));
    CHECK_EQ("and their room is free", (int64_t)samples_count(samples, START_MS + 3 * SAMPLES_KEPT_MS), 0);
}

int main(void)
{
    arena_init(&arena, (size_t)1 << 20);
    samples = samples_create(ROOM);
    test_replacing();
    test_room();
    test_age();
    CHECK("left behind for the end", put(4, true, START_MS + 4 * (int64_t)SAMPLES_KEPT_MS, "GPU-a", "main"));
    samples_destroy(samples);
    samples_destroy(NULL);
    arena_finish(&arena);
    return check_report();
}
