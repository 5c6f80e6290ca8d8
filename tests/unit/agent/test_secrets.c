/* test_secrets.c: values by reference from the test's own server: the requests, the values from the answers, and in which
 * words it fails. */
#include <stdatomic.h>

#include "agent/task/secrets.h"

#include "tests/unit/agent/stub_server.h"
#include "tests/unit/check.h"

#define ARN "arn:aws:secretsmanager:us-east-1:123456789012:secret:db-AbCdEf"
#define OBJECT "{\\\"user\\\":\\\"ann\\\",\\\"port\\\":5432,\\\"on\\\":true,\\\"more\\\":{\\\"a\\\":[1]}}"

static const struct row {
    const char *name, *reference;
    int status; const char *answer;              /* the server's */
    const char *operation, *asked, *scope;       /* what it is asked */
    const char *value;                           /* NULL: it fails … */
    bool transient; const char *words;           /* … like this */
} rows[] = {
    { "a secret", ARN, 200, "{\"SecretString\":\"s3cret\"}", "secretsmanager.GetSecretValue", "{\"SecretId\":\"" ARN "\"}",
      "/us-east-1/secretsmanager/aws4_request", "s3cret", false, NULL },
    { "a stage", ARN "::AWSPREVIOUS:", 200, "{\"SecretString\":\"old\"}", "secretsmanager.GetSecretValue",
      "{\"SecretId\":\"" ARN "\",\"VersionStage\":\"AWSPREVIOUS\"}", NULL, "old", false, NULL },
    { "a version", ARN ":::v1", 200, "{\"SecretString\":\"\"}", "secretsmanager.GetSecretValue",
      "{\"SecretId\":\"" ARN "\",\"VersionId\":\"v1\"}", NULL, "", false, NULL },
    { "a text in an object", ARN ":user::", 200, "{\"SecretString\":\"" OBJECT "\"}", "secretsmanager.GetSecretValue",
      "{\"SecretId\":\"" ARN "\"}", NULL, "ann", false, NULL },
    { "a number in an object", ARN ":port::", 200, "{\"SecretString\":\"" OBJECT "\"}", "secretsmanager.GetSecretValue", NULL, NULL, "5432", false, NULL },
    { "a yes in an object", ARN ":on::", 200, "{\"SecretString\":\"" OBJECT "\"}", "secretsmanager.GetSecretValue", NULL, NULL, "true", false, NULL },
    { "an object in it", ARN ":more::", 200, "{\"SecretString\":\"" OBJECT "\"}", "secretsmanager.GetSecretValue", NULL, NULL, "{\"a\":[1]}", false, NULL },
    { "a key that is not there", ARN ":pass::", 200, "{\"SecretString\":\"" OBJECT "\"}", "secretsmanager.GetSecretValue", NULL, NULL, NULL, false,
      "retrieved secret from Secrets Manager did not contain json key pass" },
    { "a key of a plain text", ARN ":pass::", 200, "{\"SecretString\":\"hunter2\"}", "secretsmanager.GetSecretValue", NULL, NULL, NULL, false,
      "the secret " ARN " is no JSON object, so it has no key pass" },
    { "no text", ARN, 200, "{}", "secretsmanager.GetSecretValue", NULL, NULL, NULL, false,
      "unable to retrieve secret from asm: the secret " ARN " has no text" },
    { "no such secret", ARN, 400, "{\"__type\":\"ResourceNotFoundException\",\"Message\":\"Secrets Manager can't find the specified secret.\"}",
      "secretsmanager.GetSecretValue", NULL, NULL, NULL, false,
      "unable to retrieve secret from asm: failed to fetch secret " ARN " from secrets manager: ResourceNotFoundException: Secrets Manager"
      " can't find the specified secret." },
    { "a server in trouble", ARN, 500, "{\"__type\":\"ServerException\",\"Message\":\"no\"}", "secretsmanager.GetSecretValue", NULL, NULL, NULL, true,
      "unable to retrieve secret from asm: failed to fetch secret " ARN " from secrets manager: ServerException: no" },
    { "a parameter", "/prod/db", 200, "{\"Parameters\":[{\"Name\":\"/prod/db\",\"Value\":\"p\"}],\"InvalidParameters\":[]}",
      "AmazonSSM.GetParameters", "{\"Names\":[\"/prod/db\"],\"WithDecryption\":true}", "/us-east-1/ssm/aws4_request", "p", false, NULL },
    { "no such parameter", "/prod/db", 200, "{\"Parameters\":[],\"InvalidParameters\":[\"/prod/db\"]}", "AmazonSSM.GetParameters", NULL, NULL,
      NULL, false, "unable to retrieve secrets from ssm: invalid parameters: /prod/db" },
    { "a parameter that is refused", "db", 400, "{\"__type\":\"AccessDeniedException\",\"message\":\"not you\"}", "AmazonSSM.GetParameters", NULL, NULL,
      NULL, false, "unable to retrieve secrets from ssm: failed to fetch parameter db: AccessDeniedException: not you" },
    { "a text that is no answer", "db", 200, "hello", "AmazonSSM.GetParameters", NULL, NULL, NULL, false,
      "unable to retrieve secrets from ssm: invalid parameters: db" },
};

