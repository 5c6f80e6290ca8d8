#include "model/capabilities.h"

#include "base/assert.h"

bool capability_is_usual(struct str name)
{
    static const struct str usual[] = {
        STR_INIT("AUDIT_WRITE"), STR_INIT("CHOWN"), STR_INIT("DAC_OVERRIDE"), STR_INIT("FOWNER"), STR_INIT("FSETID"), STR_INIT("KILL"), STR_INIT("MKNOD"),
        STR_INIT("NET_BIND_SERVICE"), STR_INIT("NET_RAW"), STR_INIT("SETFCAP"), STR_INIT("SETGID"), STR_INIT("SETPCAP"), STR_INIT("SETUID"),
        STR_INIT("SYS_CHROOT"),
    };
    struct str prefix = STR("CAP_");
    if (str_eq_nocase(str_slice(name, 0, prefix.len), prefix)) { name = str_slice(name, prefix.len, name.len); }
    for (size_t u = 0; u < COUNT_OF(usual); u++) {
        if (str_eq_nocase(usual[u], name)) { return true; }
    }
    return false;
}
