/* servers.c: checks etcd and the servers of one state: does each node of etcd answer, how long a write takes, what it complains of, and who leads. */
#include <stdlib.h>

#include "agent/doctor.h"
#include "base/clock.h"
#include "base/text/duration.h"
#include "cli/cli.h"
#include "ha/engine.h"

enum {
    LOOK_MS = 5000, WRITES = 40, WRITE_MS = 2000,
    SLOW_P50_MS = 25, SLOW_P99_MS = 200,                 /* each change waits for one write */
    CLOCK_WARN_MS = 5000, CLOCK_FAIL_MS = 5 * 60 * 1000, /* beyond the latter no signature holds */
    SIZE_WARN_MIB = 1536,                                /* etcd's usual quota is 2 GiB */
    BEHIND_WARN = 1000
};

static const char disk_told[] = "put etcd on separate disks: docs/high-availability.md";

/* ---- etcd ---- */

static bool is_old(const char *version) { return strncmp(version, "3.", 2) == 0 ? strtol(version + 2, NULL, 10) < 4 : strtol(version, NULL, 10) < 3; }

static void check_node(const struct ha_endpoint *node, struct finding_list *findings, struct arena *arena)
{
    int64_t apart_ms = node->date_ms == 0 ? 0 : llabs(clock_now_ms() - node->date_ms);
    char apart[DURATION_TEXT_SIZE];
    duration_print(apart_ms, apart);
    if (is_old(node->version)) {
        doctor_put(findings, "etcd", FINDING_FAIL, arena_printf(arena, "%s is etcd %s", node->name, node->version), "install etcd 3.4 or later");
    } else if (node->trouble[0] != '\0') {
        doctor_put(findings, "etcd", FINDING_WARN, arena_printf(arena, "%s says: %s", node->name, node->trouble), "see the log of that etcd");
    } else {
        doctor_put(findings, "etcd", FINDING_OK, arena_printf(arena, "%s answers: etcd %s, %lld MiB", node->name, node->version,
                                                             (long long)(node->size >> 20)), NULL);
    }
    if (node->size >> 20 > SIZE_WARN_MIB) {
        doctor_put(findings, "etcd-size", FINDING_WARN, arena_printf(arena, "%s has a database of %lld MiB", node->name, (long long)(node->size >> 20)),
                   "etcdctl defrag; at --quota-backend-bytes (2 GiB, if it is not set) it takes no more writes");
    }
    if (apart_ms > CLOCK_WARN_MS) {
        doctor_put(findings, "etcd-clock", apart_ms > CLOCK_FAIL_MS ? FINDING_FAIL : FINDING_WARN,
                   arena_printf(arena, "the clocks of %s and of this machine are %s apart", node->name, apart), "set both: timedatectl set-ntp true");
    }
}

/* Does a majority answer? Without it nothing is decided. */
static bool check_nodes(const struct ha_health *health, struct finding_list *findings, struct arena *arena)
{
    size_t answers = 0;
    for (size_t n = 0; n < health->count; n++) { answers += health->endpoints[n].answers; }
    bool enough = 2 * answers > health->count;
    for (size_t n = 0; n < health->count; n++) {
        const struct ha_endpoint *node = &health->endpoints[n];
        if (node->answers) {
            check_node(node, findings, arena);
        } else {
            doctor_put(findings, "etcd", enough ? FINDING_WARN : FINDING_FAIL, arena_printf(arena, "%s does not answer: %s", node->name, node->trouble),
                       "is it running, and do --ha-ca, --ha-cert, --ha-key and --ha-user fit?");
        }
    }
    if (health->alarm[0] != '\0') {
        doctor_put(findings, "etcd-alarm", FINDING_FAIL, arena_printf(arena, "etcd has the alarm %s: it takes no writes", health->alarm),
                   "etcdctl defrag, then etcdctl alarm disarm; a larger --quota-backend-bytes");
    }
    return enough;
}

