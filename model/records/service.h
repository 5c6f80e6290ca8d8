/* service.h: the records of a service, of its revisions, deployments and service deployments, and of its events. model/service.h
 * says more. Counts of tasks are not here: they are derived from what runs. Written by tools/shapes from
 * model/records/service.shapes. */
#ifndef BERTH_MODEL_RECORDS_SERVICE_H
#define BERTH_MODEL_RECORDS_SERVICE_H

#include "model/ecs/service.h"
#include "model/records/alarm.h"

enum service_status { SERVICE_STATUS_UNSET, SERVICE_ACTIVE, SERVICE_DRAINING, SERVICE_INACTIVE, SERVICE_STATUS_COUNT };
extern const struct enum_names service_status_names;

/* Statuses of a deployment: PRIMARY, ACTIVE, and INACTIVE when it leaves the list. A task set that is deleted is DRAINING while
 * it has tasks. */
enum deployment_status { DEPLOYMENT_STATUS_UNSET, DEPLOYMENT_STATUS_PRIMARY, DEPLOYMENT_STATUS_ACTIVE, DEPLOYMENT_STATUS_DRAINING,
    DEPLOYMENT_STATUS_INACTIVE, DEPLOYMENT_STATUS_COUNT };
extern const struct enum_names deployment_status_names;

/* A cause of which the service's events tell again after six hours, while it lasts. */
enum event_cause { EVENT_CAUSE_UNSET, EVENT_CAUSE_STEADY, EVENT_CAUSE_STUCK, EVENT_CAUSE_PROTECTED, EVENT_CAUSE_UNABLE,
    EVENT_CAUSE_NO_ROOM, EVENT_CAUSE_UNBALANCED, EVENT_CAUSE_ZONE_FULL, EVENT_CAUSE_ZONE_PROTECTED, EVENT_CAUSE_SOME_ROOM,
    EVENT_CAUSE_DRAIN, EVENT_CAUSE_GAVE_UP, EVENT_CAUSE_LIMIT, EVENT_CAUSE_THROTTLED, EVENT_CAUSE_COUNT };
extern const struct enum_names event_cause_names;

struct event_mark {
    enum event_cause cause;
    int64_t last_ms;                         /* when the cause's event came last */
};
struct event_mark_list { struct event_mark *items; size_t count; };
extern const struct schema event_mark_record;

/* Resources that are kept for a service's next task: those of a task that is STOPPED. */
struct kept_place {
    struct id task;
    int64_t until_ms;
};
struct kept_place_list { struct kept_place *items; size_t count; };
extern const struct schema kept_place_record;

/* The pull of a revision's images on a machine before a task stops there to make room. */
struct early_pull {
    struct id instance;
    int64_t revision;                        /* digits */
    int64_t since_ms;
    enum opt_bool ended;                     /* the images are there, or cannot be pulled */
};
struct early_pull_list { struct early_pull *items; size_t count; };
extern const struct schema early_pull_record;

/* Further members of a managed daemon, which is a service that runs one task on each machine of its capacity providers, with its
 * own name. */
struct managed_daemon {
    struct opt_double drain_percent;         /* of its machines that a deployment replaces at once */
    int64_t updated_ms;                      /* the last UpdateDaemon or DeleteDaemon */
};
struct managed_daemon_list { struct managed_daemon *items; size_t count; };
extern const struct schema managed_daemon_record;

/* … and its revisions, with the settings that a rollback returns to. */
struct daemon_revision_part {
    struct str_list providers;               /* names of its capacity providers */
    enum opt_bool propagate_tags;
    enum opt_bool managed_tags;
    enum opt_bool execute_command;
};
struct daemon_revision_part_list { struct daemon_revision_part *items; size_t count; };
extern const struct schema daemon_revision_part_record;

