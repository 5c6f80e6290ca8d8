/* CreateService: each rule from both sides, the defaults, and the same call again. */
#include "tests/unit/api/service_bodies.h"

/* The definition of a row: as it is, of network mode awsvpc, with a GPU, INACTIVE, not there, with a constraint on the zone; with names of ports, one of which has
 * a host port, and the same with the host's network. */
enum def { PLAIN, VPC, GPU, GONE, NO_DEF, ZONED, REMOTE, FIXED, HOST, DEFS };
#define PORTS ",\"portMappings\":[{\"containerPort\":80,\"hostPort\":8080,\"name\":\"http\"},{\"containerPort\":81,\"name\":\"b\"},{\"containerPort\":82,\"name\":\"b_b\"}]"

static void make_defs(struct bench *bench, const struct taskdef *defs[DEFS])
{
    defs[PLAIN] = bench_taskdef(bench, 3, "", "");
    defs[VPC] = bench_taskdef(bench, 3, ",\"networkMode\":\"awsvpc\"", "");
    defs[GPU] = bench_taskdef(bench, 3, "", ",\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":\"1\"}]");
    defs[GONE] = bench_taskdef(bench, 3, "", "");
    struct taskdef *gone = ARENA_NEW(&bench->arena, struct taskdef, 1);
    *gone = *defs[GONE];
    taskdef_become(gone, TASK_DEFINITION_STATUS_INACTIVE, 1);
    defs[GONE] = gone;
    defs[NO_DEF] = NULL;
    defs[ZONED] = bench_taskdef(bench, 3, ",\"placementConstraints\":[{\"type\":\"memberOf\",\"expression\":\"attribute:ecs.availability-zone == a\"}]", "");
    defs[FIXED] = bench_taskdef_of(bench, 3, "", PORTS);
    defs[HOST] = bench_taskdef_of(bench, 3, ",\"networkMode\":\"host\"", PORTS);
    defs[REMOTE] = bench_taskdef(bench, 3, ",\"volumes\":[{\"name\":\"v\",\"configuredAtLaunch\":true}]", "");
}

struct row { const char *name, *members; enum def def; const char *want; };       /* want NULL: accepted */

static void run_rows(const struct row *rows, size_t count)
{
    for (size_t r = 0; r < count; r++) {
        struct bench bench;
        const struct taskdef *defs[DEFS];
        struct service_draft draft;
        bench_open(&bench);
        make_defs(&bench, defs);
        struct str got = bench_create(&bench, rows[r].members, defs[rows[r].def], &draft);
        CHECK_STR(rows[r].name, got, rows[r].want == NULL ? STR("accepted") : str_from(rows[r].want));
        arena_finish(&bench.arena);
    }
}

#define NAMED(name)   "\"taskDefinition\":\"web\",\"desiredCount\":2,\"serviceName\":\"" name "\""
#define CONTROLLER(c) ",\"deploymentController\":{\"type\":\"" c "\"}"
#define NOT_WITH_DAEMON(c) INVALID "The " c " deployment controller type is not supported for services using the DAEMON scheduling strategy."
#define NOT_EXTERNAL(m) INVALID m " is not supported for services with an EXTERNAL deployment controller."
#define NO_COUNT INVALID "The daemon scheduling strategy does not support a desired count for services. Remove the desired count value and try again"
#define VPC_NET ",\"networkConfiguration\":{\"awsvpcConfiguration\":{\"subnets\":[\"s\"]}}"

