/* Commands in containers: bytes once and in order through both pipes, repeats, full pipes, every way to end. */
#include "server/exec/exec.h"

#include "base/clock.h"
#include "tests/unit/server/server_fixture.h"

static struct arena arena;
static const struct id machine = { { 1 } }, other = { { 2 } };
static struct str words[] = { STR_INIT("sh") };
static const struct wire_exec message = {
    .task_arn = STR_INIT("arn:task"), .container = STR_INIT("main"), .command = { words, 1 }, .tty = OPT_TRUE,
    .rows = { 24, true }, .cols = { 80, true },
};

struct said { bool good; struct exec_answer answer; struct str bytes; };

static struct said call(struct exec *exec, enum exec_side side, struct exec_ask ask, const char *session, const char *bytes)
{
    struct said said = { 0 };
    struct buf out = buf_in(&arena);
    struct err err = { 0 };
    ask.session = str_from(session);
    said.good = exec_call(exec, side, &ask, str_from(bytes), &said.answer, &out, &err);
    said.bytes = buf_str(&out);
    return said;
}

static struct exec_ask at(int64_t offset) { return (struct exec_ask){ .offset = opt_int_of(offset) }; }
static struct exec_ask from(int64_t offset)
{
    return (struct exec_ask){ .from = opt_int_of(offset), .rows = opt_int_of(24), .cols = opt_int_of(80) };
}

static struct exec *create(const struct exec_config *config, char session[ID_HEX_LEN + 1])
{
    struct err err = { 0 };
    struct exec *exec = exec_create(config);
    CHECK("begun", exec_start(exec, machine, &message, session, &err));
    return exec;
}

static void test_offer(void)
{
    char session[ID_HEX_LEN + 1];
    struct exec *exec = create(&exec_usual, session);
    struct str_list messages = { 0 };
    exec_offer(exec, other, &messages, &arena);
    CHECK_EQ("another machine's", messages.count, 0);
    exec_offer(exec, machine, &messages, &arena);
    CHECK_EQ("this machine's", messages.count, 1);
    CHECK("names the session", strstr(arena_cstr(&arena, messages.items[0]), session) != NULL);
    CHECK("and its kind", str_starts_with(messages.items[0], STR("{\"type\":\"BerthExecMessage\"")));
    exec_offer(exec, machine, &messages, &arena);
    CHECK_EQ("once", messages.count, 1);
    exec_destroy(exec);
}

static void test_bytes(void)
{
    char session[ID_HEX_LEN + 1];
    struct exec *exec = create(&exec_usual, session);
    static const struct { const char *row; int64_t offset; const char *bytes; bool good; int64_t taken; } writes[] = {
        { "the first", 0, "abc", true, 3 }, { "a repeat", 0, "abc", true, 3 }, { "known and new", 1, "bcde", true, 5 },
        { "a gap", 9, "x", false, 0 }, { "nothing", 5, "", true, 5 },
    };
    for (size_t w = 0; w < COUNT_OF(writes); w++) {
        struct said said = call(exec, EXEC_STARTER, at(writes[w].offset), session, writes[w].bytes);
        CHECK_EQ(writes[w].row, said.good, writes[w].good);
        if (said.good) { CHECK_EQ(writes[w].row, said.answer.taken.value, writes[w].taken); }
    }
    CHECK_STR("read", call(exec, EXEC_AGENT, from(0), session, "").bytes, STR("abcde"));
    CHECK_STR("again: the answer was lost", call(exec, EXEC_AGENT, from(0), session, "").bytes, STR("abcde"));
    struct said said = call(exec, EXEC_AGENT, from(3), session, "");
    CHECK_STR("on", said.bytes, STR("de"));
    CHECK_EQ("from there", said.answer.offset.value, 3);
    CHECK_STR("each side reads the other's", call(exec, EXEC_STARTER, from(0), session, "").bytes, STR(""));
    CHECK("no such session", !call(exec, EXEC_AGENT, from(0), "00000000000000000000000000000000", "").good);
    exec_destroy(exec);
}

