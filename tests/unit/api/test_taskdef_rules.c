/* Task definitions: every rule from both sides, and the words of each refusal. */
#include "tests/unit/api/taskdef_bodies.h"

/* ---- one container ---- */

struct refusal { const char *row, *task, *container, *want; };     /* want: behind "ClientException: "; NULL: it is accepted */

static void check_refusal(struct api_fixture *f, const char *row, struct str body, const char *want)
{
    struct str got = fixture_call_str(f, "RegisterTaskDefinition", body);
    if (want == NULL) {
        CHECK_STR(row, f->code == ERR_NONE ? STR("accepted") : got, STR("accepted"));
        return;
    }
    CHECK_STR(row, got, arena_printf(&f->kept, "ClientException: %s", want));
}

static void run_refusals(struct api_fixture *f, const struct refusal *rows, size_t count)
{
    for (size_t r = 0; r < count; r++) { check_refusal(f, rows[r].row, body_with(f, rows[r].task, rows[r].container), rows[r].want); }
}

#define IN_C "Invalid setting for container 'c'. "
#define GPU(value) ",\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":\"" value "\"}]"
#define NEURON(value) ",\"resourceRequirements\":[{\"type\":\"NeuronDevice\",\"value\":\"" value "\"}]"
#define ONE_NEURON "Only one container of a task definition can have a NeuronDevice, and only once."
#define NOT_WHOLE(value) \
    IN_C "The value of a GPU resource requirement must be a whole number of at least 1, a share of one GPU like 0.5, or ALL, but was '" value "'."

#define NAMED "{\"family\":\"%.*s\",\"containerDefinitions\":[{\"name\":\"%.*s\",\"image\":\"%.*s\",\"memory\":9}]}"

