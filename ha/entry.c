/* entry.c: the format of an entry. A head of plain numbers, little-endian, and behind it the writes as one frame of zstd:
 *
 *   "BERTHLOG" format:4 name:4 revision:8 time:8 before:32 name's bytes | frame
 *   frame:  tables:4, each a name and a NUL | writes:4, each table:1 deletes:1 key:2 value:4 (NO_VALUE: none), key's bytes, value's bytes
 *
 * A sealed one is "BERTHSEA" format:4 and all of the above as base/seal.h closes it, for the context of its revision.
 *
 * zstd at level 1: of the libraries in Debian it makes the smallest entries at the least time. Keys are in records and in indexes, so most of a commit is a
 * repetition. */
#include "ha/entry.h"

#include <zstd.h>

#include "base/buf.h"
#include "base/sigv4.h"

enum { MAGIC_SIZE = 8, HEAD_SIZE = MAGIC_SIZE + 4 + 4 + 8 + 8 + STORE_MARK_SIZE, MEMBER_MAX = 64, TABLES_MAX = 255, LEVEL = 1, WRITE_HEAD = 8 };

static const char magic[MAGIC_SIZE + 1] = "BERTHLOG", sealed_magic[MAGIC_SIZE + 1] = "BERTHSEA";
static const uint32_t no_value = UINT32_MAX;

/* ---- numbers ---- */

static void put_number(struct buf *out, uint64_t number, size_t size)
{
    for (size_t b = 0; b < size; b++) { buf_put_char(out, (char)(number >> (8 * b))); }
}

static bool take_number(struct str *rest, size_t size, uint64_t *number)
{
    if (rest->len < size) { return false; }
    *number = 0;
    for (size_t b = 0; b < size; b++) { *number |= (uint64_t)(unsigned char)rest->ptr[b] << (8 * b); }
    *rest = str_slice(*rest, size, rest->len);
    return true;
}

static bool take_bytes(struct str *rest, uint64_t size, struct str *bytes)
{
    if (rest->len < size) { return false; }
    *bytes = (struct str){ rest->ptr, (size_t)size };
    *rest = str_slice(*rest, (size_t)size, rest->len);
    return true;
}

/* ---- pack ---- */

/* Its place in the list; *count when it is new. Writes to one table come together. */
static size_t place_of(const char *const *tables, size_t count, const char *name, size_t guess)
{
    if (guess < count && strcmp(tables[guess], name) == 0) { return guess; }
    size_t t = 0;
    while (t < count && strcmp(tables[t], name) != 0) { t++; }
    return t;
}

static bool pack_writes(const struct entry *entry, struct buf *out)
{
    const char *tables[TABLES_MAX];
    size_t count = 0, at = 0, size = 0;
    for (size_t w = 0; w < entry->count; w++) {
        at = place_of(tables, count, entry->writes[w].table, at);
        if (at == count) { ASSERT(count < TABLES_MAX); tables[count++] = entry->writes[w].table; }
        size += WRITE_HEAD + entry->writes[w].key.len + entry->writes[w].value.len;
        if (size > ENTRY_RAW_MAX) { return false; }
    }
    put_number(out, count, 4);
    for (size_t t = 0; t < count; t++) { buf_put(out, (struct str){ tables[t], strlen(tables[t]) + 1 }); }
    put_number(out, entry->count, 4);
    for (size_t w = 0; w < entry->count; w++) {
        const struct store_write *write = &entry->writes[w];
        ASSERT(write->key.len <= UINT16_MAX);
        at = place_of(tables, count, write->table, at);
        put_number(out, at, 1);
        put_number(out, write->deletes, 1);
        put_number(out, write->key.len, 2);
        put_number(out, str_is_set(write->value) ? write->value.len : no_value, 4);
        buf_put(out, write->key);
        buf_put(out, write->value);
    }
    return true;
}

bool entry_pack(const struct entry *entry, struct str *bytes, struct arena *arena)
{
    struct buf raw = buf_in(arena), out = buf_in(arena);
    ASSERT(entry->member.len <= MEMBER_MAX && entry->count > 0 && entry->revision > 0);
    if (!pack_writes(entry, &raw)) { return false; }
    buf_put(&out, (struct str){ magic, MAGIC_SIZE });
    put_number(&out, ENTRY_FORMAT, 4);
    put_number(&out, entry->member.len, 4);
    put_number(&out, (uint64_t)entry->revision, 8);
    put_number(&out, (uint64_t)entry->time_ms, 8);
    buf_put(&out, (struct str){ (const char *)entry->before, STORE_MARK_SIZE });
    ASSERT(out.len == HEAD_SIZE);
    buf_put(&out, entry->member);
    size_t bound = ZSTD_compressBound(raw.len), size = ZSTD_compress(buf_room(&out, bound), bound, raw.ptr, raw.len, LEVEL);
    ASSERT(!ZSTD_isError(size));                         /* the room is enough */
    out.len += size;
    *bytes = buf_str(&out);
    return true;
}

void entry_mark(struct str bytes, uint8_t mark[STORE_MARK_SIZE]) { sha256_bytes(bytes, mark); }

/* ---- unpack ---- */

static bool unpack_tables(struct str *rest, const char **tables, uint64_t *count, struct arena *arena)
{
    if (!take_number(rest, 4, count) || *count > TABLES_MAX) { return false; }
    for (uint64_t t = 0; t < *count; t++) {
        struct str name;
        if (!str_cut(*rest, '\0', &name, rest)) { return false; }
        tables[t] = arena_str(arena, name).ptr;
    }
    return true;
}

