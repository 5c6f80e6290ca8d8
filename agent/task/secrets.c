/* secrets.c: the calls that the ECS agent makes for the same purpose: GetSecretValue for a secret, GetParameters for a parameter. */
#include "agent/task/secrets.h"

#include "base/json.h"

enum { FETCH_TIMEOUT_MS = 30 * 1000 };

static void put_text(struct json_out *out, struct str key, struct str value)
{
    if (!str_is_set(value)) { return; }
    json_key(out, key);
    json_str(out, value);
}

/* The value of one key of a secret that is a JSON object. A text as it is, any other value as JSON. */
static bool pick_key(const struct secret_ref *ref, struct str text, struct str *value, struct arena *arena, struct err *err)
{
    struct err parse = { 0 };                                     /* its message may hold a piece of the secret */
    const struct json *tree = json_parse(text, arena, &parse), *found = json_get(tree, ref->json_key);
    if (tree == NULL || tree->type != JSON_OBJECT) {
        return err_set(err, ERR_INVALID_PARAMETER, "the secret " STR_FMT " is no JSON object, so it has no key " STR_FMT, STR_ARG(ref->id),
                       STR_ARG(ref->json_key));
    }
    if (found == NULL) {
        return err_set(err, ERR_INVALID_PARAMETER, "retrieved secret from Secrets Manager did not contain json key " STR_FMT,
                       STR_ARG(ref->json_key));
    }
    struct buf printed = buf_in(arena);
    struct json_out out = json_out_to(&printed);
    json_dump(&out, found);
    *value = found->type == JSON_STRING ? found->as.string : buf_str(&printed);
    return true;
}

static bool fetch_secret(struct client *client, const struct endpoint *server, const struct secret_ref *ref, struct str *value, bool *transient,
                         struct arena *arena, struct err *err)
{
    struct buf request = buf_in(arena);
    struct json_out out = json_out_to(&request);
    struct str reply;
    struct err refused = { 0 }, parse = { 0 };
    json_open(&out, '{');
    put_text(&out, STR("SecretId"), ref->id);
    put_text(&out, STR("VersionStage"), ref->version_stage);
    put_text(&out, STR("VersionId"), ref->version_id);
    json_close(&out, '}');
    if (!client_call(client, server, "/", "secretsmanager.GetSecretValue", buf_str(&request), FETCH_TIMEOUT_MS, &reply, transient, arena,
                     &refused)) {
        return err_set(err, refused.code, "unable to retrieve secret from asm: failed to fetch secret " STR_FMT " from secrets manager: %s: %s",
                       STR_ARG(ref->id), err_wire_name(refused.code), refused.message);
    }
    *transient = false;
    struct str text = json_get_str(json_parse(reply, arena, &parse), STR("SecretString"));
    if (!str_is_set(text)) {
        return err_set(err, ERR_INVALID_PARAMETER, "unable to retrieve secret from asm: the secret " STR_FMT " has no text", STR_ARG(ref->id));
    }
    *value = text;
    return !str_is_set(ref->json_key) || pick_key(ref, text, value, arena, err);
}

static bool fetch_parameter(struct client *client, const struct endpoint *server, const struct secret_ref *ref, struct str *value,
                            bool *transient, struct arena *arena, struct err *err)
{
    struct buf request = buf_in(arena);
    struct json_out out = json_out_to(&request);
    struct str reply;
    struct err refused = { 0 }, parse = { 0 };
    json_open(&out, '{');
    json_key(&out, STR("Names"));
    json_open(&out, '[');
    json_str(&out, ref->id);
    json_close(&out, ']');
    json_key(&out, STR("WithDecryption"));
    json_bool(&out, true);
    json_close(&out, '}');
    if (!client_call(client, server, "/", "AmazonSSM.GetParameters", buf_str(&request), FETCH_TIMEOUT_MS, &reply, transient, arena, &refused)) {
        return err_set(err, refused.code, "unable to retrieve secrets from ssm: failed to fetch parameter " STR_FMT ": %s: %s", STR_ARG(ref->id),
                       err_wire_name(refused.code), refused.message);
    }
    *transient = false;
    const struct json *found = json_get(json_parse(reply, arena, &parse), STR("Parameters"));
    bool is_there = found != NULL && found->type == JSON_ARRAY && found->count == 1;
    *value = is_there ? json_get_str(&found->as.items[0], STR("Value")) : (struct str){ NULL, 0 };
    return str_is_set(*value)
        || err_set(err, ERR_PARAMETER_NOT_FOUND, "unable to retrieve secrets from ssm: invalid parameters: " STR_FMT, STR_ARG(ref->id));
}

bool secrets_fetch(struct client *client, const struct endpoint *server, const struct secret_ref *ref, struct str *value, bool *transient,
                   struct arena *arena, struct err *err)
{
    ASSERT(ref->kind == SECRET_OF_ASM || ref->kind == SECRET_OF_SSM); /* the two that secret_ref_parse gives */
    return ref->kind == SECRET_OF_ASM ? fetch_secret(client, server, ref, value, transient, arena, err)
                                      : fetch_parameter(client, server, ref, value, transient, arena, err);
}