static void test_first(void)
{
    static const struct row rows[] = {
        { "a service", REPLICA, PLAIN, NULL },
        { "a name with all letters", NAMED("aZ-_09"), PLAIN, NULL },
        { "a name with a dot", NAMED("a.b"), PLAIN, INVALID "Invalid service name. Must be 1-255 letters, digits, hyphens and underscores." },
        { "a token", REPLICA ",\"clientToken\":\"!~\"", PLAIN, NULL },
        { "a token with a blank", REPLICA ",\"clientToken\":\"a b\"", PLAIN, INVALID "clientToken may have characters of ASCII from 33 to 126 only." },
        { "the controller ECS", REPLICA CONTROLLER("ECS"), PLAIN, NULL },
        { "CODE_DEPLOY", REPLICA CONTROLLER("CODE_DEPLOY"), PLAIN, UNSUPPORTED "The CODE_DEPLOY deployment controller is not available. Use the ECS "
          "deployment controller with the deployment strategy BLUE_GREEN." },
        { "a daemon", DAEMON, PLAIN, NULL },
        { "a daemon of ECS", DAEMON CONTROLLER("ECS"), PLAIN, NULL },
        { "a daemon of CODE_DEPLOY", DAEMON CONTROLLER("CODE_DEPLOY"), PLAIN, NOT_WITH_DAEMON("CODE_DEPLOY") },
        { "a daemon of EXTERNAL", DAEMON CONTROLLER("EXTERNAL"), PLAIN, NOT_WITH_DAEMON("EXTERNAL") },
        { "no definition", "\"serviceName\":\"web\",\"desiredCount\":2", PLAIN, INVALID "TaskDefinition can not be blank." },
        { "an unknown definition", REPLICA, NO_DEF, CLIENT "TaskDefinition not found." },
        { "an inactive one", REPLICA, GONE, CLIENT "TaskDefinition is inactive" },
        { "the name comes first", "\"serviceName\":\"a.b\",\"deploymentController\":{\"type\":\"CODE_DEPLOY\"}", PLAIN,
          INVALID "Invalid service name. Must be 1-255 letters, digits, hyphens and underscores." },
        { "the controller comes before the definition", "\"serviceName\":\"web\"" CONTROLLER("CODE_DEPLOY"), PLAIN,
          UNSUPPORTED "The CODE_DEPLOY deployment controller is not available. Use the ECS deployment controller with the deployment strategy BLUE_GREEN." },
        { "no count", "\"serviceName\":\"web\",\"taskDefinition\":\"web\"", PLAIN, INVALID "DesiredCount can not be blank." },
        { "a count of 0", "\"serviceName\":\"web\",\"taskDefinition\":\"web\",\"desiredCount\":0", PLAIN, NULL },
        { "a daemon with a count", DAEMON ",\"desiredCount\":1", PLAIN, NO_COUNT },
        { "a daemon with a count of 0", DAEMON ",\"desiredCount\":0", PLAIN, NO_COUNT },
        { "the definition comes before the count", "\"serviceName\":\"web\",\"taskDefinition\":\"web\"", GONE, CLIENT "TaskDefinition is inactive" },
    };
    run_rows(rows, COUNT_OF(rows));
}

static void test_external(void)
{
    static const struct row rows[] = {
        { "a service", EXTERNAL, NO_DEF, NULL },
        { "all that it may have", EXTERNAL ",\"desiredCount\":2,\"schedulingStrategy\":\"REPLICA\",\"launchType\":\"EC2\",\"propagateTags\":\"SERVICE\","
          "\"enableECSManagedTags\":true,\"healthCheckGracePeriodSeconds\":9,\"enableExecuteCommand\":false,\"loadBalancers\":[],"
          "\"deploymentConfiguration\":{\"maximumPercent\":200,\"minimumHealthyPercent\":100},\"placementStrategy\":[{\"type\":\"random\"}]", NO_DEF, NULL },
        { "a definition", EXTERNAL ",\"taskDefinition\":\"web\"", NO_DEF, INVALID "TaskDefinition must be blank" },
        { "a network", EXTERNAL VPC_NET, NO_DEF, NOT_EXTERNAL("networkConfiguration") },
        { "a balancer", EXTERNAL ",\"loadBalancers\":[{\"targetGroupArn\":\"t\"}]", NO_DEF, NOT_EXTERNAL("loadBalancers") },
        { "a registry", EXTERNAL ",\"serviceRegistries\":[{\"registryArn\":\"r\"}]", NO_DEF, NOT_EXTERNAL("serviceRegistries") },
        { "providers", EXTERNAL ",\"capacityProviderStrategy\":[{\"capacityProvider\":\"p\"}]", NO_DEF, NOT_EXTERNAL("capacityProviderStrategy") },
        { "commands", EXTERNAL ",\"enableExecuteCommand\":true", NO_DEF, NOT_EXTERNAL("enableExecuteCommand") },
        { "Connect", EXTERNAL ",\"serviceConnectConfiguration\":{\"enabled\":false}", NO_DEF, INVALID "Service Connect feature is only supported with ECS "
          "(rolling update) deployment controller. Update to ECS deployment controller and try again." },
        { "a breaker that is off", EXTERNAL ",\"deploymentConfiguration\":{\"deploymentCircuitBreaker\":{\"enable\":false,\"rollback\":false}}", NO_DEF, NULL },
        { "a breaker", EXTERNAL ",\"deploymentConfiguration\":{\"deploymentCircuitBreaker\":{\"enable\":true,\"rollback\":false}}", NO_DEF,
          INVALID "Deployment circuit breaker feature is only supported with ECS deployment controller. Update to ECS deployment controller and try again." },
        { "alarms", EXTERNAL ",\"deploymentConfiguration\":{\"alarms\":{\"alarmNames\":[\"a\"],\"enable\":true,\"rollback\":false}}", NO_DEF,
          INVALID "Alarm based rollback feature is only supported with ECS deployment controller. Update to ECS deployment controller and try again." },
        { "a bad expression", EXTERNAL ",\"placementConstraints\":[{\"type\":\"memberOf\"}]", NO_DEF, INVALID "A memberOf constraint needs an expression." },
        { "rebalancing", EXTERNAL ",\"availabilityZoneRebalancing\":\"ENABLED\"", NO_DEF,
          INVALID "AvailabilityZoneRebalancing does not support the EXTERNAL deployment controller" },
    };
    run_rows(rows, COUNT_OF(rows));
}

