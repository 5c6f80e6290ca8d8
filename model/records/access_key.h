/* access_key.h: a key pair that signs requests. Written by tools/shapes from model/records/access_key.shapes. */
#ifndef BERTH_MODEL_RECORDS_ACCESS_KEY_H
#define BERTH_MODEL_RECORDS_ACCESS_KEY_H

#include "model/access_key.h"

struct access_key {
    struct str id;                           /* AKIA… of 20 characters */
    struct str secret;                       /* 40 characters */
    struct str user;                         /* a name for people */
    enum access_role role;
    int64_t created_ms;
    int64_t revoked_ms;                      /* 0: in use */
    struct key_binding binding;              /* of role AGENT only */
};
struct access_key_list { struct access_key *items; size_t count; };
extern const struct schema access_key_record;

#endif