static void test_full(void)
{
    char session[ID_HEX_LEN + 1];
    struct exec *exec = create(&exec_usual, session);
    char *many = arena_alloc(&arena, EXEC_PIPE_MAX + 11, 1);
    for (size_t i = 0; i < EXEC_PIPE_MAX + 10; i++) { many[i] = (char)('a' + i % 23); }
    CHECK_EQ("as much as fits", call(exec, EXEC_AGENT, at(0), session, many).answer.taken.value, EXEC_PIPE_MAX);
    CHECK_EQ("no more", call(exec, EXEC_AGENT, at(EXEC_PIPE_MAX), session, many + EXEC_PIPE_MAX).answer.taken.value, EXEC_PIPE_MAX);
    int64_t read = 0;
    bool same = true;
    for (int turn = 0; turn < 8 && read < EXEC_PIPE_MAX; turn++) {
        struct str piece = call(exec, EXEC_STARTER, from(read), session, "").bytes;
        CHECK("in pieces", piece.len > 0 && piece.len <= EXEC_PIECE_MAX);
        same = same && memcmp(piece.ptr, many + read, piece.len) == 0;
        read += (int64_t)piece.len;
    }
    CHECK("the same bytes", same && read == EXEC_PIPE_MAX);
    (void)call(exec, EXEC_STARTER, from(read), session, "");
    CHECK_EQ("bytes that were read make room", call(exec, EXEC_AGENT, at(EXEC_PIPE_MAX), session, many + EXEC_PIPE_MAX).answer.taken.value, EXEC_PIPE_MAX + 10);
    exec_destroy(exec);
}

static void test_ends(void)
{
    char session[ID_HEX_LEN + 1];
    struct exec *exec = create(&exec_usual, session);
    struct exec_ask no_more = at(2), ended = { .ended = OPT_TRUE, .exit_code = opt_int_of(7) };
    no_more.ended = OPT_TRUE;
    CHECK("the last input", call(exec, EXEC_STARTER, at(0), session, "ab").good && call(exec, EXEC_STARTER, no_more, session, "").good);
    struct said said = call(exec, EXEC_AGENT, from(0), session, "");
    CHECK("bytes first", said.answer.ended != OPT_TRUE && said.bytes.len == 2);
    said = call(exec, EXEC_AGENT, from(2), session, "");
    CHECK("then the end, which is not the command's", said.answer.ended == OPT_TRUE && !str_is_set(said.answer.reason));
    CHECK("output", call(exec, EXEC_AGENT, at(0), session, "out").good && call(exec, EXEC_AGENT, ended, session, "").good);
    said = call(exec, EXEC_STARTER, from(0), session, "");
    CHECK_STR("is read before the end", said.bytes, STR("out"));
    CHECK("which comes behind it", said.answer.ended != OPT_TRUE);
    said = call(exec, EXEC_STARTER, from(3), session, "");
    CHECK("ended", said.answer.ended == OPT_TRUE && !str_is_set(said.answer.reason));
    CHECK_EQ("with the command's code", said.answer.exit_code.value, 7);
    CHECK("then it is forgotten", !call(exec, EXEC_STARTER, from(3), session, "").good);
    exec_destroy(exec);
}

static void test_leaving(void)
{
    char session[ID_HEX_LEN + 1];
    struct exec *exec = create(&exec_usual, session);
    struct exec_ask sized = at(0), leaves = { .leaves = OPT_TRUE };
    sized.rows = opt_int_of(50);
    sized.cols = opt_int_of(100);
    CHECK("another size", call(exec, EXEC_STARTER, sized, session, "").good);
    struct said said = call(exec, EXEC_AGENT, from(0), session, "");
    CHECK("is sent to the agent", said.answer.rows.value == 50 && said.answer.cols.value == 100);
    CHECK("the starter leaves", call(exec, EXEC_STARTER, leaves, session, "").good);
    CHECK("the agent hears that nobody wants it", !call(exec, EXEC_AGENT, from(0), session, "").good);
    exec_destroy(exec);
}

