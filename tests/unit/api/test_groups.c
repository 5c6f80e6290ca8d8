/* test_groups.c: launch templates and Auto Scaling groups: success, refusals with their codes, both sides of each limit. */
#include "api/amazon/templates.h"
#include "model/capacity.h"
#include "tests/unit/api/forms.h"

/* ---- launch templates ---- */

#define DATA "&LaunchTemplateData."
#define NEEDS "LaunchTemplateData.InstanceRequirements."
#define SERVED DATA "ImageId=ami-1" DATA "UserData=" DATA "SecurityGroupId.1=sg-1" DATA "IamInstanceProfile.Name=p" \
    DATA "TagSpecification.1.ResourceType=instance" DATA "TagSpecification.1.Tag.1.Key=k" DATA "TagSpecification.1.Tag.1.Value=v" \
    "&" NEEDS "VCpuCount.Min=4&" NEEDS "MemoryMiB.Min=1024&" NEEDS "AcceleratorType.1=gpu&" NEEDS "AcceleratorCount.Min=1&" NEEDS "AcceleratorCount.Max=1&" \
    NEEDS "AllowedInstanceType.1=g4dn.xlarge&" NEEDS "AllowedInstanceType.2=g5.*"

static void test_templates(struct api_fixture *f)
{
    const char *id = take(f, "ec2:CreateLaunchTemplate", "LaunchTemplateName=web&ClientToken=t" SERVED, "launchTemplate.launchTemplateId");
    const char *one = TEXT("LaunchTemplateId=%s", id), *again = TEXT("{\"launchTemplate\":{\"launchTemplateId\":\"%s\"", id);
    CHECK("its id", strlen(id) == 20 && memcmp(id, "lt-0", 4) == 0);
    const struct row rows[] = {
        { "the same call again", "ec2:CreateLaunchTemplate", "LaunchTemplateName=web&ClientToken=t" SERVED, again },
        { "another of the name", "ec2:CreateLaunchTemplate", "LaunchTemplateName=web&ClientToken=u" SERVED, "InvalidLaunchTemplateName.AlreadyExistsException: " },
        { "2 characters", "ec2:CreateLaunchTemplate", "LaunchTemplateName=we" SERVED, "InvalidParameterValue: LaunchTemplateName length" },
        { "3 characters", "ec2:CreateLaunchTemplate", "LaunchTemplateName=wex" SERVED, "{" },
        { "a blank", "ec2:CreateLaunchTemplate", "LaunchTemplateName=a+b" SERVED, "InvalidParameterValue: A launch template name must" },
        { "a type beside requirements", "ec2:CreateLaunchTemplate", "LaunchTemplateName=both" SERVED DATA "InstanceType=g5.xlarge",
          "InvalidParameterValue: You can't specify both InstanceType and InstanceRequirements" },
        { "a member that is not kept", "ec2:CreateLaunchTemplate", "LaunchTemplateName=nets" DATA "NetworkInterface.1.DeviceIndex=0" SERVED,
          "UnknownParameter: The parameter LaunchTemplateData.NetworkInterface.1.DeviceIndex is not recognized" },
        { "no data", "ec2:CreateLaunchTemplate", "LaunchTemplateName=none", "InvalidParameterValue: LaunchTemplateData can not be blank." },
        { "without a minimum", "ec2:CreateLaunchTemplate", "LaunchTemplateName=min&" NEEDS "MemoryMiB.Min=1", "InvalidParameterValue: LaunchTemplateData.InstanceRequirements.VCpuCount" },
        { "an unknown word", "ec2:CreateLaunchTemplate", "LaunchTemplateName=word" SERVED "&" NEEDS "AcceleratorType.2=tea", "InvalidParameterValue: " },
        { "shown", "ec2:DescribeLaunchTemplateVersions", TEXT("%s&LaunchTemplateVersion.1=1", one), "*\"launchTemplateData\":{\"iamInstanceProfile\":{\"name\":\"p\"},"
          "\"imageId\":\"ami-1\",\"tagSpecificationSet\":[{\"resourceType\":\"instance\",\"tagSet\":[{\"key\":\"k\",\"value\":\"v\"}]}],\"securityGroupIdSet\":[\"sg-1\"],"
          "\"instanceRequirements\":{\"vCpuCount\":{\"min\":4},\"memoryMiB\":{\"min\":1024},\"acceleratorTypeSet\":[\"gpu\"],\"acceleratorCount\":{\"min\":1,\"max\":1},"
          "\"allowedInstanceTypeSet\":[\"g4dn.xlarge\",\"g5.*\"]}}" },
        { "a second version", "ec2:CreateLaunchTemplateVersion", TEXT("%s&ClientToken=v" DATA "InstanceType=g5.xlarge", one), "*\"versionNumber\":2" },
        { "the same call again", "ec2:CreateLaunchTemplateVersion", TEXT("%s&ClientToken=v" DATA "InstanceType=g5.xlarge", one), "*\"versionNumber\":2" },
        { "a third", "ec2:CreateLaunchTemplateVersion", TEXT("LaunchTemplateName=web" DATA "UserData=eA==" DATA "InstanceType=g5.xlarge"), "*\"versionNumber\":3" },
        { "by id", "ec2:DescribeLaunchTemplates", TEXT("LaunchTemplateId.1=%s", id), "*\"defaultVersionNumber\":1,\"latestVersionNumber\":3" },
        { "by name", "ec2:DescribeLaunchTemplates", "LaunchTemplateName.1=web", TEXT("*%s", id) },
        { "by a filter", "ec2:DescribeLaunchTemplates", "Filter.1.Name=launch-template-name&Filter.1.Value.1=we*", TEXT("*%s", id) },
        { "an unknown id", "ec2:DescribeLaunchTemplates", "LaunchTemplateId.1=lt-x", "InvalidLaunchTemplateId.NotFound: " },
        { "no id", "ec2:DescribeLaunchTemplates", "LaunchTemplateId.1=x", "InvalidLaunchTemplateId.Malformed: " },
        { "an unknown name", "ec2:DescribeLaunchTemplates", "LaunchTemplateName.1=x", "InvalidLaunchTemplateName.NotFoundException: " },
        { "neither", "ec2:DescribeLaunchTemplateVersions", "", "InvalidParameterValue: The request must contain exactly one" },
        { "the latest", "ec2:DescribeLaunchTemplateVersions", TEXT("%s&LaunchTemplateVersion.1=$Latest", one), "*\"userData\":\"eA==\"" },
        { "a page", "ec2:DescribeLaunchTemplateVersions", TEXT("%s&MaxResults=2", one), "*\"nextToken\":\"2\"" },
        { "the next", "ec2:DescribeLaunchTemplateVersions", TEXT("%s&MaxResults=2&NextToken=2", one), "*\"versionNumber\":1" },
        { "of another list", "ec2:DescribeLaunchTemplateVersions", TEXT("%s&NextToken=9", one), "InvalidParameterValue: The nextToken is not valid" },
        { "a fourth", "ec2:DescribeLaunchTemplateVersions", TEXT("%s&LaunchTemplateVersion.1=4", one), "InvalidLaunchTemplateId.VersionNotFound: " },
        { "another default", "ec2:ModifyLaunchTemplate", TEXT("%s&SetDefaultVersion=2", one), "*\"defaultVersionNumber\":2" },
        { "that is not there", "ec2:ModifyLaunchTemplate", TEXT("%s&SetDefaultVersion=4", one), "InvalidLaunchTemplateId.VersionNotFound: " },
        { "is shown", "ec2:DescribeLaunchTemplateVersions", TEXT("%s&LaunchTemplateVersion.1=$Default", one), "*\"versionNumber\":2" },
        { "the default stays", "ec2:DeleteLaunchTemplateVersions", TEXT("%s&LaunchTemplateVersion.1=2", one), "InvalidParameterValue: The default version" },
        { "the latest stays", "ec2:DeleteLaunchTemplateVersions", TEXT("%s&LaunchTemplateVersion.1=3", one), "InvalidParameterValue: The default version" },
        { "the first goes, named twice", "ec2:DeleteLaunchTemplateVersions", TEXT("%s&LaunchTemplateVersion.1=1&LaunchTemplateVersion.2=1", one), "{\"successfullyDeleted" },
        { "gone", "ec2:DeleteLaunchTemplateVersions", TEXT("%s&LaunchTemplateVersion.1=1", one), "InvalidLaunchTemplateId.VersionNotFound: " },
        { "two are left", "ec2:DescribeLaunchTemplateVersions", one, "*\"versionNumber\":2" },
        { "tagged", "ec2:CreateTags", TEXT("ResourceId.1=%s&Tag.1.Key=a&Tag.1.Value=b", id), "{}" },
        { "its tags", "ec2:DescribeLaunchTemplates", TEXT("LaunchTemplateId.1=%s", id), "*\"tagSet\":[{\"key\":\"a\",\"value\":\"b\"}]" },
        { "gone", "ec2:DeleteLaunchTemplate", one, again }, { "gone already", "ec2:DeleteLaunchTemplate", one, "InvalidLaunchTemplateId.NotFound: " },
        { "its name is free", "ec2:CreateLaunchTemplate", "LaunchTemplateName=web" SERVED, "{\"launchTemplate\":{" },
    };
    check_rows(f, rows, COUNT_OF(rows));
    int made = 0;
    f->code = ERR_NONE;
    for (int n = 0; f->code == ERR_NONE; n++, made += f->code == ERR_NONE) {
        (void)fixture_call(f, "ec2:CreateLaunchTemplateVersion", "LaunchTemplateName=wex" DATA "InstanceType=x");
    }
    CHECK_EQ("versions have a limit", f->code, ERR_LIMIT_EXCEEDED);
    CHECK_EQ("with the first one", made, 999);
}

