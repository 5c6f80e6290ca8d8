/* repeat.c: the same CreateService again, with its token or without, and whether two workloads are the same. Records are compared by their bytes. */
#include "api/rules/rules.h"

static struct str bytes_of(const struct schema *schema, const void *record, struct arena *arena)
{
    struct buf bytes = buf_in(arena);
    schema_pack(schema, record, &bytes);
    return buf_str(&bytes);
}

int64_t service_request_hash(const struct create_service_request *request, struct arena *arena)
{
    struct create_service_request asked = *request;
    asked.client_token = asked.cluster = (struct str){ NULL, 0 };
    asked.tags = (struct tag_list){ NULL, 0 };
    return support_request_hash(&create_service_request_schema, &asked, arena);
}

static bool not_idempotent(struct err *err)
{
    return err_set(err, ERR_INVALID_PARAMETER, "Creation of service was not idempotent.");
}

bool service_check_repeat(const struct service *made, int64_t request_hash, struct err *err)
{
    return made->request_hash == request_hash || not_idempotent(err);
}

/* The members that a client asks for, without its tags. A daemon service's count is computed; a launch type that was not given is EC2. */
static struct service asked_part(const struct service *service)
{
    struct service part = *service;
    part.number = part.revision = part.created_ms = part.deleted_ms = part.request_hash = 0;
    part.status = SERVICE_STATUS_UNSET;
    part.created_launch_type = LAUNCH_TYPE_UNSET;
    part.zone_rebalancing_given = OPT_UNSET;
    part.tags = (struct tag_list){ NULL, 0 };
    part.marks = (struct event_mark_list){ NULL, 0 };
    part.kept_places = (struct kept_place_list){ NULL, 0 };
    part.early_pulls = (struct early_pull_list){ NULL, 0 };
    part.client_token = part.created_by = (struct str){ NULL, 0 };
    part.last_service_deployment = (struct id){ { 0 } };
    if (part.scheduling == SCHEDULING_STRATEGY_DAEMON) { part.desired_count = 0; }
    return part;
}

bool service_same_workload(const struct service_revision *a, const struct service_revision *b, struct arena *arena)
{
    struct service_revision parts[2] = { *a, *b };
    for (size_t p = 0; p < COUNT_OF(parts); p++) {
        parts[p].digits = parts[p].service = parts[p].created_ms = 0;
        parts[p].container_images = (struct container_image_list){ NULL, 0 };
    }
    return str_eq(bytes_of(&service_revision_record, &parts[0], arena), bytes_of(&service_revision_record, &parts[1], arena));
}

bool service_check_name_is_free(const struct service_draft *draft, const struct service *known, const struct service_revision *revision,
                                struct arena *arena, bool *same, struct err *err)
{
    *same = false;
    if (known == NULL || known->status == SERVICE_INACTIVE) { return true; }
    ASSERT(known->cluster_number == draft->service.cluster_number && str_eq(known->name, draft->service.name));
    if (known->status == SERVICE_DRAINING) { return err_set(err, ERR_INVALID_PARAMETER, "Unable to Start a service that is still Draining."); }
    struct service asked = asked_part(&draft->service), is = asked_part(known);
    bool equal = str_eq(bytes_of(&service_record, &asked, arena), bytes_of(&service_record, &is, arena))
        && (known->controller == DEPLOYMENT_CONTROLLER_TYPE_EXTERNAL || service_same_workload(&draft->revision, revision, arena));
    *same = equal;
    return equal || not_idempotent(err);
}
