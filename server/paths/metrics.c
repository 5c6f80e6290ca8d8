/* metrics.c: GET /metrics?names=berth,nvidia_smi,dcgm (all of them unless it is said), in Prometheus' text format or as OpenMetrics. Other parts are asked
 * for their figures when the answer is printed. */
#include "server/paths/figures.h"

#include "server/figures/use_metrics.h"
#include "server/front/services.h"

#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "server/front/answers.h"

static void put_head(struct buf *out, const char *name, const char *kind, const char *help)
{
    buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind);
}

static void put_one(struct buf *out, const char *name, const char *kind, const char *help, int64_t value)
{
    put_head(out, name, kind, help);
    buf_printf(out, "%s %lld\n", name, (long long)value);
}

/* A result that never came has no line: most pairs of an operation and an error never do. */
static void put_results(const struct metric_results *results, struct str service, struct str colon, struct str operation, struct buf *out)
{
    for (int code = 0; code < ERR_COUNT; code++) {
        unsigned long long value = atomic_load_explicit(&results->counts[code], memory_order_relaxed);
        if (value == 0) { continue; }
        buf_printf(out, "berth_requests_total{operation=\"" STR_FMT STR_FMT STR_FMT "\",result=\"%s\"} %llu\n", STR_ARG(service), STR_ARG(colon),
                   STR_ARG(operation), code == ERR_NONE ? "ok" : err_wire_name((enum err_code)code), value);
    }
}

static void put_requests(const struct metrics *metrics, struct buf *out)
{
    put_head(out, "berth_requests_total", "counter",
             "Requests answered, by operation and result, ok or the error's name; other services' operations begin with their name, and"
             " operation \"\" is everything else.");
    size_t row = 0;
    for (size_t s = 0; services_table[s] != NULL; s++) {
        const struct api_service *service = services_table[s];
        struct str head = s == 0 ? STR("") : service->name, colon = s == 0 ? STR("") : STR(":");
        for (size_t o = 0; o < service->count; o++) { put_results(&metrics->operations[row++], head, colon, service->operations[o].name, out); }
    }
    ASSERT(row <= METRIC_OPERATIONS_MAX);
    put_results(&metrics->others, STR(""), STR(""), STR(""), out);
}

static void put_writer(const struct metrics_paths *paths, struct buf *out)
{
    struct writer_counts counts = writer_count(paths->front->writer);
    put_one(out, "berth_writer_batches_total", "counter", "Batches that the writer took from its queue.", counts.batches);
    put_one(out, "berth_writer_jobs_total", "counter", "Jobs in those batches; divided by the commits: jobs per commit.", counts.jobs);
    put_one(out, "berth_writer_commits_total", "counter", "Batches that were committed, one sync each.", counts.commits);
    put_one(out, "berth_writer_failed_commits_total", "counter", "Batches of which nothing was kept.", counts.failed_commits);
    put_one(out, "berth_writer_refused_total", "counter", "Jobs refused because the queue was full or the server stopping.", counts.refused);
    put_one(out, "berth_writer_queue_length", "gauge", "Jobs that wait for the writer.", (int64_t)counts.queued);
}

static void put_trouble(const struct metrics_paths *paths, struct buf *out)
{
    put_one(out, "berth_store_failing", "gauge", "1 while the last commit failed: /healthz says why.", writer_count(paths->front->writer).trouble[0] != '\0');
    put_one(out, "berth_clock_doubted", "gauge", "1 while nothing that is past its term is removed, for an hour after the clock has jumped.",
            atomic_load(paths->clock_doubted));
}

/* Several servers with one state. */
static void put_members(const struct metrics_paths *paths, struct buf *out)
{
    struct member_state state;
    if (paths->front->members == NULL) { return; }
    member_look(members_member(paths->front->members), &state);
    put_one(out, "berth_ha_leads", "gauge", "1 on the server that leads.", state.role == MEMBER_LEADS);
    put_one(out, "berth_ha_term", "gauge", "The term of the leader, which grows with each; 0: nobody leads.", state.term);
    put_one(out, "berth_ha_log_last", "gauge", "The last entry of the log, by its last answer.", state.last);
    put_one(out, "berth_ha_revision", "gauge", "The last entry that this server's store has.", state.revision);
    put_one(out, "berth_ha_heard_milliseconds", "gauge", "How long ago the log answered; -1: never.", state.heard_ms);
    put_one(out, "berth_ha_led_total", "counter", "How often this server has become the leader.", state.led);
    put_one(out, "berth_ha_appends_total", "counter", "Entries that this server has added to the log.", state.appended);
    put_one(out, "berth_ha_appends_refused_total", "counter", "Entries that the log refused: another server led by then.", state.refused);
    put_one(out, "berth_ha_appends_unknown_total", "counter", "Entries of which the log did not say what became of them.", state.unknown);
}

