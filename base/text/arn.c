/* arn.c: cutting a resource name at its first five colons. */
#include "base/text/arn.h"

bool arn_looks_like(struct str text)
{
    return str_starts_with(text, STR("arn:"));
}

bool arn_parse(struct str text, struct arn *arn)
{
    struct str prefix, rest;
    struct arn read;
    bool whole = str_cut(text, ':', &prefix, &rest) && str_eq(prefix, STR("arn"))
        && str_cut(rest, ':', &read.partition, &rest)
        && str_cut(rest, ':', &read.service, &rest)
        && str_cut(rest, ':', &read.region, &rest)
        && str_cut(rest, ':', &read.account, &read.resource);     /* a resource may hold further colons */
    if (!whole || read.partition.len == 0 || read.service.len == 0 || read.resource.len == 0) { return false; }
    *arn = read;
    return true;
}
