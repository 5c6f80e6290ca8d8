/* rules.h: what the tags of a capacity provider ask for its machines. docs/capacity.md has the tags. Private to api/. */
#ifndef BERTH_API_CAPACITY_RULES_H
#define BERTH_API_CAPACITY_RULES_H

#include "api/core/support.h"
#include "scheduler/scaling/replace.h"

struct pool_rules {
    struct replace_rules replace;
    int64_t price_max;                       /* an hour, of all its machines, in millionths of a dollar; 0: no limit */
    bool asks;                               /* a person allows each order */
    bool proves;                             /* a machine registers with the token of its order only */
    bool adopts;                             /* machines that the provisioner has and Berth did not order become its own */
    bool sleeps;                             /* a machine that leaves is suspended instead of ended */
};

/* `given` as for all tags (support_check_tags), and the values of Berth's own in `all`, which the provider would have. ERR_INVALID_PARAMETER. */
MUST_USE bool rules_check_tags(const struct tag_list *given, const struct tag_list *all, struct err *err);
/* NULL: there is no provider, and no rules. A value that can't be counts as none. */
struct pool_rules rules_of(const struct kept_provider *provider);
/* "0.75", in millionths of a dollar. False: it is no price. */
MUST_USE bool rules_read_price(struct str text, int64_t *price);

#endif