#define PROVIDERS(items) ",\"capacityProviderStrategy\":[" items "]"
#define NO_PROVIDER INVALID "The specified capacity provider 'p' was not found. Specify a valid name or ARN and try again."
#define NO_STRATEGY INVALID "Specifying a capacity provider strategy is not supported when you create a service using the DAEMON scheduling strategy."

static void test_launch(void)
{
    static const struct row rows[] = {
        { "EC2", REPLICA ",\"launchType\":\"EC2\"", PLAIN, NULL },
        { "EXTERNAL", REPLICA ",\"launchType\":\"EXTERNAL\"", PLAIN, NULL },
        { "FARGATE", REPLICA ",\"launchType\":\"FARGATE\"", PLAIN, UNSUPPORTED "Launch type FARGATE is not available: Berth runs tasks on the machines "
          "that are registered with it. Use EC2 or EXTERNAL." },
        { "both", REPLICA ",\"launchType\":\"EC2\"" PROVIDERS("{\"capacityProvider\":\"p\",\"weight\":1}"), PLAIN,
          INVALID "Specify either Launch Type or Capacity Provider Strategy, but not both." },
        { "both, but a bad percent comes first", REPLICA ",\"launchType\":\"EC2\",\"deploymentConfiguration\":{\"maximumPercent\":100}"
          PROVIDERS("{\"capacityProvider\":\"p\",\"weight\":1}"), PLAIN,
          INVALID "Both maximumPercent and minimumHealthyPercent cannot be 100 as this will block deployments." },
        { "a provider", REPLICA PROVIDERS("{\"capacityProvider\":\"p\",\"weight\":1}"), PLAIN, NO_PROVIDER },
        { "two bases", REPLICA PROVIDERS("{\"capacityProvider\":\"p\",\"weight\":1,\"base\":1},{\"capacityProvider\":\"q\",\"base\":1}"), PLAIN,
          INVALID "Only one capacity provider in a capacity provider strategy can have a base." },
        { "an empty strategy", REPLICA PROVIDERS(""), PLAIN, NULL },
        { "a daemon with a strategy", DAEMON PROVIDERS("{\"capacityProvider\":\"p\",\"weight\":1}"), PLAIN, NO_STRATEGY },
        { "a platform version is not kept", REPLICA ",\"platformVersion\":\"LATEST\"", PLAIN, NULL },
        { "a volume of AWS", REPLICA, REMOTE, UNSUPPORTED "Volume v is on AWS storage, which Berth does not mount. Use a host or docker volume." },
        { "awsvpc", REPLICA VPC_NET, VPC, NULL },
        { "awsvpc without a network", REPLICA, VPC, INVALID "Network Configuration must be provided when networkMode 'awsvpc' is specified." },
        { "a network for bridge", REPLICA VPC_NET, PLAIN, INVALID "Network Configuration is not valid for the given networkMode of this task definition." },
        { "an empty network for bridge", REPLICA ",\"networkConfiguration\":{}", PLAIN, NULL },
    };
    run_rows(rows, COUNT_OF(rows));
}

/* A daemon would take the cluster's default strategy, too; a launch type avoids it. */
static void test_default_strategy(void)
{
    static const struct { const char *name, *members, *want; } rows[] = {
        { "a replica", REPLICA, NO_PROVIDER }, { "a replica on EC2", REPLICA ",\"launchType\":\"EC2\"", "accepted" },
        { "a daemon", DAEMON, NO_STRATEGY },   { "a daemon on EC2", DAEMON ",\"launchType\":\"EC2\"", "accepted" },
    };
    struct capacity_provider_strategy_item item = { .capacity_provider = STR("p"), .weight = opt_int_of(1) };
    struct bench bench;
    bench_open(&bench);
    bench.cluster.default_strategy = (struct capacity_provider_strategy_item_list){ &item, 1 };
    const struct taskdef *taskdef = bench_taskdef(&bench, 3, "", "");
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct service_draft draft;
        CHECK_STR(rows[r].name, bench_create(&bench, rows[r].members, taskdef, &draft), str_from(rows[r].want));
    }
    arena_finish(&bench.arena);
}

