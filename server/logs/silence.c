/* silence.c: why nothing is there of what a task prints. */
#include "server/logs/silence.h"

#include "api/tell/log_names.h"
#include "api/tasks/overrides.h"
#include "model/taskdef.h"

struct subject { const struct task *task; const struct taskdef *taskdef; const struct instance *instance; };

static bool read_subject(struct store *store, struct id id, struct subject *subject, struct arena *arena, struct err *err)
{
    struct store_txn *txn = store_read_begin(store);
    *subject = (struct subject){ .task = store_task(txn, id, arena) };
    if (subject->task != NULL) {
        subject->taskdef = store_taskdef_of(txn, subject->task, arena);
        subject->instance = store_instance(txn, subject->task->instance, arena);
    }
    return store_read_end(txn) || err_set(err, ERR_SERVER, "The store can't be read.");
}

/* For one container, or for the first when Berth has the output of no container. */
static struct str why_silent(const struct subject *subject, struct str container, struct arena *arena)
{
    const struct task_definition *def = &subject->taskdef->def;
    bool has_role = overrides_execution_role(def, subject->task->overrides).len > 0;
    struct str why = { 0 };
    for (size_t c = 0; c < def->container_definitions.count; c++) {
        const struct container_definition *definition = &def->container_definitions.items[c];
        if (str_is_set(container) && !str_eq(container, definition->name)) { continue; }
        struct str one = log_elsewhere(subject->instance, definition, has_role, arena);
        if (!str_is_set(one)) { return one; }
        if (!str_is_set(why)) { why = one; }
    }
    return why;
}

bool logs_explain(struct store *store, struct id task, struct str *container, struct arena *arena, struct err *err)
{
    struct subject subject;
    if (!read_subject(store, task, &subject, arena, err)) { return false; }
    if (subject.task == NULL) {
        return err_set(err, ERR_RESOURCE_NOT_FOUND, "There is no log of this task, and no such task, or it stopped too long ago: see `berth history`.");
    }
    if (subject.taskdef == NULL) { return true; }
    const struct container_definition_list *containers = &subject.taskdef->def.container_definitions;
    if (str_is_set(*container) && taskdef_container(&subject.taskdef->def, *container) == NULL) {
        return err_set(err, ERR_RESOURCE_NOT_FOUND, "The task has no container " STR_FMT ".", STR_ARG(*container));
    }
    struct str why = subject.instance == NULL ? (struct str){ 0 } : why_silent(&subject, *container, arena);
    if (!str_is_set(*container) && containers->count == 1) { *container = containers->items[0].name; }
    return !str_is_set(why) || err_set(err, ERR_RESOURCE_NOT_FOUND, STR_FMT, STR_ARG(why));
}
