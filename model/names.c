/* names.c: ARNs are joined from parts, not formatted: a reply of ten tasks holds forty of them. */
#include "model/names.h"

#include "base/text/arn.h"
#include "base/text/base64.h"

enum { NAME_MAX_LEN = 255, SHOWN_MAX = 255, ARN_PARTS_MAX = 12 };

/* ---- printing ---- */

static struct str join(const struct str *parts, size_t count, struct arena *arena)
{
    size_t len = 0;
    for (size_t p = 0; p < count; p++) { len += parts[p].len; }
    char *text = arena_bytes(arena, len + 1), *at = text;
    for (size_t p = 0; p < count; p++) {
        str_copy(at, parts[p]);
        at += parts[p].len;
    }
    *at = '\0';
    return (struct str){ text, len };
}

/* arn:aws:ecs:REGION:ACCOUNT:TYPE/FIRST and what follows. */
static struct str make_arn(const struct names *names, struct str type, const struct str *rest, size_t count, struct arena *arena)
{
    struct str parts[ARN_PARTS_MAX] = {
        STR("arn:aws:ecs:"), names->region, STR(":"), names->account, STR(":"), type, STR("/"),
    };
    size_t used = 7;
    ASSERT(count <= ARN_PARTS_MAX - used);                      /* as callers here give */
    for (size_t r = 0; r < count; r++) { parts[used++] = rest[r]; }
    return join(parts, used, arena);
}

struct str names_cluster_arn(const struct names *names, struct str cluster, struct arena *arena)
{
    return make_arn(names, STR("cluster"), &cluster, 1, arena);
}

static struct str make_stem(const struct names *names, struct str type, struct str cluster, struct arena *arena)
{
    struct str rest[] = { cluster, STR("/") };
    return make_arn(names, type, rest, COUNT_OF(rest), arena);
}

struct stems names_stems(const struct names *names, struct str cluster, struct arena *arena)
{
    return (struct stems){
        make_stem(names, STR("task"), cluster, arena), make_stem(names, STR("container-instance"), cluster, arena),
        make_stem(names, STR("container"), cluster, arena),
    };
}

/* Returns where it ends. */
static char *put_behind(char *at, struct str stem, struct id id)
{
    str_copy(at, stem);
    str_put_hex(at + stem.len, id.bytes, sizeof id.bytes);
    return at + stem.len + ID_HEX_LEN;
}

struct str names_behind(struct str stem, struct id id, struct arena *arena)
{
    size_t len = stem.len + ID_HEX_LEN;
    char *text = arena_bytes(arena, len + 1);
    *put_behind(text, stem, id) = '\0';
    return (struct str){ text, len };
}

struct str *names_many_behind(struct str stem, const struct id *ids, size_t count, struct arena *arena)
{
    size_t len = stem.len + ID_HEX_LEN;
    struct str *arns = ARENA_NEW(arena, struct str, count);
    char *at = arena_bytes(arena, count * (len + 1));
    for (size_t i = 0; i < count; i++) {
        arns[i] = (struct str){ at, len };
        at = put_behind(at, stem, ids[i]);
        *at++ = '\0';
    }
    return arns;
}

struct str names_instance_arn(const struct names *names, struct str cluster, struct id id, struct arena *arena)
{
    return names_behind(make_stem(names, STR("container-instance"), cluster, arena), id, arena);
}

struct str names_task_arn(const struct names *names, struct str cluster, struct id id, struct arena *arena)
{
    return names_behind(make_stem(names, STR("task"), cluster, arena), id, arena);
}

/* A container has no separate record, so its UUID is made from its task's id: always the same for the same container, and
 * different for each. The mixing is that of splitmix64 (Steele, Lea, Flood); version and variant are those of a random
 * UUID. */
static struct id container_id(struct id task, size_t index)
{
    uint64_t mixed = 0;
    for (size_t b = 8; b < 16; b++) { mixed = mixed << 8 | task.bytes[b]; }
    mixed += ((uint64_t)index + 1) * 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    mixed ^= mixed >> 31;
    struct id id = task;
    for (size_t b = 8; b < 16; b++) { id.bytes[b] = (uint8_t)(mixed >> (8 * (15 - b))); }
    id_mark_random(&id);
    return id;
}