#define BALANCED(items) REPLICA ",\"loadBalancers\":[" items "]"
#define TARGET(arn, more) "{\"targetGroupArn\":\"" arn "\",\"containerName\":\"web\",\"containerPort\":80" more "}"
#define ADVANCED(production, test) ",\"advancedConfiguration\":{\"productionListenerRule\":\"" production "\",\"testListenerRule\":\"" test "\"}"
#define ELB "arn:aws:elasticloadbalancing:r:1:"
#define RULE ELB "listener-rule/app/l/1/2/3"
#define BLUE ",\"deploymentConfiguration\":{\"strategy\":\"BLUE_GREEN\",\"bakeTimeInMinutes\":0}"
#define MIXED INVALID "All loadBalancers must be strictly either ELBv1 (defining loadBalancerName) or ELBv2 (defining targetGroupArn)"

#define REGISTERED(arn, more) REPLICA ",\"serviceRegistries\":[{\"registryArn\":\"" arn "\"" more "}]"
#define OF_CONTAINER(name, port) ",\"containerName\":\"" name "\",\"containerPort\":" port
#define FOREIGN(arn) INVALID "The registryArn " arn " is no registry of Berth. It must be " REGISTRY("NAME") ", where NAME is the DNS name of the tasks, and begins " \
    "otherwise than with srv-."

static void test_balancers(void)
{
    static const struct row rows[] = {
        { "a target group", BALANCED(TARGET("t", "")), PLAIN, NULL },
        { "two", BALANCED(TARGET("t", "") "," TARGET("u", "")), PLAIN, NULL },
        { "one twice", BALANCED(TARGET("t", "") "," TARGET("t", "")), PLAIN, INVALID "Duplicate targetGroupArn found: t" },
        { "another container", BALANCED("{\"targetGroupArn\":\"t\",\"containerName\":\"api\",\"containerPort\":80}"), PLAIN,
          INVALID "The container api does not exist in the task definition." },
        { "another port", BALANCED("{\"targetGroupArn\":\"t\",\"containerName\":\"web\",\"containerPort\":81}"), PLAIN,
          INVALID "The container web did not have a container port 81 defined." },
        { "a classic one", BALANCED("{\"loadBalancerName\":\"l\",\"containerName\":\"web\",\"containerPort\":80}"), PLAIN,
          UNSUPPORTED "Classic load balancers are not available. Use a target group: give its targetGroupArn." },
        { "both kinds", BALANCED(TARGET("t", "") ",{\"loadBalancerName\":\"l\"}"), PLAIN, MIXED },
        { "both in one", BALANCED("{\"targetGroupArn\":\"t\",\"loadBalancerName\":\"l\"}"), PLAIN, MIXED },
        { "no kind", BALANCED("{\"containerName\":\"web\"}"), PLAIN, MIXED },
        { "an advanced classic one", BALANCED("{\"loadBalancerName\":\"l\",\"advancedConfiguration\":{}}"), PLAIN,
          INVALID "advancedConfiguration field is not allowed with ELBv1 loadBalancers" },
        { "all advanced", BALANCED(TARGET("t", ADVANCED(RULE, "")) "," TARGET("u", ADVANCED(RULE, ""))), PLAIN, NULL },
        { "one of two", BALANCED(TARGET("t", ADVANCED(RULE, "")) "," TARGET("u", "")), PLAIN,
          INVALID "Either all or none of the provided loadBalancers must have advancedConfiguration defined" },
        { "blue and green", BALANCED(TARGET("t", ADVANCED(RULE, ""))) BLUE, PLAIN, NULL },
        { "blue and green without", BALANCED(TARGET("t", "")) BLUE, PLAIN,
          INVALID "advancedConfiguration field is required for all loadBalancers when using a non-ROLLING deployment strategy" },
        { "a network listener", BALANCED(TARGET("t", ADVANCED(ELB "listener/net/l/1/2", ""))), PLAIN, NULL },
        { "an application's listener", BALANCED(TARGET("t", ADVANCED(ELB "listener/app/l/1/2", ""))), PLAIN, INVALID "productionListenerRule has an invalid ARN "
          "format. Must be RuleArn for ALB or ListenerArn for NLB. Got: " ELB "listener/app/l/1/2" },
        { "no ARN", BALANCED(TARGET("t", ADVANCED(RULE, "x"))), PLAIN,
          INVALID "testListenerRule has an invalid ARN format. Must be RuleArn for ALB or ListenerArn for NLB. Got: x" },
        { "one rule for both", BALANCED(TARGET("t", ADVANCED(RULE, RULE))), PLAIN,
          INVALID "The following rules cannot be used as both production and test listener rules: " RULE },
        { "a registry", REGISTERED(REGISTRY("web"), ""), PLAIN, NULL },
        { "a registry of a longer name", REGISTERED(REGISTRY("web.prod"), ""), PLAIN, NULL },
        { "of another account", REGISTERED("arn:aws:servicediscovery:us-east-1:1:service/web", ""), PLAIN, FOREIGN("arn:aws:servicediscovery:us-east-1:1:service/web") },
        { "an id of Cloud Map", REGISTERED(REGISTRY("srv-1"), ""), PLAIN, FOREIGN(REGISTRY("srv-1")) },
        { "no DNS name", REGISTERED(REGISTRY("my_web"), ""), PLAIN, FOREIGN(REGISTRY("my_web")) },
        { "two registries", REPLICA ",\"serviceRegistries\":[{\"registryArn\":\"r\"},{\"registryArn\":\"q\"}]", PLAIN,
          INVALID "A service can have at most one service registry." },
        { "a registry without a name", REPLICA ",\"serviceRegistries\":[{}]", PLAIN, INVALID "A service registry needs a registryArn." },
        { "a registry of a container", REGISTERED(REGISTRY("web"), OF_CONTAINER("web", "80")), PLAIN, NULL },
        { "of another port", REGISTERED(REGISTRY("web"), OF_CONTAINER("web", "81")), PLAIN, INVALID "The container web did not have a container port 81 defined." },
        { "of another container", REGISTERED(REGISTRY("web"), OF_CONTAINER("db", "80")), PLAIN, INVALID "The container db does not exist in the task definition." },
        { "half a container", REGISTERED(REGISTRY("web"), ",\"containerPort\":80"), PLAIN,
          INVALID "A service registry must have both containerName and containerPort, or neither." },
        { "a port", REGISTERED(REGISTRY("web"), ",\"port\":80"), PLAIN, NULL },
        { "a port that is not mapped", REGISTERED(REGISTRY("web"), ",\"port\":81"), PLAIN, INVALID "The task definition has no container port 81." },
        { "a port and a container", REGISTERED(REGISTRY("web"), ",\"port\":80" OF_CONTAINER("web", "80")), PLAIN,
          INVALID "A service registry can have port, or containerName and containerPort, but not both." },
        { "a registry on EXTERNAL", REPLICA ",\"launchType\":\"EXTERNAL\",\"serviceRegistries\":[{\"registryArn\":\"r\"}]", PLAIN,
          INVALID "Service registries are not supported for external launch type." },
    };
    run_rows(rows, COUNT_OF(rows));
}

