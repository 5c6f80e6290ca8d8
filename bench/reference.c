/* reference: the least that a durable, signed RunTask of ten tasks can be on this machine, for measuring Berth against: CivetWeb,
 * the signature's hashes, the JSON parse, one LMDB commit for all who wait, and an answer of the same size. No cluster, no
 * definition, no placement, no indexes, no checks.
 *
 *   reference append DIRECTORY SECONDS RECORDS BYTES     no server: appends RECORDS of BYTES a commit, and tells how many a second
 *   reference flush DIRECTORY SECONDS BYTES              no store either: appends BYTES to a file and flushes them (fdatasync)
 *   reference PORT DIRECTORY     serves until SIGTERM: POST /run/10 and /run/1 (durable), POST /hello (all but the store), and POST /size/N, which is
 *                                CivetWeb alone: the body is read, N bytes are the answer */
#include <civetweb.h>
#include <fcntl.h>
#include <lmdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/json.h"
#include "base/lock.h"
#include "base/sigv4.h"
#include "bench/client.h"

enum { TASKS_MAX = 10, RECORD_SIZE = 300, HEAD_ROOM = 160, ARENA_SIZE = 1024 * 1024, BODY_MAX = 16384, SIZE_ANSWER_MAX = 256 * 1024 };

struct job { struct job *next; int tasks; bool done; };

static MDB_env *env;
static MDB_dbi dbi;
static struct job *waiting;
static struct lock lock;
static struct lock_signal some_wait, some_done;
static struct rng rng;
static struct id_gen ids = { .rng = &rng };

static void checked(int code, const char *what)
{
    if (code != 0) {
        fprintf(stderr, "reference: %s: %s\n", what, mdb_strerror(code));
        exit(1);
    }
}

static void write_tasks(MDB_txn *txn, int tasks, int64_t now_ms)
{
    static char record[RECORD_SIZE];
    for (int t = 0; t < tasks; t++) {
        struct id id = id_new(&ids, now_ms);
        MDB_val key = { sizeof id.bytes, id.bytes }, value = { sizeof record, record };
        checked(mdb_put(txn, dbi, &key, &value, MDB_APPEND), "put");
    }
}

static _Noreturn void write_for_ever(void)
{
    for (;;) {
        lock_take(&lock);
        while (waiting == NULL) {
            lock_wait(&some_wait, &lock);
        }
        struct job *batch = waiting;
        waiting = NULL;
        lock_drop(&lock);
        MDB_txn *txn;
        checked(mdb_txn_begin(env, NULL, 0, &txn), "begin");
        int64_t now_ms = clock_now_ms();
        for (struct job *job = batch; job != NULL; job = job->next) {
            write_tasks(txn, job->tasks, now_ms);
        }
        checked(mdb_txn_commit(txn), "commit");
        lock_take(&lock);
        for (struct job *job = batch, *next; job != NULL; job = next) {
            next = job->next;
            job->done = true;
        }
        lock_wake_all(&some_done);
        lock_drop(&lock);
    }
}

static void *writer(void *unused)
{
    (void)unused;
    write_for_ever();
}

static void store_durably(int tasks)
{
    struct job job = { .tasks = tasks };
    lock_take(&lock);
    job.next = waiting;
    waiting = &job;
    lock_wake_one(&some_wait);
    while (!job.done) {
        lock_wait(&some_done, &lock);
    }
    lock_drop(&lock);
}

/* The work of checking a signature, not the verdict. */
static void check_signature(struct mg_connection *connection, struct str body)
{
    const struct mg_request_info *info = mg_get_request_info(connection);
    struct sigv4_header headers[SIGV4_HEADERS_MAX];
    size_t count = 0;
    for (int h = 0; h < info->num_headers && count < SIGV4_HEADERS_MAX; h++) {
        headers[count++] = (struct sigv4_header){ str_from(info->http_headers[h].name), str_from(info->http_headers[h].value) };
    }
    struct sigv4_request request = { .method = STR("POST"), .path = str_from(info->local_uri), .body = body, .headers = headers, .header_count = count };
    struct sigv4_authorization authorization;
    struct err err = { 0 };
    char signature[SIGV4_HEX_LEN + 1];
    if (sigv4_parse_authorization(str_from(mg_get_header(connection, "authorization")), &authorization, &err)) {
        (void)sigv4_signature(&request, &authorization, str_from(mg_get_header(connection, "x-amz-date")), STR("secret"), signature);
    }
}

