/* fuzz_expression.c: a constraint either compiles or is refused with a position inside it; what compiles holds or not on any
 * instance, holds the same in parentheses, and its opposite holds exactly where it does not. */
#include "base/arena.h"
#include "scheduler/scheduler.h"
#include "tests/fuzz/fuzz.h"

enum { CEILING = 4 * 1024 * 1024, LEN_MAX = 2000, WRAP_LEN = 6, NESTED_MAX = 50 };

static struct id number(uint8_t n) { return (struct id){ { n } }; }

static struct world *build_world(struct arena *arena)
{
    static const struct sched_attribute attributes[] = {
        { STR_INIT("a"), STR_INIT("x") }, { STR_INIT("ecs.instance-type"), STR_INIT("g2.2xlarge") }, { STR_INIT("n"), STR_INIT("30.5") },
        { STR_INIT("stack"), { NULL, 0 } }, { STR_INIT("long"), STR_INIT("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab") },
    };
    struct world *world = sched_world_create(arena);
    const struct sched_instance told = {
        .id = number(1), .active = true, .connected = true, .attributes = attributes, .attribute_count = COUNT_OF(attributes),
        .ec2_instance_id = STR("i-abcd1234"), .agent_version = STR("1.9.0"), .registered_ms = 1529360908500,
    };
    const struct sched_instance bare = { .id = number(2) };
    const struct sched_task task = { .id = number(3), .instance = number(1), .group = STR("service:production"), .running = true };
    sched_put_instance(world, &told);
    sched_put_instance(world, &bare);
    sched_put_task(world, &task);
    return world;
}

static const struct expression *wrapped(const char *head, struct str text, struct arena *arena)
{
    struct buf buf = buf_in(arena);
    struct err err = { 0 };
    buf_put(&buf, str_from(head));
    buf_put(&buf, text);
    buf_put_char(&buf, ')');
    return expression_compile(buf_str(&buf), arena, &err);
}

static void check_refusal(struct str text, const struct err *err)
{
    static const struct str head = STR_INIT("Invalid expression at position ");
    struct str message = str_from(err->message), position, why;
    ASSERT(err->code == ERR_INVALID_PARAMETER);
    ASSERT(str_starts_with(message, head));
    ASSERT(str_cut(str_slice(message, head.len, message.len), ':', &position, &why));
    int64_t at = 0;
    ASSERT(str_to_i64(position, &at));
    ASSERT(at >= 1 && (size_t)at <= text.len + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena, world_arena;
    static const struct world *world;
    if (world == NULL) {
        arena_init(&arena, CEILING);
        arena_init(&world_arena, CEILING);
        world = build_world(&world_arena);
    }
    struct str text = fuzz_str(data, size);
    struct err err = { 0 };
    const struct expression *expression = expression_compile(text, &arena, &err);
    ASSERT((expression == NULL) == (err.code != ERR_NONE));
    if (expression == NULL) {
        check_refusal(text, &err);
    } else {
        const struct expression *same = wrapped("(", text, &arena), *opposite = wrapped("not (", text, &arena);
        bool too_long = text.len + WRAP_LEN > LEN_MAX;
        size_t opened = 0;
        for (size_t i = 0; i < text.len; i++) { opened += text.ptr[i] == '('; }
        ASSERT((same != NULL && opposite != NULL) || too_long || opened >= NESTED_MAX);
        for (uint8_t n = 1; n <= 2; n++) {
            bool holds = sched_matches(world, number(n), expression);
            if (same != NULL) { ASSERT(sched_matches(world, number(n), same) == holds); }
            if (opposite != NULL) { ASSERT(sched_matches(world, number(n), opposite) != holds); }
        }
    }
    arena_reset(&arena);
    return 0;
}
