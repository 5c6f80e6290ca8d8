/* test_resolve.c: which value wins: a container's own environment above its files, the first file above the second, secrets
 * above all; and how a task fails that cannot have them. */
#include <stdatomic.h>

#include "agent/task/resolve.h"

#include <sys/stat.h>

#include "tests/unit/agent/stub_server.h"
#include "tests/unit/check.h"

#define FILE_REF(name) "{\"value\":\"arn:aws:s3:::b/" name "\",\"type\":\"s3\"}"
#define SECRET(name, from, more) "{\"name\":\"" name "\",\"valueFrom\":\"" from "\",\"provider\":\"ssm\"" more "}"
#define LOG ",\"type\":\"BOOTSTRAP\",\"target\":\"LOG_DRIVER\""
#define RESOURCE "ResourceInitializationError: "
#define PULL RESOURCE "unable to pull secrets or registry auth: execution resource retrieval failed: "
#define DOWNLOAD RESOURCE "failed to download env files: arn:aws:s3:::b/"

static const struct row { const char *name, *environment, *files, *secrets, *want; bool transient; } rows[] = {
    { "nothing", "", "", "", "", false },
    { "a file", "", FILE_REF("one.env"), "", "A=1 B=1", false },
    { "the first file wins", "", FILE_REF("one.env") "," FILE_REF("two.env"), "", "A=1 B=1 C=2", false },
    { "the other way round", "", FILE_REF("two.env") "," FILE_REF("one.env"), "", "B=2 C=2 A=1", false },
    { "the environment wins", "\"A\":\"own\"", FILE_REF("one.env"), "", "B=1", false },
    { "a secret wins", "\"S\":\"own\"", FILE_REF("one.env"), SECRET("A", "/s", "") "," SECRET("S", "/s", ""), "A=value B=1 S=value", false },
    { "a log driver's is none of the container's", "", "", SECRET("token", "/s", LOG), "| token=value", false },
    { "a name that only Berth sets", "", FILE_REF("ours.env"), SECRET("NVIDIA_VISIBLE_DEVICES", "/s", ""), "X=1", false },
    { "no such file", "", FILE_REF("none.env"), "", DOWNLOAD "none.env: ", false },
    { "a file that is no object", "", "{\"value\":\"arn:aws:s3:::b\",\"type\":\"s3\"}", "", RESOURCE "failed to download env files: arn:aws:s3:::b: it is not", false },
    { "no such parameter", "", "", SECRET("A", "/none", ""), PULL "unable to retrieve secrets from ssm: invalid parameters: /none", false },
    { "no reference", "", "", SECRET("A", "arn:aws:ssm:x", ""), PULL "\"arn:aws:ssm:x\" is the ARN of neither", false },
    { "a NUL", "", "", SECRET("A", "/nul", ""), PULL "the value holds a NUL, which no environment can", false },
    { "a server in trouble", "", "", SECRET("A", "/away", ""), PULL "unable to retrieve secrets from ssm: failed to fetch parameter /away: ", true },
};

static void answer(void *owner, const struct stub_request *request, struct stub_answer *reply)
{
    (void)owner;
    const char *body = strstr(request->body, "\"/s\"") != NULL ? "{\"Parameters\":[{\"Name\":\"/s\",\"Value\":\"value\"}]}"
        : strstr(request->body, "\"/nul\"") != NULL ? "{\"Parameters\":[{\"Name\":\"/nul\",\"Value\":\"a\\u0000b\"}]}" : "{\"Parameters\":[]}";
    reply->status = strstr(request->body, "\"/away\"") != NULL ? 503 : 200;
    snprintf(reply->body, sizeof reply->body, "%s", body);
}

struct asker { struct client *client; struct endpoint endpoint; pthread_t thread; atomic_bool over; };

static void *turn(void *arg)
{
    struct asker *asker = arg;
    while (!atomic_load(&asker->over)) { client_turn(asker->client, 100); }
    return NULL;
}

