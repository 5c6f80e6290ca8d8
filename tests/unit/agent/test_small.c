/* The agent's small words: timers, addresses, cleaned output, environments, ids, the fleet's text. */
#include <stdlib.h>

#include "agent/link/client.h"
#include "agent/task/environment.h"
#include "agent/gpu/books.h"
#include "agent/fake/fake.h"
#include "agent/task/logs.h"
#include "agent/link/session.h"
#include "agent/task/task.h"
#include "base/rng.h"
#include "tests/unit/check.h"

/* ---- timers ---- */

enum { TIMERS = 200 };
struct ticker { struct timer timer; struct timers *timers; int64_t *last; int fired, again; };

static void on_tick(void *owner)
{
    struct ticker *ticker = owner;
    CHECK("in order", ticker->timer.due_ms >= *ticker->last);
    *ticker->last = ticker->timer.due_ms;
    ticker->fired++;
    if (ticker->again > 0) {
        ticker->again--;
        timers_set(ticker->timers, &ticker->timer, 0);                     /* due already: not before the next turn */
    }
}

static void test_timers(void)
{
    struct timers timers = { 0 };
    struct rng rng;
    int64_t last = 0;
    static struct ticker tickers[TIMERS];
    rng_seed(&rng, 7);
    CHECK_EQ("none", timers_next(&timers), INT64_MAX);
    for (size_t t = 0; t < TIMERS; t++) {
        tickers[t] = (struct ticker){ .timer = { .fire = on_tick, .owner = &tickers[t] }, .timers = &timers, .last = &last };
        timers_set(&timers, &tickers[t].timer, (int64_t)rng_below(&rng, 1000));
    }
    for (size_t t = 0; t < TIMERS; t += 3) { timers_set(&timers, &tickers[t].timer, (int64_t)rng_below(&rng, 1000)); }
    for (size_t t = 0; t < TIMERS; t += 5) { timers_cancel(&timers, &tickers[t].timer); }
    timers_cancel(&timers, &tickers[0].timer);
    for (int64_t now = 0; now <= 1000; now++) { timers_run(&timers, now); }
    for (size_t t = 0; t < TIMERS; t++) { CHECK_EQ("once, unless cancelled", tickers[t].fired, t % 5 == 0 ? 0 : 1); }
    last = 0;
    tickers[1].again = 1;
    timers_set(&timers, &tickers[1].timer, 5);
    timers_run(&timers, 5);
    CHECK_EQ("one that sets itself again waits", tickers[1].fired, 2);
    last = 0;
    timers_run(&timers, 5);
    CHECK_EQ("for the next turn", tickers[1].fired, 3);
    timers_finish(&timers);
}

/* ---- addresses ---- */

static void test_endpoints(void)
{
    static const struct { const char *url, *origin, *host, *prefix; bool loopback; } rows[] = {
        { "http://127.0.0.1:9280", "http://127.0.0.1:9280", "127.0.0.1:9280", "", true },
        { "http://berth.lab:9280/", "http://berth.lab:9280", "berth.lab:9280", "", false },
        { "https://berth.lab:443/api/v1/", "https://berth.lab:443", "berth.lab", "/api/v1", false },
        { "http://berth.lab:80", "http://berth.lab:80", "berth.lab", "", false },
        { "http://berth.lab:8080", "http://berth.lab:8080", "berth.lab:8080", "", false },
        { "http://[::1]:9280", "http://[::1]:9280", "[::1]:9280", "", true },
    };
    static const char *const bad[] = { "", "berth.lab:9280", "ftp://x", "http://", "https:///", "http://x/?a=b" };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct endpoint endpoint;
        struct err err = { 0 };
        CHECK(rows[r].url, endpoint_parse(str_from(rows[r].url), &endpoint, &err));
        CHECK_STR(rows[r].url, str_from(endpoint.origin), str_from(rows[r].origin));
        CHECK_STR(rows[r].url, str_from(endpoint.host), str_from(rows[r].host));
        CHECK_STR(rows[r].url, str_from(endpoint.prefix), str_from(rows[r].prefix));
        CHECK_EQ(rows[r].url, endpoint.loopback, rows[r].loopback);
    }
    for (size_t b = 0; b < COUNT_OF(bad); b++) {
        struct endpoint endpoint;
        struct err err = { 0 };
        CHECK(bad[b], !endpoint_parse(str_from(bad[b]), &endpoint, &err));
    }
}

