/* UpdateCluster, UpdateClusterSettings, PutClusterCapacityProviders: a given member replaces, an absent one stays. */
#include "tests/unit/api/machines.h"

#define NO_CLUSTER "ClusterNotFoundException: Cluster not found."
#define PROVIDERS(providers, strategy) "{\"cluster\":\"default\",\"capacityProviders\":[" providers "],\"defaultCapacityProviderStrategy\":[" strategy "]}"
#define NO_PROVIDER "ClientException: The specified capacity provider does not exist. Specify a valid name or ARN and try again."
#define NO_WEIGHT \
    "InvalidParameterException: There are no capacity providers with a weight value greater than zero defined in the default capacity " \
    "provider strategy. At least one capacity provider must have a weight value greater than zero specified. Update the cluster's " \
    "default capacity provider strategy or specify a valid capacity provider strategy and try again."
#define SETTING(value) "\"settings\":[{\"name\":\"containerInsights\",\"value\":\"" value "\"}]"

static struct str shown(struct api_fixture *f, const char *path)
{
    struct str reply = fixture_call(f, "DescribeClusters", "{\"include\":[\"SETTINGS\",\"CONFIGURATIONS\"]}");
    return fixture_at(f, reply, text(f, "clusters[0].%s", path));
}

static void test_update(struct api_fixture *f)
{
    struct str reply = fixture_call(f, "UpdateCluster", "{\"cluster\":\"default\"," SETTING("enabled") "}");
    CHECK_STR("the reply shows it", fixture_at(f, reply, "cluster.settings[0].value"), STR("enabled"));
    CHECK_STR("with its attachments", fixture_at(f, reply, "cluster.attachments"), STR("[]"));
    (void)fixture_call(f, "UpdateCluster", "{\"cluster\":\"arn:aws:ecs:us-east-1:123456789012:cluster/default\",\"configuration\":"
                                           "{\"executeCommandConfiguration\":{\"logging\":\"NONE\"}}}");
    CHECK_EQ("by ARN", f->code, ERR_NONE);
    CHECK_STR("the configuration", shown(f, "configuration.executeCommandConfiguration.logging"), STR("NONE"));
    CHECK_STR("and the settings of before", shown(f, "settings[0].value"), STR("enabled"));

    reply = fixture_call(f, "UpdateCluster", "{\"cluster\":\"default\",\"configuration\":{\"executeCommandConfiguration\":{\"logging\":\"NONE\","
                         "\"logConfiguration\":{\"s3BucketName\":\"b\"}}}}");
    CHECK_STR("where to log, though it is not asked for, is kept",
              fixture_at(f, reply, "cluster.configuration.executeCommandConfiguration.logConfiguration.s3BucketName"), STR("b"));
    (void)fixture_call(f, "UpdateCluster", "{\"cluster\":\"default\",\"serviceConnectDefaults\":{\"namespace\":\"n\"}}");
    CHECK_STR("a namespace", shown(f, "serviceConnectDefaults.namespace"), STR("n"));
    (void)fixture_call(f, "UpdateCluster", "{\"cluster\":\"default\"}");
    CHECK_STR("stays when nothing is said", shown(f, "serviceConnectDefaults.namespace"), STR("n"));
    (void)fixture_call(f, "UpdateCluster", "{\"cluster\":\"default\",\"serviceConnectDefaults\":{\"namespace\":\"\"}}");
    CHECK("an empty one takes it away", !str_is_set(shown(f, "serviceConnectDefaults")));

    (void)fixture_call(f, "UpdateClusterSettings", "{\"cluster\":\"default\"," SETTING("enhanced") "}");
    CHECK_STR("settings alone", shown(f, "settings[0].value"), STR("enhanced"));
    CHECK_STR("leave the configuration", shown(f, "configuration.executeCommandConfiguration.logging"), STR("NONE"));
    reply = fixture_call(f, "PutClusterCapacityProviders", PROVIDERS("", ""));
    CHECK_STR("no providers", fixture_at(f, reply, "cluster.capacityProviders"), STR("[]"));
    CHECK_STR("no strategy", fixture_at(f, reply, "cluster.defaultCapacityProviderStrategy"), STR("[]"));
    CHECK_STR("nothing else changes", shown(f, "settings[0].value"), STR("enhanced"));
}

