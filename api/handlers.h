/* handlers.h: every operation's function, named in the table of operations.c. One file per noun holds them. */
#ifndef BERTH_API_HANDLERS_H
#define BERTH_API_HANDLERS_H

#include "api/core/api.h"

#define HANDLER(name) bool name(struct op_ctx *ctx, const void *input, void *output, struct err *err)

HANDLER(op_create_cluster);                  /* clusters.c */
HANDLER(op_delete_cluster);
HANDLER(op_describe_clusters);
HANDLER(op_list_clusters);
HANDLER(op_update_cluster);                  /* clusters/changes.c */
HANDLER(op_update_cluster_settings);
HANDLER(op_put_cluster_capacity_providers);
HANDLER(op_create_capacity_provider);        /* capacity/providers.c */
HANDLER(op_delete_capacity_provider);
HANDLER(op_describe_capacity_providers);
HANDLER(op_update_capacity_provider);
HANDLER(op_register_task_definition);        /* taskdefs.c */
HANDLER(op_describe_task_definition);
HANDLER(op_deregister_task_definition);
HANDLER(op_list_task_definitions);
HANDLER(op_list_task_definition_families);
HANDLER(op_delete_task_definitions);         /* definitions/deletes.c */
HANDLER(op_register_daemon_task_definition); /* definitions/daemons.c */
HANDLER(op_describe_daemon_task_definition);
HANDLER(op_list_daemon_task_definitions);
HANDLER(op_delete_daemon_task_definition);
HANDLER(op_create_daemon);                   /* daemons/operations.c */
HANDLER(op_update_daemon);
HANDLER(op_delete_daemon);
HANDLER(op_describe_daemon);                 /* daemons/describe.c */
HANDLER(op_list_daemons);
HANDLER(op_describe_daemon_deployments);
HANDLER(op_list_daemon_deployments);
HANDLER(op_describe_daemon_revisions);
HANDLER(op_run_task);                        /* tasks/run.c */
HANDLER(op_start_task);
HANDLER(op_stop_task);                       /* tasks.c */
HANDLER(op_describe_tasks);
HANDLER(op_list_tasks);
HANDLER(op_create_service);                  /* services/operations.c */
HANDLER(op_update_service);
HANDLER(op_delete_service);
HANDLER(op_describe_services);               /* services/describe.c */
HANDLER(op_list_services);
HANDLER(op_list_services_by_namespace);
HANDLER(op_create_express_gateway_service);  /* express/operations.c */
HANDLER(op_update_express_gateway_service);
HANDLER(op_delete_express_gateway_service);
HANDLER(op_describe_express_gateway_service);
HANDLER(op_describe_service_deployments);    /* services/history.c */
HANDLER(op_describe_service_revisions);
HANDLER(op_list_service_deployments);
HANDLER(op_stop_service_deployment);
HANDLER(op_continue_service_deployment);
HANDLER(op_register_container_instance);     /* instances.c */
HANDLER(op_deregister_container_instance);
HANDLER(op_describe_container_instances);
HANDLER(op_list_container_instances);
HANDLER(op_update_container_instances_state);
HANDLER(op_update_container_agent);
HANDLER(op_put_attributes);                 /* attributes.c */
HANDLER(op_delete_attributes);
HANDLER(op_list_attributes);
HANDLER(op_get_task_protection);             /* tasks/access.c */
HANDLER(op_update_task_protection);
HANDLER(op_execute_command);
HANDLER(op_resume_session);                  /* of SSM, as the next */
HANDLER(op_terminate_session);
HANDLER(op_create_task_set);                 /* services/task_sets.c */
HANDLER(op_update_task_set);
HANDLER(op_delete_task_set);
HANDLER(op_describe_task_sets);
HANDLER(op_update_service_primary_task_set);
HANDLER(op_discover_poll_endpoint);          /* tasks/reports.c */
HANDLER(op_submit_task_state_change);
HANDLER(op_submit_container_state_change);
HANDLER(op_submit_attachment_state_changes);
HANDLER(op_tag_resource);                    /* tags.c */
HANDLER(op_untag_resource);
HANDLER(op_list_tags_for_resource);
HANDLER(op_put_account_setting);             /* settings.c */
HANDLER(op_put_account_setting_default);
HANDLER(op_delete_account_setting);
HANDLER(op_list_account_settings);
HANDLER(op_agent_presence);                  /* internal.c */
HANDLER(op_machine_report);
HANDLER(op_expire_tasks);
HANDLER(op_keep_clock);
HANDLER(op_key_order);
HANDLER(op_events_told);
HANDLER(op_log_group);
HANDLER(op_step_services);                   /* services/steps.c */
HANDLER(op_scale_services);                  /* scaling/run.c */
HANDLER(op_provisioned);                     /* capacity/machines_answers.c */
HANDLER(op_service_called);                  /* services/calls.c */
struct machines_done { size_t count; };      /* what the two below give out: api_machines_done */
HANDLER(op_agents_absent);                   /* absence.c */
HANDLER(op_fence_instances);

#endif
