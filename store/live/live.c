/* live.c: the memory of live tasks and instances: the tasks of each instance, its traits, the counts of each cluster, the tasks of each client token.
 * Derived from the store: built by one scan at start, then changed by the notes of each commit that worked. A writing
 * transaction notes each put of a task or an instance; a commit that fails drops the notes.
 *
 * Readers see the newest commit here while their transaction may be one commit older; no decision depends on the
 * difference, because all decisions are made in the writing transaction. */
#include "store/live/live_tables.h"

#include <stdlib.h>

enum { NOTE_CELLS_KEPT_MAX = 16384 };        /* after one huge commit the table shrinks again, so that later commits do not clear all of it */

/* ---- the ports and GPUs that a task holds ---- */

struct gpu_mark { uint16_t share, uuid_len; };

static char *put_gpus(char *at, const struct task_container *container)
{
    for (size_t g = 0; g < container->gpu_ids.count; g++) {
        struct str uuid = container->gpu_ids.items[g];
        const struct gpu_mark mark = { (uint16_t)gpu_share_of(container->gpu_share), (uint16_t)(uuid.len & UINT16_MAX) };
        memcpy(at, &mark, sizeof mark);
        if (mark.uuid_len > 0) { memcpy(at + sizeof mark, uuid.ptr, mark.uuid_len); }
        at += sizeof mark + mark.uuid_len;
    }
    return at;
}

struct holdings *holdings_of(const struct task *task)
{
    size_t gpu_count = 0, size = 0;
    for (size_t c = 0; c < task->containers.count; c++) {
        const struct str_list *gpus = &task->containers.items[c].gpu_ids;
        for (size_t g = 0; g < gpus->count; g++) { size += sizeof(struct gpu_mark) + (gpus->items[g].len & UINT16_MAX); }
        gpu_count += gpus->count;
    }
    if (task->ports.count == 0 && gpu_count == 0) { return NULL; }
    size_t ports_size = task->ports.count * sizeof(uint32_t);
    struct holdings *holdings = malloc(sizeof *holdings + ports_size + size);
    ASSERT(holdings != NULL);
    *holdings = (struct holdings){ (uint32_t)task->ports.count, (uint32_t)gpu_count, (uint32_t)(ports_size + size) };
    for (size_t p = 0; p < task->ports.count; p++) { holdings->ports[p] = (uint32_t)task->ports.items[p].value; }
    char *at = (char *)holdings->ports + ports_size;
    for (size_t c = 0; c < task->containers.count; c++) { at = put_gpus(at, &task->containers.items[c]); }
    ASSERT(at == (char *)holdings->ports + holdings->size);
    return holdings;
}

bool holdings_eq(const struct holdings *a, const struct holdings *b)
{
    if (a == NULL || b == NULL) { return a == b; }
    return a->port_count == b->port_count && a->gpu_count == b->gpu_count && a->size == b->size
        && memcmp(a->ports, b->ports, a->size) == 0;
}

struct gpu_use holdings_gpu(const struct holdings *holdings, size_t *offset)
{
    const char *at = (const char *)holdings->ports + holdings->port_count * sizeof(uint32_t) + *offset;
    struct gpu_mark mark;
    memcpy(&mark, at, sizeof mark);
    *offset += sizeof mark + mark.uuid_len;
    return (struct gpu_use){ { at + sizeof mark, mark.uuid_len }, mark.share };
}

static struct live_facts facts_of(const struct task *task)
{
    return (struct live_facts){
        .id = task->id, .instance = task->instance, .cpu = task->cpu, .memory_mib = task->memory_mib,
        .cluster = task->cluster_number, .deployment = task->deployment, .last_status = (uint8_t)task->last_status,
        .desired_status = (uint8_t)task->desired_status, .holdings = holdings_of(task),
    };
}

/* Clients choose tokens: hash_bytes has a secret key. If two tokens have the same print, the tasks' records tell which task has which token. */
uint64_t live_token(int64_t cluster, struct str token)
{
    if (token.len == 0) { return 0; }
    uint64_t hash = hash_mix(hash_bytes(token.ptr, token.len) ^ hash_mix((uint64_t)cluster));
    return hash == 0 ? 1 : hash;
}

