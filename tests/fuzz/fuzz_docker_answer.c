/* fuzz_docker_answer.c: the values from any answer of Docker make sense: times in their order, a code only of one that has ended,
 * ports only of one that runs, no figure below nothing, and a message in one line. */
#include "agent/docker/docker.h"

#include "tests/fuzz/fuzz.h"

enum { CEILING = 8 * 1024 * 1024 };

static void check_state(const struct json *tree, struct arena *arena)
{
    struct container_state state;
    bool good = docker_read_state(tree, &state, arena);
    ASSERT(good == state.exists && state.started_ms >= 0 && state.finished_ms >= 0);
    ASSERT(!state.running || (!state.exit_code.set && state.finished_ms == 0));
    ASSERT(!state.exit_code.set || (state.started_ms > 0 && state.finished_ms >= state.started_ms));
    ASSERT(state.running || (state.bindings.count == 0 && state.health == HEALTH_STATUS_UNSET));
    for (size_t b = 0; b < state.bindings.count; b++) {
        struct str ip = state.bindings.items[b].bind_ip;
        ASSERT(ip.len > 0 && str_find(ip, ':') == ip.len && state.bindings.items[b].host_port.set && state.bindings.items[b].container_port.set);
    }
}

static void check_use(const struct json *tree)
{
    struct container_usage use = { 0 };
    if (!docker_read_usage(tree, &use)) { return; }
    const struct opt_double values[] = { use.cpu_seconds, use.memory_bytes, use.network_received_bytes, use.network_sent_bytes, use.block_read_bytes,
                                         use.block_written_bytes };
    for (size_t v = 0; v < COUNT_OF(values); v++) { ASSERT(values[v].value >= 0 && (values[v].set || values[v].value == 0)); }
}

static void check_found(const struct json *tree, struct arena *arena)
{
    struct container_found found;
    docker_read_found(tree, &found, arena);
    ASSERT(found.gpu_share > 0 && found.stop_timeout_s >= 0);
    for (size_t g = 0; g < found.gpus.count; g++) { ASSERT(found.gpus.items[g].len > 0 && str_find(found.gpus.items[g], ',') == found.gpus.items[g].len); }
}

static void check_texts(struct str text, struct arena *arena)
{
    int64_t ns = -1;
    struct str name, tag, message = docker_read_message(text, arena);
    ASSERT(!docker_parse_time(text, &ns) || ns >= 0);
    for (size_t i = 0; i < message.len; i++) { ASSERT((unsigned char)message.ptr[i] >= 0x20); }
    docker_split_image(text, &name, &tag);
    ASSERT(name.len + tag.len <= text.len || str_eq(tag, STR("latest")));
    ASSERT(str_starts_with(text, name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    struct str text = fuzz_str(data, size);
    struct err err = { 0 };
    check_texts(text, &arena);
    const struct json *tree = json_parse(text, &arena, &err);
    check_state(tree, &arena);
    check_use(tree);
    check_found(tree, &arena);
    struct str digest = docker_read_digest_of(tree, STR("busybox:1"));
    ASSERT(digest.len < size + 1);
    (void)docker_cgroups_of(tree);
    arena_reset(&arena);
    return 0;
}
