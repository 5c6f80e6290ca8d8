/* wire.c: the tables behind the messages of wire.h. Tags are 0 throughout: a message is printed and read, never stored. */
#include "wire/wire.h"

#include "model/gpu.h"

/* ---- the protocol's number ---- */

_Static_assert(PROTOCOL_OLDEST <= PROTOCOL_NEWEST && PROTOCOL_NEWEST <= PROTOCOL_MAX, "our own range of numbers");

enum protocol_fit protocol_fit(struct protocol_range ours, struct protocol_range theirs)
{
    ASSERT(ours.oldest <= ours.newest);                  /* theirs is from outside, and may be any two numbers */
    if (theirs.newest < ours.oldest) { return PROTOCOL_TOO_OLD; }
    return theirs.oldest > ours.newest ? PROTOCOL_TOO_NEW : PROTOCOL_FITS;
}

static bool check_other(const char *them, const char *us, const char *remedies[2], struct protocol_range range, struct str version, struct err *err)
{
    static const struct protocol_range own = { PROTOCOL_OLDEST, PROTOCOL_NEWEST };
    enum protocol_fit fit = protocol_fit(own, range);
    const char *open = version.len > 0 ? " (version " : "", *close = version.len > 0 ? ")" : "";
    version = str_slice(version, 0, 64);
    switch (fit) {
    case PROTOCOL_FITS:
        return true;
    case PROTOCOL_TOO_OLD:
        return err_set(err, ERR_CLIENT, "The %s%s" STR_FMT "%s is too old for this %s (version " BERTH_VERSION "): it speaks the agents' protocol up to number "
                       "%lld, and %d is the oldest that is understood here. %s", them, open, STR_ARG(version), close, us, (long long)range.newest,
                       PROTOCOL_OLDEST, remedies[0]);
    case PROTOCOL_TOO_NEW:
        return err_set(err, ERR_CLIENT, "The %s%s" STR_FMT "%s is too new for this %s (version " BERTH_VERSION "): it speaks the agents' protocol from number "
                       "%lld on, and %d is the newest that is understood here. %s", them, open, STR_ARG(version), close, us, (long long)range.oldest,
                       PROTOCOL_NEWEST, remedies[1]);
    }
    return true;
}

bool protocol_check_agent(struct protocol_range agent, struct str version, struct err *err)
{
    static const char *remedies[2] = { "Update the agent.", "Update the server." };
    return check_other("agent", "server", remedies, agent, version, err);
}

bool protocol_check_server(struct protocol_range server, struct str version, struct err *err)
{
    static const char *remedies[2] = { "Update the server.", "Update this agent." };
    return check_other("server", "agent", remedies, server, version, err);
}

/* ---- messages ---- */

#define AT(member) .offset = offsetof(struct poll_request, member)
static const struct field poll_request_fields[] = {
    { STR_INIT("cluster"),           0, FIELD_STR,  AT(cluster), .max = 2048 },
    { STR_INIT("containerInstance"), 0, FIELD_STR,  AT(container_instance), .required = true, .min = 1, .max = 2048 },
    { STR_INIT("session"),           0, FIELD_STR,  AT(session), .max = 128 },
    { STR_INIT("acks"),              0, FIELD_LIST, AT(acks), .element = FIELD_STR },
    { STR_INIT("stopCandidates"),    0, FIELD_LIST, AT(stop_candidates), .element = FIELD_STR },
    { STR_INIT("waitSeconds"),       0, FIELD_INT,  AT(wait_seconds), .max = 25 },
    { STR_INIT("leaseSeconds"),      0, FIELD_INT,  AT(lease_seconds), .max = INT32_MAX },
    { STR_INIT("checks"),            0, FIELD_LONG, AT(checks), .max = INT64_MAX },
    { STR_INIT("protocol"),          0, FIELD_INT,  AT(protocol), .max = PROTOCOL_MAX },
    { STR_INIT("oldestProtocol"),    0, FIELD_INT,  AT(oldest_protocol), .max = PROTOCOL_MAX },
};
#undef AT
const struct schema poll_request_schema = SCHEMA_OF("PollRequest", struct poll_request, poll_request_fields);

#define AT(member) .offset = offsetof(struct wire_association, member)
static const struct field wire_association_fields[] = {
    { STR_INIT("name"),       0, FIELD_STR,  AT(name) },
    { STR_INIT("type"),       0, FIELD_STR,  AT(type) },
    { STR_INIT("containers"), 0, FIELD_LIST, AT(containers), .element = FIELD_STR },
};
#undef AT
static const struct schema wire_association_schema = SCHEMA_OF("Association", struct wire_association, wire_association_fields);

