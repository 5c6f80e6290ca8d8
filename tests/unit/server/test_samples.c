/* The newest samples of machines: which replace which, which stay, which are forgotten, and a limit of their number. */
#include "server/figures/samples.h"

#include "base/json.h"
#include "tests/unit/check.h"

enum { START_MS = 1000000, ROOM = 6 };

static struct arena arena;
static struct samples *samples;

/* The report of one machine: "GPU-a=0.5,GPU-b" and "main,side"; a GPU without a figure has none. */
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
        struct gpu_sample *gpu = &told_gpus[sample.gpus.count++];
        *gpu = (struct gpu_sample){ .uuid = uuid, .at_ms = now_ms };
        if (known) { gpu_figure_set(&gpu->told, GPU_UTILIZATION, (double)(value.ptr[0] - '0') / 10); }
    }
    for (rest = str_from(containers); rest.len > 0;) {
        str_cut(rest, ',', &one, &rest);
        told_containers[sample.containers.count++] = (struct container_sample){ .task = { { 7 } }, .told = { .container = one, .cpu_cores = { 2, true } }, .at_ms = now_ms };
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
        const struct gpu_sample *gpu = &sample.gpus.items[g];
        struct opt_double busy = gpu_figure(&gpu->told, GPU_UTILIZATION);
        buf_printf(&out, "[" STR_FMT, STR_ARG(gpu->uuid));
        if (busy.set) { buf_printf(&out, "=%.1f", busy.value); }
        buf_put_char(&out, ']');
    }
    for (size_t c = 0; c < sample.containers.count; c++) { buf_printf(&out, "(" STR_FMT ")", STR_ARG(sample.containers.items[c].told.container)); }
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
    CHECK_STR("a part leaves the rest, and a name is there once", show(1, START_MS + 20), STR("[GPU-a=0.7](main)(side)"));
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

/* The answer to a viewer who knows all up to `since`: each machine by the last digit of its id, and how much of it. */
static uint64_t ask(uint64_t since, int64_t now_ms, size_t most, char shown[64])
{
    struct buf out = buf_in(&arena);
    struct err err = { 0 };
    size_t len = 0;
    buf_put_char(&out, '[');
    uint64_t told = samples_print_since(samples, since, now_ms, most, &out);
    buf_put_char(&out, ']');
    const struct json *list = json_parse(buf_str(&out), &arena, &err);
    CHECK_STR("it is JSON", str_from(err.message), STR(""));
    shown[0] = '\0';
    for (size_t m = 0; list != NULL && m < list->count; m++) {
        const struct json *machine = &list->as.items[m];
        struct str id = json_get_str(machine, STR("id"));
        len += (size_t)snprintf(shown + len, 64 - len, "%c:%zu+%zu ", id.ptr[id.len - 1], json_get(machine, STR("gpus"))->count,
                                json_get(machine, STR("containers"))->count);
    }
    return told;
}

static void test_news(void)
{
    char shown[64];
    uint64_t told = ask(0, START_MS + 50, 1 << 20, shown);
    CHECK_STR("all, in the order in which they told", str_from(shown), STR("1:1+2 2:3+0 "));
    CHECK_EQ("nothing since", (int64_t)ask(told, START_MS + 50, 1 << 20, shown), (int64_t)told);
    CHECK_STR("nothing since", str_from(shown), STR(""));
    CHECK("one of them", put(1, true, START_MS + 60, "GPU-a=7,GPU-b", ""));
    uint64_t first = ask(0, START_MS + 60, 1, shown);
    CHECK_STR("as much as was wanted, at least one", str_from(shown), STR("2:3+0 "));
    (void)ask(first, START_MS + 60, 1, shown);
    CHECK_STR("and on from there", str_from(shown), STR("1:2+0 "));
    (void)ask(told, START_MS + 60, 1 << 20, shown);
    CHECK_STR("a viewer who knew the rest gets that one", str_from(shown), STR("1:2+0 "));
    struct sample_size *sizes;
    CHECK_EQ("who tells", (int64_t)samples_list(samples, START_MS + 60, &sizes, &arena), 2);
    CHECK("sorted by id", sizes[0].instance.bytes[15] == 1 && sizes[0].gpus == 2 && sizes[0].containers == 0 && sizes[1].instance.bytes[15] == 2);
    CHECK("as it was", put(1, true, START_MS + 20, "GPU-a=7", "main,side"));
}

/* Word for word, with unknown figures, and figures that no machine has. */
static void test_words(void)
{
    struct samples *own = samples_create(ROOM);
    struct gpu_sample gpus[] = {
        { .uuid = STR("GPU-a"), .at_ms = START_MS - 250 }, { .uuid = STR("MIG-b"), .at_ms = START_MS } };
    static const struct { enum gpu_figure figure; double value; } told[] = {
        { GPU_UTILIZATION, 0.875 }, { GPU_MEMORY_USED, 3 << 20 }, { GPU_MEMORY_TOTAL, 4.5 * (1 << 20) }, { GPU_TEMPERATURE, 61.9 }, { GPU_POWER, 1e18 } };
    for (size_t t = 0; t < COUNT_OF(told); t++) { gpu_figure_set(&gpus[0].told, told[t].figure, told[t].value); }
    struct container_sample container = { .task = { { 7 } }, .told = { .container = STR("main"), .cpu_cores = { 1.5, true }, .block_written_bytes = { 7, true } }, .at_ms = START_MS };
    const struct machine_sample sample = { .instance = { { [15] = 9 } }, .at_ms = START_MS, .simulated = true, .gpus = { gpus, 2 }, .containers = { &container, 1 } };
    struct buf out = buf_in(&arena);
    CHECK("told", samples_put(own, &sample, true, START_MS));
    for (int viewer = 0; viewer < 2; viewer++) {
        out.len = 0;
        (void)samples_print_since(own, 0, START_MS, 1, &out);
        CHECK_STR("the first viewer and those after it", buf_str(&out), STR("{\"id\":\"00000000000000000000000000000009\",\"at\":1000000,\"simulated\":true,"
            "\"gpus\":[[\"GPU-a\",250,0.875,3,4,62,214748364],[\"MIG-b\",0,null,null,null,null,null]],"
            "\"containers\":[[\"07000000000000000000000000000000\",\"main\",0,1.5,null,null,null,null,7]]}"));
    }
    samples_destroy(own);
}

static void test_age(void)
{
    CHECK("a later part", put(1, false, START_MS + SAMPLES_KEPT_MS, "", "side"));
    CHECK_STR("an old figure is left out", show(1, START_MS + SAMPLES_KEPT_MS + 30), STR("(side)"));
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
    test_news();
    test_words();
    test_age();
    CHECK("left behind for the end", put(4, true, START_MS + 4 * (int64_t)SAMPLES_KEPT_MS, "GPU-a", "main"));
    samples_destroy(samples);
    samples_destroy(NULL);
    arena_finish(&arena);
    return check_report();
}
