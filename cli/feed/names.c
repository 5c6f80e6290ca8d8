#include "cli/feed/names.h"

#include <arpa/inet.h>
#include <stdlib.h>

#include "cli/feed/plan.h"
#include "model/names.h"

enum { LABEL_MAX = 63 };

/* 4, 6, or 0: it is no IP address. */
static int version_of(struct str address)
{
    unsigned char bytes[16];
    char text[INET6_ADDRSTRLEN];
    if (!str_to_cstr(address, text, sizeof text)) { return 0; }
    return inet_pton(AF_INET, text, bytes) == 1 ? 4 : inet_pton(AF_INET6, text, bytes) == 1 ? 6 : 0;
}

/* Is the entry to be written? Entries come in the order of their names. */
static bool takes(const struct feed_name_list *names, size_t n, const char *comment, struct buf *out)
{
    struct str name = names->items[n].name;
    if (names_is_dns(name)) { return version_of(names->items[n].address) != 0; }
    bool is_new = n == 0 || !str_eq(name, names->items[n - 1].name);
    if (is_new && plan_is_name(name)) { buf_printf(out, "%s " STR_FMT " is left out: it is no DNS name\n", comment, STR_ARG(name)); }
    return false;
}

/* Has the entry before the same name and address, with another port? */
static bool goes_on(const struct feed_name_list *names, size_t n)
{
    return n > 0 && str_eq(names->items[n].name, names->items[n - 1].name) && str_eq(names->items[n].address, names->items[n - 1].address);
}

void names_put_hosts(const struct feed_state *state, struct buf *out)
{
    for (size_t n = 0; n < state->names.count; n++) {
        const struct feed_name *name = &state->names.items[n];
        if (takes(&state->names, n, "#", out) && !goes_on(&state->names, n)) {
            buf_printf(out, STR_FMT " " STR_FMT ".berth\n", STR_ARG(name->address), STR_ARG(name->name));
        }
    }
}

/* ---- the zone ---- */

static void put_address(struct str address, struct buf *out)
{
    buf_printf(out, " IN %s " STR_FMT "\n", version_of(address) == 4 ? "A" : "AAAA", STR_ARG(address));
}

/* The name of an address: "ip-10-0-0-7". */
static void put_host(struct str address, struct buf *out)
{
    buf_put(out, STR("ip-"));
    for (size_t c = 0; c < address.len; c++) { buf_put_char(out, address.ptr[c] == '.' || address.ptr[c] == ':' ? '-' : address.ptr[c]); }
    if (str_ends_with(address, STR(":"))) { buf_put_char(out, '0'); }
}

static void put_service(const struct feed_name *name, struct buf *out)
{
    struct str first, rest;
    bool longer = str_cut(name->name, '.', &first, &rest), is_udp = str_eq(name->protocol, STR("udp"));
    if (name->port.value < 1 || name->port.value > UINT16_MAX || first.len >= LABEL_MAX) { return; }
    buf_printf(out, "_" STR_FMT "._%s%s" STR_FMT " IN SRV 0 100 %lld ", STR_ARG(first), is_udp ? "udp" : "tcp", longer ? "." : "", STR_ARG(rest),
               (long long)name->port.value);
    put_host(name->address, out);
    buf_put_char(out, '\n');
}

static int by_text(const void *a, const void *b) { return str_cmp(*(const struct str *)a, *(const struct str *)b); }

void names_put_zone(const struct feed_state *state, struct buf *out)
{
    const struct feed_name_list *names = &state->names;
    struct str *addresses = ARENA_NEW(out->arena, struct str, names->count + 1);
    size_t count = 0;
    buf_printf(out, "$ORIGIN berth.\n$TTL 5\n@ IN SOA ns hostmaster %u 60 10 600 5\n@ IN NS ns\nns IN A 127.0.0.1\n", (unsigned)state->commit.value);
    for (size_t n = 0; n < names->count; n++) {
        const struct feed_name *name = &names->items[n];
        if (!takes(names, n, ";", out)) { continue; }
        if (!goes_on(names, n)) {
            buf_put(out, name->name);
            put_address(name->address, out);
            addresses[count++] = name->address;
        }
        put_service(name, out);
    }
    qsort(addresses, count, sizeof *addresses, by_text);
    for (size_t a = 0; a < count; a++) {
        if (a > 0 && str_eq(addresses[a], addresses[a - 1])) { continue; }
        put_host(addresses[a], out);
        put_address(addresses[a], out);
    }
}
