/* Task definitions: answers after registering, describe, deregister, lists. */
#include "tests/unit/api/taskdef_bodies.h"

#define ARN "arn:aws:ecs:us-east-1:123456789012:task-definition/"

/* ---- answers ---- */

static void test_plain(struct api_fixture *f)
{
    static const char want[] =
        "{\"taskDefinition\":{\"taskDefinitionArn\":\"" ARN "f:1\",\"containerDefinitions\":[{\"name\":\"c\",\"image\":\"i\",\"cpu\":0,"
        "\"memory\":128,\"portMappings\":[],\"essential\":true,\"environment\":[],\"mountPoints\":[],\"volumesFrom\":[],"
        "\"systemControls\":[]}],\"family\":\"f\",\"revision\":1,\"volumes\":[],\"status\":\"ACTIVE\",\"requiresAttributes\":"
        "[{\"name\":\"com.amazonaws.ecs.capability.docker-remote-api.1.18\"}],\"placementConstraints\":[],"
        "\"compatibilities\":[\"EXTERNAL\",\"EC2\"],\"registeredAt\":1700000000.000,"
        "\"registeredBy\":\"arn:aws:iam::123456789012:user/tester\"}}";
    CHECK_STR("registered", register_it(f, "", ""), str_from(want));
    fixture_check(f, "described", "DescribeTaskDefinition", "{\"taskDefinition\":\"f\"}", want);
}

/* Every member of a container, and every member of a task that can be beside them. */
#define RICH_CONTAINER \
    "{\"name\":\"web\",\"image\":\"example.com/web:1\",\"repositoryCredentials\":{\"credentialsParameter\":\"arn:aws:secretsmanager:x\"}," \
    "\"cpu\":100,\"memory\":256,\"memoryReservation\":128,\"links\":[\"side:s\"]," \
    "\"portMappings\":[{\"containerPort\":80,\"hostPort\":8080,\"protocol\":\"udp\",\"name\":\"http\",\"appProtocol\":\"http2\"}]," \
    "\"essential\":true,\"restartPolicy\":{\"enabled\":true,\"ignoredExitCodes\":[0,137],\"restartAttemptPeriod\":60}," \
    "\"entryPoint\":[\"/bin/sh\",\"-c\"],\"command\":[\"run\",\"\"],\"environment\":[{\"name\":\"A\",\"value\":\"\"},{\"name\":\"B\",\"value\":\"b\"}]," \
    "\"environmentFiles\":[{\"value\":\"arn:aws:s3:::bucket/x.env\",\"type\":\"s3\"}]," \
    "\"mountPoints\":[{\"sourceVolume\":\"data\",\"containerPath\":\"/data\",\"readOnly\":true}]," \
    "\"volumesFrom\":[{\"sourceContainer\":\"side\",\"readOnly\":false}]," \
    "\"linuxParameters\":{\"capabilities\":{\"add\":[\"SYS_PTRACE\"],\"drop\":[\"ALL\"]},\"devices\":[{\"hostPath\":\"/dev/fuse\"," \
    "\"containerPath\":\"/dev/fuse\",\"permissions\":[\"read\",\"mknod\"]}],\"initProcessEnabled\":true,\"sharedMemorySize\":64," \
    "\"tmpfs\":[{\"containerPath\":\"/tmp\",\"size\":16,\"mountOptions\":[\"noexec\"]}],\"maxSwap\":0,\"swappiness\":100}," \
    "\"secrets\":[{\"name\":\"S\",\"valueFrom\":\"arn:aws:secretsmanager:us-east-1:123456789012:secret:s\"}]," \
    "\"dependsOn\":[{\"containerName\":\"side\",\"condition\":\"HEALTHY\"}],\"startTimeout\":30,\"stopTimeout\":120," \
    "\"versionConsistency\":\"disabled\",\"hostname\":\"h\",\"user\":\"1000:1000\",\"workingDirectory\":\"/w\",\"disableNetworking\":false," \
    "\"privileged\":true,\"readonlyRootFilesystem\":true,\"dnsServers\":[\"10.0.0.1\"],\"dnsSearchDomains\":[\"example.com\"]," \
    "\"extraHosts\":[{\"hostname\":\"x\",\"ipAddress\":\"10.0.0.2\"}],\"dockerSecurityOptions\":[\"label:type:t\"],\"interactive\":true," \
    "\"pseudoTerminal\":false,\"dockerLabels\":{\"l\":\"v\"},\"ulimits\":[{\"name\":\"nofile\",\"softLimit\":1024,\"hardLimit\":2048}]," \
    "\"logConfiguration\":{\"logDriver\":\"json-file\",\"options\":{\"max-size\":\"10m\"},\"secretOptions\":[{\"name\":\"t\",\"valueFrom\":\"p\"}]}," \
    "\"healthCheck\":{\"command\":[\"CMD-SHELL\",\"true\"],\"interval\":5,\"timeout\":2,\"retries\":1,\"startPeriod\":0}," \
    "\"systemControls\":[{\"namespace\":\"net.core.somaxconn\",\"value\":\"1024\"}]," \
    "\"resourceRequirements\":[{\"value\":\"2\",\"type\":\"GPU\"}],\"firelensConfiguration\":{\"type\":\"fluentbit\",\"options\":{\"a\":\"b\"}}," \
    "\"credentialSpecs\":[\"credentialspec:arn\"]}"
