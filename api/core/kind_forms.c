#include "api/core/kind_forms.h"
#include "api/schemas/taskdefs.h"
#include "api/schemas/tasks.h"

/* Where an operation has its list of containers: in `parent`, or in the request itself. */
struct containers_at { const struct schema *input; struct str parent, list; };
static const struct containers_at containers_at[] = {
    { &register_task_definition_request_schema, { NULL, 0 },           STR_INIT("containerDefinitions") },
    { &run_task_request_schema,                 STR_INIT("overrides"), STR_INIT("containerOverrides") },
    { &start_task_request_schema,               STR_INIT("overrides"), STR_INIT("containerOverrides") },
};

static const char right_form[] = "{\"type\":\"GPU\",\"value\":\"1\"}";
static const struct str variable = STR_INIT("NVIDIA_DRIVER_CAPABILITIES");

struct reader {
    struct arena *arena;
    const struct containers_at *at;
    bool strict;
    size_t found, container, requirement;    /* how many there were; where the first stood */
    bool shares;                             /* one of them has a sharingStrategy */
    struct err *err;
};

/* ---- changing a tree: what changes is copied, the rest is shared ---- */

static struct json copy_members(struct arena *arena, const struct json *object, size_t more)
{
    struct json copy = *object;
    copy.as.members = ARENA_NEW(arena, struct json_member, object->count + more);
    for (size_t m = 0; m < object->count; m++) { copy.as.members[m] = object->as.members[m]; }
    return copy;
}

static struct json copy_items(struct arena *arena, const struct json *array, size_t more)
{
    struct json copy = *array;
    copy.as.items = ARENA_NEW(arena, struct json, array->count + more);
    for (size_t i = 0; i < array->count; i++) { copy.as.items[i] = array->as.items[i]; }
    return copy;
}

/* `object` is a copy with room for one more. */
static void set_member(struct json *object, struct str key, struct json value)
{
    size_t m = 0;
    while (m < object->count && !str_eq(object->as.members[m].key, key)) { m++; }
    object->as.members[m] = (struct json_member){ key, value };
    if (m == object->count) { object->count++; }
}

static struct json json_text(struct str text) { return (struct json){ .type = JSON_STRING, .as.string = text }; }

static struct json make_object(struct arena *arena)
{
    return (struct json){ .type = JSON_OBJECT, .as.members = ARENA_NEW(arena, struct json_member, 2) };
}

/* null is absent, as the schema has it. */
static const struct json *member(const struct json *object, struct str key)
{
    const struct json *found = json_get(object, key);
    return found == NULL || found->type == JSON_NULL ? NULL : found;
}

static bool is_list(const struct json *value) { return value != NULL && value->type == JSON_ARRAY; }

/* ---- one requirement ---- */

/* A form that ECS accepts is left alone, with any other members: ECS ignores unknown ones. */
static bool is_kind_gpu(const struct json *requirement)
{
    struct str type = json_get_str(requirement, STR("type"));
    if (!str_eq_nocase(type, STR("GPU"))) { return false; }
    return !str_eq(type, STR("GPU")) || (member(requirement, STR("value")) == NULL && member(requirement, STR("count")) != NULL);
}

/* A part of a GPU, in a form that ECS has not. */
static bool is_part_of_gpu(const struct json *requirement)
{
    struct str type = json_get_str(requirement, STR("type")), value = json_get_str(requirement, STR("value"));
    return str_eq(type, STR("GPU_MEMORY")) || (str_eq(type, STR("GPU")) && str_find(value, '.') < value.len);
}

/* A given value is kept; without one the count becomes it. What can't be read as either is the schema's to refuse. */
static struct json read_gpu(struct reader *reader, const struct json *requirement)
{
    const struct json *value = member(requirement, STR("value")), *count = member(requirement, STR("count"));
    struct json gpu = make_object(reader->arena);
    set_member(&gpu, STR("type"), json_text(STR("GPU")));
    bool is_number = value == NULL && count != NULL && count->type == JSON_INT;
    if (is_number) {
        set_member(&gpu, STR("value"), json_text(arena_printf(reader->arena, "%lld", (long long)count->as.integer)));
    } else if (value != NULL || count != NULL) {
        set_member(&gpu, STR("value"), value != NULL ? *value : *count);
    }
    return gpu;
}

/* ---- a GPU that is shared by NVIDIA's MPS, as the ECS agent has it since version 1.105 ---- */