struct str names_container_behind(struct str stem, struct id task, size_t index, struct arena *arena)
{
    size_t len = stem.len + ID_HEX_LEN + 1 + ID_UUID_LEN;
    char *text = arena_bytes(arena, len + 1), *at = put_behind(text, stem, task);
    *at = '/';
    id_uuid(container_id(task, index), at + 1);
    return (struct str){ text, len };
}

struct str names_container_arn(const struct names *names, struct str cluster, struct id task, size_t index, struct arena *arena)
{
    return names_container_behind(make_stem(names, STR("container"), cluster, arena), task, index, arena);
}

/* Uses the index after the last possible container. */
struct str names_attachment_id(struct id task, struct arena *arena)
{
    char uuid[ID_UUID_LEN + 1];
    id_uuid(container_id(task, SIZE_MAX / 2), uuid);
    return arena_str(arena, (struct str){ uuid, ID_UUID_LEN });
}

struct str names_attachment_arn(const struct names *names, struct id task, struct arena *arena)
{
    struct str rest[] = { names_attachment_id(task, arena) };
    return make_arn(names, STR("attachment"), rest, COUNT_OF(rest), arena);
}

static struct str definition_arn(const struct names *names, struct str kind, struct str family, int64_t revision, struct arena *arena)
{
    char digits[STR_DIGITS_MAX], *end = digits + sizeof digits;
    ASSERT(revision > 0);                                       /* that of a definition that was found */
    const char *at = str_put_digits(end, (uint64_t)revision);
    struct str rest[] = { family, STR(":"), { at, (size_t)(end - at) } };
    return make_arn(names, kind, rest, COUNT_OF(rest), arena);
}

struct str names_taskdef_arn(const struct names *names, struct str family, int64_t revision, struct arena *arena)
{
    return definition_arn(names, STR("task-definition"), family, revision, arena);
}

struct str names_daemon_taskdef_arn(const struct names *names, struct str family, int64_t revision, struct arena *arena)
{
    return definition_arn(names, STR("daemon-task-definition"), family, revision, arena);
}

/* ---- printing, of services ---- */

enum { SVC_DIGITS = 19, SVC_ID_LEN = 21 };
#define SVC_PREFIX "ecs-svc/"

struct str names_service_arn(const struct names *names, struct str cluster, struct str service, struct arena *arena)
{
    struct str rest[] = { cluster, STR("/"), service };
    return make_arn(names, STR("service"), rest, COUNT_OF(rest), arena);
}

static struct str padded_digits(int64_t digits, struct arena *arena)
{
    ASSERT(digits > 0);                                         /* that of a deployment that was made or found */
    return arena_printf(arena, "%0*lld", SVC_DIGITS, (long long)digits);
}

struct str names_deployment_id(int64_t digits, struct arena *arena)
{
    struct str parts[] = { STR(SVC_PREFIX), padded_digits(digits, arena) };
    return join(parts, COUNT_OF(parts), arena);
}

struct str names_task_set_arn(const struct names *names, struct str cluster, struct str service, int64_t digits, struct arena *arena)
{
    struct str rest[] = { cluster, STR("/"), service, STR("/" SVC_PREFIX), padded_digits(digits, arena) };
    return make_arn(names, STR("task-set"), rest, COUNT_OF(rest), arena);
}

struct str names_revision_arn(const struct names *names, struct str cluster, struct str service, int64_t digits, struct arena *arena)
{
    struct str rest[] = { cluster, STR("/"), service, STR("/"), padded_digits(digits, arena) };
    return make_arn(names, STR("service-revision"), rest, COUNT_OF(rest), arena);
}

struct str names_service_deployment_arn(const struct names *names, struct str cluster, struct str service, struct id id, struct arena *arena)
{
    struct str letters = base64_encode_url((struct str){ (const char *)id.bytes, sizeof id.bytes }, arena);
    struct str rest[] = { cluster, STR("/"), service, STR("/"), str_slice(letters, 0, SVC_ID_LEN) };
    return make_arn(names, STR("service-deployment"), rest, COUNT_OF(rest), arena);
}

