/* messages.h: the calls of etcd that Berth makes: their names, and their messages as bytes (etcd.proto, by protobuf-c). Knows no connection: grpc.h does. */
#ifndef BERTH_HA_MESSAGES_H
#define BERTH_HA_MESSAGES_H

#include "base/arena.h"

enum grpc_method {
    GRPC_RANGE, GRPC_TXN, GRPC_COMPACT, GRPC_GRANT, GRPC_REVOKE, GRPC_KEEP_ALIVE, GRPC_WATCH, GRPC_AUTH, GRPC_STATUS, GRPC_ALARM, GRPC_METHODS
};

const char *message_path(enum grpc_method method);
struct str  message_pack(const void *request, struct arena *arena);
/* The method's answer at the beginning of `bytes`, in `arena`, which needs room for nine times its bytes. NULL: they begin with none, or with one of more than
 * MESSAGE_MAX bytes, or with one that is made to take memory. *taken: the bytes that it has. */
enum { MESSAGE_MAX = 16 << 20 };             /* bytes */
const void *message_unpack(enum grpc_method method, struct str bytes, struct arena *arena, size_t *taken);

#endif