static bool is_shared(const struct json *requirement)
{
    return str_eq_nocase(json_get_str(requirement, STR("type")), STR("GPU")) && member(requirement, STR("sharingStrategy")) != NULL;
}

/* One or two requirements to the end of `out`: the part of the processors, where there is a limit, and the memory. */
static bool read_shared(struct reader *reader, const struct json *requirement, struct json *out)
{
    static const char wants[] = "The sharingStrategy of a GPU has the form {\"nvidiaMps\":{\"memory\":4096,\"maxComputePercent\":25}}: memory in MiB, and a "
                                "percentage from 1 to 100 that may be left out. Its value is \"1\".";
    enum { WHOLE_PERCENT = 100 };
    const struct json *strategy = member(requirement, STR("sharingStrategy")), *mps = member(strategy, STR("nvidiaMps"));
    const struct json *memory = member(mps, STR("memory")), *percent = member(mps, STR("maxComputePercent"));
    bool one = str_eq(json_get_str(requirement, STR("value")), STR("1")), whole = percent == NULL || percent->type == JSON_INT;
    bool good = one && whole && memory != NULL && memory->type == JSON_INT && memory->as.integer > 0;
    int64_t part = percent == NULL ? WHOLE_PERCENT : percent->as.integer;
    if (!good || part < 1 || part > WHOLE_PERCENT) { return err_set(reader->err, ERR_CLIENT, wants); }
    struct json share = make_object(reader->arena), amount = make_object(reader->arena);
    set_member(&share, STR("type"), json_text(STR("GPU")));
    set_member(&share, STR("value"), json_text(arena_printf(reader->arena, "0.%02lld", (long long)part)));
    set_member(&amount, STR("type"), json_text(STR("GPU_MEMORY")));
    set_member(&amount, STR("value"), json_text(arena_printf(reader->arena, "%lld", (long long)memory->as.integer)));
    if (part < WHOLE_PERCENT) { out->as.items[out->count++] = share; }
    out->as.items[out->count++] = amount;
    reader->shares = true;
    return true;
}

/* ---- its capabilities ---- */

static bool is_capability(struct str word)
{
    static const struct str words[] = {
        STR_INIT("all"), STR_INIT("compat32"), STR_INIT("compute"), STR_INIT("display"), STR_INIT("graphics"), STR_INIT("ngx"),
        STR_INIT("utility"), STR_INIT("video"),
    };
    for (size_t w = 0; w < COUNT_OF(words); w++) {
        if (str_eq(word, words[w])) { return true; }
    }
    return false;
}

/* Docker's "gpu" and "nvidia" only say what the type says already. */
static bool read_capabilities(struct reader *reader, const struct json *list, struct buf *out)
{
    for (size_t i = 0; is_list(list) && i < list->count; i++) {
        const struct json *item = &list->as.items[i];
        struct str word = item->type == JSON_STRING ? item->as.string : STR("");
        if (str_eq(word, STR("gpu")) || str_eq(word, STR("nvidia"))) { continue; }
        if (!is_capability(word)) {
            return err_set(reader->err, ERR_CLIENT, "The capabilities of a GPU are all, compat32, compute, display, graphics, ngx, "
                           "utility and video, but one was '" STR_FMT "'.", STR_ARG(str_slice(word, 0, 64)));
        }
        if (out->len > 0) { buf_put_char(out, ','); }
        buf_put(out, word);
    }
    return true;
}

static bool is_set(const struct json *environment)
{
    for (size_t i = 0; is_list(environment) && i < environment->count; i++) {
        if (str_eq(json_get_str(&environment->as.items[i], STR("name")), variable)) { return true; }
    }
    return false;
}

/* An environment that is no list is the schema's to refuse. */
static void add_variable(struct reader *reader, struct json *container, struct str capabilities)
{
    static const struct json nothing = { .type = JSON_ARRAY };
    const struct json *environment = member(container, STR("environment"));
    if (environment == NULL) { environment = &nothing; }
    if (capabilities.len == 0 || is_set(environment) || !is_list(environment)) { return; }
    struct json longer = copy_items(reader->arena, environment, 1);
    struct json pair = make_object(reader->arena);
    set_member(&pair, STR("name"), json_text(variable));
    set_member(&pair, STR("value"), json_text(capabilities));
    longer.as.items[longer.count++] = pair;
    set_member(container, STR("environment"), longer);
}

/* ---- a container, and all of them ---- */