struct str names_daemon_arn(const struct names *names, struct str cluster, struct str daemon, struct arena *arena)
{
    struct str rest[] = { cluster, STR("/"), daemon };
    return make_arn(names, STR("daemon"), rest, COUNT_OF(rest), arena);
}

struct str names_daemon_revision_arn(const struct names *names, struct str cluster, struct str daemon, int64_t digits, struct arena *arena)
{
    struct str rest[] = { cluster, STR("/"), daemon, STR("/"), padded_digits(digits, arena) };
    return make_arn(names, STR("daemon-revision"), rest, COUNT_OF(rest), arena);
}

struct str names_daemon_deployment_id(struct id id, struct arena *arena)
{
    return str_slice(base64_encode_url((struct str){ (const char *)id.bytes, sizeof id.bytes }, arena), 0, SVC_ID_LEN);
}

struct str names_daemon_deployment_arn(const struct names *names, struct str cluster, struct str daemon, struct id id, struct arena *arena)
{
    struct str rest[] = { cluster, STR("/"), daemon, STR("/"), names_daemon_deployment_id(id, arena) };
    return make_arn(names, STR("daemon-deployment"), rest, COUNT_OF(rest), arena);
}

/* ---- reading ---- */

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

bool names_is_url(struct str text) { return str_starts_with(text, STR("http://")) || str_starts_with(text, STR("https://")); }

bool names_can_call(struct str url)
{
    struct str scheme, rest, host, path;
    if (!names_is_url(url) || url.len > NAMES_URL_MAX) { return false; }
    for (size_t i = 0; i < url.len; i++) {
        if (url.ptr[i] <= ' ' || url.ptr[i] >= 0x7F) { return false; }
    }
    (void)str_cut(url, ':', &scheme, &rest);
    (void)str_cut(str_slice(rest, 2, rest.len), '/', &host, &path);
    return host.len > 0;
}

bool names_is_valid(struct str name)
{
    if (name.len == 0 || name.len > NAME_MAX_LEN) { return false; }
    for (size_t i = 0; i < name.len; i++) {
        if (!is_name_char(name.ptr[i])) { return false; }
    }
    return true;
}

static bool is_label(struct str label)
{
    bool good = label.len >= 1 && label.len <= 63 && label.ptr[0] != '-' && label.ptr[label.len - 1] != '-';
    for (size_t c = 0; good && c < label.len; c++) { good = is_name_char(label.ptr[c]) && label.ptr[c] != '_'; }
    return good;
}

bool names_is_dns(struct str text)
{
    struct str label, rest = text;
    bool more = true;
    if (text.len > NAMES_DNS_MAX) { return false; }
    while (more) {
        more = str_cut(rest, '.', &label, &rest);
        if (!is_label(label)) { return false; }
    }
    return true;
}

static bool read_discovery_arn(struct str text, struct str kind, struct arn *arn, struct str *name)
{
    struct str found;
    return arn_parse(text, arn) && str_eq(arn->service, STR("servicediscovery")) && str_cut(arn->resource, '/', &found, name) && str_eq(found, kind)
        && names_is_dns(*name);
}

bool names_read_registry(const struct names *names, struct str arn, struct str *name)
{
    struct arn read;
    return read_discovery_arn(arn, STR("service"), &read, name) && str_eq(read.region, names->region) && str_eq(read.account, names->account)
        && !str_starts_with(*name, STR("srv-"));
}

bool names_read_namespace(struct str text, struct str *name)
{
    struct arn arn;
    *name = text;
    return arn_looks_like(text) ? read_discovery_arn(text, STR("namespace"), &arn, name) : names_is_dns(text);
}

static bool too_many_separators(struct err *err)
{
    return err_set(err, ERR_INVALID_PARAMETER, "Invalid identifier: Unexpected number of separators");
}

/* The result of reading an ARN: *resource is the part after `type/`. NOT_IT: not an ARN of that type; ELSEWHERE: of another region or account, with *err. */
enum reading { NOT_IT, ELSEWHERE, READ };

