/* doctor.c: `berth doctor`: one line per finding, and how to repair it. Status 1 if a check fails. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/doctor.h"
#include "wire/wire.h"
#include "base/assert.h"
#include "base/json.h"
#include "base/num.h"
#include "cli/cli.h"
#include "cli/remote.h"
#include "store/store.h"

/* ---- the server, as this machine sees it ---- */

/* The reason for a refused key shows whether the clock is wrong. */
static void check_key(const struct remote *remote, struct finding_list *findings, struct arena *arena)
{
    struct err err = { 0 };
    struct str reply;
    if (remote_operation(remote, "DiscoverPollEndpoint", STR("{}"), &reply, NULL, arena, &err)) {
        doctor_put(findings, "clock", FINDING_OK, STR("this machine's clock agrees with the server's"), NULL);
        doctor_put(findings, "key", FINDING_OK, STR("the access key is accepted"), NULL);
        return;
    }
    bool is_clock = strstr(err.message, "Signature expired") != NULL || strstr(err.message, "Signature not yet current") != NULL;
    struct str text = arena_str(arena, str_from(err.message));
    if (is_clock) {
        doctor_put(findings, "clock", FINDING_FAIL, text, "set the clock: timedatectl set-ntp true");
    } else {
        doctor_put(findings, "key", FINDING_FAIL, text, "on the server: berth keys create --role agent; here: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
    }
}

/* Would the server accept an agent of this version? A server without a number is older than the numbers. */
static void check_protocol(struct str health, struct finding_list *findings, struct arena *arena)
{
    struct err err = { 0 };
    const struct json *tree = json_parse(health, arena, &err);
    struct str version = json_get_str(tree, STR("version"));
    const struct protocol_range range = {
        .oldest = json_get_i64(tree, STR("oldestProtocol"), PROTOCOL_UNTOLD), .newest = json_get_i64(tree, STR("protocol"), PROTOCOL_UNTOLD),
    };
    if (tree == NULL || !protocol_check_server(range, version, &err)) {
        doctor_put(findings, "protocol", FINDING_FAIL, arena_str(arena, str_from(err.message)), "install the same version here and on the server");
    } else {
        doctor_put(findings, "protocol", FINDING_OK, arena_printf(arena, "this program (" BERTH_VERSION ") and the server (" STR_FMT
                                                                   ") work together: agents' protocol %lld", STR_ARG(version),
                                                                   (long long)min_i64(range.newest, PROTOCOL_NEWEST)), NULL);
    }
}

static void check_server_at(const struct config *config, const char *url, struct finding_list *findings, struct arena *arena)
{
    struct remote remote;
    struct err err = { 0 };
    struct str health;
    if (!cli_remote_at(config, url, &remote, arena, &err)) {
        doctor_put(findings, "key", FINDING_FAIL, arena_str(arena, str_from(err.message)), "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
        return;
    }
    if (!remote_get_text(&remote, "/healthz", &health, arena, &err)) {
        doctor_put(findings, "server", FINDING_FAIL, arena_str(arena, str_from(err.message)),
                   "is it running, and does a firewall let its ports through (9280, 9281)?");
        return;
    }
    doctor_put(findings, "server", FINDING_OK, arena_printf(arena, "%s answers", url), NULL);
    check_protocol(health, findings, arena);
    check_key(&remote, findings, arena);
}

static void check_server(const struct config *config, struct finding_list *findings, struct arena *arena)
{
    struct str url, rest = str_from(config_text(config, SETTING_JOIN));
    if (rest.len == 0) {
        doctor_put(findings, "server", FINDING_WARN, STR("not checked, because no server was given"), "berth doctor --join http://HOST:9280");
        return;
    }
    for (bool more = true; more;) {
        more = str_cut(rest, ',', &url, &rest);
        check_server_at(config, arena_cstr(arena, url), findings, arena);
    }
}

/* ---- the server's own folder ---- */

static const char restore_told[] = "stop the server and start from a copy: docs/scale.md, \"Keep a copy\"";

static void check_folder(const char *dir, struct finding_list *findings, struct arena *arena)
{
    struct stat facts;
    if (stat(dir, &facts) != 0 || !S_ISDIR(facts.st_mode)) {
        doctor_put(findings, "folder", FINDING_FAIL, arena_printf(arena, "%s is not a folder", dir),
                   "berth server --data DIR makes it");
    } else if (access(dir, R_OK | W_OK | X_OK) != 0) {
        doctor_put(findings, "folder", FINDING_FAIL, arena_printf(arena, "this user can't write in %s", dir),
                   "run as the server's user, or chown the folder");
    } else if ((facts.st_mode & 077) != 0) {
        doctor_put(findings, "folder", FINDING_WARN, arena_printf(arena, "other users can read %s, which has secrets", dir), "chmod 700 the folder");
    } else {
        doctor_put(findings, "folder", FINDING_OK, arena_printf(arena, "only this user can read %s", dir), NULL);
    }
}

static void check_store(const char *dir, struct finding_list *findings, struct arena *arena)
{
    struct err err = { 0 };
    struct store *store = NULL;
    struct stat facts;
    const char *file = arena_printf(arena, "%s/data.mdb%c", dir, '\0').ptr;
    if (stat(file, &facts) != 0) {                       /* opening would make one */
        doctor_put(findings, "store", FINDING_FAIL, arena_printf(arena, "there is no store in %s", dir), "start berth server with this folder once");
        return;
    }
    const struct store_config config = { .dir = dir, .sync = true, .recall_later = true };
    if (!store_open(&config, &store, &err)) {
        doctor_put(findings, "store", FINDING_FAIL, arena_str(arena, str_from(err.message)), restore_told);
        return;
    }
    struct store_txn *txn = store_read_begin(store);
    struct check_report *report = ARENA_NEW(arena, struct check_report, 1);
    struct str told = arena_printf(arena, "revision %lld, %lld MiB on disk", (long long)store_revision(txn), (long long)(facts.st_size >> 20));
    bool looked = cli_check_data(dir, txn, report, &err);
    cli_doctor_agents(txn, findings, arena);
    bool read = store_read_end(txn);
    int64_t breaches = check_report_breaches(report);
    if (breaches == 0 && (!looked || !read)) {
        struct str why = arena_printf(arena, STR_FMT ": %s", STR_ARG(told), looked ? "it can't be read" : err.message);
        doctor_put(findings, "store", FINDING_FAIL, why, restore_told);
    } else if (breaches > 0) {
        struct str broken = arena_printf(arena, STR_FMT ": broken invariants: %lld", STR_ARG(told), (long long)breaches);
        doctor_put(findings, "store", FINDING_FAIL, broken,
                   arena_printf(arena, "`berth check --data %s` lists them; then %s%c", dir, restore_told, '\0').ptr);
    } else {
        doctor_put(findings, "store", FINDING_OK, told, NULL);
    }
    store_close(store);
}

/* ---- printing ---- */

static void print_json(const struct finding_list *findings, bool good, struct arena *arena)
{
    struct buf text = buf_in(arena);
    struct json_out out = json_out_to(&text);
    json_open(&out, '{');
    json_key(&out, STR("good"));
    json_bool(&out, good);
    json_key(&out, STR("findings"));
    json_open(&out, '[');
    for (size_t f = 0; f < findings->count; f++) {
        const struct finding *finding = &findings->items[f];
        json_open(&out, '{');
        json_key(&out, STR("check"));
        json_str(&out, finding->check);
        json_key(&out, STR("status"));
        json_str(&out, enum_word(&finding_status_names, (int)finding->status));
        json_key(&out, STR("text"));
        json_str(&out, finding->text);
        if (str_is_set(finding->remedy)) {
            json_key(&out, STR("remedy"));
            json_str(&out, finding->remedy);
        }
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_close(&out, '}');
    printf(STR_FMT "\n", STR_ARG(buf_str(&text)));
}

static void print_text(const struct finding_list *findings)
{
    for (size_t f = 0; f < findings->count; f++) {
        const struct finding *finding = &findings->items[f];
        struct str word = enum_word(&finding_status_names, (int)finding->status);
        printf("%-5.*s %-15.*s " STR_FMT "\n", (int)word.len, word.ptr, (int)finding->check.len, finding->check.ptr, STR_ARG(finding->text));
        if (finding->status != FINDING_OK && str_is_set(finding->remedy)) { printf("      %-15s → " STR_FMT "\n", "", STR_ARG(finding->remedy)); }
    }
}

static bool read_cuda(const char *text, int64_t *wanted, struct err *err)
{
    struct str major, minor;
    int64_t high, low;
    *wanted = 0;
    if (text == NULL) { return true; }
    bool good = str_cut(str_from(text), '.', &major, &minor) && str_to_i64(major, &high) && str_to_i64(minor, &low)
        && high > 0 && high < 100 && low >= 0 && low < 100;
    if (good) { *wanted = high * 1000 + low * 10; }
    return good || err_set(err, ERR_INVALID_PARAMETER, "cuda can't be \"%s\": it should be a version such as 12.4.", text);
}

int cli_doctor(const struct config *config, struct arena *arena, struct err *err)
{
    struct finding items[FINDINGS_MAX];
    struct finding_list findings = { items, 0 };
    const char *data = config_text(config, SETTING_DATA);
    struct doctor_settings settings = {
        .docker_socket = config_text(config, SETTING_DOCKER_SOCKET), .dir = "/var/lib/docker",
        .gpu_support_off = strcmp(config_text(config, SETTING_GPU_SUPPORT), "off") == 0,
    };
    if (!read_cuda(config_text(config, SETTING_CUDA), &settings.cuda_wanted, err)) { return 2; }
    if (config_text(config, SETTING_HA) != NULL) {
        cli_doctor_servers(config, &findings, arena);
    } else if (data != NULL) {
        check_folder(data, &findings, arena);
        check_store(data, &findings, arena);
        doctor_put_disk(&findings, data, arena);
    } else {
        doctor_check_machine(&settings, &findings, arena);
        check_server(config, &findings, arena);
    }
    bool good = true;
    for (size_t f = 0; f < findings.count; f++) { good = good && findings.items[f].status != FINDING_FAIL; }
    if (strcmp(config_text(config, SETTING_OUTPUT), "json") == 0) { print_json(&findings, good, arena); } else { print_text(&findings); }
    return good ? 0 : 1;
}
