/* keys.c: every key of the store in one table. Numbers are big-endian, so the order on disk is the order in lists. A text before
 * another part ends with a NUL; such texts are names, and no name has a NUL in it.
 *
 * There is no index of tasks by instance: each placement would touch one more page, anywhere in the file. Memory has that index
 * (live.c). The task index keeps the ids as the many sorted values of one key (16 bytes each, no overhead). A task in its
 * family's own group ("family:NAME") is not in the index by group, because the index by family has the same entries. */
#include "store/store_internal.h"

const struct layout layouts[TABLE_COUNT] = {
    /* table                   name               many                           key                         value */
    [TABLE_META]            = { "meta",            false, { PART_TEXT } },                                       /* text */
    [TABLE_CLUSTERS]        = { "clusters",        false, { PART_TEXT } },                                       /* record */
    [TABLE_CLUSTER_NUMBERS] = { "cluster_numbers", false, { PART_CLUSTER } },                                    /* name */
    [TABLE_FAMILIES]        = { "families",        false, { PART_TEXT } },                /* last revision given, 8 bytes */
    [TABLE_TASKDEFS]        = { "taskdefs",        false, { PART_TEXT, PART_NUMBER } },                          /* record */
    [TABLE_TASKDEF_INDEX]   = { "taskdef_index",   false, { PART_STATUS, PART_TEXT, PART_NUMBER } },             /* nothing */
    [TABLE_DAEMON_FAMILIES] = { "daemon_families", false, { PART_TEXT } },                                       /* as families */
    [TABLE_DAEMON_TASKDEFS] = { "daemon_taskdefs", false, { PART_TEXT, PART_NUMBER } },                          /* record */
    [TABLE_DAEMON_TASKDEF_INDEX] = { "daemon_taskdef_index", false, { PART_STATUS, PART_TEXT, PART_NUMBER } },   /* nothing */
    [TABLE_INSTANCES]       = { "instances",       false, { PART_ID } },                                         /* record */
    [TABLE_INSTANCE_INDEX]  = { "instance_index",  false, { PART_CLUSTER, PART_STATUS, PART_ID } },     /* status, 1 byte; the
                                                       * status in the key is 1 for INACTIVE, else 0 */
    [TABLE_TASKS]           = { "tasks",           false, { PART_ID } },                                         /* record */
    [TABLE_TASK_INDEX]      = { "task_index",      true,
                                { PART_INDEX, PART_CLUSTER, PART_STATUS, PART_TEXT } },      /* ids; status: the desired one */
    [TABLE_STOPPED]         = { "stopped",         false, { PART_NUMBER, PART_ID } },            /* nothing; number: stopped_ms */
    [TABLE_ACCESS_KEYS]     = { "access_keys",     false, { PART_TEXT } },                                       /* record */
    [TABLE_CHANGES]         = { "changes",         false, { PART_NUMBER } },             /* changes.c; number: the revision */
    [TABLE_HISTORY]         = { "history",         false, { PART_NUMBER, PART_ID } },             /* record; number: stopped_ms */
    [TABLE_HISTORY_INDEX]   = { "history_index",   false, { PART_ID } },                                /* stopped_ms, 8 bytes */
    [TABLE_SETTINGS]        = { "settings",        false, { PART_TEXT } },              /* record; text: the principal's ARN */
    [TABLE_PAST_EVENTS]     = { "past_events",     false, { PART_ID } },     /* an instance's, from tasks forgotten; 8 bytes */
    [TABLE_SECRETS]         = { "secrets",         false, { PART_INDEX, PART_TEXT } },        /* record; index: the kind, text: the name */
    [TABLE_ALARMS]          = { "alarms",          false, { PART_TEXT } },                                       /* record */
    /* of services; number: the service's, except in gone_services, where it is deleted_ms; second: digits of a deployment, or the service's number */
    [TABLE_SERVICES]            = { "services",            false, { PART_NUMBER } },                             /* record */
    [TABLE_SERVICE_NAMES]       = { "service_names",       false, { PART_CLUSTER, PART_TEXT, PART_NUMBER } },    /* status, 1 byte */
    [TABLE_DAEMON_NAMES]        = { "daemon_names",        false, { PART_CLUSTER, PART_TEXT, PART_NUMBER } },    /* status: of managed daemons */
    [TABLE_SERVICE_TOKENS]      = { "service_tokens",      false, { PART_CLUSTER, PART_TEXT, PART_NUMBER } },    /* nothing */
    [TABLE_GONE_SERVICES]       = { "gone_services",       false, { PART_NUMBER, PART_SECOND } },                /* nothing */
    [TABLE_SERVICE_EVENTS]      = { "service_events",      false, { PART_NUMBER } },                             /* record */
    [TABLE_SERVICE_REVISIONS]   = { "service_revisions",   false, { PART_NUMBER, PART_SECOND } },                /* record */
    [TABLE_DEPLOYMENTS]         = { "deployments",         false, { PART_NUMBER, PART_SECOND } },                /* record */
    [TABLE_SERVICE_DEPLOYMENTS] = { "service_deployments", false, { PART_NUMBER, PART_ID } },                    /* record */
    [TABLE_SCALING]             = { "scaling",             false, { PART_NUMBER } },                             /* record */
    [TABLE_PLAIN]               = { "plain",               false, { PART_INDEX, PART_TEXT } },    /* record; index: the kind; text: the id */
    /* of load balancers; index: the kind, text: names with slashes between them (traffic.c), which no name has */
    [TABLE_TRAFFIC]             = { "traffic",             false, { PART_INDEX, PART_TEXT } },                   /* record */
    [TABLE_TARGETS]             = { "targets",             false, { PART_TEXT } },                               /* record */
    [TABLE_TASK_TARGETS]        = { "task_targets",        false, { PART_ID, PART_TEXT } },                      /* nothing */
    [TABLE_SCHEDULES]           = { "schedules",           false, { PART_INDEX, PART_TEXT } },    /* record; index: 1 for a rule; text: the name */
    [TABLE_PROVIDERS]           = { "providers",           false, { PART_TEXT } },                               /* record */
    [TABLE_POOLS]               = { "pools",               false, { PART_TEXT } },                               /* record */
    [TABLE_MACHINES]            = { "machines",            false, { PART_ID } },                                 /* record */
    [TABLE_POOL_MACHINES]       = { "pool_machines",       false, { PART_TEXT, PART_ID } },                      /* nothing */
    [TABLE_MACHINE_TIMES]       = { "machine_times",       false, { PART_NUMBER, PART_ID } },                    /* nothing; number: next_ms */
    [TABLE_OUTBOX]              = { "outbox",              false, { PART_NUMBER } },                             /* record */
    [TABLE_SCHEDULE_TIMES]      = { "schedule_times",      false, { PART_NUMBER, PART_INDEX, PART_TEXT } },      /* nothing; number: due_ms */
};