#define AT(member) .offset = offsetof(struct wire_docker_config, member)
static const struct field wire_docker_config_fields[] = {
    { STR_INIT("config"),     0, FIELD_STR, AT(config) },
    { STR_INIT("hostConfig"), 0, FIELD_STR, AT(host_config) },
    { STR_INIT("version"),    0, FIELD_STR, AT(version) },
};
#undef AT
static const struct schema wire_docker_config_schema = SCHEMA_OF("DockerConfig", struct wire_docker_config, wire_docker_config_fields);

#define AT(member) .offset = offsetof(struct wire_asm_auth, member)
static const struct field wire_asm_auth_fields[] = {
    { STR_INIT("credentialsParameter"), 0, FIELD_STR, AT(credentials_parameter) },
    { STR_INIT("region"),               0, FIELD_STR, AT(region) },
};
#undef AT
static const struct schema wire_asm_auth_schema = SCHEMA_OF("ASMAuthData", struct wire_asm_auth, wire_asm_auth_fields);

#define AT(member) .offset = offsetof(struct wire_registry_auth, member)
static const struct field wire_registry_auth_fields[] = {
    { STR_INIT("type"),        0, FIELD_STR,    AT(type) },
    { STR_INIT("asmAuthData"), 0, FIELD_STRUCT, AT(asm_auth), .schema = &wire_asm_auth_schema },
};
#undef AT
static const struct schema wire_registry_auth_schema = SCHEMA_OF("RegistryAuthenticationData", struct wire_registry_auth, wire_registry_auth_fields);

#define AT(member) .offset = offsetof(struct wire_secret, member)
static const struct field wire_secret_fields[] = {
    { STR_INIT("name"),      0, FIELD_STR, AT(name), .required = true },
    { STR_INIT("valueFrom"), 0, FIELD_STR, AT(value_from), .required = true },
    { STR_INIT("region"),    0, FIELD_STR, AT(region) },
    { STR_INIT("provider"),  0, FIELD_STR, AT(provider), .required = true },
    { STR_INIT("type"),      0, FIELD_STR, AT(type) },
    { STR_INIT("target"),    0, FIELD_STR, AT(target) },
};
#undef AT
static const struct schema wire_secret_schema = SCHEMA_OF("Secret", struct wire_secret, wire_secret_fields);

#define AT(member) .offset = offsetof(struct wire_container, member)
static const struct field wire_container_fields[] = {
    { STR_INIT("name"),            0, FIELD_STR,    AT(name) },
    { STR_INIT("image"),           0, FIELD_STR,    AT(image) },
    { STR_INIT("containerArn"),    0, FIELD_STR,    AT(container_arn) },
    { STR_INIT("command"),         0, FIELD_LIST,   AT(command), .element = FIELD_STR },
    { STR_INIT("entryPoint"),      0, FIELD_LIST,   AT(entry_point), .element = FIELD_STR },
    { STR_INIT("links"),           0, FIELD_LIST,   AT(links), .element = FIELD_STR },
    { STR_INIT("cpu"),             0, FIELD_INT,    AT(cpu) },
    { STR_INIT("memory"),          0, FIELD_INT,    AT(memory) },
    { STR_INIT("essential"),       0, FIELD_BOOL,   AT(essential), .always = true },     /* the agent reads absent as false */
    { STR_INIT("environment"),     0, FIELD_MAP,    AT(environment) },
    { STR_INIT("environmentFiles"), 0, FIELD_LIST,  AT(environment_files), .element = FIELD_STRUCT, .schema = &environment_file_schema },
    { STR_INIT("secrets"),         0, FIELD_LIST,   AT(secrets), .element = FIELD_STRUCT, .schema = &wire_secret_schema },
    { STR_INIT("portMappings"),    0, FIELD_LIST,   AT(port_mappings), .element = FIELD_STRUCT, .schema = &port_mapping_schema },
    { STR_INIT("mountPoints"),     0, FIELD_LIST,   AT(mount_points), .element = FIELD_STRUCT, .schema = &mount_point_schema },
    { STR_INIT("volumesFrom"),     0, FIELD_LIST,   AT(volumes_from), .element = FIELD_STRUCT, .schema = &volume_from_schema },
    { STR_INIT("dependsOn"),       0, FIELD_LIST,   AT(depends_on), .element = FIELD_STRUCT, .schema = &container_dependency_schema },
    { STR_INIT("startTimeout"),    0, FIELD_INT,    AT(start_timeout) },
    { STR_INIT("stopTimeout"),     0, FIELD_INT,    AT(stop_timeout) },
    { STR_INIT("restartPolicy"),   0, FIELD_STRUCT, AT(restart_policy), .schema = &container_restart_policy_schema },
    { STR_INIT("overrides"),       0, FIELD_STR,    AT(overrides) },
    { STR_INIT("dockerConfig"),    0, FIELD_STRUCT, AT(docker_config), .schema = &wire_docker_config_schema },
    { STR_INIT("registryAuthentication"), 0, FIELD_STRUCT, AT(registry_authentication), .schema = &wire_registry_auth_schema },
    { STR_INIT("healthCheckType"), 0, FIELD_STR,    AT(health_check_type) },
    { STR_INIT("logsAuthStrategy"), 0, FIELD_STR,   AT(logs_auth_strategy) },
};
#undef AT
static const struct schema wire_container_schema = SCHEMA_OF("Container", struct wire_container, wire_container_fields);

