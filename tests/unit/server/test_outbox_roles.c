/* One agent's messages: a task that a reader knows of before it can read it; and the keys of roles: first in the payload, then again at half of their life, and all of them for an agent that has
 * lost them. Time is a number. */
#include "server/sessions/outbox.h"

#include "tests/unit/api/machines.h"

#define LIFE_MS ((int64_t)6 * 3600 * 1000)
#define AGAIN_MS 30000

struct agent { struct api_fixture f; struct id machine; struct outbox outbox; struct numbers numbers; };

static const struct str_list no_candidates;
static struct str_list told;                 /* by the last visit */

/* Monotonic time runs with the wall clock's. How many messages of this type came. */
static size_t visit(struct agent *agent, const char *type)
{
    struct err err = { 0 };
    struct store_txn *txn = store_read_begin(agent->f.store);
    struct op_ctx ctx = fixture_ctx(&agent->f, txn, &agent->f.kept, OP_READ);
    CHECK("the visit goes well", outbox_collect(&agent->outbox, &ctx, agent->machine, &no_candidates, &agent->numbers, agent->f.now_ms, &told, &err));
    CHECK("the read is sound", store_read_end(txn));
    size_t count = 0;
    for (size_t m = 0; m < told.count; m++) { count += str_eq(fixture_at(&agent->f, told.items[m], "type"), str_from(type)); }
    return count;
}

static struct str newest(struct agent *agent, const char *path) { return fixture_at(&agent->f, told.items[told.count - 1], path); }

static void ack(struct agent *agent)
{
    for (size_t m = 0; m < told.count; m++) { outbox_ack(&agent->outbox, fixture_at(&agent->f, told.items[m], "message.messageId")); }
}

static void put_role_key(struct agent *agent, const char *key)
{
    int64_t revision;
    struct store_txn *txn = store_write_begin(agent->f.store);
    store_put_meta(txn, role_key_name, str_from(key));
    CHECK("the key is written", store_write_commit(txn, &revision));
}

static void open_agent(struct agent *agent)
{
    *agent = (struct agent){ 0 };
    cluster_open(&agent->f);
    put_role_key(agent, "0123456789abcdef0123456789abcdef");
    agent->f.config.role_life_ms = LIFE_MS;
    agent->machine = machine_add(&agent->f, "a", 0);
    outbox_reset(&agent->outbox, AGAIN_MS);
    CHECK_EQ("nothing to send about roles yet", visit(agent, "IAMRoleCredentialsMessage"), 0);
    ack(agent);
}

static void close_agent(struct agent *agent)
{
    outbox_finish(&agent->outbox);
    fixture_close(&agent->f);
}

static const char *start(struct agent *agent, const char *family, const char *more)
{
    struct str made = fixture_call(&agent->f, "RunTask", text(&agent->f, "{\"taskDefinition\":\"%s\"%s}", family, more));
    CHECK_EQ(family, agent->f.code, ERR_NONE);
    return at(&agent->f, made, "tasks[0].taskArn");
}

#define BOTH ",\"taskRoleArn\":\"arn:aws:iam::123456789012:role/app\",\"executionRoleArn\":\"puller\""

