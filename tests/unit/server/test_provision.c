/* test_provision.c: programs that provisioners run, their settings, and hosts. */
#include "server/provision/kinds.h"
#include "server/provision/program.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/unit/check.h"

static const char *const no_environment[] = { "PATH=/usr/bin:/bin", "WORD=gpu", NULL };

/* ---- programs ---- */

static void test_programs(struct arena *arena)
{
    /* `ends`: the output, or why there is none */
    static const struct { const char *row, *script; int64_t timeout_ms; bool exited; int status; const char *ends, *words; } rows[] = {
        { "an answer", "cat; test -x ./sh && echo $WORD", 5000, true, 0, "{}gpu\n", "" },
        { "an exit status", "echo one >&2; echo two >&2; exit 75", 5000, true, 75, "", "two" },
        { "it does not read", "exec <&-; sleep 0.1; echo x", 5000, true, 0, "x\n", "" },
        { "a signal", "kill -9 $$", 5000, false, 0, "signal 9 ended it", "" },
        { "its time is over", "echo begun; sleep 30", 200, false, 0, "it did not end in 0 s", "" },
        { "a child that stays does not hold it", "sleep 30 & echo done", 5000, true, 0, "done\n", "" },
        { "too much output", "yes", 5000, false, 0, "its output is larger than 1 MiB", "" },
        { "many words are no harm", "head -c 200000 /dev/zero | tr '\\0' 'x' >&2; echo x", 5000, true, 0, "x\n", NULL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        atomic_bool stopping = false;
        const char *words[] = { "/bin/sh", "-c", rows[r].script, NULL };
        const struct program program = { words, no_environment, STR("{}"), rows[r].timeout_ms, &stopping };
        struct program_end end;
        struct err err = { 0 };
        CHECK(rows[r].row, program_run(&program, arena, &end, &err));
        CHECK_EQ(rows[r].row, end.exited, rows[r].exited);
        if (end.exited) { CHECK_EQ(rows[r].row, end.code, rows[r].status); }
        CHECK_STR(rows[r].row, end.exited ? end.output : end.why, str_from(rows[r].ends));
        if (rows[r].words != NULL) { CHECK_STR(rows[r].row, end.words, str_from(rows[r].words)); }
        CHECK(rows[r].row, end.words.len <= 200);
    }
    atomic_bool stopping = true;
    const char *words[] = { "/bin/sh", "-c", "trap '' TERM; sleep 30", NULL }, *nothing[] = { "/nowhere/x", NULL };
    struct program program = { words, no_environment, STR(""), 60000, &stopping };
    struct program_end end;
    struct err err = { 0 };
    CHECK("a stop ends it", program_run(&program, arena, &end, &err) && !end.exited);
    CHECK_STR("and says so", end.why, STR("the server stops"));
    program.words = nothing;
    CHECK("no program", !program_run(&program, arena, &end, &err) && strstr(err.message, "/nowhere/x can't be run") != NULL);
}

/* ---- settings ---- */

static void test_settings(struct arena *arena)
{
    static const struct { const char *row, *text, *complaint; } rows[] = {
        { "a program", "{\"a\":{\"exec\":\"/bin/x\"}}", NULL },
        { "with all", "{\"a\":{\"exec\":\"/bin/x\",\"timeout_s\":3600,\"environment\":{\"K\":\"v\"}}}", NULL },
        { "a URL", "{\"a\":{\"http\":\"https://x/\"}}", NULL },
        { "hosts", "{\"a\":{\"static\":[{\"name\":\"h\",\"mac\":\"00:1a:2B:3c:4d:5e\"}],\"broadcast\":\"10.0.0.255\"}}", NULL },
        { "simulated ones", "{\"a\":{\"fake\":\"p3.2xlarge\"}}", NULL },
        { "nothing", "{}", "The provisioners are a JSON object of 1 to 32 of them, by name." },
        { "a list", "[]", "The provisioners are a JSON object of 1 to 32 of them, by name." },
        { "no kind", "{\"a\":{}}", "The provisioner \"a\": it has one of exec, http, static and fake." },
        { "two kinds", "{\"a\":{\"exec\":\"/x\",\"fake\":\"x\"}}", "The provisioner \"a\": it has one of exec, http, static and fake." },
        { "no path", "{\"a\":{\"exec\":\"x\"}}", "The provisioner \"a\": \"exec\" is the path of a program, from /." },
        { "no URL", "{\"a\":{\"http\":\"ftp://x\"}}", "The provisioner \"a\": \"http\" is a URL." },
        { "no time", "{\"a\":{\"exec\":\"/x\",\"timeout_s\":0}}", "The provisioner \"a\": \"timeout_s\" is 1 to 3600." },
        { "too long", "{\"a\":{\"exec\":\"/x\",\"timeout_s\":3601}}", "The provisioner \"a\": \"timeout_s\" is 1 to 3600." },
        { "a slip", "{\"a\":{\"exec\":\"/x\",\"timeout\":5}}", "The provisioner \"a\": \"timeout\" is not known." },
        { "no hosts", "{\"a\":{\"static\":[]}}", "The provisioner \"a\": \"static\" is a list of 1 to 1000 hosts." },
        { "a host twice", "{\"a\":{\"static\":[{\"name\":\"h\"},{\"name\":\"h\"}]}}", "The provisioner \"a\": two hosts have the same name." },
        { "no mac", "{\"a\":{\"static\":[{\"name\":\"h\",\"mac\":\"001a2b3c4d5e\"}]}}", "The provisioner \"a\": a mac is written like 00:1a:2b:3c:4d:5e." },
        { "a number", "{\"a\":{\"exec\":\"/x\",\"environment\":{\"K\":1}}}", "The provisioner \"a\": \"environment\" is an object of at most 100 strings." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct provisioner_settings settings;
        struct err err = { 0 };
        bool good = settings_parse(str_from(rows[r].text), &settings, arena, &err);
        CHECK(rows[r].row, good == (rows[r].complaint == NULL));
        CHECK_STR(rows[r].row, str_from(err.message), str_from(rows[r].complaint == NULL ? "" : rows[r].complaint));
    }
}

/* ---- kinds ---- */

static void test_exec(struct arena *arena)
{
    static const struct { const char *row, *script; enum provisioned_end end; const char *text; } rows[] = {
        { "an answer", "#!/bin/sh\necho $1; cat", PROVISIONED_ANSWERED, "up\n{\"a\":1}" },
        { "later", "#!/bin/sh\necho busy >&2; exit 75", PROVISIONED_LATER, "busy" },
        { "a failure", "#!/bin/sh\necho broken >&2; exit 3", PROVISIONED_UNKNOWN, "broken" },
        { "without words", "#!/bin/sh\nexit 3", PROVISIONED_UNKNOWN, "exit status 3" },
        { "no program", NULL, PROVISIONED_REFUSED, NULL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        char path[] = "/tmp/berth-provision-XXXXXX";
        atomic_bool stopping = false;
        int fd = mkstemp(path);
        const char *script = rows[r].script == NULL ? "" : rows[r].script;
        ASSERT(fd >= 0 && write(fd, script, strlen(script)) == (ssize_t)strlen(script) && fchmod(fd, rows[r].script == NULL ? 0 : 0700) == 0 && close(fd) == 0);
        if (rows[r].script == NULL) { (void)unlink(path); }
        const struct provisioner_setting setting = { .name = STR("gpu"), .target = str_from(path), .timeout_ms = 5000, .environment = no_environment };
        struct provisioner provisioner = { .setting = &setting, .stopping = &stopping };
        struct kind_end end = kind_exec(&provisioner, &(struct kind_call){ STR("gpu"), STR("up"), STR("{\"a\":1}"), STR("req-p-1") }, arena);
        CHECK_EQ(rows[r].row, end.end, rows[r].end);
        if (rows[r].text != NULL) { CHECK_STR(rows[r].row, end.text, str_from(rows[r].text)); }
        (void)unlink(path);
    }
}

/* Calls in a row to one provisioner of two hosts, whose commands fail for "bad". */
static void test_hosts(struct arena *arena)
{
    static const struct { const char *row, *verb, *body, *text; } rows[] = {
        { "the first host", "up", "{\"machines\":[{\"id\":\"m-1\",\"type\":\"\"}],\"handles\":[]}", "{\"machines\":[{\"id\":\"m-1\",\"handle\":\"a\",\"state\":\"starting\"}]}" },
        { "the same again", "up", "{\"machines\":[{\"id\":\"m-1\",\"type\":\"\"}],\"handles\":[]}", "{\"machines\":[{\"id\":\"m-1\",\"handle\":\"a\",\"state\":\"starting\"}]}" },
        { "one that is taken, which only the pool knows", "up", "{\"machines\":[{\"id\":\"m-2\"}],\"handles\":[\"a\",\"b\"]}",
          "{\"machines\":[{\"id\":\"m-2\",\"state\":\"failed\",\"class\":\"capacity\",\"error\":\"no host of the list is free\"}]}" },
        { "of its type", "up", "{\"machines\":[{\"id\":\"m-3\",\"type\":\"small\"}]}",
          "{\"machines\":[{\"id\":\"m-3\",\"state\":\"failed\",\"class\":\"capacity\",\"error\":\"no host of the list is free\"}]}" },
        { "its command fails", "up", "{\"machines\":[{\"id\":\"m-4\",\"type\":\"large\"}]}",
          "{\"machines\":[{\"id\":\"m-4\",\"handle\":\"b\",\"type\":\"large\",\"state\":\"failed\",\"error\":\"the command ends with status 4: no power\"}]}" },
        { "an end", "down", "{\"machines\":[{\"id\":\"m-1\",\"handle\":\"a\"}]}", "{\"machines\":[{\"id\":\"m-1\",\"state\":\"gone\"}]}" },
        { "free again", "up", "{\"machines\":[{\"id\":\"m-5\"}],\"handles\":[]}", "{\"machines\":[{\"id\":\"m-5\",\"handle\":\"a\",\"state\":\"starting\"}]}" },
        { "a list is not complete", "list", "{}", "{\"plan\":false,\"machines\":[]}" },
        { "with types there are plans", "list", "{}", "{\"plan\":true,\"machines\":[]}" },
        { "free ones of each type", "plan", "{\"handles\":[\"b\"]}",
          "{\"types\":[{\"type\":\"tiny\",\"available\":0},{\"type\":\"large\",\"available\":0}],\"machines\":[]}" },
        { "one is free", "plan", "{\"handles\":[]}",
          "{\"types\":[{\"type\":\"tiny\",\"available\":0},{\"type\":\"large\",\"available\":1}],\"machines\":[]}" },
    };
    atomic_bool stopping = false;
    struct provisioner_host hosts[] = { { .name = STR("a"), .up = STR("true") }, { .name = STR("b"), .type = STR("large"), .up = STR("echo no power >&2; exit 4") } };
    hosts[0].type = STR("tiny");
    const struct provisioner_setting setting = { .name = STR("gpu"), .kind = PROVISIONER_STATIC, .target = STR("127.255.255.255"), .timeout_ms = 5000,
                                                 .environment = no_environment, .hosts = hosts, .host_count = 2 };
    struct provisioner provisioner = { .setting = &setting, .stopping = &stopping };
    arena_init(&provisioner.kept, 1 << 20);
    hosts[0].type = (struct str){ NULL, 0 };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        if (r == 3 || r == 8) { hosts[0].type = STR("tiny"); }
        if (r == 6) { hosts[0].type = (struct str){ NULL, 0 }; }
        struct kind_end end = kind_static(&provisioner, &(struct kind_call){ STR("gpu"), str_from(rows[r].verb), str_from(rows[r].body), STR("r") }, arena);
        CHECK_STR(rows[r].row, end.text, str_from(rows[r].text));
    }
    arena_finish(&provisioner.kept);
}

int main(void)
{
    struct arena arena;
    arena_init(&arena, 64 << 20);
    test_programs(&arena);
    test_settings(&arena);
    test_exec(&arena);
    test_hosts(&arena);
    arena_finish(&arena);
    return check_report();
}
