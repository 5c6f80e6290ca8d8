/* hosts.c: provisioners that are a list of hosts. A machine is one of them; the pool's record keeps which, as its handle, so that this memory can be lost.
 * The agent of a host says the handle: `berth agent --machine-id HOST`. Lists are not complete: nobody knows whether a host is on. Plans are: how many hosts
 * of each type are free. */
#include "server/provision/kinds.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/json.h"
#include "server/provision/program.h"

enum { WAKE_PORT = 9, WAKE_TIMES = 3, MAC_BYTES = 6, PACKET_BYTES = MAC_BYTES * 17 };

struct hosts { struct provisioner *provisioner; const struct provisioner_setting *setting; struct arena *arena; struct json_out *out; };

/* ---- waking ---- */

/* 6 bytes of ff, then the address 16 times. */
static bool wake(const struct hosts *hosts, struct str mac)
{
    unsigned char packet[PACKET_BYTES];
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(WAKE_PORT) };
    int on = 1, fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool sent = fd >= 0 && inet_pton(AF_INET, arena_cstr(hosts->arena, hosts->setting->target), &to.sin_addr) == 1
        && setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &on, sizeof on) == 0;
    memset(packet, 0xff, MAC_BYTES);
    for (size_t b = MAC_BYTES; b < PACKET_BYTES; b++) {
        char digits[3] = { mac.ptr[b % MAC_BYTES * 3], mac.ptr[b % MAC_BYTES * 3 + 1], '\0' };
        packet[b] = (unsigned char)strtoul(digits, NULL, 16);
    }
    for (int n = 0; sent && n < WAKE_TIMES; n++) { sent = sendto(fd, packet, sizeof packet, 0, (struct sockaddr *)&to, sizeof to) == (ssize_t)sizeof packet; }
    if (fd >= 0) { (void)close(fd); }
    return sent;
}

/* NULL: it went well; else why not. An absent command does nothing. */
static const char *run_command(const struct hosts *hosts, struct str command)
{
    const char *words[] = { "/bin/sh", "-c", arena_cstr(hosts->arena, command), NULL };
    const struct program program = {
        .words = words, .environment = hosts->setting->environment, .input = STR(""), .timeout_ms = hosts->setting->timeout_ms,
        .stopping = hosts->provisioner->stopping,
    };
    struct program_end end;
    struct err err = { 0 };
    if (!str_is_set(command)) { return NULL; }
    if (!program_run(&program, hosts->arena, &end, &err)) { return "the command can't be run"; }
    if (end.exited && end.code == 0) { return NULL; }
    return end.exited ? arena_printf(hosts->arena, "the command ends with status %d: " STR_FMT, end.code, STR_ARG(end.words)).ptr
                      : arena_cstr(hosts->arena, end.why);
}

/* ---- which host ---- */

static void put(struct json_out *out, struct str key, struct str value)
{
    json_key(out, key);
    json_str(out, value);
}

static bool in_list(const struct json *list, struct str name)
{
    for (size_t i = 0; list != NULL && list->type == JSON_ARRAY && i < list->count; i++) {
        if (list->as.items[i].type == JSON_STRING && str_eq(list->as.items[i].as.string, name)) { return true; }
    }
    return false;
}

/* The host that the machine is already, or a free one. `used`: handles of the pool's machines. host_count: there is no such host. */
static size_t choose(const struct hosts *hosts, struct str id, struct str type, const struct json *used)
{
    const struct provisioner_setting *setting = hosts->setting;
    const struct str *ids = hosts->provisioner->host_ids;
    for (size_t h = 0; h < setting->host_count; h++) {
        if (str_is_set(ids[h]) && str_eq(ids[h], id)) { return h; }
    }
    for (size_t h = 0; h < setting->host_count; h++) {
        bool fits = type.len == 0 || !str_is_set(setting->hosts[h].type) || str_eq(setting->hosts[h].type, type);
        if (fits && !str_is_set(ids[h]) && !in_list(used, setting->hosts[h].name)) { return h; }
    }
    return setting->host_count;
}

static size_t host_named(const struct hosts *hosts, struct str id, struct str handle)
{
    for (size_t h = 0; h < hosts->setting->host_count; h++) {
        const struct str *its = &hosts->provisioner->host_ids[h];
        if (str_eq(hosts->setting->hosts[h].name, handle) || (str_is_set(*its) && str_eq(*its, id))) { return h; }
    }
    return hosts->setting->host_count;
}

/* ---- the verbs ---- */

