/* health.c: GET /healthz: whether the store can be read and written, 200 or 503. Of several servers with one state, for a proxy before them:
 * ?role=leader is 200 on the one that leads, ?role=ready on each whose store had all of the log lately. */
#include "server/paths/figures.h"

#include "server/front/answers.h"
#include "wire/own_json.h"
#include "wire/wire.h"

/* The role that is asked for, and is not this server's. */
static bool lacks_role(const struct front *front, const struct http_request *request)
{
    struct str role = query_parameter(request, STR("role"));
    if (!str_is_set(role) || front->members == NULL) { return false; }
    struct err err = { 0 };
    bool leads = member_role(members_member(front->members)) == MEMBER_LEADS;
    return str_eq(role, STR("leader")) ? !leads : !leads && !members_is_fresh(front->members, &err);
}

void health_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct front *front = context;
    (void)caller;
    struct store_txn *txn = store_read_begin(front->store);
    int64_t revision = store_revision(txn);
    if (!store_read_end(txn)) {
        answer_unreadable(front, answer);
        answer->status = 503;
        return;
    }
    struct writer_counts writer = writer_count(front->writer);
    bool good = writer.trouble[0] == '\0', lacks = lacks_role(front, request);
    answer->status = good && !lacks ? 200 : 503;
    answer->type = STR("application/json");
    answer->headers = live_headers;
    struct json_out json = json_out_to(&answer->body);
    json_open(&json, '{');
    own_json_str(&json, STR("status"), good ? STR("ok") : STR("failing"));
    if (!good) { own_json_str(&json, STR("reason"), arena_printf(request->arena, "The last commit failed: %s.", writer.trouble)); }
    if (good && lacks) { own_json_str(&json, STR("reason"), STR("This server has not the role that was asked for.")); }
    own_json_str(&json, STR("version"), STR(BERTH_VERSION));
    own_json_i64(&json, STR("protocol"), PROTOCOL_NEWEST);
    own_json_i64(&json, STR("oldestProtocol"), PROTOCOL_OLDEST);
    own_json_i64(&json, STR("revision"), revision);
    json_close(&json, '}');
}
