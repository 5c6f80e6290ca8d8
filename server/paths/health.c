/* health.c: GET /healthz: whether the store can be read and written, 200 or 503. */
#include "server/paths/figures.h"

#include "server/front/answers.h"
#include "wire/own_json.h"
#include "wire/wire.h"

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
    bool good = writer.trouble[0] == '\0';
    if (!good) { answer->status = 503; }
    answer->type = STR("application/json");
    answer->headers = live_headers;
    struct json_out json = json_out_to(&answer->body);
    json_open(&json, '{');
    own_json_str(&json, STR("status"), good ? STR("ok") : STR("failing"));
    if (!good) { own_json_str(&json, STR("reason"), arena_printf(request->arena, "The last commit failed: %s.", writer.trouble)); }
    own_json_str(&json, STR("version"), STR(BERTH_VERSION));
    own_json_i64(&json, STR("protocol"), PROTOCOL_NEWEST);
    own_json_i64(&json, STR("oldestProtocol"), PROTOCOL_OLDEST);
    own_json_i64(&json, STR("revision"), revision);
    json_close(&json, '}');
}
