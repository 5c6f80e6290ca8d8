/* audit.c: one line for each write but agents' reports, and for each call to the services of secrets: user, address, things, result.
 *
 * audit: StopTask user=alice key=AKIA… peer=10.0.0.5 task=arn:aws:ecs:… result=ok request=…
 *
 * The things of a call are found by the names of members: in the reply, as ARNs, when it went well and names them; otherwise in the request, as the
 * caller wrote them. Names of secrets are replaced by their HMAC with a key of the store: the same name has the same one in every line. */
#include "server/front/audit.h"

#include "base/text/arn.h"
#include "base/sigv4.h"

enum { VALUE_MAX = 256, THINGS_MAX = 1200 };             /* bytes: of a value; of all things */

/* Where a thing is named: `member`, a text or a list of texts; `within` a structure or a list of them, or nothing. */
struct place { struct str within, member, noun; bool first, hashed; };         /* first: of a list, the first item will do */

static const struct place replied[] = {
    { STR_INIT("cluster"),            STR_INIT("clusterArn"),           STR_INIT("cluster"),    false, false },
    { STR_INIT("tasks"),              STR_INIT("taskDefinitionArn"),    STR_INIT("definition"), true,  false },
    { STR_INIT("tasks"),              STR_INIT("taskArn"),              STR_INIT("task"),       false, false },
    { STR_INIT("task"),               STR_INIT("taskArn"),              STR_INIT("task"),       false, false },
    { STR_INIT(""),                   STR_INIT("taskArn"),              STR_INIT("task"),       false, false },
    { STR_INIT("containerInstance"),  STR_INIT("containerInstanceArn"), STR_INIT("instance"),   false, false },
    { STR_INIT("containerInstances"), STR_INIT("containerInstanceArn"), STR_INIT("instance"),   false, false },
    { STR_INIT("attributes"),         STR_INIT("targetId"),             STR_INIT("instance"),   false, false },
    { STR_INIT("taskDefinition"),     STR_INIT("taskDefinitionArn"),    STR_INIT("definition"), false, false },
    { STR_INIT("taskDefinitions"),    STR_INIT("taskDefinitionArn"),    STR_INIT("definition"), false, false },
    { STR_INIT(""),                   STR_INIT("daemonTaskDefinitionArn"), STR_INIT("definition"), false, false },
    { STR_INIT("service"),            STR_INIT("serviceArn"),           STR_INIT("service"),    false, false },
    { STR_INIT(""),                   STR_INIT("serviceDeploymentArn"), STR_INIT("deployment"), false, false },
    { STR_INIT(""),                   STR_INIT("daemonArn"),            STR_INIT("daemon"),     false, false },
    { STR_INIT(""),                   STR_INIT("Name"),                 STR_INIT("secret"),     false, true },
    { STR_INIT("Parameter"),          STR_INIT("Name"),                 STR_INIT("secret"),     false, true },
    { STR_INIT("Parameters"),         STR_INIT("Name"),                 STR_INIT("secret"),     false, true },
    { STR_INIT(""),                   STR_INIT("DeletedParameters"),    STR_INIT("secret"),     false, true },
};

static const struct place asked[] = {
    { STR_INIT(""),                   STR_INIT("cluster"),              STR_INIT("cluster"),    false, false },
    { STR_INIT(""),                   STR_INIT("clusterName"),          STR_INIT("cluster"),    false, false },
    { STR_INIT(""),                   STR_INIT("task"),                 STR_INIT("task"),       false, false },
    { STR_INIT(""),                   STR_INIT("tasks"),                STR_INIT("task"),       false, false },
    { STR_INIT(""),                   STR_INIT("containerInstance"),    STR_INIT("instance"),   false, false },
    { STR_INIT(""),                   STR_INIT("containerInstances"),   STR_INIT("instance"),   false, false },
    { STR_INIT(""),                   STR_INIT("containerInstanceArn"), STR_INIT("instance"),   false, false },
    { STR_INIT("attributes"),         STR_INIT("targetId"),             STR_INIT("instance"),   false, false },
    { STR_INIT(""),                   STR_INIT("taskDefinition"),       STR_INIT("definition"), false, false },
    { STR_INIT(""),                   STR_INIT("taskDefinitions"),      STR_INIT("definition"), false, false },
    { STR_INIT(""),                   STR_INIT("daemonTaskDefinition"), STR_INIT("definition"), false, false },
    { STR_INIT(""),                   STR_INIT("family"),               STR_INIT("definition"), false, false },
    { STR_INIT(""),                   STR_INIT("service"),              STR_INIT("service"),    false, false },
    { STR_INIT(""),                   STR_INIT("serviceName"),          STR_INIT("service"),    false, false },
    { STR_INIT(""),                   STR_INIT("serviceDeploymentArn"), STR_INIT("deployment"), false, false },
    { STR_INIT(""),                   STR_INIT("daemonArn"),            STR_INIT("daemon"),     false, false },
    { STR_INIT(""),                   STR_INIT("daemonName"),           STR_INIT("daemon"),     false, false },
    { STR_INIT(""),                   STR_INIT("daemonTaskDefinitionArn"), STR_INIT("definition"), false, false },
    { STR_INIT(""),                   STR_INIT("resourceArn"),          STR_INIT("resource"),   false, false },
    { STR_INIT(""),                   STR_INIT("name"),                 STR_INIT("name"),       false, false },
    { STR_INIT(""),                   STR_INIT("uuid"),                 STR_INIT("gpu"),        false, false },
    { STR_INIT(""),                   STR_INIT("SessionId"),            STR_INIT("session"),    false, false },
    { STR_INIT(""),                   STR_INIT("SecretId"),             STR_INIT("secret"),     false, true },
    { STR_INIT(""),                   STR_INIT("Name"),                 STR_INIT("secret"),     false, true },
    { STR_INIT(""),                   STR_INIT("Names"),                STR_INIT("secret"),     false, true },
    { STR_INIT(""),                   STR_INIT("ResourceId"),           STR_INIT("secret"),     false, true },
    { STR_INIT(""),                   STR_INIT("Path"),                 STR_INIT("secret"),     false, true },
};

