/* For which machines an agent's key may act. */
#include "api/core/binding.h"
#include "tests/unit/check.h"

static void test_fits(void)
{
    const struct id id = { { 0xab } };
    struct attribute name = { .name = STR("berth.name"), .value = STR("gpu-1") };
    const struct instance machine = { .id = id, .ec2_instance_id = STR("i-0123"), .attributes = { &name, 1 } };
    const struct instance nameless = { .id = id };
    const struct { const char *row; struct str cluster, instance; const struct instance *machine; bool fits; } rows[] = {
        { "bound to nothing",             STR(""),  STR(""),      &machine,  true },
        { "bound to nothing, no machine", STR(""),  STR(""),      NULL,      true },
        { "to the cluster",               STR("c"), STR(""),      &machine,  true },
        { "to another one",               STR("d"), STR(""),      &machine,  false },
        { "to the cluster, no machine",   STR("c"), STR(""),      NULL,      true },
        { "to another one, no machine",   STR("d"), STR(""),      NULL,      false },
        { "to a machine, of its cluster", STR("c"), STR("gpu-2"), NULL,      true },
        { "by name",                      STR("c"), STR("gpu-1"), &machine,  true },
        { "by a name that begins so",     STR("c"), STR("gpu-"),  &machine,  false },
        { "by a longer name",             STR("c"), STR("gpu-11"), &machine, false },
        { "by EC2's id",                  STR("c"), STR("i-0123"), &machine, true },
        { "by id",                        STR("c"), STR("ab000000000000000000000000000000"), &machine, true },
        { "by another id",                STR("c"), STR("ab000000000000000000000000000001"), &machine, false },
        { "by name, in another cluster",  STR("d"), STR("gpu-1"), &machine,  false },
        { "a machine without a name",     STR("c"), STR("gpu-1"), &nameless, false },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        const struct key_binding binding = { rows[r].cluster, rows[r].instance };
        CHECK_EQ(rows[r].row, binding_fits(&binding, STR("c"), rows[r].machine), rows[r].fits);
    }
}

int main(void)
{
    test_fits();
    return check_report();
}
