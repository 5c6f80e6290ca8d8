/* check.c: `berth check`: checks all invariants of a server's store. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "cli/cli.h"
#include "model/records/gpu_health.h"
#include "server/secret_key.h"
#include "store/store.h"

static bool opens(void *context, const struct kept_secret *secret) { return secret_key_opens(context, secret); }

bool cli_check_data(const char *dir, struct store_txn *txn, struct check_report *report, struct err *err)
{
    struct seal_key key;
    bool found = false, known = secret_key_read(dir, &key, &found, err);
    struct check_seals seals = { known && found ? opens : NULL, &key };
    bool whole = store_check_file(txn, seals, report);
    memset(&key, 0, sizeof key);
    return (whole || err_set(err, ERR_SERVER, "The store in %s can't be read to its end: %s.", dir, store_txn_problem(txn))) && known;
}

/* ---- printing ---- */

static struct str word_of(const struct looked_at *looked)
{
    return enum_word(&finding_status_names, looked->breaches == 0 ? FINDING_OK : FINDING_FAIL);
}

static void print_text(const struct check_report *report)
{
    for (size_t i = 0; i < INVARIANT_COUNT; i++) {
        const struct looked_at *looked = &report->of[i];
        struct str word = word_of(looked);
        printf("%-5.*s %-12.*s %9lld checked: " STR_FMT "\n", (int)word.len, word.ptr, (int)invariant_words[i].name.len, invariant_words[i].name.ptr,
               (long long)looked->count, STR_ARG(invariant_words[i].text));
        for (int64_t b = 0; b < looked->breaches && b < BREACHES_SHOWN_MAX; b++) {
            printf("      %s %s: %s\n", looked->first[b].table, looked->first[b].id, looked->first[b].what);
        }
        if (looked->breaches > BREACHES_SHOWN_MAX) { printf("      and %lld more\n", (long long)(looked->breaches - BREACHES_SHOWN_MAX)); }
    }
}

static void print_breaches(struct json_out *out, const struct looked_at *looked)
{
    json_open(out, '[');
    for (int64_t b = 0; b < looked->breaches && b < BREACHES_SHOWN_MAX; b++) {
        json_open(out, '{');
        json_key(out, STR("table"));
        json_str(out, str_from(looked->first[b].table));
        json_key(out, STR("id"));
        json_str(out, str_from(looked->first[b].id));
        json_key(out, STR("text"));
        json_str(out, str_from(looked->first[b].what));
        json_close(out, '}');
    }
    json_close(out, ']');
}

static void print_json(const struct check_report *report, int64_t revision, bool good, struct arena *arena)
{
    struct buf text = buf_in(arena);
    struct json_out out = json_out_to(&text);
    json_open(&out, '{');
    json_key(&out, STR("good"));
    json_bool(&out, good);
    json_key(&out, STR("revision"));
    json_i64(&out, revision);
    json_key(&out, STR("invariants"));
    json_open(&out, '[');
    for (size_t i = 0; i < INVARIANT_COUNT; i++) {
        const struct looked_at *looked = &report->of[i];
        json_open(&out, '{');
        json_key(&out, STR("invariant"));
        json_str(&out, invariant_words[i].name);
        json_key(&out, STR("status"));
        json_str(&out, word_of(looked));
        json_key(&out, STR("text"));
        json_str(&out, invariant_words[i].text);
        json_key(&out, STR("lookedAt"));
        json_i64(&out, looked->count);
        json_key(&out, STR("breachCount"));
        json_i64(&out, looked->breaches);
        json_key(&out, STR("breaches"));
        print_breaches(&out, looked);
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_close(&out, '}');
    printf(STR_FMT "\n", STR_ARG(buf_str(&text)));
}

/* Opening a missing store would create it. */
static bool open_store(const char *dir, struct store **store, struct arena *arena, struct err *err)
{
    struct stat facts;
    const char *file = arena_printf(arena, "%s/data.mdb%c", dir, '\0').ptr;
    const struct store_config config = { .dir = dir, .sync = true, .recall_later = true };
    if (stat(file, &facts) != 0) { return err_set(err, ERR_INVALID_PARAMETER, "There is no store in %s.", dir); }
    return store_open(&config, store, err);
}

int cli_check(const struct config *config, struct arena *arena, struct err *err)
{
    const char *dir = config_text(config, SETTING_DATA);
    struct store *store = NULL;
    struct check_report *report = ARENA_NEW(arena, struct check_report, 1);
    if (dir == NULL) { dir = "berth-data"; }
    if (!open_store(dir, &store, arena, err)) { return 2; }
    ASSERT(store != NULL);
    struct store_txn *txn = store_read_begin(store);
    int64_t revision = store_revision(txn);
    bool looked = cli_check_data(dir, txn, report, err), read = store_read_end(txn);
    bool good = looked && read && check_report_breaches(report) == 0;
    if (strcmp(config_text(config, SETTING_OUTPUT), "json") == 0) { print_json(report, revision, good, arena); } else { print_text(report); }
    store_close(store);
    return good ? 0 : looked && read ? 1 : 2;
}
