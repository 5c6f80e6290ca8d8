/* fuzz_docker_payload.c: a payload as the server sends it becomes a task, and each of its containers a body for Docker. On a machine that
 * gives nothing away no body asks for more, for any payload, and its labels say whose it is. */
#include "agent/docker/docker.h"
#include "agent/task/task.h"
#include "base/num.h"
#include "model/capabilities.h"
#include "tests/fuzz/fuzz.h"

enum { CEILING = 8 * 1024 * 1024 };

static const struct runtime_ops silent_ops = { .name = "silent" };

static int64_t no_ports(struct port_span span, int64_t count, enum transport_protocol protocol)
{
    (void)protocol;
    return count <= span.last - span.first ? span.first : 0;
}

static void check_body(struct str body, const struct task *task, struct str name, struct arena *arena)
{
    struct err err = { 0 };
    const struct json *tree = json_parse(body, arena, &err), *host = docker_get_nocase(tree, STR("HostConfig"));
    if (tree == NULL) {
        ASSERT(err.code == ERR_REQUEST_TOO_LARGE || arena_exhausted(arena));
        return;
    }
    ASSERT(str_eq(json_get_str(docker_get_nocase(tree, STR("Labels")), STR(DOCKER_LABEL_TASK)), task->arn));
    ASSERT(str_eq(json_get_str(docker_get_nocase(tree, STR("Labels")), STR(DOCKER_LABEL_CONTAINER)), name));
    ASSERT(host != NULL && host->type == JSON_OBJECT);
    for (size_t m = 0; m < host->count; m++) {
        const struct json_member *member = &host->as.members[m];
        for (size_t o = 0; o < m; o++) { ASSERT(!str_eq_nocase(host->as.members[o].key, member->key)); }
        ASSERT(!str_eq_nocase(member->key, STR("Mounts")) && !str_eq_nocase(member->key, STR("RestartPolicy")));
        if (str_eq_nocase(member->key, STR("Privileged"))) { ASSERT(member->value.type != JSON_TRUE); }
        if (str_eq_nocase(member->key, STR("PidMode"))) { ASSERT(!str_eq_nocase(json_get_str(host, member->key), STR("host"))); }
        if (str_eq_nocase(member->key, STR("Devices"))) { ASSERT(member->value.type != JSON_ARRAY || json_get_str(&member->value, STR("PathOnHost")).len == 0); }
        for (size_t c = 0; str_eq_nocase(member->key, STR("CapAdd")) && member->value.type == JSON_ARRAY && c < member->value.count; c++) {
            const struct json *word = &member->value.as.items[c];
            ASSERT(word->type != JSON_STRING || capability_is_usual(word->as.string));
        }
    }
}

static void check_container(const struct task *task, size_t at, struct arena *arena)
{
    struct str_list sources = { 0 };
    struct container_spec spec = {
        .task_arn = task->arn, .cluster = STR("c"), .family = task->wire->family, .revision = task->wire->version, .task = task->wire,
        .container = &task->wire->containers.items[at], .environment = task->wire->containers.items[at].environment,
    };
    struct docker_plan plan = { .spec = &spec, .no_privileged = true, .find_ports = no_ports, .dynamic_ports = docker_usual_ports, .volume_sources = &sources };
    struct err err = { 0 };
    struct str body = { NULL, 0 }, name = { NULL, 0 };
    if (docker_create_body(&plan, &body, arena, &err)) {
        check_body(body, task, spec.container->name, arena);
    } else {
        ASSERT(err.code != ERR_NONE && err.message[0] != '\0');
    }
    for (size_t v = 0; v < task->wire->volumes.count; v++) {
        err = (struct err){ 0 };
        ASSERT(docker_volume_body(&plan, task->wire->volumes.items[v].name, &name, &body, arena, &err) || err.message[0] != '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct runtime runtime = { &silent_ops };
    static struct task_host host = { .runtime = &runtime, .cluster = "c" };
    static struct arena arena;
    char reason[TASK_REASON_MAX] = "";
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    struct err err = { 0 };
    const struct json *payload = json_parse(fuzz_str(data, size), &arena, &err);
    struct task *task = payload == NULL || payload->type != JSON_OBJECT ? NULL : task_create(&host, payload, &err);
    if (task != NULL) {
        struct docker_limits limits;
        ASSERT(task_check(task, reason) || reason[0] != '\0');
        docker_limits_of(DOCKER_CGROUPS_V2, task->wire, &limits);
        for (size_t c = 0; c < task->count; c++) { check_container(task, c, &arena); }
        task_destroy(task);
    } else {
        ASSERT(payload != NULL || err.code != ERR_NONE);
    }
    arena_reset(&arena);
    return 0;
}