static void put_webhooks(const struct metrics_paths *paths, struct buf *out)
{
    static const struct { const char *name, *type, *help; size_t at; } rows[] = {
        { "berth_webhook_events_total", "counter", "Events that the webhook took.", offsetof(struct webhook_count, told) },
        { "berth_webhook_failures_total", "counter", "Calls of the webhook that failed.", offsetof(struct webhook_count, failures) },
        { "berth_webhook_behind", "gauge", "Events that the webhook has not got yet.", offsetof(struct webhook_count, behind) },
    };
    struct webhook_count counts[WEBHOOKS_COUNTED];
    size_t count = webhooks_count(paths->webhooks, counts, WEBHOOKS_COUNTED);
    for (size_t r = 0; count > 0 && r < COUNT_OF(rows); r++) {
        buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", rows[r].name, rows[r].help, rows[r].name, rows[r].type);
        for (size_t h = 0; h < count; h++) {
            buf_printf(out, "%s{webhook=\"" STR_FMT "\"} %lld\n", rows[r].name, STR_ARG(counts[h].name),
                       (long long)*(const int64_t *)(const void *)((const char *)&counts[h] + rows[r].at));
        }
    }
}

static void put_board(const struct metrics_paths *paths, struct arena *arena, struct buf *out)
{
    enum { CLUSTERS_PAGE = 100 };
    struct str *names = ARENA_NEW(arena, struct str, CLUSTERS_PAGE), after = { NULL, 0 };
    struct cluster_counts sum = { 0 };
    int64_t clusters = 0;
    struct store_txn *txn = store_read_begin(paths->front->store);
    int64_t revision = store_revision(txn);
    for (size_t count = CLUSTERS_PAGE; count == CLUSTERS_PAGE;) {
        count = store_list_clusters(txn, after, names, CLUSTERS_PAGE, arena);
        for (size_t c = 0; c < count; c++) {
            const struct cluster *cluster = store_cluster(txn, names[c], arena);
            if (cluster == NULL) { continue; }
            struct cluster_counts counts = store_cluster_counts(txn, cluster->number);
            sum.instances += counts.instances;
            sum.running += counts.running;
            sum.pending += counts.pending;
            clusters++;
        }
        if (count > 0) { after = names[count - 1]; }
    }
    if (!store_read_end(txn)) { return; }                 /* a gap in the curve is the truth */
    put_one(out, "berth_clusters", "gauge", "Clusters.", clusters);
    put_one(out, "berth_instances", "gauge", "Container instances that are registered.", sum.instances);
    put_one(out, "berth_tasks_running", "gauge", "Tasks that run.", sum.running);
    put_one(out, "berth_tasks_pending", "gauge", "Tasks that wait to run.", sum.pending);
    put_one(out, "berth_store_revision", "gauge", "Commits since the store was made.", revision);
}

/* Figures of the last look at each provider that scales: the look is the writer's, and its figures are in the store. */
static void put_capacity(const struct metrics_paths *paths, struct arena *arena, struct buf *out)
{
    static const struct { const char *name, *help; size_t at; } gauges[] = {
        { "berth_capacity_provider_needed", "Machines that the tasks of a capacity provider need, those that wait among them.",
          offsetof(struct kept_provider, needed) },
        { "berth_capacity_provider_machines", "Machines of a capacity provider that run or are on order.", offsetof(struct kept_provider, size) },
        { "berth_capacity_provider_wanted", "Machines that it wants by its target, before MinSize and MaxSize.", offsetof(struct kept_provider, wanted) },
    };
    struct kept_provider *providers;
    struct store_txn *txn = store_read_begin(paths->front->store);
    size_t count = store_list_providers(txn, &providers, arena);
    if (!store_read_end(txn)) { return; }
    for (size_t g = 0; g < COUNT_OF(gauges); g++) {
        put_head(out, gauges[g].name, "gauge", gauges[g].help);
        for (size_t p = 0; p < count; p++) {
            int64_t value;
            if (providers[p].looked_ms == 0) { continue; }
            memcpy(&value, (const char *)&providers[p] + gauges[g].at, sizeof value);
            buf_printf(out, "%s{provider=\"" STR_FMT "\"} %lld\n", gauges[g].name, STR_ARG(providers[p].name), (long long)value);
        }
    }
    put_head(out, "berth_capacity_provider_reservation", "gauge",
             "CapacityProviderReservation: needed of machines, in percent; 200 without machines while some are needed.");
    for (size_t p = 0; p < count; p++) {
        const struct kept_provider *one = &providers[p];
        if (one->looked_ms == 0) { continue; }
        double percent = one->size > 0 ? (double)one->needed * 100 / (double)one->size : one->needed > 0 ? 200 : 100;
        buf_printf(out, "berth_capacity_provider_reservation{provider=\"" STR_FMT "\"} %g\n", STR_ARG(one->name), percent);
    }
}