#define AT(member) .offset = offsetof(struct wire_host_volume, member)
static const struct field wire_host_volume_fields[] = {
    { STR_INIT("sourcePath"), 0, FIELD_STR, AT(source_path) },
};
#undef AT
static const struct schema wire_host_volume_schema = SCHEMA_OF("HostVolume", struct wire_host_volume, wire_host_volume_fields);

#define AT(member) .offset = offsetof(struct wire_volume, member)
static const struct field wire_volume_fields[] = {
    { STR_INIT("name"),                      0, FIELD_STR,    AT(name) },
    { STR_INIT("type"),                      0, FIELD_STR,    AT(type) },
    { STR_INIT("host"),                      0, FIELD_STRUCT, AT(host), .schema = &wire_host_volume_schema },
    { STR_INIT("dockerVolumeConfiguration"), 0, FIELD_STRUCT, AT(docker), .schema = &docker_volume_configuration_schema },
};
#undef AT
static const struct schema wire_volume_schema = SCHEMA_OF("Volume", struct wire_volume, wire_volume_fields);

#define AT(member) .offset = offsetof(struct wire_role_credentials, member)
static const struct field wire_role_credentials_fields[] = {
    { STR_INIT("credentialsId"),   0, FIELD_STR, AT(credentials_id), .required = true, .min = 1 },
    { STR_INIT("roleArn"),         0, FIELD_STR, AT(role_arn) },
    { STR_INIT("accessKeyId"),     0, FIELD_STR, AT(access_key_id) },
    { STR_INIT("secretAccessKey"), 0, FIELD_STR, AT(secret_access_key) },
    { STR_INIT("sessionToken"),    0, FIELD_STR, AT(session_token) },
    { STR_INIT("expiration"),      0, FIELD_STR, AT(expiration) },
    { STR_INIT("credentialScope"), 0, FIELD_STR, AT(credential_scope) },
};
#undef AT
const struct schema wire_role_credentials_schema =
    SCHEMA_OF("IAMRoleCredentials", struct wire_role_credentials, wire_role_credentials_fields);

#define AT(member) .offset = offsetof(struct wire_role_message, member)
static const struct field wire_role_message_fields[] = {
    { STR_INIT("messageId"),       0, FIELD_STR,    AT(message_id), .required = true },
    { STR_INIT("taskArn"),         0, FIELD_STR,    AT(task_arn), .required = true },
    { STR_INIT("taskClusterArn"),  0, FIELD_STR,    AT(task_cluster_arn) },
    { STR_INIT("roleType"),        0, FIELD_STR,    AT(role_type), .required = true },
    { STR_INIT("roleCredentials"), 0, FIELD_STRUCT, AT(role_credentials), .required = true, .schema = &wire_role_credentials_schema },
};
#undef AT
const struct schema wire_role_message_schema = SCHEMA_OF("IAMRoleCredentialsMessage", struct wire_role_message, wire_role_message_fields);

#define AT(member) .offset = offsetof(struct wire_interface, member)
static const struct field wire_interface_fields[] = {
    { STR_INIT("attachmentArn"), 0, FIELD_STR, AT(attachment_arn) },
};
#undef AT
static const struct schema wire_interface_schema = SCHEMA_OF("ElasticNetworkInterface", struct wire_interface, wire_interface_fields);

