/* The last RunTask of which a task could not start. */
#include "server/front/last_run.h"

#include "tests/unit/check.h"

int main(void)
{
    enum { MOST = 64 * 1024 };
    struct arena arena;
    arena_init(&arena, 1 << 20);
    struct last_run *last = last_run_create();
    char *long_text = memset(arena_alloc(&arena, MOST + 1, 1), 'x', MOST + 1);
    CHECK("none so far", !str_is_set(last_run_body(last, &arena)));
    last_run_all_started(last);
    CHECK("still none", !str_is_set(last_run_body(last, &arena)));
    last_run_left_out(last, STR("{}"));
    CHECK_STR("the first", last_run_body(last, &arena), STR("{}"));
    last_run_left_out(last, (struct str){ long_text, MOST });
    CHECK_EQ("the next, as long as may be", last_run_body(last, &arena).len, MOST);
    last_run_left_out(last, (struct str){ long_text, MOST + 1 });
    CHECK("one that is too long is not kept, and nor is the one before it", !str_is_set(last_run_body(last, &arena)));
    last_run_left_out(last, STR("{}"));
    last_run_all_started(last);
    CHECK("all of the next could start", !str_is_set(last_run_body(last, &arena)));
    last_run_destroy(last);
    arena_finish(&arena);
    return check_report();
}