static void test_names_refused(struct api_fixture *f)
{
    static const struct { const char *row, *containers, *want; } rows[] = {
        { "no containers", "[]", "ContainerDefinitions should not be null or empty." },
        { "no name", "[{\"image\":\"i\",\"memory\":9}]", "Container.name should not be null or empty." },
        { "an empty name", "[{\"name\":\"\",\"image\":\"i\",\"memory\":9}]", "Container.name should not be null or empty." },
        { "a bad name", "[{\"name\":\"a.b\",\"image\":\"i\",\"memory\":9}]", "Container.name contains invalid characters." },
        { "a name twice", "[{\"name\":\"a\",\"image\":\"i\",\"memory\":9},{\"name\":\"a\",\"image\":\"i\",\"memory\":9}]",
          "Container.name should be unique: 'a' is given twice." },
        { "no image", "[{\"name\":\"a\",\"memory\":9}]", "Container.image should not be null or empty." },
        { "nothing essential", "[{\"name\":\"a\",\"image\":\"i\",\"memory\":9,\"essential\":false}]",
          "Task definition doesn't have any essential container" },
        { "no memory", "[{\"name\":\"a\",\"image\":\"i\"}]",
          "Invalid setting for container 'a'. At least one of 'memory' or 'memoryReservation' must be specified." },
        { "the task's memory is enough", "[{\"name\":\"a\",\"image\":\"i\"}],\"memory\":\"512\",\"x\":[]", NULL },
        { "a reservation is enough", "[{\"name\":\"a\",\"image\":\"i\",\"memoryReservation\":6}]", NULL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        check_refusal(f, rows[r].row, arena_printf(&f->kept, "{\"family\":\"f\",\"containerDefinitions\":%s}", rows[r].containers), rows[r].want);
    }
    for (int len = 255; len <= 256; len++) {
        struct str name = arena_printf(&f->kept, "%0*d", len, 1);
        bool fits = len == 255;
        check_refusal(f, "a long container name", arena_printf(&f->kept, NAMED, 1, "f", STR_ARG(name), 1, "i"),
                      fits ? NULL : "Container.name should be 255 characters or less");
        check_refusal(f, "a long image name", arena_printf(&f->kept, NAMED, 1, "f", 1, "c", STR_ARG(name)),
                      fits ? NULL : "Container.image should be 255 characters or less");
        check_refusal(f, "a long family", arena_printf(&f->kept, NAMED, STR_ARG(name), 1, "c", 1, "i"),
                      fits ? NULL : "family length should be between 1 and 255, but was 256.");
    }
}

static void test_sizes_refused(struct api_fixture *f)
{
    static const struct refusal rows[] = {
        { "negative cpu", "", ",\"cpu\":-1", IN_C "'cpu' must not be negative." },
        { "little memory", "", ",\"memoryReservation\":6", NULL },
        { "too little memory", "", ",\"memoryReservation\":5", IN_C "'memory' and 'memoryReservation' must be at least 6 MiB." },
        { "a reservation below", "", ",\"memoryReservation\":127", NULL },
        { "a reservation as large", "", ",\"memoryReservation\":128", IN_C "'memory' must be greater than 'memoryReservation'." },
        { "as much as the task", ",\"memory\":\"128\"", "", NULL },
        { "more than the task", ",\"memory\":\"127\"", "", "The 'memory' setting for container 'c' is greater than for the task." },
        { "as much cpu as the task", ",\"cpu\":\"256\"", ",\"cpu\":256", NULL },
        { "more cpu than the task", ",\"cpu\":\"256\"", ",\"cpu\":257",
          "The sum of all container 'cpu' values cannot be greater than the value of the task 'cpu'." },
        { "the least task cpu", ",\"cpu\":\"128\"", "", NULL },
        { "too little task cpu", ",\"cpu\":\"127\"", "", "Invalid 'cpu' setting for task." },
        { "the most task cpu", ",\"cpu\":\"192 vCPU\"", "", NULL },
        { "too much task cpu", ",\"cpu\":\"196609\"", "", "Invalid 'cpu' setting for task." },
        { "task cpu that is no number", ",\"cpu\":\"lots\"", "", "Invalid 'cpu' setting for task." },
        { "task cpu empty", ",\"cpu\":\"\"", "", "Invalid 'cpu' setting for task." },
        { "task memory that is no amount", ",\"memory\":\"1TB\"", "", "Invalid 'memory' setting for task." },
        { "no task memory at all", ",\"memory\":\"0\"", "", "Invalid 'memory' setting for task." },
        { "one GPU", "", GPU("1"), NULL },
        { "many GPUs", "", GPU("64"), NULL },
        { "all GPUs", "", GPU("ALL"), NULL },
        { "no GPUs", "", GPU("0"), NOT_WHOLE("0") },
        { "fewer than no GPUs", "", GPU("-1"), NOT_WHOLE("-1") },
        { "GPUs that are no number", "", GPU("all"), NOT_WHOLE("all") },
        { "an empty number", "", GPU(""), NOT_WHOLE("") },
        { "half a GPU", "", GPU("0.5"), NULL },
        { "one and a half", "", GPU("1.5"), IN_C "A container can have whole GPUs or a share of one: the value must be a whole number or below "
          "1, but was '1.5'." },
        { "a share without a leading zero", "", GPU(".25"), NOT_WHOLE(".25") },
        { "memory of a GPU", "", ",\"resourceRequirements\":[{\"type\":\"GPU_MEMORY\",\"value\":\"8192\"}]", NULL },
        { "half a GPU with an amount of memory", "",
          ",\"resourceRequirements\":[{\"type\":\"GPU_MEMORY\",\"value\":\"8192\"},{\"type\":\"GPU\",\"value\":\"0.5\"}]", NULL },
        { "no memory", "", ",\"resourceRequirements\":[{\"type\":\"GPU_MEMORY\",\"value\":\"0\"}]",
          IN_C "The value of a GPU_MEMORY resource requirement must be a whole number of MiB, at least 1, but was '0'." },
        { "memory of a GPU on Windows", ",\"runtimePlatform\":{\"operatingSystemFamily\":\"WINDOWS_SERVER_2022_CORE\"}",
          ",\"resourceRequirements\":[{\"type\":\"GPU_MEMORY\",\"value\":\"8192\"}]", IN_C "Resource type GPU is not supported on Windows." },
        { "a point and nothing", "", GPU("1."), NOT_WHOLE("1.") },
        { "GPUs twice", "", ",\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":\"1\"},{\"type\":\"GPU\",\"value\":\"1\"}]",
          IN_C "Only one resource requirement of type GPU may be given." },
        { "a GPU on Windows", ",\"runtimePlatform\":{\"operatingSystemFamily\":\"WINDOWS_SERVER_2022_CORE\"}", GPU("1"),
          IN_C "Resource type GPU is not supported on Windows." },
        { "a GPU on Linux", ",\"runtimePlatform\":{\"operatingSystemFamily\":\"LINUX\"}", GPU("1"), NULL },
        { "a Neuron device", "", NEURON("ALL"), NULL },
        { "some Neuron devices", "", NEURON("2"), IN_C "The value of a NeuronDevice resource requirement must be ALL." },
        { "Neuron devices twice", "", ",\"resourceRequirements\":[{\"type\":\"NeuronDevice\",\"value\":\"ALL\"},"
          "{\"type\":\"NeuronDevice\",\"value\":\"ALL\"}]", IN_C ONE_NEURON },
        { "the longest time-outs", "", ",\"startTimeout\":2147483647,\"stopTimeout\":0", NULL },
        { "a negative time-out", "", ",\"stopTimeout\":-1",
          "containerDefinitions[0].stopTimeout should be between 0 and 2147483647, but was -1." },
        { "an accelerator", "", ",\"resourceRequirements\":[{\"type\":\"InferenceAccelerator\",\"value\":\"d\"}]",
          "Unsupported field 'inferenceAccelerators'" },
        { "accelerators", ",\"inferenceAccelerators\":[{\"deviceName\":\"d\",\"deviceType\":\"t\"}]", "",
          "Unsupported field 'inferenceAccelerators'" },
        { "no accelerators", ",\"inferenceAccelerators\":[]", "", NULL },
        { "no value", "", ",\"resourceRequirements\":[{\"type\":\"GPU\"}]",
          "ContainerDefinitions[0].resourceRequirements[0].value should not be null or empty." },
        { "an unknown type", "", ",\"resourceRequirements\":[{\"type\":\"TPU\",\"value\":\"1\"}]",
          "containerDefinitions[0].resourceRequirements[0].type should be one of [GPU,InferenceAccelerator,NeuronDevice,GPU_MEMORY], but was 'TPU'." },
    };
    run_refusals(f, rows, COUNT_OF(rows));
}

#define PORTS(list) ",\"portMappings\":[" list "]"
#define PORT_NAME ",\"portMappings\":[{\"containerPort\":1,\"name\":\""
#define BAD_PORT_NAME \
    "Invalid 'name' setting for a port mapping of container 'c': it must have 1 to 64 lower-case letters, digits, '_' and '-', and not " \
    "begin with '-'."
#define BAD_RANGE "Invalid 'containerPortRange' setting for container 'c'."
#define LETTERS_64 "abcdefghijklmnopqrstuvwxyz_0123456789-abcdefghijklmnopqrstuvwxyz"

static void test_ports_refused(struct api_fixture *f)
{
    static const struct refusal rows[] = {
        { "the first port", "", PORTS("{\"containerPort\":1}"), NULL },
        { "the last port", "", PORTS("{\"containerPort\":65535}"), NULL },
        { "port 0", "", PORTS("{\"containerPort\":0}"), "Invalid 'containerPort' setting for container 'c'." },
        { "port 65536", "", PORTS("{\"containerPort\":65536}"), "Invalid 'containerPort' setting for container 'c'." },
        { "no port", "", PORTS("{\"hostPort\":1}"), "Invalid 'containerPort' setting for container 'c'." },
        { "the last host port", "", PORTS("{\"containerPort\":1,\"hostPort\":65535}"), NULL },
        { "host port 65536", "", PORTS("{\"containerPort\":1,\"hostPort\":65536}"),
          "containerDefinitions[0].portMappings[0].hostPort should be between 0 and 65535, but was 65536." },
        { "awsvpc, the same", ",\"networkMode\":\"awsvpc\"", PORTS("{\"containerPort\":1,\"hostPort\":1}"), NULL },
        { "awsvpc, another", ",\"networkMode\":\"awsvpc\"", PORTS("{\"containerPort\":1,\"hostPort\":2}"),
          "When networkMode=awsvpc, the host ports and container ports in port mappings must match." },
        { "host, another", ",\"networkMode\":\"host\"", PORTS("{\"containerPort\":1,\"hostPort\":2}"),
          "When networkMode=host, the host ports and container ports in port mappings must match." },
        { "bridge, another", ",\"networkMode\":\"bridge\"", PORTS("{\"containerPort\":1,\"hostPort\":2}"), NULL },
        { "none", ",\"networkMode\":\"none\"", PORTS("{\"containerPort\":1}"),
          "Port mappings are not supported on container when networkMode=none" },
        { "a range", "", PORTS("{\"containerPortRange\":\"1-65535\"}"), NULL },
        { "a range of one", "", PORTS("{\"containerPortRange\":\"5-5\"}"), BAD_RANGE },
        { "a range backwards", "", PORTS("{\"containerPortRange\":\"6-5\"}"), BAD_RANGE },
        { "a range from 0", "", PORTS("{\"containerPortRange\":\"0-5\"}"), BAD_RANGE },
        { "a range too far", "", PORTS("{\"containerPortRange\":\"5-65536\"}"), BAD_RANGE },
        { "no range", "", PORTS("{\"containerPortRange\":\"5\"}"), BAD_RANGE },
        { "an empty range", "", PORTS("{\"containerPortRange\":\"\"}"), BAD_RANGE },
        { "a range and a port", "", PORTS("{\"containerPort\":1,\"containerPortRange\":\"2-3\"}"),
          "cannot specify both single port and port range" },
        { "a range and a host port", "", PORTS("{\"hostPort\":1,\"containerPortRange\":\"2-3\"}"),
          "cannot specify both single port and port range" },
        { "a range on the host", ",\"networkMode\":\"host\"", PORTS("{\"containerPortRange\":\"2-3\"}"),
          "containerPortRange is not supported on container when networkMode=host" },
        { "a range in awsvpc", ",\"networkMode\":\"awsvpc\"", PORTS("{\"containerPortRange\":\"2-3\"}"), NULL },
        { "ranges side by side", "", PORTS("{\"containerPortRange\":\"2-3\"},{\"containerPortRange\":\"4-5\"},{\"containerPort\":1}"), NULL },
        { "ranges that overlap", "", PORTS("{\"containerPortRange\":\"2-4\"},{\"containerPortRange\":\"4-5\"}"),
          "Port range '2-4' of container 'c' overlaps with another port mapping." },
        { "a port in a range", "", PORTS("{\"containerPort\":3},{\"containerPortRange\":\"2-4\"}"),
          "Port range '2-4' of container 'c' overlaps with another port mapping." },
        { "a port at a range's begin", "", PORTS("{\"containerPort\":2},{\"containerPortRange\":\"2-4\"}"),
          "Port range '2-4' of container 'c' overlaps with another port mapping." },
        { "a port at a range's end", "", PORTS("{\"containerPort\":4},{\"containerPortRange\":\"2-4\"}"),
          "Port range '2-4' of container 'c' overlaps with another port mapping." },
        { "ports beside a range", "", PORTS("{\"containerPort\":1},{\"containerPortRange\":\"2-4\"},{\"containerPort\":5}"), NULL },
        { "of another protocol", "", PORTS("{\"containerPort\":3,\"protocol\":\"udp\"},{\"containerPortRange\":\"2-4\"}"), NULL },
        { "a name of 64", "", PORT_NAME LETTERS_64 "\"}]", NULL },
        { "a name of 65", "", PORT_NAME LETTERS_64 "x\"}]", BAD_PORT_NAME },
        { "a name with a capital", "", PORT_NAME "Web\"}]", BAD_PORT_NAME },
        { "a name that begins with -", "", PORT_NAME "-web\"}]", BAD_PORT_NAME },
        { "an empty name", "", PORT_NAME "\"}]", BAD_PORT_NAME },
    };
    run_refusals(f, rows, COUNT_OF(rows));
}

static void test_network_refused(struct api_fixture *f)
{
    static const struct { const char *member, *json; } rows[] = {
        { "Disable Networking", ",\"disableNetworking\":true" },
        { "hostname",           ",\"hostname\":\"h\"" },
        { "dnsServers",         ",\"dnsServers\":[\"1.1.1.1\"]" },
        { "dnsSearchDomains",   ",\"dnsSearchDomains\":[\"d\"]" },
        { "extraHosts",         ",\"extraHosts\":[{\"hostname\":\"h\",\"ipAddress\":\"1.1.1.1\"}]" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        check_refusal(f, rows[r].member, body_with(f, ",\"networkMode\":\"bridge\"", rows[r].json), NULL);
        struct str want = arena_printf(&f->kept, "%s is not supported on container when networkMode=awsvpc", rows[r].member);
        check_refusal(f, rows[r].member, body_with(f, ",\"networkMode\":\"awsvpc\"", rows[r].json), arena_cstr(&f->kept, want));
    }
    static const char link[] = ",\"links\":[\"b:alias\"]";
    check_refusal(f, "a link", pair_with(f, "", link, ""), NULL);
    check_refusal(f, "a link in awsvpc", pair_with(f, ",\"networkMode\":\"awsvpc\"", link, ""),
                  "links is not supported on container when networkMode=awsvpc");
    check_refusal(f, "a link on the host", pair_with(f, ",\"networkMode\":\"host\"", link, ""),
                  "links is not supported on container when networkMode=host");
    check_refusal(f, "a link to nobody", pair_with(f, "", ",\"links\":[\"x\"]", ""),
                  "Invalid 'links' setting for container 'a': there is no other container 'x'.");
}

#define AWSLOGS(options) ",\"logConfiguration\":{\"logDriver\":\"awslogs\",\"options\":{" options "}}"
#define NO_ROLE "When you are specifying container secrets, you must also specify a value for 'executionRoleArn'"
#define SHARED_NAME \
    "The secret name must be unique and not shared with any new or existing environment variables set on the container, such as 'A'."
#define HEALTH(rest) ",\"healthCheck\":{\"command\":[\"CMD\",\"x\"]" rest "}"
#define FIRST_WORD IN_C "The first word of 'healthCheck.command' must be CMD, CMD-SHELL or NONE."

static void test_details_refused(struct api_fixture *f)
{
    static const struct refusal rows[] = {
        { "awslogs", "", AWSLOGS("\"awslogs-region\":\"r\",\"awslogs-group\":\"g\""), NULL },
        { "awslogs without a group", "", AWSLOGS("\"awslogs-region\":\"r\""), "Log driver awslogs requires options: awslogs-group" },
        { "awslogs without a region", "", AWSLOGS("\"awslogs-group\":\"g\""), "Log driver awslogs requires options: awslogs-region" },
        { "awslogs without either", "", AWSLOGS(""), "Log driver awslogs requires options: awslogs-region, awslogs-group" },
        { "an unknown driver", "", ",\"logConfiguration\":{\"logDriver\":\"none\"}",
          "containerDefinitions[0].logConfiguration.logDriver should be one of [json-file,syslog,journald,gelf,fluentd,awslogs,splunk,"
          "awsfirelens], but was 'none'." },
        { "a secret", ROLE, ",\"secrets\":[{\"name\":\"A\",\"valueFrom\":\"p\"}]", NULL },
        { "a secret without a role", "", ",\"secrets\":[{\"name\":\"A\",\"valueFrom\":\"p\"}]", NO_ROLE },
        { "a log secret without a role", "",
          ",\"logConfiguration\":{\"logDriver\":\"splunk\",\"secretOptions\":[{\"name\":\"A\",\"valueFrom\":\"p\"}]}", NO_ROLE },
        { "a secret twice", ROLE, ",\"secrets\":[{\"name\":\"A\",\"valueFrom\":\"p\"},{\"name\":\"A\",\"valueFrom\":\"q\"}]", SHARED_NAME },
        { "a secret and a variable", ROLE,
          ",\"secrets\":[{\"name\":\"A\",\"valueFrom\":\"p\"}],\"environment\":[{\"name\":\"A\",\"value\":\"v\"}]", SHARED_NAME },
        { "an environment file that is no ARN", "", ",\"environmentFiles\":[{\"type\":\"s3\",\"value\":\"x.env\"}]", "Invalid arn syntax" },
        { "an environment file of another kind", "", ",\"environmentFiles\":[{\"type\":\"s3\",\"value\":\"arn:aws:s3:::b/x.txt\"}]",
          IN_C "The value of an environment file must be the ARN of an S3 object whose name ends in .env." },
        { "an environment file of another service", "", ",\"environmentFiles\":[{\"type\":\"s3\",\"value\":\"arn:aws:sqs:r:1:x.env\"}]",
          IN_C "The value of an environment file must be the ARN of an S3 object whose name ends in .env." },
        { "a health check's least times", "", HEALTH(",\"interval\":5,\"timeout\":2,\"retries\":1,\"startPeriod\":0"), NULL },
        { "a health check's greatest times", "", HEALTH(",\"interval\":300,\"timeout\":60,\"retries\":10,\"startPeriod\":300"), NULL },
        { "interval 4", "", HEALTH(",\"interval\":4"), "containerDefinitions[0].healthCheck.interval should be between 5 and 300, but was 4." },
        { "interval 301", "", HEALTH(",\"interval\":301"), "containerDefinitions[0].healthCheck.interval should be between 5 and 300, but was 301." },
        { "timeout 1", "", HEALTH(",\"timeout\":1"), "containerDefinitions[0].healthCheck.timeout should be between 2 and 60, but was 1." },
        { "timeout 61", "", HEALTH(",\"timeout\":61"), "containerDefinitions[0].healthCheck.timeout should be between 2 and 60, but was 61." },
        { "retries 0", "", HEALTH(",\"retries\":0"), "containerDefinitions[0].healthCheck.retries should be between 1 and 10, but was 0." },
        { "retries 11", "", HEALTH(",\"retries\":11"), "containerDefinitions[0].healthCheck.retries should be between 1 and 10, but was 11." },
        { "startPeriod 301", "", HEALTH(",\"startPeriod\":301"),
          "containerDefinitions[0].healthCheck.startPeriod should be between 0 and 300, but was 301." },
        { "no command", "", ",\"healthCheck\":{\"command\":[]}", FIRST_WORD },
        { "an unknown first word", "", ",\"healthCheck\":{\"command\":[\"curl\",\"x\"]}", FIRST_WORD },
        { "a shell", "", ",\"healthCheck\":{\"command\":[\"CMD-SHELL\",\"x\"]}", NULL },
        { "nothing to run", "", ",\"healthCheck\":{\"command\":[\"CMD\"]}", IN_C "'healthCheck.command' names no command to run." },
        { "none at all", "", ",\"healthCheck\":{\"command\":[\"NONE\"]}", NULL },
        { "restart after 59", "", ",\"restartPolicy\":{\"enabled\":true,\"restartAttemptPeriod\":59}",
          "containerDefinitions[0].restartPolicy.restartAttemptPeriod should be between 60 and 1800, but was 59." },
        { "restart after 1800", "", ",\"restartPolicy\":{\"enabled\":true,\"restartAttemptPeriod\":1800}", NULL },
        { "restart after 1801", "", ",\"restartPolicy\":{\"enabled\":true,\"restartAttemptPeriod\":1801}",
          "containerDefinitions[0].restartPolicy.restartAttemptPeriod should be between 60 and 1800, but was 1801." },
        { "restart, yes or no", "", ",\"restartPolicy\":{}", "ContainerDefinitions[0].restartPolicy.enabled should not be null or empty." },
        { "swappiness 101", "", ",\"linuxParameters\":{\"swappiness\":101}",
          "containerDefinitions[0].linuxParameters.swappiness should be between 0 and 100, but was 101." },
        { "swap below zero", "", ",\"linuxParameters\":{\"maxSwap\":-1}",
          "containerDefinitions[0].linuxParameters.maxSwap should be between 0 and 2147483647, but was -1." },
        { "two credential specs", "", ",\"credentialSpecs\":[\"a\",\"b\"]",
          "containerDefinitions[0].credentialSpecs should have between 0 and 1 items, but had 2." },
        { "a mounted volume", ",\"volumes\":[{\"name\":\"v\"}]", ",\"mountPoints\":[{\"sourceVolume\":\"v\",\"containerPath\":\"/v\"}]", NULL },
        { "an unknown volume", "", ",\"mountPoints\":[{\"sourceVolume\":\"v\",\"containerPath\":\"/v\"}]",
          "Unknown volume 'v' in 'mountPoints' of container 'c'." },
        { "an unnamed volume", "", ",\"mountPoints\":[{\"containerPath\":\"/v\"}]", "Unknown volume '' in 'mountPoints' of container 'c'." },
        { "volumes from itself", "", ",\"volumesFrom\":[{\"sourceContainer\":\"c\"}]", "Unknown container 'c' in 'volumesFrom' of container 'c'." },
        { "volumes from nobody", "", ",\"volumesFrom\":[{\"sourceContainer\":\"x\"}]", "Unknown container 'x' in 'volumesFrom' of container 'c'." },
    };
    run_refusals(f, rows, COUNT_OF(rows));
}

#define ON(name, condition) ",\"dependsOn\":[{\"containerName\":\"" name "\",\"condition\":\"" condition "\"}]"

static void test_dependencies_refused(struct api_fixture *f)
{
    static const struct { const char *row, *a, *b, *want; } rows[] = {
        { "START", ON("b", "START"), "", NULL },
        { "SUCCESS of a container that is not essential", ON("b", "SUCCESS"), "", NULL },
        { "SUCCESS of an essential container", "", ON("a", "SUCCESS"),
          "A dependency container with SUCCESS or COMPLETE condition cannot be an essential container" },
        { "COMPLETE of an essential container", "", ON("a", "COMPLETE"),
          "A dependency container with SUCCESS or COMPLETE condition cannot be an essential container" },
        { "HEALTHY with a check", ON("b", "HEALTHY"), HEALTH(""), NULL },
        { "HEALTHY without a check", ON("b", "HEALTHY"), "",
          "Invalid 'dependsOn' setting for container 'a': condition HEALTHY needs a healthCheck on container 'b'." },
        { "nobody", ON("x", "START"), "", "Invalid 'dependsOn' setting for container 'a': there is no container 'x'." },
        { "itself", ON("a", "START"), "",
          "The 'dependsOn' settings of the containers form a cycle: none of them could start first." },
        { "each other", ON("b", "START"), ON("a", "START"),
          "The 'dependsOn' settings of the containers form a cycle: none of them could start first." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { check_refusal(f, rows[r].row, pair_with(f, "", rows[r].a, rows[r].b), rows[r].want); }
}

/* ---- the task ---- */

#define PROXY(properties) \
    ",\"networkMode\":\"awsvpc\",\"proxyConfiguration\":{\"containerName\":\"c\",\"properties\":[" properties "]}"
#define P(name) "{\"name\":\"" name "\",\"value\":\"1\"}"

static void test_task_refused(struct api_fixture *f)
{
    static const struct refusal rows[] = {
        { "a member that nobody knows", ",\"family2\":1", "", NULL },
        { "a role by name", ",\"taskRoleArn\":\"my-role\",\"executionRoleArn\":\"arn:aws:iam::123456789012:role/x/y\"", "", NULL },
        { "a text that is no role", ",\"taskRoleArn\":\"a b\"", "", "Role is not valid" },
        { "empty roles count as absent", ",\"taskRoleArn\":\"\",\"executionRoleArn\":\"\"", "", NULL },
        { "an empty role counts as absent for secrets too", ",\"executionRoleArn\":\"\"", ",\"secrets\":[{\"name\":\"A\",\"valueFrom\":\"/a\"}]", NO_ROLE },
        { "an execution role of another kind", ",\"executionRoleArn\":\"arn:aws:iam::123456789012:user/x\"", "", "Role is not valid" },
        { "a role without a name", ",\"executionRoleArn\":\"arn:aws:iam::123456789012:role/\"", "", "Role is not valid" },
        { "a volume without a name", ",\"volumes\":[{}]", "", "Volume.name should not be null or empty." },
        { "a volume with a bad name", ",\"volumes\":[{\"name\":\"a b\"}]", "", "Volume.name contains invalid characters." },
        { "a volume twice", ",\"volumes\":[{\"name\":\"v\"},{\"name\":\"v\"}]", "", "Volume.name should be unique: 'v' is given twice." },
        { "a volume of two kinds",
          VOLUME("\"host\":{\"sourcePath\":\"/x\"},\"efsVolumeConfiguration\":{\"fileSystemId\":\"x\"}"), "",
          "Volume 'v' can have only one configuration." },
        { "an empty host beside", VOLUME("\"host\":{},\"efsVolumeConfiguration\":{\"fileSystemId\":\"x\"}"), "", NULL },
        { "two volumes at launch", ",\"volumes\":[{\"name\":\"v\",\"configuredAtLaunch\":true},{\"name\":\"w\",\"configuredAtLaunch\":true}]", "",
          "Only one volume of a task definition can be configured at launch." },
        { "one volume at launch", ",\"volumes\":[{\"name\":\"v\",\"configuredAtLaunch\":true},{\"name\":\"w\",\"configuredAtLaunch\":false}]", "", NULL },
        { "a volume now and at launch", VOLUME("\"configuredAtLaunch\":true,\"host\":{\"sourcePath\":\"/x\"}"), "",
          "Volume 'v' is configured at launch and can have no configuration here." },
        { "autoprovision of a task's volume", VOLUME("\"dockerVolumeConfiguration\":{\"scope\":\"task\",\"autoprovision\":true}"), "",
          "Volume 'v': autoprovision can be given only when scope is shared." },
        { "a constraint without an expression", ",\"placementConstraints\":[{\"type\":\"memberOf\"}]", "",
          "Placement constraint of type memberOf requires an expression." },
        { "a constraint of another type", ",\"placementConstraints\":[{\"type\":\"distinctInstance\"}]", "",
          "placementConstraints[0].type should be one of [memberOf], but was 'distinctInstance'." },
        { "ephemeral storage of 20", ",\"ephemeralStorage\":{\"sizeInGiB\":20}", "",
          "ephemeralStorage.sizeInGiB should be between 21 and 200, but was 20." },
        { "ephemeral storage of 200", ",\"ephemeralStorage\":{\"sizeInGiB\":200}", "", NULL },
        { "ephemeral storage of 201", ",\"ephemeralStorage\":{\"sizeInGiB\":201}", "",
          "ephemeralStorage.sizeInGiB should be between 21 and 200, but was 201." },
        { "a proxy", PROXY(P("ProxyIngressPort") "," P("ProxyEgressPort") "," P("AppPorts") "," P("IgnoredGID")), "", NULL },
        { "a proxy without ingress", PROXY(""), "", "Ingress port not found" },
        { "a proxy without egress", PROXY(P("ProxyIngressPort")), "", "Egress port not found" },
        { "a proxy without ports", PROXY(P("ProxyIngressPort") "," P("ProxyEgressPort")), "", "App ports not found" },
        { "a proxy that ignores nobody", PROXY(P("ProxyIngressPort") "," P("ProxyEgressPort") "," P("AppPorts")), "",
          "Ignored UID or GID not found" },
        { "a proxy in bridge", ",\"proxyConfiguration\":{\"containerName\":\"c\"}", "",
          "proxyConfiguration is only supported when networkMode=awsvpc" },
        { "a proxy that is not there", ",\"networkMode\":\"awsvpc\",\"proxyConfiguration\":{\"containerName\":\"x\"}", "",
          "Unknown container 'x' in 'proxyConfiguration'." },
    };
    run_refusals(f, rows, COUNT_OF(rows));
    check_refusal(f, "a bad family", STR("{\"family\":\"a b\",\"containerDefinitions\":[{\"name\":\"c\",\"image\":\"i\",\"memory\":9}]}"),
                  "Family contains invalid characters.");
    CHECK("an empty role is not shown", !str_contains(register_it(f, ",\"taskRoleArn\":\"\"", ""), STR("taskRoleArn")));
    f->config.strict_aws = true;
    CHECK_STR("an empty role, as ECS", register_it(f, ",\"taskRoleArn\":\"\"", ""), STR("ClientException: Role is not valid"));
    f->config.strict_aws = false;
    (void)register_it(f, ",\"placementConstraints\":[{\"type\":\"memberOf\",\"expression\":\"attribute:a ==\"}]", "");
    CHECK_EQ("a constraint that cannot be read", f->code, ERR_CLIENT);
    struct str tags = register_it(f, ",\"tags\":[{\"key\":\"aws:x\"}]", "");
    CHECK_STR("a tag that is refused", tags,
              STR("InvalidParameterException: Tag keys that begin with \"aws:\" are reserved: \"aws:x\"."));
}

#define NEEDS_FARGATE ",\"requiresCompatibilities\":[\"FARGATE\"]"
#define ON_FARGATE NEEDS_FARGATE FARGATE_TASK

static void test_launch_types_refused(struct api_fixture *f)
{
    static const struct refusal rows[] = {
        { "Fargate", ON_FARGATE, "", NULL },
        { "Fargate in bridge", NEEDS_FARGATE, "", "Fargate only supports network mode \xE2\x80\x98" "awsvpc\xE2\x80\x99." },
        { "Fargate without cpu", NEEDS_FARGATE ",\"networkMode\":\"awsvpc\",\"memory\":\"512\"", "",
          "Fargate requires that 'cpu' be defined at the task level." },
        { "Fargate without memory", NEEDS_FARGATE ",\"networkMode\":\"awsvpc\",\"cpu\":\"512\"", "",
          "Fargate requires that 'memory' be defined at the task level." },
        { "Fargate and awslogs without a role", ON_FARGATE, AWSLOGS("\"awslogs-region\":\"r\",\"awslogs-group\":\"g\""),
          "Fargate requires task definition to have execution role ARN to support log driver awslogs." },
        { "Fargate and awslogs without a prefix", ON_FARGATE ROLE, AWSLOGS("\"awslogs-region\":\"r\",\"awslogs-group\":\"g\""),
          "Fargate requires log configuration options to include awslogs-stream-prefix" },
        { "Fargate and awslogs", ON_FARGATE ROLE, AWSLOGS("\"awslogs-region\":\"r\",\"awslogs-group\":\"g\",\"awslogs-stream-prefix\":\"p\""), NULL },
        { "Fargate and a Docker volume", ON_FARGATE VOLUME("\"dockerVolumeConfiguration\":{}"), "",
          "Fargate compatible task definitions do not support dockerVolumeConfiguration" },
        { "Fargate and a host volume", ON_FARGATE VOLUME("\"host\":{\"sourcePath\":\"/x\"}"), "",
          "Fargate compatible task definitions do not support sourcePath" },
        { "Fargate and an empty volume", ON_FARGATE VOLUME("\"host\":{}"), "", NULL },
        { "Fargate and the host's processes", ON_FARGATE ",\"pidMode\":\"host\"", "",
          "Tasks using the Fargate launch type do not support pidMode 'host'. The supported value for pidMode is 'task'." },
        { "Fargate and the task's processes", ON_FARGATE ",\"pidMode\":\"task\"", "", NULL },
        { "Fargate and ipcMode", ON_FARGATE ",\"ipcMode\":\"task\"", "", "Fargate compatible task definitions do not support ipcMode" },
        { "Fargate and constraints", ON_FARGATE ",\"placementConstraints\":[{\"type\":\"memberOf\",\"expression\":\"attribute:a exists\"}]", "",
          "Fargate compatible task definitions do not support placementConstraints" },
        { "Fargate and a GPU", ON_FARGATE, GPU("1"), "Fargate compatible task definitions do not support resourceRequirements" },
        { "Fargate and privileges", ON_FARGATE, ",\"privileged\":true", "Fargate compatible task definitions do not support privileged" },
        { "Fargate and devices", ON_FARGATE, ",\"linuxParameters\":{\"devices\":[{\"hostPath\":\"/d\"}]}",
          "Fargate compatible task definitions do not support devices" },
        { "Fargate stops within 120 s", ON_FARGATE, ",\"stopTimeout\":120", NULL },
        { "Fargate does not wait longer", ON_FARGATE, ",\"stopTimeout\":121",
          "Fargate compatible task definitions do not support a stopTimeout above 120 seconds" },
        { "EXTERNAL", ",\"requiresCompatibilities\":[\"EXTERNAL\"]", "", NULL },
        { "EXTERNAL in awsvpc", ",\"requiresCompatibilities\":[\"EXTERNAL\"],\"networkMode\":\"awsvpc\"", "",
          "Tasks using the External launch type do not support network mode 'awsvpc'." },
        { "EXTERNAL with EFS", ",\"requiresCompatibilities\":[\"EXTERNAL\"]" VOLUME("\"efsVolumeConfiguration\":{\"fileSystemId\":\"x\"}"), "",
          "Tasks using the External launch type do not support the kind of volume 'v'." },
        { "managed instances", ",\"requiresCompatibilities\":[\"MANAGED_INSTANCES\"]" FARGATE_TASK, "", NULL },
        { "managed instances in bridge", ",\"requiresCompatibilities\":[\"MANAGED_INSTANCES\"]", "",
          "Managed Instances only support network modes 'awsvpc' and 'host'." },
        { "managed instances without a size", ",\"requiresCompatibilities\":[\"MANAGED_INSTANCES\"],\"networkMode\":\"host\"", "",
          "Managed Instances require that 'cpu' and 'memory' be defined at the task level." },
        { "both are checked", ",\"requiresCompatibilities\":[\"EC2\",\"FARGATE\"]", "",
          "Fargate only supports network mode \xE2\x80\x98" "awsvpc\xE2\x80\x99." },
        { "no such type", ",\"requiresCompatibilities\":[\"MOON\"]", "",
          "requiresCompatibilities[0] should be one of [EC2,FARGATE,EXTERNAL,MANAGED_INSTANCES], but was 'MOON'." },
    };
    run_refusals(f, rows, COUNT_OF(rows));
}

static void test_fargate_sizes(struct api_fixture *f)
{
    static const struct { int cpu, mib; bool good; } rows[] = {
        { 256, 512, true }, { 256, 1024, true }, { 256, 2048, true }, { 256, 511, false }, { 256, 1536, false }, { 256, 3072, false },
        { 512, 1024, true }, { 512, 4096, true }, { 512, 512, false }, { 512, 5120, false }, { 512, 1500, false },
        { 1024, 2048, true }, { 1024, 8192, true }, { 1024, 1024, false }, { 1024, 9216, false },
        { 2048, 4096, true }, { 2048, 16384, true }, { 2048, 3072, false }, { 2048, 17408, false },
        { 4096, 8192, true }, { 4096, 30720, true }, { 4096, 7168, false }, { 4096, 31744, false },
        { 8192, 16384, true }, { 8192, 61440, true }, { 8192, 17408, false }, { 8192, 65536, false },
        { 16384, 32768, true }, { 16384, 122880, true }, { 16384, 36864, false }, { 16384, 131072, false },
        { 128, 512, false }, { 32768, 122880, false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str task = arena_printf(&f->kept, NEEDS_FARGATE ",\"networkMode\":\"awsvpc\",\"cpu\":\"%d\",\"memory\":\"%d\"", rows[r].cpu, rows[r].mib);
        struct str want = arena_printf(&f->kept, "No Fargate configuration exists for given values: %d CPU, %d memory. See the Amazon ECS "
                                       "documentation for the valid values.", rows[r].cpu, rows[r].mib);
        char row[32];
        snprintf(row, sizeof row, "%d CPU, %d MiB", rows[r].cpu, rows[r].mib);
        check_refusal(f, row, body_with(f, arena_cstr(&f->kept, task), ""), rows[r].good ? NULL : arena_cstr(&f->kept, want));
    }
    check_refusal(f, "an image in ECR", arena_printf(&f->kept, "{\"family\":\"f\",\"containerDefinitions\":[{\"name\":\"c\",\"image\":"
                  "\"1.dkr.ecr.r.amazonaws.com/i\"}]%s}", ON_FARGATE),
                  "Fargate requires task definition to have execution role ARN to support ECR images.");
}

/* ---- limits of number and length ---- */

static struct str many(struct api_fixture *f, const char *before, const char *item, int count, const char *after)
{
    struct buf out = buf_in(&f->kept);
    buf_put(&out, str_from(before));
    for (int i = 0; i < count; i++) {
        struct str head, tail;
        (void)str_cut(str_from(item), '#', &head, &tail);
        buf_printf(&out, "%s" STR_FMT "%d" STR_FMT, i == 0 ? "" : ",", STR_ARG(head), i, STR_ARG(tail));
    }
    buf_put(&out, str_from(after));
    return buf_str(&out);
}

static void test_counts(struct api_fixture *f)
{
    static const struct { const char *row, *before, *item, *after, *want; int most; } rows[] = {
        { "containers", "{\"family\":\"f\",\"containerDefinitions\":[", "{\"name\":\"c#\",\"image\":\"i\",\"memory\":9}", "]}", "Too many containers.", 10 },
        { "constraints", "{\"family\":\"f\",\"containerDefinitions\":[{\"name\":\"c\",\"image\":\"i\",\"memory\":9}],\"placementConstraints\":[",
          "{\"type\":\"memberOf\",\"expression\":\"attribute:a == x#\"}", "]}",
          "placementConstraints should have between 0 and 10 items, but had 11.", 10 },
        { "environment files", "{\"family\":\"f\",\"containerDefinitions\":[{\"name\":\"c\",\"image\":\"i\",\"memory\":9,\"environmentFiles\":[",
          "{\"type\":\"s3\",\"value\":\"arn:aws:s3:::b/#.env\"}", "]}]}",
          "containerDefinitions[0].environmentFiles should have between 0 and 10 items, but had 11.", 10 },
        { "ignored exit codes", "{\"family\":\"f\",\"containerDefinitions\":[{\"name\":\"c\",\"image\":\"i\",\"memory\":9,\"restartPolicy\":"
          "{\"enabled\":true,\"ignoredExitCodes\":[", "#", "]}}]}",
          "containerDefinitions[0].restartPolicy.ignoredExitCodes should have between 0 and 50 items, but had 51.", 50 },
        { "tags", "{\"family\":\"f\",\"containerDefinitions\":[{\"name\":\"c\",\"image\":\"i\",\"memory\":9}],\"tags\":[", "{\"key\":\"k#\"}", "]}",
          "tags should have between 0 and 50 items, but had 51.", 50 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        check_refusal(f, rows[r].row, many(f, rows[r].before, rows[r].item, rows[r].most, rows[r].after), NULL);
        check_refusal(f, rows[r].row, many(f, rows[r].before, rows[r].item, rows[r].most + 1, rows[r].after), rows[r].want);
    }
}

#define LONG "{\"family\":\"f\",\"containerDefinitions\":[{\"name\":\"c\",\"image\":\"i\",\"memory\":9,\"command\":[\"%0*d\"]}]}"

/* Ranges are counted, single ports are not. */
static void test_port_counts(struct api_fixture *f)
{
    static const struct { const char *row; int ranges, ports; const char *want; } rows[] = {
        { "a hundred ranges",        100, 0,   NULL },
        { "one range more",          101, 0,   "Container 'c' can have at most 100 port ranges, but has 101." },
        { "a hundred and one ports", 0,   101, NULL },
        { "both",                    100, 101, NULL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct buf mappings = buf_in(&f->kept);
        for (int n = 0; n < rows[r].ranges; n++) { buf_printf(&mappings, ",{\"containerPortRange\":\"%d-%d\"}", 1000 + 10 * n, 1009 + 10 * n); }
        for (int n = 0; n < rows[r].ports; n++) { buf_printf(&mappings, ",{\"containerPort\":%d}", 5000 + n); }
        struct str list = str_slice(buf_str(&mappings), 1, mappings.len);
        check_refusal(f, rows[r].row, body_with(f, "", arena_cstr(&f->kept, arena_printf(&f->kept, PORTS(STR_FMT), STR_ARG(list)))), rows[r].want);
    }
}

static void test_neuron(struct api_fixture *f)
{
    check_refusal(f, "one container has them", pair_with(f, "", NEURON("ALL"), ""), NULL);
    check_refusal(f, "two cannot share", pair_with(f, "", NEURON("ALL"), NEURON("ALL")), "Invalid setting for container 'a'. " ONE_NEURON);
}

/* The limit is on the definition as it is printed: the text beside the filling is measured by being refused once. */
static void test_bytes(struct api_fixture *f)
{
    struct str refused = fixture_call_str(f, "RegisterTaskDefinition", arena_printf(&f->kept, LONG, 70000, 1));
    struct str head, tail, digits;
    int64_t length = 0;
    CHECK("the length is in the error", str_cut(refused, '\'', &head, &tail) && str_cut(tail, '\'', &digits, &head) && str_to_i64(digits, &length));
    int fits = 70000 - (int)(length - 65536);
    check_refusal(f, "64 KiB", arena_printf(&f->kept, LONG, fits, 1), NULL);
    check_refusal(f, "a byte more", arena_printf(&f->kept, LONG, fits + 1, 1), "Actual length: '65537'. Max allowed length is '65536' bytes.");
}

int main(void)
{
    static void (*const tests[])(struct api_fixture *) = {
        test_names_refused, test_sizes_refused, test_ports_refused, test_network_refused, test_details_refused,
        test_dependencies_refused, test_task_refused, test_launch_types_refused, test_fargate_sizes, test_counts, test_port_counts,
        test_neuron, test_bytes,
    };
    static struct api_fixture f;
    fixture_open(&f);
    for (size_t t = 0; t < COUNT_OF(tests); t++) { tests[t](&f); }
    fixture_close(&f);
    return check_report();
}
