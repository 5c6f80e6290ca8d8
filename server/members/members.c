#include "server/members/members_internal.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/rng.h"
#include "ha/entry.h"

enum { LOOK_MS = 200, LEASE_MIN_MS = 2000, LEASE_MAX_MS = 30000 };

static bool is_name(const char *name)
{
    size_t len = strlen(name);
    return len > 0 && len <= HA_NAME_MAX && strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == len;
}

static bool is_url(const char *url)
{
    struct str text = str_from(url);
    bool web = str_starts_with(text, STR("http://")) || str_starts_with(text, STR("https://"));
    return web && text.len <= HA_ADDRESS_MAX && text.len > 8 && text.ptr[text.len - 1] != '/';
}

static bool check(const struct members_config *config, struct err *err)
{
    if (config->advertise == NULL || !is_url(config->advertise)) {
        return err_set(err, ERR_INVALID_PARAMETER, "With --ha, --advertise is needed: the URL at which the other servers reach this one, without a slash at"
                       " its end.");
    }
    if (!is_name(config->name)) {
        return err_set(err, ERR_INVALID_PARAMETER, "The member's name has 1 to %d letters, digits, dots, dashes and underscores.", HA_NAME_MAX);
    }
    return (config->lease_ms >= LEASE_MIN_MS && config->lease_ms <= LEASE_MAX_MS) || err_set(err, ERR_INVALID_PARAMETER, "The lease is from 2s to 30s.");
}

void members_set_tls(const struct members *members, void *curl)
{
    const struct ha_etcd_config *given = &members->config.etcd;
    if (given->ca != NULL) { curl_easy_setopt(curl, CURLOPT_CAINFO, given->ca); }
    if (given->cert != NULL) { curl_easy_setopt(curl, CURLOPT_SSLCERT, given->cert); }
    if (given->key != NULL) { curl_easy_setopt(curl, CURLOPT_SSLKEY, given->key); }
}

/* A connection that is refused at once: the machine is there, and no process listens. */
static enum leader_look look(void *context, const char *address)
{
    (void)context;
    CURL *curl = curl_easy_init();
    long why = 0;
    if (curl == NULL) { return LEADER_ANSWERS; }
    curl_easy_setopt(curl, CURLOPT_URL, address);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)LOOK_MS);
    CURLcode code = curl_easy_perform(curl);
    curl_easy_getinfo(curl, CURLINFO_OS_ERRNO, &why);
    curl_easy_cleanup(curl);
    if (code == CURLE_COULDNT_CONNECT && why == ECONNREFUSED) { return LEADER_REFUSES; }
    return code == CURLE_OPERATION_TIMEDOUT || code == CURLE_COULDNT_CONNECT ? LEADER_SILENT : LEADER_ANSWERS;
}

static bool lead(void *context) { struct members *members = context; return members->config.lead(members->config.context); }
static void follow(void *context) { struct members *members = context; members->config.follow(members->config.context); }
static void suspect(void *context) { struct members *members = context; members->config.suspect(members->config.context); }
static void applied(void *context, int64_t revision) { struct members *members = context; members->config.applied(members->config.context, revision); }

bool members_create(const struct members_config *config, struct members **members, struct err *err)
{
    struct ha_engine *engine;
    uint8_t chance[HA_WORD_LEN / 2];
    if (!check(config, err) || !ha_etcd_open(&config->etcd, &engine, err)) { return false; }
    struct members *made = calloc(1, sizeof *made);
    ASSERT(made != NULL);
    made->config = *config;
    made->engine = engine;
    made->self.format = ENTRY_FORMAT;
    (void)snprintf(made->self.name, sizeof made->self.name, "%s", config->name);
    (void)snprintf(made->self.address, sizeof made->self.address, "%s", config->advertise);
    (void)snprintf(made->self.release, sizeof made->self.release, "%s", BERTH_VERSION);
    rng_secret(chance, sizeof chance);
    str_put_hex(made->self.word, chance, sizeof chance);
    made->member = member_create(&(struct member_config){
        .engine = engine, .self = made->self, .lease_ms = config->lease_ms, .lead = lead, .follow = follow, .applied = applied, .look = look,
        .suspect = suspect, .context = made,
    });
    *members = made;
    return true;
}

void members_free(struct members *members)
{
    if (members == NULL) { return; }
    member_free(members->member);
    members->engine->ops->close(members->engine);
    free(members);
}

struct member *members_member(struct members *members) { return members->member; }
const char *members_data_dir(const struct members *members) { return members->config.data_dir; }
bool members_is_fresh(struct members *members, struct err *err)
{
    if (member_is_fresh(members->member, members->config.max_stale_ms)) { return true; }
    return err_set(err, ERR_UNAVAILABLE, "For %lld ms this server has not had all of the servers' log: the state here may be old.",
                   (long long)members->config.max_stale_ms);
}

struct ha_engine *members_engine(struct members *members) { return members->engine; }

/* Words are compared in full, so that the time says nothing of where they differ. */
static bool same_word(struct str said, const char *word)
{
    unsigned char differs = said.len != HA_WORD_LEN || word[0] == '\0';
    for (size_t c = 0; c < HA_WORD_LEN && said.len == HA_WORD_LEN; c++) { differs |= (unsigned char)(said.ptr[c] ^ word[c]); }
    return differs == 0;
}

bool members_check_joiner(struct members *members, const struct http_request *request, struct err *err)
{
    struct ha_member list[HA_MEMBERS_MAX];
    size_t count = 0;
    if (members->config.certified && !request->certified) {
        return err_set(err, ERR_ACCESS_DENIED, "Only a member that joins may ask for this: it shows the certificate of its --ha-cert, which an authority in"
                       " --ha-ca has signed.");
    }
    struct str name = http_header(request, STR(MEMBER_HEADER)), word = http_header(request, STR(WORD_HEADER));
    if (members->engine->ops->members(members->engine, list, &count, clock_monotonic_ms() + MEMBERS_PROOF_MS) != HA_DONE) {
        return err_set(err, ERR_UNAVAILABLE, "The list of members can't be read.");
    }
    for (size_t m = 0; m < count; m++) {
        if (str_eq(name, str_from(list[m].name)) && same_word(word, list[m].word)) { return true; }
    }
    return err_set(err, ERR_ACCESS_DENIED, "Only a member that joins may ask for this.");
}
