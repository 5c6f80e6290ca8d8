/* Requests of many at once: as in the server's writing thread all of it runs in one transaction, up to as many jobs as it takes at most,
 * refused ones beside kept ones. The disk has all of it or nothing, and nobody gets an answer before. */
#include <stdlib.h>
#include <string.h>

#include "tests/sim/sim.h"

enum { ARENA_SIZE = 256 * 1024 * 1024, BURST_MAX = 512, TRIES_MAX = 4 * BURST_MAX, EXPIRE_MAX = 100 };

/* Said by an agent: its report goes from its queue when it is heard. */
struct said { struct sim_agent *agent; struct sim_report report; };
struct burst { struct sim_job jobs[BURST_MAX]; struct said said[BURST_MAX]; size_t count; };

static void add_request(struct sim *sim, struct burst *burst, struct arena *arena)
{
    struct str body;
    bool of_services = sim->services && rng_below(&sim->rng, 2) == 0;
    const char *operation = of_services ? sim_services_request(sim, arena, &body) : sim_random_request(sim, arena, &body);
    struct sim_job *job = &burst->jobs[burst->count];
    sim_prepare(sim, operation, body, arena, &job->call);
    if (job->call.operation->access == OP_WRITE) { burst->count++; }
}

/* Any that wait, so that the same may be said twice in a burst, and a later one before an earlier. */
static void add_report(struct sim *sim, struct burst *burst, struct arena *arena)
{
    struct sim_agent *agent = sim_random_agent(sim);
    if (agent->report_count == 0 || agent->cut || agent->dead) { return; }
    struct sim_report report = agent->reports[rng_below(&sim->rng, agent->report_count)];
    burst->said[burst->count] = (struct said){ agent, report };
    sim_prepare(sim, "SubmitTaskStateChange", sim_report_body(&report, arena), arena, &burst->jobs[burst->count].call);
    burst->count++;
}

static void add_expiry(struct burst *burst, struct arena *arena)
{
    struct expire_tasks *expire = ARENA_NEW(arena, struct expire_tasks, 1);
    expire->limit = EXPIRE_MAX;
    api_prepare_expire(expire, arena, &burst->jobs[burst->count++].call);
}

/* As the stepper's, between other jobs. */
static void add_step(struct burst *burst, struct arena *arena) { api_prepare_step_services(false, arena, &burst->jobs[burst->count++].call); }

static void hear(struct sim *sim, struct sim_job *job, const struct said *said, struct arena *arena)
{
    struct buf reply = buf_in(arena);
    if (said->agent != NULL) {
        if (job->good || job->err.code == ERR_INVALID_PARAMETER) { sim_report_heard(sim, said->agent, &said->report, job->good); }
    } else if (job->good) {
        api_print(&job->call, &reply);
        sim_remember(sim, buf_str(&reply), arena);
    }
    sim->refusals += !job->good;
}

void sim_burst(struct sim *sim)
{
    struct arena arena = { 0 };
    struct burst *burst = calloc(1, sizeof *burst);
    ASSERT(burst != NULL);
    arena_init(&arena, ARENA_SIZE);
    size_t wanted = !sim->services && rng_below(&sim->rng, 4) == 0 ? BURST_MAX : 1 + rng_below(&sim->rng, 32);
    for (size_t tries = 0; tries < TRIES_MAX && burst->count < wanted; tries++) {
        uint64_t dice = rng_below(&sim->rng, 100);
        if (sim->services && dice < 6) {
            add_step(burst, &arena);
        } else if (dice < 45) {
            add_request(sim, burst, &arena);
        } else if (dice < 98) {
            add_report(sim, burst, &arena);
        } else {
            add_expiry(burst, &arena);
        }
    }
    if (sim_write(sim, burst->jobs, burst->count, &arena)) {
        for (size_t j = 0; j < burst->count; j++) { hear(sim, &burst->jobs[j], &burst->said[j], &arena); }
    }
    sim->largest = burst->count > sim->largest ? burst->count : sim->largest;
    arena_finish(&arena);
    free(burst);
}