static void put_number(struct key *key, uint64_t number, size_t size)
{
    ASSERT(size <= KEY_MAX - key->len);
    for (size_t b = 0; b < size; b++) { key->bytes[key->len++] = (uint8_t)(number >> (8 * (size - 1 - b))); }
}

static void put_bytes(struct key *key, const void *bytes, size_t size)
{
    ASSERT(size <= KEY_MAX - key->len);
    if (size > 0) { memcpy(key->bytes + key->len, bytes, size); }
    key->len += size;
}

bool key_make_prefix(struct key *key, enum table table, const struct key_parts *parts, size_t count)
{
    ASSERT(table < TABLE_COUNT && count <= KEY_PARTS_MAX);
    const enum part *layout = layouts[table].parts;
    key->len = 0;
    for (size_t p = 0; p < count; p++) {
        switch (layout[p]) {
        case PART_END:     ASSERT(false);                                                          break;
        case PART_INDEX:   ASSERT(parts->index >= 0 && parts->index <= UINT8_MAX);   put_number(key, (uint64_t)parts->index, 1);   break;
        case PART_STATUS:  ASSERT(parts->status >= 0 && parts->status <= UINT8_MAX); put_number(key, (uint64_t)parts->status, 1);  break;
        case PART_CLUSTER: ASSERT(parts->cluster >= 0 && parts->cluster <= UINT32_MAX); put_number(key, (uint64_t)parts->cluster, 4); break;
        case PART_NUMBER:  ASSERT(parts->number >= 0);  put_number(key, (uint64_t)parts->number, 8);  break;
        case PART_SECOND:  ASSERT(parts->second >= 0);  put_number(key, (uint64_t)parts->second, 8);  break;
        case PART_ID:      put_bytes(key, parts->id.bytes, sizeof parts->id.bytes);                break;
        case PART_TEXT:
            if (parts->text.len > KEY_TEXT_MAX) { return false; }
            put_bytes(key, parts->text.ptr, parts->text.len);
            if (p + 1 < KEY_PARTS_MAX && layout[p + 1] != PART_END) { put_number(key, 0, 1); }
            break;
        }
    }
    return true;
}

bool key_make(struct key *key, enum table table, const struct key_parts *parts)
{
    size_t count = 0;
    while (count < KEY_PARTS_MAX && layouts[table].parts[count] != PART_END) { count++; }
    return key_make_prefix(key, table, parts, count);
}

static bool get_number(struct str *rest, size_t size, uint64_t *number)
{
    if (rest->len < size) { return false; }
    *number = 0;
    for (size_t b = 0; b < size; b++) { *number = *number << 8 | (unsigned char)rest->ptr[b]; }
    *rest = str_slice(*rest, size, rest->len);
    return true;
}

static bool get_part(struct str *rest, enum part part, bool last, struct key_parts *parts)
{
    uint64_t number = 0;
    bool good = false;
    switch (part) {
    case PART_END:     return true;
    case PART_INDEX:   good = get_number(rest, 1, &number); parts->index = (int)number;       return good;
    case PART_STATUS:  good = get_number(rest, 1, &number); parts->status = (int)number;      return good;
    case PART_CLUSTER: good = get_number(rest, 4, &number); parts->cluster = (int64_t)number; return good;
    case PART_NUMBER:  good = get_number(rest, 8, &number); parts->number = (int64_t)number;  return good && parts->number >= 0;
    case PART_SECOND:  good = get_number(rest, 8, &number); parts->second = (int64_t)number;  return good && parts->second >= 0;
    case PART_ID:
        if (rest->len < sizeof parts->id.bytes) { return false; }
        memcpy(parts->id.bytes, rest->ptr, sizeof parts->id.bytes);
        *rest = str_slice(*rest, sizeof parts->id.bytes, rest->len);
        return true;
    case PART_TEXT:
        if (!last) { return str_cut(*rest, '\0', &parts->text, rest); }
        parts->text = *rest;
        *rest = (struct str){ rest->ptr, 0 };
        return true;
    }
    return false;
}

bool key_read(enum table table, struct str bytes, struct key_parts *parts)
{
    const enum part *layout = layouts[table].parts;
    struct str rest = bytes;
    *parts = (struct key_parts){ 0 };
    for (size_t p = 0; p < KEY_PARTS_MAX && layout[p] != PART_END; p++) {
        bool last = p + 1 == KEY_PARTS_MAX || layout[p + 1] == PART_END;
        if (!get_part(&rest, layout[p], last, parts)) { return false; }
    }
    return rest.len == 0;
}
