/* report.c: a report in the shape of SubmitTaskStateChange, as the ECS agent sends it. */
#include "agent/task/task.h"

enum { REASON_SENT_MAX = 1024, ID_SENT_MAX = 255 };

static void put_text(struct json_out *out, struct str name, struct str value)
{
    json_key(out, name);
    json_str(out, value);
}

static struct str phase_word(enum container_phase phase)
{
    switch (phase) {
    case CONTAINER_NONE:
    case CONTAINER_CREATED: return STR("PENDING");
    case CONTAINER_RUNNING: return STR("RUNNING");
    case CONTAINER_STOPPED: return STR("STOPPED");
    }
    return STR("PENDING");
}

static void put_container(struct json_out *out, const struct task_container *container)
{
    json_open(out, '{');
    put_text(out, STR("containerName"), container->wire->name);
    put_text(out, STR("status"), phase_word(container->phase));
    if (container->id[0] != '\0') { put_text(out, STR("runtimeId"), str_slice(str_from(container->id), 0, ID_SENT_MAX)); }
    if (container->digest[0] != '\0') { put_text(out, STR("imageDigest"), str_slice(str_from(container->digest), 0, ID_SENT_MAX)); }
    if (container->reason[0] != '\0') { put_text(out, STR("reason"), str_slice(str_from(container->reason), 0, REASON_SENT_MAX)); }
    if (container->exit_code.set) {
        json_key(out, STR("exitCode"));
        json_i64(out, container->exit_code.value);
    }
    if (container->health != HEALTH_STATUS_UNSET) {
        put_text(out, STR("healthStatus"), enum_word(&health_status_names, (int)container->health));
    }
    if (container->bindings.count > 0) {
        json_key(out, STR("networkBindings"));
        json_open(out, '[');
        for (size_t b = 0; b < container->bindings.count; b++) { schema_print(&network_binding_schema, &container->bindings.items[b], out); }
        json_close(out, ']');
    }
    json_close(out, '}');
}

static void put_time(struct json_out *out, struct str name, int64_t ms)
{
    if (ms == 0) { return; }
    json_key(out, name);
    json_time(out, ms);
}

static void put_detail(struct json_out *out, struct str name, struct str value)
{
    json_open(out, '{');
    put_text(out, STR("name"), name);
    put_text(out, STR("value"), value);
    json_close(out, '}');
}

/* The machine chooses the address, so it is reported with the attachment. The ECS agent gets it from the server. */
static void put_attachments(struct json_out *out, const struct task *task)
{
    if (task->wire->interfaces.count == 0 || task->address[0] == '\0') { return; }
    json_key(out, STR("attachments"));
    json_open(out, '[');
    json_open(out, '{');
    put_text(out, STR("attachmentArn"), task->wire->interfaces.items[0].attachment_arn);
    put_text(out, STR("status"), STR("ATTACHED"));
    json_key(out, STR("details"));
    json_open(out, '[');
    put_detail(out, STR("privateIPv4Address"), str_from(task->address));
    put_detail(out, STR("macAddress"), str_from(task->mac_address));
    json_close(out, ']');
    json_close(out, '}');
    json_close(out, ']');
}

static void put_head(struct json_out *out, struct str cluster, struct str arn, struct str status, struct str reason)
{
    json_open(out, '{');
    put_text(out, STR("cluster"), cluster);
    put_text(out, STR("task"), arn);
    put_text(out, STR("status"), status);
    put_text(out, STR("reason"), str_slice(reason, 0, REASON_SENT_MAX));
}

struct str task_report_body(const struct task *task, struct str status, struct arena *arena)
{
    struct buf body = buf_in(arena);
    struct json_out out = json_out_to(&body);
    put_head(&out, str_from(task->host->cluster), task->arn, status, str_from(task->reason));
    put_time(&out, STR("pullStartedAt"), task->pull_started_ms);
    put_time(&out, STR("pullStoppedAt"), task->pull_stopped_ms);
    put_time(&out, STR("executionStoppedAt"), task->execution_stopped_ms);
    json_key(&out, STR("containers"));
    json_open(&out, '[');
    for (size_t c = 0; c < task->count; c++) { put_container(&out, &task->containers[c]); }
    json_close(&out, ']');
    put_attachments(&out, task);
    json_close(&out, '}');
    return buf_str(&body);
}

struct str task_report_unknown(struct str cluster, const struct wire_task *wire, struct str reason, struct arena *arena)
{
    struct buf body = buf_in(arena);
    struct json_out out = json_out_to(&body);
    put_head(&out, cluster, wire->arn, STR("STOPPED"), reason);
    json_key(&out, STR("containers"));
    json_open(&out, '[');
    for (size_t c = 0; c < wire->containers.count; c++) {
        json_open(&out, '{');
        put_text(&out, STR("containerName"), wire->containers.items[c].name);
        put_text(&out, STR("status"), STR("STOPPED"));
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_close(&out, '}');
    return buf_str(&body);
}
