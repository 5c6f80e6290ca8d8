/* taskdef_bodies.h: bodies of RegisterTaskDefinition that are good except the one thing that a row is about. */
#ifndef BERTH_TESTS_TASKDEF_BODIES_H
#define BERTH_TESTS_TASKDEF_BODIES_H

#include "tests/unit/api/api_fixture.h"

#define FARGATE_TASK ",\"networkMode\":\"awsvpc\",\"cpu\":\"256\",\"memory\":\"512\""
#define ROLE ",\"executionRoleArn\":\"r\""
#define VOLUME(kind) ",\"volumes\":[{\"name\":\"v\"," kind "}]"

/* A definition that is good; `task` and `container` are added to its members (with a comma before). */
static inline struct str body_with(struct api_fixture *f, const char *task, const char *container)
{
    return arena_printf(&f->kept, "{\"family\":\"f\",\"containerDefinitions\":[{\"name\":\"c\",\"image\":\"i\",\"memory\":128%s}]%s}",
                        container, task);
}

/* Two containers, "a" (essential) and "b" (not), with members added to each. */
static inline struct str pair_with(struct api_fixture *f, const char *task, const char *a, const char *b)
{
    return arena_printf(&f->kept,
                        "{\"family\":\"f\",\"containerDefinitions\":[{\"name\":\"a\",\"image\":\"i\",\"memory\":128%s},"
                        "{\"name\":\"b\",\"image\":\"i\",\"memory\":128,\"essential\":false%s}]%s}", a, b, task);
}

static inline struct str register_it(struct api_fixture *f, const char *task, const char *container)
{
    return fixture_call_str(f, "RegisterTaskDefinition", body_with(f, task, container));
}

#endif
