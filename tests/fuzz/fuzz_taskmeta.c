/* fuzz_taskmeta.c: a client without an id learns nothing, by any request: each answer is a refusal, and JSON where it says so. The
 * input is "METHOD path query body", cut at blanks. */
#include "agent/inside/taskmeta_internal.h"

#include "tests/fuzz/fuzz.h"

enum { CEILING = 4 * 1024 * 1024 };
#define PAYLOAD "{\"clusterArn\":\"c\",\"containerInstanceArn\":\"i\",\"messageId\":\"m\",\"tasks\":[{\"arn\":\"arn:aws:ecs:us-east-1:1:task/c/0011\"," \
    "\"desiredStatus\":\"RUNNING\",\"roleCredentials\":{\"credentialsId\":\"5a2e65a6-9c04-4a8f-8d3c-2d7e5a7f0b11\",\"secretAccessKey\":\"hush\"}," \
    "\"containers\":[{\"name\":\"main\",\"image\":\"x\"}]}]}"

static const struct runtime_ops silent_ops = { .name = "silent" };

static struct taskmeta *open_once(struct arena *arena)
{
    static struct runtime runtime = { &silent_ops };
    static struct task_host host = { .runtime = &runtime, .cluster = "c" };
    static const struct taskmeta_config config = { .runtime = &runtime, .cluster = "c", .data_dir = "/tmp", .listen = "off" };
    struct err err = { 0 };
    struct taskmeta *metadata = taskmeta_create(&config, &err);
    struct task *task = task_create(&host, json_parse(STR(PAYLOAD), arena, &err), &err);
    ASSERT(metadata != NULL && task != NULL);
    taskmeta_add(metadata, task);
    return metadata;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    static struct taskmeta *metadata;
    if (arena.ceiling == 0) {
        arena_init(&arena, CEILING);
        metadata = open_once(&arena);
    }
    struct container_request request = { .door = TASKMETA_CONTAINERS, .arena = &arena };
    struct container_answer answer = { 0 };
    struct err err = { 0 };
    struct str rest;
    (void)str_cut(fuzz_str(data, size), ' ', &request.method, &rest);
    (void)str_cut(rest, ' ', &request.path, &rest);
    (void)str_cut(rest, ' ', &request.query, &request.body);
    taskmeta_answer(metadata, &request, &answer);
    ASSERT(answer.status >= 400 && answer.status < 500);
    ASSERT(!str_eq(answer.type, STR("application/json")) || json_parse(answer.body, &arena, &err) != NULL);
    request.door = TASKMETA_OPERATOR;
    taskmeta_answer(metadata, &request, &answer);
    ASSERT(answer.status == 200 || (answer.status >= 400 && answer.status < 500));
    ASSERT(!str_eq(answer.type, STR("application/json")) || json_parse(answer.body, &arena, &err) != NULL);
    arena_reset(&arena);
    return 0;
}
