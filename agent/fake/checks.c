#include "agent/fake/checks.h"

#include "base/num.h"

enum { LIST_CEILING = 16 * 1024 * 1024 };

static void set_state(struct fake_checks *checks, struct check_told *target)
{
    bool good = checks->fault.cause == CHECK_GOOD;
    target->from = target->state;
    target->state = good ? TARGET_HEALTHY : TARGET_UNHEALTHY;
    target->cause = checks->fault.cause;
    target->code = checks->fault.cause == CHECK_CODE ? opt_int_of(checks->fault.code) : (struct opt_int){ 0 };
    target->number = opt_int_of(++checks->last_number);
}

static void tell(struct fake_checks *checks)
{
    struct arena arena = { .ceiling = LIST_CEILING };
    const struct checks_report report = {
        .cluster = str_from(checks->cluster), .container_instance = str_from(checks->instance), .targets = checks->targets,
    };
    if (report.targets.count > 0) { health_reporter_send(&checks->reporter, checks_body(&report, &arena)); }
    arena_finish(&arena);
}

void fake_checks_init(struct fake_checks *checks, struct client *client, const struct endpoint *server, const char *cluster, const char *instance)
{
    *checks = (struct fake_checks){ .cluster = cluster, .instance = instance, .fault = { .cause = CHECK_GOOD } };
    health_reporter_init(&checks->reporter, client, server, CHECKS_PATH);
}

void fake_checks_set(struct fake_checks *checks, const struct wire_checks *message)
{
    size_t count = message->checks.count;
    arena_finish(&checks->arena);
    arena_init(&checks->arena, LIST_CEILING);
    checks->number = message->number.value;
    checks->last_number = max_i64(checks->last_number, checks->number);
    checks->targets = (struct check_told_list){ ARENA_NEW(&checks->arena, struct check_told, count), count };
    for (size_t c = 0; c < count; c++) {
        const struct target_check *check = &message->checks.items[c];
        checks->targets.items[c] = (struct check_told){
            .group = arena_str(&checks->arena, check->group), .name = arena_str(&checks->arena, check->name), .port = check->port,
            .registration = check->registration,
        };
        set_state(checks, &checks->targets.items[c]);
    }
    tell(checks);
}

void fake_checks_fail(struct fake_checks *checks, struct check_result fault)
{
    checks->fault = fault;
    for (size_t t = 0; t < checks->targets.count; t++) { set_state(checks, &checks->targets.items[t]); }
    tell(checks);
}

void fake_checks_finish(struct fake_checks *checks)
{
    health_reporter_finish(&checks->reporter);
    arena_finish(&checks->arena);
}