/* The service's own members: a change of them makes no new revision. */
struct service {
    int64_t number;                          /* identifies the service in keys; a service of an old name has another */
    int64_t cluster_number;
    struct str name;
    enum service_status status;
    enum deployment_controller_type controller;
    enum scheduling_strategy scheduling;
    int64_t desired_count;                   /* of a DAEMON service: as last computed */
    int64_t revision;                        /* digits of the revision that it is to run; 0: EXTERNAL without a PRIMARY task set */
    struct deployment_configuration *configuration; /* complete: defaults are filled in */
    struct placement_constraint_list placement_constraints;
    struct placement_strategy_list placement_strategy;
    int64_t grace_period;                    /* seconds */
    enum availability_zone_rebalancing zone_rebalancing;
    enum propagate_tags propagate_tags;
    enum opt_bool managed_tags;
    enum opt_bool execute_command;
    enum launch_type created_launch_type;    /* that CreateService named; UNSET: none, and it took what the cluster has */
    struct str role;
    struct tag_list tags;
    struct event_mark_list marks;            /* one a cause at most */
    struct str client_token;                 /* with request_hash: of the CreateService that made it */
    int64_t request_hash;
    int64_t created_ms;
    struct str created_by;
    int64_t deleted_ms;                      /* since it is INACTIVE; 0: it is not */
    struct id last_service_deployment;       /* the newest one; zero: none */
    struct kept_place_list kept_places;      /* KEPT_PLACES_MAX at most */
    enum opt_bool zone_rebalancing_given;    /* a request named it; else it is the default */
    struct early_pull_list early_pulls;      /* EARLY_PULLS_MAX at most, in the order in which they were asked for */
    struct str infrastructure_role;          /* of an Express service, which has its load balancing from Berth; absent: of another one */
    struct managed_daemon *daemon;           /* absent: it is no managed daemon */
};
struct service_list { struct service *items; size_t count; };
extern const struct schema service_record;

/* Apart from the service, so that a change of the service does not write them again. */
struct service_events {
    struct service_event_list events;        /* newest first, SERVICE_EVENTS_MAX at most */
};
struct service_events_list { struct service_events *items; size_t count; };
extern const struct schema service_events_record;

/* The workload. Only its images change, which the first task's machine reports. It has the digits of its deployment. */
struct service_revision {
    int64_t digits;
    int64_t service;                         /* the service's number */
    struct str family;
    int64_t revision;                        /* of the task definition */
    enum launch_type launch_type;            /* UNSET: it has a strategy */
    struct capacity_provider_strategy_item_list capacity_provider_strategy;
    struct network_configuration *network_configuration;
    struct load_balancer_list load_balancers;
    struct service_registry_list service_registries;
    struct service_connect_configuration *service_connect_configuration;
    struct monitoring_configuration *monitoring;
    struct container_image_list container_images;
    int64_t created_ms;
    struct daemon_revision_part *daemon;     /* of a managed daemon: family and revision are of a daemon task definition */
};
struct service_revision_list { struct service_revision *items; size_t count; };
extern const struct schema service_revision_record;

/* Members that only a task set has. */
struct task_set_part {
    struct str external_id;
    struct str started_by;
    int64_t scale;                           /* of the service's desired count, in millionths */
    int64_t computed;                        /* computedDesiredCount */
    enum stability_status stability;
    int64_t stability_since_ms;
    struct tag_list tags;
    struct str client_token;                 /* with request_hash: of the CreateTaskSet that made it */
    int64_t request_hash;
};
struct task_set_part_list { struct task_set_part *items; size_t count; };
extern const struct schema task_set_part_record;

/* The tasks of one revision; with the controller EXTERNAL it is a task set. scheduler/reconcile/reconcile.h decides the members
 * from rollout to no_room_ms. */
struct kept_deployment {
    int64_t digits;                          /* N of "ecs-svc/N" */
    int64_t service;                         /* the service's number */
    enum deployment_status status;
    enum deployment_rollout_state rollout;   /* of a task set: UNSET */
    enum opt_bool rolled_back_to;            /* PRIMARY again, because its successor failed */
    int64_t wanted;                          /* of an ACTIVE one: its tasks that no step has stopped */
    int64_t failed;                          /* failedTasks */
    int64_t unstarted;                       /* tasks one after the other that ended before they were RUNNING */
    int64_t crashed;                         /* tasks one after the other that exited soon after they were RUNNING */
    int64_t next_start_ms;                   /* no start before; 0: at once */
    int64_t no_room_ms;                      /* start of the minute in which nothing of it has room; 0: there is room */
    struct str rollout_reason;
    int64_t created_ms;
    int64_t updated_ms;
    int64_t rolled_back_ms;                  /* start of the rollback that returned to it, shown as createdAt; 0: none did */
    struct task_set_part *task_set;          /* absent: a deployment of the controller ECS */
    struct str last_failure;                 /* the last task that counted as failed and its reason, or why a start had no room */
    int64_t progressed_ms;                   /* its last start, or task that became healthy; 0: none */
    int64_t production;                      /* with a strategy that shifts traffic: its parts, in tenths of a percent */
    int64_t test;
    enum opt_bool alternate;                 /* its tasks are registered in the alternate target groups */
    struct str gave_up;                      /* why the last task ended that waited too long for a machine; absent: none has since one ran */
};
struct kept_deployment_list { struct kept_deployment *items; size_t count; };
extern const struct schema kept_deployment_record;

