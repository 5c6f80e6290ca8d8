/* catalogue.h: types of machines and what a machine of each type has: the ones that Berth brings along, and users' own in the same form.
 *
 * The form is CSV. The first line names the columns, in any order; instance_type, vcpus and memory_mib are required. A field that is empty has its
 * default. Empty lines and lines that begin with # are skipped. No field is quoted, so none has a comma in it. */
#ifndef BERTH_MODEL_CATALOGUE_CATALOGUE_H
#define BERTH_MODEL_CATALOGUE_CATALOGUE_H

#include "base/arena.h"
#include "base/err.h"

enum { CATALOGUE_BYTES_MAX = 1 << 20, CATALOGUE_TYPES_MAX = 10000, TYPE_NAME_MAX = 64, TYPE_ACCELERATORS_MAX = 64 };
enum { PRICE_UNKNOWN = -1, PRICE_DOLLAR = 1000000 };

/* Texts are absent, and numbers 0, where the file gives nothing and no default is named. */
struct instance_type {
    struct str name;                         /* "g4dn.xlarge", "lab.8xh200": 1 to TYPE_NAME_MAX letters, digits, '.', '-' and '_' */
    bool previous;                           /* generation: default current */
    bool x86_64, arm64;                      /* architecture, '/' between two: default x86_64 */
    bool bare_metal, burstable;
    struct str cpu_manufacturer;             /* intel, amd, amazon-web-services */
    int64_t vcpus, memory_mib;               /* 1 or more */
    struct str accelerator_type;             /* gpu, fpga, inference, media; absent without accelerators */
    int64_t accelerators;
    struct str accelerator_manufacturer, accelerator_name;       /* nvidia, "A10G" */
    int64_t accelerator_mib, accelerator_mib_total;              /* of one, of all */
    int64_t gpu_share;                       /* thousandths of the device that it is a part of: default 1000 */
    int64_t storage_gb; struct str storage_type;                 /* local; hdd or ssd */
    int64_t network_mbps, ebs_mbps, interfaces;                  /* 0: not known */
    int64_t price;                           /* an hour, in millionths of a dollar; PRICE_UNKNOWN */
    int64_t max_count;                       /* this many machines of it exist; 0: no limit */
    size_t line;                             /* of the file */
};
struct catalogue { const struct instance_type *types; size_t count; };       /* by name in byte order, each name once */

/* Texts borrow from `text`. ERR_INVALID_PARAMETER names the line, the column and the mistake. */
bool catalogue_parse(struct str text, struct catalogue *catalogue, struct arena *arena, struct err *err);
const struct catalogue *catalogue_builtin(void);                             /* read once; any thread */
struct str catalogue_builtin_text(void);
/* Users' own types, which catalogue_known has then, too: once, while there are no other threads. `text` is copied. ERR_INVALID_PARAMETER as above. */
bool catalogue_add(struct str text, struct err *err);
const struct catalogue *catalogue_known(void);                               /* any thread */
/* All types of both; a type of `own` replaces the type of the same name. */
struct catalogue catalogue_join(const struct catalogue *catalogue, const struct catalogue *own, struct arena *arena);
const struct instance_type *catalogue_find(const struct catalogue *catalogue, struct str name);      /* NULL: it has no such type */

/* GPUs that ECS knows: accelerators of other types are no GPUs. */
static inline int64_t instance_type_gpus(const struct instance_type *type) { return str_eq(type->accelerator_type, STR("gpu")) ? type->accelerators : 0; }
static inline bool instance_type_name_is_valid(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && c != '.' && c != '-' && c != '_') { return false; }
    }
    return name.len > 0 && name.len <= TYPE_NAME_MAX;
}

#endif