/* ---- counts ---- */

bool counts_instance(enum instance_status status)
{
    return status == INSTANCE_ACTIVE || status == INSTANCE_DRAINING;
}

static int64_t change_of(const struct service_note *note, enum service_status status) { return (note->after == status) - (note->before == status); }

void counts_note_service(struct cluster_counts *counts, const struct service_note *note)
{
    counts->services += change_of(note, SERVICE_ACTIVE);
    counts->draining_services += change_of(note, SERVICE_DRAINING);
}

void counts_add_task(struct cluster_counts *counts, const struct live_facts *facts, int sign)
{
    ASSERT(sign == 1 || sign == -1);
    counts->live_tasks += sign;
    if (facts->last_status == TASK_RUNNING) { counts->running += sign; }
    if (facts->last_status == TASK_PENDING) { counts->pending += sign; }
    ASSERT(counts->live_tasks >= 0 && counts->running >= 0 && counts->pending >= 0);
}

void counts_add_service_task(struct deployment_counts *counts, const struct live_facts *facts, int sign)
{
    bool before = facts->last_status == TASK_PROVISIONING || facts->last_status == TASK_PENDING || facts->last_status == TASK_ACTIVATING;
    ASSERT(sign == 1 || sign == -1);
    counts->live += sign;
    if (facts->last_status == TASK_RUNNING) { counts->running += sign; }
    if (before) { counts->pending += sign; }
    if (facts->desired_status == TASK_RUNNING) { counts->staying += sign; }
}

uint32_t live_deployment_find(const struct live *live, int64_t digits)
{
    uint64_t hash = hash_mix((uint64_t)digits);
    size_t at = 0;
    for (uint32_t n = table_first(&live->deployments_by_digits, hash, &at); n != NO_PLACE; n = table_next(&live->deployments_by_digits, hash, &at)) {
        if (live->deployments[n].digits == digits) { return n; }
    }
    return NO_PLACE;
}

/* The place of a deployment's counts; NO_PLACE: digits 0. */
static uint32_t live_deployment(struct live *live, int64_t digits)
{
    uint32_t place = digits == 0 ? NO_PLACE : live_deployment_find(live, digits);
    if (digits == 0 || place != NO_PLACE) { return place; }
    place = live->free_deployment;
    if (place != NO_PLACE) {
        live->free_deployment = live->deployments[place].next_free;
    } else {
        live->deployments = array_grow(live->deployments, &live->deployment_capacity, live->deployment_count + 1, sizeof *live->deployments);
        place = (uint32_t)live->deployment_count++;
    }
    live->deployments[place] = (struct live_deployment){ .digits = digits };
    table_add(&live->deployments_by_digits, hash_mix((uint64_t)digits), place);
    return place;
}

/* With the last task the place is free. */
static void leave_deployment(struct live *live, uint32_t place, const struct live_facts *facts)
{
    if (place == NO_PLACE) { return; }
    struct live_deployment *deployment = &live->deployments[place];
    counts_add_service_task(&deployment->counts, facts, -1);
    if (deployment->counts.live > 0) { return; }
    table_remove(&live->deployments_by_digits, hash_mix((uint64_t)deployment->digits), place);
    *deployment = (struct live_deployment){ .next_free = live->free_deployment };
    live->free_deployment = place;
}

static struct cluster_counts *live_cluster(struct live *live, int64_t number)
{
    ASSERT(number > 0 && number <= CLUSTERS_MAX);
    size_t wanted = (size_t)number + 1;
    live->clusters = array_grow(live->clusters, &live->cluster_capacity, wanted, sizeof *live->clusters);
    while (live->cluster_count < wanted) { live->clusters[live->cluster_count++] = (struct cluster_counts){ 0 }; }
    return &live->clusters[number];
}

/* ---- instances and the tasks on them ---- */