static enum reading resource_of(const struct names *names, struct str reference, struct str type, struct str *resource, struct err *err)
{
    struct arn arn;
    struct str kind;
    bool is_it = arn_parse(reference, &arn) && str_eq(arn.service, STR("ecs")) && str_cut(arn.resource, '/', &kind, resource)
        && str_eq(kind, type);
    if (!is_it) { return NOT_IT; }
    const char *foreign = !str_eq(arn.region, names->region) ? "Region" : !str_eq(arn.account, names->account) ? "Account" : NULL;
    if (foreign == NULL) { return READ; }
    (void)err_set(err, ERR_INVALID_PARAMETER, "Invalid %s in ARN", foreign);
    return ELSEWHERE;
}

bool names_read_cluster(const struct names *names, struct str reference, struct str *name, struct err *err)
{
    if (reference.len == 0) {
        *name = STR("default");
        return true;
    }
    struct str read = reference;
    enum reading reading = arn_looks_like(reference) ? resource_of(names, reference, STR("cluster"), &read, err) : READ;
    if (reading == ELSEWHERE) { return false; }
    if (reading == READ && names_is_valid(read)) {
        *name = read;
        return true;
    }
    if (reading == READ && arn_looks_like(reference)) { return too_many_separators(err); }
    return err_set(err, ERR_INVALID_PARAMETER, "Cluster must match ^[a-zA-Z0-9\\-_]{1,255}$, but was " STR_FMT,
                   STR_ARG(str_slice(reference, 0, SHOWN_MAX)));
}

/* Names of the kinds in errors: "taskId length …", "Task Identifier …". */
static const struct { struct str kind; const char *id_word, *title; } id_kinds[] = {
    { STR_INIT("task"),               "taskId",              "Task" },
    { STR_INIT("container-instance"), "containerInstanceId", "Container Instance" },
};

static size_t id_kind(struct str kind)
{
    size_t k = 0;
    while (k < COUNT_OF(id_kinds) && !str_eq(id_kinds[k].kind, kind)) { k++; }
    ASSERT(k < COUNT_OF(id_kinds));                             /* every kind has a row */
    return k;
}

/* The id's text in an ARN: TYPE/CLUSTER/ID, or TYPE/ID as before 2018, which names no cluster. */
static bool id_text_in_arn(const struct names *names, struct str reference, size_t kind, struct str cluster, struct str *text,
                           struct err *err)
{
    struct str rest, owner, id;
    enum reading reading = resource_of(names, reference, id_kinds[kind].kind, &rest, err);
    if (reading == ELSEWHERE) { return false; }
    if (reading == NOT_IT) { return err_set(err, ERR_INVALID_PARAMETER, "%s Identifier is invalid", id_kinds[kind].title); }
    if (!str_cut(rest, '/', &owner, &id)) {
        *text = rest;
        return true;
    }
    if (str_find(id, '/') < id.len || str_find(id, ':') < id.len) { return too_many_separators(err); }
    if (!str_eq(owner, cluster)) {
        return err_set(err, ERR_INVALID_PARAMETER,
                       "Invalid identifier: Identifier is for cluster " STR_FMT ". Your cluster is " STR_FMT,
                       STR_ARG(str_slice(owner, 0, SHOWN_MAX)), STR_ARG(str_slice(cluster, 0, SHOWN_MAX)));
    }
    *text = id;
    return true;
}

static bool goes_on(struct str *rest, struct str part)
{
    bool it_does = rest->len >= part.len && memcmp(rest->ptr, part.ptr, part.len) == 0;
    if (it_does) { *rest = (struct str){ rest->ptr + part.len, rest->len - part.len }; }
    return it_does;
}

/* An ARN as this server prints it, which is what clients nearly always send. Any other form is read, and refused, part by part. */
static bool is_own_arn(const struct names *names, struct str reference, struct str kind, struct str cluster, struct str *text)
{
    const struct str parts[] = { STR("arn:aws:ecs:"), names->region, STR(":"), names->account, STR(":"), kind, STR("/"), cluster, STR("/") };
    *text = reference;
    for (size_t p = 0; p < COUNT_OF(parts); p++) {
        if (!goes_on(text, parts[p])) { return false; }
    }
    return text->len == ID_HEX_LEN;
}