/* Tasks of a revision, counted at the end of a service deployment. */
struct revision_count {
    int64_t digits;
    int64_t requested;
    int64_t running;
    int64_t pending;
    int64_t production;                      /* as the last step of the service deployment left them */
    int64_t test;
};
struct revision_count_list { struct revision_count *items; size_t count; };
extern const struct schema revision_count_record;

/* A lifecycle hook of the present stage. */
struct kept_hook {
    struct str id;
    int64_t place;                           /* among the lifecycleHooks of the configuration */
    enum deployment_lifecycle_hook_status status;
    int64_t expires_ms;
    int64_t call_ms;                         /* while it is IN_PROGRESS: when it is called next */
    int64_t calls;                           /* that have ended */
    int64_t failed_calls;                    /* … of those the last ones that brought no answer */
    struct str details;                      /* hookDetails of the last answer */
    struct str reason;                       /* why it is FAILED, in ECS's words; absent: a user said so */
};
struct kept_hook_list { struct kept_hook *items; size_t count; };
extern const struct schema kept_hook_record;

/* An alarm of a deployment that Berth asks for over HTTP. */
struct kept_check {
    struct str url;                          /* its name */
    enum alarm_state state;                  /* UNSET: there was no answer yet */
    int64_t call_ms;                         /* when it is asked for next */
    int64_t calls;                           /* that have ended */
    int64_t failed_calls;                    /* … of those the last ones that brought no answer */
};
struct kept_check_list { struct kept_check *items; size_t count; };
extern const struct schema kept_check_record;

struct service_rollback {
    struct str reason;
    int64_t started_ms;
    int64_t digits;                          /* of the revision that the service returns to */
};
struct service_rollback_list { struct service_rollback *items; size_t count; };
extern const struct schema service_rollback_record;

/* The act of bringing a service to a revision, kept as history. */
struct service_deployment {
    struct id id;                            /* the record's key, as names_cut_id makes it */
    int64_t service;                         /* the service's number */
    enum service_deployment_status status;
    struct str status_reason;
    enum service_deployment_lifecycle_stage stage;
    int64_t stage_since_ms;
    struct revision_count *target;           /* its digits, and from the end on its counts */
    struct revision_count_list sources;
    struct deployment_configuration *configuration; /* as it was at the start */
    struct service_rollback *rollback;       /* absent: none was begun */
    enum service_deployment_rollback_monitors_status breaker;
    int64_t failures;                        /* from the end on: failed tasks, and how many end the deployment */
    int64_t failure_threshold;
    enum service_deployment_rollback_monitors_status alarms;
    struct str_list triggered_alarms;
    int64_t created_ms;
    int64_t started_ms;
    int64_t finished_ms;
    int64_t stopped_ms;
    int64_t updated_ms;
    struct str_list armed_alarms;            /* those whose ALARM fails it: an alarm that rang at the start was OK since */
    enum opt_bool before_shift;              /* the stage is PRE_PRODUCTION_TRAFFIC_SHIFT; stage has the one that is shown */
    int64_t step;                            /* steps of the production weight that have begun */
    int64_t blue;                            /* digits of the deployment that had the traffic; 0: there is none */
    enum opt_bool blue_stops;                /* a stop of a task of blue was ordered: there is no way back */
    struct kept_hook_list hooks;             /* of the present stage */
    struct kept_check_list checks;           /* of the alarms whose names are addresses */
    int64_t verdict;                         /* the last one in an event: enum preflight (api/services/books.h) */
    struct opt_double drain_percent;         /* of a managed daemon; step counts the batches, stage_since_ms is the bake's start */
};
struct service_deployment_list { struct service_deployment *items; size_t count; };
extern const struct schema service_deployment_record;

#endif
