/* support.h: what the handlers share: finding a cluster, effects, tags, pages and tokens, and the views. Private to api/. */
#ifndef BERTH_API_CORE_SUPPORT_H
#define BERTH_API_CORE_SUPPORT_H

#include "api/core/context.h"

/* api.c: the body of a request by the row's schema, checked; the part of api_prepare that asks nobody's name. */
bool api_decode(const struct api_config *config, const struct operation *row, struct str body, struct arena *arena, struct api_call *call,
                struct err *err);

/* support.c: the cluster that a request names ("default" when it names none). NULL and ERR_CLUSTER_NOT_FOUND when it does not
 * exist or is INACTIVE; ERR_ACCESS_DENIED for a caller that is bound to another one. */
const struct cluster *support_cluster(struct op_ctx *ctx, struct str reference, struct err *err);
/* The same, but one that was deleted is found too: its tasks are still remembered. */
const struct cluster *support_cluster_ever(struct op_ctx *ctx, struct str reference, struct err *err);
/* support_cluster, and the store's getters, for calls that ask for one record again and again and change none of its kind: the last is kept. */
const struct cluster *support_kept_cluster(struct op_ctx *ctx, struct str reference, struct err *err);
const struct cluster *support_kept_cluster_by_number(struct op_ctx *ctx, int64_t number);
const struct taskdef *support_kept_taskdef(struct op_ctx *ctx, const struct task *task);
const struct instance *support_kept_instance(struct op_ctx *ctx, struct id id);
/* The instance that a report names by its references, if the caller's key may act for it. NULL and *err: it may not, or it is not there. */
const struct instance *support_find_reporter(struct op_ctx *ctx, struct str cluster, struct str instance, struct err *err);
/* The definition of a reference, in any status; for a family the latest that is ACTIVE. *taskdef NULL: it is not there. */
bool   support_find_taskdef(struct op_ctx *ctx, struct str reference, const struct taskdef **taskdef, struct err *err);
void   support_effect(struct op_ctx *ctx, enum effect_kind kind, struct id instance);
void   support_call(struct op_ctx *ctx, const struct service_call *call);      /* an effect; copied */
void   support_provision(struct op_ctx *ctx, const struct provision_call *call);      /* an effect; copied */
void   support_line(struct op_ctx *ctx, struct str text);                      /* an effect; copied */
void   support_hand_on(struct op_ctx *ctx, const struct effect_list *effects);  /* copied from a context with a separate arena */
/* `run` for the live tasks of an instance, `limit` of them at most, each with its own arena, which is emptied after it: a machine may have
 * more tasks than the request has memory. It keeps nothing of its context; its effects are handed on. Returns how many there are. */
typedef void support_task_run(struct op_ctx *one, struct id task, const void *given);
size_t support_each_task(struct op_ctx *ctx, struct id instance, size_t limit, support_task_run *run, const void *given);
size_t support_page_limit(struct opt_int max_results);                        /* 1..100, 100 when unset */
struct str support_caller_arn(struct op_ctx *ctx);                            /* arn:aws:iam::ACCT:user/NAME */
struct str support_instance_name(const struct instance *instance, struct arena *arena);   /* instance_name, for as long as both live */
/* A request as one number, to compare it with a later one that has the same clientToken: the caller clears the token and what else need not be equal.
 * A client compares with its own requests alone, so chance is all that the number must withstand. */
int64_t support_request_hash(const struct schema *schema, const void *request, struct arena *arena);
bool    support_check_token(struct str token, struct err *err);                /* a clientToken; ERR_INVALID_PARAMETER */
/* Keys, values, number, no key twice, and of Berth's own tags ("berth:…") those alone that mean something on this kind of resource. */
enum { TAGS_MAX = 50 };
enum tagged { TAGGED_CLUSTER = 1, TAGGED_DEFINITION = 2, TAGGED_TASK = 4, TAGGED_SERVICE = 8, TAGGED_OTHER = 16, TAGGED_PROVIDER = 32, TAGGED_ANY = 63 };
bool   support_check_tags(const struct tag_list *tags, enum tagged on, struct err *err);
/* Replaces *tags by a list without those of the keys, and with the additions, which replace tags of their keys. Both may be NULL. */
void   support_change_tags(struct op_ctx *ctx, struct tag_list *tags, const struct tag_list *added, const struct str_list *removed);

/* sts.c: ids of IAM begin with AIDA (users), AROA (roles) or AIPA (instance profiles), and hold 16 letters and digits more. A name always has the same. */
struct str sts_iam_id(struct str prefix, struct str name, struct arena *arena);

/* registration.c: a name that agents and the server give, "ecs.…"; all others are custom. */
bool   support_attribute_is_built_in(struct str name);
/* Reads from an EC2 identity document, as ECS does, the instance's id, and up to SUPPORT_IDENTITY_FACTS attributes that it does not have yet, for
 * which its list has room. A text that is no such document says nothing. Borrows from the document and `arena`. */
enum { SUPPORT_IDENTITY_FACTS = 4 };
void   support_read_identity(struct str document, struct instance *instance, struct arena *arena);
/* Forgets the token that a registration was made with: a registration that repeats it is a new machine from now on. */
void   support_forget_registration(struct op_ctx *ctx, const struct instance *instance);

/* paging.c: tokens are opaque text that holds where the page ended; a token of another list is refused (ERR_INVALID_PARAMETER).
 * An absent token gives the absent position. `list` is one word, the operation's name. */
struct str paging_token(struct op_ctx *ctx, struct str list, struct str position);
bool       paging_position(struct op_ctx *ctx, struct str list, struct str token, struct str *position, struct err *err);
bool       paging_id(struct op_ctx *ctx, struct str list, struct str token, struct id *position, struct err *err);       /* that is an id; zero: absent */

/* view_*.c: records → what ECS shows. */
struct cluster_view    *view_cluster(struct op_ctx *ctx, const struct cluster *cluster);              /* counts filled in; [] lists */
struct task_definition *view_taskdef(struct op_ctx *ctx, const struct taskdef *taskdef);
struct task_view       *view_task(struct op_ctx *ctx, const struct cluster *cluster, const struct task *task, bool with_tags);
struct instance_view   *view_instance(struct op_ctx *ctx, const struct cluster *cluster, const struct instance *instance, bool with_tags);
struct task_set        *view_task_set(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service,
                                      const struct kept_deployment *set, bool with_tags);
struct service_view    *view_service(struct op_ctx *ctx, const struct cluster *cluster, const struct service *service, bool with_tags);

#endif
