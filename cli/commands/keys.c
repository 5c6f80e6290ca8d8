/* keys.c: `berth keys`. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "api/core/binding.h"
#include "api/tell/role_credentials.h"
#include "base/text/arn.h"
#include "base/clock.h"
#include "cli/cli.h"
#include "cli/words.h"
#include "server/keys.h"
#include "store/store.h"

enum action { ACTION_UNKNOWN, ACTION_CREATE, ACTION_LIST, ACTION_REVOKE, ACTION_ROTATE_ROLES };

static struct str iso_time(int64_t epoch_ms, struct arena *arena)
{
    time_t seconds = (time_t)(epoch_ms / 1000);
    struct tm parts;
    char text[32];
    gmtime_r(&seconds, &parts);
    size_t len = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return arena_str(arena, (struct str){ text, len });
}

static void print_member(struct json_out *json, const char *name, struct str value)
{
    json_key(json, str_from(name));
    json_str(json, value);
}

/* The names of IAM's AccessKey and AccessKeyMetadata. */
static void print_json_key(struct json_out *json, const struct access_key *key, bool with_secret, struct arena *arena)
{
    json_open(json, '{');
    print_member(json, "UserName", key->user);
    print_member(json, "AccessKeyId", key->id);
    print_member(json, "Status", key->revoked_ms == 0 ? STR("Active") : STR("Inactive"));
    if (with_secret) {
        print_member(json, "SecretAccessKey", key->secret);
    }
    print_member(json, "CreateDate", iso_time(key->created_ms, arena));
    print_member(json, "Role", enum_word(&access_role_names, (int)key->role));
    if (key->binding.cluster.len > 0) { print_member(json, "Cluster", key->binding.cluster); }
    if (key->binding.instance.len > 0) { print_member(json, "Instance", key->binding.instance); }
    json_close(json, '}');
}

static bool wants_json(const struct config *config) { return strcmp(config_text(config, SETTING_OUTPUT), "json") == 0; }

static bool put_key(struct store *store, const struct access_key *key, struct err *err)
{
    if (!keys_check_clock(err)) { return false; }
    struct store_txn *txn = store_write_begin(store);
    store_put_access_key(txn, key);
    return keys_commit(txn, err);
}

static void tell_rotated(void)
{
    fprintf(stderr, "All earlier keys of tasks' roles are refused from now on. A running server gives its agents new ones within seconds.\n");
}

static bool rotate_roles(struct store *store, struct err *err)
{
    if (!keys_make_role_key(store, err)) { return false; }
    tell_rotated();
    return true;
}

/* ---- what a key is bound to ---- */

/* A machine's name, as agents give it: printable characters, without blanks. */
static bool is_machine_name(struct str text)
{
    enum { NAME_MAX_LEN = 128 };                         /* of an attribute's value */
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] <= ' ' || text.ptr[i] > '~') { return false; }
    }
    return text.len >= 1 && text.len <= NAME_MAX_LEN;
}

/* "container-instance/CLUSTER/ID" */
static bool read_instance_arn(struct str text, struct key_binding *binding, struct id *id)
{
    struct arn arn;
    struct str kind, rest, hex;
    return arn_parse(text, &arn) && str_cut(arn.resource, '/', &kind, &rest) && str_eq(kind, STR("container-instance"))
        && str_cut(rest, '/', &binding->cluster, &hex) && names_is_valid(binding->cluster) && id_parse(hex, id);
}

static bool read_instance(struct str text, struct key_binding *binding, struct arena *arena, struct err *err)
{
    struct id id;
    char hex[ID_HEX_LEN + 1];
    bool is_arn = arn_looks_like(text);
    if (is_arn && !read_instance_arn(text, binding, &id)) {
        return err_set(err, ERR_INVALID_PARAMETER, "--instance: this is not the ARN of a container instance.");
    }
    if (is_arn || id_parse(text, &id)) {
        id_hex(id, hex);
        text = arena_str(arena, str_from(hex));
    }
    binding->instance = text;
    return is_machine_name(text) || err_set(err, ERR_INVALID_PARAMETER, "--instance must have 1 to 128 characters, without blanks.");
}

