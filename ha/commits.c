/* commits.c: the commits of a member that leads, on the thread that commits: into the log first. */
#include "ha/member_internal.h"

#include "base/canary.h"
#include "base/log.h"
#include "base/rng.h"
#include "ha/entry.h"

enum { APPEND_MS = 1000, APPEND_MAX_MS = 10000 };     /* one try, and all tries (high-availability: unknown outcomes) */

static bool pack(struct member *member, int64_t revision, const struct store_write *writes, size_t count, const uint8_t *before, struct str *bytes)
{
    struct entry entry = {
        .revision = revision, .time_ms = clock_now_ms(), .member = str_from(member->config.self.name), .writes = writes, .count = count,
    };
    memcpy(entry.before, before, STORE_MARK_SIZE);
    if (entry_pack(&entry, bytes, &member->sink_arena)) {
        if (member->seals) { *bytes = entry_seal(&member->key, revision, *bytes, &member->sink_arena); }
        return true;
    }
    log_line(LOG_ERROR, "ha", "a commit of %zu writes is larger than an entry of the log", count);
    return false;
}

/* The same entry again and again until the log has said what became of it, or APPEND_MAX_MS are over. */
static enum ha_end append(struct member *member, int64_t term, const struct ha_entry *entry)
{
    int64_t now_ms = member_now(member), end_ms = now_ms + APPEND_MAX_MS;
    enum ha_end end = HA_UNKNOWN;
    bool open = false;                                   /* after a try without an answer, "no space" does not end it */
    while (end == HA_UNKNOWN && now_ms < end_ms) {
        end = member->config.engine->ops->append(member->config.engine, term, entry, now_ms + APPEND_MS);
        if (end == HA_FULL && open) { end = HA_UNKNOWN; }
        open = end == HA_UNKNOWN;
        CANARY(RETRY_HAS_NEW_NUMBER, static struct ha_entry next; next = *entry; next.n++; entry = &next);
        if (end == HA_UNKNOWN) { member_rest(member, member_now(member) + AGAIN_MS); }
        now_ms = member_now(member);
    }
    return end;
}

static void note_try(struct member *member, const struct last_try *last)
{
    int64_t now_ms = member_now(member);
    lock_take(&member->lock);
    member->last_try = *last;
    if (last->led && last->end == HA_DONE) { fitness_commit_begins(&member->fitness, now_ms); }
    member->appended += last->led && last->end == HA_DONE;
    member->refused += last->led && (last->end == HA_REFUSED || last->end == HA_FULL);
    member->unknown += last->led && last->end == HA_UNKNOWN;
    if (last->led && last->end != HA_DONE && last->end != HA_FULL) { member->lost = true; }
    if (last->led && last->end == HA_DONE && member->head.last < last->revision) { member->head.last = last->revision; }
    lock_wake_all(&member->changed);
    lock_drop(&member->lock);
}

bool member_sink(void *context, int64_t revision, const struct store_write *writes, size_t count, uint8_t mark[STORE_MARK_SIZE])
{
    struct member *member = context;
    if (member->store == NULL) { return true; }          /* a new store's first commit, which is the same everywhere */
    char nonce[HA_NONCE_SIZE];
    struct str bytes;
    lock_take(&member->lock);
    int64_t term = member->term;
    struct last_try last = { revision, member->role == MEMBER_LEADS && !member->lost, HA_REFUSED };
    lock_drop(&member->lock);
    rng_secret(nonce, sizeof nonce);
    bool packed = last.led && pack(member, revision, writes, count, mark, &bytes);
    if (packed) {
        last.end = append(member, term, &(struct ha_entry){ revision, { nonce, sizeof nonce }, bytes });
        if (last.end == HA_DONE) { entry_mark(bytes, mark); }
    }
    if (packed || !last.led) { note_try(member, &last); }
    arena_reset(&member->sink_arena);
    return packed && last.end == HA_DONE;
}

bool member_explain(struct member *member, int64_t revision, struct err *err)
{
    static const char open[] = "It is not known whether this was done: the server that ran it lost its place while it wrote. Look, and ask again.";
    lock_take(&member->lock);
    struct last_try last = member->last_try;
    bool ours = last.revision == revision;
    member->fitness.begun_ms = 0;
    if (ours && last.led && last.end == HA_DONE) { member->lost = true; }        /* in the log, and not in the store: the next leader has it */
    lock_wake_all(&member->changed);
    lock_drop(&member->lock);
    if (!ours) { return false; }
    CANARY(LANDED_IS_REFUSED, last.end = HA_REFUSED);
    if (last.led && last.end == HA_FULL) {
        return !err_set(err, ERR_UNAVAILABLE, "Nothing was changed: etcd has no space left (NOSPACE). Ask berth doctor --ha.");
    }
    if (last.led && last.end != HA_REFUSED) { (void)err_set(err, ERR_SERVER, "%s", open); return true; }
    (void)err_set(err, ERR_UNAVAILABLE, "Nothing was changed: another server leads now. Ask again.");
    return true;
}
