#include "wire/checks.h"

#include "base/assert.h"
#include "base/num.h"

/* ---- matchers ---- */

/* One part: a code or a range of codes. */
static bool read_part(struct str part, int64_t *low, int64_t *high)
{
    struct str first, last;
    bool is_range = str_cut(part, '-', &first, &last);
    if (!str_to_i64(first, low) || *low < 0 || *low > MATCHER_CODE_MAX) { return false; }
    *high = *low;
    return !is_range || (str_to_i64(last, high) && *high >= *low && *high <= MATCHER_CODE_MAX);
}

bool matcher_is_valid(struct str matcher)
{
    struct str part, rest = matcher;
    int64_t low, high;
    bool more = true;
    while (more) {
        more = str_cut(rest, ',', &part, &rest);
        if (!read_part(part, &low, &high)) { return false; }
    }
    return true;
}

bool matcher_fits(struct str matcher, int64_t code)
{
    struct str part, rest = matcher;
    int64_t low, high;
    bool more = true, fits = false;
    while (more) {
        more = str_cut(rest, ',', &part, &rest);
        if (!read_part(part, &low, &high)) { return false; }
        fits |= code >= low && code <= high;
    }
    return fits;
}

/* ---- checks ---- */

static struct opt_int number_or(struct opt_int number, int64_t otherwise) { return number.set && number.value > 0 ? number : opt_int_of(otherwise); }

static struct str text_or(struct str text, struct str otherwise) { return text.len > 0 ? text : otherwise; }

struct target_check check_of(const struct target_group *group, const struct kept_target *target)
{
    enum { INTERVAL_S = 30, TIMEOUT_S = 5, HEALTHY = 5, UNHEALTHY = 2 };
    bool is_grpc = str_eq(group->protocol_version, STR("GRPC"));
    struct str matcher = group->matcher == NULL ? (struct str){ NULL, 0 } : group->matcher->http_code;
    int64_t port;
    bool is_fixed = str_to_i64(group->health_check_port, &port) && port > 0;         /* otherwise "traffic-port" */
    return (struct target_check){
        .group = target->group, .name = target->name, .port = opt_int_of(target->port), .registration = opt_int_of(target->registration),
        .protocol = group->health_check_protocol == ELB_PROTOCOL_UNSET ? ELB_PROTOCOL_HTTP : group->health_check_protocol,
        .version = is_grpc ? CHECK_GRPC : str_eq(group->protocol_version, STR("HTTP2")) ? CHECK_HTTP2 : CHECK_HTTP1,
        .address = target->address, .check_port = opt_int_of(is_fixed ? port : target->port),
        .path = text_or(group->health_check_path, is_grpc ? STR("/AWS.ALB/healthcheck") : STR("/")),
        .matcher = text_or(matcher, STR("200")),
        .interval = number_or(group->health_check_interval_seconds, INTERVAL_S), .timeout = number_or(group->health_check_timeout_seconds, TIMEOUT_S),
        .healthy = number_or(group->healthy_threshold_count, HEALTHY), .unhealthy = number_or(group->unhealthy_threshold_count, UNHEALTHY),
    };
}

/* ---- the state ---- */

int64_t check_needs(enum target_state state, int64_t healthy) { return state == TARGET_UNHEALTHY ? healthy : 1; }

bool check_take(struct check_progress *progress, int64_t healthy, int64_t unhealthy, struct check_result result)
{
    enum target_state before = progress->state;
    bool good = result.cause == CHECK_GOOD;
    progress->in_row = good == progress->good ? progress->in_row + 1 : 1;
    progress->good = good;
    progress->last = result;
    if (good && before != TARGET_HEALTHY && progress->in_row >= check_needs(before, healthy)) {
        progress->state = TARGET_HEALTHY;
    } else if (!good && before != TARGET_UNHEALTHY && progress->in_row >= unhealthy) {
        progress->state = TARGET_UNHEALTHY;
    } else if (before == TARGET_STATE_UNSET) {
        progress->state = TARGET_INITIAL;
    }
    return progress->state != before;
}

void check_words(enum target_state state, struct check_result result, struct str *reason, struct str *description, struct arena *arena)
{
    *reason = *description = (struct str){ NULL, 0 };
    if (state == TARGET_INITIAL) {
        *reason = STR("Elb.InitialHealthChecking");
        *description = STR("Initial health checks in progress");
    }
    if (state != TARGET_UNHEALTHY) { return; }
    if (result.cause == CHECK_CODE) {
        *reason = STR("Target.ResponseCodeMismatch");
        *description = arena_printf(arena, "Health checks failed with these codes: [%lld]", (long long)result.code);
    } else {
        bool is_late = result.cause == CHECK_TIMEOUT;
        *reason = is_late ? STR("Target.Timeout") : STR("Target.FailedHealthChecks");
        *description = is_late ? STR("Request timed out") : STR("Health checks failed");
    }
}

/* ---- shapes ---- */

static const struct str check_version_words[] = { STR_INIT("HTTP1"), STR_INIT("HTTP2"), STR_INIT("GRPC") };
static const struct enum_names check_version_names = { check_version_words, COUNT_OF(check_version_words) };
_Static_assert(COUNT_OF(check_version_words) == CHECK_VERSION_COUNT - 1, "one word per value");

