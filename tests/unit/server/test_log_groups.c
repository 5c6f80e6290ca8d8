/* Which streams a group has: made and found groups, order, sweeping, the cap of a group's file. */
#include "server/logs/groups.h"

#include "tests/unit/server/server_fixture.h"

static struct arena arena;
static struct log_groups *groups;
static const struct id first = { { 1 } }, second = { { 2 } };

static bool add(const char *group, const char *name, struct id task, int64_t created_ms)
{
    struct err err = { 0 };
    const struct log_stream stream = { str_from(name), task, STR("main"), created_ms };
    return log_groups_add(groups, str_from(group), &stream, &err);
}

/* "[name@created]" */
static struct str streams(const char *group)
{
    struct log_stream_list list;
    struct err err = { 0 };
    struct buf out = buf_in(&arena);
    if (!log_groups_streams(groups, str_from(group), &list, &arena, &err)) { return str_from(err_wire_name(err.code)); }
    for (size_t s = 0; s < list.count; s++) {
        buf_printf(&out, "[" STR_FMT "@%lld]", STR_ARG(list.items[s].name), (long long)list.items[s].created_ms);
        CHECK_STR("whose it is", list.items[s].container, STR("main"));
    }
    return buf_str(&out);
}

static struct str names(void)
{
    struct log_group_list list;
    struct err err = { 0 };
    struct buf out = buf_in(&arena);
    CHECK("listed", log_groups_list(groups, &list, &arena, &err));
    for (size_t g = 0; g < list.count; g++) { buf_printf(&out, "[" STR_FMT "%s]", STR_ARG(list.items[g].name), list.items[g].made ? "!" : ""); }
    return buf_str(&out);
}

static enum err_code make(const char *group)
{
    struct err err = { 0 };
    return log_groups_make(groups, str_from(group), 5, &err) ? ERR_NONE : err.code;
}

static void test_groups(void)
{
    CHECK_STR("none", names(), STR(""));
    CHECK_STR("of none", streams("/a"), STR("ResourceNotFoundException"));
    CHECK("a stream makes its group", add("/b", "x/main/1", first, 10));
    CHECK_EQ("one that is made", make("/a"), ERR_NONE);
    CHECK_EQ("made once", make("/a"), ERR_ALREADY_EXISTS);
    CHECK_EQ("one with streams is there already", make("/b"), ERR_ALREADY_EXISTS);
    CHECK_STR("by name", names(), STR("[/a!][/b]"));
    CHECK_STR("an empty one", streams("/a"), STR(""));
    CHECK("another", add("/b", "a b/main/2", second, 30));
    CHECK("the same again", add("/b", "x/main/1", first, 20));
    CHECK_STR("each once, by name, the newer one", streams("/b"), STR("[a b/main/2@30][x/main/1@20]"));
}

static bool gone(void *context, struct id task) { return id_eq(task, *(const struct id *)context); }

static void sweep(struct id task)
{
    for (int turn = 0; turn < 4; turn++) { log_groups_sweep(groups, gone, &task); }
}

static void test_sweep(void)
{
    sweep((struct id){ { 9 } });
    CHECK_STR("nothing is gone", streams("/b"), STR("[a b/main/2@30][x/main/1@20]"));
    sweep(first);
    CHECK_STR("one is gone", streams("/b"), STR("[a b/main/2@30]"));
    sweep(second);
    CHECK_STR("with the last stream the group goes, except one that was created", names(), STR("[/a!]"));
    CHECK("and comes again", add("/b", "x", first, 1));
}

static void test_cap(void)
{
    char name[512];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    size_t lines = LOG_GROUP_FILE_MAX / (sizeof name + 40) + 100;
    for (size_t l = 0; l < lines; l++) {
        snprintf(name, 9, "%08zu", l);
        name[8] = 'n';
        if (!add("/full", name, second, 1)) { CHECK("added", false); }
    }
    struct log_stream_list list;
    struct arena big;
    struct err err = { 0 };
    arena_init(&big, 128 << 20);
    CHECK("read", log_groups_streams(groups, STR("/full"), &list, &big, &err));
    CHECK("the older half has gone", list.count > lines / 3 && list.count < lines * 2 / 3);
    CHECK("the newest is there", list.count > 0 && str_starts_with(list.items[list.count - 1].name, str_slice(str_from(name), 0, 8)));
    arena_finish(&big);
}

int main(void)
{
    char dir[FIXTURE_PATH_MAX], below[FIXTURE_PATH_MAX + 8];
    struct err err = { 0 };
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    fixture_make_dir(dir);
    snprintf(below, sizeof below, "%s/groups", dir);
    groups = log_groups_create(below, &err);
    ASSERT(groups != NULL);
    test_groups();
    test_sweep();
    test_cap();
    log_groups_destroy(groups);
    fixture_remove_dir(dir);
    arena_finish(&arena);
    return check_report();
}