#define SIDE_GIVEN \
    "{\"name\":\"side\",\"image\":\"s\",\"memory\":64,\"healthCheck\":{\"command\":[\"CMD\",\"true\"]},\"logConfiguration\":{\"logDriver\":\"syslog\"}," \
    "\"restartPolicy\":{\"enabled\":false},\"portMappings\":[{\"containerPort\":9},{\"containerPortRange\":\"10-12\"}]}"
#define SIDE_SHOWN \
    "{\"name\":\"side\",\"image\":\"s\",\"cpu\":0,\"memory\":64,\"portMappings\":[{\"containerPort\":9,\"hostPort\":0,\"protocol\":\"tcp\"}," \
    "{\"protocol\":\"tcp\",\"containerPortRange\":\"10-12\"}],\"essential\":true,\"restartPolicy\":{\"enabled\":false," \
    "\"restartAttemptPeriod\":300},\"environment\":[],\"mountPoints\":[],\"volumesFrom\":[],\"logConfiguration\":{\"logDriver\":\"syslog\"}," \
    "\"healthCheck\":{\"command\":[\"CMD\",\"true\"],\"interval\":30,\"timeout\":5,\"retries\":3},\"systemControls\":[]}"
#define RICH_VOLUMES \
    "[{\"name\":\"data\",\"host\":{\"sourcePath\":\"/srv\"}},{\"name\":\"docker\",\"dockerVolumeConfiguration\":{\"scope\":\"shared\"," \
    "\"autoprovision\":true,\"driver\":\"local\",\"driverOpts\":{\"o\":\"p\"},\"labels\":{\"l\":\"m\"}}},{\"name\":\"empty\",\"host\":{}}]"
#define RICH_CONSTRAINTS "[{\"type\":\"memberOf\",\"expression\":\"attribute:ecs.os-type == linux\"}]"

static struct str rich_body(struct api_fixture *f)
{
    return arena_printf(&f->kept,
                        "{\"family\":\"rich\",\"taskRoleArn\":\"worker\",\"executionRoleArn\":\"arn:aws:iam::1:role/path/r\","
                        "\"networkMode\":\"bridge\",\"containerDefinitions\":[" RICH_CONTAINER "," SIDE_GIVEN "],\"volumes\":" RICH_VOLUMES ","
                        "\"placementConstraints\":" RICH_CONSTRAINTS ",\"requiresCompatibilities\":[\"EC2\",\"EXTERNAL\"],\"cpu\":\"1 vCPU\","
                        "\"memory\":\"0.5 GB\",\"tags\":[{\"key\":\"k\",\"value\":\"v\"}],\"pidMode\":\"task\",\"ipcMode\":\"none\","
                        "\"ephemeralStorage\":{\"sizeInGiB\":21},\"runtimePlatform\":{\"cpuArchitecture\":\"ARM64\","
                        "\"operatingSystemFamily\":\"LINUX\"},\"enableFaultInjection\":false,\"revision\":77,\"status\":\"INACTIVE\"}");
}

