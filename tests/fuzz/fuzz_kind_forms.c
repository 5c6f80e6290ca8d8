/* fuzz_kind_forms.c: a request that was put into ECS's form is left as it is the second time; where Berth is strict nothing is changed, and what it
 * takes then needs no change otherwise. */
#include "api/core/kind_forms.h"

#include "api/schemas/taskdefs.h"
#include "api/schemas/tasks.h"
#include "tests/fuzz/fuzz.h"

static void check(const struct schema *input, const struct json *request, struct arena *arena)
{
    struct str warning = { 0 }, none = { 0 };
    struct err err = { 0 }, strict_err = { 0 };
    const struct json *read = kind_forms_read(input, request, false, arena, &warning, &err);
    const struct json *strict = kind_forms_read(input, request, true, arena, &none, &strict_err);
    ASSERT(strict == NULL ? strict_err.code == ERR_CLIENT : strict == request && !str_is_set(none));
    if (read == NULL) {
        ASSERT(err.code == ERR_CLIENT && strict == NULL);
        return;
    }
    ASSERT((read == request) == !str_is_set(warning));
    ASSERT(strict == NULL || read == request);
    struct str second = { 0 };
    ASSERT(kind_forms_read(input, read, false, arena, &second, &err) == read && !str_is_set(second));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, 1 << 26); }
    struct err err = { 0 };
    const struct json *request = size > 64 * 1024 ? NULL : json_parse(fuzz_str(data, size), &arena, &err);
    if (request != NULL) {
        check(&register_task_definition_request_schema, request, &arena);
        check(&run_task_request_schema, request, &arena);
        check(&start_task_request_schema, request, &arena);
    }
    arena_reset(&arena);
    return 0;
}
