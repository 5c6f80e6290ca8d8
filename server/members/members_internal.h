/* members_internal.h: what members.c, join.c and forward.c share. */
#ifndef BERTH_SERVER_MEMBERS_MEMBERS_INTERNAL_H
#define BERTH_SERVER_MEMBERS_MEMBERS_INTERNAL_H

#include <stdatomic.h>

#include "server/members/members.h"

#define MEMBER_HEADER "x-berth-member"
#define WORD_HEADER "x-berth-member-word"
#define FORWARDED_HEADER "x-berth-forwarded-by"

enum { JOIN_LEASE_MS = 60 * 1000 };

struct members {
    struct members_config config;
    struct ha_engine *engine;                /* owned, as the next */
    struct member *member;
    struct ha_member self;
    atomic_size_t holding;                   /* requests that wait for a leader */
};

/* The certificates for a connection to another member: the authority of theirs, and this one's own. */
void members_set_tls(const struct members *members, void *curl);

#endif
