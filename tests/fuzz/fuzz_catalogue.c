/* fuzz_catalogue.c: types that are read, written in the same form, read the same; and all errors name a line or a limit. */
#include "model/catalogue/catalogue.h"

#include "base/buf.h"
#include "tests/fuzz/fuzz.h"

enum { CEILING = 16 * 1024 * 1024 };

static void put_decimal(struct buf *out, int64_t value, int digits)
{
    int64_t unit = digits == 3 ? 1000 : PRICE_DOLLAR;
    if (value >= 0) { buf_printf(out, "%lld.%0*lld", (long long)(value / unit), digits, (long long)(value % unit)); }
}

static void put_type(struct buf *out, const struct instance_type *t)
{
    buf_printf(out, STR_FMT ",%s,%s%s%s,%s,%s," STR_FMT ",%lld,%lld,", STR_ARG(t->name), t->previous ? "previous" : "current", t->x86_64 ? "x86_64" : "",
               t->x86_64 && t->arm64 ? "/" : "", t->arm64 ? "arm64" : "", t->bare_metal ? "true" : "", t->burstable ? "true" : "false", STR_ARG(t->cpu_manufacturer),
               (long long)t->vcpus, (long long)t->memory_mib);
    buf_printf(out, STR_FMT ",%lld," STR_FMT "," STR_FMT ",%lld,%lld,", STR_ARG(t->accelerator_type), (long long)t->accelerators,
               STR_ARG(t->accelerator_manufacturer), STR_ARG(t->accelerator_name), (long long)t->accelerator_mib, (long long)t->accelerator_mib_total);
    put_decimal(out, t->gpu_share, 3);
    buf_printf(out, ",%lld," STR_FMT ",%lld,%lld,%lld,", (long long)t->storage_gb, STR_ARG(t->storage_type), (long long)t->network_mbps, (long long)t->ebs_mbps,
               (long long)t->interfaces);
    put_decimal(out, t->price, 6);
    buf_put_char(out, ',');
    if (t->max_count > 0) { buf_put_i64(out, t->max_count); }
    buf_put_char(out, '\n');
}

static void check_same(const struct instance_type *a, const struct instance_type *b)
{
    ASSERT(str_eq(a->name, b->name) && instance_type_name_is_valid(a->name));
    ASSERT(str_eq(a->cpu_manufacturer, b->cpu_manufacturer) && str_eq(a->accelerator_type, b->accelerator_type) && str_eq(a->storage_type, b->storage_type));
    ASSERT(str_eq(a->accelerator_manufacturer, b->accelerator_manufacturer) && str_eq(a->accelerator_name, b->accelerator_name));
    ASSERT(a->previous == b->previous && a->x86_64 == b->x86_64 && a->arm64 == b->arm64 && a->bare_metal == b->bare_metal && a->burstable == b->burstable);
    ASSERT(a->vcpus == b->vcpus && a->memory_mib == b->memory_mib && a->accelerators == b->accelerators && a->accelerator_mib == b->accelerator_mib);
    ASSERT(a->accelerator_mib_total == b->accelerator_mib_total && a->gpu_share == b->gpu_share && a->storage_gb == b->storage_gb);
    ASSERT(a->network_mbps == b->network_mbps && a->ebs_mbps == b->ebs_mbps && a->interfaces == b->interfaces && a->price == b->price && a->max_count == b->max_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct arena arena;
    if (arena.ceiling == 0) { arena_init(&arena, CEILING); }
    struct catalogue first, again;
    struct err err = { 0 };
    if (catalogue_parse(fuzz_str(data, size), &first, &arena, &err)) {
        struct buf text = buf_in(&arena);
        buf_put(&text, STR("instance_type,generation,architecture,bare_metal,burstable,cpu_manufacturer,vcpus,memory_mib,accelerator_type,accelerator_count,"
                           "accelerator_manufacturer,accelerator_name,accelerator_mib_each,accelerator_mib_total,gpu_fraction,local_storage_gb,local_storage_type,"
                           "network_mbps,ebs_baseline_mbps,network_interfaces,usd_per_hour,max_count\n"));
        for (size_t t = 0; t < first.count; t++) { put_type(&text, &first.types[t]); }
        bool good = catalogue_parse(buf_str(&text), &again, &arena, &err);
        ASSERT(good || text.len > CATALOGUE_BYTES_MAX);
        if (good) {
            ASSERT(first.count == again.count);
            for (size_t t = 0; t < first.count; t++) { check_same(&first.types[t], &again.types[t]); }
        }
    } else {
        ASSERT(err.code == ERR_INVALID_PARAMETER && str_contains(str_from(err.message), STR("instance types")));
    }
    arena_reset(&arena);
    return 0;
}
