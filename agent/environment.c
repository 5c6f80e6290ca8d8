/* environment.c: defaults first, then the user's words, then what is ours to say. */
#include "agent/environment.h"

enum { OWN_MAX = 8 };                            /* more names than this file sets */

struct str_list environment_gpus(const struct wire_task *task, struct str container, struct arena *arena)
{
    struct str_list gpus = { ARENA_NEW(arena, struct str, task->associations.count), 0 };
    for (size_t a = 0; a < task->associations.count; a++) {
        const struct wire_association *association = &task->associations.items[a];
        if (!str_eq_nocase(association->type, STR("gpu"))) { continue; }
        for (size_t c = 0; c < association->containers.count; c++) {
            if (str_eq(association->containers.items[c], container)) { gpus.items[gpus.count++] = association->name; break; }
        }
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

/* Whatever the user set, a container sees the GPUs it was given and no others. On a machine without GPUs the user's words
 * stand: they mean nothing there. */
static void set_gpus(struct pair_list *list, const struct environment_rules *rules, const struct str_list *gpus, struct arena *arena)
{
    if (gpus->count > 0) {
        set(list, STR("NVIDIA_VISIBLE_DEVICES"), join(gpus, arena));
        set_default(list, STR("NVIDIA_DRIVER_CAPABILITIES"), STR("compute,utility"));
    } else if (rules->has_gpus) {
        set(list, STR("NVIDIA_VISIBLE_DEVICES"), STR("void"));
    }
    if (rules->is_process && (gpus->count > 0 || rules->has_gpus)) { set(list, STR("CUDA_VISIBLE_DEVICES"), join(gpus, arena)); }
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
    set_gpus(&list, rules, gpus, arena);
    return list;
}
