/* Written by tools/shapes from model/records/capacity.shapes. */
#include "model/records/capacity.h"

#include "base/assert.h"

#define AT(member) .offset = offsetof(struct kept_provider, member)
static const struct field kept_provider_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(name) },
    { STR_INIT(""), 2, FIELD_I64, AT(cluster) },
    { STR_INIT(""), 3, FIELD_STRUCT, AT(group), .schema = &auto_scaling_group_provider_schema },
    { STR_INIT(""), 4, FIELD_STRUCT, AT(managed), .schema = &managed_instances_provider_schema },
    { STR_INIT(""), 5, FIELD_STR, AT(pool) },
    { STR_INIT(""), 6, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &tag_schema },
    { STR_INIT(""), 7, FIELD_I64, AT(created_ms) },
    { STR_INIT(""), 8, FIELD_ENUM, AT(status), .names = &capacity_provider_status_names },
    { STR_INIT(""), 9, FIELD_ENUM, AT(update), .names = &capacity_provider_update_status_names },
    { STR_INIT(""), 10, FIELD_STR, AT(update_reason) },
    { STR_INIT(""), 11, FIELD_I64, AT(settles_ms) },
    { STR_INIT(""), 12, FIELD_I64, AT(below_since_ms) },
    { STR_INIT(""), 13, FIELD_I64, AT(last_out_ms) },
    { STR_INIT(""), 14, FIELD_I64, AT(out_ms) },
    { STR_INIT(""), 15, FIELD_I64, AT(out_added) },
    { STR_INIT(""), 16, FIELD_I64, AT(last_in_ms) },
    { STR_INIT(""), 17, FIELD_BOOL, AT(at_max) },
    { STR_INIT(""), 40, FIELD_I64, AT(needed) },
    { STR_INIT(""), 41, FIELD_I64, AT(size) },
    { STR_INIT(""), 42, FIELD_I64, AT(wanted) },
    { STR_INIT(""), 43, FIELD_I64, AT(looked_ms) },
};
#undef AT
const struct schema kept_provider_record = SCHEMA_OF("capacity provider", struct kept_provider, kept_provider_record_fields);

static const struct str pool_kind_words[] = { STR_INIT("GROUP"), STR_INIT("MANAGED") };
const struct enum_names pool_kind_names = { pool_kind_words, COUNT_OF(pool_kind_words) };

#define AT(member) .offset = offsetof(struct pool_tag, member)
static const struct field pool_tag_schema_fields[] = {
    { STR_INIT("Key"), 1, FIELD_STR, AT(key), .max = 128 },
    { STR_INIT("Value"), 2, FIELD_STR, AT(value), .max = 256 },
    { STR_INIT("PropagateAtLaunch"), 3, FIELD_BOOL, AT(propagate_at_launch) },
};
#undef AT
const struct schema pool_tag_schema = SCHEMA_OF("Tag", struct pool_tag, pool_tag_schema_fields);

#define AT(member) .offset = offsetof(struct pool_block, member)
static const struct field pool_block_schema_fields[] = {
    { STR_INIT("type"), 1, FIELD_STR, AT(type) },
    { STR_INIT("until_ms"), 2, FIELD_I64, AT(until_ms) },
    { STR_INIT("times"), 3, FIELD_I64, AT(times) },
};
#undef AT
const struct schema pool_block_schema = SCHEMA_OF("PoolBlock", struct pool_block, pool_block_schema_fields);

#define AT(member) .offset = offsetof(struct pool_stray, member)
static const struct field pool_stray_schema_fields[] = {
    { STR_INIT("id"), 1, FIELD_STR, AT(id) },
    { STR_INIT("handle"), 2, FIELD_STR, AT(handle) },
    { STR_INIT("lists"), 3, FIELD_I64, AT(lists) },
};
#undef AT
const struct schema pool_stray_schema = SCHEMA_OF("PoolStray", struct pool_stray, pool_stray_schema_fields);

#define AT(member) .offset = offsetof(struct pool_offer, member)
static const struct field pool_offer_schema_fields[] = {
    { STR_INIT("type"), 1, FIELD_STR, AT(type) },
    { STR_INIT("price"), 2, FIELD_STR, AT(price) },
    { STR_INIT("left"), 3, FIELD_I64, AT(left) },
};
#undef AT
const struct schema pool_offer_schema = SCHEMA_OF("PoolOffer", struct pool_offer, pool_offer_schema_fields);

