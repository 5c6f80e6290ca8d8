/* service_rollouts.h: an update of a service with a strategy that shifts traffic, and its newest service deployment. */
#ifndef BERTH_TESTS_SERVICE_ROLLOUTS_H
#define BERTH_TESTS_SERVICE_ROLLOUTS_H

#include "tests/unit/api/service_lives.h"
#include "tests/unit/api/traffic.h"

#define CLOUDWATCH(name) "GraniteServiceVersion20100801." name

static inline void put_alarms(struct api_fixture *f)
{
    static const char *const names[] = { "quiet", "errors" };
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        (void)fixture_call(f, CLOUDWATCH("PutMetricAlarm"),
                           text(f, "{\"AlarmName\":\"%s\",\"Namespace\":\"App\",\"MetricName\":\"Errors\",\"Statistic\":\"Sum\",\"Period\":60,"
                                "\"ComparisonOperator\":\"GreaterThanThreshold\",\"EvaluationPeriods\":1,\"Threshold\":0}", names[n]));
        CHECK_EQ(names[n], f->code, ERR_NONE);
    }
}

/* A member of the newest service deployment of "web". */
static inline const char *act_at(struct api_fixture *f, const char *path)
{
    struct str acts = fixture_call(f, "ListServiceDeployments", OF_WEB(""));
    struct str act = fixture_call(f, "DescribeServiceDeployments", text(f, "{\"serviceDeploymentArns\":[\"%s\"]}", at(f, acts, "serviceDeployments[0].serviceDeploymentArn")));
    return at(f, act, text(f, "serviceDeployments[0].%s", path));
}

/* "IN_PROGRESS BAKE_TIME 10.0/90.0 0.0/100.0": the status, the stage, and the parts of green and blue of the production and the test traffic. */
static inline const char *rollout(struct api_fixture *f)
{
    static const char *const paths[] = {
        "targetServiceRevision.requestedProductionTrafficWeight", "sourceServiceRevisions[0].requestedProductionTrafficWeight",
        "targetServiceRevision.requestedTestTrafficWeight", "sourceServiceRevisions[0].requestedTestTrafficWeight",
    };
    double weights[COUNT_OF(paths)];
    for (size_t p = 0; p < COUNT_OF(paths); p++) { weights[p] = strtod(act_at(f, paths[p]), NULL); }
    return text(f, "%s %s %.1f/%.1f %.1f/%.1f", act_at(f, "status"), act_at(f, "lifecycleStage"), weights[0], weights[1], weights[2], weights[3]);
}

#define STRATEGY(members) ",\"deploymentConfiguration\":{" members "}"
#define BLUE_GREEN(more) STRATEGY("\"strategy\":\"BLUE_GREEN\",\"bakeTimeInMinutes\":5" more)
#define TEST_RULE ",\"loadBalancers\":[{\"targetGroupArn\":\"" GROUP("t") "\",\"containerName\":\"main\",\"containerPort\":80," \
    "\"advancedConfiguration\":{\"productionListenerRule\":\"" RULE("3") "\",\"testListenerRule\":\"" RULE("4") "\"}}]"

/* "web" runs a:1, and an update to a:3 has begun, which has a port. */
static inline void rollout_open(struct api_fixture *f, const char *members)
{
    life_open(f);
    define(f, "a", ",\"portMappings\":[{\"containerPort\":80}]", "");
    group_add(f, "t", "0", false);
    addresses_add(f);
    rule_add(f, "3", GROUP("t"));
    rule_add(f, "4", GROUP("t"));
    put_alarms(f);
    create(f, WEB(""));
    pass(f, 41);
    update(f, text(f, OF_WEB(",\"taskDefinition\":\"a:3\"%s"), members));
    settle(f);
}

#endif
