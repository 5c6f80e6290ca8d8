/* A GPU requirement in the form of tutorials, {"type":"gpu","count":1,"capabilities":[…]}: read as ECS's own, with a warning, or
 * refused. What ECS accepts is never touched. */
#include "api/core/kind_forms.h"
#include "tests/unit/api/machines.h"

/* One call by hand, for its warning. The reply or the error, as fixture_call gives it. */
static struct str call_with_warning(struct api_fixture *f, const char *operation, const char *body, struct str *warning)
{
    struct arena arena;
    struct api_call call = { 0 };
    struct err err = { 0 };
    struct buf out = buf_in(&f->kept);
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    *warning = (struct str){ 0 };
    if (api_prepare(&f->config, &f->caller, str_from(operation), str_from(body), &arena, &call, &err)) {
        *warning = arena_str(&f->kept, call.warning);
        if (fixture_run(f, &call, &arena, &err)) { api_print(&call, &out); }
    }
    if (err.code != ERR_NONE) { buf_printf(&out, "%s: %s", err_wire_name(err.code), err.message); }
    f->code = err.code;
    arena_finish(&arena);
    return buf_str(&out);
}

static const char *definition(struct api_fixture *f, const char *requirements, const char *more)
{
    return text(f, "{\"family\":\"f\",\"containerDefinitions\":[{\"name\":\"c\",\"image\":\"i\",\"memory\":8,\"resourceRequirements\":%s%s}]}", requirements, more);
}

#define ONE_GPU "[{\"value\":\"1\",\"type\":\"GPU\"}]"
#define NO_VARIABLE "[]"
#define VARIABLE(value) "[{\"name\":\"NVIDIA_DRIVER_CAPABILITIES\",\"value\":\"" value "\"}]"