static bool read_binding(const struct config *config, enum access_role role, struct key_binding *binding, struct arena *arena, struct err *err)
{
    const char *cluster = config_text(config, SETTING_KEY_CLUSTER), *instance = config_text(config, SETTING_KEY_INSTANCE);
    *binding = (struct key_binding){ 0 };
    if (cluster == NULL && instance == NULL) { return true; }
    if (role != ACCESS_AGENT) {
        return err_set(err, ERR_INVALID_PARAMETER, "--cluster and --instance are for agents' keys: add --role agent.");
    }
    if (instance != NULL && !read_instance(str_from(instance), binding, arena, err)) { return false; }
    bool contradicts = cluster != NULL && binding->cluster.len > 0 && !str_eq(binding->cluster, str_from(cluster));
    if (contradicts) { return err_set(err, ERR_INVALID_PARAMETER, "--cluster and the ARN of --instance name different clusters."); }
    if (binding->cluster.len == 0) { binding->cluster = cluster == NULL ? STR("default") : str_from(cluster); }
    ASSERT(instance == NULL || binding->instance.len > 0);      /* read_instance has refused an empty one */
    return names_is_valid(binding->cluster) || err_set(err, ERR_INVALID_PARAMETER, "--cluster is not a valid cluster name.");
}

static void tell_rights(const struct access_key *key, struct arena *arena)
{
    ASSERT(key->binding.cluster.len == 0 || key->role == ACCESS_AGENT);
    fprintf(stderr, "The secret is shown only now. The key has the rights of role %s.\n", enum_word(&access_role_names, (int)key->role).ptr);
    if (key->role != ACCESS_AGENT) { return; }
    if (key->binding.cluster.len == 0) {
        fprintf(stderr, "Any machine with this key can act as every other machine, and read the secrets of all running tasks.\n"
                        "--instance NAME or --cluster NAME makes a key that is bound to one machine or one cluster.\n");
    } else {
        fprintf(stderr, "It is bound to " STR_FMT ".\n", STR_ARG(binding_text(&key->binding, arena)));
    }
}

static void show_new_key(const struct access_key *key, const struct config *config, struct arena *arena)
{
    if (wants_json(config)) {
        struct buf out = buf_in(arena);
        struct json_out json = json_out_to(&out);
        json_open(&json, '{');
        json_key(&json, STR("AccessKey"));
        print_json_key(&json, key, true, arena);
        json_close(&json, '}');
        printf(STR_FMT "\n", STR_ARG(buf_str(&out)));
    } else {
        printf("AWS_ACCESS_KEY_ID=" STR_FMT "\nAWS_SECRET_ACCESS_KEY=" STR_FMT "\n", STR_ARG(key->id), STR_ARG(key->secret));
    }
    tell_rights(key, arena);
}

static bool create_key(struct store *store, const struct config *config, struct arena *arena, struct err *err)
{
    struct key_pair pair;
    keys_generate(&pair);
    const char *role = config_text(config, SETTING_ROLE), *user = config_text(config, SETTING_USER);
    struct access_key key = {
        .id = str_from(pair.id), .secret = str_from(pair.secret), .user = str_from(user == NULL ? role : user),
        .role = (enum access_role)enum_value(&access_role_names, str_from(role)), .created_ms = clock_now_ms(),
    };
    ASSERT(key.role == ACCESS_ADMIN || key.role == ACCESS_AGENT || key.role == ACCESS_VIEWER);   /* settings/check.c allows no other word */
    if (!read_binding(config, key.role, &key.binding, arena, err) || !put_key(store, &key, err)) {
        return false;
    }
    show_new_key(&key, config, arena);
    return true;
}