static void test_time(void)
{
    static const struct { const char *row; struct exec_config config; bool taken; const char *reason; } rows[] = {
        { "not taken", { 2, -1, 60000, 60000 }, false, "The machine's agent did not begin the command: it is not there, or too old for it." },
        { "nothing moves", { 2, 60000, 60000, -1 }, true, "Nothing was typed or printed for too long." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        char session[ID_HEX_LEN + 1];
        struct exec *exec = create(&rows[r].config, session);
        if (rows[r].taken) { (void)call(exec, EXEC_AGENT, from(0), session, ""); }
        struct said said = call(exec, EXEC_STARTER, from(0), session, "");
        CHECK(rows[r].row, said.answer.ended == OPT_TRUE && !said.answer.exit_code.set);
        CHECK_STR(rows[r].row, said.answer.reason, str_from(rows[r].reason));
        exec_destroy(exec);
    }
    /* The agent calls no more: a waiting starter learns it. */
    char session[ID_HEX_LEN + 1];
    struct exec *exec = create(&(struct exec_config){ 2, 60000, 2500, 60000 }, session);
    CHECK("taken", call(exec, EXEC_AGENT, at(0), session, "last words").good);
    struct exec_ask wait = from(10);
    wait.wait = opt_int_of(20);
    struct said said = call(exec, EXEC_STARTER, wait, session, "");
    CHECK_STR("the agent is gone", said.answer.reason, STR("The machine's agent is gone."));
    exec_destroy(exec);
}

static void count_one(void *context) { (*(int *)context)++; }

/* A starter whose connection broke has a while to come back; and a side that waits without a thread is called. */
static void test_lost(void)
{
    char session[ID_HEX_LEN + 1];
    int changes = 0;
    struct exec *exec = create(&exec_usual, session);
    exec_watch(exec, count_one, &changes);
    CHECK("known", exec_lives(exec, str_from(session)) && !exec_lives(exec, STR("x")));
    exec_lost(exec, STR("x"), 0);
    exec_lost(exec, str_from(session), 60000);
    CHECK("it may come back", exec_lives(exec, str_from(session)));
    CHECK("output", call(exec, EXEC_AGENT, at(0), session, "out").good);
    CHECK_EQ("is a change", changes, 1);
    exec_lost(exec, str_from(session), -1);
    CHECK("too late", !exec_lives(exec, str_from(session)));
    CHECK_EQ("an end is a change", changes, 2);
    exec_destroy(exec);
}

static void test_limits(void)
{
    char session[ID_HEX_LEN + 1], more[ID_HEX_LEN + 1];
    struct exec *exec = create(&(struct exec_config){ 1, 60000, 60000, 60000 }, session);
    struct err err = { 0 };
    CHECK("one too many", !exec_start(exec, machine, &message, more, &err) && err.code == ERR_LIMIT_EXCEEDED);
    (void)call(exec, EXEC_STARTER, (struct exec_ask){ .leaves = OPT_TRUE }, session, "");
    err = (struct err){ 0 };
    CHECK("room again", exec_start(exec, machine, &message, more, &err));
    exec_stop(exec);
    struct said said = call(exec, EXEC_STARTER, from(0), more, "");
    CHECK_STR("a stop ends all", said.answer.reason, STR("The server is stopping."));
    CHECK("and what would come", !exec_start(exec, machine, &message, session, &err));
    exec_destroy(exec);
}

int main(void)
{
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    test_offer();
    test_bytes();
    test_full();
    test_ends();
    test_leaving();
    test_time();
    test_lost();
    test_limits();
    arena_finish(&arena);
    return check_report();
}