static uint32_t live_instance(struct live *live, struct id id)
{
    uint32_t place = id_find(&live->instances_by_id, instances_of(live), id);
    if (place != NO_PLACE) { return place; }
    place = live->free_instance;
    if (place != NO_PLACE) {
        live->free_instance = live->instances[place].first;
    } else {
        live->instances = array_grow(live->instances, &live->instance_capacity, live->instance_count + 1, sizeof *live->instances);
        place = (uint32_t)live->instance_count++;
    }
    ASSERT(place < live->instance_count);
    live->instances[place] = (struct live_instance){ .id = id, .first = NO_PLACE };
    table_add(&live->instances_by_id, hash_id(id), place);
    return place;
}

/* The place of a task's instance; NO_PLACE: the task has no instance. */
static uint32_t instance_of(struct live *live, struct id id) { return id_is_zero(id) ? NO_PLACE : live_instance(live, id); }

static struct traits traits_of(const struct instance *instance)
{
    bool found;
    char hex[ID_HEX_LEN + 1];
    struct str zone = instance_attribute(instance, instance_zone_name, &found);
    struct str architecture = instance_attribute(instance, instance_architecture_name, &found);
    struct str name = instance_name(instance, hex);
    struct traits traits = {
        malloc(zone.len + architecture.len + name.len), zone.len, architecture.len, name.len, instance->agent_came_ms, instance->agent_connected == OPT_TRUE,
    };
    ASSERT(traits.text != NULL);
    str_copy(traits.text, zone);
    str_copy(traits.text + zone.len, architecture);
    str_copy(traits.text + zone.len + architecture.len, name);
    return traits;
}

static void free_instance(struct live *live, uint32_t place)
{
    ASSERT(live->instances[place].first == NO_PLACE);    /* a dropped instance was INACTIVE and has no live task */
    table_remove(&live->instances_by_id, hash_id(live->instances[place].id), place);
    live->instances[place] = (struct live_instance){ .first = live->free_instance };
    live->free_instance = place;
}

/* The instance becomes the owner of the note's traits. */
static void put_instance(struct live *live, struct instance_note *note)
{
    uint32_t place = live_instance(live, note->id);      /* may move the array */
    struct live_instance *instance = &live->instances[place];
    if (instance->cluster > 0 && counts_instance(instance->status)) {
        struct cluster_counts *counts = live_cluster(live, instance->cluster);
        ASSERT(counts->instances > 0);                   /* an earlier call has counted it, below */
        counts->instances--;
    }
    instance->cluster = note->cluster;
    instance->status = note->status;
    instance->deregistered_ms = note->deregistered_ms;
    free(instance->traits.text);
    instance->traits = note->traits;
    note->traits.text = NULL;
    if (counts_instance(note->status)) { live_cluster(live, note->cluster)->instances++; }
    if (note->status == INSTANCE_STATUS_UNSET) { free_instance(live, place); }
}

static void add_events(struct live *live, struct id instance, int64_t events)
{
    if (events == 0) { return; }
    uint32_t place = live_instance(live, instance);      /* may move the array */
    live->instances[place].events += events;
}

int64_t live_events(const struct task *task)
{
    if (id_is_zero(task->instance)) { return 0; }
    return task_is_live(task) ? 1 : 2;
}

bool live_leaves_events(const struct task *before, const struct task *after)
{
    return after == NULL || !id_eq(before->instance, after->instance) || live_events(after) < live_events(before);
}

struct live_facts facts_in(const struct live *live, const struct slot *slot)
{
    return (struct live_facts){
        .id = slot->id, .instance = slot->instance == NO_PLACE ? (struct id){ { 0 } } : live->instances[slot->instance].id,
        .cpu = slot->cpu, .memory_mib = slot->memory_mib, .cluster = slot->cluster, .last_status = slot->last_status,
        .deployment = slot->deployment == NO_PLACE ? 0 : live->deployments[slot->deployment].digits,
        .desired_status = slot->desired_status, .holdings = slot->holdings,
    };
}

