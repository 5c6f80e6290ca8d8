#include "agent/images/registry_auth.h"

#include "base/text/base64.h"
#include "base/json.h"

#define DOCKER_HUB "docker.io"

/* ---- names ---- */

static bool is_hub(struct str host)
{
    static const struct str names[] = {
        STR_INIT(DOCKER_HUB), STR_INIT("index.docker.io"), STR_INIT("registry-1.docker.io"), STR_INIT("registry.hub.docker.com"),
    };
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        if (str_eq(host, names[n])) { return true; }
    }
    return false;
}

struct str registry_host(struct str image)
{
    struct str host, rest;
    bool cut = str_cut(image, '/', &host, &rest);
    bool is_host = cut && (str_find(host, '.') < host.len || str_find(host, ':') < host.len || str_eq(host, STR("localhost")));
    return !is_host || is_hub(host) ? STR(DOCKER_HUB) : host;
}

bool registry_is_ecr(struct str image)
{
    enum { ACCOUNT_DIGITS = 12 };
    struct str host = registry_host(image);
    for (size_t i = 0; i < ACCOUNT_DIGITS; i++) {
        if (i >= host.len || host.ptr[i] < '0' || host.ptr[i] > '9') { return false; }
    }
    struct str rest = str_slice(host, ACCOUNT_DIGITS, host.len);
    bool is_aws = str_ends_with(rest, STR(".amazonaws.com")) || str_ends_with(rest, STR(".amazonaws.com.cn"));
    return is_aws && (str_starts_with(rest, STR(".dkr.ecr.")) || str_starts_with(rest, STR(".dkr.ecr-fips.")));
}

/* "https://index.docker.io/v1/" → "docker.io"; "http://host:5000/v2/" → "host:5000"; "host/team/" → "host/team" */
static struct str registry_of_key(struct str key)
{
    static const struct str schemes[] = { STR_INIT("https://"), STR_INIT("http://") };
    static const struct str endings[] = { STR_INIT("/"), STR_INIT("/v1"), STR_INIT("/v2") };
    for (size_t s = 0; s < COUNT_OF(schemes); s++) {
        if (str_starts_with(key, schemes[s])) { key = str_slice(key, schemes[s].len, key.len); }
    }
    for (size_t e = 0; e < COUNT_OF(endings); e++) {
        if (str_ends_with(key, endings[e])) { key.len -= endings[e].len; }
    }
    return is_hub(str_slice(key, 0, str_find(key, '/'))) ? STR(DOCKER_HUB) : key;
}

/* The image's name with its host in front. */
static bool is_under(struct str image, struct str registry)
{
    if (str_eq(registry_host(image), registry)) { return true; }
    bool begins = str_starts_with(image, registry) && image.len > registry.len;
    return begins && str_find(registry, '/') < registry.len && strchr("/:@", image.ptr[registry.len]) != NULL;
}

const struct registry_login *registry_login_for(const struct registry_login_list *logins, struct str image)
{
    const struct registry_login *best = NULL;
    for (size_t l = 0; l < logins->count; l++) {
        const struct registry_login *login = &logins->items[l];
        if (is_under(image, login->registry) && (best == NULL || login->registry.len > best->registry.len)) { best = login; }
    }
    return best;
}

/* ---- texts ---- */

/* An empty entry (Docker leaves {} where a helper knows the login) counts as no login: *found false. */
static bool read_login(struct str key, const struct json *entry, struct registry_login *login, bool *found, struct arena *arena, struct err *err)
{
    *login = (struct registry_login){
        .registry = registry_of_key(key), .username = json_get_str(entry, STR("username")),
        .password = json_get_str(entry, STR("password")), .token = json_get_str(entry, STR("identitytoken")),
    };
    struct str encoded = json_get_str(entry, STR("auth"));
    if (encoded.len > 0) {
        struct str pair = base64_decode(encoded, arena);
        if (!str_is_set(pair) || !str_cut(pair, ':', &login->username, &login->password)) {
            return err_set(err, ERR_INVALID_PARAMETER, "The \"auth\" of registry " STR_FMT " is not NAME:PASSWORD in base64.", STR_ARG(str_slice(key, 0, 128)));
        }
        while (login->password.len > 0 && login->password.ptr[login->password.len - 1] == '\0') { login->password.len--; }   /* old versions of Docker pad it */
    }
    *found = login->username.len > 0 || login->token.len > 0;
    if (!*found || (login->registry.len > 0 && login->registry.ptr[0] != '/')) { return true; }
    return err_set(err, ERR_INVALID_PARAMETER, "\"" STR_FMT "\" is not the name of a registry.", STR_ARG(str_slice(key, 0, 128)));
}

bool registry_logins_read(struct str json, struct registry_login_list *logins, bool *helpers, struct arena *arena, struct err *err)
{
    struct err unsaid = { 0 };                   /* a parser's message could hold a piece of a password */
    const struct json *tree = json_parse(json, arena, &unsaid);
    *logins = (struct registry_login_list){ 0 };
    *helpers = json_get(tree, STR("credsStore")) != NULL || json_get(tree, STR("credHelpers")) != NULL;
    const struct json *auths = json_get(tree, STR("auths"));
    bool wrapped = auths != NULL || *helpers;
    const struct json *entries = wrapped ? auths : tree;
    if (tree == NULL || tree->type != JSON_OBJECT || (entries != NULL && entries->type != JSON_OBJECT)) {
        return err_set(err, ERR_INVALID_PARAMETER, "Logins for registries should be a JSON object with one member a registry.");
    }
    size_t count = entries == NULL ? 0 : entries->count;
    logins->items = ARENA_NEW(arena, struct registry_login, count);
    for (size_t e = 0; e < count; e++) {
        const struct json_member *member = &entries->as.members[e];
        bool found = false;
        if (member->value.type != JSON_OBJECT) {
            return err_set(err, ERR_INVALID_PARAMETER, "The entry of registry " STR_FMT " should be a JSON object.",
                           STR_ARG(str_slice(member->key, 0, 128)));
        }
        if (!read_login(member->key, &member->value, &logins->items[logins->count], &found, arena, err)) { return false; }
        if (found) { logins->count++; }
    }
    return true;
}

bool registry_login_of_secret(struct str json, struct str image, struct registry_login *login, struct arena *arena, struct err *err)
{
    struct err unsaid = { 0 };
    const struct json *tree = json_parse(json, arena, &unsaid);
    *login = (struct registry_login){
        .registry = registry_host(image), .username = json_get_str(tree, STR("username")), .password = json_get_str(tree, STR("password")),
    };
    if (login->username.len > 0 && login->password.len > 0) { return true; }
    return err_set(err, ERR_INVALID_PARAMETER, "the secret should be a JSON object with the texts \"username\" and \"password\"");
}

static void put(struct json_out *out, struct str name, struct str value)
{
    if (value.len == 0) { return; }
    json_key(out, name);
    json_str(out, value);
}

struct str registry_header(const struct registry_login *login, struct arena *arena)
{
    bool hub = str_eq(login->registry, STR(DOCKER_HUB));
    struct buf text = buf_in(arena);
    struct json_out out = json_out_to(&text);
    json_open(&out, '{');
    put(&out, STR("username"), login->username);
    put(&out, STR("password"), login->password);
    put(&out, STR("identitytoken"), login->token);
    put(&out, STR("serveraddress"), hub ? STR("https://index.docker.io/v1/") : str_slice(login->registry, 0, str_find(login->registry, '/')));
    json_close(&out, '}');
    return base64_encode_url(buf_str(&text), arena);
}
