/* kind_forms.h: forms of a request that ECS refuses and that Berth accepts, put into ECS's form before the schema sees
 * them. No request that ECS accepts changes its meaning. With --strict-aws, every form of a GPU requirement that only it
 * understands is refused here. Pure; private to api/. */
#ifndef BERTH_API_CORE_KIND_FORMS_H
#define BERTH_API_CORE_KIND_FORMS_H

#include "api/core/context.h"

/* RegisterTaskDefinition, RunTask and StartTask know two such forms. That of a GPU in some tutorials:
 *     {"type":"gpu","count":1,"capabilities":["compute"]}
 * is read as {"type":"GPU","value":"1"}, and the capabilities go into NVIDIA_DRIVER_CAPABILITIES of that container's
 * environment unless it is set there. A GPU that is shared by NVIDIA's MPS, as ECS's agents know it and its published API does not,
 *     {"type":"GPU","value":"1","sharingStrategy":{"nvidiaMps":{"memory":4096,"maxComputePercent":25}}}
 * is read as a part of a GPU, {"type":"GPU","value":"0.25"} and {"type":"GPU_MEMORY","value":"4096"}.
 *
 * Returns the request in ECS's form, in `arena`: the same tree when nothing was to be done. *warning then stays absent; otherwise it is one line of text for
 * the caller. NULL and ERR_CLIENT when `strict` is set and the
 * request has such a form, a share of a GPU or memory of one, or when a capability is none of NVIDIA's. */
const struct json *kind_forms_read(const struct schema *input, const struct json *request, bool strict, struct arena *arena,
                                   struct str *warning, struct err *err);

#endif