/* {row, user data, cluster} */
static void test_cluster_of_template(struct api_fixture *f)
{
    static const struct { const char *row, *data, *cluster; } rows[] = {
        { "no user data", NULL, "" },
        { "not base64", "*", "" },
        { "nothing of it", "IyEvYmluL3NoCmVjaG8gaGkK", "" },
        { "a line", "IyEvYmluL2Jhc2gKY2F0ID4+IC9ldGMvZWNzL2Vjcy5jb25maWcgPDxYCkVDU19DTFVTVEVSPWdwdS1pbmZlcmVuY2VfMQpFQ1NfTE9HTEVWRUw9aW5mbwpYCg==", "gpu-inference_1" },
        { "echo", "ZWNobyBFQ1NfQ0xVU1RFUj13ZWIgPj4gL2V0Yy9lY3MvZWNzLmNvbmZpZw==", "web" },
        { "in quotes", "ZWNobyAnRUNTX0NMVVNURVI9IndlYiInID4+IGY=", "web" },
        { "the last one", "RUNTX0NMVVNURVI9YQpFQ1NfQ0xVU1RFUj1i", "b" },
        { "at its end", "RUNTX0NMVVNURVI9", "" },
        { "a variable", "RUNTX0NMVVNURVI9JE5BTUUK", "" },
        { "of another name", "TVlfRUNTX0NMVVNURVI9d2ViCg==", "" },
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        const struct launch_template_data data = { .user_data = rows[r].data == NULL ? (struct str){ NULL, 0 } : str_from(rows[r].data) };
        CHECK_STR(rows[r].row, template_cluster(&data, &f->kept), str_from(rows[r].cluster));
    }
    CHECK("no template", !str_is_set(template_cluster(NULL, &f->kept)));
}