#define CONNECTED(more) REPLICA ",\"serviceConnectConfiguration\":{\"enabled\":true,\"namespace\":\"prod\"" more "}"
#define CONNECT(more) CONNECTED(",\"services\":[{" more "}]")
#define HTTP(more) CONNECT("\"portName\":\"http\"" more)
#define ALIAS(port, more) HTTP(",\"clientAliases\":[{\"port\":" port more "}]")
#define NO_NAMESPACE INVALID "Service Connect needs a namespace that is a DNS name, or an ARN that ends with such a name: give " \
    "serviceConnectConfiguration.namespace, or the cluster a default namespace."
#define NO_PROXY(member) UNSUPPORTED member " is not available: Berth runs no proxy of Service Connect beside a task. Use a target group for it."
#define SAME_PORT(n) UNSUPPORTED "The port of the client alias must be " n ", at which the tasks are reached: Berth runs no proxy of Service Connect that " \
    "changes the port."

static void test_connect(void)
{
    static const struct row rows[] = {
        { "only a client", CONNECTED(""), FIXED, NULL },
        { "no namespace", REPLICA ",\"serviceConnectConfiguration\":{\"enabled\":true}", FIXED, NO_NAMESPACE },
        { "a namespace by its ARN", REPLICA ",\"serviceConnectConfiguration\":{\"enabled\":true,\"namespace\":\"arn:aws:servicediscovery:r:1:namespace/ns-1\"}", FIXED, NULL },
        { "an ARN of a service", REPLICA ",\"serviceConnectConfiguration\":{\"enabled\":true,\"namespace\":\"" REGISTRY("ns-1") "\"}", FIXED, NO_NAMESPACE },
        { "no DNS name", REPLICA ",\"serviceConnectConfiguration\":{\"enabled\":true,\"namespace\":\"a b\"}", FIXED, NO_NAMESPACE },
        { "a service", HTTP(""), FIXED, NULL },
        { "a discovery name", HTTP(",\"discoveryName\":\"api\""), FIXED, NULL },
        { "a discovery name that is not one", HTTP(",\"discoveryName\":\"my_api\""), FIXED, INVALID "The discoveryName my_api is no DNS name." },
        { "a port name that is no DNS name", CONNECT("\"portName\":\"b_b\""), FIXED, INVALID "The discoveryName b_b is no DNS name." },
        { "another port name", CONNECT("\"portName\":\"grpc\""), FIXED, INVALID "The portName grpc is not the name of a port mapping in the task definition." },
        { "an alias", ALIAS("8080", ",\"dnsName\":\"api\""), FIXED, NULL },
        { "an alias of another port", ALIAS("80", ""), FIXED, SAME_PORT("8080") },
        { "an alias with the host's network", ALIAS("80", ""), HOST, NULL },
        { "another port there", ALIAS("8080", ""), HOST, SAME_PORT("80") },
        { "an alias of a port that differs", CONNECT("\"portName\":\"b\",\"clientAliases\":[{\"port\":81}]"), FIXED,
          UNSUPPORTED "A client alias needs a port mapping with a hostPort: Berth runs no proxy of Service Connect that changes the port." },
        { "an alias that is no name", ALIAS("8080", ",\"dnsName\":\"a..b\""), FIXED, INVALID "The dnsName a..b is no DNS name." },
        { "two aliases", HTTP(",\"clientAliases\":[{\"port\":8080},{\"port\":8080}]"), FIXED, INVALID "A Service Connect service can have at most one client alias." },
        { "rules of tests", ALIAS("8080", ",\"testTrafficRules\":{\"header\":{\"name\":\"x\"}}"), FIXED, NO_PROXY("testTrafficRules") },
        { "another port of the proxy", HTTP(",\"ingressPortOverride\":9000"), FIXED, NO_PROXY("ingressPortOverride") },
        { "a timeout", HTTP(",\"timeout\":{\"idleTimeoutSeconds\":9}"), FIXED, NO_PROXY("timeout") },
        { "TLS", HTTP(",\"tls\":{\"issuerCertificateAuthority\":{}}"), FIXED, NO_PROXY("tls") },
        { "the log of the proxy", CONNECTED(",\"logConfiguration\":{\"logDriver\":\"json-file\"}"), FIXED, NULL },
    };
    run_rows(rows, COUNT_OF(rows));
}

