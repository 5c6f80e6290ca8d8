/* services.c: the rows. Metrics count in their order. */
#include "server/front/services.h"

#include "server/logs/service.h"

const struct api_service *const services_table[] = {
    &ecs_service, &secretsmanager_service, &ssm_service, &logs_service, &sts_service, &alarms_service, &alarms_query_service, &events_service,
    &scheduler_service, &elbv2_service, &scaling_service, &iam_service, &ec2_service, &groups_service, NULL,
};

const struct api_service *services_of_target(struct str target, struct str *operation)
{
    for (size_t s = 0; services_table[s] != NULL; s++) {
        if (services_table[s]->protocol != API_JSON || !str_starts_with(target, services_table[s]->target)) { continue; }
        *operation = str_slice(target, services_table[s]->target.len, target.len);
        return services_table[s];
    }
    return NULL;
}

const struct api_service *services_of_form(struct str version, struct str scope)
{
    const struct api_service *first = NULL, *named = NULL;
    for (size_t s = 0; services_table[s] != NULL; s++) {
        if (services_table[s]->protocol != API_QUERY) { continue; }
        if (str_eq(services_table[s]->version, version)) { return services_table[s]; }
        first = first == NULL ? services_table[s] : first;
        if (str_eq(services_table[s]->name, scope)) { named = services_table[s]; }
    }
    return named != NULL ? named : first;
}