static bool unpack_write(struct str *rest, const char *const *tables, uint64_t count, struct store_write *write)
{
    uint64_t table, deletes, key, value;
    if (!take_number(rest, 1, &table) || !take_number(rest, 1, &deletes) || !take_number(rest, 2, &key) || !take_number(rest, 4, &value)) { return false; }
    if (table >= count || deletes > 1) { return false; }
    *write = (struct store_write){ tables[table], deletes == 1, { NULL, 0 }, { NULL, 0 } };
    return take_bytes(rest, key, &write->key) && (value == no_value || take_bytes(rest, value, &write->value));
}

static bool unpack_writes(struct str raw, struct entry *entry, struct arena *arena)
{
    const char *tables[TABLES_MAX];
    uint64_t table_count, count;
    if (!unpack_tables(&raw, tables, &table_count, arena) || !take_number(&raw, 4, &count) || count == 0 || count > raw.len / WRITE_HEAD) { return false; }
    struct store_write *writes = ARENA_NEW(arena, struct store_write, count);
    for (uint64_t w = 0; w < count; w++) {
        if (!unpack_write(&raw, tables, table_count, &writes[w])) { return false; }
    }
    entry->writes = writes;
    entry->count = (size_t)count;
    return raw.len == 0;
}

static bool unpack_head(struct str *rest, struct entry *entry)
{
    uint64_t name = 0, revision = 0, time_ms = 0;
    struct str before;
    if (!take_number(rest, 4, &name) || !take_number(rest, 8, &revision) || !take_number(rest, 8, &time_ms)) { return false; }
    if (!take_bytes(rest, STORE_MARK_SIZE, &before) || name > MEMBER_MAX || !take_bytes(rest, name, &entry->member)) { return false; }
    entry->revision = (int64_t)revision;
    entry->time_ms = (int64_t)time_ms;
    memcpy(entry->before, before.ptr, STORE_MARK_SIZE);
    return entry->revision > 0 && entry->time_ms >= 0;
}

static bool unpack_frame(struct str frame, struct entry *entry, struct arena *arena)
{
    unsigned long long size = ZSTD_getFrameContentSize(frame.ptr, frame.len);
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size == 0 || size > 2ULL * ENTRY_RAW_MAX) { return false; }
    char *raw = ARENA_NEW(arena, char, (size_t)size);
    return ZSTD_decompress(raw, (size_t)size, frame.ptr, frame.len) == size && unpack_writes((struct str){ raw, (size_t)size }, entry, arena);
}

bool entry_unpack(struct str bytes, struct entry *entry, struct arena *arena, struct err *err)
{
    struct str start, rest = bytes;
    uint64_t format = 0;
    *entry = (struct entry){ 0 };
    if (!take_bytes(&rest, MAGIC_SIZE, &start) || memcmp(start.ptr, magic, MAGIC_SIZE) != 0 || !take_number(&rest, 4, &format) || format == 0) {
        return err_set(err, ERR_SERVER, "It is no entry of a log of Berth.");
    }
    if (format > ENTRY_FORMAT) {
        return err_set(err, ERR_SERVER, "The entry has format %llu, and this program reads %d and older ones: update it.",
                       (unsigned long long)format, ENTRY_FORMAT);
    }
    return (unpack_head(&rest, entry) && unpack_frame(rest, entry, arena)) || err_set(err, ERR_SERVER, "The entry is damaged.");
}

/* ---- sealed ---- */

enum { SEALED_FORMAT = 1 };

/* Another key than the one of the secrets, so that neither is used for two things. */
static struct seal_key log_key_of(const struct seal_key *key)
{
    struct seal_key derived;
    hmac_sha256((struct str){ (const char *)key->bytes, SEAL_KEY_LEN }, STR("entries of the log"), derived.bytes);
    return derived;
}

static struct str context_of(int64_t revision, struct arena *arena) { return arena_printf(arena, "entry %lld", (long long)revision); }

struct str entry_seal(const struct seal_key *key, int64_t revision, struct str bytes, struct arena *arena)
{
    const struct seal_key derived = log_key_of(key);
    struct buf out = buf_in(arena);
    buf_put(&out, (struct str){ sealed_magic, MAGIC_SIZE });
    put_number(&out, SEALED_FORMAT, 4);
    buf_put(&out, seal_close(&derived, context_of(revision, arena), bytes, arena));
    return buf_str(&out);
}

bool entry_open(const struct seal_key *key, int64_t revision, struct str bytes, struct str *plain, struct arena *arena, struct err *err)
{
    struct str start, rest = bytes;
    uint64_t format = 0;
    *plain = bytes;
    if (!take_bytes(&rest, MAGIC_SIZE, &start) || memcmp(start.ptr, sealed_magic, MAGIC_SIZE) != 0) { return true; }
    if (!take_number(&rest, 4, &format) || format != SEALED_FORMAT) {
        return err_set(err, ERR_SERVER, "The entry is sealed in format %llu, and this program opens %d: update it.", (unsigned long long)format, SEALED_FORMAT);
    }
    const struct seal_key derived = log_key_of(key);
    return seal_open(&derived, context_of(revision, arena), rest, plain, arena)
        || err_set(err, ERR_SERVER, "Entry %lld of the log is sealed, and does not open with this server's secrets.key: every server needs the same one.",
                   (long long)revision);
}