#define STRATEGIES(items) ",\"placementStrategy\":[" items "]"
#define SPREAD(field) "{\"type\":\"spread\",\"field\":\"" field "\"}"
#define ZONE "attribute:ecs.availability-zone"
#define REBALANCED ",\"availabilityZoneRebalancing\":\"ENABLED\""
#define NOT_REBALANCED(what) INVALID "AvailabilityZoneRebalancing does not support " what
#define ANY ",{\"type\":\"distinctInstance\"}"
#define TEN "{\"type\":\"distinctInstance\"}" ANY ANY ANY ANY ANY ANY ANY ANY ANY

static void test_rest(void)
{
    static const struct row rows[] = {
        { "Connect that is off", REPLICA ",\"serviceConnectConfiguration\":{\"enabled\":false}", PLAIN, NULL },
        { "no volumes", REPLICA ",\"volumeConfigurations\":[],\"vpcLatticeConfigurations\":[]", PLAIN, NULL },
        { "a volume", REPLICA ",\"volumeConfigurations\":[{\"name\":\"v\"}]", PLAIN,
          UNSUPPORTED "volumeConfigurations are not available: Berth makes no Amazon EBS volumes." },
        { "Lattice", REPLICA ",\"vpcLatticeConfigurations\":[{\"roleArn\":\"r\",\"targetGroupArn\":\"t\",\"portName\":\"p\"}]", PLAIN,
          UNSUPPORTED "vpcLatticeConfigurations are not available: Berth has no VPC Lattice." },
        { "ten constraints", REPLICA ",\"placementConstraints\":[" TEN "]", PLAIN, NULL },
        { "eleven with the definition's", REPLICA ",\"placementConstraints\":[" TEN "]", ZONED,
          INVALID "A task can have at most 10 placement constraints; definition and request have 11." },
        { "a strategy without a type", REPLICA STRATEGIES("{}"), PLAIN, INVALID "A placement strategy needs a type: random, spread or binpack." },
        { "a daemon with a constraint", DAEMON ",\"placementConstraints\":[{\"type\":\"memberOf\",\"expression\":\"attribute:gpu == a\"}]", PLAIN, NULL },
        { "a daemon with a strategy", DAEMON STRATEGIES("{\"type\":\"random\"}"), PLAIN,
          INVALID "The daemon scheduling strategy does not support placement strategies." },
        { "rebalancing", REPLICA REBALANCED, PLAIN, NULL },
        { "rebalancing GPUs", REPLICA REBALANCED, GPU, NULL },
        { "rebalancing over zones", REPLICA REBALANCED STRATEGIES(SPREAD(ZONE) "," SPREAD("instanceId")), PLAIN, NULL },
        { "a daemon", DAEMON REBALANCED, PLAIN, NOT_REBALANCED("the DAEMON scheduling strategy") },
        { "EXTERNAL", REPLICA REBALANCED ",\"launchType\":\"EXTERNAL\"", PLAIN, NOT_REBALANCED("the EXTERNAL launch type") },
        { "101 percent", REPLICA REBALANCED ",\"deploymentConfiguration\":{\"maximumPercent\":101}", PLAIN, NULL },
        { "100 percent", REPLICA REBALANCED ",\"deploymentConfiguration\":{\"maximumPercent\":100,\"minimumHealthyPercent\":0}", PLAIN,
          NOT_REBALANCED("maximumPercent <= 100") },
        { "another spread first", REPLICA REBALANCED STRATEGIES(SPREAD("instanceId") "," SPREAD(ZONE)), PLAIN,
          NOT_REBALANCED("a first placement strategy other than spread over " ZONE) },
        { "binpack", REPLICA REBALANCED STRATEGIES("{\"type\":\"binpack\",\"field\":\"cpu\"}"), PLAIN,
          NOT_REBALANCED("a first placement strategy other than spread over " ZONE) },
        { "a constraint", REPLICA REBALANCED ",\"placementConstraints\":[{\"type\":\"memberOf\",\"expression\":\"" ZONE " == a\"}]", PLAIN,
          NOT_REBALANCED("placement constraints on " ZONE) },
        { "the definition's", REPLICA REBALANCED, ZONED, NOT_REBALANCED("placement constraints on " ZONE) },
        { "a tag twice", REPLICA ",\"tags\":[{\"key\":\"a\"},{\"key\":\"a\"}]", PLAIN, INVALID "Tag key \"a\" is given twice." },
    };
    run_rows(rows, COUNT_OF(rows));
}