static void show_keys(const struct access_key_list *keys, const struct config *config, struct arena *arena)
{
    struct buf out = buf_in(arena);
    struct json_out json = json_out_to(&out);
    json_open(&json, '{');
    json_key(&json, STR("AccessKeyMetadata"));
    json_open(&json, '[');
    for (size_t k = 0; k < keys->count; k++) {
        const struct access_key *key = &keys->items[k];
        print_json_key(&json, key, false, arena);
        if (!wants_json(config)) {
            bool is_bound = key->binding.cluster.len > 0;
            printf(STR_FMT "  %-8s  %-6s  " STR_FMT "  " STR_FMT "%s" STR_FMT "\n", STR_ARG(key->id), key->revoked_ms == 0 ? "active" : "revoked",
                   enum_word(&access_role_names, (int)key->role).ptr, STR_ARG(iso_time(key->created_ms, arena)), STR_ARG(key->user),
                   is_bound ? "  bound to " : "", STR_ARG(is_bound ? binding_text(&key->binding, arena) : STR("")));
        }
    }
    json_close(&json, ']');
    json_close(&json, '}');
    if (wants_json(config)) {
        printf(STR_FMT "\n", STR_ARG(buf_str(&out)));
    } else if (keys->count == 0) {
        fprintf(stderr, "There are no keys. `berth keys create` makes one.\n");
    }
}

static bool list_keys(struct store *store, const struct config *config, struct arena *arena, struct err *err)
{
    struct access_key_list keys = { 0 };
    struct store_txn *txn = store_read_begin(store);
    store_list_access_keys(txn, &keys, arena);
    if (!store_read_end(txn)) {
        return err_set(err, ERR_SERVER, "the keys can't be read from the store.");
    }
    show_keys(&keys, config, arena);
    return true;
}

static bool revoke_key(struct store *store, const char *id, struct arena *arena, struct err *err)
{
    struct store_txn *txn = store_read_begin(store);
    const struct access_key *found = store_access_key(txn, str_from(id), arena);
    if (!store_read_end(txn)) {
        return err_set(err, ERR_SERVER, "the keys can't be read from the store.");
    }
    if (found == NULL) {
        return err_set(err, ERR_INVALID_PARAMETER, "there is no key %s; `berth keys list` shows all keys.", id);
    }
    ASSERT(str_eq(found->id, str_from(id)));
    struct access_key key = *found;
    if (key.revoked_ms != 0) {
        fprintf(stderr, "%s was already revoked.\n", id);
        return true;
    }
    key.revoked_ms = clock_now_ms();
    return put_key(store, &key, err);
}


/* ---- one of several servers: its folder is the log's, so the server that leads is asked ---- */

static bool is_of_several(const char *data, struct arena *arena) { return access(arena_printf(arena, "%s/ha-id", data).ptr, F_OK) == 0; }

static void put_member(struct json_out *json, const char *name, struct str value)
{
    if (value.len == 0) { return; }
    json_name(json, str_from(name));
    json_str(json, value);
}

static bool print_order(enum action action, const struct config *config, struct buf *body, struct arena *arena, struct err *err)
{
    static const char *const words[] = { [ACTION_CREATE] = "create", [ACTION_REVOKE] = "revoke", [ACTION_ROTATE_ROLES] = "rotate-roles" };
    struct key_binding binding = { 0 };
    struct str role = str_from(config_text(config, SETTING_ROLE));
    bool creates = action == ACTION_CREATE;
    if (creates && !read_binding(config, (enum access_role)enum_value(&access_role_names, role), &binding, arena, err)) { return false; }
    struct json_out json = json_out_to(body);
    json_open(&json, '{');
    print_member(&json, "action", str_from(words[action]));
    if (action == ACTION_REVOKE) { print_member(&json, "id", str_from(config->arguments[1])); }
    if (creates) {
        put_member(&json, "role", role);
        put_member(&json, "user", str_from(config_text(config, SETTING_USER)));
        put_member(&json, "cluster", binding.cluster);
        put_member(&json, "instance", binding.instance);
    }
    json_close(&json, '}');
    return true;
}

static struct access_key key_of(const struct json *json)
{
    struct str cluster = json_get_str(json, STR("cluster")), instance = json_get_str(json, STR("instance"));
    return (struct access_key){
        .id = json_get_str(json, STR("id")), .secret = json_get_str(json, STR("secret")), .user = json_get_str(json, STR("user")),
        .role = (enum access_role)enum_value(&access_role_names, json_get_str(json, STR("role"))), .created_ms = json_get_i64(json, STR("createdMs"), 0),
        .revoked_ms = json_get_i64(json, STR("revokedMs"), 0),
        .binding = { .cluster = str_is_set(cluster) ? cluster : STR(""), .instance = str_is_set(instance) ? instance : STR("") },
    };
}