static const struct str check_cause_words[] = { STR_INIT("good"), STR_INIT("code"), STR_INIT("timeout"), STR_INIT("failed") };
static const struct enum_names check_cause_names = { check_cause_words, COUNT_OF(check_cause_words) };
_Static_assert(COUNT_OF(check_cause_words) == CHECK_CAUSE_COUNT - 1, "one word per value");

enum { NAME_MAX = 255, PATH_MAX_LEN = 1024, MATCHER_MAX = 1024, SECONDS_MAX = 3600, THRESHOLD_MAX = 100, PORT_MAX = 65535, REF_MAX = 2048 };
#define TARGET_FIELDS                                                                               \
    { STR_INIT("group"),        0, FIELD_STR,  AT(group), .required = true, .min = 1, .max = NAME_MAX },  \
    { STR_INIT("name"),         0, FIELD_STR,  AT(name), .required = true, .min = 1, .max = NAME_MAX },   \
    { STR_INIT("port"),         0, FIELD_INT,  AT(port), .required = true, .min = 1, .max = PORT_MAX },   \
    { STR_INIT("registration"), 0, FIELD_LONG, AT(registration), .required = true, .max = INT64_MAX }

#define AT(member) .offset = offsetof(struct target_check, member)
static const struct field target_check_fields[] = {
    TARGET_FIELDS,
    { STR_INIT("protocol"),  0, FIELD_ENUM, AT(protocol), .names = &elb_protocol_names, .required = true },
    { STR_INIT("version"),   0, FIELD_ENUM, AT(version), .names = &check_version_names, .required = true },
    { STR_INIT("address"),   0, FIELD_STR,  AT(address), .required = true, .min = 1, .max = NAME_MAX },
    { STR_INIT("checkPort"), 0, FIELD_INT,  AT(check_port), .required = true, .min = 1, .max = PORT_MAX },
    { STR_INIT("path"),      0, FIELD_STR,  AT(path), .max = PATH_MAX_LEN },
    { STR_INIT("matcher"),   0, FIELD_STR,  AT(matcher), .max = MATCHER_MAX },
    { STR_INIT("interval"),  0, FIELD_INT,  AT(interval), .required = true, .min = 1, .max = SECONDS_MAX },
    { STR_INIT("timeout"),   0, FIELD_INT,  AT(timeout), .required = true, .min = 1, .max = SECONDS_MAX },
    { STR_INIT("healthy"),   0, FIELD_INT,  AT(healthy), .required = true, .min = 1, .max = THRESHOLD_MAX },
    { STR_INIT("unhealthy"), 0, FIELD_INT,  AT(unhealthy), .required = true, .min = 1, .max = THRESHOLD_MAX },
};
#undef AT
static const struct schema target_check_schema = SCHEMA_OF("TargetCheck", struct target_check, target_check_fields);

#define AT(member) .offset = offsetof(struct wire_checks, member)
static const struct field wire_checks_fields[] = {
    { STR_INIT("messageId"), 0, FIELD_STR,  AT(message_id) },
    { STR_INIT("number"),    0, FIELD_LONG, AT(number), .required = true, .max = INT64_MAX },
    { STR_INIT("checks"),    0, FIELD_LIST, AT(checks), .element = FIELD_STRUCT, .schema = &target_check_schema },          /* left out if empty */
};
#undef AT
const struct schema wire_checks_schema = SCHEMA_OF("BerthChecksMessage", struct wire_checks, wire_checks_fields);

#define AT(member) .offset = offsetof(struct check_told, member)
static const struct field check_told_fields[] = {
    TARGET_FIELDS,
    { STR_INIT("number"), 0, FIELD_LONG, AT(number), .required = true, .min = 1, .max = INT64_MAX },
    { STR_INIT("state"),  0, FIELD_ENUM, AT(state), .names = &target_state_names, .required = true },
    { STR_INIT("from"),   0, FIELD_ENUM, AT(from), .names = &target_state_names },
    { STR_INIT("cause"),  0, FIELD_ENUM, AT(cause), .names = &check_cause_names, .required = true },
    { STR_INIT("code"),   0, FIELD_INT,  AT(code), .max = MATCHER_CODE_MAX },
};
#undef AT
static const struct schema check_told_schema = SCHEMA_OF("CheckTold", struct check_told, check_told_fields);

#define AT(member) .offset = offsetof(struct checks_report, member)
static const struct field checks_report_fields[] = {
    { STR_INIT("cluster"),           0, FIELD_STR,  AT(cluster), .max = REF_MAX },
    { STR_INIT("containerInstance"), 0, FIELD_STR,  AT(container_instance), .required = true, .min = 1, .max = REF_MAX },
    { STR_INIT("targets"),           0, FIELD_LIST, AT(targets), .element = FIELD_STRUCT, .schema = &check_told_schema, .max = CHECKS_MAX },
};
#undef AT
const struct schema checks_report_schema = SCHEMA_OF("ChecksReport", struct checks_report, checks_report_fields);
