/* cli.h: the subcommands of berth. Each takes its settings, runs, and gives the exit status; *err has a sentence for the
 * user if the status is not 0. */
#ifndef BERTH_CLI_CLI_H
#define BERTH_CLI_CLI_H

#include "cli/settings/config.h"

int cli_dev(const struct config *config, struct arena *arena, struct err *err);         /* commands/dev.c */
int cli_server(const struct config *config, struct arena *arena, struct err *err);      /* run.c */
int cli_agent(const struct config *config, struct arena *arena, struct err *err);       /* run.c */
int cli_tls(const struct config *config, struct arena *arena, struct err *err);         /* commands/tls.c */
int cli_logs(const struct config *config, struct arena *arena, struct err *err);        /* commands/logs.c */
int cli_exec(const struct config *config, struct arena *arena, struct err *err);        /* commands/exec.c */
int cli_history(const struct config *config, struct arena *arena, struct err *err);     /* commands/history.c */

int cli_idle(const struct config *config, struct arena *arena, struct err *err);        /* commands/usage.c */
int cli_usage(const struct config *config, struct arena *arena, struct err *err);       /* commands/usage.c */
int cli_what_if(const struct config *config, struct arena *arena, struct err *err);     /* commands/questions.c */
int cli_what_if_drain(const struct config *config, struct arena *arena, struct err *err);   /* commands/drain.c: a part of `berth whatif` */
int cli_why(const struct config *config, struct arena *arena, struct err *err);
int cli_services(const struct config *config, struct arena *arena, struct err *err);    /* commands/services.c */
int cli_deploy(const struct config *config, struct arena *arena, struct err *err);      /* commands/deploy.c */
int cli_watch(const struct config *config, struct arena *arena, struct err *err);       /* commands/watch.c */
int cli_gpu(const struct config *config, struct arena *arena, struct err *err);         /* commands/gpu.c */
int cli_top(const struct config *config, struct arena *arena, struct err *err);         /* commands/top.c */
int cli_feed(const struct config *config, struct arena *arena, struct err *err);        /* commands/feed.c */
const char *cli_feed_name(const char *given, const char *kind, struct arena *arena);    /* `given`, or if it is NULL, made of the kind and the host */
int cli_ingress(const struct config *config, struct arena *arena, struct err *err);     /* commands/ingress.c */
struct ingress_settings;
/* commands/ingress.c: those that are settings of the command. */
void cli_ingress_settings(const struct config *config, struct ingress_settings *settings, struct arena *arena);
int cli_keys(const struct config *config, struct arena *arena, struct err *err);        /* commands/keys.c */
int cli_doctor(const struct config *config, struct arena *arena, struct err *err);      /* doctor/doctor.c */
int cli_check(const struct config *config, struct arena *arena, struct err *err);       /* commands/check.c */
/* commands/check.c: fills *report with the broken invariants of the store in `dir`, which `txn` reads, and of its secrets' encryption. False and *err:
 * the store can't be read to its end, or secrets.key can't be read. */
struct store_txn;
struct check_report;
MUST_USE bool cli_check_data(const char *dir, struct store_txn *txn, struct check_report *report, struct err *err);
struct finding_list;
/* doctor/agents.c: checks the machines' agents, by their records in a store. Texts live in `arena`. */
void cli_doctor_agents(struct store_txn *txn, struct finding_list *findings, struct arena *arena);
/* Inside the doctor: etcd and the servers of --ha. */
void cli_doctor_servers(const struct config *config, struct finding_list *findings, struct arena *arena);
int cli_ha(const struct config *config, struct arena *arena, struct err *err);
int cli_queue(const struct config *config, struct arena *arena, struct err *err);
int cli_capacity(const struct config *config, struct arena *arena, struct err *err);    /* commands/capacity.c */
int cli_headroom(const struct config *config, struct arena *arena, struct err *err);

/* commands/logs.c: the server that --server names, asked with the keys of the usual AWS environment. Texts live in `arena`. */
struct remote;
struct buf;
bool cli_remote(const struct config *config, struct remote *remote, struct arena *arena, struct err *err);
bool cli_remote_at(const struct config *config, const char *url, struct remote *remote, struct arena *arena, struct err *err);
void cli_put_encoded(struct buf *path, const char *text);                               /* as a value in a query */

bool cli_check_ca(const char *ca_file, struct err *err);                                /* run.c: can it be read? NULL: yes */

/* SIGINT and SIGTERM are blocked in every thread from here on; only cli_wait_for_stop receives them. False and *err: there was no signal, but the
 * server can't continue. */
struct server;
void cli_hold_signals(void);
MUST_USE bool cli_wait_for_stop(struct server *server, struct err *err);

const char *cli_split_address(const char *address, int *port, struct arena *arena);         /* of HOST:PORT, which is checked: the host */

/* The arguments of server_start and agent_run, from the settings. Texts are borrowed from the configuration or live in `arena`. */
struct server_config;
struct agent_config;
bool cli_server_config(const struct config *config, struct server_config *server, struct arena *arena, struct err *err);
void cli_agent_config(const struct config *config, struct agent_config *agent);

#endif