static void test_rich(struct api_fixture *f)
{
    static const struct { const char *path, *want; } rows[] = {
        { "taskDefinition.taskDefinitionArn",        ARN "rich:1" },
        { "taskDefinition.containerDefinitions[0]",  RICH_CONTAINER },
        { "taskDefinition.containerDefinitions[1]",  SIDE_SHOWN },
        { "taskDefinition.family",                   "rich" },
        { "taskDefinition.taskRoleArn",              "arn:aws:iam::123456789012:role/worker" },
        { "taskDefinition.executionRoleArn",         "arn:aws:iam::1:role/path/r" },
        { "taskDefinition.networkMode",              "bridge" },
        { "taskDefinition.revision",                 "1" },
        { "taskDefinition.volumes",                  RICH_VOLUMES },
        { "taskDefinition.status",                   "ACTIVE" },
        { "taskDefinition.placementConstraints",     RICH_CONSTRAINTS },
        { "taskDefinition.compatibilities",          "[\"EXTERNAL\",\"EC2\"]" },
        { "taskDefinition.runtimePlatform",          "{\"cpuArchitecture\":\"ARM64\",\"operatingSystemFamily\":\"LINUX\"}" },
        { "taskDefinition.requiresCompatibilities",  "[\"EC2\",\"EXTERNAL\"]" },
        { "taskDefinition.cpu",                      "1024" },
        { "taskDefinition.memory",                   "512" },
        { "taskDefinition.pidMode",                  "task" },
        { "taskDefinition.ipcMode",                  "none" },
        { "taskDefinition.ephemeralStorage",         "{\"sizeInGiB\":21}" },
        { "taskDefinition.enableFaultInjection",     "false" },
        { "taskDefinition.inferenceAccelerators",    NULL },
        { "taskDefinition.proxyConfiguration",       NULL },
        { "taskDefinition.deregisteredAt",           NULL },
        { "tags",                                    "[{\"key\":\"k\",\"value\":\"v\"}]" },
    };
    struct str registered = fixture_call_str(f, "RegisterTaskDefinition", rich_body(f));
    struct str described = fixture_call(f, "DescribeTaskDefinition", "{\"taskDefinition\":\"rich:1\",\"include\":[\"TAGS\"]}");
    CHECK_STR("describe gives the answer of registering", described, registered);
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        CHECK_STR(rows[r].path, fixture_at(f, described, rows[r].path), str_from(rows[r].want));
    }
    struct str plain = fixture_call(f, "DescribeTaskDefinition", "{\"taskDefinition\":\"rich:1\"}");
    CHECK("tags only when asked for", !str_is_set(fixture_at(f, plain, "tags")));
}