/* ---- groups ---- */

#define GROUP_FORM(name, sizes) "AutoScalingGroupName=" name "&VPCZoneIdentifier=subnet-a,subnet-b&LaunchTemplate.LaunchTemplateName=web&LaunchTemplate.Version=$Latest&" sizes
#define NAMED(name) "AutoScalingGroupName=" name
#define ONE_TAG(group, key) "Tags.member.1.ResourceId=" group "&Tags.member.1.ResourceType=auto-scaling-group&Tags.member.1.Key=" key

static void test_groups(struct api_fixture *f)
{
    static const struct row rows[] = {
        { "made", "groups:CreateAutoScalingGroup", GROUP_FORM("g", "MinSize=0&MaxSize=5&DesiredCapacity=1&NewInstancesProtectedFromScaleIn=true&HealthCheckGracePeriod=300&")
          ONE_TAG("g", "Name") "&Tags.member.1.Value=v&Tags.member.1.PropagateAtLaunch=true", "{}" },
        { "again", "groups:CreateAutoScalingGroup", GROUP_FORM("g", "MinSize=0&MaxSize=5"), "AlreadyExists: " },
        { "no sizes", "groups:CreateAutoScalingGroup", GROUP_FORM("h", ""), "ValidationError: MinSize and MaxSize are required" },
        { "a maximum below the minimum", "groups:CreateAutoScalingGroup", GROUP_FORM("h", "MinSize=2&MaxSize=1"), "ValidationError: Max bound, 1, must be greater" },
        { "wanted above the maximum", "groups:CreateAutoScalingGroup", GROUP_FORM("h", "MinSize=0&MaxSize=5&DesiredCapacity=6"),
          "ValidationError: Desired capacity:6 must be between the specified min size:0 and max size:5" },
        { "10,001 machines", "groups:CreateAutoScalingGroup", GROUP_FORM("h", "MinSize=0&MaxSize=10001"), "ValidationError: MaxSize should be" },
        { "no template", "groups:CreateAutoScalingGroup", NAMED("h") "&MinSize=0&MaxSize=1&VPCZoneIdentifier=a", "ValidationError: Valid requests must contain" },
        { "no such template", "groups:CreateAutoScalingGroup", NAMED("h") "&MinSize=0&MaxSize=1&VPCZoneIdentifier=a&LaunchTemplate.LaunchTemplateId=lt-x",
          "ValidationError: You must use a valid fully-formed launch template. The launch template lt-x" },
        { "no such version", "groups:CreateAutoScalingGroup", NAMED("h") "&MinSize=0&MaxSize=1&VPCZoneIdentifier=a&LaunchTemplate.LaunchTemplateName=web&LaunchTemplate.Version=7",
          "ValidationError: You must use" },
        { "no network", "groups:CreateAutoScalingGroup", NAMED("h") "&MinSize=0&MaxSize=1&LaunchTemplate.LaunchTemplateName=web", "ValidationError: At least one Availability Zone" },
        { "a mixed policy", "groups:CreateAutoScalingGroup", GROUP_FORM("h", "MinSize=0&MaxSize=1&MixedInstancesPolicy.LaunchTemplate.X=y"),
          "ValidationError: MixedInstancesPolicy is not available." },
        { "a check that is not there", "groups:CreateAutoScalingGroup", GROUP_FORM("h", "MinSize=0&MaxSize=1&HealthCheckType=VPC_LATTICE"), "ValidationError: VPC_LATTICE is not" },
        { "a cooldown", "groups:CreateAutoScalingGroup", GROUP_FORM("h", "MinSize=0&MaxSize=1&DefaultCooldown=60"), "ValidationError: DefaultCooldown is not available." },
        { "a policy", "groups:CreateAutoScalingGroup", GROUP_FORM("h", "MinSize=0&MaxSize=1&TerminationPolicies.member.1=OldestInstance"), "ValidationError: TerminationPolicies is" },
        { "a hook", "groups:CreateAutoScalingGroup", GROUP_FORM("h", "MinSize=0&MaxSize=1&LifecycleHookSpecificationList.member.1.LifecycleHookName=x"),
          "ValidationError: LifecycleHookSpecificationList is" },
        { "a balance", "groups:CreateAutoScalingGroup", GROUP_FORM("h", "MinSize=0&MaxSize=1&CapacityRebalance=true"), "ValidationError: CapacityRebalance is" },
        { "a warm-up", "groups:CreateAutoScalingGroup", GROUP_FORM("h", "MinSize=0&MaxSize=1&DefaultInstanceWarmup=0"), "ValidationError: DefaultInstanceWarmup is" },
        { "another unit", "groups:CreateAutoScalingGroup", GROUP_FORM("h", "MinSize=0&MaxSize=1&DesiredCapacityType=vcpu"), "ValidationError: DesiredCapacityType is" },
        { "what it does anyway", "groups:CreateAutoScalingGroup", GROUP_FORM("usual", "MinSize=0&MaxSize=1&DefaultCooldown=300&TerminationPolicies.member.1=Default&"
          "CapacityRebalance=false&DefaultInstanceWarmup=-1&DesiredCapacityType=units"), "{}" },
        { "gone again", "groups:DeleteAutoScalingGroup", NAMED("usual"), "{}" },
        { "a colon", "groups:CreateAutoScalingGroup", GROUP_FORM("h:i", "MinSize=0&MaxSize=1"), "ValidationError: The name of a group" },
        { "shown", "groups:DescribeAutoScalingGroups", "AutoScalingGroupNames.member.1=g", "{\"AutoScalingGroups\":[{\"AutoScalingGroupName\":\"g\",\"AutoScalingGroupARN\":"
          "\"arn:aws:autoscaling:us-east-1:123456789012:autoScalingGroup:" },
        { "its members", "groups:DescribeAutoScalingGroups", "", "*\"MinSize\":0,\"MaxSize\":5,\"DesiredCapacity\":1,\"DefaultCooldown\":300" },
        { "its checks", "groups:DescribeAutoScalingGroups", "", "*\"HealthCheckType\":\"EC2\",\"HealthCheckGracePeriod\":300,\"Instances\":[]" },
        { "its subnets", "groups:DescribeAutoScalingGroups", "", "*\"VPCZoneIdentifier\":\"subnet-a,subnet-b\"" },
        { "its tags", "groups:DescribeAutoScalingGroups", "", "*\"Tags\":[{\"ResourceId\":\"g\",\"ResourceType\":\"auto-scaling-group\",\"Key\":\"Name\",\"Value\":\"v\","
          "\"PropagateAtLaunch\":true}],\"TerminationPolicies\":[\"Default\"],\"NewInstancesProtectedFromScaleIn\":true" },
        { "a name that is gone", "groups:DescribeAutoScalingGroups", "AutoScalingGroupNames.member.1=x", "{\"AutoScalingGroups\":[]}" },
        { "by a tag", "groups:DescribeAutoScalingGroups", "Filters.member.1.Name=tag:Name&Filters.member.1.Values.member.1=v", "*\"AutoScalingGroupName\":\"g\"" },
        { "by another", "groups:DescribeAutoScalingGroups", "Filters.member.1.Name=tag:Name&Filters.member.1.Values.member.1=w", "{\"AutoScalingGroups\":[]}" },
        { "an unknown filter", "groups:DescribeAutoScalingGroups", "Filters.member.1.Name=x", "ValidationError: Filter type x" },
        { "a minimum moves the wanted size", "groups:UpdateAutoScalingGroup", NAMED("g") "&MinSize=2", "{}" },
        { "up", "groups:DescribeAutoScalingGroups", "", "*\"MinSize\":2,\"MaxSize\":5,\"DesiredCapacity\":2" },
        { "by hand", "groups:SetDesiredCapacity", NAMED("g") "&DesiredCapacity=5", "{}" },
        { "too many by hand", "groups:SetDesiredCapacity", NAMED("g") "&DesiredCapacity=6", "ValidationError: Desired capacity:6" },
        { "a maximum moves it down", "groups:UpdateAutoScalingGroup", NAMED("g") "&MaxSize=3", "{}" },
        { "down", "groups:DescribeAutoScalingGroups", "", "*\"MinSize\":2,\"MaxSize\":3,\"DesiredCapacity\":3" },
        { "an unknown group", "groups:UpdateAutoScalingGroup", NAMED("x") "&MaxSize=3", "ValidationError: AutoScalingGroup name not found" },
        { "a tag", "groups:CreateOrUpdateTags", ONE_TAG("g", "b") "&Tags.member.1.Value=c", "{}" },
        { "another value", "groups:CreateOrUpdateTags", ONE_TAG("g", "b") "&Tags.member.1.Value=d", "{}" },
        { "both", "groups:DescribeAutoScalingGroups", "", "*\"Key\":\"b\",\"Value\":\"d\",\"PropagateAtLaunch\":false}]" },
        { "of no group", "groups:CreateOrUpdateTags", ONE_TAG("x", "b"), "ValidationError: AutoScalingGroup name not found" },
        { "away", "groups:DeleteTags", ONE_TAG("g", "b"), "{}" },
        { "one", "groups:DescribeAutoScalingGroups", "", "*\"Value\":\"v\",\"PropagateAtLaunch\":true}]" },
        { "nothing went wrong", "groups:DescribeScalingActivities", NAMED("g"), "{\"Activities\":[]}" },
        { "to zero", "groups:UpdateAutoScalingGroup", NAMED("g") "&MinSize=0&MaxSize=0&DesiredCapacity=0", "{}" },
        { "of no group", "groups:DeleteAutoScalingGroup", NAMED("x"), "ValidationError: AutoScalingGroup name not found" },
    };
    check_rows(f, rows, COUNT_OF(rows));
}