#define AT(member) .offset = offsetof(struct wire_task, member)
static const struct field wire_task_fields[] = {
    { STR_INIT("arn"),                     0, FIELD_STR,    AT(arn), .required = true },
    { STR_INIT("taskClusterArn"),          0, FIELD_STR,    AT(task_cluster_arn) },
    { STR_INIT("family"),                  0, FIELD_STR,    AT(family) },
    { STR_INIT("version"),                 0, FIELD_STR,    AT(version) },
    { STR_INIT("desiredStatus"),           0, FIELD_STR,    AT(desired_status), .required = true },
    { STR_INIT("overrides"),               0, FIELD_STR,    AT(overrides) },
    { STR_INIT("networkMode"),             0, FIELD_STR,    AT(network_mode) },
    { STR_INIT("pidMode"),                 0, FIELD_STR,    AT(pid_mode) },
    { STR_INIT("ipcMode"),                 0, FIELD_STR,    AT(ipc_mode) },
    { STR_INIT("launchType"),              0, FIELD_STR,    AT(launch_type) },
    { STR_INIT("group"),                   0, FIELD_STR,    AT(group) },
    { STR_INIT("cpu"),                     0, FIELD_DOUBLE, AT(cpu) },
    { STR_INIT("memory"),                  0, FIELD_LONG,   AT(memory) },
    { STR_INIT("associations"),            0, FIELD_LIST,   AT(associations), .element = FIELD_STRUCT, .schema = &wire_association_schema },
    { STR_INIT("elasticNetworkInterfaces"), 0, FIELD_LIST,  AT(interfaces), .element = FIELD_STRUCT, .schema = &wire_interface_schema },
    { STR_INIT("volumes"),                 0, FIELD_LIST,   AT(volumes), .element = FIELD_STRUCT, .schema = &wire_volume_schema },
    { STR_INIT("containers"),              0, FIELD_LIST,   AT(containers), .element = FIELD_STRUCT, .schema = &wire_container_schema },
    { STR_INIT("taskDefinitionAccountId"), 0, FIELD_STR,    AT(task_definition_account_id) },
    { STR_INIT("roleCredentials"),         0, FIELD_STRUCT, AT(role_credentials), .schema = &wire_role_credentials_schema },
    { STR_INIT("executionRoleCredentials"), 0, FIELD_STRUCT, AT(execution_role_credentials), .schema = &wire_role_credentials_schema },
};
#undef AT
static const struct schema wire_task_schema = SCHEMA_OF("Task", struct wire_task, wire_task_fields);

#define AT(member) .offset = offsetof(struct wire_payload, member)
static const struct field wire_payload_fields[] = {
    { STR_INIT("clusterArn"),           0, FIELD_STR,  AT(cluster_arn), .required = true },
    { STR_INIT("containerInstanceArn"), 0, FIELD_STR,  AT(container_instance_arn), .required = true },
    { STR_INIT("messageId"),            0, FIELD_STR,  AT(message_id), .required = true },
    { STR_INIT("generatedAt"),          0, FIELD_LONG, AT(generated_at) },
    { STR_INIT("seqNum"),               0, FIELD_LONG, AT(seq_num) },
    { STR_INIT("timeline"),             0, FIELD_LONG, AT(timeline) },
    { STR_INIT("tasks"),                0, FIELD_LIST, AT(tasks), .element = FIELD_STRUCT, .schema = &wire_task_schema },
};
#undef AT
const struct schema wire_payload_schema = SCHEMA_OF("PayloadMessage", struct wire_payload, wire_payload_fields);

#define AT(member) .offset = offsetof(struct wire_heartbeat, member)
static const struct field wire_heartbeat_fields[] = {
    { STR_INIT("messageId"), 0, FIELD_STR,  AT(message_id) },
    { STR_INIT("healthy"),   0, FIELD_BOOL, AT(healthy), .always = true },
};
#undef AT
const struct schema wire_heartbeat_schema = SCHEMA_OF("HeartbeatMessage", struct wire_heartbeat, wire_heartbeat_fields);

#define AT(member) .offset = offsetof(struct wire_manifest_task, member)
static const struct field wire_manifest_task_fields[] = {
    { STR_INIT("taskArn"),        0, FIELD_STR, AT(task_arn), .required = true },
    { STR_INIT("taskClusterArn"), 0, FIELD_STR, AT(task_cluster_arn) },
    { STR_INIT("desiredStatus"),  0, FIELD_STR, AT(desired_status), .required = true },
};
#undef AT
static const struct schema wire_manifest_task_schema = SCHEMA_OF("TaskIdentifier", struct wire_manifest_task, wire_manifest_task_fields);

#define AT(member) .offset = offsetof(struct wire_manifest, member)
static const struct field wire_manifest_fields[] = {
    { STR_INIT("clusterArn"),           0, FIELD_STR,  AT(cluster_arn), .required = true },
    { STR_INIT("containerInstanceArn"), 0, FIELD_STR,  AT(container_instance_arn), .required = true },
    { STR_INIT("messageId"),            0, FIELD_STR,  AT(message_id), .required = true },
    { STR_INIT("generatedAt"),          0, FIELD_LONG, AT(generated_at) },
    { STR_INIT("timeline"),             0, FIELD_LONG, AT(timeline) },
    { STR_INIT("tasks"),                0, FIELD_LIST, AT(tasks), .element = FIELD_STRUCT, .schema = &wire_manifest_task_schema },
};
#undef AT
const struct schema wire_manifest_schema = SCHEMA_OF("TaskManifestMessage", struct wire_manifest, wire_manifest_fields);

