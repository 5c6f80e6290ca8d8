/* names.h: ARNs of Berth's nouns, and the reading of what callers give as a reference (name, id or ARN). Knows the ARN
 * forms of ECS; refuses to know whether a thing exists. */
#ifndef BERTH_MODEL_NAMES_H
#define BERTH_MODEL_NAMES_H

#include "base/arena.h"
#include "base/err.h"
#include "base/id.h"

struct names { struct str region, account; };        /* parts of every ARN; borrowed for the life of the process */

/* The beginnings of ARNs in a cluster, for replies with many of them: an id follows. */
struct stems { struct str task, instance, container; };
struct stems names_stems(const struct names *names, struct str cluster, struct arena *arena);
struct str   names_behind(struct str stem, struct id id, struct arena *arena);
struct str  *names_many_behind(struct str stem, const struct id *ids, size_t count, struct arena *arena);        /* one an id */
struct str   names_container_behind(struct str stem, struct id task, size_t index, struct arena *arena);

struct str names_cluster_arn(const struct names *names, struct str cluster, struct arena *arena);
struct str names_instance_arn(const struct names *names, struct str cluster, struct id id, struct arena *arena);
struct str names_task_arn(const struct names *names, struct str cluster, struct id id, struct arena *arena);
struct str names_container_arn(const struct names *names, struct str cluster, struct id task, size_t index, struct arena *arena);
/* The network interface of a task that has its own. The API shows the id alone. */
struct str names_attachment_id(struct id task, struct arena *arena);
struct str names_attachment_arn(const struct names *names, struct id task, struct arena *arena);
struct str names_taskdef_arn(const struct names *names, struct str family, int64_t revision, struct arena *arena);
struct str names_daemon_taskdef_arn(const struct names *names, struct str family, int64_t revision, struct arena *arena);

/* ---- services ---- */

/* The digits that a deployment (or task set) and its revision share: positive, 63 bits. Those of one service grow: `last` is its last one, 0: none. */
static inline int64_t names_digits(int64_t now_ms, uint64_t chance, int64_t last)
{
    int64_t digits = (now_ms & 0x7FFFFFFFFFF) << 20 | (int64_t)(chance & 0xFFFFF);
    return digits > last ? digits : last + 1;
}
/* A service deployment's id is shown as 21 letters of 6 bits: the id without its last two bits. */
static inline struct id names_cut_id(struct id id) { id.bytes[sizeof id.bytes - 1] &= 0xFC; return id; }

struct str names_service_arn(const struct names *names, struct str cluster, struct str service, struct arena *arena);
struct str names_deployment_id(int64_t digits, struct arena *arena);                       /* "ecs-svc/" and 19 digits: of a task set, too */
struct str names_task_set_arn(const struct names *names, struct str cluster, struct str service, int64_t digits, struct arena *arena);
struct str names_revision_arn(const struct names *names, struct str cluster, struct str service, int64_t digits, struct arena *arena);
struct str names_service_deployment_arn(const struct names *names, struct str cluster, struct str service, struct id id, struct arena *arena);
/* Managed daemons: their ids are as those of services. */
struct str names_daemon_arn(const struct names *names, struct str cluster, struct str daemon, struct arena *arena);
struct str names_daemon_revision_arn(const struct names *names, struct str cluster, struct str daemon, int64_t digits, struct arena *arena);
struct str names_daemon_deployment_id(struct id id, struct arena *arena);                  /* as startedBy of its tasks: the last part of its ARN */
struct str names_daemon_deployment_arn(const struct names *names, struct str cluster, struct str daemon, struct id id, struct arena *arena);

/* 1 to 255 of letters, digits, '-' and '_': clusters, families, containers, volumes, services. */
bool names_is_valid(struct str name);

/* Begins with http:// or https://: then it can be called only if it has a host, at most NAMES_URL_MAX bytes, and no blank, control character or byte
 * beyond ASCII. */
enum { NAMES_URL_MAX = 2048 };
bool names_is_url(struct str text);
bool names_can_call(struct str url);

/* A name of DNS: 1 to 63 letters, digits and hyphens between dots, no hyphen first or last, and at most NAMES_DNS_MAX bytes in all. */
enum { NAMES_DNS_MAX = 200 };                /* with the zone behind it, DNS allows 253 */
bool names_is_dns(struct str text);
/* The DNS name in a registry's ARN of this region and account, arn:aws:servicediscovery:REGION:ACCOUNT:service/NAME. False also for Cloud Map's ids,
 * "srv-…": they name nothing here. Borrows from the text, as the next one. */
bool names_read_registry(const struct names *names, struct str arn, struct str *name);
/* The DNS name of a namespace of Service Connect, which is a name, or an ARN that ends with namespace/NAME. */
bool names_read_namespace(struct str text, struct str *name);

/* An ARN of another region or account names nothing here: all three refuse it with ERR_INVALID_PARAMETER, "Invalid Region in
 * ARN" as ECS has it. The partition is not checked: a client takes it from the region's name, Berth prints "aws". */

/* The name in a cluster reference (short name or ARN); absent or empty gives "default". ERR_INVALID_PARAMETER when the
 * text can be neither. */
bool names_read_cluster(const struct names *names, struct str reference, struct str *name, struct err *err);

/* The id in a task or instance reference (32 hex digits, UUID with hyphens, or ARN). `kind` is "task" or
 * "container-instance"; an ARN for another cluster than `cluster` is refused in ECS's words ("Invalid identifier: Identifier
 * is for cluster A. Your cluster is B"). */
bool names_read_id(const struct names *names, struct str reference, struct str kind, struct str cluster, struct id *id,
                   struct err *err);

/* family, family:revision or ARN, whose revision may be "*" as well; *revision is 0 when none is given. */
bool names_read_taskdef(const struct names *names, struct str reference, struct str *family, int64_t *revision, struct err *err);
bool names_read_daemon_taskdef(const struct names *names, struct str reference, struct str *family, int64_t *revision, struct err *err);

/* The service in a reference (name or ARN). `cluster` is the request's reference to a cluster: when it is absent, an ARN names the cluster, and
 * a name is of "default". An ARN of another cluster than the request's is ERR_SERVICE_NOT_FOUND. */
struct service_name { struct str cluster, service; };
bool names_read_service(const struct names *names, struct str reference, struct str cluster, struct service_name *name, struct err *err);

/* The digits of a task set (id or ARN) of the service. */
bool names_read_task_set(const struct names *names, struct str reference, const struct service_name *service, int64_t *digits, struct err *err);
/* ARNs that name a service and its revision or service deployment; there is no shorter form. */
bool names_read_revision(const struct names *names, struct str arn, struct service_name *service, int64_t *digits, struct err *err);
bool names_read_service_deployment(const struct names *names, struct str arn, struct service_name *service, struct id *id, struct arena *arena,
                                   struct err *err);
/* ARNs of a daemon, its revision or deployment; there is no shorter form. */
bool names_read_daemon(const struct names *names, struct str arn, struct service_name *daemon, struct err *err);
bool names_read_daemon_revision(const struct names *names, struct str arn, struct service_name *daemon, int64_t *digits, struct err *err);
bool names_read_daemon_deployment(const struct names *names, struct str arn, struct service_name *daemon, struct id *id, struct arena *arena,
                                  struct err *err);

#endif