/* ---- values ---- */

/* Without blanks and line ends, so that no value can look like another member, and of bounded length. */
static void put_value(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.len && i < VALUE_MAX; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c <= ' ' || c == '=' || c == ',' || c == '\\' || c == 0x7F) { buf_printf(out, "\\x%02x", c); } else { buf_put_char(out, (char)c); }
    }
    if (text.len > VALUE_MAX) { buf_put(out, STR("...")); }
}

static struct str audit_value(struct str text, struct arena *arena)
{
    struct buf out = buf_in(arena);
    put_value(&out, text);
    return buf_str(&out);
}

/* The name in an ARN, without the six characters behind a secret's; of a parameter without its version. */
static struct str plain_name(struct str text)
{
    enum { SUFFIX_LEN = 7 };
    struct arn arn;
    struct str kind, name, version;
    if (!arn_parse(text, &arn)) {
        (void)str_cut(text, ':', &name, &version);
        return name;
    }
    if (str_starts_with(arn.resource, STR("secret:"))) {
        (void)str_cut(arn.resource, ':', &kind, &name);
        bool suffixed = name.len > SUFFIX_LEN && name.ptr[name.len - SUFFIX_LEN] == '-';
        return str_slice(name, 0, suffixed ? name.len - SUFFIX_LEN : name.len);
    }
    (void)str_cut(arn.resource, '/', &kind, &name);
    return str_find(name, '/') < name.len ? str_slice(arn.resource, kind.len, arn.resource.len) : name;
}

static void put_hash(struct buf *out, struct str key, struct str service, struct str text)
{
    enum { SHOWN = 16 };                                 /* bytes of 32: enough to tell names apart */
    uint8_t mac[32];
    struct buf body = buf_in(out->arena);
    buf_printf(&body, "audit/" STR_FMT "/" STR_FMT, STR_ARG(service), STR_ARG(plain_name(text)));
    hmac_sha256(key, buf_str(&body), mac);
    buf_put(out, STR("hmac-"));
    buf_put_hex(out, (struct str){ (const char *)mac, SHOWN });
}

/* ---- things ---- */

struct things { struct str key, service; const struct place *place; struct buf text; struct str last; size_t count, more; };

static void add(struct things *things, struct str text)
{
    const struct place *place = things->place;
    if (text.len == 0 || (things->count > 0 && (place->first || str_eq(text, things->last)))) { return; }
    if (things->text.len > THINGS_MAX) {
        things->more++;
        return;
    }
    if (things->count == 0) { buf_printf(&things->text, " " STR_FMT "=", STR_ARG(place->noun)); } else { buf_put_char(&things->text, ','); }
    if (place->hashed) { put_hash(&things->text, things->key, things->service, text); } else { put_value(&things->text, text); }
    things->last = text;
    things->count++;
}

static void add_asked(struct things *things, const struct json *value)
{
    if (value == NULL) { return; }
    if (value->type == JSON_STRING) { add(things, value->as.string); }
    for (size_t i = 0; value->type == JSON_ARRAY && i < value->count; i++) {
        if (value->as.items[i].type == JSON_STRING) { add(things, value->as.items[i].as.string); }
    }
}

static void find_asked(struct things *things, const struct json *request)
{
    const struct place *place = things->place;
    const struct json *list = place->within.len == 0 ? NULL : json_get(request, place->within);
    if (place->within.len == 0) { add_asked(things, json_get(request, place->member)); }
    for (size_t i = 0; list != NULL && list->type == JSON_ARRAY && i < list->count; i++) { add_asked(things, json_get(&list->as.items[i], place->member)); }
}

