/* taskmeta_internal.h: shared by the files behind taskmeta.h: a task at one moment, copied, because the task itself may end during the answer. */
#ifndef BERTH_AGENT_INSIDE_TASKMETA_INTERNAL_H
#define BERTH_AGENT_INSIDE_TASKMETA_INTERNAL_H

#include "agent/inside/container_http.h"
#include "agent/inside/taskmeta.h"

enum { TASKMETA_CONTAINERS, TASKMETA_OPERATOR };     /* doors */
enum taskmeta_version { TASKMETA_V3 = 3, TASKMETA_V4 = 4 };

struct shown_container {
    struct str name, image, arn, id;                 /* id: the runtime's; empty: not made yet */
    enum container_phase phase;
    struct opt_int exit_code, cpu, memory;
    int64_t started_ms;
    struct network_binding_list bindings;
    int64_t restarts;
    bool has_check, may_restart;
    const struct json *engine;                       /* the engine's description; NULL: none, or it was not asked */
};
struct shown_task {
    struct str arn, id, family, revision, launch_type, group, network_mode;
    struct str address, mac_address;                 /* of the task's own network interface; empty: it has none */
    bool wanted;
    struct opt_double cpu;
    struct opt_int memory;
    int64_t pull_started_ms, pull_stopped_ms, execution_stopped_ms;
    struct wire_association_list associations;
    struct shown_container *containers; size_t count;
    size_t asking;                                   /* the container whose address was used */
    struct wire_role_credentials *keys;              /* of the task's role; NULL: it has none, or its keys have not come yet */
};

/* taskmeta.c. All texts are copied into `arena`. The first of the three finds the task by the address of a container. */
enum found { FOUND, FOUND_NOTHING, FOUND_TOO_OFTEN };
enum found taskmeta_find(struct taskmeta *metadata, struct str endpoint_id, struct shown_task *task, struct arena *arena);
enum found taskmeta_find_keys(struct taskmeta *metadata, struct str credentials_id, struct wire_role_credentials **keys, struct arena *arena);
size_t taskmeta_list(struct taskmeta *metadata, struct shown_task **tasks, struct arena *arena);
const struct taskmeta_config *taskmeta_settings(const struct taskmeta *metadata);
struct str taskmeta_instance(struct taskmeta *metadata, struct arena *arena);

/* taskmeta_routes.c */
void taskmeta_answer(void *metadata, const struct container_request *request, struct container_answer *answer);

/* taskmeta_json.c */
void taskmeta_put_time(struct json_out *out, struct str key, int64_t epoch_ms, struct arena *arena);       /* RFC 3339; 0: nothing */
void taskmeta_put_container(struct json_out *out, const struct shown_task *task, const struct shown_container *container, enum taskmeta_version version,
                            struct arena *arena);
struct taskmeta_tags { const struct json *task, *instance; };        /* lists of {"key":…,"value":…}; NULL: none */
void taskmeta_put_task(struct json_out *out, const struct taskmeta_config *config, const struct shown_task *task, enum taskmeta_version version,
                       const struct taskmeta_tags *tags, struct arena *arena);
/* For an operator. */
void taskmeta_put_operator_task(struct json_out *out, const struct shown_task *task, struct arena *arena);
/* The later of two samples, with the earlier one inside; v4 adds the rates between them. */
void taskmeta_put_stats(struct json_out *out, const struct json *before, const struct json *now, enum taskmeta_version version);

#endif
