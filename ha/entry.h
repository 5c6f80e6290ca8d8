/* entry.h: a commit in the log: what its sink was given, packed. Pure. An entry names the mark of the one before (store.h), and its own mark is
 * the SHA-256 of its bytes. So the entries are a chain: two members with the same mark have the same history. */
#ifndef BERTH_HA_ENTRY_H
#define BERTH_HA_ENTRY_H

#include "base/seal.h"
#include "store/store.h"

/* ENTRY_FORMAT: of those that this program writes; it reads this one and all before. ENTRY_RAW_MAX: bytes of a commit's keys and values. */
enum { ENTRY_FORMAT = 1, ENTRY_RAW_MAX = 48 << 20 };

struct entry {
    int64_t revision;                        /* the number of the commit, and of the entry in the log */
    int64_t time_ms;                         /* of the leader's clock */
    struct str member;                       /* that wrote it */
    uint8_t before[STORE_MARK_SIZE];         /* the mark of the commit before; zeros: it has none */
    const struct store_write *writes; size_t count;
};

/* In `arena`. False: it is more than a log takes (ENTRY_RAW_MAX). */
MUST_USE bool entry_pack(const struct entry *entry, struct str *bytes, struct arena *arena);
void entry_mark(struct str bytes, uint8_t mark[STORE_MARK_SIZE]);
/* Bytes from elsewhere. Everything is in `arena`, or borrowed from `bytes`. ERR_SERVER: they are no entry, or one of a later format. */
MUST_USE bool entry_unpack(struct str bytes, struct entry *entry, struct arena *arena, struct err *err);

/* ---- sealed entries: only who has the key can read them, and none passes for another ----
 *
 * `key`: the one that every member has beside its store; what seals is derived from it. The mark of a sealed entry is that of its sealed bytes. */
struct str entry_seal(const struct seal_key *key, int64_t revision, struct str bytes, struct arena *arena);       /* in `arena` */
/* Bytes from elsewhere, sealed or not: *plain is for entry_unpack. ERR_SERVER: sealed with another key, changed, or in another place of the log. */
MUST_USE bool entry_open(const struct seal_key *key, int64_t revision, struct str bytes, struct str *plain, struct arena *arena, struct err *err);

#endif
