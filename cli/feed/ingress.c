#include "cli/feed/ingress.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "cli/feed/certificates.h"
#include "cli/feed/configuration.h"
#include "cli/feed/figures.h"
#include "cli/feed/follow.h"
#include "cli/feed/haproxy.h"
#include "cli/feed/plan.h"
#include "cli/feed/process.h"
#include "cli/feed/runtime.h"

enum { RELOAD_MS = 10 * 1000, AGAIN_MS = 10 * 1000, END_MS = 10 * 1000,
       CHECK_MS = 10 * 1000, DAY_MS = 24 * 3600 * 1000 };

struct ingress {
    const struct ingress_settings *settings;
    struct configuration_settings configuration;
    struct proxy_process process;
    struct haproxy haproxy;
    const char *file, *fresh_file;                               /* the configuration, and one that is not checked yet */
    char version[CONFIGURATION_VERSION_LEN + 1];                 /* in the file; empty: none yet */
    char refused[CONFIGURATION_VERSION_LEN + 1], why[400]; int64_t refused_ms;      /* the last one that HAProxy has refused; monotonic */
    char ordered[CONFIGURATION_VERSION_LEN + 1]; int64_t ordered_ms;                /* in the file at the last start or reload; monotonic */
    uint64_t told_hash;                                          /* of the sentences that the log has */
    int64_t warned_ms;                                           /* the last look at its certificates; monotonic */
};

/* ---- files ---- */

/* When a file was changed; 0: it is not there. */
static int64_t stamp_of(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? (int64_t)about.st_mtime : 0;
}

/* HAProxy's language has no quotes within the arguments of a map, so the folder's path must not need any. */
static bool is_plain_path(const char *path)
{
    struct str rest = str_from(path), part;
    while (rest.len > 0) {
        str_cut(rest, '/', &part, &rest);
        if (part.len > 0 && !plan_is_name(part)) { return false; }
    }
    return true;
}

static bool set_paths(struct ingress *ingress, const struct ingress_settings *settings, struct arena *arena, struct err *err)
{
    char folder[PATH_MAX];
    if ((mkdir(settings->folder, 0700) != 0 && errno != EEXIST) || realpath(settings->folder, folder) == NULL) {
        return err_set(err, ERR_SERVER, "the folder %s can't be used: %s.", settings->folder, strerror(errno));
    }
    if (!is_plain_path(folder)) {
        return err_set(err, ERR_INVALID_PARAMETER, "the path of the folder %s may have only letters, digits, '-', '_' and '.'.", folder);
    }
    const char *socket = arena_printf(arena, "%s/haproxy.sock", folder).ptr;
    *ingress = (struct ingress){
        .settings = settings, .haproxy = { socket }, .file = arena_printf(arena, "%s/haproxy.cfg", folder).ptr,
        .fresh_file = arena_printf(arena, "%s/haproxy-next.cfg", folder).ptr,
        .configuration = { arena_printf(arena, "%s/" RUNTIME_MAP, folder).ptr, settings->map_ports, settings->certificates, settings->access_log, stamp_of },
    };
    ingress->process = (struct proxy_process){ .program = settings->program, .configuration = ingress->file,
                                               .socket = arena_printf(arena, "%s,mode,600", socket).ptr };
    return true;
}

static bool write_file(const char *path, struct str text, struct err *err)
{
    return file_replace(path, text) || err_set(err, ERR_SERVER, "%s can't be written: %s.", path, strerror(errno));
}

/* Writes and checks it; the file that HAProxy reads changes only for a good one. */
static bool write_configuration(struct ingress *ingress, const struct feed_state *state, const struct configuration *made, struct arena *arena,
                                struct err *err)
{
    if (!write_file(ingress->configuration.map, configuration_map(state, arena), err) || !write_file(ingress->fresh_file, made->text, err)) { return false; }
    if (!process_check(&ingress->process, ingress->fresh_file, arena, err)) { return false; }
    if (rename(ingress->fresh_file, ingress->file) != 0) { return err_set(err, ERR_SERVER, "%s can't be written: %s.", ingress->file, strerror(errno)); }
    return true;
}

