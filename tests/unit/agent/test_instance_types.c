/* test_instance_types.c: each type of the catalogue can be simulated, with the GPUs that it lists. */
#include "tests/unit/check.h"

#include "agent/fake/instance_types.h"
#include "base/assert.h"

enum { CEILING = 16 << 20 };

static void test_types(struct arena *arena)
{
    const struct catalogue *all = catalogue_builtin();
    for (size_t t = 0; t < all->count; t++) {
        const struct instance_type *type = &all->types[t];
        struct inventory inventory;
        struct err err = { 0 };
        char row[TYPE_NAME_MAX + 1];
        CHECK("the name fits", str_to_cstr(type->name, row, sizeof row));
        CHECK(row, instance_type_inventory(type, type->name, (struct str){ 0 }, &inventory, arena, &err));
        CHECK_EQ(row, inventory.cpus, type->vcpus);
        CHECK_EQ(row, inventory.memory_mib, type->memory_mib);
        CHECK_EQ(row, inventory.gpus.count, instance_type_gpus(type));
        for (size_t g = 0; g < inventory.gpus.count; g++) { CHECK_EQ(row, inventory.gpus.gpus[g].memory_mib, type->accelerator_mib); }
        arena_reset(arena);
    }
}

static void test_some(struct arena *arena)
{
    static const struct { const char *type; size_t gpus; const char *model; } rows[] = {
        { "p5.48xlarge", 8, "H100" }, { "g7.2xlarge", 1, "RTX-PRO-4500" }, { "g4ad.8xlarge", 2, "Radeon-Pro-V520" }, { "inf1.xlarge", 0, "" }, { "c5.2xlarge", 0, "" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct inventory inventory;
        struct err err = { 0 };
        const struct instance_type *type = catalogue_find(catalogue_builtin(), str_from(rows[r].type));
        CHECK(rows[r].type, type != NULL && instance_type_inventory(type, STR("m"), STR("s"), &inventory, arena, &err));
        CHECK_EQ(rows[r].type, inventory.gpus.count, rows[r].gpus);
        if (inventory.gpus.count > 0) { CHECK_STR(rows[r].type, inventory.gpus.gpus[0].model, str_from(rows[r].model)); }
    }
}

int main(void)
{
    struct arena arena = { .ceiling = CEILING };
    test_types(&arena);
    test_some(&arena);
    arena_finish(&arena);
    return check_report();
}
