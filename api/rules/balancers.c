/* balancers.c: loadBalancers and serviceRegistries of a service. */
#include "api/rules/rules.h"

#include "base/text/arn.h"

enum { SHOWN_MAX = 255 };

static bool is_classic(const struct load_balancer *balancer) { return balancer->load_balancer_name.len > 0; }

/* ---- kinds ---- */

static bool check_kinds(const struct load_balancer_list *balancers, enum deployment_strategy strategy, struct err *err)
{
    size_t classic = 0, targets = 0, advanced = 0;
    for (size_t b = 0; b < balancers->count; b++) {
        const struct load_balancer *balancer = &balancers->items[b];
        classic += is_classic(balancer);
        targets += balancer->target_group_arn.len > 0;
        advanced += balancer->advanced_configuration != NULL;
        if (is_classic(balancer) && balancer->advanced_configuration != NULL) {
            return err_set(err, ERR_INVALID_PARAMETER, "advancedConfiguration field is not allowed with ELBv1 loadBalancers");
        }
    }
    if (classic + targets != balancers->count || (classic > 0 && targets > 0)) {
        return err_set(err, ERR_INVALID_PARAMETER, "All loadBalancers must be strictly either ELBv1 (defining loadBalancerName) or ELBv2 (defining "
                       "targetGroupArn)");
    }
    if (classic > 0) {
        return err_set(err, ERR_UNSUPPORTED_FEATURE, "Classic load balancers are not available. Use a target group: give its targetGroupArn.");
    }
    if (advanced > 0 && advanced < balancers->count) {
        return err_set(err, ERR_INVALID_PARAMETER, "Either all or none of the provided loadBalancers must have advancedConfiguration defined");
    }
    return strategy == DEPLOYMENT_STRATEGY_ROLLING || advanced == balancers->count
        || err_set(err, ERR_INVALID_PARAMETER,
                   "advancedConfiguration field is required for all loadBalancers when using a non-ROLLING deployment strategy");
}

/* ---- rules of listeners ---- */

static bool check_rule_arn(const char *member, struct str rule, struct err *err)
{
    struct arn arn;
    bool is_it = rule.len == 0
        || (arn_parse(rule, &arn) && str_eq(arn.service, STR("elasticloadbalancing"))
            && (str_starts_with(arn.resource, STR("listener-rule/app/")) || str_starts_with(arn.resource, STR("listener/net/"))));
    return is_it
        || err_set(err, ERR_INVALID_PARAMETER, "%s has an invalid ARN format. Must be RuleArn for ALB or ListenerArn for NLB. Got: " STR_FMT, member,
                   STR_ARG(str_slice(rule, 0, SHOWN_MAX)));
}

static bool check_rules(const struct advanced_configuration *advanced, struct err *err)
{
    if (advanced == NULL) { return true; }
    if (!check_rule_arn("productionListenerRule", advanced->production_listener_rule, err)) { return false; }
    if (!check_rule_arn("testListenerRule", advanced->test_listener_rule, err)) { return false; }
    bool is_one = advanced->test_listener_rule.len > 0 && str_eq(advanced->test_listener_rule, advanced->production_listener_rule);
    return !is_one
        || err_set(err, ERR_INVALID_PARAMETER, "The following rules cannot be used as both production and test listener rules: " STR_FMT,
                   STR_ARG(str_slice(advanced->test_listener_rule, 0, SHOWN_MAX)));
}

/* ---- containers ---- */

static bool has_port(const struct container_definition *container, int64_t port)
{
    for (size_t m = 0; m < container->port_mappings.count; m++) {
        if (container->port_mappings.items[m].container_port.value == port) { return true; }
    }
    return false;
}

static bool check_container(const struct task_definition *def, struct str name, struct opt_int port, struct err *err)
{
    const struct container_definition *container = def == NULL ? NULL : taskdef_container(def, name);
    if (container == NULL) {
        return err_set(err, ERR_INVALID_PARAMETER, "The container " STR_FMT " does not exist in the task definition.", STR_ARG(str_slice(name, 0, SHOWN_MAX)));
    }
    return has_port(container, port.value)
        || err_set(err, ERR_INVALID_PARAMETER, "The container " STR_FMT " did not have a container port %lld defined.",
                   STR_ARG(str_slice(name, 0, SHOWN_MAX)), (long long)port.value);
}

bool service_check_balancers(const struct load_balancer_list *balancers, const struct task_definition *def, enum deployment_strategy strategy,
                             struct err *err)
{
    if (!check_kinds(balancers, strategy, err)) { return false; }
    for (size_t b = 0; b < balancers->count; b++) {
        const struct load_balancer *balancer = &balancers->items[b];
        for (size_t before = 0; before < b; before++) {
            if (str_eq(balancers->items[before].target_group_arn, balancer->target_group_arn)) {
                return err_set(err, ERR_INVALID_PARAMETER, "Duplicate targetGroupArn found: " STR_FMT,
                               STR_ARG(str_slice(balancer->target_group_arn, 0, SHOWN_MAX)));
            }
        }
        if (!check_rules(balancer->advanced_configuration, err)) { return false; }
        if (!check_container(def, balancer->container_name, balancer->container_port, err)) { return false; }
    }
    return true;
}

/* ---- registries ---- */

static bool check_registry_arn(const struct names *names, struct str arn, struct err *err)
{
    struct str name;
    if (arn.len == 0) { return err_set(err, ERR_INVALID_PARAMETER, "A service registry needs a registryArn."); }
    return names_read_registry(names, arn, &name)
        || err_set(err, ERR_INVALID_PARAMETER, "The registryArn " STR_FMT " is no registry of Berth. It must be arn:aws:servicediscovery:" STR_FMT ":" STR_FMT
                   ":service/NAME, where NAME is the DNS name of the tasks, and begins otherwise than with srv-.", STR_ARG(str_slice(arn, 0, SHOWN_MAX)),
                   STR_ARG(names->region), STR_ARG(names->account));
}

static bool maps_port(const struct task_definition *def, int64_t port)
{
    for (size_t c = 0; c < def->container_definitions.count; c++) {
        if (has_port(&def->container_definitions.items[c], port)) { return true; }
    }
    return false;
}

bool service_check_registries(const struct names *names, const struct service_registry_list *registries, const struct task_definition *def,
                              enum launch_type type, struct err *err)
{
    if (registries->count == 0) { return true; }
    if (type == LAUNCH_TYPE_EXTERNAL) {
        return err_set(err, ERR_INVALID_PARAMETER, "Service registries are not supported for external launch type.");
    }
    if (registries->count > 1) { return err_set(err, ERR_INVALID_PARAMETER, "A service can have at most one service registry."); }
    const struct service_registry *registry = &registries->items[0];
    bool of_container = registry->container_name.len > 0;
    if (!check_registry_arn(names, registry->registry_arn, err)) { return false; }
    if (of_container != registry->container_port.set) {
        return err_set(err, ERR_INVALID_PARAMETER, "A service registry must have both containerName and containerPort, or neither.");
    }
    if (of_container && registry->port.set) {
        return err_set(err, ERR_INVALID_PARAMETER, "A service registry can have port, or containerName and containerPort, but not both.");
    }
    if (registry->port.set && !maps_port(def, registry->port.value)) {
        return err_set(err, ERR_INVALID_PARAMETER, "The task definition has no container port %lld.", (long long)registry->port.value);
    }
    return !of_container || check_container(def, registry->container_name, registry->container_port, err);
}
