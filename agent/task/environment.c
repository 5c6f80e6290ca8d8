/* environment.c: defaults first, then the user's variables, then the agent's own. */
#include "agent/task/environment.h"

#include "model/gpu.h"

enum { OWN_MAX = 16 };                           /* more names than this file sets */

static struct str variable(const struct wire_container *container, struct str name)
{
    for (size_t p = 0; p < container->environment.count; p++) {
        if (str_eq(container->environment.items[p].key, name)) { return container->environment.items[p].value; }
    }
    return (struct str){ NULL, 0 };
}

/* "0.5" → 500. The server wrote it; more decimals than it writes are cut off. */
static int64_t read_share(struct str text)
{
    struct str whole, decimals;
    int64_t share = 0, thousandths = 0;
    str_cut(text, '.', &whole, &decimals);
    decimals = str_slice(decimals, 0, 3);
    if (str_to_i64(decimals, &thousandths) && thousandths > 0) { share = thousandths; }
    for (size_t d = decimals.len; d < 3; d++) { share *= 10; }
    return share;
}

/* The server refuses these names from users, so a value found here is the server's. */
static bool find_shared(const struct wire_container *container, struct str *uuid, int64_t *share)
{
    *share = read_share(variable(container, STR("BERTH_GPU_SHARE")));
    *uuid = variable(container, STR("NVIDIA_VISIBLE_DEVICES"));
    return *share > 0 && uuid->len > 0;
}

struct str_list environment_gpus(const struct wire_task *task, const struct wire_container *container, int64_t *share, struct arena *arena)
{
    struct str_list gpus = { ARENA_NEW(arena, struct str, task->associations.count + 1), 0 };
    for (size_t a = 0; a < task->associations.count; a++) {
        const struct wire_association *association = &task->associations.items[a];
        if (!str_eq_nocase(association->type, STR("gpu"))) { continue; }
        if (str_list_has(&association->containers, container->name)) { gpus.items[gpus.count++] = association->name; }
    }
    if (gpus.count == 0 && find_shared(container, &gpus.items[0], share)) {
        gpus.count = 1;
    } else {
        *share = GPU_SHARE_WHOLE;
    }
    return gpus;
}

static struct str join(const struct str_list *words, struct arena *arena)
{
    struct buf text = buf_in(arena);
    for (size_t w = 0; w < words->count; w++) {
        if (w > 0) { buf_put_char(&text, ','); }
        buf_put(&text, words->items[w]);
    }
    return buf_str(&text);
}

static struct pair *find(struct pair_list *list, struct str key)
{
    for (size_t p = 0; p < list->count; p++) {
        if (str_eq(list->items[p].key, key)) { return &list->items[p]; }
    }
    return NULL;
}

static void set(struct pair_list *list, struct str key, struct str value)
{
    struct pair *pair = find(list, key);
    if (pair == NULL) { pair = &list->items[list->count++]; }
    *pair = (struct pair){ key, value };
}

static void set_default(struct pair_list *list, struct str key, struct str value)
{
    if (find(list, key) == NULL) { set(list, key, value); }
}

static struct str last_part(struct str arn)
{
    struct str head, tail = arn;
    while (str_cut(tail, '/', &head, &tail)) { }
    return head;
}

/* A container sees the GPUs that it was given and no others, also where the user has set these variables. On a machine without GPUs the user's
 * values are kept: they mean nothing there. */
static void set_gpus(struct pair_list *list, const struct environment_rules *rules, const struct str_list *gpus, struct arena *arena)
{
    if (gpus->count > 0) {
        set(list, STR("NVIDIA_VISIBLE_DEVICES"), join(gpus, arena));
        set_default(list, STR("NVIDIA_DRIVER_CAPABILITIES"), STR("compute,utility"));
    } else if (rules->has_gpus) {
        set(list, STR("NVIDIA_VISIBLE_DEVICES"), STR("void"));
    }
    if (rules->mps_pipe != NULL) { set(list, STR("CUDA_MPS_PIPE_DIRECTORY"), str_from(rules->mps_pipe)); }
    if (rules->is_process && (gpus->count > 0 || rules->has_gpus)) { set(list, STR("CUDA_VISIBLE_DEVICES"), join(gpus, arena)); }
}

/* In the words of the ECS agent. The address of keys is set only when the task has a role: without one, SDKs would wait for keys in vain. */
static void set_metadata(struct pair_list *list, const struct environment_rules *rules, const struct wire_task *task, struct arena *arena)
{
    if (rules->metadata_url == NULL) { return; }
    const char *url = rules->metadata_url;
    set(list, STR("ECS_CONTAINER_METADATA_URI"), arena_printf(arena, "%s/v3/" STR_FMT, url, STR_ARG(rules->metadata_id)));
    set(list, STR("ECS_CONTAINER_METADATA_URI_V4"), arena_printf(arena, "%s/v4/" STR_FMT, url, STR_ARG(rules->metadata_id)));
    set(list, STR("ECS_AGENT_URI"), arena_printf(arena, "%s/api/" STR_FMT, url, STR_ARG(rules->metadata_id)));
    if (task->role_credentials == NULL) { return; }
    struct str name = rules->metadata_is_usual ? STR("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") : STR("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    set(list, name, arena_printf(arena, "%s/v2/credentials/" STR_FMT, rules->metadata_is_usual ? "" : url, STR_ARG(task->role_credentials->credentials_id)));
}

struct pair_list environment_build(const struct environment_rules *rules, const struct wire_task *task,
                                   const struct wire_container *container, const struct str_list *gpus, struct arena *arena)
{
    size_t count = container->environment.count;
    struct pair_list list = { ARENA_NEW(arena, struct pair, count + OWN_MAX), 0 };
    for (size_t p = 0; p < count; p++) { list.items[list.count++] = container->environment.items[p]; }
    set_default(&list, STR("AWS_REGION"), str_from(rules->region));
    set_default(&list, STR("AWS_DEFAULT_REGION"), str_from(rules->region));
    set(&list, STR("BERTH_TASK_ARN"), task->arn);
    set(&list, STR("BERTH_TASK_ID"), last_part(task->arn));
    set_metadata(&list, rules, task, arena);
    set_gpus(&list, rules, gpus, arena);
    return list;
}

/* ---- metadata ---- */

const char *metadata_base_for(const struct metadata_base *base, bool is_process, struct str network_mode)
{
    if (is_process || str_eq(network_mode, STR("host"))) { return base->host_network; }
    return str_eq(network_mode, STR("none")) ? NULL : base->other_networks;
}