static bool refuse(const struct reader *reader)
{
    return err_set(reader->err, ERR_CLIENT, STR_FMT "[%zu].resourceRequirements[%zu] does not have the form of ECS, which is %s.",
                   STR_ARG(reader->at->list), reader->container, reader->requirement, right_form);
}

static void count_kind(struct reader *reader, size_t container, size_t requirement)
{
    if (reader->found == 0) {
        reader->container = container;
        reader->requirement = requirement;
    }
    reader->found++;
}

static bool read_container(struct reader *reader, struct json *container, size_t index)
{
    const struct json *given = member(container, STR("resourceRequirements"));
    size_t found_before = reader->found;
    for (size_t r = 0; is_list(given) && r < given->count; r++) {
        bool is_ours = is_kind_gpu(&given->as.items[r]) || is_shared(&given->as.items[r]) || (reader->strict && is_part_of_gpu(&given->as.items[r]));
        if (is_ours) { count_kind(reader, index, r); }
    }
    if (reader->found == found_before) { return true; }
    if (reader->strict) { return refuse(reader); }

    struct buf capabilities = buf_in(reader->arena);
    struct json requirements = copy_items(reader->arena, given, given->count);
    requirements.count = 0;
    for (size_t r = 0; r < given->count; r++) {
        const struct json *requirement = &given->as.items[r];
        bool other = is_kind_gpu(requirement);
        if (other && !read_capabilities(reader, member(requirement, STR("capabilities")), &capabilities)) { return false; }
        if (is_shared(requirement)) {
            if (!read_shared(reader, requirement, &requirements)) { return false; }
        } else {
            requirements.as.items[requirements.count++] = other ? read_gpu(reader, requirement) : *requirement;
        }
    }
    *container = copy_members(reader->arena, container, 1);
    set_member(container, STR("resourceRequirements"), requirements);
    add_variable(reader, container, buf_str(&capabilities));
    return true;
}

/* The same list when nothing was to be done; NULL when a container is refused. */
static const struct json *read_list(struct reader *reader, const struct json *list)
{
    struct json changed = copy_items(reader->arena, list, 0);
    for (size_t c = 0; c < changed.count; c++) {
        if (!read_container(reader, &changed.as.items[c], c)) { return NULL; }
    }
    return reader->found == 0 ? list : arena_copy(reader->arena, &changed, sizeof changed);
}

static const struct json *with_member(struct arena *arena, const struct json *object, struct str key, const struct json *value)
{
    struct json copy = copy_members(arena, object, 0);
    set_member(&copy, key, *value);
    return arena_copy(arena, &copy, sizeof copy);
}

static struct str make_warning(const struct reader *reader)
{
    struct str others = reader->found == 1 ? STR("") : arena_printf(reader->arena, " (and %zu more)", reader->found - 1);
    if (reader->shares) {
        return arena_printf(reader->arena, STR_FMT "[%zu].resourceRequirements[%zu]" STR_FMT " was read as a part of a GPU, in Berth's forms GPU and "
                            "GPU_MEMORY: docs/gpus.md.", STR_ARG(reader->at->list), reader->container, reader->requirement, STR_ARG(others));
    }
    return arena_printf(reader->arena, STR_FMT "[%zu].resourceRequirements[%zu]" STR_FMT " was read as a GPU requirement in the form of "
                        "ECS, %s; clients of AWS need that form.", STR_ARG(reader->at->list), reader->container, reader->requirement,
                        STR_ARG(others), right_form);
}

static const struct containers_at *find_containers(const struct schema *input)
{
    for (size_t c = 0; c < COUNT_OF(containers_at); c++) {
        if (containers_at[c].input == input) { return &containers_at[c]; }
    }
    return NULL;
}

const struct json *kind_forms_read(const struct schema *input, const struct json *request, bool strict, struct arena *arena,
                                   struct str *warning, struct err *err)
{
    struct reader reader = { .arena = arena, .at = find_containers(input), .strict = strict, .err = err };
    if (reader.at == NULL) { return request; }
    bool has_parent = str_is_set(reader.at->parent);
    const struct json *parent = has_parent ? member(request, reader.at->parent) : request;
    const struct json *list = member(parent, reader.at->list);
    if (!is_list(list)) { return request; }

    const struct json *changed = read_list(&reader, list);
    if (changed == NULL) { return NULL; }
    if (changed == list) { return request; }
    *warning = make_warning(&reader);
    const struct json *holder = with_member(arena, parent, reader.at->list, changed);
    return has_parent ? with_member(arena, request, reader.at->parent, holder) : holder;
}