/* ---- keeping it ---- */

static void tell_left_out(const struct configuration *made, uint64_t *told_hash)
{
    if (made->left_out_hash == *told_hash) { return; }
    *told_hash = made->left_out_hash;
    for (size_t n = 0; n < made->left_out.count; n++) { log_line(LOG_WARN, "ingress", STR_FMT, STR_ARG(made->left_out.items[n])); }
}

/* Each day, and when the configuration is new. */
static void warn_of_certificates(struct ingress *ingress, const struct configuration *made, struct arena *arena)
{
    ingress->warned_ms = clock_monotonic_ms();
    for (size_t c = 0; c < made->certificates.count; c++) {
        struct str path = made->certificates.items[c], warning = certificates_warning(path.ptr, clock_now_ms(), arena);
        bool again = false;
        for (size_t before = 0; before < c; before++) { again |= str_eq(made->certificates.items[before], path); }
        if (str_is_set(warning) && !again) { log_line(LOG_WARN, "ingress", STR_FMT, STR_ARG(warning)); }
    }
}

/* The configuration of the state, in the file, if HAProxy must read it: it is new, or HAProxy does not run, and would start with old targets. */
static bool renew(struct ingress *ingress, const struct feed_state *state, struct arena *arena, struct err *err)
{
    struct configuration made;
    configuration_make(state, &ingress->configuration, clock_now_ms(), &made, arena);
    bool new_version = !str_eq(made.version, str_from(ingress->version));
    tell_left_out(&made, &ingress->told_hash);
    if (!new_version && clock_monotonic_ms() - ingress->warned_ms >= DAY_MS) { warn_of_certificates(ingress, &made, arena); }
    if (!new_version && ingress->process.pid > 0) { return true; }
    if (str_eq(made.version, str_from(ingress->refused)) && clock_monotonic_ms() - ingress->refused_ms < AGAIN_MS) {
        return err_set(err, ERR_SERVER, "%s", ingress->why);
    }
    if (!write_configuration(ingress, state, &made, arena, err)) {
        ingress->refused_ms = clock_monotonic_ms();
        memcpy(ingress->refused, made.version.ptr, sizeof ingress->refused);
        (void)str_to_cstr(str_shorten(str_from(err->message), sizeof ingress->why - 1), ingress->why, sizeof ingress->why);
        return false;
    }
    if (new_version) { warn_of_certificates(ingress, &made, arena); }
    memcpy(ingress->version, made.version.ptr, sizeof ingress->version);
    return true;
}

static void note_order(struct ingress *ingress)
{
    memcpy(ingress->ordered, ingress->version, sizeof ingress->ordered);
    ingress->ordered_ms = clock_monotonic_ms();
}

/* The version that the present worker has; empty: it does not answer. */
static struct str running_version(const struct ingress *ingress, struct arena *arena)
{
    static const struct str before = STR_INIT("description: berth-");
    struct str_list workers;
    struct str answer;
    struct err ignored = { 0 };
    if (!runtime_workers(ingress->haproxy.socket, &workers, arena, &ignored)
        || !runtime_ask(ingress->haproxy.socket, arena_printf(arena, STR_FMT "show info", STR_ARG(workers.items[0])), &answer, arena, &ignored)) {
        return STR("");
    }
    for (struct str line; answer.len > 0;) {
        str_cut(answer, '\n', &line, &answer);
        if (str_starts_with(line, before)) { return str_slice(line, before.len, before.len + CONFIGURATION_VERSION_LEN); }
    }
    return STR("");
}

/* Has the present worker the configuration of the file? If not, HAProxy gets the order to read it, but not while it is reading: it would not hear that.
 * False without *err: not yet. */