static void test_defaults(void)
{
    enum { ON = AVAILABILITY_ZONE_REBALANCING_ENABLED, OFF = AVAILABILITY_ZONE_REBALANCING_DISABLED };
    static const struct { const char *name, *members; enum def def; int rebalancing, launch; int64_t desired; } rows[] = {
        { "a replica", REPLICA, PLAIN, ON, LAUNCH_TYPE_EC2, 2 },
        { "with GPUs", REPLICA, GPU, OFF, LAUNCH_TYPE_EC2, 2 },
        { "on EXTERNAL", REPLICA ",\"launchType\":\"EXTERNAL\"", PLAIN, OFF, LAUNCH_TYPE_EXTERNAL, 2 },
        { "a zone in the definition", REPLICA, ZONED, OFF, LAUNCH_TYPE_EC2, 2 },
        { "a daemon", DAEMON, PLAIN, OFF, LAUNCH_TYPE_EC2, 0 },
        { "of task sets", EXTERNAL, NO_DEF, OFF, LAUNCH_TYPE_UNSET, 0 },
        { "switched off", REPLICA ",\"availabilityZoneRebalancing\":\"DISABLED\"", PLAIN, OFF, LAUNCH_TYPE_EC2, 2 },
    };
    struct bench bench;
    bench_open(&bench);
    const struct taskdef *defs[DEFS];
    make_defs(&bench, defs);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct service_draft draft;
        CHECK_STR(rows[r].name, bench_create(&bench, rows[r].members, defs[rows[r].def], &draft), STR("accepted"));
        CHECK_EQ(rows[r].name, draft.service.zone_rebalancing, rows[r].rebalancing);
        CHECK_EQ(rows[r].name, draft.revision.launch_type, rows[r].launch);
        CHECK_EQ(rows[r].name, draft.service.desired_count, rows[r].desired);
        CHECK_EQ(rows[r].name, draft.service.propagate_tags, PROPAGATE_TAGS_NONE);
        CHECK_EQ(rows[r].name, draft.service.managed_tags, OPT_FALSE);
        CHECK_EQ(rows[r].name, draft.service.execute_command, OPT_FALSE);
        CHECK_EQ(rows[r].name, draft.service.grace_period, 0);
        CHECK_EQ(rows[r].name, draft.revision.revision, defs[rows[r].def] == NULL ? 0 : 3);
    }
    struct service_draft draft;
    CHECK_STR("awsvpc", bench_create(&bench, REPLICA VPC_NET, defs[VPC], &draft), STR("accepted"));
    CHECK_STR("a whole network", bench_json(&bench, &network_configuration_schema, draft.revision.network_configuration),
              STR("{\"awsvpcConfiguration\":{\"subnets\":[\"s\"],\"securityGroups\":[],\"assignPublicIp\":\"DISABLED\"}}"));
    arena_finish(&bench.arena);
}

/* ---- the same call again ---- */

#define OTHER INVALID "Creation of service was not idempotent."

