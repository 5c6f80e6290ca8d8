/* messages.c: each message begins with five bytes: 0 for "not compressed", and its length, the most significant byte first. */
#include "ha/messages.h"

#include <ha/etcd.pb-c.h>                     /* made of ha/etcd.proto */

enum { FRAME_HEAD = 5 };

static const struct { const char *path; const ProtobufCMessageDescriptor *answer; } methods[GRPC_METHODS] = {
    [GRPC_RANGE]      = { "/etcdserverpb.KV/Range",             &etcd__range_answer__descriptor },
    [GRPC_TXN]        = { "/etcdserverpb.KV/Txn",               &etcd__txn_answer__descriptor },
    [GRPC_COMPACT]    = { "/etcdserverpb.KV/Compact",           &etcd__compact_answer__descriptor },
    [GRPC_GRANT]      = { "/etcdserverpb.Lease/LeaseGrant",     &etcd__lease_answer__descriptor },
    [GRPC_REVOKE]     = { "/etcdserverpb.Lease/LeaseRevoke",    &etcd__lease_answer__descriptor },
    [GRPC_KEEP_ALIVE] = { "/etcdserverpb.Lease/LeaseKeepAlive", &etcd__lease_answer__descriptor },
    [GRPC_WATCH]      = { "/etcdserverpb.Watch/Watch",          &etcd__watch_answer__descriptor },
    [GRPC_AUTH]       = { "/etcdserverpb.Auth/Authenticate",    &etcd__auth_answer__descriptor },
    [GRPC_STATUS]     = { "/etcdserverpb.Maintenance/Status",   &etcd__status_answer__descriptor },
    [GRPC_ALARM]      = { "/etcdserverpb.Maintenance/Alarm",    &etcd__alarm_answer__descriptor },
};

const char *message_path(enum grpc_method method) { return methods[method].path; }

/* Two bytes of an answer could make an object of a hundred. etcd's own answers need less than this: a pair has a key, and each text is copied once. */
enum { MEMORY_PER_BYTE = 8, MEMORY_MORE = 16 * 1024, ROUNDED = 16 };
struct memory { struct arena *arena; size_t left; };

static void *take_memory(void *context, size_t size)
{
    struct memory *memory = context;
    if (memory->left < ROUNDED || size > memory->left - ROUNDED) { return NULL; }
    memory->left -= size + ROUNDED;
    return arena_bytes(memory->arena, size);
}

static void leave_memory(void *context, void *bytes) { (void)context; (void)bytes; }

const void *message_unpack(enum grpc_method method, struct str bytes, struct arena *arena, size_t *taken)
{
    const unsigned char *head = (const unsigned char *)bytes.ptr;
    if (bytes.len < FRAME_HEAD || head[0] != 0) { return NULL; }
    size_t length = (size_t)head[1] << 24 | (size_t)head[2] << 16 | (size_t)head[3] << 8 | head[4];
    if (length > bytes.len - FRAME_HEAD || length > MESSAGE_MAX) { return NULL; }
    struct memory memory = { arena, MEMORY_PER_BYTE * length + MEMORY_MORE };
    ProtobufCAllocator allocator = { take_memory, leave_memory, &memory };
    *taken = FRAME_HEAD + length;
    return protobuf_c_message_unpack(methods[method].answer, &allocator, length, head + FRAME_HEAD);
}

struct str message_pack(const void *request, struct arena *arena)
{
    size_t length = protobuf_c_message_get_packed_size(request);
    unsigned char *frame = arena_bytes(arena, FRAME_HEAD + length);
    ASSERT(length <= UINT32_MAX);                        /* an entry has HA_ENTRY_MAX bytes at most, and goes in parts */
    frame[0] = 0;
    for (int b = 0; b < 4; b++) { frame[1 + b] = (unsigned char)(length >> (24 - 8 * b)); }
    (void)protobuf_c_message_pack(request, frame + FRAME_HEAD);
    return (struct str){ (const char *)frame, FRAME_HEAD + length };
}