static void put_pairs(struct buf *out, const struct pair_list *pairs)
{
    for (size_t p = 0; p < pairs->count; p++) {
        buf_printf(out, "%s" STR_FMT "=" STR_FMT, out->len > 0 ? " " : "", STR_ARG(pairs->items[p].key), STR_ARG(pairs->items[p].value));
    }
}

static void check_row(const struct row *row, const struct resolver *resolver, struct arena *arena)
{
    struct str text = arena_printf(arena, "{\"clusterArn\":\"c\",\"containerInstanceArn\":\"i\",\"messageId\":\"m\",\"tasks\":[{\"arn\":\"a\","
        "\"desiredStatus\":\"RUNNING\",\"containers\":[{\"name\":\"main\",\"environment\":{%s},\"environmentFiles\":[%s],\"secrets\":[%s]}]}]}",
        row->environment, row->files, row->secrets);
    struct err err = { 0 };
    struct wire_payload payload;
    struct resolved resolved;
    bool transient;
    const struct json *tree = json_parse(text, arena, &err);
    CHECK(row->name, tree != NULL && schema_decode(&wire_payload_schema, tree, &payload, arena, ERR_INVALID_PARAMETER, &err));
    if (err.code != ERR_NONE) { return; }
    bool good = resolve_container(resolver, &payload.tasks.items[0].containers.items[0], &resolved, &transient, arena, &err);
    struct buf got = buf_in(arena);
    if (good) {
        put_pairs(&got, &resolved.values);
        if (resolved.log_options.count > 0) { buf_put_char(&got, '|'); }
        put_pairs(&got, &resolved.log_options);
    } else {
        buf_put(&got, str_slice(str_from(err.message), 0, strlen(row->want)));
    }
    CHECK_STR(row->name, got.len > 0 ? buf_str(&got) : STR(""), str_from(row->want));
    CHECK_EQ(row->name, transient, row->transient);
}

static void write_file(const char *dir, const char *name, const char *text, struct arena *arena)
{
    FILE *file = fopen(arena_printf(arena, "%s/b/%s", dir, name).ptr, "we");
    CHECK(name, file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

int main(void)
{
    struct stub_server server;
    struct asker asker = { .client = NULL };
    struct err err = { 0 };
    struct arena arena = { .ceiling = 64 << 20 };
    const struct credentials credentials = { STR("AKID"), STR("SECRET"), { NULL, 0 } };
    char dir[] = "/tmp/berth-resolve-XXXXXX", command[128];
    CHECK("a folder", mkdtemp(dir) != NULL && mkdir(arena_printf(&arena, "%s/b", dir).ptr, 0700) == 0);
    write_file(dir, "one.env", "A=1\nB=1\n", &arena);
    write_file(dir, "two.env", "B=2\nC=2\n", &arena);
    write_file(dir, "ours.env", "BERTH_GPU_SHARE=1\nX=1\nCUDA_VISIBLE_DEVICES=0\n", &arena);
    stub_start(&server, answer, NULL);
    asker.client = client_create(&credentials, "us-east-1", &err);
    CHECK("a client", asker.client != NULL && endpoint_parse(str_from(server.url), &asker.endpoint, &err));
    pthread_create(&asker.thread, NULL, turn, &asker);

    const atomic_bool stop = false;
    const struct s3_place s3 = { .endpoint = arena_printf(&arena, "file://%s", dir).ptr, .region = "us-east-1" };
    const struct resolver resolver = { asker.client, &asker.endpoint, &s3, &stop };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { check_row(&rows[r], &resolver, &arena); }

    atomic_store(&asker.over, true);
    pthread_join(asker.thread, NULL);
    client_close(asker.client);
    client_destroy(asker.client);
    stub_stop(&server);
    (void)snprintf(command, sizeof command, "rm -r %s", dir);
    CHECK_EQ("cleared away", system(command), 0);
    arena_finish(&arena);
    return check_report();
}
