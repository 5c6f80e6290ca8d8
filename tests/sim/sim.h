/* sim.h: the whole server minus sockets in one thread, from a seed: the operations, the store, the scheduler, machines whose
 * agents lose, repeat and reorder what they say, crashes and failing commits. Time is a number. */
#ifndef BERTH_TESTS_SIM_H
#define BERTH_TESTS_SIM_H

#include <stdio.h>

#include "api/core/api.h"
#include "api/tell/work.h"
#include "scheduler/reconcile/roster.h"

enum { SIM_AGENTS_MAX = 6, SIM_RUNS_MAX = 1024, SIM_REPORTS_MAX = 1024, SIM_TASKS_MAX = 8192, SIM_GPUS_MAX = 8, SIM_ARN_MAX = 128, SIM_SEEN_MAX = 16, SIM_NAMES = 5 };

/* A container as it really is on a machine: what the server believes is another matter. */
struct sim_run {
    char arn[SIM_ARN_MAX];
    struct id task;
    bool active;                                     /* the container is there: it holds its GPUs */
    bool running;                                    /* past its start */
    bool end_heard;                                  /* the server has acknowledged its end: the agent has that on its disk */
    bool checked; const char *health;                /* it has a health check, and what that says; NULL: not known yet */
    int exit_code;
    struct { char id[64]; int thousandths; } gpus[SIM_GPUS_MAX]; size_t gpu_count;
};
struct sim_report { char arn[SIM_ARN_MAX]; const char *status, *health; int exit_code; };   /* on its way; may be late, lost or repeated */
struct sim_agent {
    char arn[SIM_ARN_MAX], token[32];
    struct id instance;
    bool online;                                         /* for the server */
    bool woken;                                          /* its work is due to be sent: an effect says so, or it has just connected */
    bool cut, dead;                                      /* nothing passes between the two; the agent itself does not run, its containers do */
    bool lies;                                           /* it has forgotten when its lease began, and runs on */
    int64_t lease_ms;                                    /* 0: none */
    int64_t sent_ms, heard_ms;                           /* its last answered poll was sent; the server last got a poll of it */
    int gpus;
    int64_t version;                                     /* the highest that was seen of its instance */
    bool gpus_out[SIM_GPUS_MAX]; int64_t gpus_held[SIM_GPUS_MAX];    /* by slot, as last seen: in quarantine, thousandths held */
    size_t gpus_idle;                                    /* out of the pool, and held by nobody */
    struct sim_run runs[SIM_RUNS_MAX]; size_t run_count;
    struct sim_report reports[SIM_REPORTS_MAX]; size_t report_count;
};
/* A task that was acknowledged to a client, and the furthest status that it has been seen in. */
struct sim_task {
    struct id id;
    enum task_status furthest, desired;
    bool end_heard;                                  /* a report that it is STOPPED was acknowledged */
    int64_t service, deployment;                     /* number and digits; 0: it has no service */
};
/* How often what happens to containers by themselves happens: once in N looks; 0: never. */
struct sim_mood { uint64_t exits, fails, sickens; };
/* The newest service deployment of a service, as it was last seen. */
struct sim_service { int64_t number; struct id act; enum service_deployment_status status; };

struct sim {
    uint64_t seed;
    struct rng rng, server_rng;
    struct id_gen ids;
    char dir[64];
    struct store *store;
    struct arena world_arena;
    struct world *world;
    struct api_config config;
    int64_t now_ms;
    bool faults;
    bool services;                                       /* the run is one of services: see sim_services.c */
    struct sim_mood mood;
    bool touched;                                        /* the store, or the memory that is derived from it, since the last check */
    int unchecked;                                       /* such steps since the last check of everything; SIM_CHECK_EVERY after a crash */
    struct sim_agent agents[SIM_AGENTS_MAX]; size_t agent_count;
    struct sim_task tasks[SIM_TASKS_MAX]; size_t task_count;
    struct sim_service seen[SIM_SEEN_MAX]; size_t seen_count;
    uint64_t steps, starts, shifted, hooked;             /* of services; steps that moved traffic, and that left a stage with hooks */
    uint64_t calls, refusals, crashes, failed_commits, fences, pulled;
    size_t largest;                                      /* jobs in one commit */
};
/* A service before a step. act: its newest service deployment; NULL: it has none. */
struct service_before {
    const struct service *service;
    const struct service_deployment *act;
    struct kept_deployment *deployments; size_t deployment_count;
    struct roster_task *tasks; size_t count;
    int64_t told_ms;                                     /* time of its newest event; 0: it has none */
};
struct sim_job { struct api_call call; bool good; struct err err; struct effect_list effects; };      /* prepared; and its answer */