/* The first task on its instance, or of those without one. */
static uint32_t *first_beside(struct live *live, const struct slot *slot)
{
    return slot->instance == NO_PLACE ? &live->unplaced : &live->instances[slot->instance].first;
}

static void link_slot(struct live *live, uint32_t place)
{
    struct slot *slot = &live->slots[place];
    uint32_t *first = first_beside(live, slot);
    ASSERT(slot->next == NO_PLACE && slot->previous == NO_PLACE);
    slot->next = *first;
    if (slot->next != NO_PLACE) { live->slots[slot->next].previous = place; }
    *first = place;
}

static void unlink_slot(struct live *live, uint32_t place)
{
    const struct slot *slot = &live->slots[place];
    if (slot->next != NO_PLACE) { live->slots[slot->next].previous = slot->previous; }
    if (slot->previous != NO_PLACE) {
        live->slots[slot->previous].next = slot->next;
    } else {
        uint32_t *first = first_beside(live, slot);
        ASSERT(*first == place);                         /* link_slot has put it there */
        *first = slot->next;
    }
}

/* The task must be new; `instance` is the place of its instance, or NO_PLACE. The slot becomes the owner of the holdings. Gives the slot's place. */
static uint32_t insert_task(struct live *live, const struct live_facts *facts, uint32_t instance)
{
    uint32_t place = live->free_slot;
    if (place != NO_PLACE) {
        live->free_slot = live->slots[place].next;
    } else {
        live->slots = array_grow(live->slots, &live->slot_capacity, live->slot_count + 1, sizeof *live->slots);
        place = (uint32_t)live->slot_count++;
    }
    ASSERT(place < live->slot_count && (instance == NO_PLACE || instance < live->instance_count));
    uint32_t deployment = live_deployment(live, facts->deployment);
    if (deployment != NO_PLACE) { counts_add_service_task(&live->deployments[deployment].counts, facts, 1); }
    live->slots[place] = (struct slot){
        .id = facts->id, .cpu = facts->cpu, .memory_mib = facts->memory_mib, .holdings = facts->holdings, .cluster = (uint32_t)facts->cluster,
        .deployment = deployment, .instance = instance, .next = NO_PLACE, .previous = NO_PLACE,
        .last_status = facts->last_status, .desired_status = facts->desired_status,
    };
    link_slot(live, place);
    counts_add_task(live_cluster(live, facts->cluster), facts, 1);
    live->live_count++;
    return place;
}

static void remove_task(struct live *live, uint32_t place)
{
    struct slot *slot = &live->slots[place];
    const struct live_facts facts = facts_in(live, slot);
    ASSERT(live->live_count > 0);
    counts_add_task(live_cluster(live, facts.cluster), &facts, -1);
    leave_deployment(live, slot->deployment, &facts);
    unlink_slot(live, place);
    uint64_t hash = hash_id(slot->id);
    table_remove(TABLE_PART(&live->by_id, hash), hash, place);
    free(slot->holdings);
    *slot = (struct slot){ .next = live->free_slot, .deployment = NO_PLACE };
    live->free_slot = place;
    live->live_count--;
}

/* ---- notes of a transaction ---- */

static struct live_note *note_for(struct live_notes *notes, struct id id, bool *is_new)
{
    uint32_t place = id_find(&notes->by_id, notes_of(notes), id);
    *is_new = place == NO_PLACE;
    if (!*is_new) { return &notes->tasks[place]; }
    notes->tasks = array_grow(notes->tasks, &notes->task_capacity, notes->task_count + 1, sizeof *notes->tasks);
    place = (uint32_t)notes->task_count++;
    notes->tasks[place] = (struct live_note){ .id = id };
    table_add(&notes->by_id, hash_id(id), place);
    return &notes->tasks[place];
}

/* When a task loses its token, the token's range may stay too wide: then a search reads more records. */
static void note_token(struct live_notes *notes, struct live_note *note, uint64_t print)
{
    if (note->token_after == print) { return; }
    if (note->token_after != 0) { tokens_remove(&notes->tokens, note->token_after); }
    if (print != 0) { tokens_add(&notes->tokens, print, note->id); }
    note->token_after = print;
}