static void test_errors(void)
{
    static const struct { const char *row, *body; long status; enum err_code code; const char *message; bool transient; } rows[] = {
        { "plain", "{\"__type\":\"ClientException\",\"message\":\"no\"}", 400, ERR_CLIENT, "no", false },
        { "with a name space", "{\"__type\":\"com.amazonaws.ecs#ThrottlingException\",\"Message\":\"slow\"}", 400, ERR_THROTTLING, "slow", true },
        { "with an address behind", "{\"__type\":\"InvalidParameterException:http://x\",\"message\":\"bad\"}", 400, ERR_INVALID_PARAMETER, "bad", false },
        { "no JSON", "<html>", 503, ERR_UNAVAILABLE, "The server answered with HTTP status 503.", true },
        { "unknown, ours", "{\"__type\":\"Odd\"}", 404, ERR_CLIENT, "The server answered with HTTP status 404.", false },
        { "server", "{\"__type\":\"ServerException\",\"message\":\"oh\"}", 500, ERR_SERVER, "oh", true },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct reply reply = { .status = rows[r].status, .body = str_from(rows[r].body) };
        reply_read_error(&reply);
        CHECK_EQ(rows[r].row, reply.err.code, rows[r].code);
        CHECK_STR(rows[r].row, str_from(reply.err.message), str_from(rows[r].message));
        CHECK_EQ(rows[r].row, reply_is_transient(&reply), rows[r].transient);
    }
}

static void test_backoff(void)
{
    struct rng rng;
    rng_seed(&rng, 3);
    for (int round = 0; round < 100; round++) {
        int64_t ms = backoff_next(0, 250, 30000, &rng);
        CHECK("first, a fifth either way", ms >= 200 && ms <= 300);
        for (int n = 0; n < 20; n++) { ms = backoff_next(ms, 250, 30000, &rng); }
        CHECK("never above the most", ms >= 24000 && ms <= 36000);
    }
}

/* ---- output as text ---- */

static struct log_time_list no_times;