static void test_forms(void)
{
    struct api_fixture f;
    cluster_open(&f);
    static const struct { const char *row, *requirements, *more, *want, *environment; bool warned; } rows[] = {
        { "ECS's own",             "[{\"type\":\"GPU\",\"value\":\"1\"}]", "", ONE_GPU, NO_VARIABLE, false },
        { "ECS's own, and more that it ignores", "[{\"type\":\"GPU\",\"value\":\"1\",\"count\":2,\"capabilities\":[\"compute\"]}]", "", ONE_GPU, NO_VARIABLE, false },
        { "the tutorials'",        "[{\"type\":\"gpu\",\"count\":1,\"capabilities\":[\"compute\"]}]", "", ONE_GPU, VARIABLE("compute"), true },
        { "several capabilities",  "[{\"type\":\"gpu\",\"count\":1,\"capabilities\":[\"compute\",\"utility\"]}]", "", ONE_GPU, VARIABLE("compute,utility"), true },
        { "Docker's capability",   "[{\"type\":\"gpu\",\"count\":1,\"capabilities\":[\"gpu\",\"nvidia\"]}]", "", ONE_GPU, NO_VARIABLE, true },
        { "none of them",          "[{\"type\":\"gpu\",\"count\":1,\"capabilities\":[]}]", "", ONE_GPU, NO_VARIABLE, true },
        { "no word of them",       "[{\"type\":\"gpu\",\"count\":1}]", "", ONE_GPU, NO_VARIABLE, true },
        { "null is absent",        "[{\"type\":\"gpu\",\"count\":1,\"value\":null,\"capabilities\":null}]", ",\"environment\":null", ONE_GPU, NO_VARIABLE, true },
        { "only the word",         "[{\"type\":\"Gpu\",\"value\":\"1\"}]", "", ONE_GPU, NO_VARIABLE, true },
        { "only the count",        "[{\"type\":\"GPU\",\"count\":1}]", "", ONE_GPU, NO_VARIABLE, true },
        { "a count of text",       "[{\"type\":\"gpu\",\"count\":\"1\"}]", "", ONE_GPU, NO_VARIABLE, true },
        { "a value before a count", "[{\"type\":\"gpu\",\"value\":\"1\",\"count\":3}]", "", ONE_GPU, NO_VARIABLE, true },
        { "a set value stays",     "[{\"type\":\"gpu\",\"count\":1,\"capabilities\":[\"compute\"]}]",
          ",\"environment\":[{\"name\":\"NVIDIA_DRIVER_CAPABILITIES\",\"value\":\"all\"}]", ONE_GPU, VARIABLE("all"), true },
        { "shared by MPS",         "[{\"type\":\"GPU\",\"value\":\"1\",\"sharingStrategy\":{\"nvidiaMps\":{\"memory\":4096,\"maxComputePercent\":5}}}]", "",
          "[{\"value\":\"0.05\",\"type\":\"GPU\"},{\"value\":\"4096\",\"type\":\"GPU_MEMORY\"}]", NO_VARIABLE, true },
        { "without a limit of the processors", "[{\"type\":\"GPU\",\"value\":\"1\",\"sharingStrategy\":{\"nvidiaMps\":{\"memory\":4096}}}]", "",
          "[{\"value\":\"4096\",\"type\":\"GPU_MEMORY\"}]", NO_VARIABLE, true },
        { "all of them",           "[{\"type\":\"GPU\",\"value\":\"1\",\"sharingStrategy\":{\"nvidiaMps\":{\"memory\":1,\"maxComputePercent\":100}}}]", "",
          "[{\"value\":\"1\",\"type\":\"GPU_MEMORY\"}]", NO_VARIABLE, true },
        { "null is no strategy",   "[{\"type\":\"GPU\",\"value\":\"1\",\"sharingStrategy\":null}]", "", ONE_GPU, NO_VARIABLE, false },
        { "what else is set stays", "[{\"type\":\"gpu\",\"count\":1,\"capabilities\":[\"video\"]}]", ",\"environment\":[{\"name\":\"A\",\"value\":\"b\"}]", ONE_GPU,
          "[{\"name\":\"A\",\"value\":\"b\"},{\"name\":\"NVIDIA_DRIVER_CAPABILITIES\",\"value\":\"video\"}]", true },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str warning, reply = call_with_warning(&f, "RegisterTaskDefinition", definition(&f, rows[r].requirements, rows[r].more), &warning);
        CHECK_EQ(rows[r].row, f.code, ERR_NONE);
        CHECK_STR(rows[r].row, fixture_at(&f, reply, "taskDefinition.containerDefinitions[0].resourceRequirements"), str_from(rows[r].want));
        CHECK_STR(rows[r].row, fixture_at(&f, reply, "taskDefinition.containerDefinitions[0].environment"), str_from(rows[r].environment));
        CHECK_EQ(rows[r].row, str_is_set(warning), rows[r].warned);
    }
    fixture_close(&f);
}

#define MPS(value, strategy) "[{\"type\":\"GPU\",\"value\":\"" value "\",\"sharingStrategy\":" strategy "}]"

