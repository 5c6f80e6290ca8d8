/* The table of services: names and targets are their own, and each operation has its tables and its handler. */
#include "server/front/services.h"

#include "server/figures/metrics.h"
#include "tests/unit/check.h"

static void test_operations(const struct api_service *service)
{
    CHECK("a service has operations", service->count > 0);
    for (size_t o = 0; o < service->count; o++) {
        const struct operation *operation = &service->operations[o];
        char row[96];
        CHECK("a name that fits", str_to_cstr(operation->name, row, sizeof row));
        CHECK(row, o == 0 || str_cmp(service->operations[o - 1].name, operation->name) < 0);
        CHECK(row, api_service_operation(service, operation->name) == operation);
        CHECK(row, operation->input != NULL);
        CHECK(row, operation->run != NULL);
        CHECK(row, operation->role > ACCESS_ROLE_UNSET && operation->role < ACCESS_ROLE_COUNT);
        /* Each write to the store is named in the audit. */
        CHECK(row, operation->access != OP_WRITE || service->named);
    }
}

static void test_services(void)
{
    size_t operations = 0;
    CHECK("ECS comes first", services_table[0] == &ecs_service);
    for (size_t s = 0; services_table[s] != NULL; s++) {
        const struct api_service *service = services_table[s];
        struct str rest;
        char row[64];
        CHECK("a name that fits", str_to_cstr(service->name, row, sizeof row));
        for (size_t t = 0; t < s; t++) { CHECK(row, services_table[t]->protocol != service->protocol || !str_eq(services_table[t]->name, service->name)); }
        if (service->protocol == API_JSON) {
            CHECK(row, str_ends_with(service->target, STR(".")) && service->message.len > 0);
            CHECK(row, services_of_target(service->target, &rest) == service && rest.len == 0);
        } else if (service->protocol == API_REST) {
            CHECK(row, service->version.len == 0 && service->target.len == 0);
        } else {
            CHECK(row, service->version.len > 0 && service->space.len > 0 && service->target.len == 0);
            CHECK(row, services_of_form(service->version, STR("sts")) == service);
        }
        CHECK(row, service->early == (service->unserved_more.len == 0));
        test_operations(service);
        operations += service->count;
    }
    CHECK("metrics have room for all", operations <= METRIC_OPERATIONS_MAX);
}

static void test_unknown(void)
{
    static const char *const targets[] = { "", "AmazonSSM", "Logs_20140328", "AWSEventsPutRule" };
    struct str rest;
    for (size_t t = 0; t < COUNT_OF(targets); t++) { CHECK(targets[t], services_of_target(str_from(targets[t]), &rest) == NULL); }
    CHECK("an unknown version is the scope's service", services_of_form(STR("1999-01-01"), STR("ec2")) == &ec2_service);
    CHECK("of an unknown scope the first one's", services_of_form(STR("1999-01-01"), STR("ecs"))->protocol == API_QUERY);
}

int main(void)
{
    test_services();
    test_unknown();
    return check_report();
}