static void test_refusals(struct api_fixture *f)
{
    static const struct { const char *row, *operation, *body, *want; } rows[] = {
        { "an unknown cluster", "UpdateCluster", "{\"cluster\":\"nowhere\"}", NO_CLUSTER },
        { "an unknown cluster", "UpdateClusterSettings", "{\"cluster\":\"nowhere\"," SETTING("enabled") "}", NO_CLUSTER },
        { "an unknown cluster", "PutClusterCapacityProviders",
          "{\"cluster\":\"nowhere\",\"capacityProviders\":[],\"defaultCapacityProviderStrategy\":[]}", NO_CLUSTER },
        { "a deleted cluster", "UpdateCluster", "{\"cluster\":\"gone\"}", NO_CLUSTER },
        { "no cluster", "UpdateCluster", "{}", "InvalidParameterException: cluster can not be blank." },
        { "no settings", "UpdateClusterSettings", "{\"cluster\":\"default\"}", "InvalidParameterException: settings can not be blank." },
        { "empty settings", "UpdateClusterSettings", "{\"cluster\":\"default\",\"settings\":[]}",
          "InvalidParameterException: settings can not be blank." },
        { "a wrong value", "UpdateClusterSettings", "{\"cluster\":\"default\"," SETTING("on") "}",
          "InvalidParameterException: Invalid cluster setting: settings[0] must be containerInsights with the value enabled, disabled or enhanced." },
        { "a wrong value", "UpdateCluster", "{\"cluster\":\"default\"," SETTING("") "}",
          "InvalidParameterException: Invalid cluster setting: settings[0] must be containerInsights with the value enabled, disabled or enhanced." },
        { "an unknown setting", "UpdateCluster", "{\"cluster\":\"default\",\"settings\":[{\"name\":\"x\",\"value\":\"enabled\"}]}",
          "InvalidParameterException: settings[0].name should be one of [containerInsights], but was 'x'." },
        { "half a configuration", "UpdateCluster",
          "{\"cluster\":\"default\",\"configuration\":{\"executeCommandConfiguration\":{\"logging\":\"OVERRIDE\"}}}",
          "InvalidParameterException: executeCommandConfiguration.logConfiguration must be given when logging is OVERRIDE." },
        { "no lists", "PutClusterCapacityProviders", "{\"cluster\":\"default\"}", "InvalidParameterException: capacityProviders can not be blank." },
        { "a provider", "PutClusterCapacityProviders", PROVIDERS("\"p\"", ""), NO_PROVIDER },
        { "unknown", "PutClusterCapacityProviders", PROVIDERS("\"nope\"", "{\"capacityProvider\":\"nope\",\"weight\":1}"), NO_PROVIDER },
        { "a strategy beside the providers", "PutClusterCapacityProviders", PROVIDERS("\"p\"", "{\"capacityProvider\":\"q\",\"weight\":1}"),
          NO_PROVIDER },
        { "no weight", "PutClusterCapacityProviders", PROVIDERS("\"p\"", "{\"capacityProvider\":\"p\",\"weight\":0}"), NO_WEIGHT },
        { "one base", "PutClusterCapacityProviders",
          PROVIDERS("\"p\",\"q\"", "{\"capacityProvider\":\"p\",\"weight\":1,\"base\":1},{\"capacityProvider\":\"q\",\"weight\":1}"), NO_PROVIDER },
        { "two bases", "PutClusterCapacityProviders",
          PROVIDERS("\"p\",\"q\"", "{\"capacityProvider\":\"p\",\"weight\":1,\"base\":1},{\"capacityProvider\":\"q\",\"base\":1}"),
          "InvalidParameterException: Only one capacity provider in a capacity provider strategy can have a base." },
        { "too much weight", "PutClusterCapacityProviders", PROVIDERS("\"p\"", "{\"capacityProvider\":\"p\",\"weight\":1001}"),
          "InvalidParameterException: defaultCapacityProviderStrategy[0].weight should be between 0 and 1000, but was 1001." },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) { fixture_check(f, rows[r].row, rows[r].operation, rows[r].body, rows[r].want); }
}

/* A number of providers, and a strategy of a number of items over them. */
static const char *many(struct api_fixture *f, int providers, int items)
{
    struct buf body = buf_in(&f->kept);
    buf_put(&body, STR("{\"cluster\":\"default\",\"capacityProviders\":["));
    for (int p = 0; p < providers; p++) { buf_printf(&body, "%s\"p%d\"", p == 0 ? "" : ",", p); }
    buf_put(&body, STR("],\"defaultCapacityProviderStrategy\":["));
    for (int i = 0; i < items; i++) { buf_printf(&body, "%s{\"capacityProvider\":\"p0\",\"weight\":1}", i == 0 ? "" : ","); }
    buf_put(&body, STR("]}"));
    return arena_cstr(&f->kept, buf_str(&body));
}

static void test_limits(struct api_fixture *f)
{
    fixture_check(f, "twenty providers", "PutClusterCapacityProviders", many(f, 20, 0), NO_PROVIDER);
    fixture_check(f, "one more", "PutClusterCapacityProviders", many(f, 21, 0),
                  "InvalidParameterException: The maximum number of capacity providers per cluster has been exceeded.");
    fixture_check(f, "twenty items", "PutClusterCapacityProviders", many(f, 1, 20), NO_PROVIDER);
    fixture_check(f, "one more", "PutClusterCapacityProviders", many(f, 1, 21),
                  "InvalidParameterException: defaultCapacityProviderStrategy should have between 0 and 20 items, but had 21.");
}

int main(void)
{
    struct api_fixture f;
    cluster_open(&f);
    (void)fixture_call(&f, "CreateCluster", "{\"clusterName\":\"gone\"}");
    (void)fixture_call(&f, "DeleteCluster", "{\"cluster\":\"gone\"}");
    test_update(&f);
    test_refusals(&f);
    test_limits(&f);
    fixture_close(&f);
    return check_report();
}