static void note_events(struct live_notes *notes, const struct task *before, const struct task *after)
{
    if (after == NULL) { return; }                       /* its events are in the table of past events, and still count */
    int64_t counted = before == NULL || live_leaves_events(before, after) ? 0 : live_events(before);
    struct event_note note = { after->instance, live_events(after) - counted };
    if (note.events == 0) { return; }
    notes->events = array_grow(notes->events, &notes->event_capacity, notes->event_count + 1, sizeof note);
    notes->events[notes->event_count++] = note;
}

void live_note_task(struct store_txn *txn, const struct task *before, const struct task *after)
{
    ASSERT(txn->writing && (before != NULL || after != NULL));
    ASSERT(before == NULL || after == NULL || id_eq(before->id, after->id));
    if (!txn_is_sound(txn)) { return; }
    bool is_new;
    struct live_note *note = note_for(&txn->notes, after != NULL ? after->id : before->id, &is_new);
    if (is_new && before != NULL) { note->token_before = live_token(before->cluster_number, before->client_token); }
    note_events(&txn->notes, before, after);
    free(note->facts.holdings);
    note->facts = (struct live_facts){ 0 };
    note->live = after != NULL && task_is_live(after);
    note_token(&txn->notes, note, after == NULL ? 0 : live_token(after->cluster_number, after->client_token));
    if (note->live) { note->facts = facts_of(after); }
}

void live_note_service(struct store_txn *txn, int64_t cluster, enum service_status before, enum service_status after)
{
    struct live_notes *notes = &txn->notes;
    if (!txn_is_sound(txn)) { return; }
    notes->services = array_grow(notes->services, &notes->service_capacity, notes->service_count + 1, sizeof *notes->services);
    notes->services[notes->service_count++] = (struct service_note){ cluster, before, after };
}

static struct instance_note note_of(const struct instance *instance)
{
    return (struct instance_note){
        .id = instance->id, .cluster = instance->cluster_number, .deregistered_ms = instance->deregistered_ms, .status = instance->status,
        .traits = traits_of(instance),
    };
}

static void note_instance(struct store_txn *txn, struct instance_note note)
{
    struct live_notes *notes = &txn->notes;
    for (size_t i = 0; i < notes->instance_count; i++) {
        if (!id_eq(notes->instances[i].id, note.id)) { continue; }
        free(notes->instances[i].traits.text);
        notes->instances[i] = note;
        return;
    }
    notes->instances = array_grow(notes->instances, &notes->instance_capacity, notes->instance_count + 1, sizeof note);
    notes->instances[notes->instance_count++] = note;
}

void live_note_instance(struct store_txn *txn, const struct instance *instance)
{
    if (txn_is_sound(txn)) { note_instance(txn, note_of(instance)); }
}

void live_note_dropped(struct store_txn *txn, struct id instance)
{
    if (txn_is_sound(txn)) { note_instance(txn, (struct instance_note){ .id = instance }); }
}

const struct live_note *live_note_of(const struct store_txn *txn, struct id id)
{
    if (!txn->writing) { return NULL; }
    uint32_t place = id_find(&txn->notes.by_id, notes_of(&txn->notes), id);
    return place == NO_PLACE ? NULL : &txn->notes.tasks[place];
}

/* The slot becomes the owner of the note's holdings. */
static void apply_note(struct live *live, struct live_note *note)
{
    uint32_t place = id_find(ids_of(live, note->id), slots_of(live), note->id);
    if (place != NO_PLACE) { remove_task(live, place); }
    if (note->live) {
        place = insert_task(live, &note->facts, instance_of(live, note->facts.instance));
        uint64_t hash = hash_id(note->id);
        table_add(TABLE_PART(&live->by_id, hash), hash, place);
        note->facts.holdings = NULL;
    }
    if (note->token_before == note->token_after) { return; }
    if (note->token_before != 0) { tokens_remove(&live->tokens, note->token_before); }
    if (note->token_after != 0) { tokens_add(&live->tokens, note->token_after, note->id); }
}

