/* Settings: each source, their order, and refusals. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/settings/config_internal.h"
#include "tests/unit/check.h"

enum { WORDS_MAX = 8 };

static struct arena arena;

static bool read_with(enum command command, char *const *argv, char *const *environment, struct config *config, struct err *err)
{
    int argc = 0;
    while (argv[argc] != NULL) {
        argc++;
    }
    struct config_sources sources = { .argc = argc, .argv = argv, .environment = environment };
    *err = (struct err){ 0 };
    return config_read(command, &sources, config, &arena, err);
}

struct value_row {
    const char *name; enum command command; const char *argv[WORDS_MAX], *environment[WORDS_MAX];
    enum setting setting; const char *want, *complaint;
};

static void check_value(const struct value_row *row)
{
    struct config config;
    struct err err;
    char *argv[WORDS_MAX + 1] = { 0 }, *environment[WORDS_MAX + 1] = { 0 };
    memcpy(argv, row->argv, sizeof row->argv);
    memcpy(environment, row->environment, sizeof row->environment);
    bool good = read_with(row->command, argv, environment, &config, &err);
    CHECK_EQ(row->name, good, row->complaint == NULL);
    if (good) {
        CHECK_STR(row->name, str_from(config_text(&config, row->setting)), str_from(row->want));
    } else {
        CHECK_STR(row->name, str_from(err.message), str_from(row->complaint));
    }
}

static void test_values(void)
{
    static const struct value_row rows[] = {
        { "default is kept", COMMAND_SERVER, { 0 }, { 0 }, SETTING_LISTEN, "127.0.0.1:9280", NULL },
        { "flag with a blank", COMMAND_SERVER, { "--listen", "0.0.0.0:80" }, { 0 }, SETTING_LISTEN, "0.0.0.0:80", NULL },
        { "flag with an equals sign", COMMAND_SERVER, { "--listen=[::1]:80" }, { 0 }, SETTING_LISTEN, "[::1]:80", NULL },
        { "environment", COMMAND_SERVER, { 0 }, { "BERTH_LISTEN=h:1" }, SETTING_LISTEN, "h:1", NULL },
        { "flag before environment", COMMAND_SERVER, { "--listen", "h:2" }, { "BERTH_LISTEN=h:1" }, SETTING_LISTEN, "h:2", NULL },
        { "hyphens are underscores", COMMAND_DEV, { 0 }, { "BERTH_FAKE_GPUS=T4:2" }, SETTING_FAKE_GPUS, "T4:2", NULL },
        { "another command's variable is no mistake", COMMAND_DEV, { 0 }, { "BERTH_JOIN=http://x" }, SETTING_REGION, "us-east-1", NULL },
        { "one name, two commands: the history is of every cluster", COMMAND_HISTORY, { "--cluster", "a" }, { 0 }, SETTING_HISTORY_CLUSTER, "a", NULL },
        { "a month of history", COMMAND_SERVER, { 0 }, { 0 }, SETTING_KEEP_HISTORY, "30d", NULL },
        { "a variable of tasks is no setting", COMMAND_DEV, { 0 }, { "BERTH_TASK_ID=x" }, SETTING_REGION, "us-east-1", NULL },
        { "nor is one of their gangs", COMMAND_DEV, { 0 }, { "BERTH_GANG_RANK=0" }, SETTING_REGION, "us-east-1", NULL },
        { "unknown flag", COMMAND_SERVER, { "--lisen", "x" }, { 0 }, SETTING_LISTEN, NULL, "there is no setting --lisen here; see --help. Did you mean --listen?" },
        { "another command's flag", COMMAND_SERVER, { "--join", "http://x" }, { 0 }, SETTING_LISTEN, NULL, "there is no setting --join here; see --help." },
        { "nothing is near", COMMAND_SERVER, { "--colour", "x" }, { 0 }, SETTING_LISTEN, NULL, "there is no setting --colour here; see --help." },
        { "a name without end", COMMAND_SERVER, { "--listennnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn", "x" }, { 0 }, SETTING_LISTEN, NULL,
          "there is no setting --listennnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn here; see --help." },
        { "unknown variable", COMMAND_SERVER, { 0 }, { "BERTH_LISEN=x" }, SETTING_LISTEN, NULL,
          "there is no setting BERTH_LISEN (from the environment); see --help. Did you mean BERTH_LISTEN?" },
        { "letters that changed places", COMMAND_SERVER, { 0 }, { "BERTH_KEEP_HISTROY=1d" }, SETTING_LISTEN, NULL,
          "there is no setting BERTH_KEEP_HISTROY (from the environment); see --help. Did you mean BERTH_KEEP_HISTORY?" },
        { "a port that is no Service's", COMMAND_SERVER, { 0 }, { "BERTH_PORT=9280" }, SETTING_LISTEN, NULL,
          "there is no setting BERTH_PORT (from the environment); see --help." },
        { "where Express services are", COMMAND_SERVER, { 0 }, { 0 }, SETTING_EXPRESS_DOMAIN, "express.localhost:8080", NULL },
        { "how long events are kept", COMMAND_SERVER, { "--keep-events", "24h" }, { 0 }, SETTING_KEEP_EVENTS, "24h", NULL },
        { "no events unless they are asked for", COMMAND_SERVER, { 0 }, { 0 }, SETTING_KEEP_EVENTS, NULL, NULL },
        { "who gets them", COMMAND_DEV, { 0 }, { "BERTH_WEBHOOKS=hooks.json" }, SETTING_WEBHOOKS, "hooks.json", NULL },
        { "value missing", COMMAND_SERVER, { "--listen" }, { 0 }, SETTING_LISTEN, NULL, "--listen needs a value: HOST:PORT." },
        { "twice", COMMAND_SERVER, { "--listen", "h:1", "--listen", "h:2" }, { 0 }, SETTING_LISTEN, NULL, "--listen is given twice." },
        { "a list", COMMAND_DEPLOY, { "web", "--image", "a:1" }, { 0 }, SETTING_IMAGE, "a:1", NULL },
        { "a list twice is one list", COMMAND_DEPLOY, { "--image", "web=a:1", "web", "--image=side=b,c" }, { 0 }, SETTING_IMAGE, "web=a:1,side=b,c", NULL },
        { "a list of the command line before one of the environment", COMMAND_DEPLOY, { "--image", "a" }, { "BERTH_IMAGE=b" }, SETTING_IMAGE, "a", NULL },
        { "an empty item", COMMAND_DEPLOY, { "--image", "a,,b" }, { 0 }, SETTING_IMAGE, NULL,
          "command line: image can't be \"a,,b\": it should be one or more items with commas between." },
        { "an empty item at the end", COMMAND_DEPLOY, { "--image", "a", "--image", "" }, { 0 }, SETTING_IMAGE, NULL,
          "command line: image can't be \"a,\": it should be one or more items with commas between." },
        { "an empty list", COMMAND_DEPLOY, { "--image", "" }, { 0 }, SETTING_IMAGE, NULL,
          "command line: image can't be \"\": it should be one or more items with commas between." },
        { "how long a deployment may take", COMMAND_DEPLOY, { 0 }, { 0 }, SETTING_TIMEOUT, "30m", NULL },
        { "flag with a value", COMMAND_DEV, { "--no-fake=yes" }, { 0 }, SETTING_NO_FAKE, NULL, "--no-fake takes no value." },
        { "port at the limit", COMMAND_SERVER, { "--listen", "h:65535" }, { 0 }, SETTING_LISTEN, "h:65535", NULL },
        { "port past the limit", COMMAND_SERVER, { "--listen", "h:65536" }, { 0 }, SETTING_LISTEN, NULL,
          "command line: listen can't be \"h:65536\": it should be HOST:PORT, such as 127.0.0.1:9280." },
        { "TLS is the server's", COMMAND_SERVER, { "--tls-cert", "c.pem" }, { "BERTH_TLS_KEY=k.pem" }, SETTING_TLS_KEY, "k.pem", NULL },
        { "whom to trust is the agent's", COMMAND_AGENT, { 0 }, { "BERTH_CA=ca.pem" }, SETTING_CA, "ca.pem", NULL },
        { "and that of who asks", COMMAND_WHY, { "--ca", "ca.pem" }, { 0 }, SETTING_CA, "ca.pem", NULL },
        { "account of 12 digits", COMMAND_SERVER, { "--account", "000000000000" }, { 0 }, SETTING_ACCOUNT, "000000000000", NULL },
        { "account of 11 digits", COMMAND_SERVER, { "--account", "00000000000" }, { 0 }, SETTING_ACCOUNT, NULL,
          "command line: account can't be \"00000000000\": it should be 12 digits." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { check_value(&rows[r]); }
}

/* The variables of the ECS agent, and Docker's. */
static void test_ecs_values(void)
{
    static const struct value_row rows[] = {
        { "ECS cluster", COMMAND_AGENT, { 0 }, { "ECS_CLUSTER=gpu" }, SETTING_CLUSTER, "gpu", NULL },
        { "an empty ECS word is not set", COMMAND_AGENT, { 0 }, { "ECS_CLUSTER=" }, SETTING_CLUSTER, "default", NULL },
        { "Berth's word before ECS's", COMMAND_AGENT, { 0 }, { "ECS_CLUSTER=a", "BERTH_CLUSTER=b" }, SETTING_CLUSTER, "b", NULL },
        { "ECS GPU support off", COMMAND_AGENT, { 0 }, { "ECS_ENABLE_GPU_SUPPORT=false" }, SETTING_GPU_SUPPORT, "off", NULL },
        { "ECS GPU support on", COMMAND_AGENT, { 0 }, { "ECS_ENABLE_GPU_SUPPORT=true" }, SETTING_GPU_SUPPORT, "auto", NULL },
        { "ECS pull behaviour", COMMAND_AGENT, { 0 }, { "ECS_IMAGE_PULL_BEHAVIOR=once" }, SETTING_IMAGE_PULL, "once", NULL },
        { "no such behaviour", COMMAND_AGENT, { 0 }, { "ECS_IMAGE_PULL_BEHAVIOR=never" }, SETTING_IMAGE_PULL, NULL,
          "ECS_IMAGE_PULL_BEHAVIOR: image-pull can't be \"never\": it should be default, always, once or prefer-cached." },
        { "ECS clean-up off", COMMAND_AGENT, { 0 }, { "ECS_DISABLE_IMAGE_CLEANUP=True" }, SETTING_NO_IMAGE_CLEANUP, "true", NULL },
        { "ECS metrics off", COMMAND_AGENT, { 0 }, { "ECS_DISABLE_METRICS=True" }, SETTING_SAMPLE_INTERVAL, "0s", NULL },
        { "ECS metrics on", COMMAND_AGENT, { 0 }, { "ECS_DISABLE_METRICS=false" }, SETTING_SAMPLE_INTERVAL, "10s", NULL },
        { "ECS minimum age", COMMAND_AGENT, { 0 }, { "ECS_IMAGE_MINIMUM_CLEANUP_AGE=30m" }, SETTING_IMAGE_MINIMUM_AGE, "30m", NULL },
        { "ECS registry logins", COMMAND_AGENT, { 0 }, { "ECS_ENGINE_AUTH_TYPE=docker", "ECS_ENGINE_AUTH_DATA={}" }, SETTING_REGISTRY_AUTH_DATA, "{}", NULL },
        { "ECS crit is error", COMMAND_AGENT, { 0 }, { "ECS_LOGLEVEL=crit" }, SETTING_LOG_LEVEL, "error", NULL },
        { "ECS words are the agent's only", COMMAND_DEV, { 0 }, { "ECS_CLUSTER=gpu" }, SETTING_CLUSTER, "default", NULL },
        { "the scheme of DOCKER_HOST is cut", COMMAND_AGENT, { 0 }, { "DOCKER_HOST=unix:///x.sock" }, SETTING_DOCKER_SOCKET, "/x.sock", NULL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { check_value(&rows[r]); }
}

/* Variables that Kubernetes puts into each pod beside a Service, and names that are only similar. */
static void test_kubernetes(void)
{
    static const struct { const char *entry; bool passed_over; } rows[] = {
        { "BERTH_SERVICE_HOST=10.0.0.7", true }, { "BERTH_SERVICE_PORT=9280", true }, { "BERTH_SERVICE_PORT_API=9280", true },
        { "BERTH_PORT=tcp://10.0.0.7:9280", true }, { "BERTH_PORT=udp://10.0.0.7:53", true }, { "BERTH_PORT=sctp://10.0.0.7:53", true },
        { "BERTH_PORT_9280_TCP=tcp://10.0.0.7:9280", true }, { "BERTH_PORT_9280_TCP_PROTO=tcp", true }, { "BERTH_PORT_9280_TCP_PORT=9280", true },
        { "BERTH_PORT_9280_TCP_ADDR=10.0.0.7", true }, { "BERTH_PORT_53_UDP_ADDR=10.0.0.7", true }, { "BERTH_PORT_53_SCTP=sctp://10.0.0.7:53", true },
        { "BERTH_SERVER_SERVICE_HOST=10.0.0.7", true }, { "BERTH_GPU_AGENTS_SERVICE_PORT_AGENTS=9281", true },
        { "BERTH_SERVER_PORT=tcp://10.0.0.7:9280", true }, { "BERTH_SERVER_PORT_9280_TCP_ADDR=10.0.0.7", true },
        { "BERTH_PORT=", false }, { "BERTH_PORT=9280", false }, { "BERTH_PORT=http://h:1", false }, { "BERTH_PORT_TCP=tcp://h:1", false },
        { "BERTH_PORT_9280=1", false }, { "BERTH_PORT_X_TCP=1", false }, { "BERTH_PORT_9280_TCP_NAME=x", false }, { "BERTH_9280_TCP=x", false },
        { "BERTH_SERVICE=x", false }, { "BERTH_SERVICE_NAME=x", false }, { "BERTH_DYNAMIC_PORT=1-2", false }, { "BERTH_=x", false },
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct config config;
        struct err err;
        char *argv[] = { NULL }, *environment[] = { strdup(rows[r].entry), NULL };
        CHECK_EQ(rows[r].entry, read_with(COMMAND_SERVER, argv, environment, &config, &err), rows[r].passed_over);
        free(environment[0]);
    }
    for (enum setting s = 0; s < SETTING_COUNT; s++) {
        struct str name = str_from(config_rows[s].name);
        char *variable = ARENA_NEW(&arena, char, name.len);
        for (size_t c = 0; c < name.len; c++) { variable[c] = name.ptr[c] == '-' ? '_' : (char)toupper((unsigned char)name.ptr[c]); }
        struct str made = arena_printf(&arena, "BERTH_" STR_FMT, (int)name.len, variable);
        CHECK("no setting has a name that Kubernetes makes", !config_is_kubernetes(made, STR("tcp://10.0.0.7:9280")));
    }
}

static void test_durations(void)
{
    static const struct { const char *text; int64_t want; } rows[] = {
        { "0s", 0 }, { "250ms", 250 }, { "30s", 30000 }, { "1h30m", 5400000 }, { "2d", 172800000 },
        { "", -1 }, { "30", -1 }, { "s", -1 }, { "30x", -1 }, { "99999999999999999h", -1 },
        { "36525d", INT64_C(3155760000000) }, { "36525d1ms", -1 }, { "99999999999d", -1 },
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct config config;
        struct err err;
        const char *words[WORDS_MAX] = { "--stop-timeout", rows[r].text };
        char *argv[WORDS_MAX], *environment[] = { NULL };
        memcpy(argv, words, sizeof words);
        bool good = read_with(COMMAND_AGENT, argv, environment, &config, &err);
        CHECK_EQ(rows[r].text, good ? config_duration_ms(&config, SETTING_STOP_TIMEOUT) : -1, rows[r].want);
    }
}

static void test_file(void)
{
    static const struct { const char *name; struct str text; const char *want, *complaint; } rows[] = {
        { "name = value", STR_INIT("# berth\n\nlisten = h:1\n"), "h:1", NULL },
        { "a zero byte", STR_INIT("listen = h\0:1\n"), NULL, ":1: the value of listen has a zero byte." },
        { "without blanks, without a last line end", STR_INIT("listen=h:1"), "h:1", NULL },
        { "another command's word is no mistake", STR_INIT("join = http://x\n"), "127.0.0.1:9280", NULL },
        { "unknown word", STR_INIT("lisen = h:1\n"), NULL, ":1: there is no setting lisen; see --help. Did you mean listen?" },
        { "no equals sign", STR_INIT("\nlisten h:1\n"), NULL, ":2: \"listen h:1\" should have the form `name = value`." },
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        char path[] = "/tmp/berth-test-config-XXXXXX";
        int fd = mkstemp(path);
        CHECK(rows[r].name, fd >= 0 && write(fd, rows[r].text.ptr, rows[r].text.len) == (ssize_t)rows[r].text.len);
        char flag[] = "--config", *argv[] = { flag, path, NULL }, *environment[] = { NULL };
        struct config config;
        struct err err;
        bool good = read_with(COMMAND_SERVER, argv, environment, &config, &err);
        CHECK_EQ(rows[r].name, good, rows[r].complaint == NULL);
        if (good) {
            CHECK_STR(rows[r].name, str_from(config_text(&config, SETTING_LISTEN)), str_from(rows[r].want));
        } else {
            CHECK(rows[r].name, str_ends_with(str_from(err.message), str_from(rows[r].complaint)));
        }
        close(fd);
        unlink(path);
    }
}

int main(void)
{
    arena_init(&arena, 64 * 1024 * 1024);
    test_values();
    test_ecs_values();
    test_kubernetes();
    test_durations();
    test_file();
    arena_finish(&arena);
    return check_report();
}
