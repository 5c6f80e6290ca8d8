/* test_agent_logs.c: the last lines of agents: how they are cut and replaced, and which go when there are too many. */
#include "server/figures/agent_logs.h"

#include <stdlib.h>

#include "tests/unit/check.h"

static struct agent_logs *logs;
static char big[2 * AGENT_LOG_TEXT_MAX];

static struct id id_of(size_t n)
{
    struct id id = { { 0 } };
    id.bytes[0] = (unsigned char)(n >> 8);
    id.bytes[1] = (unsigned char)n;
    return id;
}

static struct str of(size_t n, struct arena *arena)
{
    struct buf out = buf_in(arena);
    return agent_logs_get(logs, id_of(n), &out) ? buf_str(&out) : STR("none");
}

static void test_texts(void)
{
    struct arena arena = { .ceiling = 1 << 20 };
    CHECK_STR("no line yet", of(1, &arena), STR("none"));
    agent_logs_put(logs, id_of(1), STR("one\n"));
    agent_logs_put(logs, id_of(2), STR(""));
    CHECK_STR("told", of(1, &arena), STR("one\n"));
    CHECK_STR("no line", of(2, &arena), STR(""));
    agent_logs_put(logs, id_of(1), STR("one\ntwo\n"));
    CHECK_STR("the last report replaces", of(1, &arena), STR("one\ntwo\n"));

    memset(big, 'x', sizeof big);
    agent_logs_put(logs, id_of(3), (struct str){ big, AGENT_LOG_TEXT_MAX });
    CHECK_EQ("as much as is kept", of(3, &arena).len, AGENT_LOG_TEXT_MAX);
    agent_logs_put(logs, id_of(3), (struct str){ big, sizeof big });
    CHECK_EQ("one long line is cut", of(3, &arena).len, AGENT_LOG_TEXT_MAX);
    big[sizeof big - 11] = '\n';
    agent_logs_put(logs, id_of(3), (struct str){ big, sizeof big });
    CHECK_EQ("the end, from the beginning of a line", of(3, &arena).len, 10);
    arena_finish(&arena);
}

static void test_bound(void)
{
    struct arena arena = { .ceiling = 1 << 20 };
    for (size_t n = 0; n < AGENT_LOGS_MAX; n++) { agent_logs_put(logs, id_of(1000 + n), STR("x")); }
    CHECK_STR("earlier ones have gone", of(1, &arena), STR("none"));
    CHECK_STR("all of these fit", of(1000, &arena), STR("x"));
    agent_logs_put(logs, id_of(1000), STR("again"));
    agent_logs_put(logs, id_of(1), STR("one more"));
    CHECK_STR("who told again is not the oldest", of(1000, &arena), STR("again"));
    CHECK_STR("the oldest has gone", of(1001, &arena), STR("none"));
    CHECK_STR("the next stays", of(1002, &arena), STR("x"));
    arena_finish(&arena);
}

int main(void)
{
    logs = agent_logs_create();
    test_texts();
    test_bound();
    agent_logs_destroy(logs);
    return check_report();
}