/* The newest task of an instance: the next task is linked to it. */
static void fetch_first(const struct live *live, uint32_t instance)
{
    uint32_t first = instance == NO_PLACE ? NO_PLACE : live->instances[instance].first;
    if (first != NO_PLACE) { __builtin_prefetch(&live->slots[first]); }
}

/* Tasks and instances lie all over memory: while a note is applied, the memory that later notes touch is fetched into the caches. */
static void apply_tasks(struct live *live, struct live_notes *notes)
{
    enum { AHEAD = 8 };
    for (size_t t = 0; t < notes->task_count + 3 * AHEAD; t++) {
        if (t < notes->task_count) {
            table_fetch(ids_of(live, notes->tasks[t].id), hash_id(notes->tasks[t].id));
            table_fetch(&live->instances_by_id, hash_id(notes->tasks[t].facts.instance));
        }
        if (t >= AHEAD && t - AHEAD < notes->task_count) {
            id_fetch_item(&live->instances_by_id, instances_of(live), notes->tasks[t - AHEAD].facts.instance);
        }
        if (t >= 2 * AHEAD && t - 2 * AHEAD < notes->task_count) {
            fetch_first(live, id_find(&live->instances_by_id, instances_of(live), notes->tasks[t - 2 * AHEAD].facts.instance));
        }
        if (t >= 3 * AHEAD) { apply_note(live, &notes->tasks[t - 3 * AHEAD]); }
    }
}

NO_THREAD_SAFETY void live_notes_apply(struct live *live, struct live_notes *notes, int64_t revision)
{
    rwlock_take_write(&live->lock);
    for (size_t i = 0; i < notes->instance_count; i++) { put_instance(live, &notes->instances[i]); }
    apply_tasks(live, notes);
    for (size_t e = 0; e < notes->event_count; e++) { add_events(live, notes->events[e].instance, notes->events[e].events); }
    for (size_t s = 0; s < notes->service_count; s++) { counts_note_service(live_cluster(live, notes->services[s].cluster), &notes->services[s]); }
    live->revision = revision;
    rwlock_drop(&live->lock);
}

void live_notes_clear(struct live_notes *notes)
{
    for (size_t t = 0; t < notes->task_count; t++) { free(notes->tasks[t].facts.holdings); }
    for (size_t i = 0; i < notes->instance_count; i++) { free(notes->instances[i].traits.text); }
    struct hash_table *const tables[] = { &notes->by_id, &notes->tokens.by_print };
    for (size_t t = 0; t < COUNT_OF(tables); t++) {
        if (tables[t]->capacity > NOTE_CELLS_KEPT_MAX) { table_finish(tables[t]); } else { table_clear(tables[t]); }
    }
    notes->tokens.count = notes->task_count = notes->instance_count = notes->event_count = notes->service_count = 0;
}

void live_notes_finish(struct live_notes *notes)
{
    live_notes_clear(notes);
    free(notes->tasks);
    table_finish(&notes->by_id);
    tokens_finish(&notes->tokens);
    free(notes->instances);
    free(notes->events);
    free(notes->services);
    *notes = (struct live_notes){ 0 };
}

/* ---- life ---- */

struct live *live_create(void)
{
    struct live *live = calloc(1, sizeof *live);
    ASSERT(live != NULL);
    rwlock_init(&live->lock);
    live->free_slot = live->free_instance = live->free_deployment = live->unplaced = NO_PLACE;
    return live;
}

void live_destroy(struct live *live)
{
    if (live == NULL) { return; }
    for (size_t s = 0; s < live->slot_count; s++) { free(live->slots[s].holdings); }
    free(live->slots);
    wide_table_finish(&live->by_id);
    for (size_t i = 0; i < live->instance_count; i++) { free(live->instances[i].traits.text); }
    free(live->instances);
    table_finish(&live->instances_by_id);
    free(live->clusters);
    free(live->deployments);
    table_finish(&live->deployments_by_digits);
    tokens_finish(&live->tokens);
    rwlock_finish(&live->lock);
    free(live);
}