static void put_labelled(struct buf *out, const char *name, const char *label, const char *value, int64_t count)
{
    buf_printf(out, "%s{%s=\"%s\"} %lld\n", name, label, value, (long long)count);
}

static void put_http(const struct metrics_paths *paths, struct buf *out)
{
    static const char connections[] = "berth_http_connections", ended[] = "berth_http_connections_ended_total";
    struct http_counts counts = http_count(paths->http);
    put_head(out, connections, "gauge", "Connections at the API's port: waiting have no thread yet, known have shown a good key.");
    put_labelled(out, connections, "peer", "waiting", counts.waiting);
    put_labelled(out, connections, "peer", "stranger", counts.strangers);
    put_labelled(out, connections, "peer", "known", counts.known);
    put_head(out, ended, "counter", "Connections that the API's port ended: slow to say what they want, or in the way of others.");
    put_labelled(out, ended, "why", "slow", counts.hung_up);
    put_labelled(out, ended, "why", "stranger", counts.ended_strangers);
    put_labelled(out, ended, "why", "idle", counts.ended_idle);
    put_one(out, "berth_http_body_bytes", "gauge", "Bytes of requests' bodies in memory; refused beyond 256 MiB.", counts.body_bytes);
    put_one(out, "berth_viewers", "gauge", "Viewers of the page and followers of logs; refused beyond 128, or half of the threads.",
            (int64_t)stream_viewers(paths->stream));
    put_one(out, "berth_http_heads_refused_total", "counter", "Requests refused because their head could be read in two ways.", counts.refused_heads);
}

static void put_archive(const struct metrics_paths *paths, struct buf *out)
{
    if (paths->archive == NULL) { return; }
    struct archive_counts counts = archive_count(paths->archive);
    put_one(out, "berth_archive_gpus", "gauge", "GPUs whose metrics are kept over time.", counts.gpus);
    put_one(out, "berth_archive_gpus_limit", "gauge", "GPUs for which the files have room.", counts.gpus_max);
    put_one(out, "berth_archive_bytes", "gauge", "Space on the disk that the files take.", counts.file_bytes);
    put_one(out, "berth_archive_lost_total", "counter", "Samples and changes of owners that were not kept: no room, or a disk that is too slow.", counts.lost);
}

static void put_process(struct buf *out)
{
    long long pages = 0, resident = 0;
    FILE *statm = fopen("/proc/self/statm", "re");
    if (statm == NULL) { return; }                        /* not Linux's /proc: the figure is left out */
    bool read = fscanf(statm, "%lld %lld", &pages, &resident) == 2;
    (void)fclose(statm);
    if (!read) { return; }
    put_one(out, "process_resident_memory_bytes", "gauge", "Resident memory.", (int64_t)resident * sysconf(_SC_PAGESIZE));
}

static void put_connections(const struct metrics_paths *paths, struct buf *out)
{
#define CONNECTION_WORD(reason, word) word,
    static const char *const words[] = { CONNECTION_REASONS(CONNECTION_WORD) };
#undef CONNECTION_WORD
    struct listener_counts counts = listener_count(paths->listener);
    put_one(out, "berth_agent_connections", "gauge", "Connections at the agents' listener.", (int64_t)counts.connections);
    put_one(out, "berth_agent_connections_unsigned", "gauge", "Those of them whose peer has not shown yet who it is.", (int64_t)counts.strangers);
    put_one(out, "berth_agent_connections_held_bytes", "gauge", "Bytes that all of them hold: input that is not whole, and answers that were not read.",
            (int64_t)counts.held);
    put_head(out, "berth_agent_connections_closed_total", "counter", "Connections at the agents' listener that have ended, by reason.");
    for (size_t r = 0; r < COUNT_OF(words); r++) {
        buf_printf(out, "berth_agent_connections_closed_total{reason=\"%s\"} %llu\n", words[r], (unsigned long long)counts.closed[r]);
    }
}

/* ---- histograms ---- */

static void put_durations(struct exposition *exposition, const struct metrics *metrics)
{
    static const char name[] = "berth_request_duration_seconds";
    struct buf labels = buf_in(exposition->out->arena);
    size_t row = 0;
    exposition_head(exposition, name, "histogram", "Time until the answer, by operation, as in berth_requests_total.");
    for (size_t s = 0; services_table[s] != NULL; s++) {
        const struct api_service *service = services_table[s];
        for (size_t o = 0; o < service->count; o++, row++) {
            if (!histogram_is_used(&metrics->us[row])) { continue; }
            labels.len = 0;
            buf_printf(&labels, "operation=\"" STR_FMT "%s" STR_FMT "\"", STR_ARG(s == 0 ? STR("") : service->name), s == 0 ? "" : ":",
                       STR_ARG(service->operations[o].name));
            exposition_histogram(exposition, name, buf_str(&labels), &metrics->us[row], &histogram_us, 1e6);
        }
    }
}