static void test_life(void)
{
    struct agent agent;
    open_agent(&agent);
    define(&agent.f, "both", "", BOTH);
    define(&agent.f, "none", "", "");
    const char *task = start(&agent, "both", "");
    CHECK_EQ("a payload", visit(&agent, "PayloadMessage"), 1);
    struct str id = newest(&agent, "message.tasks[0].roleCredentials.credentialsId");
    struct str first = newest(&agent, "message.tasks[0].roleCredentials.accessKeyId");
    CHECK_STR("of the role", newest(&agent, "message.tasks[0].roleCredentials.roleArn"), STR("arn:aws:iam::123456789012:role/app"));
    CHECK_STR("a bare name is an ARN too", newest(&agent, "message.tasks[0].executionRoleCredentials.roleArn"), STR("arn:aws:iam::123456789012:role/puller"));
    CHECK("an id for each", !str_eq(id, newest(&agent, "message.tasks[0].executionRoleCredentials.credentialsId")));
    ack(&agent);
    report(&agent.f, task, "RUNNING", "");
    (void)start(&agent, "none", "");
    CHECK_EQ("a task without roles", visit(&agent, "PayloadMessage"), 1);
    CHECK("… has no keys", !str_is_set(newest(&agent, "message.tasks[0].roleCredentials")));
    ack(&agent);

    CHECK_EQ("the keys are good", visit(&agent, "IAMRoleCredentialsMessage"), 0);
    CHECK("half a life at most until new ones", agent.outbox.next_due_ms > agent.f.now_ms && agent.outbox.next_due_ms <= agent.f.now_ms + LIFE_MS / 2);
    agent.f.now_ms = agent.outbox.next_due_ms - 1;
    CHECK_EQ("not before the time", visit(&agent, "IAMRoleCredentialsMessage"), 0);
    agent.f.now_ms = agent.outbox.next_due_ms;
    CHECK_EQ("then both are new", visit(&agent, "IAMRoleCredentialsMessage"), 2);
    CHECK_STR("of the task", fixture_at(&agent.f, told.items[0], "message.taskArn"), str_from(task));
    CHECK_STR("whose role", fixture_at(&agent.f, told.items[0], "message.roleType"), STR("TaskApplication"));
    CHECK_STR("the other", fixture_at(&agent.f, told.items[1], "message.roleType"), STR("TaskExecution"));
    CHECK_STR("the id is the same for ever", fixture_at(&agent.f, told.items[0], "message.roleCredentials.credentialsId"), id);
    CHECK("the keys are not", !str_eq(fixture_at(&agent.f, told.items[0], "message.roleCredentials.accessKeyId"), first));

    struct str number = fixture_at(&agent.f, told.items[0], "message.messageId");
    outbox_ack_role(&agent.outbox, fixture_at(&agent.f, told.items[1], "message.messageId"));
    agent.f.now_ms += AGAIN_MS;
    CHECK_EQ("a message without an acknowledgement comes again", visit(&agent, "IAMRoleCredentialsMessage"), 1);
    CHECK_STR("under its number", newest(&agent, "message.messageId"), number);
    ack(&agent);
    report(&agent.f, task, "STOPPED", "");
    agent.f.now_ms += LIFE_MS;
    CHECK_EQ("a task that is over has no keys", visit(&agent, "IAMRoleCredentialsMessage"), 0);
    CHECK_EQ("and takes no room", agent.outbox.role_count, 0);
    close_agent(&agent);
}

static void test_lost(void)
{
    struct agent agent;
    open_agent(&agent);
    define(&agent.f, "both", "", BOTH);
    define(&agent.f, "none", "", "");
    const char *running = start(&agent, "both", ""), *overridden = start(&agent, "none", ",\"overrides\":{\"taskRoleArn\":\"deputy\"}");
    (void)start(&agent, "none", "");
    CHECK_EQ("three payloads", visit(&agent, "PayloadMessage"), 3);
    CHECK_STR("an override gives a role", fixture_at(&agent.f, told.items[1], "message.tasks[0].roleCredentials.roleArn"), STR("arn:aws:iam::123456789012:role/deputy"));
    ack(&agent);
    report(&agent.f, running, "RUNNING", "");

    outbox_reset(&agent.outbox, AGAIN_MS);
    CHECK_EQ("a new connection of an agent that has them", visit(&agent, "IAMRoleCredentialsMessage"), 0);
    ack(&agent);
    outbox_reset(&agent.outbox, AGAIN_MS);
    outbox_forget_roles(&agent.outbox);
    CHECK_EQ("one that has lost them: those of the running task", visit(&agent, "IAMRoleCredentialsMessage"), 2);
    CHECK_EQ("those of the others come with the payload", visit(&agent, "IAMRoleCredentialsMessage"), 0);
    ack(&agent);
    (void)fixture_call(&agent.f, "StopTask", text(&agent.f, "{\"task\":\"%s\"}", overridden));
    outbox_forget_roles(&agent.outbox);
    CHECK_EQ("a task that is stopping keeps its role until it is over", visit(&agent, "IAMRoleCredentialsMessage"), 3);
    CHECK_STR("as the last of all", newest(&agent, "type"), STR("IAMRoleCredentialsMessage"));
    close_agent(&agent);
}