struct asker { struct client *client; struct endpoint endpoint; pthread_t thread; atomic_bool over; };

static void answer(void *owner, const struct stub_request *request, struct stub_answer *reply)
{
    const struct row *const *row = owner;
    (void)request;
    reply->status = (*row)->status;
    snprintf(reply->body, sizeof reply->body, "%s", (*row)->answer);
}

static void *turn(void *arg)
{
    struct asker *asker = arg;
    while (!atomic_load(&asker->over)) { client_turn(asker->client, 100); }
    return NULL;
}

static void check_row(const struct row *row, struct asker *asker, struct stub_server *server, size_t nth, struct arena *arena)
{
    struct secret_ref ref;
    struct err err = { 0 };
    struct str value = { NULL, 0 };
    bool transient = false;
    CHECK(row->name, secret_ref_parse(str_from(row->reference), SECRET_OF_SSM, &ref, &err));
    bool good = secrets_fetch(asker->client, &asker->endpoint, &ref, &value, &transient, arena, &err);
    CHECK_EQ(row->name, good, row->value != NULL);
    CHECK_EQ(row->name, transient, row->transient);
    if (good) { CHECK_STR(row->name, value, str_from(row->value)); } else { CHECK_STR(row->name, str_from(err.message), str_from(row->words)); }
    if (server->count <= nth) {
        CHECK("the server was asked", false);
        return;
    }
    const struct stub_request *asked = &server->requests[nth];
    CHECK_STR(row->name, str_from(asked->operation), str_from(row->operation));
    if (row->asked != NULL) { CHECK_STR(row->name, str_from(asked->body), str_from(row->asked)); }
    if (row->scope != NULL) { CHECK(row->name, strstr(asked->authorization, row->scope) != NULL); }
}

int main(void)
{
    const struct row *row = NULL;
    struct stub_server server;
    struct asker asker = { .client = NULL };
    struct err err = { 0 };
    struct arena arena = { .ceiling = 4 << 20 };
    const struct credentials credentials = { STR("AKID"), STR("SECRET"), { NULL, 0 } };
    stub_start(&server, answer, &row);
    asker.client = client_create(&credentials, "us-east-1", &err);
    CHECK("a client", asker.client != NULL && endpoint_parse(str_from(server.url), &asker.endpoint, &err));
    pthread_create(&asker.thread, NULL, turn, &asker);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        row = &rows[r];
        check_row(row, &asker, &server, r, &arena);
    }
    atomic_store(&asker.over, true);
    pthread_join(asker.thread, NULL);
    client_close(asker.client);
    client_destroy(asker.client);
    stub_stop(&server);
    arena_finish(&arena);
    return check_report();
}