static bool ask_for_list(const struct remote *remote, const struct config *config, struct arena *arena, struct err *err)
{
    struct access_key_list keys = { 0 };
    const struct json *reply;
    if (!cli_ask(remote, "/berth/v1/keys", (struct str){ 0 }, &reply, arena, err)) { return false; }
    const struct json *list = cli_list(reply, "keys");
    keys.items = ARENA_NEW(arena, struct access_key, list->count);
    for (size_t k = 0; k < list->count; k++) { keys.items[keys.count++] = key_of(&list->as.items[k]); }
    show_keys(&keys, config, arena);
    return true;
}

static bool ask_server(enum action action, const struct config *config, struct arena *arena, struct err *err)
{
    struct remote remote;
    struct buf body = buf_in(arena);
    const struct json *reply;
    if (!cli_remote(config, &remote, arena, err)) { return false; }
    if (action == ACTION_LIST) { return ask_for_list(&remote, config, arena, err); }
    if (!print_order(action, config, &body, arena, err) || !cli_ask(&remote, "/berth/v1/keys", buf_str(&body), &reply, arena, err)) { return false; }
    struct access_key key = key_of(reply);
    if (action == ACTION_CREATE) { show_new_key(&key, config, arena); }
    if (action == ACTION_ROTATE_ROLES) { tell_rotated(); }
    return true;
}

static enum action read_action(const struct config *config)
{
    static const struct { const char *word; size_t arguments; enum action action; } actions[] = {
        { "create", 1, ACTION_CREATE }, { "list", 1, ACTION_LIST }, { "revoke", 2, ACTION_REVOKE },
        { "rotate-roles", 1, ACTION_ROTATE_ROLES },
    };
    for (size_t a = 0; a < COUNT_OF(actions); a++) {
        if (config->argument_count == actions[a].arguments && strcmp(config->arguments[0], actions[a].word) == 0) {
            return actions[a].action;
        }
    }
    return ACTION_UNKNOWN;
}

static bool run_action(enum action action, struct store *store, const struct config *config, struct arena *arena, struct err *err)
{
    switch (action) {
    case ACTION_CREATE:  return create_key(store, config, arena, err);
    case ACTION_LIST:    return list_keys(store, config, arena, err);
    case ACTION_REVOKE:  return revoke_key(store, config->arguments[1], arena, err);
    case ACTION_ROTATE_ROLES: return rotate_roles(store, err);
    case ACTION_UNKNOWN: break;
    }
    ASSERT(false);                                              /* cli_keys has checked the word */
    return false;
}

/* Only `create` may make a store: the others would make an empty one in a mistyped folder. */
static bool has_store(const char *data, struct arena *arena)
{
    return access(arena_printf(arena, "%s/data.mdb", data).ptr, F_OK) == 0;
}

int cli_keys(const struct config *config, struct arena *arena, struct err *err)
{
    const char *data = config_text(config, SETTING_DATA) == NULL ? "berth-data" : config_text(config, SETTING_DATA);
    struct store_config store_config = { .dir = data, .sync = true };
    struct store *store = NULL;
    enum action action = read_action(config);
    if (action == ACTION_UNKNOWN) {
        err_set(err, ERR_INVALID_PARAMETER, "use `berth keys create`, `berth keys list`, `berth keys revoke ID` or `berth keys rotate-roles`.");
        return 2;
    }
    if (action != ACTION_CREATE && !has_store(data, arena)) {
        err_set(err, ERR_INVALID_PARAMETER, "there is no store in %s; --data names the server's data folder.", data);
        return 1;
    }
    if (is_of_several(data, arena)) { return ask_server(action, config, arena, err) ? 0 : 1; }
    if (!store_open(&store_config, &store, err)) {
        return 1;
    }
    bool good = run_action(action, store, config, arena, err);
    store_close(store);
    return good ? 0 : 1;
}