#define AT(member) .offset = offsetof(struct kept_pool, member)
static const struct field kept_pool_record_fields[] = {
    { STR_INIT(""), 1, FIELD_STR, AT(name) },
    { STR_INIT(""), 2, FIELD_ENUM, AT(kind), .names = &pool_kind_names },
    { STR_INIT(""), 3, FIELD_STR, AT(id) },
    { STR_INIT(""), 4, FIELD_I64, AT(min) },
    { STR_INIT(""), 5, FIELD_I64, AT(max) },
    { STR_INIT(""), 6, FIELD_I64, AT(desired) },
    { STR_INIT(""), 7, FIELD_STR, AT(template) },
    { STR_INIT(""), 8, FIELD_STR, AT(template_version) },
    { STR_INIT(""), 9, FIELD_LIST, AT(subnets), .element = FIELD_STR },
    { STR_INIT(""), 10, FIELD_LIST, AT(zones), .element = FIELD_STR },
    { STR_INIT(""), 11, FIELD_BOOL, AT(protects_new) },
    { STR_INIT(""), 12, FIELD_STR, AT(health_check) },
    { STR_INIT(""), 13, FIELD_I64, AT(grace_s) },
    { STR_INIT(""), 14, FIELD_LIST, AT(tags), .element = FIELD_STRUCT, .schema = &pool_tag_schema },
    { STR_INIT(""), 15, FIELD_STR, AT(provisioner) },
    { STR_INIT(""), 16, FIELD_I64, AT(created_ms) },
    { STR_INIT(""), 17, FIELD_STR, AT(failure) },
    { STR_INIT(""), 18, FIELD_I64, AT(failed_ms) },
    { STR_INIT(""), 19, FIELD_BOOL, AT(removed) },
    { STR_INIT(""), 20, FIELD_LIST, AT(types), .element = FIELD_STR },
    { STR_INIT(""), 21, FIELD_I64, AT(cluster) },
    { STR_INIT(""), 22, FIELD_I64, AT(warm_up_s) },
    { STR_INIT(""), 23, FIELD_I64, AT(drain_s) },
    { STR_INIT(""), 24, FIELD_I64, AT(due_ms) },
    { STR_INIT(""), 25, FIELD_I64, AT(list_ms) },
    { STR_INIT(""), 26, FIELD_I64, AT(call) },
    { STR_INIT(""), 27, FIELD_I64, AT(failures) },
    { STR_INIT(""), 28, FIELD_I64, AT(blocked_until_ms) },
    { STR_INIT(""), 29, FIELD_BOOL, AT(refused) },
    { STR_INIT(""), 30, FIELD_LIST, AT(blocks), .element = FIELD_STRUCT, .schema = &pool_block_schema },
    { STR_INIT(""), 31, FIELD_LIST, AT(strays), .element = FIELD_STRUCT, .schema = &pool_stray_schema },
    { STR_INIT(""), 40, FIELD_BOOL, AT(suspended) },
    { STR_INIT(""), 41, FIELD_STR, AT(suspended_by) },
    { STR_INIT(""), 42, FIELD_I64, AT(approved) },
    { STR_INIT(""), 43, FIELD_BOOL, AT(held) },
    { STR_INIT(""), 44, FIELD_LIST, AT(offers), .element = FIELD_STRUCT, .schema = &pool_offer_schema },
    { STR_INIT(""), 45, FIELD_BOOL, AT(plan_due) },
};
#undef AT
const struct schema kept_pool_record = SCHEMA_OF("pool", struct kept_pool, kept_pool_record_fields);

static const struct str machine_replace_words[] = { STR_INIT("PATCH"), STR_INIT("IMPAIRED"), STR_INIT("NOTICE") };
const struct enum_names machine_replace_names = { machine_replace_words, COUNT_OF(machine_replace_words) };

static const struct str machine_state_words[] = { STR_INIT("ORDERED"), STR_INIT("BOOTING"), STR_INIT("ACTIVE"),
    STR_INIT("DRAINING"), STR_INIT("STOPPING") };
const struct enum_names machine_state_names = { machine_state_words, COUNT_OF(machine_state_words) };

#define AT(member) .offset = offsetof(struct kept_machine, member)
static const struct field kept_machine_record_fields[] = {
    { STR_INIT(""), 1, FIELD_ID, AT(id) },
    { STR_INIT(""), 2, FIELD_STR, AT(pool) },
    { STR_INIT(""), 3, FIELD_STR, AT(type) },
    { STR_INIT(""), 4, FIELD_ENUM, AT(state), .names = &machine_state_names },
    { STR_INIT(""), 5, FIELD_I64, AT(since_ms) },
    { STR_INIT(""), 6, FIELD_I64, AT(ordered_ms) },
    { STR_INIT(""), 7, FIELD_ID, AT(instance) },
    { STR_INIT(""), 8, FIELD_I64, AT(cluster) },
    { STR_INIT(""), 9, FIELD_STR, AT(zone) },
    { STR_INIT(""), 10, FIELD_BOOL, AT(protected) },
    { STR_INIT(""), 11, FIELD_I64, AT(next_ms) },
    { STR_INIT(""), 12, FIELD_I64, AT(attempts) },
    { STR_INIT(""), 13, FIELD_STR, AT(reference) },
    { STR_INIT(""), 14, FIELD_STR, AT(reason) },
    { STR_INIT(""), 15, FIELD_I64, AT(drain_by_ms) },
    { STR_INIT(""), 16, FIELD_STR, AT(price) },
    { STR_INIT(""), 17, FIELD_I64, AT(missed) },
    { STR_INIT(""), 18, FIELD_I64, AT(empty_since_ms) },
    { STR_INIT(""), 30, FIELD_ENUM, AT(replace), .names = &machine_replace_names },
    { STR_INIT(""), 31, FIELD_I64, AT(replace_ms) },
    { STR_INIT(""), 32, FIELD_I64, AT(replace_by_ms) },
    { STR_INIT(""), 33, FIELD_I64, AT(impaired_ms) },
    { STR_INIT(""), 34, FIELD_STR, AT(token) },
    { STR_INIT(""), 36, FIELD_LIST, AT(for_tasks), .element = FIELD_ID },
};
#undef AT
const struct schema kept_machine_record = SCHEMA_OF("machine", struct kept_machine, kept_machine_record_fields);