/* One small definition per row: a member that is filled in. */
static void test_fill(struct api_fixture *f)
{
    static const struct { const char *row, *task, *container, *path, *want; } rows[] = {
        { "awsvpc gives the host port", ",\"networkMode\":\"awsvpc\"", ",\"portMappings\":[{\"containerPort\":80}]",
          "taskDefinition.containerDefinitions[0].portMappings", "[{\"containerPort\":80,\"hostPort\":80,\"protocol\":\"tcp\"}]" },
        { "host gives the host port", ",\"networkMode\":\"host\"", ",\"portMappings\":[{\"containerPort\":80,\"hostPort\":80}]",
          "taskDefinition.containerDefinitions[0].portMappings", "[{\"containerPort\":80,\"hostPort\":80,\"protocol\":\"tcp\"}]" },
        { "no network mode stays so", "", ",\"portMappings\":[{\"containerPort\":80,\"protocol\":\"udp\"}]",
          "taskDefinition.containerDefinitions[0].portMappings", "[{\"containerPort\":80,\"hostPort\":0,\"protocol\":\"udp\"}]" },
        { "no network mode is shown", "", "", "taskDefinition.networkMode", NULL },
        { "half a CPU", ",\"cpu\":\".5 vcpu\"", "", "taskDefinition.cpu", "512" },
        { "plain CPU units", ",\"cpu\":\"2048\"", "", "taskDefinition.cpu", "2048" },
        { "gigabytes", ",\"memory\":\"1GB\"", "", "taskDefinition.memory", "1024" },
        { "a volume in EFS", ",\"volumes\":[{\"name\":\"v\",\"efsVolumeConfiguration\":{\"fileSystemId\":\"fs\"}}]", "",
          "taskDefinition.volumes[0].efsVolumeConfiguration.rootDirectory", "/" },
        { "a directory in EFS", ",\"volumes\":[{\"name\":\"v\",\"efsVolumeConfiguration\":{\"fileSystemId\":\"fs\",\"rootDirectory\":\"/d\"}}]",
          "", "taskDefinition.volumes[0].efsVolumeConfiguration.rootDirectory", "/d" },
        { "a volume of Docker", ",\"volumes\":[{\"name\":\"v\",\"dockerVolumeConfiguration\":{\"driver\":\"x\"}}]", "",
          "taskDefinition.volumes[0].dockerVolumeConfiguration", "{\"scope\":\"task\",\"driver\":\"x\"}" },
        { "not essential", "", ",\"essential\":true", "taskDefinition.containerDefinitions[0].essential", "true" },
        { "GPUs stay as they were given", "", ",\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":\"ALL\"}]",
          "taskDefinition.containerDefinitions[0].resourceRequirements", "[{\"value\":\"ALL\",\"type\":\"GPU\"}]" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str reply = register_it(f, rows[r].task, rows[r].container);
        CHECK_STR(rows[r].row, fixture_at(f, reply, rows[r].path), str_from(rows[r].want));
        if (f->code != ERR_NONE) { fprintf(stderr, STR_FMT "\n", STR_ARG(reply)); }
    }
}

/* ---- compatibilities and attributes ---- */

static void test_compatibilities(struct api_fixture *f)
{
    static const struct { const char *row, *task, *container, *want; } rows[] = {
        { "bridge", ",\"networkMode\":\"bridge\"", "", "[\"EXTERNAL\",\"EC2\"]" },
        { "none",   ",\"networkMode\":\"none\"", "", "[\"EXTERNAL\",\"EC2\"]" },
        { "host",   ",\"networkMode\":\"host\"", "", "[\"EXTERNAL\",\"EC2\"]" },
        { "host with a size", ",\"networkMode\":\"host\",\"cpu\":\"256\",\"memory\":\"512\"", "", "[\"EXTERNAL\",\"EC2\",\"MANAGED_INSTANCES\"]" },
        { "awsvpc", ",\"networkMode\":\"awsvpc\"", "", "[\"EC2\"]" },
        { "awsvpc with a size", FARGATE_TASK, "", "[\"EC2\",\"FARGATE\",\"MANAGED_INSTANCES\"]" },
        { "awsvpc with another size", ",\"networkMode\":\"awsvpc\",\"cpu\":\"300\",\"memory\":\"512\"", "", "[\"EC2\",\"MANAGED_INSTANCES\"]" },
        { "a GPU excludes Fargate", FARGATE_TASK, ",\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":\"1\"}]", "[\"EC2\",\"MANAGED_INSTANCES\"]" },
        { "a GPU does not exclude EXTERNAL", "", ",\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":\"1\"}]", "[\"EXTERNAL\",\"EC2\"]" },
        { "privileged excludes Fargate", FARGATE_TASK, ",\"privileged\":true", "[\"EC2\",\"MANAGED_INSTANCES\"]" },
        { "EFS excludes EXTERNAL", ",\"volumes\":[{\"name\":\"v\",\"efsVolumeConfiguration\":{\"fileSystemId\":\"fs\"}}]", "", "[\"EC2\"]" },
        { "a volume at launch excludes EXTERNAL", ",\"volumes\":[{\"name\":\"v\",\"configuredAtLaunch\":true}]", "", "[\"EC2\"]" },
        { "a required compatibility changes nothing", ",\"requiresCompatibilities\":[\"EC2\"]", "", "[\"EXTERNAL\",\"EC2\"]" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str reply = register_it(f, rows[r].task, rows[r].container);
        CHECK_STR(rows[r].row, fixture_at(f, reply, "taskDefinition.compatibilities"), str_from(rows[r].want));
    }
}

#define OLD "com.amazonaws.ecs.capability."
#define NEW "ecs.capability."

/* The names of the attributes behind docker-remote-api.1.18, which every definition asks for. */
static void test_attributes(struct api_fixture *f)
{
    static const struct { const char *row, *task, *container, *want; } rows[] = {
        { "nothing", "", "", "" },
        { "a GPU", "", ",\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":\"1\"}]", "" },
        { "json-file", "", ",\"logConfiguration\":{\"logDriver\":\"json-file\"}", OLD "logging-driver.json-file " },
        { "json-file with options", "", ",\"logConfiguration\":{\"logDriver\":\"json-file\",\"options\":{\"a\":\"b\"}}",
          OLD "logging-driver.json-file " OLD "docker-remote-api.1.19 " },
        { "journald", "", ",\"logConfiguration\":{\"logDriver\":\"journald\"}", OLD "logging-driver.journald " OLD "docker-remote-api.1.19 " },
        { "gelf", "", ",\"logConfiguration\":{\"logDriver\":\"gelf\"}", OLD "logging-driver.gelf " OLD "docker-remote-api.1.20 " },
        { "splunk", "", ",\"logConfiguration\":{\"logDriver\":\"splunk\"}", OLD "logging-driver.splunk " OLD "docker-remote-api.1.22 " },
        { "awslogs", ROLE, ",\"logConfiguration\":{\"logDriver\":\"awslogs\",\"options\":{\"awslogs-region\":\"r\",\"awslogs-group\":\"g\"}}",
          OLD "logging-driver.awslogs " OLD "docker-remote-api.1.19 " NEW "execution-role-awslogs " },
        { "awsfirelens", "", ",\"logConfiguration\":{\"logDriver\":\"awsfirelens\",\"options\":{\"log-driver-buffer-limit\":\"1\"}}",
          OLD "logging-driver.awsfirelens " OLD "docker-remote-api.1.19 " NEW "logging-driver.awsfirelens.log-driver-buffer-limit " },
        { "log secrets", ROLE, ",\"logConfiguration\":{\"logDriver\":\"json-file\",\"secretOptions\":[{\"name\":\"a\",\"valueFrom\":\"p\"},"
          "{\"name\":\"b\",\"valueFrom\":\"arn:aws:secretsmanager:r:1:secret:s\"}]}",
          OLD "logging-driver.json-file " NEW "secrets.ssm.bootstrap.log-driver " NEW "secrets.asm.bootstrap.log-driver " },
        { "firelens", "", ",\"user\":\"1\",\"firelensConfiguration\":{\"type\":\"fluentd\",\"options\":{\"config-file-type\":\"s3\"}}",
          NEW "firelens.fluentd " NEW "firelens.options.config.s3 " NEW "firelens.non-root-user " },
        { "firelens with a file", "", ",\"firelensConfiguration\":{\"type\":\"fluentbit\",\"options\":{\"config-file-type\":\"file\"}}",
          NEW "firelens.fluentbit " NEW "firelens.options.config.file " },
        { "repository credentials", "", ",\"repositoryCredentials\":{\"credentialsParameter\":\"arn\"}",
          NEW "private-registry-authentication.secretsmanager " },
        { "awsvpc", ",\"networkMode\":\"awsvpc\"", "", NEW "task-eni " },
        { "a task role", ",\"taskRoleArn\":\"r\"", "", OLD "task-iam-role " },
        { "a task role on the host", ",\"taskRoleArn\":\"r\",\"networkMode\":\"host\"", "", OLD "task-iam-role " OLD "task-iam-role-network-host " },
        { "task memory", ",\"memory\":\"512\"", "", NEW "task-cpu-mem-limit " },
        { "ten CPUs", ",\"cpu\":\"10240\"", "", NEW "task-cpu-mem-limit " },
        { "more than ten CPUs", ",\"cpu\":\"10241\"", "", NEW "task-cpu-mem-limit " NEW "increased-task-cpu-limit " },
        { "a size for Fargate only", FARGATE_TASK ",\"requiresCompatibilities\":[\"FARGATE\"]", "", NEW "task-eni " },
        { "a health check", "", ",\"healthCheck\":{\"command\":[\"CMD\",\"x\"]}", NEW "container-health-check " OLD "docker-remote-api.1.24 " },
        { "secrets", ROLE, ",\"secrets\":[{\"name\":\"a\",\"valueFrom\":\"/p\"},{\"name\":\"b\",\"valueFrom\":\"arn:aws:secretsmanager:r:1:secret:s\"}]",
          NEW "secrets.ssm.environment-variables " NEW "secrets.asm.environment-variables " },
        { "environment files", "", ",\"environmentFiles\":[{\"type\":\"s3\",\"value\":\"arn:aws:s3:::b/x.env\"}]", NEW "env-files.s3 " },
        { "pidMode", ",\"pidMode\":\"host\"", "", NEW "pid-ipc-namespace-sharing " },
        { "ipcMode", ",\"ipcMode\":\"task\"", "", NEW "pid-ipc-namespace-sharing " },
        { "privileged", "", ",\"privileged\":true", OLD "privileged-container " },
        { "security options", "", ",\"dockerSecurityOptions\":[\"label:a\",\"apparmor:b\",\"credentialspec:c\"]", OLD "selinux " OLD "apparmor " NEW "gmsa " },
        { "a credential spec", "", ",\"credentialSpecs\":[\"credentialspecdomainless:arn\"]", NEW "gmsa-domainless " },
        { "a Docker volume", VOLUME("\"dockerVolumeConfiguration\":{\"driver\":\"rexray\"}"), "", NEW "docker-plugin.rexray " },
        { "EFS", VOLUME("\"efsVolumeConfiguration\":{\"fileSystemId\":\"x\"}"), "", NEW "efs " },
        { "EFS, encrypted", VOLUME("\"efsVolumeConfiguration\":{\"fileSystemId\":\"x\",\"transitEncryption\":\"ENABLED\"}"), "", NEW "efs " NEW "efsAuth " },
        { "FSx", VOLUME("\"fsxWindowsFileServerVolumeConfiguration\":{\"fileSystemId\":\"x\",\"rootDirectory\":\"d\","
          "\"authorizationConfig\":{\"credentialsParameter\":\"c\",\"domain\":\"d\"}}"), "", NEW "fsxWindowsFileServer " },
        { "S3 Files", VOLUME("\"s3filesVolumeConfiguration\":{\"fileSystemArn\":\"arn\"}"), "", NEW "storage.s3-files " },
        { "a volume at launch", VOLUME("\"configuredAtLaunch\":true"), "", NEW "storage.ebs-task-volume-attach " },
        { "a port range", "", ",\"portMappings\":[{\"containerPortRange\":\"1-2\"}]", NEW "network.container-port-range " },
        { "a restart policy", "", ",\"restartPolicy\":{\"enabled\":true}", NEW "container-restart-policy " },
        { "fault injection", ",\"enableFaultInjection\":true", "", NEW "fault-injection " },
        { "an init process", "", ",\"linuxParameters\":{\"initProcessEnabled\":true}", OLD "docker-remote-api.1.25 " },
        { "shared memory", "", ",\"linuxParameters\":{\"sharedMemorySize\":64}", OLD "docker-remote-api.1.22 " },
        { "limits and labels", "", ",\"ulimits\":[{\"name\":\"cpu\",\"softLimit\":1,\"hardLimit\":1}],\"dockerLabels\":{\"a\":\"b\"}", "" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str reply = register_it(f, rows[r].task, rows[r].container);
        struct buf names = buf_in(&f->kept);
        CHECK_STR(rows[r].row, fixture_at(f, reply, "taskDefinition.requiresAttributes[0].name"), STR(OLD "docker-remote-api.1.18"));
        for (int a = 1; a < 20; a++) {
            char path[64];
            snprintf(path, sizeof path, "taskDefinition.requiresAttributes[%d].name", a);
            struct str name = fixture_at(f, reply, path);
            if (!str_is_set(name)) { break; }
            buf_printf(&names, STR_FMT " ", STR_ARG(name));
        }
        CHECK_STR(rows[r].row, buf_str(&names), str_from(rows[r].want));
        if (f->code != ERR_NONE) { fprintf(stderr, STR_FMT "\n", STR_ARG(reply)); }
    }
}

static void test_attributes_of_images(struct api_fixture *f)
{
    static const struct { const char *row, *image, *task, *want; } rows[] = {
        { "a registry of ECR", "123456789012.dkr.ecr.us-east-1.amazonaws.com/a:1", "", OLD "ecr-auth" },
        { "with a role", "123456789012.dkr.ecr.us-east-1.amazonaws.com/a:1", ROLE, OLD "ecr-auth" },
        { "not a registry", "a/b.dkr.ecr.c", "", NULL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str body = arena_printf(&f->kept, "{\"family\":\"f\",\"containerDefinitions\":[{\"name\":\"c\",\"image\":\"%s\",\"memory\":9}]%s}",
                                       rows[r].image, rows[r].task);
        struct str reply = fixture_call_str(f, "RegisterTaskDefinition", body);
        CHECK_STR(rows[r].row, fixture_at(f, reply, "taskDefinition.requiresAttributes[1].name"), str_from(rows[r].want));
        struct str third = fixture_at(f, reply, "taskDefinition.requiresAttributes[3].name");
        CHECK_STR(rows[r].row, third, rows[r].task[0] == '\0' ? (struct str){ 0 } : STR(NEW "execution-role-ecr-pull"));
    }
    struct str order = fixture_call_str(f, "RegisterTaskDefinition",
                                        pair_with(f, "", ",\"dependsOn\":[{\"containerName\":\"b\",\"condition\":\"START\"}]", ""));
    CHECK_STR("dependsOn", fixture_at(f, order, "taskDefinition.requiresAttributes[1].name"), STR(NEW "container-ordering"));
}

/* ---- describe, deregister ---- */

static void test_life(struct api_fixture *f)
{
    static const char gone[] = "ClientException: Unable to describe task definition.";
    fixture_check(f, "an unknown family", "DescribeTaskDefinition", "{\"taskDefinition\":\"f\"}", gone);
    for (int r = 0; r < 3; r++) { (void)register_it(f, "", ""); }
    static const struct { const char *row, *reference, *want; } found[] = {
        { "the family: its latest", "f", "3" },
        { "a revision", "f:2", "2" },
        { "an ARN", ARN "f:1", "1" },
        { "an ARN of a family", ARN "f", "3" },
    };
    for (size_t r = 0; r < COUNT_OF(found); r++) {
        struct str body = arena_printf(&f->kept, "{\"taskDefinition\":\"%s\"}", found[r].reference);
        struct str reply = fixture_call_str(f, "DescribeTaskDefinition", body);
        CHECK_STR(found[r].row, fixture_at(f, reply, "taskDefinition.revision"), str_from(found[r].want));
    }
    static const struct { const char *row, *operation, *reference, *want; } refused[] = {
        { "an unknown revision", "DescribeTaskDefinition", "f:4", gone },
        { "a revision that is no number", "DescribeTaskDefinition", "f:foo", "InvalidParameterException: Invalid revision number. Number: foo" },
        { "deregister a family", "DeregisterTaskDefinition", "f", "ClientException: Revision is missing." },
        { "deregister an unknown one", "DeregisterTaskDefinition", "f:4", gone },
        { "deregister a revision that is no number", "DeregisterTaskDefinition", "f:foo", "InvalidParameterException: Invalid revision number. Number: foo" },
    };
    for (size_t r = 0; r < COUNT_OF(refused); r++) {
        struct str body = arena_printf(&f->kept, "{\"taskDefinition\":\"%s\"}", refused[r].reference);
        CHECK_STR(refused[r].row, fixture_call_str(f, refused[r].operation, body), str_from(refused[r].want));
    }
}

static void test_deregister(struct api_fixture *f)
{
    f->now_ms += 1000;
    struct str first = fixture_call(f, "DeregisterTaskDefinition", "{\"taskDefinition\":\"f:3\"}");
    CHECK_STR("it is INACTIVE", fixture_at(f, first, "taskDefinition.status"), STR("INACTIVE"));
    CHECK_STR("since now", fixture_at(f, first, "taskDefinition.deregisteredAt"), STR("1700000001.0"));
    f->now_ms += 1000;
    CHECK_STR("twice is harmless", fixture_call(f, "DeregisterTaskDefinition", "{\"taskDefinition\":\"f:3\"}"), first);
    CHECK_STR("it can still be described", fixture_call(f, "DescribeTaskDefinition", "{\"taskDefinition\":\"f:3\"}"), first);

    struct str latest = fixture_call(f, "DescribeTaskDefinition", "{\"taskDefinition\":\"f\"}");
    CHECK_STR("the latest is now another", fixture_at(f, latest, "taskDefinition.revision"), STR("2"));
    (void)fixture_call(f, "DeregisterTaskDefinition", "{\"taskDefinition\":\"f:2\"}");
    (void)fixture_call(f, "DeregisterTaskDefinition", "{\"taskDefinition\":\"" ARN "f:1\"}");
    fixture_check(f, "no ACTIVE one is left", "DescribeTaskDefinition", "{\"taskDefinition\":\"f\"}",
                  "ClientException: Unable to describe task definition.");
    struct str next = register_it(f, "", "");
    CHECK_STR("a number is never used twice", fixture_at(f, next, "taskDefinition.revision"), STR("4"));
    CHECK_STR("it is registered now", fixture_at(f, next, "taskDefinition.registeredAt"), STR("1700000002.0"));
    struct str without = fixture_call(f, "DescribeTaskDefinition", "{\"taskDefinition\":\"f\",\"include\":[\"TAGS\"]}");
    CHECK_STR("no tags, asked for", fixture_at(f, without, "tags"), STR("[]"));
}

/* ---- lists ---- */

/* The items of all pages of a list, without the text before each name. */
static struct str list_all(struct api_fixture *f, const char *operation, const char *list, const char *members, int max_results, int *pages)
{
    struct buf names = buf_in(&f->kept);
    struct str token = { 0 }, before = { 0 };
    *pages = 0;
    do {
        struct str body = arena_printf(&f->kept, "{\"maxResults\":%d%s%s" STR_FMT "%s}", max_results, members,
                                       str_is_set(token) ? ",\"nextToken\":\"" : "", STR_ARG(token), str_is_set(token) ? "\"" : "");
        struct str reply = fixture_call_str(f, operation, body);
        for (int n = 0; n < 100; n++) {
            char path[64];
            snprintf(path, sizeof path, "%s[%d]", list, n);
            struct str name = fixture_at(f, reply, path);
            if (!str_is_set(name)) { break; }
            if (str_starts_with(name, STR(ARN))) { name = str_slice(name, sizeof ARN - 1, name.len); }
            buf_printf(&names, STR_FMT " ", STR_ARG(name));
        }
        before = token;
        token = fixture_at(f, reply, "nextToken");
        CHECK("a token is not repeated", !str_is_set(token) || !str_eq(token, before));
        *pages += 1;
    } while (str_is_set(token) && *pages < 30);
    return buf_str(&names);
}

static void fill_lists(struct api_fixture *f)
{
    static const struct { const char *family; int revisions; } families[] = { { "web", 2 }, { "api", 11 }, { "api-x", 1 }, { "old", 2 } };
    for (size_t r = 0; r < COUNT_OF(families); r++) {
        struct str body = arena_printf(&f->kept, "{\"family\":\"%s\",\"containerDefinitions\":[{\"name\":\"c\",\"image\":\"i\",\"memory\":9}]}",
                                       families[r].family);
        for (int n = 0; n < families[r].revisions; n++) { (void)fixture_call_str(f, "RegisterTaskDefinition", body); }
    }
    static const char *const gone[] = { "old:1", "old:2", "api:3" };
    for (size_t g = 0; g < COUNT_OF(gone); g++) {
        (void)fixture_call_str(f, "DeregisterTaskDefinition", arena_printf(&f->kept, "{\"taskDefinition\":\"%s\"}", gone[g]));
    }
}

#define API_UP   "api:1 api:2 api:4 api:5 api:6 api:7 api:8 api:9 api:10 api:11 "
#define API_DOWN "api:11 api:10 api:9 api:8 api:7 api:6 api:5 api:4 api:2 api:1 "

static void test_lists(struct api_fixture *f)
{
    fill_lists(f);
    static const struct { const char *row, *operation, *list, *members, *want; } rows[] = {
        { "ACTIVE ones, numbers as numbers", "ListTaskDefinitions", "taskDefinitionArns", "", API_UP "api-x:1 web:1 web:2 " },
        { "backwards", "ListTaskDefinitions", "taskDefinitionArns", ",\"sort\":\"DESC\"", "web:2 web:1 api-x:1 " API_DOWN },
        { "forwards", "ListTaskDefinitions", "taskDefinitionArns", ",\"sort\":\"ASC\",\"status\":\"ACTIVE\"", API_UP "api-x:1 web:1 web:2 " },
        { "one family, its whole name", "ListTaskDefinitions", "taskDefinitionArns", ",\"familyPrefix\":\"api\"", API_UP },
        { "one family backwards", "ListTaskDefinitions", "taskDefinitionArns", ",\"familyPrefix\":\"api\",\"sort\":\"DESC\"", API_DOWN },
        { "a prefix is no family", "ListTaskDefinitions", "taskDefinitionArns", ",\"familyPrefix\":\"ap\"", "" },
        { "an empty name asks for all", "ListTaskDefinitions", "taskDefinitionArns", ",\"familyPrefix\":\"\"", API_UP "api-x:1 web:1 web:2 " },
        { "INACTIVE ones", "ListTaskDefinitions", "taskDefinitionArns", ",\"status\":\"INACTIVE\"", "api:3 old:1 old:2 " },
        { "none are being deleted", "ListTaskDefinitions", "taskDefinitionArns", ",\"status\":\"DELETE_IN_PROGRESS\"", "" },
        { "families", "ListTaskDefinitionFamilies", "families", "", "api api-x old web " },
        { "all families", "ListTaskDefinitionFamilies", "families", ",\"status\":\"ALL\"", "api api-x old web " },
        { "ACTIVE families", "ListTaskDefinitionFamilies", "families", ",\"status\":\"ACTIVE\"", "api api-x web " },
        { "INACTIVE families", "ListTaskDefinitionFamilies", "families", ",\"status\":\"INACTIVE\"", "old " },
        { "families by prefix", "ListTaskDefinitionFamilies", "families", ",\"familyPrefix\":\"ap\"", "api api-x " },
        { "families by another prefix", "ListTaskDefinitionFamilies", "families", ",\"familyPrefix\":\"x\"", "" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        static const int sizes[] = { 1, 2, 3, 7, 100 };
        int names = 0;
        for (const char *c = rows[r].want; *c != '\0'; c++) { names += *c == ' '; }
        for (size_t s = 0; s < COUNT_OF(sizes); s++) {
            int pages;
            struct str got = list_all(f, rows[r].operation, rows[r].list, rows[r].members, sizes[s], &pages);
            CHECK_STR(rows[r].row, got, str_from(rows[r].want));
            CHECK_EQ(rows[r].row, pages, names == 0 ? 1 : (names + sizes[s] - 1) / sizes[s]);
        }
    }
}

static void test_lists_refused(struct api_fixture *f)
{
    static const struct { const char *row, *operation, *body, *want; } rows[] = {
        { "no page", "ListTaskDefinitions", "{\"maxResults\":0}", "InvalidParameterException: maxResults should be between 1 and 100, but was 0." },
        { "too large a page", "ListTaskDefinitionFamilies", "{\"maxResults\":101}",
          "InvalidParameterException: maxResults should be between 1 and 100, but was 101." },
        { "a made-up token", "ListTaskDefinitions", "{\"nextToken\":\"x\"}",
          "InvalidParameterException: Invalid token: nextToken must be the one that the page before gave." },
        { "an unknown status", "ListTaskDefinitions", "{\"status\":\"GONE\"}",
          "InvalidParameterException: status should be one of [ACTIVE,INACTIVE,DELETE_IN_PROGRESS], but was 'GONE'." },
        { "a status of the other list", "ListTaskDefinitions", "{\"status\":\"ALL\"}",
          "InvalidParameterException: status should be one of [ACTIVE,INACTIVE,DELETE_IN_PROGRESS], but was 'ALL'." },
        { "an unknown order", "ListTaskDefinitions", "{\"sort\":\"UP\"}",
          "InvalidParameterException: sort should be one of [ASC,DESC], but was 'UP'." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { fixture_check(f, rows[r].row, rows[r].operation, rows[r].body, rows[r].want); }
    struct str page = fixture_call(f, "ListTaskDefinitions", "{\"maxResults\":1}");
    struct str body = arena_printf(&f->kept, "{\"nextToken\":\"" STR_FMT "\"}", STR_ARG(fixture_at(f, page, "nextToken")));
    (void)fixture_call_str(f, "ListTaskDefinitionFamilies", body);
    CHECK_EQ("a token of the other list", f->code, ERR_INVALID_PARAMETER);
}

int main(void)
{
    static void (*const groups[][5])(struct api_fixture *) = {
        { test_plain },
        { test_rich, test_fill, test_compatibilities, test_attributes, test_attributes_of_images },
        { test_life, test_deregister },
        { test_lists, test_lists_refused },
    };
    for (size_t g = 0; g < COUNT_OF(groups); g++) {
        static struct api_fixture f;
        fixture_open(&f);
        for (size_t t = 0; t < COUNT_OF(groups[g]) && groups[g][t] != NULL; t++) { groups[g][t](&f); }
        fixture_close(&f);
    }
    return check_report();
}