static void up(const struct hosts *hosts, const struct json *machine, const struct json *used)
{
    struct str id = json_get_str(machine, STR("id")), type = json_get_str(machine, STR("type"));
    size_t h = choose(hosts, id, type, used);
    const struct provisioner_host *host = &hosts->setting->hosts[h];
    if (h == hosts->setting->host_count) {
        put(hosts->out, STR("state"), STR("failed"));
        put(hosts->out, STR("class"), STR("capacity"));
        put(hosts->out, STR("error"), STR("no host of the list is free"));
        return;
    }
    struct str *kept = &hosts->provisioner->host_ids[h];
    if (!str_is_set(*kept)) { *kept = arena_str(&hosts->provisioner->kept, id); }
    bool woken = !str_is_set(host->mac) || wake(hosts, host->mac);
    const char *why = woken ? run_command(hosts, host->up) : "the magic packet can't be sent";
    put(hosts->out, STR("handle"), host->name);
    if (str_is_set(host->type)) { put(hosts->out, STR("type"), host->type); }
    put(hosts->out, STR("state"), why == NULL ? STR("starting") : STR("failed"));
    if (why == NULL) { return; }
    put(hosts->out, STR("error"), str_from(why));
    *kept = (struct str){ NULL, 0 };
}

static void down(const struct hosts *hosts, const struct json *machine)
{
    size_t h = host_named(hosts, json_get_str(machine, STR("id")), json_get_str(machine, STR("handle")));
    const char *why = h == hosts->setting->host_count ? NULL : run_command(hosts, hosts->setting->hosts[h].down);
    put(hosts->out, STR("state"), why == NULL ? STR("gone") : STR("failed"));
    if (why != NULL) { put(hosts->out, STR("error"), str_from(why)); }
    if (h < hosts->setting->host_count && why == NULL) { hosts->provisioner->host_ids[h] = (struct str){ NULL, 0 }; }
}

/* A host without a type may be of any. */
static bool all_have_types(const struct hosts *hosts)
{
    size_t with = 0;
    for (size_t h = 0; h < hosts->setting->host_count; h++) { with += str_is_set(hosts->setting->hosts[h].type); }
    return with == hosts->setting->host_count;
}

static bool is_first_of_type(const struct provisioner_host *all, size_t h)
{
    size_t before = 0;
    while (before < h && !str_eq(all[before].type, all[h].type)) { before++; }
    return before == h;
}

static int64_t free_of_type(const struct hosts *hosts, struct str type, const struct json *used)
{
    int64_t count = 0;
    for (size_t h = 0; h < hosts->setting->host_count; h++) {
        const struct provisioner_host *host = &hosts->setting->hosts[h];
        count += str_eq(host->type, type) && !str_is_set(hosts->provisioner->host_ids[h]) && !in_list(used, host->name);
    }
    return count;
}

static void plan(const struct hosts *hosts, const struct json *used)
{
    json_key(hosts->out, STR("types"));
    json_open(hosts->out, '[');
    for (size_t h = 0; all_have_types(hosts) && h < hosts->setting->host_count; h++) {
        struct str type = hosts->setting->hosts[h].type;
        if (!is_first_of_type(hosts->setting->hosts, h)) { continue; }
        json_open(hosts->out, '{');
        put(hosts->out, STR("type"), type);
        json_key(hosts->out, STR("available"));
        json_i64(hosts->out, free_of_type(hosts, type, used));
        json_close(hosts->out, '}');
    }
    json_close(hosts->out, ']');
}

struct kind_end kind_static(struct provisioner *provisioner, const struct kind_call *call, struct arena *arena)
{
    struct buf buf = buf_in(arena);
    struct json_out out = json_out_to(&buf);
    struct err err = { 0 };
    const struct json *body = json_parse(call->body, arena, &err), *machines = json_get(body, STR("machines"));
    const struct hosts hosts = { provisioner, provisioner->setting, arena, &out };
    bool is_up = str_eq(call->verb, STR("up"));
    if (provisioner->host_ids == NULL) { provisioner->host_ids = ARENA_NEW(&provisioner->kept, struct str, provisioner->setting->host_count); }
    json_open(&out, '{');
    if (str_eq(call->verb, STR("plan"))) { plan(&hosts, json_get(body, STR("handles"))); }
    if (str_eq(call->verb, STR("list"))) {
        json_key(&out, STR("plan"));
        json_bool(&out, all_have_types(&hosts));
    }
    json_key(&out, STR("machines"));
    json_open(&out, '[');
    for (size_t m = 0; machines != NULL && machines->type == JSON_ARRAY && m < machines->count; m++) {
        json_open(&out, '{');
        put(&out, STR("id"), json_get_str(&machines->as.items[m], STR("id")));
        if (is_up) { up(&hosts, &machines->as.items[m], json_get(body, STR("handles"))); } else { down(&hosts, &machines->as.items[m]); }
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_close(&out, '}');
    return (struct kind_end){ PROVISIONED_ANSWERED, buf_str(&buf) };
}
