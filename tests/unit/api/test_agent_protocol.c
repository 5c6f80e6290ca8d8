/* Versions of server and agent that understand each other, and those that don't. */
#include "api/core/api.h"
#include "wire/agent_protocol.h"

#include "api/machines/gpu_health.h"
#include "wire/wire.h"
#include "tests/unit/check.h"

static void test_fit(void)
{
    static const struct { const char *row; struct protocol_range ours, theirs; enum protocol_fit fit; } rows[] = {
        { "the same",                       { 3, 5 }, { 3, 5 }, PROTOCOL_FITS },
        { "their newest is our oldest",     { 3, 5 }, { 1, 3 }, PROTOCOL_FITS },
        { "one less",                       { 3, 5 }, { 1, 2 }, PROTOCOL_TOO_OLD },
        { "their oldest is our newest",     { 3, 5 }, { 5, 9 }, PROTOCOL_FITS },
        { "one more",                       { 3, 5 }, { 6, 9 }, PROTOCOL_TOO_NEW },
        { "far newer, and speaks the old",  { 3, 5 }, { 1, 99 }, PROTOCOL_FITS },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { CHECK_EQ(rows[r].row, protocol_fit(rows[r].ours, rows[r].theirs), rows[r].fit); }
}

static void test_words(void)
{
    static const struct { const char *row; bool of_agent; struct protocol_range theirs; const char *said, *remedy; } rows[] = {
        { "an old agent",  true,  { PROTOCOL_OLDEST - 1, PROTOCOL_OLDEST - 1 }, "The agent (version 9.9.9) is too old for this server", "Update the agent." },
        { "a new agent",   true,  { PROTOCOL_NEWEST + 1, PROTOCOL_NEWEST + 1 }, "The agent (version 9.9.9) is too new for this server", "Update the server." },
        { "an old server", false, { PROTOCOL_OLDEST - 1, PROTOCOL_OLDEST - 1 }, "The server (version 9.9.9) is too old for this agent", "Update the server." },
        { "a new server",  false, { PROTOCOL_NEWEST + 1, PROTOCOL_NEWEST + 1 }, "The server (version 9.9.9) is too new for this agent", "Update this agent." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        bool good = rows[r].of_agent ? protocol_check_agent(rows[r].theirs, STR("9.9.9"), &err) : protocol_check_server(rows[r].theirs, STR("9.9.9"), &err);
        CHECK(rows[r].row, !good && str_starts_with(str_from(err.message), str_from(rows[r].said)) && str_ends_with(str_from(err.message), str_from(rows[r].remedy)));
        CHECK_EQ("which is nobody's typing mistake", err.code, ERR_CLIENT);
    }
    struct err err = { 0 };
    CHECK("without a version", !protocol_check_agent((struct protocol_range){ 0, 0 }, STR(""), &err) && strstr(err.message, "The agent is too old") != NULL);
}

/* A machine's record of its agent. NULL: the attribute is not there. */
static void test_record(void)
{
    static const struct { const char *row, *runtime, *newest, *oldest; enum err_code code; } rows[] = {
        { "the ECS agent, a script",            NULL,     NULL, NULL, ERR_NONE },
        { "Berth's, before there were numbers", "docker", NULL, NULL, ERR_NONE },
        { "today's",                            "docker", "1",  "1",  ERR_NONE },
        { "a later one that speaks today's",    "docker", "9",  "1",  ERR_NONE },
        { "a later one that does not",          "docker", "9",  "2",  ERR_CLIENT },
        { "an older one",                       "docker", "0",  "0",  ERR_CLIENT },
        { "a number is enough to be Berth's",   NULL,     "0",  "0",  ERR_CLIENT },
        { "no number",                          "docker", "x",  "1",  ERR_INVALID_PARAMETER },
        { "nothing",                            "docker", "1",  "",   ERR_INVALID_PARAMETER },
        { "less than nothing",                  "docker", "-1", "1",  ERR_INVALID_PARAMETER },
        { "the largest",                        "docker", "1000000", "1", ERR_NONE },
        { "larger",                             "docker", "1000001", "1", ERR_INVALID_PARAMETER },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        const char *names[] = { "berth.runtime", PROTOCOL_ATTRIBUTE, PROTOCOL_OLDEST_ATTRIBUTE };
        const char *values[] = { rows[r].runtime, rows[r].newest, rows[r].oldest };
        struct attribute items[COUNT_OF(names)] = { 0 };
        struct instance instance = { .attributes = { items, 0 }, .agent_connected = OPT_TRUE, .agent_changed_ms = 1 };
        for (size_t n = 0; n < COUNT_OF(names); n++) {
            if (values[n] == NULL) { continue; }
            items[instance.attributes.count++] = (struct attribute){ .name = str_from(names[n]), .value = str_from(values[n]) };
        }
        struct err err = { 0 };
        CHECK_EQ(rows[r].row, agent_protocol_check(&instance, &err), rows[r].code == ERR_NONE);
        CHECK_EQ(rows[r].row, err.code, rows[r].code);

        struct arena arena = { .ceiling = 1 << 16 };
        const struct container_instance_health_status *health = api_instance_health(&instance, &arena);
        CHECK_EQ("its health", health->overall_status, rows[r].code == ERR_NONE ? INSTANCE_HEALTH_CHECK_STATE_OK : INSTANCE_HEALTH_CHECK_STATE_IMPAIRED);
        CHECK_EQ("with a reason", str_is_set(health->details.items[0].status_reason), rows[r].code != ERR_NONE);
        arena_finish(&arena);
    }
}

int main(void)
{
    test_fit();
    test_words();
    test_record();
    return check_report();
}