/* As a provisioner and a failed order would leave them. */
static void put_machines(struct api_fixture *f)
{
    static const enum machine_state states[] = { MACHINE_ORDERED, MACHINE_BOOTING, MACHINE_ACTIVE, MACHINE_LEAVING, MACHINE_STOPPING };
    struct arena arena = { 0 };
    int64_t revision;
    arena_init(&arena, FIXTURE_ARENA_BYTES);
    struct store_txn *txn = store_write_begin(f->store);
    store_job_begin(txn);
    for (size_t s = 0; s < COUNT_OF(states); s++) {
        struct kept_machine machine = { .pool = STR("g"), .type = STR("g5.xlarge"), .state = states[s], .protected = OPT_TRUE };
        machine.id.bytes[0] = (uint8_t)(s + 1);
        store_put_machine(txn, &machine);
    }
    struct kept_pool pool = *store_pool(txn, STR("g"), &arena);
    pool.failure = STR("the rack is full");
    pool.failed_ms = 1000;
    pool.desired = pool.max = 1;
    store_put_pool(txn, &pool);
    CHECK("kept", store_job_end(txn, true) && store_write_commit(txn, &revision));
    arena_finish(&arena);
}

#define IDS(digit) "&InstanceIds.member.1=i-0" digit "000000000000000&ProtectedFromScaleIn="

