/* fuzz_agent_files.c: the agent's own files, as a broken disk or a stranger may leave them: the values of one are read the same once it is
 * written again. The first byte chooses the file. */
#include "agent/process/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/core/state_file.h"
#include "agent/task/task.h"
#include "base/file.h"
#include "tests/fuzz/fuzz.h"

enum { CEILING = 8 * 1024 * 1024 };

static char dir[] = "/tmp/berth-fuzz-files-XXXXXX";

static void tidy(void)
{
    static const char *const files[] = { "spec.json", "pid", "exit", "agent.json" };
    char path[PROCESS_PATH_MAX];
    for (size_t f = 0; f < COUNT_OF(files); f++) { (void)(process_path(dir, files[f], path) && unlink(path)); }
    (void)rmdir(dir);
}

static void put_file(const char *name, struct str text)
{
    char path[PROCESS_PATH_MAX];
    FILE *file = process_path(dir, name, path) ? fopen(path, "we") : NULL;
    ASSERT(file != NULL && fwrite(text.ptr, 1, text.len, file) == text.len && fclose(file) == 0);
}

static struct str print(const struct container_found *found, struct arena *arena)
{
    struct buf buf = buf_in(arena);
    struct json_out out = json_out_to(&buf);
    json_open(&out, '{');
    process_put_found(&out, found);
    json_close(&out, '}');
    return buf_str(&buf);
}

static void check_spec(struct str text, struct arena *arena)
{
    put_file("spec.json", text);
    struct container_found found, again;
    struct err err = { 0 };
    const struct json *tree = process_read_spec(dir, arena);
    if (tree == NULL) { return; }
    process_read_found(tree, &found, arena);
    struct str printed = print(&found, arena);
    tree = json_parse(printed, arena, &err);
    ASSERT(tree != NULL);
    process_read_found(tree, &again, arena);
    ASSERT(str_eq(print(&again, arena), printed) && again.gpus.count == found.gpus.count);
    ASSERT(strlen(process_shim_word(dir, arena)) == printed.len);
}

static void check_pids(struct str text, struct arena *arena)
{
    (void)arena;
    struct process_pids pids, again;
    struct err err = { 0 };
    put_file("pid", text);
    if (!process_read_pids(dir, &pids)) { return; }
    ASSERT(memchr(pids.boot, '\0', sizeof pids.boot) != NULL && process_write_pids(dir, &pids, &err) && process_read_pids(dir, &again));
    ASSERT(pids.shim.pid == again.shim.pid && pids.command.start == again.command.start && strcmp(pids.boot, again.boot) == 0);
}

static void check_exit(struct str text, struct arena *arena)
{
    (void)arena;
    struct process_exit ended, again;
    struct err err = { 0 };
    put_file("exit", text);
    if (!process_read_exit(dir, &ended)) { return; }
    ASSERT(process_write_exit(dir, &ended, &err) && process_read_exit(dir, &again));
    ASSERT(ended.code == again.code && ended.finished_ms == again.finished_ms);
}

static void check_identity(struct str text, struct arena *arena)
{
    struct identity identity, again;
    struct err err = { 0 };
    put_file("agent.json", text);
    if (!identity_load(dir, &identity, arena, &err)) {
        ASSERT(err.message[0] != '\0');
        return;
    }
    if (!str_is_set(identity.arn) && !str_is_set(identity.client_token)) { identity.client_token = STR("token"); }     /* as the agent makes one */
    ASSERT(identity_save(dir, &identity, &err) && identity_load(dir, &again, arena, &err));
    ASSERT(str_eq(identity.arn, again.arn) && str_eq(identity.cluster, again.cluster) && str_eq(identity.client_token, again.client_token));
}

static void check_task(struct str text, struct arena *arena)
{
    char path[PROCESS_PATH_MAX];
    struct saved_task saved;
    struct err err = { 0 };
    put_file("spec.json", text);
    ASSERT(process_path(dir, "spec.json", path));
    ASSERT(task_load(path, &saved, arena, &err) ? saved.payload != NULL : err.message[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const checks[])(struct str text, struct arena *arena) = { check_spec, check_pids, check_exit, check_identity, check_task };
    static struct arena arena;
    if (arena.ceiling == 0) {
        arena_init(&arena, CEILING);
        ASSERT(mkdtemp(dir) != NULL && atexit(tidy) == 0);
    }
    if (size == 0) { return 0; }
    checks[data[0] % COUNT_OF(checks)](fuzz_str(data + 1, size - 1), &arena);
    arena_reset(&arena);
    return 0;
}