static void print_tasks(struct buf *out, int tasks)
{
    struct json_out json = json_out_to(out);
    json_open(&json, '{');
    json_key(&json, STR("tasks"));
    json_open(&json, '[');
    for (int t = 0; t < tasks; t++) {
        json_open(&json, '{');
        json_key(&json, STR("taskArn"));
        json_str(&json, STR("arn:aws:ecs:us-east-1:123456789012:task/default/019a00000000000000000000000000aa"));
        json_key(&json, STR("rest"));
        json_str(&json, STR("arn:aws:ecs:us-east-1:123456789012:cluster/default arn:aws:ecs:us-east-1:123456789012:container-instance/default/"
                            "019a00000000000000000000000000ab arn:aws:ecs:us-east-1:123456789012:task-definition/bench:1 PENDING RUNNING family:bench "
                            "arn:aws:ecs:us-east-1:123456789012:container/default/019a00000000000000000000000000aa/019a0000-0000-0000-0000-000000000000 "
                            "1 6 1 1735689600.123 EC2 main busybox PENDING networkInterfaces overrides containerOverrides attributes ecs.cpu-architecture "
                            "x86_64 attachments tags enableExecuteCommand false availabilityZone healthStatus UNKNOWN desiredStatus RUNNING launchType EC2"));
        json_close(&json, '}');
    }
    json_close(&json, ']');
    json_key(&json, STR("failures"));
    json_open(&json, '[');
    json_close(&json, ']');
    json_close(&json, '}');
}

/* The request's body, in a thread's own arena that was emptied before. */
static struct str read_body(struct mg_connection *connection, struct arena *arena)
{
    int length = 0, got = 1;
    if (arena->ceiling == 0) { arena_init(arena, ARENA_SIZE); }
    arena_reset(arena);
    char *body = ARENA_NEW(arena, char, BODY_MAX);
    while (length < BODY_MAX && length < mg_get_request_info(connection)->content_length && got > 0) {
        got = mg_read(connection, body + length, (size_t)(BODY_MAX - length));
        length += got > 0 ? got : 0;
    }
    return (struct str){ body, (size_t)length };
}

static void answer(struct mg_connection *connection, struct buf *out)
{
    char head[HEAD_ROOM];
    int head_len = snprintf(head, sizeof head,
                            "HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.1\r\nContent-Length: %zu\r\n\r\n", out->len - HEAD_ROOM);
    memcpy(out->ptr + HEAD_ROOM - head_len, head, (size_t)head_len);
    mg_write(connection, out->ptr + HEAD_ROOM - head_len, out->len - HEAD_ROOM + (size_t)head_len);
}

static int handle_size(struct mg_connection *connection, void *unused)
{
    static __thread struct arena arena;
    (void)unused;
    (void)read_body(connection, &arena);
    int64_t size = 0;
    if (!str_to_i64(str_from(mg_get_request_info(connection)->local_uri + sizeof "/size/" - 1), &size) || size < 0 || size > SIZE_ANSWER_MAX) { return 0; }
    struct buf out = buf_in(&arena);
    memset(buf_room(&out, HEAD_ROOM + (size_t)size), ' ', HEAD_ROOM + (size_t)size);
    out.len = HEAD_ROOM + (size_t)size;
    answer(connection, &out);
    return 200;
}

/* `count`: how many tasks are stored; NULL: none, and the answer is that of many. */
static int handle(struct mg_connection *connection, void *count)
{
    static __thread struct arena arena;
    struct str text = read_body(connection, &arena);
    struct err err = { 0 };
    check_signature(connection, text);
    (void)json_parse(text, &arena, &err);
    const int *tasks = count;
    if (tasks != NULL) { store_durably(*tasks); }
    struct buf out = buf_in(&arena);
    buf_printf(&out, "%*s", HEAD_ROOM, "");
    print_tasks(&out, tasks == NULL ? TASKS_MAX : *tasks);
    answer(connection, &out);
    return 200;
}

static int always(struct mg_connection *connection, void *unused)
{
    (void)connection;
    (void)unused;
    return 1;
}

static void open_store(const char *directory)
{
    MDB_txn *txn;
    checked(mdb_env_create(&env), "create");
    checked(mdb_env_set_mapsize(env, (size_t)16 << 30), "map size");
    checked(mdb_env_open(env, directory, MDB_NOTLS, 0600), "open");
    checked(mdb_txn_begin(env, NULL, 0, &txn), "begin");
    checked(mdb_dbi_open(txn, NULL, 0, &dbi), "database");
    checked(mdb_txn_commit(txn), "commit");
}

