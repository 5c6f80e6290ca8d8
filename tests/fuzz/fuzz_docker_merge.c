/* fuzz_docker_merge.c: a payload's part of hostConfig, laid over the agent's, leaves what the agent decides as it is, and no member is
 * there twice, in any spelling. */
#include "agent/docker/docker.h"

#include "tests/fuzz/fuzz.h"

enum { CEILING = 8 * 1024 * 1024 };
#define OURS "{\"Binds\":[\"/srv:/srv\"],\"Runtime\":\"runc\",\"CgroupParent\":\"/berth\",\"VolumesFrom\":[\"a\"],\"DeviceRequests\":[{\"Driver\":\"nvidia\"}]," \
    "\"LogConfig\":{\"Type\":\"json-file\",\"Config\":{\"max-size\":\"10m\"}},\"CpuShares\":2}"

static struct str print(const struct json *value, struct arena *arena)
{
    struct buf buf = buf_in(arena);
    struct json_out out = json_out_to(&buf);
    json_dump(&out, value);
    return buf_str(&buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct str decided[] = { STR_INIT("Binds"), STR_INIT("Runtime"), STR_INIT("CgroupParent"), STR_INIT("VolumesFrom"), STR_INIT("DeviceRequests") };
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    struct err err = { 0 };
    const struct json *over = NULL, *ours = json_parse(STR(OURS), &arena, &err);
    if (docker_parse_overlay(DOCKER_HOST_CONFIG, fuzz_str(data, size), &over, &arena, &err)) {
        const struct json *merged = docker_merge(ours, over, &arena);
        for (size_t d = 0; d < COUNT_OF(decided); d++) {
            ASSERT(str_eq(print(docker_get_nocase(merged, decided[d]), &arena), print(json_get(ours, decided[d]), &arena)));
        }
        for (size_t m = 0; m < merged->count; m++) {
            for (size_t o = 0; o < m; o++) { ASSERT(!str_eq_nocase(merged->as.members[o].key, merged->as.members[m].key)); }
        }
    } else {
        ASSERT(strncmp(err.message, "HostConfigError: ", strlen("HostConfigError: ")) == 0);
    }
    arena_reset(&arena);
    return 0;
}
