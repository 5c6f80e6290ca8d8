/* unserved.c: how an operation that this version does not serve refuses. The cluster that it names must be there first, as in ECS. */
#include "api/core/support.h"

/* The text member of that name; false when the operation has none. It is absent when the request has none. */
static bool text_member(const struct operation *operation, const void *input, struct str name, struct str *text)
{
    for (size_t f = 0; f < operation->input->count; f++) {
        const struct field *field = &operation->input->fields[f];
        if (field->kind != FIELD_STR || !str_eq(field->name, name)) { continue; }
        memcpy(text, (const char *)input + field->offset, sizeof *text);
        return true;
    }
    return false;
}

bool unserved_refuse(struct op_ctx *ctx, const struct operation *operation, const void *input, struct err *err)
{
    struct str cluster;
    bool of_cluster = text_member(operation, input, STR("cluster"), &cluster) || text_member(operation, input, STR("clusterArn"), &cluster);
    bool of_account = of_cluster && !str_is_set(cluster) && str_contains(operation->name, STR("CapacityProvider"));
    if (of_cluster && !of_account && support_cluster(ctx, cluster, err) == NULL) { return false; }
    return err_set(err, operation->unserved, STR_FMT " is not served by this version of Berth.", STR_ARG(operation->name));
}