bool names_read_id(const struct names *names, struct str reference, struct str kind, struct str cluster, struct id *id,
                   struct err *err)
{
    size_t k = id_kind(kind);
    struct str text;
    if (is_own_arn(names, reference, kind, cluster, &text) && id_parse(text, id) && !id_is_zero(*id)) { return true; }
    text = reference;
    if (arn_looks_like(reference)) {
        if (!id_text_in_arn(names, reference, k, cluster, &text, err)) { return false; }
    } else if (str_find(text, '/') < text.len || str_find(text, ':') < text.len) {
        return too_many_separators(err);
    }
    if (text.len != ID_HEX_LEN && text.len != 36) {
        return err_set(err, ERR_INVALID_PARAMETER, "%s length should be one of [32,36]", id_kinds[k].id_word);
    }
    if (!id_parse(text, id) || id_is_zero(*id)) {
        return err_set(err, ERR_INVALID_PARAMETER, "%s Identifier is invalid", id_kinds[k].title);
    }
    return true;
}

/* `title` is the kind's name in errors. */
static bool read_definition(const struct names *names, struct str reference, struct str kind, const char *title, struct str *family, int64_t *revision,
                            struct err *err)
{
    struct str rest = reference, name, number;
    enum reading reading = arn_looks_like(reference) ? resource_of(names, reference, kind, &rest, err) : READ;
    if (reading == ELSEWHERE) { return false; }
    if (reading == NOT_IT) { return err_set(err, ERR_INVALID_PARAMETER, "%s Identifier is invalid", title); }
    bool numbered = str_cut(rest, ':', &name, &number);
    if (str_find(name, '/') < name.len || (numbered && str_find(number, ':') < number.len)) { return too_many_separators(err); }
    if (!names_is_valid(name)) { return err_set(err, ERR_INVALID_PARAMETER, "%s Identifier is invalid", title); }

    /* In an ARN, as in a policy, "*" means all revisions: the reference is then to the family. */
    bool any = numbered && arn_looks_like(reference) && str_eq(number, STR("*"));
    int64_t read = 0;
    if (numbered && !any && (!str_to_i64(number, &read) || read < 1 || read > INT32_MAX)) {
        return err_set(err, ERR_INVALID_PARAMETER, "Invalid revision number. Number: " STR_FMT,
                       STR_ARG(str_slice(number, 0, SHOWN_MAX)));
    }
    *family = name;
    *revision = read;
    return true;
}

bool names_read_taskdef(const struct names *names, struct str reference, struct str *family, int64_t *revision, struct err *err)
{
    return read_definition(names, reference, STR("task-definition"), "Task Definition", family, revision, err);
}

bool names_read_daemon_taskdef(const struct names *names, struct str reference, struct str *family, int64_t *revision, struct err *err)
{
    return read_definition(names, reference, STR("daemon-task-definition"), "Daemon Task Definition", family, revision, err);
}

/* ---- reading, of services ---- */

static bool invalid_identifier(const char *title, struct err *err)
{
    return err_set(err, ERR_INVALID_PARAMETER, "%s Identifier is invalid", title);
}

/* CLUSTER/NAME, or NAME alone as before 2018: *cluster is then absent. */
static bool service_in_arn(struct str resource, struct str *cluster, struct str *service)
{
    if (str_cut(resource, '/', cluster, service)) { return names_is_valid(*cluster) && names_is_valid(*service); }
    *service = *cluster;
    *cluster = (struct str){ NULL, 0 };
    return names_is_valid(*service);
}

bool names_read_service(const struct names *names, struct str reference, struct str cluster, struct service_name *name, struct err *err)
{
    struct str resource, owner = { NULL, 0 }, service = reference, asked;
    if (arn_looks_like(reference)) {
        enum reading reading = resource_of(names, reference, STR("service"), &resource, err);
        if (reading == ELSEWHERE) { return false; }
        if (reading == NOT_IT || !service_in_arn(resource, &owner, &service)) { return invalid_identifier("Service", err); }
    } else if (!names_is_valid(reference)) {
        return invalid_identifier("Service", err);
    }
    if (!names_read_cluster(names, cluster, &asked, err)) { return false; }
    bool differs = owner.len > 0 && cluster.len > 0 && !str_eq(owner, asked);
    if (differs) { return err_set(err, ERR_SERVICE_NOT_FOUND, "Service not found."); }
    *name = (struct service_name){ owner.len > 0 ? owner : asked, service };
    return true;
}

