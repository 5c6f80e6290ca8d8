#include "server/archive/owners.h"

#include <unistd.h>

#include "server/archive/block.h"

enum { HEAD = 20, TEXT_MAX = 255 };

struct head { uint32_t check, gpu, from, before; uint16_t bytes, unused; };
_Static_assert(sizeof(struct head) == HEAD, "as it lies in the file");

/* ---- printing ---- */

static bool put_text(unsigned char *bytes, size_t *at, struct str text)
{
    size_t len = text.len < TEXT_MAX ? text.len : TEXT_MAX;
    if (*at + 1 + len > OWNERS_BYTES_MAX - HEAD) { return false; }
    bytes[(*at)++] = (unsigned char)len;
    memcpy(bytes + *at, text.len == 0 ? "" : text.ptr, len);
    *at += len;
    return true;
}

static bool put_id(unsigned char *bytes, size_t *at, struct id id)
{
    if (*at + sizeof id.bytes > OWNERS_BYTES_MAX - HEAD) { return false; }
    memcpy(bytes + *at, id.bytes, sizeof id.bytes);
    *at += sizeof id.bytes;
    return true;
}

size_t owners_print(const struct owner_change *change, unsigned char *bytes)
{
    size_t at = 0;
    bool room = put_id(bytes, &at, change->instance) && put_text(bytes, &at, change->cluster);
    for (size_t h = 0; h < change->holders.count && room; h++) {
        const struct gpu_holder *holder = &change->holders.items[h];
        size_t begin = at;
        room = put_id(bytes, &at, holder->task) && put_text(bytes, &at, holder->family) && put_text(bytes, &at, holder->service)
            && put_text(bytes, &at, holder->started_by);
        if (!room) { at = begin; }
    }
    return at;
}

/* ---- reading ---- */

struct reader { const unsigned char *bytes; size_t at, size; };

static bool get_id(struct reader *reader, struct id *id)
{
    if (reader->size - reader->at < sizeof id->bytes) { return false; }
    memcpy(id->bytes, reader->bytes + reader->at, sizeof id->bytes);
    reader->at += sizeof id->bytes;
    return true;
}

static bool get_text(struct reader *reader, struct str *text, struct arena *arena)
{
    if (reader->at == reader->size || reader->size - reader->at - 1 < reader->bytes[reader->at]) { return false; }
    size_t len = reader->bytes[reader->at++];
    *text = arena_str(arena, (struct str){ (const char *)reader->bytes + reader->at, len });
    reader->at += len;
    return true;
}

static bool read_change(struct reader *reader, struct owner_change *change, struct arena *arena)
{
    struct gpu_holder_list *holders = &change->holders;
    if (!get_id(reader, &change->instance) || !get_text(reader, &change->cluster, arena)) { return false; }
    *holders = (struct gpu_holder_list){ ARENA_NEW(arena, struct gpu_holder, reader->size / sizeof(struct id) + 1), 0 };
    while (reader->at < reader->size) {
        struct gpu_holder *holder = &holders->items[holders->count++];
        bool good = get_id(reader, &holder->task) && get_text(reader, &holder->family, arena) && get_text(reader, &holder->service, arena)
            && get_text(reader, &holder->started_by, arena);
        if (!good) { return false; }
    }
    return true;
}

/* ---- the file ---- */

static off_t place_of(uint32_t cell) { return (off_t)cell * OWNERS_CELL; }
static uint32_t cells_of(size_t bytes) { return (uint32_t)((HEAD + bytes + OWNERS_CELL - 1) / OWNERS_CELL); }

uint32_t owners_put(struct owners *owners, uint32_t gpu, uint32_t from, uint32_t before, const unsigned char *bytes, size_t size)
{
    unsigned char text[OWNERS_BYTES_MAX] = { 0 };
    struct head head = { .gpu = gpu, .from = from, .before = before, .bytes = (uint16_t)size };
    uint32_t count = cells_of(size);
    ASSERT(size <= OWNERS_BYTES_MAX - HEAD && count <= owners->cells);
    if (owners->cells - owners->next < count) { owners->next = 0; }      /* none lies over the end */
    memcpy(text, &head, sizeof head);
    memcpy(text + HEAD, bytes, size);
    head.check = block_check(owners->next, text + sizeof head.check, HEAD - sizeof head.check + size);
    memcpy(text, &head.check, sizeof head.check);
    size_t length = (size_t)count * OWNERS_CELL;
    if (pwrite(owners->file, text, length, place_of(owners->next)) != (ssize_t)length) { return OWNERS_NONE; }
    uint32_t cell = owners->next;
    owners->next = (cell + count) % owners->cells;
    return cell;
}

static bool read_at(const struct owners *owners, uint32_t cell, struct head *head, struct owner_change *change, struct arena *arena)
{
    enum { USUAL = 256 };
    unsigned char text[OWNERS_BYTES_MAX];
    ssize_t got = cell >= owners->cells ? 0 : pread(owners->file, text, USUAL, place_of(cell));
    if (got < HEAD) { return false; }
    memcpy(head, text, sizeof *head);
    if (head->bytes > OWNERS_BYTES_MAX - HEAD) { return false; }
    size_t size = HEAD + head->bytes;
    if (size > (size_t)got && pread(owners->file, text, size, place_of(cell)) != (ssize_t)size) { return false; }
    if (head->check != block_check(cell, text + sizeof head->check, size - sizeof head->check)) { return false; }
    change->from = head->from;
    struct reader reader = { text + HEAD, 0, head->bytes };
    return read_change(&reader, change, arena);
}

/* A change that has been replaced belongs to another GPU, or is younger than the one that named it. Of two that begin with
 * the same sample, the first in the list is right. */
size_t owners_list(const struct owners *owners, uint32_t gpu, uint32_t last, uint32_t since, size_t most, struct owner_change **changes, struct arena *arena)
{
    size_t count = 0, room = 0;
    uint32_t above = UINT32_MAX;
    *changes = NULL;
    for (uint32_t cell = last; cell != OWNERS_NONE && count < most && above > since;) {
        struct head head;
        struct owner_change change = { 0 };
        if (!read_at(owners, cell, &head, &change, arena) || head.gpu != gpu || head.from > above) { break; }
        if (count == room) {
            size_t size = room * sizeof change, more = room == 0 ? 16 : room;
            *changes = arena_grow(arena, *changes, size, size + more * sizeof change);
            room += more;
        }
        (*changes)[count++] = change;
        above = head.from;
        cell = head.before;
    }
    return count;
}
