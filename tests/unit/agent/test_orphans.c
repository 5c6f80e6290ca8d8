/* test_orphans.c: whose a container is that belongs to no task, and what its labels say of it. */
#include "agent/task/orphans.h"

#include <limits.h>
#include <stdlib.h>

#include "agent/docker/docker.h"
#include "tests/unit/check.h"

static struct arena arena = { .ceiling = 1024 * 1024 };

static void test_fate(void)
{
    static const struct { const char *name, *agent; size_t gpus; bool on_file, simulated; enum orphan_fate want; } rows[] = {
        { "of this folder", "here:/data", 1, false, false, ORPHAN_END },
        { "of this folder, without GPUs", "here:/data", 0, false, false, ORPHAN_END },
        { "of this folder, with invented GPUs", "here:/data", 1, false, true, ORPHAN_END },
        { "its file is there and cannot be read", "here:/data", 1, true, false, ORPHAN_HOLD },
        { "of another folder", "here:/other", 1, false, false, ORPHAN_HOLD },
        { "of another machine", "there:/data", 1, false, false, ORPHAN_HOLD },
        { "of another folder, without GPUs", "here:/other", 0, false, false, ORPHAN_LEAVE },
        { "of another folder, with GPUs beside our invented ones", "here:/other", 1, false, true, ORPHAN_LEAVE },
        { "of nobody that is known", NULL, 1, false, false, ORPHAN_HOLD },
        { "of nobody that is known, without GPUs", NULL, 0, false, false, ORPHAN_LEAVE },
    };
    struct str uuid = STR("GPU-aa");
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct container_found found = { .gpus = { &uuid, rows[r].gpus } };
        if (rows[r].agent != NULL) { found.agent = str_from(rows[r].agent); }
        CHECK_EQ(rows[r].name, orphan_fate_of(&found, STR("here:/data"), rows[r].on_file, rows[r].simulated), rows[r].want);
    }
}

static void test_name(void)
{
    struct str name = { 0 };
    struct err err = { 0 };
    CHECK("of a folder", orphans_agent_name("/", &name, &arena, &err) && str_ends_with(name, STR(":/")));
    CHECK("a way round is the same folder", orphans_agent_name("/proc/..", &name, &arena, &err) && str_ends_with(name, STR(":/")));
    CHECK("of none", !orphans_agent_name("/nowhere/at/all", &name, &arena, &err) && err.code == ERR_SERVER);
}

/* The labels that one run of the agent writes, the next run reads. */
static void test_labels(void)
{
    static const struct { const char *name; bool is_holder; size_t gpus; int64_t share, want_share, want_timeout; } rows[] = {
        { "two GPUs", false, 2, 1000, 1000, 7 }, { "a share of one", false, 1, 250, 250, 7 }, { "none", false, 0, 1000, 1000, 7 },
        { "a holder has nothing of its container's", true, 2, 500, 1000, 0 },
    };
    struct str uuids[] = { STR("GPU-aa"), STR("GPU-bb") };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct container_spec spec = {
            .task_arn = STR("arn:t"), .agent = STR("here:/data"), .gpus = { uuids, rows[r].gpus }, .gpu_share = rows[r].share, .stop_timeout_s = 7,
        };
        struct buf text = buf_in(&arena);
        struct json_out out = json_out_to(&text);
        json_open(&out, '{');
        json_key(&out, STR("Id"));
        json_str(&out, STR("1f"));
        json_key(&out, STR("Labels"));
        docker_put_labels(&out, &spec, rows[r].is_holder ? STR(DOCKER_HOLDER_NAME) : STR("main"), &arena);
        json_close(&out, '}');
        struct err err = { 0 };
        struct container_found found;
        docker_read_found(json_parse(buf_str(&text), &arena, &err), &found, &arena);
        CHECK(rows[r].name, str_eq(found.id, STR("1f")) && str_eq(found.task_arn, STR("arn:t")) && str_eq(found.agent, STR("here:/data")));
        CHECK_EQ(rows[r].name, found.is_holder, rows[r].is_holder);
        CHECK_EQ(rows[r].name, (int64_t)found.gpus.count, rows[r].is_holder ? 0 : (int64_t)rows[r].gpus);
        for (size_t g = 0; g < found.gpus.count; g++) { CHECK_STR(rows[r].name, found.gpus.items[g], uuids[g]); }
        CHECK_EQ(rows[r].name, found.gpu_share, rows[r].want_share);
        CHECK_EQ(rows[r].name, found.stop_timeout_s, rows[r].want_timeout);
    }
}

int main(void)
{
    test_fate();
    test_name();
    test_labels();
    arena_finish(&arena);
    return check_report();
}
