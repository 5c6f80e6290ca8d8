/* key_paths.c: access keys over HTTP, for admins.
 *
 * GET  /berth/v1/keys    all keys, without their secrets
 * POST /berth/v1/keys    {"action":"create","user":"...","role":"admin","cluster":"...","instance":"..."}: the new key, with its secret; cluster and instance
 *                        bind an agent's key, and may be absent. {"action":"revoke","id":"AKIA..."}, {"action":"rotate-roles"}: {} */
#include "server/key_paths.h"

#include "api/core/binding.h"
#include "api/tell/role_credentials.h"
#include "base/rng.h"
#include "server/front/answers.h"
#include "server/front/audit.h"
#include "server/keys.h"
#include "wire/own_json.h"

enum { TEXT_MAX = 128 };

static void print_key(struct json_out *json, const struct access_key *key, bool with_secret)
{
    json_open(json, '{');
    own_json_str(json, STR("id"), key->id);
    if (with_secret) { own_json_str(json, STR("secret"), key->secret); }
    own_json_str(json, STR("user"), key->user);
    own_json_str(json, STR("role"), enum_word(&access_role_names, (int)key->role));
    own_json_ms(json, STR("createdMs"), key->created_ms);
    own_json_ms(json, STR("revokedMs"), key->revoked_ms);
    own_json_str(json, STR("cluster"), key->binding.cluster);
    own_json_str(json, STR("instance"), key->binding.instance);
    json_close(json, '}');
}

void keys_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    const struct front *front = context;
    struct access_key_list keys = { 0 };
    (void)caller;
    struct store_txn *txn = store_read_begin(front->store);
    (void)store_list_access_keys(txn, &keys, request->arena);
    if (!store_read_end(txn)) {
        answer_unreadable(front, answer);
        return;
    }
    struct json_out json = json_out_to(&answer->body);
    json_open(&json, '{');
    json_key(&json, STR("keys"));
    json_open(&json, '[');
    for (size_t k = 0; k < keys.count; k++) { print_key(&json, &keys.items[k], false); }
    json_close(&json, ']');
    json_close(&json, '}');
    answer_json(front, answer);
}

/* Printable, without blanks. */
static bool is_word(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] <= ' ' || text.ptr[i] > '~') { return false; }
    }
    return text.len >= 1 && text.len <= TEXT_MAX;
}

static bool read_new_key(const struct json *json, struct access_key *key, struct err *err)
{
    struct str role = json_get_str(json, STR("role")), user = json_get_str(json, STR("user"));
    struct str cluster = json_get_str(json, STR("cluster")), instance = json_get_str(json, STR("instance"));
    int value = str_is_set(role) ? enum_value(&access_role_names, role) : -1;
    if (value != ACCESS_ADMIN && value != ACCESS_AGENT && value != ACCESS_VIEWER) {
        return err_set(err, ERR_INVALID_PARAMETER, "The role is admin, agent or viewer.");
    }
    if (!is_word(str_is_set(user) ? user : role)) { return err_set(err, ERR_INVALID_PARAMETER, "The user has 1 to %d characters, without blanks.", TEXT_MAX); }
    bool bound = str_is_set(cluster) || str_is_set(instance);
    if (bound && value != ACCESS_AGENT) { return err_set(err, ERR_INVALID_PARAMETER, "A cluster and an instance are for agents' keys."); }
    if (bound && (!names_is_valid(cluster) || (str_is_set(instance) && !is_word(instance)))) {
        return err_set(err, ERR_INVALID_PARAMETER, "The key can't be bound to that cluster or that instance.");
    }
    key->role = (enum access_role)value;
    key->user = str_is_set(user) ? user : role;
    key->binding = (struct key_binding){ .cluster = str_is_set(cluster) ? cluster : STR(""), .instance = str_is_set(instance) ? instance : STR("") };
    return true;
}

/* The first half of the roles' key never changes. */
static bool make_role_key(const struct front *front, char made[2 * ROLE_KEY_LEN], struct arena *arena, struct err *err)
{
    struct store_txn *txn = store_read_begin(front->store);
    struct str known = store_meta(txn, role_key_name, arena);
    rng_secret(made, 2 * ROLE_KEY_LEN);
    if (role_key_is_good(known)) { memcpy(made, known.ptr, ROLE_KEY_LEN); }
    return store_read_end(txn) || err_set(err, ERR_SERVER, "The store can't be read.");
}

static bool read_order(const struct front *front, const struct http_request *request, struct key_order *order, struct err *err)
{
    struct key_pair *pair = ARENA_NEW(request->arena, struct key_pair, 1);
    const struct json *json = json_parse(request->body, request->arena, err);
    if (json == NULL) { return false; }
    struct str action = json_get_str(json, STR("action"));
    *order = (struct key_order){ .action = KEY_CREATE };
    if (str_eq(action, STR("create"))) {
        keys_generate(pair);
        order->key.id = str_from(pair->id);
        order->key.secret = str_from(pair->secret);
        return read_new_key(json, &order->key, err);
    }
    if (str_eq(action, STR("revoke"))) {
        order->action = KEY_REVOKE;
        order->key.id = json_get_str(json, STR("id"));
        return is_word(order->key.id) || err_set(err, ERR_INVALID_PARAMETER, "Which key? Its id is missing.");
    }
    if (str_eq(action, STR("rotate-roles"))) {
        char *made = ARENA_NEW(request->arena, char, 2 * ROLE_KEY_LEN);
        *order = (struct key_order){ .action = KEY_ROTATE_ROLES, .role_key = made, .role_key_len = 2 * ROLE_KEY_LEN };
        return make_role_key(front, made, request->arena, err);
    }
    return err_set(err, ERR_INVALID_PARAMETER, "The action is create, revoke or rotate-roles.");
}

void keys_change_handle(const void *context, struct http_request *request, struct http_answer *answer, const struct caller *caller)
{
    static const struct str names[] = {
        [KEY_CREATE] = STR_INIT("CreateKey"), [KEY_REVOKE] = STR_INIT("RevokeKey"), [KEY_ROTATE_ROLES] = STR_INIT("RotateRoleKeys"),
    };
    const struct front *front = context;
    struct err err = { 0 };
    struct api_call call;
    struct key_order order = { .action = KEY_CREATE };
    struct job job = { .call = &call, .arena = request->arena, .caller = *caller };
    bool good = read_order(front, request, &order, &err);
    if (good) {
        api_prepare_key_order(&order, request->arena, &call);
        good = writer_run(front->writer, &job, &err);
    }
    struct json_out json = json_out_to(&answer->body);
    if (good && order.action == KEY_CREATE) {
        order.key.created_ms = request->now_ms;
        print_key(&json, &order.key, true);
    } else if (good) {
        buf_put(&answer->body, STR("{}"));
    }
    if (good) { answer_json(front, answer); } else { answer_refusal(front, answer, &err); }
    audit_call(front, &(struct audit){
        .request = request, .caller = caller, .service = STR("berth"), .operation = names[order.action], .level = LOG_INFO, .err = &err,
    });
}