static void test_machines(struct api_fixture *f)
{
    static const struct row rows[] = {
        { "only ordered", "groups:DescribeAutoScalingGroups", "", "*\"InstanceId\":\"i-01000000000000000\",\"InstanceType\":\"g5.xlarge\",\"AvailabilityZone\":\"us-east-1a\","
          "\"LifecycleState\":\"Pending\",\"HealthStatus\":\"Healthy\"" },
        { "starting", "groups:DescribeAutoScalingGroups", "", "*i-02000000000000000\",\"InstanceType\":\"g5.xlarge\",\"AvailabilityZone\":\"us-east-1a\",\"LifecycleState\":\"InService\"" },
        { "registered", "groups:DescribeAutoScalingGroups", "", "*i-03000000000000000\",\"InstanceType\":\"g5.xlarge\",\"AvailabilityZone\":\"us-east-1a\",\"LifecycleState\":\"InService\"" },
        { "draining", "groups:DescribeAutoScalingGroups", "", "*\"LifecycleState\":\"Terminating:Wait\"" },
        { "ending", "groups:DescribeAutoScalingGroups", "", "*i-05000000000000000\",\"InstanceType\":\"g5.xlarge\",\"AvailabilityZone\":\"us-east-1a\",\"LifecycleState\":\"Terminating\"" },
        { "why an order failed", "groups:DescribeScalingActivities", NAMED("g"), "*\"StatusCode\":\"Failed\",\"StatusMessage\":\"the rack is full\",\"Progress\":100" },
        { "of another group", "groups:DescribeScalingActivities", NAMED("h"), "{\"Activities\":[]}" },
        { "to none", "groups:SetDesiredCapacity", NAMED("g") "&DesiredCapacity=0", "{}" },
        { "then no order is", "groups:DescribeScalingActivities", NAMED("g"), "{\"Activities\":[]}" },
        { "not protected", "groups:SetInstanceProtection", NAMED("g") IDS("3") "false", "{}" },
        { "shown", "groups:DescribeAutoScalingGroups", "", "*\"ProtectedFromScaleIn\":false" },
        { "unknown", "groups:SetInstanceProtection", NAMED("g") IDS("9") "false", "ValidationError: The instance i-09000000000000000 is not part of Auto Scaling group g." },
        { "of no group", "groups:SetInstanceProtection", NAMED("x") IDS("3") "false", "ValidationError: AutoScalingGroup name not found" },
        { "with machines", "groups:DeleteAutoScalingGroup", NAMED("g") "&ForceDelete=false", "ResourceInUse: You cannot delete an AutoScalingGroup while" },
        { "by force", "groups:DeleteAutoScalingGroup", NAMED("g") "&ForceDelete=true", "{}" },
        { "on its way", "groups:DescribeAutoScalingGroups", "", "*\"Status\":\"Delete in progress\"" },
    };
    put_machines(f);
    check_rows(f, rows, COUNT_OF(rows));
    struct str reply = fixture_call(f, "groups:DescribeAutoScalingGroups", "");
    CHECK("all machines end", !str_contains(reply, STR("InService")) && !str_contains(reply, STR("Pending")));
    CHECK_STR("one without machines", fixture_call(f, "groups:CreateAutoScalingGroup", GROUP_FORM("empty", "MinSize=0&MaxSize=1")), STR("{}"));
    CHECK_STR("goes at once", fixture_call(f, "groups:DeleteAutoScalingGroup", NAMED("empty")), STR("{}"));
    CHECK_STR("it is gone", fixture_call(f, "groups:DescribeAutoScalingGroups", "AutoScalingGroupNames.member.1=empty"), STR("{\"AutoScalingGroups\":[]}"));
}