static void test_clean(void)
{
    static const struct { const char *row; struct str raw; bool end; struct str text; size_t used; } rows[] = {
        { "ASCII", STR_INIT("a\nb"), false, STR_INIT("a\nb"), 3 },
        { "nothing", STR_INIT(""), true, STR_INIT(""), 0 },
        { "two, three and four bytes", STR_INIT("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"), false, STR_INIT("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"), 9 },
        { "cut at the end waits", STR_INIT("a\xE2\x82"), false, STR_INIT("a"), 1 },
        { "cut at the very end", STR_INIT("a\xE2\x82"), true, STR_INIT("a\xEF\xBF\xBD\xEF\xBF\xBD"), 3 },
        { "NUL", STR_INIT("a\0b"), false, STR_INIT("a\xEF\xBF\xBD" "b"), 3 },
        { "a lone follower", STR_INIT("\x80x"), false, STR_INIT("\xEF\xBF\xBDx"), 2 },
        { "overlong", STR_INIT("\xC0\xAFx"), false, STR_INIT("\xEF\xBF\xBD\xEF\xBF\xBDx"), 3 },
        { "overlong in three", STR_INIT("\xE0\x9F\xBFx"), false, STR_INIT("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDx"), 4 },
        { "overlong in four", STR_INIT("\xF0\x8F\xBF\xBFx"), false, STR_INIT("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDx"), 5 },
        { "surrogate", STR_INIT("\xED\xA0\x80x"), false, STR_INIT("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDx"), 4 },
        { "beyond Unicode", STR_INIT("\xF4\x90\x80\x80x"), false, STR_INIT("\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDx"), 5 },
        { "a broken one and a sound one", STR_INIT("\xE2\x82\xC3\xA4"), false, STR_INIT("\xEF\xBF\xBD\xEF\xBF\xBD\xC3\xA4"), 4 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct arena arena = { .ceiling = 1 << 20 };
        size_t used;
        struct str text = logs_clean(rows[r].raw, rows[r].end, &used, &no_times, &arena);
        CHECK_STR(rows[r].row, text, rows[r].text);
        CHECK_EQ(rows[r].row, used, rows[r].used);
        arena_finish(&arena);
    }
}

/* Times belong to bytes of the output that was read; the shipped text may be longer, or end earlier. */
static void test_clean_times(void)
{
    struct arena arena = { .ceiling = 1 << 20 };
    struct log_time items[] = { { { 0, true }, { 10, true } }, { { 2, true }, { 20, true } }, { { 4, true }, { 30, true } }, { { 5, true }, { 40, true } } };
    struct log_time_list times = { items, COUNT_OF(items) };
    size_t used;
    CHECK_STR("two bytes that are no text, and a cut end", logs_clean(STR("\xFF\xFF" "ab\n\xC3"), false, &used, &times, &arena),
              STR("\xEF\xBF\xBD\xEF\xBF\xBD" "ab\n"));
    CHECK_EQ("all but the cut character", used, 5);
    CHECK_EQ("the time of the waiting bytes is sent with them", times.count, 3);
    CHECK_EQ("the first", times.items[0].at.value, 0);
    CHECK_EQ("behind longer text", times.items[1].at.value, 6);
    CHECK_EQ("and on", times.items[2].at.value, 8);
    arena_finish(&arena);
}

/* Offsets hold over a restart only when cutting changes nothing. */
static void test_clean_in_pieces(void)
{
    struct rng rng;
    rng_seed(&rng, 11);
    for (int round = 0; round < 300; round++) {
        struct arena arena = { .ceiling = 4 << 20 };
        char raw[64];
        static const char alphabet[] = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\xED\xFF";
        for (size_t i = 0; i < sizeof raw; i++) { raw[i] = alphabet[rng_below(&rng, sizeof alphabet)]; }
        size_t used;
        struct str whole = logs_clean((struct str){ raw, sizeof raw }, true, &used, &no_times, &arena);
        struct buf pieces = buf_in(&arena);
        size_t at = 0;
        while (at < sizeof raw) {
            size_t len = 4 + (size_t)rng_below(&rng, 9);
            bool end = at + len >= sizeof raw;
            buf_put(&pieces, logs_clean(str_slice((struct str){ raw, sizeof raw }, at, at + len), end, &used, &no_times, &arena));
            at += used;
        }
        CHECK_STR("the same text however it is cut", buf_str(&pieces), whole);
        arena_finish(&arena);
    }
}

/* ---- environments ---- */

static struct str value_of(const struct pair_list *list, struct str key)
{
    struct str value = { 0 };
    size_t count = 0;
    for (size_t p = 0; p < list->count; p++) {
        if (!str_eq(list->items[p].key, key)) { continue; }
        value = list->items[p].value;
        count++;
    }
    CHECK("each name once", count <= 1);
    return value;
}

static void test_environment(void)
{
    struct str main_only[] = { STR("main") }, side_only[] = { STR("side") };
    struct wire_association associations[] = {
        { STR("GPU-1"), STR("gpu"), { main_only, 1 } }, { STR("GPU-9"), STR("gpu"), { side_only, 1 } }, { STR("GPU-2"), STR("gpu"), { main_only, 1 } },
        { STR("eia"), STR("elastic-inference"), { main_only, 1 } },
    };
    struct wire_task task = { .arn = STR("arn:aws:ecs:r:1:task/c/abc"), .associations = { associations, COUNT_OF(associations) } };
    static const struct {
        const char *row, *container; bool has_gpus, is_process; const char *user_devices, *devices, *capabilities, *cuda;
    } rows[] = {
        { "GPUs, Docker", "main", true, false, NULL, "GPU-1,GPU-2", "compute,utility", NULL },
        { "GPUs, against the user's setting", "main", true, false, "all", "GPU-1,GPU-2", "compute,utility", NULL },
        { "GPUs, processes", "main", true, true, NULL, "GPU-1,GPU-2", "compute,utility", "GPU-1,GPU-2" },
        { "a side-car that asks for all", "other", true, false, "all", "void", NULL, NULL },
        { "a side-car, processes", "other", true, true, NULL, "void", NULL, "" },
        { "a machine without", "other", false, false, "all", "all", NULL, NULL },
        { "a machine without, silent user", "other", false, true, NULL, NULL, NULL, NULL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct arena arena = { .ceiling = 1 << 20 };
        struct pair own[] = { { STR("AWS_REGION"), STR("mine") }, { STR("NVIDIA_VISIBLE_DEVICES"), str_from(rows[r].user_devices) } };
        struct wire_container container = { .name = str_from(rows[r].container), .environment = { own, rows[r].user_devices == NULL ? 1 : 2 } };
        int64_t share;
        struct str_list gpus = environment_gpus(&task, &container, &share, &arena);
        CHECK_EQ(rows[r].row, share, 1000);
        struct environment_rules rules = { .region = "us-east-1", .has_gpus = rows[r].has_gpus, .is_process = rows[r].is_process };
        struct pair_list list = environment_build(&rules, &task, &container, &gpus, &arena);
        CHECK_STR(rows[r].row, value_of(&list, STR("NVIDIA_VISIBLE_DEVICES")), str_from(rows[r].devices));
        CHECK_STR(rows[r].row, value_of(&list, STR("NVIDIA_DRIVER_CAPABILITIES")), str_from(rows[r].capabilities));
        CHECK_STR(rows[r].row, value_of(&list, STR("CUDA_VISIBLE_DEVICES")), str_from(rows[r].cuda));
        CHECK_STR(rows[r].row, value_of(&list, STR("AWS_REGION")), STR("mine"));
        CHECK_STR(rows[r].row, value_of(&list, STR("AWS_DEFAULT_REGION")), STR("us-east-1"));
        CHECK_STR(rows[r].row, value_of(&list, STR("BERTH_TASK_ID")), STR("abc"));
        CHECK_STR(rows[r].row, value_of(&list, STR("BERTH_TASK_ARN")), task.arn);
        arena_finish(&arena);
    }
}

static void test_metadata_variables(void)
{
    static const struct { const char *row, *url; bool usual, role; const char *v4, *relative, *full; } rows[] = {
        { "the usual address",   "http://169.254.170.2",   true,  true,  "http://169.254.170.2/v4/id-1",   "/v2/credentials/c", NULL },
        { "loopback",            "http://127.0.0.1:51679", false, true,  "http://127.0.0.1:51679/v4/id-1", NULL, "http://127.0.0.1:51679/v2/credentials/c" },
        { "no role",             "http://169.254.170.2",   true,  false, "http://169.254.170.2/v4/id-1",   NULL, NULL },
        { "out of reach",        NULL,                     true,  true,  NULL,                             NULL, NULL },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct arena arena = { .ceiling = 1 << 20 };
        struct wire_role_credentials keys = { .credentials_id = STR("c") };
        struct wire_task task = { .arn = STR("arn:aws:ecs:r:1:task/c/abc"), .role_credentials = rows[r].role ? &keys : NULL };
        struct wire_container container = { .name = STR("main") };
        struct environment_rules rules = {
            .region = "us-east-1", .metadata_url = rows[r].url, .metadata_is_usual = rows[r].usual, .metadata_id = STR("id-1"),
        };
        struct pair_list list = environment_build(&rules, &task, &container, &(struct str_list){ 0 }, &arena);
        CHECK_STR(rows[r].row, value_of(&list, STR("ECS_CONTAINER_METADATA_URI_V4")), str_from(rows[r].v4));
        CHECK_EQ(rows[r].row, str_is_set(value_of(&list, STR("ECS_CONTAINER_METADATA_URI"))), rows[r].v4 != NULL);
        CHECK_EQ(rows[r].row, str_is_set(value_of(&list, STR("ECS_AGENT_URI"))), rows[r].v4 != NULL);
        CHECK_STR(rows[r].row, value_of(&list, STR("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")), str_from(rows[r].relative));
        CHECK_STR(rows[r].row, value_of(&list, STR("AWS_CONTAINER_CREDENTIALS_FULL_URI")), str_from(rows[r].full));
        arena_finish(&arena);
    }
}

/* A share comes without an association, in variables that only the server writes. */
static void test_shares(void)
{
    static const struct { const char *row, *share, *devices; int64_t thousandths; bool is_process; const char *want, *cuda; } rows[] = {
        { "half, Docker",      "0.5",   "GPU-1",  500,  false, "GPU-1", NULL },
        { "a bit, processes",  "0.058", "MIG-7",  58,   true,  "MIG-7", "MIG-7" },
        { "a thousandth",      "0.001", "GPU-1",  1,    false, "GPU-1", NULL },
        { "a long fraction",   "0.2501", "GPU-1", 250,  false, "GPU-1", NULL },
        { "no share",          NULL,    "GPU-1",  1000, false, "void",  NULL },
        { "no number",         "half",  "GPU-1",  1000, false, "void",  NULL },
        { "no device",         "0.5",   NULL,     1000, true,  "void",  "" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct arena arena = { .ceiling = 1 << 20 };
        struct pair own[2];
        size_t count = 0;
        if (rows[r].share != NULL) { own[count++] = (struct pair){ STR("BERTH_GPU_SHARE"), str_from(rows[r].share) }; }
        if (rows[r].devices != NULL) { own[count++] = (struct pair){ STR("NVIDIA_VISIBLE_DEVICES"), str_from(rows[r].devices) }; }
        struct wire_task task = { .arn = STR("arn:aws:ecs:r:1:task/c/abc") };
        struct wire_container container = { .name = STR("main"), .environment = { own, count } };
        int64_t share;
        struct str_list gpus = environment_gpus(&task, &container, &share, &arena);
        struct environment_rules rules = { .region = "us-east-1", .has_gpus = true, .is_process = rows[r].is_process };
        struct pair_list list = environment_build(&rules, &task, &container, &gpus, &arena);
        CHECK_EQ(rows[r].row, share, rows[r].thousandths);
        CHECK_EQ(rows[r].row, gpus.count, share < 1000 ? 1 : 0);
        CHECK_STR(rows[r].row, value_of(&list, STR("NVIDIA_VISIBLE_DEVICES")), str_from(rows[r].want));
        CHECK_STR(rows[r].row, value_of(&list, STR("CUDA_VISIBLE_DEVICES")), str_from(rows[r].cuda));
        CHECK_STR(rows[r].row, value_of(&list, STR("BERTH_GPU_SHARE")), str_from(rows[r].share));
        arena_finish(&arena);
    }
}

static void test_gpu_books(void)
{
    struct str a[] = { STR("GPU-a") }, both[] = { STR("GPU-a"), STR("GPU-b") };
    const struct str_list only_a = { a, 1 }, a_and_b = { both, 2 }, none = { NULL, 0 };
    struct gpu_books books;
    gpu_books_init(&books);
    CHECK("nothing is no trouble", gpu_books_take(&books, "0", &none, 1000));
    CHECK("a half", gpu_books_take(&books, "1", &only_a, 500));
    CHECK("another", gpu_books_take(&books, "2", &only_a, 500));
    CHECK("no more", !gpu_books_take(&books, "3", &only_a, 1));
    CHECK("not whole", !gpu_books_take(&books, "3", &a_and_b, 1000));
    CHECK("twice in one list is twice", !gpu_books_take(&books, "8", &(struct str_list){ (struct str[]){ STR("GPU-c"), STR("GPU-c") }, 2 }, 501));
    CHECK("two halves of one fit", gpu_books_take(&books, "8", &(struct str_list){ (struct str[]){ STR("GPU-c"), STR("GPU-c") }, 2 }, 500));
    CHECK("more than a whole one", !gpu_books_take(&books, "9", &(struct str_list){ &both[1], 1 }, 1001));
    CHECK("of a refusal nothing stays", gpu_books_take(&books, "4", &(struct str_list){ &both[1], 1 }, 1000));
    gpu_books_give_back(&books, "1");
    CHECK("room for a half, not for more", !gpu_books_take(&books, "3", &only_a, 501) && gpu_books_take(&books, "3", &only_a, 500));
    gpu_books_give_back(&books, "2");
    gpu_books_give_back(&books, "3");
    gpu_books_give_back(&books, "4");
    gpu_books_give_back(&books, "nobody");
    CHECK("whole", gpu_books_take(&books, "5", &a_and_b, 1000));
    CHECK("then no share", !gpu_books_take(&books, "6", &only_a, 1));
    gpu_books_note(&books, "7", &only_a, 1000);
    gpu_books_give_back(&books, "5");
    CHECK("a noted GPU counts", !gpu_books_take(&books, "6", &only_a, 1));
    gpu_books_finish(&books);
}

/* ---- ids and fleets ---- */

static void test_task_ids(void)
{
    static const struct { const char *arn; bool good; } rows[] = {
        { "arn:aws:ecs:r:1:task/c/0011aabb", true }, { "arn:aws:ecs:r:1:task/0011aabb", true }, { "arn:aws:ecs:r:1:task/c/", false },
        { "arn:aws:ecs:r:1:task/c/..", false }, { "0011", false }, { "", false }, { "arn/a b", false },
        { "x/0123456789012345678901234567890123456789012345678901234567890123", false },
        { "x/012345678901234567890123456789012345678901234567890123456789012", true },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        char id[TASK_ID_MAX];
        CHECK_EQ(rows[r].arn, task_id_of(str_from(rows[r].arn), id), rows[r].good);
    }
}

static bool count_part(void *owner, struct str type, int64_t count, struct err *err)
{
    (void)err;
    *(int64_t *)owner = *(int64_t *)owner * 1000 + count * 10 + (int64_t)type.len;
    return true;
}

static void test_fleet_text(void)
{
    static const struct { const char *text; bool good; int64_t sum; } rows[] = {
        { "p3.16xlarge:100", true, 1011 }, { "c5.2xlarge", true, 20 }, { "c5.2xlarge, p3.2xlarge:2", true, 20030 },
        { "", false, 0 }, { "x:0", false, 0 }, { "x:-1", false, 0 }, { "x:many", false, 0 }, { "x:100001", false, 0 }, { "x:60000,x:60000", false, 0 },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct err err = { 0 };
        int64_t sum = 0;
        CHECK_EQ(rows[r].text, fleet_parse(str_from(rows[r].text), count_part, &sum, &err), rows[r].good);
        if (rows[r].good) { CHECK_EQ(rows[r].text, sum, rows[r].sum); }
    }
}

int main(void)
{
    test_timers();
    test_endpoints();
    test_errors();
    test_backoff();
    test_clean();
    test_clean_times();
    test_clean_in_pieces();
    test_environment();
    test_metadata_variables();
    test_shares();
    test_gpu_books();
    test_task_ids();
    test_fleet_text();
    return check_report();
}
