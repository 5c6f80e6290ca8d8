/* aws.c: rows of a service's own tables. */
#include "api/core/api.h"

const struct operation *api_service_operation(const struct api_service *service, struct str name)
{
    size_t low = 0, high = service->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = str_cmp(name, service->operations[middle].name);
        if (order == 0) { return &service->operations[middle]; }
        if (order < 0) { high = middle; } else { low = middle + 1; }
    }
    return NULL;
}

static const struct service_error *find_error(const struct api_service *service, enum err_code code)
{
    for (size_t e = 0; e < service->error_count; e++) {
        if (service->errors[e].code == code) { return &service->errors[e]; }
    }
    return NULL;
}

struct str api_error_name(const struct api_service *service, enum err_code code)
{
    const struct service_error *error = find_error(service, code);
    return error != NULL ? error->name : str_from(err_wire_name(code));
}

int api_error_status(const struct api_service *service, enum err_code code)
{
    const struct service_error *error = find_error(service, code);
    return error != NULL && error->status != 0 ? error->status : err_http_status(code);
}
