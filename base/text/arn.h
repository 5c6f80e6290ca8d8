/* arn.h: Amazon Resource Names, `arn:partition:service:region:account:resource`. Parsing borrows from the text. */
#ifndef BERTH_BASE_TEXT_ARN_H
#define BERTH_BASE_TEXT_ARN_H

#include "base/str.h"

struct arn { struct str partition, service, region, account, resource; };

bool arn_looks_like(struct str text);                 /* begins with "arn:" */
bool arn_parse(struct str text, struct arn *arn);     /* false: fewer than six parts, or an empty partition, service or resource */

#endif