/* As padded_digits writes them. */
static bool read_digits(struct str text, int64_t *digits)
{
    return text.len == SVC_DIGITS && str_to_i64(text, digits) && *digits > 0;
}

/* The cluster, the service and the rest of an ARN CLUSTER/SERVICE/REST of that type. */
static bool part_in_arn(const struct names *names, struct str arn, struct str type, const char *title, struct service_name *service,
                        struct str *rest, struct err *err)
{
    struct str resource, behind;
    enum reading reading = resource_of(names, arn, type, &resource, err);
    if (reading == ELSEWHERE) { return false; }
    bool good = reading == READ && str_cut(resource, '/', &service->cluster, &behind) && str_cut(behind, '/', &service->service, rest)
        && names_is_valid(service->cluster) && names_is_valid(service->service);
    return good || invalid_identifier(title, err);
}

bool names_read_task_set(const struct names *names, struct str reference, const struct service_name *service, int64_t *digits, struct err *err)
{
    struct service_name owner = *service;
    struct str id = reference;
    if (arn_looks_like(reference) && !part_in_arn(names, reference, STR("task-set"), "TaskSet", &owner, &id, err)) { return false; }
    if (!str_starts_with(id, STR(SVC_PREFIX)) || !read_digits(str_slice(id, sizeof SVC_PREFIX - 1, id.len), digits)) {
        return invalid_identifier("TaskSet", err);
    }
    bool is_own = str_eq(owner.cluster, service->cluster) && str_eq(owner.service, service->service);
    return is_own || err_set(err, ERR_TASK_SET_NOT_FOUND, "The specified task set does not exist.");
}

bool names_read_revision(const struct names *names, struct str arn, struct service_name *service, int64_t *digits, struct err *err)
{
    struct str rest;
    return part_in_arn(names, arn, STR("service-revision"), "Service Revision", service, &rest, err)
        && (read_digits(rest, digits) || invalid_identifier("Service Revision", err));
}

/* The letters hold all bits but the last two, which are 0. */
static bool read_letters(struct str text, struct id *id, struct arena *arena)
{
    if (text.len != SVC_ID_LEN) { return false; }
    struct str bytes = base64_decode(arena_printf(arena, STR_FMT "A", STR_ARG(text)), arena);
    if (bytes.len != sizeof id->bytes) { return false; }
    memcpy(id->bytes, bytes.ptr, sizeof id->bytes);
    return true;
}

bool names_read_service_deployment(const struct names *names, struct str arn, struct service_name *service, struct id *id,
                                   struct arena *arena, struct err *err)
{
    struct str rest;
    return part_in_arn(names, arn, STR("service-deployment"), "Service Deployment", service, &rest, err)
        && (read_letters(rest, id, arena) || invalid_identifier("Service Deployment", err));
}

bool names_read_daemon(const struct names *names, struct str arn, struct service_name *daemon, struct err *err)
{
    struct str resource;
    enum reading reading = resource_of(names, arn, STR("daemon"), &resource, err);
    if (reading == ELSEWHERE) { return false; }
    bool good = reading == READ && str_cut(resource, '/', &daemon->cluster, &daemon->service) && names_is_valid(daemon->cluster)
        && names_is_valid(daemon->service);
    return good || invalid_identifier("Daemon", err);
}

bool names_read_daemon_revision(const struct names *names, struct str arn, struct service_name *daemon, int64_t *digits, struct err *err)
{
    struct str rest;
    return part_in_arn(names, arn, STR("daemon-revision"), "Daemon Revision", daemon, &rest, err)
        && (read_digits(rest, digits) || invalid_identifier("Daemon Revision", err));
}

bool names_read_daemon_deployment(const struct names *names, struct str arn, struct service_name *daemon, struct id *id, struct arena *arena,
                                  struct err *err)
{
    struct str rest;
    return part_in_arn(names, arn, STR("daemon-deployment"), "Daemon Deployment", daemon, &rest, err)
        && (read_letters(rest, id, arena) || invalid_identifier("Daemon Deployment", err));
}
