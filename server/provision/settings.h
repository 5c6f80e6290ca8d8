/* settings.h: the file of --provisioners: a JSON object of provisioners by name. The first is the default one. docs/provisioners.md has its shape. */
#ifndef BERTH_SERVER_PROVISION_SETTINGS_H
#define BERTH_SERVER_PROVISION_SETTINGS_H

#include "base/arena.h"
#include "base/err.h"

enum { PROVISIONERS_MAX = 32, PROVISIONER_HOSTS_MAX = 1000 };
enum provisioner_kind { PROVISIONER_EXEC, PROVISIONER_HTTP, PROVISIONER_STATIC, PROVISIONER_FAKE };

struct provisioner_host {                    /* of a static provisioner */
    struct str name, type, mac;              /* mac: absent, or 12 hexadecimal digits with colons: it is woken by Wake-on-LAN */
    struct str up, down;                     /* commands for the shell; absent: nothing is run */
};
struct provisioner_setting {                 /* in the arena of settings_read */
    struct str name;
    enum provisioner_kind kind;
    struct str target;                       /* the program, the URL, the broadcast address, or the type of simulated machines */
    int64_t timeout_ms;                      /* of one call */
    const char *const *environment;          /* of programs: as a new program gets it; ends with NULL */
    struct provisioner_host *hosts; size_t host_count;
};
struct provisioner_settings { struct provisioner_setting *items; size_t count; };

/* False and *err: the file can't be read, or says something that is not known. */
MUST_USE bool settings_read(const char *path, struct provisioner_settings *settings, struct arena *arena, struct err *err);
MUST_USE bool settings_parse(struct str text, struct provisioner_settings *settings, struct arena *arena, struct err *err);

#endif