#define AT(member) .offset = offsetof(struct wire_stop_ack, member)
static const struct field wire_stop_ack_fields[] = {
    { STR_INIT("messageId"),   0, FIELD_STR,  AT(message_id), .required = true },
    { STR_INIT("generatedAt"), 0, FIELD_LONG, AT(generated_at) },
    { STR_INIT("stopTasks"),   0, FIELD_LIST, AT(stop_tasks), .element = FIELD_STRUCT, .schema = &wire_manifest_task_schema },
};
#undef AT
const struct schema wire_stop_ack_schema = SCHEMA_OF("TaskStopVerificationAck", struct wire_stop_ack, wire_stop_ack_fields);

#define AT(member) .offset = offsetof(struct pull_news, member)
static const struct field pull_news_fields[] = {
    { STR_INIT("image"),      0, FIELD_STR,  AT(image), .required = true, .min = 1, .max = 1024 },
    { STR_INIT("layers"),     0, FIELD_LONG, AT(layers), .max = INT64_MAX },
    { STR_INIT("layersDone"), 0, FIELD_LONG, AT(layers_done), .max = INT64_MAX },
    { STR_INIT("bytes"),      0, FIELD_LONG, AT(bytes), .max = INT64_MAX },
    { STR_INIT("bytesKnown"), 0, FIELD_LONG, AT(bytes_known), .max = INT64_MAX },
};
#undef AT
static const struct schema pull_news_schema = SCHEMA_OF("PullNews", struct pull_news, pull_news_fields);

#define AT(member) .offset = offsetof(struct pull_report, member)
static const struct field pull_report_fields[] = {
    { STR_INIT("cluster"),           0, FIELD_STR,  AT(cluster), .max = 2048 },
    { STR_INIT("containerInstance"), 0, FIELD_STR,  AT(container_instance), .required = true, .min = 1, .max = 2048 },
    { STR_INIT("pulls"),             0, FIELD_LIST, AT(pulls), .element = FIELD_STRUCT, .schema = &pull_news_schema, .max = PULLS_TOLD_MAX },
};
#undef AT
const struct schema pull_report_schema = SCHEMA_OF("PullReport", struct pull_report, pull_report_fields);

#define AT(member) .offset = offsetof(struct own_log_report, member)
static const struct field own_log_report_fields[] = {
    { STR_INIT("cluster"),           0, FIELD_STR, AT(cluster), .max = 2048 },
    { STR_INIT("containerInstance"), 0, FIELD_STR, AT(container_instance), .required = true, .min = 1, .max = 2048 },
    { STR_INIT("text"),              0, FIELD_STR, AT(text), .max = OWN_LOG_TEXT_MAX },
};
#undef AT
const struct schema own_log_report_schema = SCHEMA_OF("OwnLogReport", struct own_log_report, own_log_report_fields);

#define AT(member) .offset = offsetof(struct wire_pull_image, member)
static const struct field wire_pull_image_fields[] = {
    { STR_INIT("image"),                  0, FIELD_STR,    AT(image), .required = true, .min = 1 },
    { STR_INIT("registryAuthentication"), 0, FIELD_STRUCT, AT(registry_authentication), .schema = &wire_registry_auth_schema },
};
#undef AT
static const struct schema wire_pull_image_schema = SCHEMA_OF("PullImage", struct wire_pull_image, wire_pull_image_fields);

#define AT(member) .offset = offsetof(struct wire_pull, member)
static const struct field wire_pull_fields[] = {
    { STR_INIT("service"),  0, FIELD_LONG, AT(service), .required = true },
    { STR_INIT("revision"), 0, FIELD_LONG, AT(revision), .required = true },
    { STR_INIT("images"),   0, FIELD_LIST, AT(images), .element = FIELD_STRUCT, .schema = &wire_pull_image_schema, .max = WIRE_PULL_IMAGES_MAX },
};
#undef AT
static const struct schema wire_pull_schema = SCHEMA_OF("Pull", struct wire_pull, wire_pull_fields);

#define AT(member) .offset = offsetof(struct wire_pulls, member)
static const struct field wire_pulls_fields[] = {
    { STR_INIT("messageId"), 0, FIELD_STR,  AT(message_id), .required = true },
    { STR_INIT("pulls"),     0, FIELD_LIST, AT(pulls), .element = FIELD_STRUCT, .schema = &wire_pull_schema, .max = WIRE_PULLS_MAX },
};
#undef AT
const struct schema wire_pulls_schema = SCHEMA_OF("BerthPullsMessage", struct wire_pulls, wire_pulls_fields);