/* A value that can't be read as either form is refused as before, and nothing crashes on other shapes. */
static void test_refusals(void)
{
    struct api_fixture f;
    cluster_open(&f);
    static const struct { const char *row, *requirements, *more; enum err_code want; } rows[] = {
        { "no count, no value",     "[{\"type\":\"gpu\"}]", "", ERR_CLIENT },
        { "a count of 0",           "[{\"type\":\"gpu\",\"count\":0}]", "", ERR_CLIENT },
        { "a count below",          "[{\"type\":\"gpu\",\"count\":-1}]", "", ERR_CLIENT },
        { "half a GPU",             "[{\"type\":\"gpu\",\"count\":0.5}]", "", ERR_SERIALIZATION },
        { "a value that is no text", "[{\"type\":\"gpu\",\"value\":1}]", "", ERR_SERIALIZATION },
        { "ECS's own with a number", "[{\"type\":\"GPU\",\"value\":1}]", "", ERR_SERIALIZATION },
        { "an unknown capability",  "[{\"type\":\"gpu\",\"count\":1,\"capabilities\":[\"fly\"]}]", "", ERR_CLIENT },
        { "a capability of no text", "[{\"type\":\"gpu\",\"count\":1,\"capabilities\":[7]}]", "", ERR_CLIENT },
        { "another type",           "[{\"type\":\"tpu\",\"count\":1}]", "", ERR_CLIENT },
        { "a type of no text",      "[{\"type\":7,\"value\":\"1\"}]", "", ERR_SERIALIZATION },
        { "a strategy without memory", MPS("1", "{\"nvidiaMps\":{}}"), "", ERR_CLIENT },
        { "no memory at all",       MPS("1", "{\"nvidiaMps\":{\"memory\":0}}"), "", ERR_CLIENT },
        { "memory as text",         MPS("1", "{\"nvidiaMps\":{\"memory\":\"4096\"}}"), "", ERR_CLIENT },
        { "no per cent at all",     MPS("1", "{\"nvidiaMps\":{\"memory\":1,\"maxComputePercent\":0}}"), "", ERR_CLIENT },
        { "too many per cent",      MPS("1", "{\"nvidiaMps\":{\"memory\":1,\"maxComputePercent\":101}}"), "", ERR_CLIENT },
        { "two GPUs",               MPS("2", "{\"nvidiaMps\":{\"memory\":1}}"), "", ERR_CLIENT },
        { "an unknown strategy",    MPS("1", "{\"timeSlicing\":{}}"), "", ERR_CLIENT },
        { "a strategy of no object", MPS("1", "7"), "", ERR_CLIENT },
        { "no list",                "{\"type\":\"gpu\",\"count\":1}", "", ERR_SERIALIZATION },
        { "no objects in it",       "[\"gpu\"]", "", ERR_SERIALIZATION },
        { "an environment that is no list", "[{\"type\":\"gpu\",\"count\":1,\"capabilities\":[\"all\"]}]", ",\"environment\":{\"A\":\"b\"}", ERR_SERIALIZATION },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        (void)fixture_call(&f, "RegisterTaskDefinition", definition(&f, rows[r].requirements, rows[r].more));
        CHECK_EQ(rows[r].row, f.code, rows[r].want);
    }
    static const char *const bodies[] = {
        "{\"family\":\"f\",\"containerDefinitions\":\"gpu\"}", "{\"family\":\"f\",\"containerDefinitions\":[7]}", "{\"containerDefinitions\":null}", "[]", "7",
    };
    for (size_t b = 0; b < COUNT_OF(bodies); b++) {
        (void)fixture_call(&f, "RegisterTaskDefinition", bodies[b]);
        CHECK(bodies[b], f.code != ERR_NONE);
    }
    fixture_close(&f);
}

#define SEVERAL \
    "{\"family\":\"f\",\"containerDefinitions\":[{\"name\":\"a\",\"image\":\"i\",\"memory\":8},{\"name\":\"b\",\"image\":\"i\",\"memory\":8," \
    "\"resourceRequirements\":[{\"type\":\"GPU\",\"value\":\"1\"}]},{\"name\":\"c\",\"image\":\"i\",\"memory\":8,\"resourceRequirements\":" \
    "[{\"type\":\"gpu\",\"count\":2}]},{\"name\":\"d\",\"image\":\"i\",\"memory\":8,\"resourceRequirements\":[{\"type\":\"gpu\",\"count\":3}]}]}"

static void test_warning(void)
{
    struct api_fixture f;
    struct str warning, reply;
    cluster_open(&f);
    (void)call_with_warning(&f, "RegisterTaskDefinition", definition(&f, "[{\"type\":\"gpu\",\"count\":1}]", ""), &warning);
    CHECK_STR("of one", warning, STR("containerDefinitions[0].resourceRequirements[0] was read as a GPU requirement in the form of ECS, "
                                     "{\"type\":\"GPU\",\"value\":\"1\"}; clients of AWS need that form."));
    reply = call_with_warning(&f, "RegisterTaskDefinition", SEVERAL, &warning);
    CHECK_STR("of several", warning, STR("containerDefinitions[2].resourceRequirements[0] (and 1 more) was read as a GPU requirement in the form of "
                                         "ECS, {\"type\":\"GPU\",\"value\":\"1\"}; clients of AWS need that form."));
    CHECK_STR("each is read", fixture_at(&f, reply, "taskDefinition.containerDefinitions[2].resourceRequirements[0].value"), STR("2"));
    CHECK_STR("each is read", fixture_at(&f, reply, "taskDefinition.containerDefinitions[3].resourceRequirements[0].value"), STR("3"));
    CHECK_STR("the others are as they were", fixture_at(&f, reply, "taskDefinition.containerDefinitions[1].resourceRequirements"), STR(ONE_GPU));
    fixture_close(&f);
}