static void test_limits(struct api_fixture *f)
{
    int made = 0;
    (void)fixture_call(f, "groups:CreateAutoScalingGroup", GROUP_FORM("tags", "MinSize=0&MaxSize=1"));
    for (int t = 1; t <= 49; t++) { (void)fixture_call(f, "groups:CreateOrUpdateTags", TEXT(ONE_TAG("tags", "k%d"), t)); }
    const struct row rows[] = {
        { "50 tags", "groups:CreateOrUpdateTags", ONE_TAG("tags", "k50"), "{}" }, { "51", "groups:CreateOrUpdateTags", ONE_TAG("tags", "k51"), "LimitExceeded: " },
        { "one of them again", "groups:CreateOrUpdateTags", ONE_TAG("tags", "k50") "&Tags.member.1.Value=v", "{}" },
    };
    check_rows(f, rows, COUNT_OF(rows));
    f->code = ERR_NONE;
    for (int g = 0; f->code == ERR_NONE; g++, made += f->code == ERR_NONE) {
        (void)fixture_call(f, "groups:CreateAutoScalingGroup", TEXT(GROUP_FORM("n%d", "MinSize=0&MaxSize=1"), g));
    }
    CHECK_EQ("groups have a limit", f->code, ERR_LIMIT_EXCEEDED);
    CHECK_EQ("beside two others", made, POOLS_MAX - 2);
}

int main(void)
{
    struct api_fixture f;
    fixture_open(&f);
    test_templates(&f);
    test_cluster_of_template(&f);
    test_groups(&f);
    test_machines(&f);
    test_limits(&f);
    fixture_close(&f);
    return check_report();
}