/* sim.c */
void sim_run(uint64_t seed, uint64_t steps);         /* ends the process when something does not hold */
void sim_open(struct sim *sim, uint64_t seed, bool services);
void sim_close(struct sim *sim);
void sim_step(struct sim *sim);                      /* something happens, a crash too */
void sim_print(const struct sim *sim);
/* The name of an operation of another service than ECS has that service's word before it. */
bool sim_call(struct sim *sim, const char *operation, struct str body, struct arena *arena, struct str *reply, struct err *err);
bool sim_internal(struct sim *sim, struct api_call *call, struct arena *arena);
void sim_prepare(struct sim *sim, const char *operation, struct str body, struct arena *arena, struct api_call *call);
bool sim_write(struct sim *sim, struct sim_job *jobs, size_t count, struct arena *arena);     /* in one commit; false: it failed, nobody is answered */
const char *sim_random_request(struct sim *sim, struct arena *arena, struct str *body);       /* the operation's name */
void sim_remember(struct sim *sim, struct str reply, struct arena *arena);                    /* the tasks of a reply, if it has any */
struct sim_agent *sim_random_agent(struct sim *sim);
void sim_crash(struct sim *sim);
struct op_ctx sim_reader(struct sim *sim, struct store_txn *txn, struct arena *arena);
_Noreturn void sim_fail(const struct sim *sim, const char *what, const char *detail);

/* sim_agents.c: the machines. */
void sim_register(struct sim *sim, struct sim_agent *agent);
void sim_agent_step(struct sim *sim);                /* one agent does one thing */
void sim_time_passes(struct sim *sim);               /* after each change of now_ms: leases end, for agents first */
void sim_server_restarts(struct sim *sim);
void sim_agents_settle(struct sim *sim);             /* faults off: what can arrive arrives */
void sim_stop_everything(struct sim *sim);
void sim_agents_live(struct sim *sim);               /* containers come up */
void sim_agents_stay(struct sim *sim);               /* behind a jump of time: those that are well have polled until now */
void sim_agents_forget(struct sim *sim);             /* containers whose tasks the server does not know any more */
void sim_agent_wake(struct sim *sim, struct id instance);
struct str sim_report_body(const struct sim_report *report, struct arena *arena);
/* Need not be said again. `kept`: the answer was yes, not that there is no such task. */
void sim_report_heard(struct sim *sim, struct sim_agent *agent, const struct sim_report *report, bool kept);

/* sim_burst.c */
void sim_burst(struct sim *sim);

/* sim_gpus.c */
void sim_gpus_step(struct sim *sim);                 /* a GPU fails or is well again, or a person decides */
/* Rules that must hold for a machine's GPUs. Gives how many are in quarantine that nobody holds. */
size_t sim_check_gpus(struct sim *sim, struct sim_agent *agent, const struct instance *instance, const struct instance_usage *usage,
                      struct store_txn *txn, struct arena *arena);

/* sim_services.c */
void sim_services_run(uint64_t seed, uint64_t steps);        /* as sim_run: seven days of services */
const char *sim_services_request(struct sim *sim, struct arena *arena, struct str *body);

/* sim_traffic.c: rollouts that shift traffic: what clients ask, and rules that each step keeps. */
struct str sim_traffic_configuration(struct sim *sim, struct arena *arena);                  /* deploymentConfiguration, with a strategy that shifts traffic */
struct str sim_traffic_answer(struct sim *sim, struct arena *arena);                         /* ContinueServiceDeployment: a hook that waits, if there is one */
struct str sim_traffic_alarm(struct sim *sim, struct arena *arena);                          /* SetAlarmState */
void sim_traffic_open(struct sim *sim);                                                      /* makes the alarms */
void sim_traffic_settle(struct sim *sim);                                                    /* no alarm rings, and every hook that waits goes on */
void sim_traffic_after(struct sim *sim, struct store_txn *txn, const struct service_before *before, const struct roster_task *tasks, size_t count,
                       struct arena *arena);

/* sim_services_check.c */
struct sim_before;
struct sim_before *sim_services_before(struct sim *sim, struct store_txn *txn, struct arena *arena);
/* Behind a step of services: rules that each step keeps. */
void sim_services_after(struct sim *sim, struct store_txn *txn, const struct sim_before *before, struct arena *arena);
/* Safety; `fresh` was built from the store. */
void sim_services_check(struct sim *sim, struct store_txn *txn, struct world *fresh, struct arena *arena);
/* Rules that hold when no step is due. */
void sim_services_rest(struct sim *sim, struct store_txn *txn, struct arena *arena);
/* A sum over all that a step could change, with the time of the newest event or without. */
uint64_t sim_services_sum(struct sim *sim, struct store_txn *txn, bool with_events, struct arena *arena);

/* sim_check.c */
/* Safety, true after every step. Machines and tasks are looked at after each one; stopped tasks, the whole store and the world, which take most of the time, after
 * each crash and after SIM_CHECK_EVERY steps. With sim_closely after each step: a seed that failed shows its first wrong one then. */
enum { SIM_CHECK_EVERY = 8 };
extern bool sim_closely;
void sim_check(struct sim *sim);
void sim_check_all(struct sim *sim);                 /* the same, now */
void sim_check_running(struct sim *sim);             /* liveness: each task that is to run runs */
void sim_check_settled(struct sim *sim);             /* liveness: everything has ended and nothing is held */

#endif