/* With another key of the server's all are sent again, at once and under their ids; and not once more. */
static void test_rotation(void)
{
    struct agent agent;
    open_agent(&agent);
    define(&agent.f, "both", "", BOTH);
    const char *task = start(&agent, "both", "");
    CHECK_EQ("a payload", visit(&agent, "PayloadMessage"), 1);
    struct str id = newest(&agent, "message.tasks[0].roleCredentials.credentialsId"), key = newest(&agent, "message.tasks[0].roleCredentials.accessKeyId");
    ack(&agent);
    report(&agent.f, task, "RUNNING", "");
    CHECK_EQ("nothing is due", visit(&agent, "IAMRoleCredentialsMessage"), 0);
    put_role_key(&agent, "0123456789abcdef0123456789abcdefFEDCBA9876543210FEDCBA9876543210");
    CHECK_EQ("both are new", visit(&agent, "IAMRoleCredentialsMessage"), 2);
    CHECK_STR("under the same id", fixture_at(&agent.f, told.items[0], "message.roleCredentials.credentialsId"), id);
    CHECK("with other keys", !str_eq(fixture_at(&agent.f, told.items[0], "message.roleCredentials.accessKeyId"), key));
    ack(&agent);
    CHECK_EQ("once", visit(&agent, "IAMRoleCredentialsMessage"), 0);
    put_role_key(&agent, "of no use");
    CHECK_EQ("without a key there are none", visit(&agent, "IAMRoleCredentialsMessage"), 0);
    close_agent(&agent);
}

/* An acknowledgement of the keys in a payload is none of the payload. */
static void test_acks(void)
{
    struct agent agent;
    open_agent(&agent);
    define(&agent.f, "both", "", BOTH);
    (void)start(&agent, "both", "");
    CHECK_EQ("a payload", visit(&agent, "PayloadMessage"), 1);
    outbox_ack_role(&agent.outbox, newest(&agent, "message.messageId"));
    outbox_ack_role(&agent.outbox, STR("m0"));
    agent.f.now_ms += AGAIN_MS;
    CHECK_EQ("it comes again", visit(&agent, "PayloadMessage"), 1);
    CHECK_EQ("and no keys beside it", visit(&agent, "IAMRoleCredentialsMessage"), 0);
    close_agent(&agent);
}

/* The memory of live records is ahead of a reader that began before the commit: such work is sent at the next look, not later. */
static void test_ahead(void)
{
    struct agent agent;
    struct err err = { 0 };
    open_agent(&agent);
    define(&agent.f, "none", "", "");
    struct store_txn *txn = store_read_begin(agent.f.store);
    CHECK("it began before", store_revision(txn) > 0);
    (void)start(&agent, "none", "");
    struct op_ctx ctx = fixture_ctx(&agent.f, txn, &agent.f.kept, OP_READ);
    CHECK("the look goes well", outbox_collect(&agent.outbox, &ctx, agent.machine, &no_candidates, &agent.numbers, agent.f.now_ms, &told, &err));
    CHECK_EQ("there is nothing to read", told.count, 0);
    CHECK("the read is sound", store_read_end(txn));
    CHECK("nothing is due", agent.outbox.next_due_ms == INT64_MAX);
    CHECK_EQ("then it is sent", visit(&agent, "PayloadMessage"), 1);
    ack(&agent);
    CHECK_EQ("once", visit(&agent, "PayloadMessage"), 0);
    close_agent(&agent);
}

int main(void)
{
    test_ahead();
    test_life();
    test_lost();
    test_acks();
    test_rotation();
    return check_report();
}