static void put_histograms(struct exposition *exposition, struct writer_figures *figures)
{
    const struct { const char *name, *help; const struct histogram *of; const struct histogram_scale *scale; double unit; } histograms[] = {
        { "berth_writer_batch_jobs", "Jobs of a batch, which is one commit.", &figures->jobs, &histogram_items, 1 },
        { "berth_writer_run_duration_seconds", "Time in which a batch was decided: its operations, and the scheduler's places for their tasks.",
          &figures->run_us, &histogram_us, 1e6 },
        { "berth_writer_commit_duration_seconds", "Time in which a batch was written to the disk.", &figures->commit_us, &histogram_us, 1e6 },
    };
    for (size_t h = 0; h < COUNT_OF(histograms); h++) {
        exposition_head(exposition, histograms[h].name, "histogram", histograms[h].help);
        exposition_histogram(exposition, histograms[h].name, STR(""), histograms[h].of, histograms[h].scale, histograms[h].unit);
    }
}

/* ---- all of it ---- */

static void print_server(const struct metrics_paths *paths, struct arena *arena, struct buf *out)
{
    struct sessions_counts sessions = sessions_count(paths->sessions);
    struct writer_figures *figures = writer_figures(paths->front->writer);
    put_requests(paths->front->metrics, out);
    auth_print_metrics(paths->front->auth, out);
    put_writer(paths, out);
    put_trouble(paths, out);
    put_one(out, "berth_agent_sessions", "gauge", "Agents that are there, or were lately.", (int64_t)sessions.sessions);
    put_one(out, "berth_agent_sessions_waiting", "gauge", "Agents that wait for news, by a poll or a websocket.", (int64_t)sessions.waiting);
    put_connections(paths, out);
    put_http(paths, out);
    put_board(paths, arena, out);
    put_capacity(paths, arena, out);
    put_one(out, "berth_scheduler_waiting", "gauge", "Tasks that wait for room; a gang counts once.",
            (int64_t)atomic_load_explicit(&figures->waiting, memory_order_relaxed));
    put_one(out, "berth_store_bytes", "gauge", "Size of the store's file.", store_bytes(paths->front->store));
    health_counts_print_metrics(paths->health, out);
    headroom_print_metrics(paths->headroom, out);
    put_archive(paths, out);
    put_members(paths, out);
    put_webhooks(paths, out);
    put_head(out, "berth_gpu_idle_held", "gauge", "GPUs that running tasks hold and have not used for a while: see berth idle.");
    buf_printf(out, "berth_gpu_idle_held %g\n", (double)held_idle_thousandths(paths->held) / GPU_SHARE_WHOLE);
    put_process(out);
}

struct scrape { struct http_request *request; struct http_answer *answer; };

/* An answer for many GPUs leaves in pieces: it is never in memory as a whole. */
static bool send_piece(void *context, struct buf *out)
{
    struct scrape *scrape = context;
    bool begins = !scrape->answer->streamed;
    bool good = begins ? http_stream_begin(scrape->request, scrape->answer) : http_stream_write(scrape->request, buf_str(out));
    out->len = 0;
    return good;
}

void metrics_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct metrics_paths *paths = context;
    unsigned int names;
    struct buf server = buf_in(request->arena);
    struct scrape scrape = { request, answer };
    (void)caller;
    if (!use_names_read(query_parameter(request, STR("names")), &names)) {
        answer_text(answer, 400, STR("text/plain; charset=utf-8"), STR("?names= has berth, nvidia_smi and dcgm, with commas between them.\n"));
        return;
    }
    struct exposition exposition = { .out = &answer->body, .open_metrics = exposition_wants_open(http_header(request, STR("Accept"))) };
    if (!str_eq(request->method, STR("HEAD"))) { exposition.full = send_piece; }
    exposition.context = &scrape;
    answer->type = exposition_type(exposition.open_metrics);
    answer->headers = live_headers;
    print_server(paths, request->arena, &server);
    exposition_take(&exposition, buf_str(&server));
    put_durations(&exposition, paths->front->metrics);
    put_histograms(&exposition, writer_figures(paths->front->writer));
    use_metrics_print(&exposition, paths->samples, paths->front->store, names, request->now_ms, request->arena);
    exposition_end(&exposition);
    if (answer->streamed && !exposition.gone) { exposition.gone = !http_stream_write(request, buf_str(&answer->body)); }
}