static void test_strict(void)
{
    struct api_fixture f;
    cluster_open(&f);
    f.config.strict_aws = true;
    fixture_check(&f, "in a definition", "RegisterTaskDefinition", SEVERAL,
                  "ClientException: containerDefinitions[2].resourceRequirements[0] does not have the form of ECS, which is "
                  "{\"type\":\"GPU\",\"value\":\"1\"}.");
    fixture_check(&f, "in an override", "RunTask",
                  "{\"taskDefinition\":\"f\",\"overrides\":{\"containerOverrides\":[{\"name\":\"c\",\"resourceRequirements\":[{\"type\":\"gpu\",\"count\":1}]}]}}",
                  "ClientException: containerOverrides[0].resourceRequirements[0] does not have the form of ECS, which is "
                  "{\"type\":\"GPU\",\"value\":\"1\"}.");
    static const char *const parts[] = {
        "[{\"type\":\"GPU\",\"value\":\"0.5\"}]", "[{\"type\":\"GPU_MEMORY\",\"value\":\"8192\"}]",
        "[{\"type\":\"GPU_MEMORY\",\"value\":\"8192\"},{\"type\":\"GPU\",\"value\":\"1\"}]",
    };
    for (size_t p = 0; p < COUNT_OF(parts); p++) {
        fixture_check(&f, parts[p], "RegisterTaskDefinition", definition(&f, parts[p], ""),
                      "ClientException: containerDefinitions[0].resourceRequirements[0] does not have the form of ECS, which is "
                      "{\"type\":\"GPU\",\"value\":\"1\"}.");
    }
    static const char *const good[] = { "[{\"type\":\"GPU\",\"value\":\"1\"}]", "[{\"type\":\"GPU\",\"value\":\"ALL\"}]" };
    for (size_t g = 0; g < COUNT_OF(good); g++) {
        (void)fixture_call(&f, "RegisterTaskDefinition", definition(&f, good[g], ""));
        CHECK_EQ("ECS's own is good", f.code, ERR_NONE);
    }
    fixture_close(&f);
}

static void test_overrides(void)
{
    struct api_fixture f;
    struct str warning;
    cluster_open(&f);
    struct id machine = machine_add(&f, "a", 4);
    char hex[ID_HEX_LEN + 1];
    id_hex(machine, hex);
    define(&f, "f", "", "");
    static const char override[] = "\"taskDefinition\":\"f\",\"overrides\":{\"cpu\":\"10\",\"containerOverrides\":[{\"name\":\"main\",\"resourceRequirements\":"
                                   "[{\"type\":\"gpu\",\"count\":2,\"capabilities\":[\"compute\"]}]}]}";
    const struct { const char *operation, *body; } rows[] = {
        { "RunTask", text(&f, "{%s}", override) }, { "StartTask", text(&f, "{\"containerInstances\":[\"%s\"],%s}", hex, override) },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct str reply = call_with_warning(&f, rows[r].operation, rows[r].body, &warning);
        CHECK_EQ(rows[r].operation, count_at(&f, reply, "tasks[0].containers[0].gpuIds"), 2);
        CHECK_STR(rows[r].operation, fixture_at(&f, reply, "tasks[0].overrides.containerOverrides[0].resourceRequirements"),
                  STR("[{\"value\":\"2\",\"type\":\"GPU\"}]"));
        CHECK_STR(rows[r].operation, fixture_at(&f, reply, "tasks[0].overrides.containerOverrides[0].environment"), STR(VARIABLE("compute")));
        CHECK_STR("the member beside it stays", fixture_at(&f, reply, "tasks[0].overrides.cpu"), STR("10"));
        CHECK(rows[r].operation, str_starts_with(warning, STR("containerOverrides[0].resourceRequirements[0] was read")));
    }
    check_world(&f, "overrides");
    fixture_close(&f);
}

int main(void)
{
    test_forms();
    test_refusals();
    test_warning();
    test_strict();
    test_overrides();
    return check_report();
}