#define AT(member) .offset = offsetof(struct pulled, member)
static const struct field pulled_fields[] = {
    { STR_INIT("service"),  0, FIELD_LONG, AT(service), .required = true },
    { STR_INIT("revision"), 0, FIELD_LONG, AT(revision), .required = true },
    { STR_INIT("reason"),   0, FIELD_STR,  AT(reason), .max = 1024 },
};
#undef AT
static const struct schema pulled_schema = SCHEMA_OF("Pulled", struct pulled, pulled_fields);

#define AT(member) .offset = offsetof(struct pulled_report, member)
static const struct field pulled_report_fields[] = {
    { STR_INIT("cluster"),           0, FIELD_STR,  AT(cluster), .max = 2048 },
    { STR_INIT("containerInstance"), 0, FIELD_STR,  AT(container_instance), .required = true, .min = 1, .max = 2048 },
    { STR_INIT("pulls"),             0, FIELD_LIST, AT(pulls), .element = FIELD_STRUCT, .schema = &pulled_schema, .max = WIRE_PULLS_MAX },
};
#undef AT
const struct schema pulled_report_schema = SCHEMA_OF("PulledReport", struct pulled_report, pulled_report_fields);

#define AT(member) .offset = offsetof(struct log_time, member)
static const struct field log_time_fields[] = {
    { STR_INIT("at"), 0, FIELD_LONG, AT(at), .required = true, .max = INT64_MAX },
    { STR_INIT("ms"), 0, FIELD_LONG, AT(ms), .required = true, .max = INT64_MAX },
};
#undef AT
static const struct schema log_time_schema = SCHEMA_OF("LogTime", struct log_time, log_time_fields);

#define AT(member) .offset = offsetof(struct log_chunk, member)
static const struct field log_chunk_fields[] = {
    { STR_INIT("cluster"),   0, FIELD_STR,  AT(cluster), .max = 2048 },
    { STR_INIT("task"),      0, FIELD_STR,  AT(task), .required = true, .min = 1, .max = 2048 },
    { STR_INIT("container"), 0, FIELD_STR,  AT(container), .required = true, .min = 1, .max = 255 },
    { STR_INIT("offset"),    0, FIELD_LONG, AT(offset), .max = INT64_MAX },
    { STR_INIT("text"),      0, FIELD_STR,  AT(text), .required = true },
    { STR_INIT("times"),     0, FIELD_LIST, AT(times), .element = FIELD_STRUCT, .schema = &log_time_schema, .max = LOG_TIMES_MAX },
    { STR_INIT("resends"),   0, FIELD_BOOL, AT(resends) },
};
#undef AT
const struct schema log_chunk_schema = SCHEMA_OF("LogChunk", struct log_chunk, log_chunk_fields);

static const struct field log_taken_fields[] = {
    { STR_INIT("from"), 0, FIELD_LONG, .offset = offsetof(struct log_taken, from), .max = INT64_MAX },
};
const struct schema log_taken_schema = SCHEMA_OF("LogTaken", struct log_taken, log_taken_fields);