static void test_name_again(void)
{
    static const struct { const char *name, *members; int revision; const char *want; } rows[] = {
        { "the same", REPLICA, 3, "same" },
        { "defaults that are given", REPLICA ",\"launchType\":\"EC2\",\"schedulingStrategy\":\"REPLICA\",\"loadBalancers\":[],\"propagateTags\":\"NONE\","
          "\"placementStrategy\":[],\"deploymentConfiguration\":{\"maximumPercent\":200}", 3, "same" },
        { "a token and tags", REPLICA ",\"clientToken\":\"t\",\"tags\":[{\"key\":\"a\"}]", 3, "same" },
        { "another count", "\"serviceName\":\"web\",\"taskDefinition\":\"web\",\"desiredCount\":3", 3, OTHER },
        { "another revision", REPLICA, 4, OTHER },
        { "another percent", REPLICA ",\"deploymentConfiguration\":{\"maximumPercent\":150}", 3, OTHER },
        { "another launch type", REPLICA ",\"launchType\":\"EXTERNAL\",\"availabilityZoneRebalancing\":\"DISABLED\"", 3, OTHER },
        { "a balancer", BALANCED(TARGET("t", "")), 3, OTHER },
        { "a constraint", REPLICA ",\"placementConstraints\":[{\"type\":\"distinctInstance\"}]", 3, OTHER },
        { "a daemon", DAEMON, 3, OTHER },
    };
    struct bench bench;
    bench_open(&bench);
    struct service_draft known;
    CHECK_STR("created", bench_create(&bench, REPLICA, bench_taskdef(&bench, 3, "", ""), &known), STR("accepted"));
    bench_keep(&known);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct service_draft draft;
        struct err err = { 0 };
        bool same;
        CHECK_STR(rows[r].name, bench_create(&bench, rows[r].members, bench_taskdef(&bench, rows[r].revision, "", ""), &draft), STR("accepted"));
        bool good = service_check_name_is_free(&draft, &known.service, &known.revision, &bench.arena, &same, &err);
        CHECK_STR(rows[r].name, good && same ? STR("same") : bench_result(&bench, good, &err), str_from(rows[r].want));
    }
    arena_finish(&bench.arena);
}

static void test_names_of_statuses(void)
{
    static const struct { const char *name; enum service_status status; const char *want; } rows[] = {
        { "no service", SERVICE_STATUS_UNSET, "accepted" }, { "INACTIVE", SERVICE_INACTIVE, "accepted" }, { "ACTIVE", SERVICE_ACTIVE, "same" },
        { "DRAINING", SERVICE_DRAINING, INVALID "Unable to Start a service that is still Draining." },
    };
    struct bench bench;
    bench_open(&bench);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct service_draft draft, known;
        struct err err = { 0 };
        bool same;
        CHECK_STR("created", bench_create(&bench, REPLICA, bench_taskdef(&bench, 3, "", ""), &draft), STR("accepted"));
        known = draft;
        bench_keep(&known);
        if (rows[r].status > SERVICE_ACTIVE) { service_become(&known.service, rows[r].status, 2000); }
        const struct service *service = rows[r].status == SERVICE_STATUS_UNSET ? NULL : &known.service;
        bool good = service_check_name_is_free(&draft, service, &known.revision, &bench.arena, &same, &err);
        CHECK_STR(rows[r].name, good && same ? STR("same") : bench_result(&bench, good, &err), str_from(rows[r].want));
    }
    arena_finish(&bench.arena);
}

static void test_token_again(void)
{
    static const struct { const char *name, *members, *want; } rows[] = {
        { "the same", REPLICA ",\"clientToken\":\"t\"", "accepted" },
        { "the default cluster by its name, and tags", REPLICA ",\"clientToken\":\"t\",\"cluster\":\"default\",\"tags\":[{\"key\":\"a\"}]", "accepted" },
        { "another count", "\"serviceName\":\"web\",\"taskDefinition\":\"web\",\"desiredCount\":3,\"clientToken\":\"t\"", OTHER },
        { "another name", "\"serviceName\":\"api\",\"taskDefinition\":\"web\",\"desiredCount\":2,\"clientToken\":\"t\"", OTHER },
    };
    struct bench bench;
    bench_open(&bench);
    struct service_draft made;
    CHECK_STR("created", bench_create(&bench, REPLICA ",\"clientToken\":\"t\"", bench_taskdef(&bench, 3, "", ""), &made), STR("accepted"));
    bench_keep(&made);
    made.service.desired_count = 5;                             /* an update since then does not count */
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        const struct create_service_request *again =
            bench_read(&bench, &create_service_request_schema, arena_printf(&bench.arena, "{%s}", rows[r].members).ptr);
        bool good = service_check_repeat(&made.service, service_request_hash(again, &bench.arena), &err);
        CHECK_STR(rows[r].name, bench_result(&bench, good, &err), str_from(rows[r].want));
    }
    arena_finish(&bench.arena);
}

int main(void)
{
    test_first();
    test_external();
    test_launch();
    test_default_strategy();
    test_balancers();
    test_connect();
    test_rest();
    test_defaults();
    test_name_again();
    test_names_of_statuses();
    test_token_again();
    return check_report();
}