struct any_list { const char *items; size_t count; };            /* as every list of schema.h lies in memory */

static const struct field *find_field(const struct schema *schema, struct str name)
{
    for (size_t f = 0; f < schema->count; f++) {
        if (str_eq(schema->fields[f].name, name)) { return &schema->fields[f]; }
    }
    return NULL;
}

static void add_replied(struct things *things, const struct schema *schema, const char *reply)
{
    const struct field *field = find_field(schema, things->place->member);
    if (field == NULL) { return; }
    if (field->kind == FIELD_STR) { add(things, *(const struct str *)(const void *)(reply + field->offset)); }
    if (field->kind != FIELD_LIST || field->element != FIELD_STR) { return; }
    const struct str_list *list = (const void *)(reply + field->offset);
    for (size_t i = 0; i < list->count; i++) { add(things, list->items[i]); }
}

static void find_replied(struct things *things, const struct schema *schema, const char *reply)
{
    if (things->place->within.len == 0) {
        add_replied(things, schema, reply);
        return;
    }
    const struct field *field = find_field(schema, things->place->within);
    if (field == NULL) { return; }
    if (field->kind == FIELD_STRUCT) {
        const char *one = *(const char *const *)(const void *)(reply + field->offset);
        if (one != NULL) { add_replied(things, field->schema, one); }
    } else if (field->kind == FIELD_LIST && field->element == FIELD_STRUCT) {
        const struct any_list *list = (const void *)(reply + field->offset);
        for (size_t i = 0; i < list->count; i++) { add_replied(things, field->schema, list->items + i * field->schema->size); }
    }
}

static void begin_place(struct things *things, const struct place *place)
{
    things->place = place;
    things->count = 0;
}

static struct str find_things(const struct front *front, const struct audit *audit)
{
    struct arena *arena = audit->request->arena;
    struct things things = { .key = front->audit_key, .service = audit->service, .text = buf_in(arena) };
    const struct api_call *call = audit->err->code == ERR_NONE ? audit->call : NULL;
    if (call != NULL && call->operation->output != NULL) {
        for (size_t p = 0; p < COUNT_OF(replied); p++) {
            begin_place(&things, &replied[p]);
            find_replied(&things, call->operation->output, call->output);
        }
    }
    if (things.text.len == 0) {
        struct err unread = { 0 };
        const struct json *request = json_parse(audit->request->body, arena, &unread);
        for (size_t p = 0; request != NULL && p < COUNT_OF(asked); p++) {
            begin_place(&things, &asked[p]);
            find_asked(&things, request);
        }
    }
    if (things.more > 0) { buf_printf(&things.text, ",+%zu", things.more); }
    return buf_str(&things.text);
}

/* ---- the line ---- */

static void audit_line(const struct http_request *request, const struct caller *caller, struct str name, struct str things, enum log_level level,
                       const struct err *err)
{
    struct arena *arena = request->arena;
    log_line(level, "audit", STR_FMT " user=" STR_FMT " key=" STR_FMT " peer=" STR_FMT STR_FMT " result=%s request=%s", STR_ARG(name),
             STR_ARG(audit_value(caller->user, arena)), STR_ARG(audit_value(caller->access_key, arena)), STR_ARG(request->peer), STR_ARG(things),
             err->code == ERR_NONE ? "ok" : err_wire_name(err->code), request->id);
}

void audit_call(const struct front *front, const struct audit *audit)
{
    bool is_ecs = str_eq(audit->service, ecs_service.name);
    struct str name = is_ecs ? audit->operation : arena_printf(audit->request->arena, STR_FMT ":" STR_FMT, STR_ARG(audit->service), STR_ARG(audit->operation));
    audit_line(audit->request, audit->caller, name, find_things(front, audit), audit->level, audit->err);
}

void audit_exec(const struct http_request *request, const struct caller *caller, const struct wire_exec *message, const struct err *err)
{
    struct arena *arena = request->arena;
    struct str things = arena_printf(arena, " task=" STR_FMT " container=" STR_FMT, STR_ARG(audit_value(message->task_arn, arena)),
                                     STR_ARG(audit_value(message->container, arena)));
    audit_line(request, caller, STR("Exec"), things, LOG_INFO, err);
}

void audit_report(const struct http_request *request, const struct caller *caller, struct str operation, struct str task, const struct err *err)
{
    if (!log_shows(LOG_DEBUG)) { return; }
    struct str things = arena_printf(request->arena, " task=" STR_FMT, STR_ARG(audit_value(task, request->arena)));
    audit_line(request, caller, operation, things, LOG_DEBUG, err);
}