#define VALUE .max = INT64_MAX
#define AT(member) .offset = offsetof(struct wire_gpu_sample, member)
static const struct field wire_gpu_sample_fields[] = {
    { STR_INIT("uuid"),               0, FIELD_STR,    AT(uuid), .required = true, .min = 1, .max = 128 },
    { STR_INIT("utilization"),        0, FIELD_DOUBLE, AT(of[GPU_UTILIZATION]), .max = 1 },
    { STR_INIT("memoryUsedBytes"),    0, FIELD_DOUBLE, AT(of[GPU_MEMORY_USED]), VALUE },
    { STR_INIT("memoryTotalBytes"),   0, FIELD_DOUBLE, AT(of[GPU_MEMORY_TOTAL]), VALUE },
    { STR_INIT("temperatureCelsius"), 0, FIELD_DOUBLE, AT(of[GPU_TEMPERATURE]), VALUE },
    { STR_INIT("powerWatts"),         0, FIELD_DOUBLE, AT(of[GPU_POWER]), VALUE },
    { STR_INIT("clockHertz"),         0, FIELD_DOUBLE, AT(of[GPU_CLOCK_SM]), VALUE },
    { STR_INIT("processes"),          0, FIELD_DOUBLE, AT(of[GPU_PROCESSES]), VALUE },
    { STR_INIT("memoryUtilization"),  0, FIELD_DOUBLE, AT(of[GPU_MEMORY_UTILIZATION]), .max = 1 },
    { STR_INIT("memoryFreeBytes"),    0, FIELD_DOUBLE, AT(of[GPU_MEMORY_FREE]), VALUE },
    { STR_INIT("fanSpeed"),           0, FIELD_DOUBLE, AT(of[GPU_FAN_SPEED]), VALUE },
    { STR_INIT("pcieGeneration"),     0, FIELD_DOUBLE, AT(of[GPU_PCIE_GENERATION]), VALUE },
    { STR_INIT("pcieWidth"),          0, FIELD_DOUBLE, AT(of[GPU_PCIE_WIDTH]), VALUE },
    { STR_INIT("encoderSessions"),    0, FIELD_DOUBLE, AT(of[GPU_ENCODER_SESSIONS]), VALUE },
    { STR_INIT("encoderFps"),         0, FIELD_DOUBLE, AT(of[GPU_ENCODER_FPS]), VALUE },
    { STR_INIT("encoderLatencySeconds"), 0, FIELD_DOUBLE, AT(of[GPU_ENCODER_LATENCY]), VALUE },
    { STR_INIT("graphicsClockHertz"), 0, FIELD_DOUBLE, AT(of[GPU_CLOCK_GRAPHICS]), VALUE },
    { STR_INIT("memoryClockHertz"),   0, FIELD_DOUBLE, AT(of[GPU_CLOCK_MEMORY]), VALUE },
    { STR_INIT("videoClockHertz"),    0, FIELD_DOUBLE, AT(of[GPU_CLOCK_VIDEO]), VALUE },
};
#undef AT
const struct schema wire_gpu_sample_schema = SCHEMA_OF("GpuSample", struct wire_gpu_sample, wire_gpu_sample_fields);

#define AT(member) .offset = offsetof(struct wire_container_sample, member)
static const struct field wire_container_sample_fields[] = {
    { STR_INIT("task"),        0, FIELD_STR,    AT(task), .required = true, .min = 1, .max = 2048 },
    { STR_INIT("container"),   0, FIELD_STR,    AT(container), .required = true, .min = 1, .max = 255 },
    { STR_INIT("cpuCores"),    0, FIELD_DOUBLE, AT(cpu_cores), VALUE },
    { STR_INIT("memoryBytes"), 0, FIELD_DOUBLE, AT(memory_bytes), VALUE },
    { STR_INIT("networkReceivedBytes"), 0, FIELD_DOUBLE, AT(network_received_bytes), VALUE },
    { STR_INIT("networkSentBytes"),     0, FIELD_DOUBLE, AT(network_sent_bytes), VALUE },
    { STR_INIT("blockReadBytes"),       0, FIELD_DOUBLE, AT(block_read_bytes), VALUE },
    { STR_INIT("blockWrittenBytes"),    0, FIELD_DOUBLE, AT(block_written_bytes), VALUE },
};
#undef AT
const struct schema wire_container_sample_schema = SCHEMA_OF("ContainerSample", struct wire_container_sample, wire_container_sample_fields);

#define AT(member) .offset = offsetof(struct wire_samples, member)
static const struct field wire_samples_fields[] = {
    { STR_INIT("cluster"),           0, FIELD_STR,  AT(cluster), .max = 2048 },
    { STR_INIT("containerInstance"), 0, FIELD_STR,  AT(container_instance), .required = true, .min = 1, .max = 2048 },
    { STR_INIT("simulated"),         0, FIELD_BOOL, AT(simulated) },
    { STR_INIT("gpusAgeMs"),         0, FIELD_LONG, AT(gpus_age_ms), VALUE },
    { STR_INIT("containersAgeMs"),   0, FIELD_LONG, AT(containers_age_ms), VALUE },
    { STR_INIT("gpus"),              0, FIELD_LIST, AT(gpus), .element = FIELD_STRUCT, .schema = &wire_gpu_sample_schema, .max = GPUS_MAX },
    { STR_INIT("containers"),        0, FIELD_LIST, AT(containers), .element = FIELD_STRUCT, .schema = &wire_container_sample_schema,
      .max = WIRE_CONTAINERS_MAX },
};
#undef AT
#undef VALUE
const struct schema wire_samples_schema = SCHEMA_OF("Samples", struct wire_samples, wire_samples_fields);

enum { EXEC_WORDS_MAX = 256, EXEC_TERMINAL_MAX = 4096, EXEC_WAIT_MAX_S = 20, EXEC_REASON_MAX = 1024 };