static int compare_times(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static void check_writes(struct ha_engine *engine, struct finding_list *findings, struct arena *arena)
{
    int64_t took_us[WRITES];
    for (size_t w = 0; w < WRITES; w++) {
        int64_t began_us = clock_monotonic_us();
        if (engine->ops->probe(engine, clock_monotonic_ms() + WRITE_MS) != HA_DONE) {
            doctor_put(findings, "log-writes", FINDING_FAIL, arena_printf(arena, "etcd did not take write %zu of %d", w + 1, WRITES),
                       "has it a majority and room, and may this user write?");
            return;
        }
        took_us[w] = clock_monotonic_us() - began_us;
    }
    qsort(took_us, WRITES, sizeof took_us[0], compare_times);
    double half_ms = (double)took_us[WRITES / 2] / 1000, most_ms = (double)took_us[WRITES - 1] / 1000;
    bool slow = half_ms > SLOW_P50_MS || most_ms > SLOW_P99_MS;
    doctor_put(findings, "log-writes", slow ? FINDING_WARN : FINDING_OK,
               arena_printf(arena, "a write takes %.1f ms, the longest of %d took %.1f ms", half_ms, WRITES, most_ms),
               disk_told);
}

/* ---- the servers ---- */

static void check_members(const struct ha_member *members, size_t count, const struct ha_head *head, struct finding_list *findings, struct arena *arena)
{
    if (head->term == 0) {
        doctor_put(findings, "leader", FINDING_FAIL, STR("no server leads"), "is one running? `berth ha` on it says more, and so does its log");
    } else {
        doctor_put(findings, "leader", FINDING_OK, arena_printf(arena, "%s leads, at %s", head->leader, head->address), NULL);
    }
    for (size_t m = 0; m < count; m++) {
        int64_t behind = head->last - members[m].durable;
        if (behind > BEHIND_WARN) {
            doctor_put(findings, "servers", FINDING_WARN, arena_printf(arena, "%s is %lld entries behind", members[m].name, (long long)behind),
                       "see its log and its disk");
        }
        if (strcmp(members[m].release, members[0].release) != 0) {
            doctor_put(findings, "servers", FINDING_WARN, arena_printf(arena, "%s has release %s, and %s has %s", members[m].name, members[m].release,
                                                                    members[0].name, members[0].release),
                       "update them one after the other");
        }
    }
    if (count == 1) {
        doctor_put(findings, "servers", FINDING_WARN, arena_printf(arena, "%s is alone: when it dies, nobody goes on", members[0].name),
                   "start a second server with the same --ha");
    } else {
        doctor_put(findings, "servers", FINDING_OK, arena_printf(arena, "%zu servers share the state, up to entry %lld", count, (long long)head->last), NULL);
    }
}

void cli_doctor_servers(const struct config *config, struct finding_list *findings, struct arena *arena)
{
    const struct ha_etcd_config etcd = {
        config_text(config, SETTING_HA), config_text(config, SETTING_HA_USER), config_text(config, SETTING_HA_PASSWORD), config_text(config, SETTING_HA_CA),
        config_text(config, SETTING_HA_CERT), config_text(config, SETTING_HA_KEY), NULL,
    };
    struct ha_engine *engine;
    struct err err = { 0 };
    if (!ha_etcd_open(&etcd, &engine, &err)) {
        doctor_put(findings, "etcd", FINDING_FAIL, arena_str(arena, str_from(err.message)), "the same --ha as the servers have");
        return;
    }
    struct ha_health *health = ARENA_NEW(arena, struct ha_health, 1);
    struct ha_member *members = ARENA_NEW(arena, struct ha_member, HA_MEMBERS_MAX);
    struct ha_head head;
    size_t count = 0;
    engine->ops->health(engine, health, clock_monotonic_ms() + LOOK_MS);
    if (check_nodes(health, findings, arena)) {
        check_writes(engine, findings, arena);
        if (engine->ops->members(engine, members, &count, clock_monotonic_ms() + LOOK_MS) == HA_DONE
            && engine->ops->head(engine, &head, clock_monotonic_ms() + LOOK_MS) == HA_DONE && count > 0) {
            check_members(members, count, &head, findings, arena);
        } else {
            doctor_put(findings, "servers", FINDING_FAIL, STR("no server has written itself down there"),
                       "the same name at the end of --ha as the servers have");
        }
    }
    engine->ops->close(engine);
}