/* The records that LMDB alone writes durably. */
static int append_for(int64_t seconds, int64_t records, int64_t bytes)
{
    char *record = calloc(1, (size_t)bytes);
    int64_t began_ms = clock_monotonic_ms(), now_ms = began_ms, count = 0;
    ASSERT(record != NULL);
    while (now_ms < began_ms + seconds * 1000) {
        MDB_txn *txn;
        checked(mdb_txn_begin(env, NULL, 0, &txn), "begin");
        for (int64_t r = 0; r < records; r++) {
            struct id id = id_new(&ids, clock_now_ms());
            MDB_val key = { sizeof id.bytes, id.bytes }, value = { (size_t)bytes, record };
            checked(mdb_put(txn, dbi, &key, &value, MDB_APPEND), "put");
        }
        checked(mdb_txn_commit(txn), "commit");
        count += records;
        now_ms = clock_monotonic_ms();
    }
    printf("{\"appends_per_s\":%.0f}\n", (double)count * 1000.0 / (double)(now_ms - began_ms));
    free(record);
    return 0;
}

/* The time that the disk alone needs for one piece. */
static int flush_for(const char *directory, int64_t seconds, int64_t bytes)
{
    enum { FLUSHES_MAX = 1000 * 1000, PATH_SIZE = 4096 };
    char path[PATH_SIZE];
    ASSERT(snprintf(path, sizeof path, "%s/flushed", directory) < PATH_SIZE);
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    char *piece = calloc(1, (size_t)bytes);
    int64_t *took_us = calloc(FLUSHES_MAX, sizeof *took_us);
    ASSERT(file >= 0 && piece != NULL && took_us != NULL);
    size_t count = 0;
    int64_t began_us = bench_now_us(), now_us = began_us;
    while (now_us < began_us + seconds * 1000000 && count < FLUSHES_MAX) {
        int64_t from_us = now_us;
        ASSERT(write(file, piece, (size_t)bytes) == bytes && fdatasync(file) == 0);
        now_us = bench_now_us();
        took_us[count++] = now_us - from_us;
    }
    bench_sort(took_us, count);
    printf("{\"flushes_per_s\":%.0f,\"p50_ms\":%.3f,\"p99_ms\":%.3f}\n", (double)count * 1e6 / (double)(now_us - began_us), bench_ms(took_us, count, 50),
           bench_ms(took_us, count, 99));
    free(took_us);
    free(piece);
    return close(file);
}

static bool read_count(const char *text, int64_t *count) { return str_to_i64(str_from(text), count) && *count > 0; }

int main(int argc, char **argv)
{
    int64_t seconds, records, bytes;
    if (argc == 6 && strcmp(argv[1], "append") == 0 && read_count(argv[3], &seconds) && read_count(argv[4], &records) && read_count(argv[5], &bytes)) {
        rng_seed(&rng, 1);
        open_store(argv[2]);
        return append_for(seconds, records, bytes);
    }
    if (argc == 5 && strcmp(argv[1], "flush") == 0 && read_count(argv[3], &seconds) && read_count(argv[4], &bytes)) {
        return flush_for(argv[2], seconds, bytes);
    }
    if (argc != 3) {
        fprintf(stderr, "usage: reference PORT DIRECTORY, reference append DIRECTORY SECONDS RECORDS BYTES, or reference flush DIRECTORY SECONDS BYTES\n");
        return 2;
    }
    static int one = 1, many = TASKS_MAX;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    rng_seed(&rng, 1);
    lock_init(&lock);
    lock_signal_init(&some_wait);
    lock_signal_init(&some_done);
    open_store(argv[2]);
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    const char *options[] = { "listening_ports", argv[1], "num_threads", "256", "tcp_nodelay", "1", "enable_keep_alive", "yes",
                              "keep_alive_timeout_ms", "60000", NULL };
    mg_init_library(0);
    struct mg_context *context = mg_start(&(struct mg_callbacks){ 0 }, NULL, options);
    if (context == NULL) {
        fprintf(stderr, "reference: CivetWeb does not start on port %s\n", argv[1]);
        return 1;
    }
    mg_set_auth_handler(context, "/", always, NULL);
    mg_set_request_handler(context, "/run/10", handle, &many);
    mg_set_request_handler(context, "/run/1", handle, &one);
    mg_set_request_handler(context, "/hello", handle, NULL);
    mg_set_request_handler(context, "/size/", handle_size, NULL);
    int signal;
    sigwait(&signals, &signal);
    _exit(0);
}