#define AT(member) .offset = offsetof(struct wire_exec, member)
static const struct field wire_exec_fields[] = {
    { STR_INIT("messageId"), 0, FIELD_STR,  AT(message_id) },
    { STR_INIT("session"),   0, FIELD_STR,  AT(session), .required = true },
    { STR_INIT("taskArn"),   0, FIELD_STR,  AT(task_arn), .required = true },
    { STR_INIT("container"), 0, FIELD_STR,  AT(container), .required = true },
    { STR_INIT("command"),   0, FIELD_LIST, AT(command), .element = FIELD_STR, .required = true, .min = 1 },
    { STR_INIT("tty"),       0, FIELD_BOOL, AT(tty) },
    { STR_INIT("rows"),      0, FIELD_INT,  AT(rows) },
    { STR_INIT("cols"),      0, FIELD_INT,  AT(cols) },
};
#undef AT
const struct schema wire_exec_schema = SCHEMA_OF("BerthExecMessage", struct wire_exec, wire_exec_fields);

#define AT(member) .offset = offsetof(struct exec_ask, member)
static const struct field exec_ask_fields[] = {
    { STR_INIT("session"),  0, FIELD_STR,  AT(session), .required = true, .min = 32, .max = 32 },
    { STR_INIT("offset"),   0, FIELD_LONG, AT(offset), .max = INT64_MAX },
    { STR_INIT("from"),     0, FIELD_LONG, AT(from), .max = INT64_MAX },
    { STR_INIT("wait"),     0, FIELD_INT,  AT(wait), .max = EXEC_WAIT_MAX_S },
    { STR_INIT("rows"),     0, FIELD_INT,  AT(rows), .max = EXEC_TERMINAL_MAX },
    { STR_INIT("cols"),     0, FIELD_INT,  AT(cols), .max = EXEC_TERMINAL_MAX },
    { STR_INIT("ended"),    0, FIELD_BOOL, AT(ended) },
    { STR_INIT("leaves"),   0, FIELD_BOOL, AT(leaves) },
    { STR_INIT("exitCode"), 0, FIELD_INT,  AT(exit_code), .max = 255 },
    { STR_INIT("reason"),   0, FIELD_STR,  AT(reason), .max = EXEC_REASON_MAX },
};
#undef AT
const struct schema exec_ask_schema = SCHEMA_OF("ExecAsk", struct exec_ask, exec_ask_fields);

#define AT(member) .offset = offsetof(struct exec_answer, member)
static const struct field exec_answer_fields[] = {
    { STR_INIT("taken"),    0, FIELD_LONG, AT(taken) },
    { STR_INIT("offset"),   0, FIELD_LONG, AT(offset) },
    { STR_INIT("rows"),     0, FIELD_INT,  AT(rows) },
    { STR_INIT("cols"),     0, FIELD_INT,  AT(cols) },
    { STR_INIT("ended"),    0, FIELD_BOOL, AT(ended) },
    { STR_INIT("exitCode"), 0, FIELD_INT,  AT(exit_code) },
    { STR_INIT("reason"),   0, FIELD_STR,  AT(reason) },
};
#undef AT
const struct schema exec_answer_schema = SCHEMA_OF("ExecAnswer", struct exec_answer, exec_answer_fields);

#define AT(member) .offset = offsetof(struct exec_begin, member)
static const struct field exec_begin_fields[] = {
    { STR_INIT("cluster"),   0, FIELD_STR,  AT(cluster), .max = 2048 },
    { STR_INIT("task"),      0, FIELD_STR,  AT(task), .required = true, .min = 1, .max = 2048 },
    { STR_INIT("container"), 0, FIELD_STR,  AT(container), .max = 255 },
    { STR_INIT("command"),   0, FIELD_LIST, AT(command), .element = FIELD_STR, .required = true, .min = 1, .max = EXEC_WORDS_MAX },
    { STR_INIT("tty"),       0, FIELD_BOOL, AT(tty) },
    { STR_INIT("rows"),      0, FIELD_INT,  AT(rows), .max = EXEC_TERMINAL_MAX },
    { STR_INIT("cols"),      0, FIELD_INT,  AT(cols), .max = EXEC_TERMINAL_MAX },
};
#undef AT
const struct schema exec_begin_schema = SCHEMA_OF("ExecBegin", struct exec_begin, exec_begin_fields);

void wire_print(struct str type, const struct schema *schema, const void *message, struct json_out *out)
{
    ASSERT(schema != NULL);
    ASSERT(message != NULL);
    ASSERT(type.len > 0);                                /* a word of ours: the peer finds the message by it */

    json_open(out, '{');
    json_key(out, STR("type"));
    json_str(out, type);
    json_key(out, STR("message"));
    schema_print(schema, message, out);
    json_close(out, '}');
}
