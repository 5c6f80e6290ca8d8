#include "model/secret_ref.h"

#include "base/text/arn.h"

enum { REF_LEN_MAX = 2048 };

static struct str set_or_absent(struct str text) { return text.len > 0 ? text : (struct str){ NULL, 0 }; }

/* "secret:NAME" or "secret:NAME:KEY:STAGE:ID": all three or none, as the ECS agent has it. */
static bool read_secret(struct str text, struct str resource, struct secret_ref *ref, struct err *err)
{
    struct str word, name, rest, parts[3] = { { NULL, 0 }, { NULL, 0 }, { NULL, 0 } };
    bool good = str_cut(resource, ':', &word, &rest) && str_eq(word, STR("secret"));
    bool more = str_cut(rest, ':', &name, &rest);
    size_t tail = 0;                                             /* bytes of what follows the name */
    if (good && more) {
        tail = rest.len + 1;
        good = str_cut(rest, ':', &parts[0], &rest) && str_cut(rest, ':', &parts[1], &parts[2]) && str_find(parts[2], ':') == parts[2].len;
    }
    if (!good || name.len == 0) {
        return err_set(err, ERR_INVALID_PARAMETER, "\"" STR_FMT "\" is no ARN of a secret: one ends in secret:NAME or in"
                       " secret:NAME:JSON-KEY:VERSION-STAGE:VERSION-ID, where each of the last three may be empty.",
                       STR_ARG(str_slice(text, 0, 300)));
    }
    *ref = (struct secret_ref){
        .kind = SECRET_OF_ASM, .id = str_slice(text, 0, text.len - tail), .json_key = set_or_absent(parts[0]),
        .version_stage = set_or_absent(parts[1]), .version_id = set_or_absent(parts[2]),
    };
    return true;
}

bool secret_ref_parse(struct str text, enum secret_kind bare, struct secret_ref *ref, struct err *err)
{
    struct arn arn;
    *ref = (struct secret_ref){ .kind = bare, .id = text };
    if (text.len == 0 || text.len > REF_LEN_MAX || str_find(text, '\0') < text.len) {
        return err_set(err, ERR_INVALID_PARAMETER, "A reference to a secret has 1 to %d characters.", REF_LEN_MAX);
    }
    if (!arn_looks_like(text)) { return true; }
    if (arn_parse(text, &arn) && str_eq(arn.service, STR("secretsmanager"))) { return read_secret(text, arn.resource, ref, err); }
    ref->kind = SECRET_OF_SSM;
    return (arn_parse(text, &arn) && str_eq(arn.service, STR("ssm")) && str_starts_with(arn.resource, STR("parameter/"))
            && arn.resource.len > strlen("parameter/"))
        || err_set(err, ERR_INVALID_PARAMETER, "\"" STR_FMT "\" is the ARN of neither a secret of Secrets Manager nor a parameter of SSM.",
                   STR_ARG(str_slice(text, 0, 300)));
}
