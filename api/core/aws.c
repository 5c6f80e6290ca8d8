/* aws.c: the services of the API's port. What differs between them is in their own tables. */
#include "api/core/api.h"

static const struct api_service *const services[] = { &ecs_service, &secretsmanager_service, &ssm_service };

const struct api_service *api_service_at(size_t number) { return number < COUNT_OF(services) ? services[number] : NULL; }

const struct api_service *api_service_of(struct str target, struct str *operation)
{
    for (size_t s = 0; s < COUNT_OF(services); s++) {
        if (!str_starts_with(target, services[s]->target)) { continue; }
        *operation = str_slice(target, services[s]->target.len, target.len);
        return services[s];
    }
    return NULL;
}

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

struct str api_error_name(const struct api_service *service, enum err_code code)
{
    for (size_t e = 0; e < service->error_count; e++) {
        if (service->errors[e].code == code) { return service->errors[e].name; }
    }
    return str_from(err_wire_name(code));
}