static bool has_version(struct ingress *ingress, struct arena *arena, struct err *err)
{
    struct str running = running_version(ingress, arena);
    if (str_eq(running, str_from(ingress->version))) { return true; }
    bool has_read = str_eq(running, str_from(ingress->ordered));
    if (!has_read && clock_monotonic_ms() - ingress->ordered_ms < RELOAD_MS) { return false; }
    if (has_read) { log_line(LOG_INFO, "ingress", "listeners, rules or target groups have changed: HAProxy reads its configuration again"); }
    process_reload(&ingress->process);
    note_order(ingress);
    return !has_read && err_set(err, ERR_UNAVAILABLE, "HAProxy has not taken its configuration, and gets the order again.");
}

/* A feed_apply. When HAProxy refuses the new configuration, targets still follow in the old one. */
static bool apply(void *context, const struct feed_state *state, struct feed_applied *applied, struct arena *arena, struct err *err)
{
    struct ingress *ingress = context;
    struct err refused = { 0 };
    if (!process_runs(&ingress->process) && !process_may_start(&ingress->process)) { return err_set(err, ERR_UNAVAILABLE, "HAProxy does not run."); }
    bool renewed = renew(ingress, state, arena, &refused);
    if (ingress->version[0] == '\0') {
        *err = refused;
        return false;
    }
    if (ingress->process.pid == 0) {
        if (!process_start(&ingress->process, err)) { return false; }
        note_order(ingress);
    }
    applied->soon = true;
    if (!has_version(ingress, arena, err)) { return false; }
    applied->soon = false;
    if (!haproxy_apply(&ingress->haproxy, state, applied, arena, err)) { return false; }
    if (!renewed) {
        applied->partly = true;
        *err = refused;
    }
    return true;
}

static bool is_over(void *context)
{
    const struct ingress_settings *settings = ((const struct ingress *)context)->settings;
    return settings->ended(settings->context);
}

bool ingress_check(const struct ingress_settings *settings, struct arena *arena, struct err *err)
{
    char *const argv[] = { (char *)(uintptr_t)settings->program, (char[]){ "-v" }, NULL };
    struct err why = { 0 };
    return process_run(argv, CHECK_MS, arena, &why)
        || err_set(err, ERR_INVALID_PARAMETER, "HAProxy is needed: %s `apt-get install haproxy`, or name it with --proxy.", why.message);
}

bool ingress_run(const struct ingress_settings *settings, struct arena *arena, struct err *err)
{
    struct ingress ingress;
    struct figures *figures = NULL;
    if (!set_paths(&ingress, settings, arena, err)) { return false; }
    if (settings->metrics_host != NULL) {
        figures = figures_start(ingress.haproxy.socket, settings->metrics_host, settings->metrics_port, err);
        if (figures == NULL) { return false; }
    }
    const struct feed feed = { .remote = settings->remote, .name = settings->name, .apply = apply, .context = &ingress, .ended = is_over };
    bool good = feed_follow(&feed, arena, err);
    log_line(LOG_INFO, "ingress", "stopping");
    process_end(&ingress.process, END_MS);
    figures_stop(figures);
    return good;
}

/* ---- printing it ---- */

static bool print(void *context, const struct feed_state *state, struct feed_applied *applied, struct arena *arena, struct err *err)
{
    struct configuration made;
    uint64_t told_hash = 0;
    (void)applied;
    (void)err;
    configuration_make(state, context, clock_now_ms(), &made, arena);
    tell_left_out(&made, &told_hash);
    fwrite(made.text.ptr, 1, made.text.len, stdout);
    return true;
}

bool ingress_print(const struct ingress_settings *settings, struct arena *arena, struct err *err)
{
    struct configuration_settings configuration = {
        arena_printf(arena, "%s/" RUNTIME_MAP, settings->folder).ptr, settings->map_ports, settings->certificates, settings->access_log, stamp_of,
    };
    const struct feed feed = { .remote = settings->remote, .apply = print, .context = &configuration, .once = true };
    return feed_follow(&feed, arena, err);
}