static bool rebuild_instance(struct live *live, const struct walk *walk, struct id id, struct arena *arena)
{
    struct instance instance;
    if (!record_read_at(walk, &instance_record, walk->value, &instance, arena)) { return false; }
    instance.id = id;
    struct instance_note note = note_of(&instance);
    put_instance(live, &note);
    return true;
}

static bool rebuild_past_events(struct live *live, const struct walk *walk, struct id id, struct arena *arena)
{
    (void)arena;
    add_events(live, id, past_events(walk->txn, id));
    return true;
}

static void rebuild_task(struct live *live, const struct task *task, uint32_t instance)
{
    uint64_t token = live_token(task->cluster_number, task->client_token);
    if (token != 0) { tokens_add(&live->tokens, token, task->id); }
    if (instance != NO_PLACE) { live->instances[instance].events += live_events(task); }
    if (task_is_live(task)) {
        struct live_facts facts = facts_of(task);
        uint64_t hash = hash_id(task->id);
        table_gather(TABLE_PART(&live->by_id, hash), hash, insert_task(live, &facts, instance));
    }
}

/* Each step fetches the memory that the next step reads or writes. */
static void rebuild_some(struct live *live, const struct task *tasks, size_t count)
{
    uint32_t instances[STORE_TASKS_MAX];
    for (size_t t = 0; t < count; t++) { table_fetch(&live->instances_by_id, hash_id(tasks[t].instance)); }
    for (size_t t = 0; t < count; t++) { id_fetch_item(&live->instances_by_id, instances_of(live), tasks[t].instance); }
    for (size_t t = 0; t < count; t++) {
        instances[t] = instance_of(live, tasks[t].instance);
        fetch_first(live, instances[t]);
    }
    for (size_t t = 0; t < count; t++) { rebuild_task(live, &tasks[t], instances[t]); }
}

static void rebuild_tasks(struct live *live, struct store_txn *txn)
{
    size_t live_tasks = store_count_live_tasks(txn), count;
    ASSERT(live->live_count == 0);                       /* ids are gathered only into empty tables */
    live->slots = array_grow(live->slots, &live->slot_capacity, live_tasks, sizeof *live->slots);
    wide_table_reserve(&live->by_id, live_tasks);
    struct task tasks[STORE_TASKS_MAX];
    struct task_scan scan = task_scan_begin(txn);
    while ((count = task_scan_next(&scan, tasks)) > 0) { rebuild_some(live, tasks, count); }
    task_scan_end(&scan);
    wide_table_settle(&live->by_id);
}

static void rebuild_service(void *context, const struct service *service)
{
    if (service->daemon != NULL) { return; }             /* as in store_put_service: managed daemons are not counted */
    counts_note_service(live_cluster(context, service->cluster_number), &(struct service_note){ .after = service->status });
}

bool live_rebuild(struct live *live, struct store_txn *txn)
{
    static const struct {
        enum table table;
        bool (*rebuild)(struct live *live, const struct walk *walk, struct id id, struct arena *arena);
    } steps[] = {
        { TABLE_INSTANCES, rebuild_instance }, { TABLE_PAST_EVENTS, rebuild_past_events },
    };
    struct arena arena;
    arena_init(&arena, SCRATCH_MAX);
    bool good = true;
    for (size_t s = 0; s < COUNT_OF(steps); s++) {
        struct walk walk = walk_begin(txn, steps[s].table);
        for (bool found = walk_to(&walk, (struct str){ NULL, 0 }); found && good; found = walk_step(&walk, MOVE_NEXT)) {
            struct key_parts parts;
            arena_reset(&arena);
            good = key_read(steps[s].table, walk.key, &parts) && steps[s].rebuild(live, &walk, parts.id, &arena);
        }
        walk_end(&walk);
    }
    arena_finish(&arena);
    if (good) { rebuild_tasks(live, txn); }
    if (good) { store_scan_services(txn, rebuild_service, live); }
    live->revision = store_revision(txn);
    return good && txn_is_sound(txn);
}
