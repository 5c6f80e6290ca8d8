/* check_volumes.c: the rules for the volumes of a definition. */
#include "api/definitions/rules.h"

static bool check_name(const struct task_definition *def, size_t index, struct err *err)
{
    struct str name = def->volumes.items[index].name;
    if (name.len == 0) { return err_set(err, ERR_CLIENT, "Volume.name should not be null or empty."); }
    if (!names_is_valid(name)) { return err_set(err, ERR_CLIENT, "Volume.name contains invalid characters."); }
    for (size_t before = 0; before < index; before++) {
        if (str_eq(def->volumes.items[before].name, name)) {
            return err_set(err, ERR_CLIENT, "Volume.name should be unique: '" STR_FMT "' is given twice.", STR_ARG(name));
        }
    }
    return true;
}

static size_t configurations(const struct volume *volume)
{
    return (size_t)(volume->host != NULL) + (volume->docker_volume_configuration != NULL)
        + (volume->efs_volume_configuration != NULL) + (volume->s3files_volume_configuration != NULL)
        + (volume->fsx_windows_file_server_volume_configuration != NULL);
}

/* A host without a path says nothing: the CLI's examples carry an empty one beside other configurations. */
static bool host_is_empty(const struct volume *volume)
{
    return volume->host != NULL && !str_is_set(volume->host->source_path);
}

static bool check_kind(const struct volume *volume, struct err *err)
{
    size_t count = configurations(volume) - (host_is_empty(volume) ? 1 : 0);
    if (count > 1) {
        return err_set(err, ERR_CLIENT, "Volume '" STR_FMT "' can have only one configuration.", STR_ARG(volume->name));
    }
    if (volume->configured_at_launch == OPT_TRUE && count > 0) {
        return err_set(err, ERR_CLIENT, "Volume '" STR_FMT "' is configured at launch and can have no configuration here.",
                       STR_ARG(volume->name));
    }
    const struct docker_volume_configuration *docker = volume->docker_volume_configuration;
    if (docker != NULL && docker->autoprovision != OPT_UNSET && docker->scope != SCOPE_SHARED) {
        return err_set(err, ERR_CLIENT, "Volume '" STR_FMT "': autoprovision can be given only when scope is shared.",
                       STR_ARG(volume->name));
    }
    return true;
}

bool taskdef_check_volumes(const struct task_definition *def, struct err *err)
{
    size_t at_launch = 0;
    for (size_t v = 0; v < def->volumes.count; v++) {
        const struct volume *volume = &def->volumes.items[v];
        if (!check_name(def, v, err) || !check_kind(volume, err)) { return false; }
        if (volume->configured_at_launch == OPT_TRUE) { at_launch++; }
    }
    if (at_launch > 1) {
        return err_set(err, ERR_CLIENT, "Only one volume of a task definition can be configured at launch.");
    }
    return true;
}
