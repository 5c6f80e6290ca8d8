/* test_elbv2.c: the operations of Elastic Load Balancing: defaults, refusals with their codes, and the views that others have of the records. */
#include "api/traffic/elbv2.h"
#include "tests/unit/api/forms.h"

#define LB(name) "LoadBalancerArn=" name
#define FORWARD(at, arn) at ".member.1.Type=forward&" at ".member.1.TargetGroupArn=" arn

struct attribute_row { const char *key, *value; enum err_code want; };

static void check_attributes(struct api_fixture *f, const char *operation, const char *of, const struct attribute_row *rows, size_t count)
{
    for (size_t r = 0; r < count; r++) {
        (void)fixture_call(f, operation, TEXT("%s&Attributes.member.1.Key=%s&Attributes.member.1.Value=%s", of, rows[r].key, rows[r].value));
        CHECK_EQ(TEXT("%s %s", rows[r].key, rows[r].value), f->code, rows[r].want);
    }
}

/* ---- target groups ---- */

static void test_groups(struct api_fixture *f)
{
#define GROUP_FORM(name) "Name=" name "&Protocol=HTTP&Port=80&TargetType=ip"
    static const struct row rows[] = {
        { "no name", "elb:CreateTargetGroup", "Protocol=HTTP&Port=80", "ValidationError: " },
        { "32 characters", "elb:CreateTargetGroup", GROUP_FORM("a2345678901234567890123456789012"), "{\"TargetGroups\":[" },
        { "33", "elb:CreateTargetGroup", GROUP_FORM("a23456789012345678901234567890123"), "ValidationError: The target group name 'a23456789012345678901234567890123' cannot be longer" },
        { "an underscore", "elb:CreateTargetGroup", GROUP_FORM("a_b"), "ValidationError: The target group name 'a_b' can only" },
        { "a hyphen at its end", "elb:CreateTargetGroup", GROUP_FORM("a-"), "ValidationError: The target group name 'a-' cannot begin or end" },
        { "no protocol", "elb:CreateTargetGroup", "Name=b&Port=80", "ValidationError: A protocol must be specified" },
        { "no port", "elb:CreateTargetGroup", "Name=b&Protocol=HTTP", "ValidationError: A port must be specified" },
        { "a type that is not served", "elb:CreateTargetGroup", "Name=b&TargetType=lambda", "ValidationError: " },
        { "a version", "elb:CreateTargetGroup", GROUP_FORM("b") "&ProtocolVersion=HTTP3", "ValidationError: Protocol version must be" },
        { "a version of TCP", "elb:CreateTargetGroup", "Name=b&Protocol=TCP&Port=80&ProtocolVersion=HTTP1", "ValidationError: A protocol version can only" },
        { "an interval as long as the timeout", "elb:CreateTargetGroup", GROUP_FORM("b") "&HealthCheckIntervalSeconds=5", "ValidationError: Health check timeout must be smaller" },
        { "with a network it may be", "elb:CreateTargetGroup", "Name=n2&Protocol=TCP&Port=80&HealthCheckIntervalSeconds=10", "{\"TargetGroups\":[" },
        { "not longer", "elb:CreateTargetGroup", "Name=b&Protocol=TCP&Port=80&HealthCheckIntervalSeconds=9", "ValidationError: Health check timeout" },
        { "checked by TCP", "elb:CreateTargetGroup", GROUP_FORM("b") "&HealthCheckProtocol=TCP", "ValidationError: Health check protocol of an HTTP target group" },
        { "checked by UDP", "elb:CreateTargetGroup", GROUP_FORM("b") "&HealthCheckProtocol=UDP", "ValidationError: Health check protocol must" },
        { "port 0", "elb:CreateTargetGroup", GROUP_FORM("b") "&HealthCheckPort=0", "ValidationError: Health check port" },
        { "a path", "elb:CreateTargetGroup", GROUP_FORM("b") "&HealthCheckPath=x", "ValidationError: Health check path" },
        { "codes up to 499", "elb:CreateTargetGroup", GROUP_FORM("c") "&Matcher.HttpCode=200,300-499", "{\"TargetGroups\":[" },
        { "500", "elb:CreateTargetGroup", GROUP_FORM("b") "&Matcher.HttpCode=200-500", "ValidationError: Health check matcher HTTP code '200-500' must be within '200-499'" },
        { "500 of a network", "elb:CreateTargetGroup", "Name=n&Protocol=TCP&Port=80&HealthCheckProtocol=HTTP&Matcher.HttpCode=500-599", "{\"TargetGroups\":[" },
        { "a code of gRPC without it", "elb:CreateTargetGroup", GROUP_FORM("b") "&Matcher.GrpcCode=1", "ValidationError: GRPC codes are not available" },
        { "gRPC", "elb:CreateTargetGroup", GROUP_FORM("r") "&ProtocolVersion=GRPC", "{\"TargetGroups\":[" },
        { "the same again", "elb:CreateTargetGroup", GROUP_FORM("c") "&Matcher.HttpCode=200,300-499", "{\"TargetGroups\":[" },
        { "another of that name", "elb:CreateTargetGroup", GROUP_FORM("c"), "DuplicateTargetGroupName: A target group with the same name 'c' exists" },
        { "a tag twice", "elb:CreateTargetGroup", GROUP_FORM("b") "&Tags.member.1.Key=a&Tags.member.2.Key=a", "DuplicateTagKeys: " },
        { "unknown name", "elb:DescribeTargetGroups", "Names.member.1=no", "TargetGroupNotFound: One or more target groups not found" },
        { "unknown ARN", "elb:DescribeTargetGroups", "TargetGroupArns.member.1=" GROUP("no"), "TargetGroupNotFound: " },
        { "a wrong marker", "elb:DescribeTargetGroups", "Marker=x", "ValidationError: Invalid token" },
        { "two ways to ask", "elb:DescribeTargetGroups", "Names.member.1=a&TargetGroupArns.member.1=b", "ValidationError: Only one of" },
        { "of an unknown load balancer", "elb:DescribeTargetGroups", LB("x"), "LoadBalancerNotFound: " },
        { "change of an unknown one", "elb:ModifyTargetGroup", "TargetGroupArn=" GROUP("no"), "TargetGroupNotFound: " },
        { "its attributes", "elb:DescribeTargetGroupAttributes", "TargetGroupArn=" GROUP("no"), "TargetGroupNotFound: " },
        { "their change", "elb:ModifyTargetGroupAttributes", "TargetGroupArn=" GROUP("no") "&Attributes.member.1.Key=a", "TargetGroupNotFound: " },
        { "deleted again", "elb:DeleteTargetGroup", "TargetGroupArn=" GROUP("no"), "{}" },
    };
    check_rows(f, rows, COUNT_OF(rows));
    struct str reply = fixture_call(f, "elb:DescribeTargetGroups", "Names.member.1=n");
    CHECK_STR("a timeout of a network checked by HTTP", fixture_at(f, reply, "TargetGroups[0].HealthCheckTimeoutSeconds"), STR("6"));
    reply = fixture_call(f, "elb:DescribeTargetGroups", "PageSize=1");
    const char *marker = arena_cstr(&f->kept, fixture_at(f, reply, "NextMarker"));
    CHECK_STR("the next page", str_from(take(f, "elb:DescribeTargetGroups", TEXT("PageSize=1&Marker=%s", marker), "TargetGroups[0].TargetGroupName")), STR("c"));
    const char *arn = take(f, "elb:DescribeTargetGroups", "Names.member.1=c", "TargetGroups[0].TargetGroupArn");
    CHECK_STR("changed", str_from(take(f, "elb:ModifyTargetGroup", TEXT("TargetGroupArn=%s&HealthCheckPath=/up&HealthyThresholdCount=2", arn),
              "TargetGroups[0].HealthCheckPath")), STR("/up"));
    static const struct attribute_row attributes[] = {
        { "deregistration_delay.timeout_seconds", "0", ERR_NONE }, { "deregistration_delay.timeout_seconds", "3600", ERR_NONE },
        { "deregistration_delay.timeout_seconds", "3601", ERR_VALIDATION }, { "deregistration_delay.timeout_seconds", "x", ERR_VALIDATION },
        { "slow_start.duration_seconds", "0", ERR_NONE }, { "slow_start.duration_seconds", "29", ERR_VALIDATION },
        { "slow_start.duration_seconds", "30", ERR_NONE }, { "slow_start.duration_seconds", "901", ERR_VALIDATION },
        { "stickiness.type", "lb_cookie", ERR_NONE }, { "stickiness.type", "source_ip", ERR_VALIDATION }, { "stickiness.type", "", ERR_VALIDATION },
        { "stickiness.type", "lb_cookie|app_cookie", ERR_VALIDATION }, { "unknown", "1", ERR_VALIDATION }, { "stickiness.app_cookie.cookie_name", "n", ERR_NONE },
        { "preserve_client_ip.enabled", "false", ERR_VALIDATION }, { "load_balancing.cross_zone.enabled", "use_load_balancer_configuration", ERR_NONE },
        { "load_balancing.cross_zone.enabled", "off", ERR_VALIDATION },
    };
    check_attributes(f, "elb:ModifyTargetGroupAttributes", TEXT("TargetGroupArn=%s", arn), attributes, COUNT_OF(attributes));
    CHECK_STR("kept", str_from(take(f, "elb:DescribeTargetGroupAttributes", TEXT("TargetGroupArn=%s", arn), "Attributes[0].Value")), STR("3600"));
}

/* ---- targets ---- */

static void test_targets(struct api_fixture *f)
{
    const char *arn = TEXT("TargetGroupArn=%s", take(f, "elb:CreateTargetGroup", GROUP_FORM("targets"), "TargetGroups[0].TargetGroupArn"));
    const char *one = TEXT("%s&Targets.member.1.Id=10.0.0.9&Targets.member.1.Port=81", arn);
    CHECK_STR("registered", fixture_call(f, "elb:RegisterTargets", TEXT("%s&Targets.member.2.Id=10.0.0.8", one)), STR("{}"));
    CHECK_STR("both begin", str_from(targets_of(f, "targets")), STR("initial 2"));
    CHECK_STR("its state", str_from(take(f, "elb:DescribeTargetHealth", one, "TargetHealthDescriptions[0].TargetHealth.Reason")), STR("Elb.RegistrationInProgress"));
    CHECK_STR("checked at its own port", str_from(take(f, "elb:DescribeTargetHealth", one, "TargetHealthDescriptions[0].HealthCheckPort")), STR("81"));
    targets_are(f, "targets", TARGET_HEALTHY);
    CHECK_STR("the group's port", str_from(take(f, "elb:DescribeTargetHealth", arn, "TargetHealthDescriptions[0].Target.Port")), STR("80"));
    CHECK_STR("deregistered", fixture_call(f, "elb:DeregisterTargets", one), STR("{}"));
    CHECK_STR("it drains", str_from(targets_of(f, "targets")), STR("healthy 1 draining 1"));
    CHECK_STR("unknown", str_from(take(f, "elb:DescribeTargetHealth", TEXT("%s&Targets.member.1.Id=10.0.0.7", arn), "TargetHealthDescriptions[0].TargetHealth.State")),
              STR("unused"));
    const struct row rows[] = {
        { "no address", "elb:RegisterTargets", TEXT("%s&Targets.member.1.Id=host", arn), "ValidationError: The IP address 'host' is not a valid IPv4 or IPv6 address" },
        { "no id", "elb:RegisterTargets", TEXT("%s&Targets.member.1.Port=80", arn), "ValidationError: " },
        { "port 65536", "elb:RegisterTargets", TEXT("%s&Targets.member.1.Id=10.0.0.1&Targets.member.1.Port=65536", arn), "ValidationError: " },
        { "one of two is wrong: none is registered", "elb:RegisterTargets", TEXT("%s&Targets.member.1.Id=10.0.0.5&Targets.member.2.Id=x", arn), "ValidationError: " },
        { "no group", "elb:RegisterTargets", "TargetGroupArn=x&Targets.member.1.Id=10.0.0.1", "TargetGroupNotFound: " },
        { "of no group", "elb:DeregisterTargets", "TargetGroupArn=x&Targets.member.1.Id=10.0.0.1", "TargetGroupNotFound: " },
        { "health of no group", "elb:DescribeTargetHealth", "TargetGroupArn=x", "TargetGroupNotFound: " },
        { "an instance that is not there", "elb:RegisterTargets",
          TEXT("TargetGroupArn=%s&Targets.member.1.Id=i-1", take(f, "elb:CreateTargetGroup", "Name=of-instances&Protocol=HTTP&Port=80", "TargetGroups[0].TargetGroupArn")),
          "InvalidTarget: The following targets are not valid instances: 'i-1'" },
    };
    check_rows(f, rows, COUNT_OF(rows));
    CHECK_STR("as before", str_from(targets_of(f, "targets")), STR("healthy 1 draining 1"));
    CHECK_STR("a group without listener goes", fixture_call(f, "elb:DeleteTargetGroup", arn), STR("{}"));
    CHECK_STR("with its targets", str_from(targets_of(f, "targets")), STR(""));
}

/* ---- load balancers ---- */

static void test_balancers(struct api_fixture *f)
{
    const char *arn = take(f, "elb:CreateLoadBalancer", "Name=web&Subnets.member.1=subnet-a&Subnets.member.2=subnet-b&SecurityGroups.member.1=sg-1",
                           "LoadBalancers[0].LoadBalancerArn");
    const char *ask = TEXT(LB("%s"), arn);
    CHECK_STR("active at once", str_from(take(f, "elb:DescribeLoadBalancers", "Names.member.1=web", "LoadBalancers[0].State.Code")), STR("active"));
    struct str dns = str_from(take(f, "elb:DescribeLoadBalancers", TEXT("LoadBalancerArns.member.1=%s", arn), "LoadBalancers[0].DNSName"));
    CHECK("its name", str_starts_with(dns, STR("web-")) && str_ends_with(dns, STR(".elb.internal")));
    CHECK_STR("its subnets", str_from(take(f, "elb:DescribeLoadBalancers", "", "LoadBalancers[0].AvailabilityZones[1].SubnetId")), STR("subnet-b"));
    const struct row rows[] = {
        { "the same again", "elb:CreateLoadBalancer", "Name=web&Subnets.member.1=subnet-a&Subnets.member.2=subnet-b&SecurityGroups.member.1=sg-1", "{\"LoadBalancers\":[" },
        { "another of that name", "elb:CreateLoadBalancer", "Name=web", "DuplicateLoadBalancerName: " },
        { "a name of AWS", "elb:CreateLoadBalancer", "Name=internal-a", "ValidationError: The load balancer name 'internal-a' cannot begin with 'internal-'" },
        { "a gateway", "elb:CreateLoadBalancer", "Name=a&Type=gateway", "ValidationError: " },
        { "an address", "elb:CreateLoadBalancer", "Name=a&SubnetMappings.member.1.SubnetId=s&SubnetMappings.member.1.AllocationId=e",
          "InvalidConfigurationRequest: AllocationId, PrivateIPv4Address" },
        { "both kinds", "elb:CreateLoadBalancer", "Name=a&Subnets.member.1=s&SubnetMappings.member.1.SubnetId=t", "ValidationError: Only one of Subnets" },
        { "ipv6 alone", "elb:CreateLoadBalancer", "Name=a&IpAddressType=ipv6", "ValidationError: The IP address type" },
        { "an attribute", "elb:ModifyLoadBalancerAttributes", TEXT("%s&Attributes.member.1.Key=idle_timeout.timeout_seconds&Attributes.member.1.Value=4000", ask), "{\"Attributes\":[" },
        { "logs are not written", "elb:ModifyLoadBalancerAttributes", TEXT("%s&Attributes.member.1.Key=access_logs.s3.enabled&Attributes.member.1.Value=true", ask),
          "InvalidConfigurationRequest: 'access_logs.s3.enabled' can only be 'false'" },
        { "all attributes", "elb:DescribeLoadBalancerAttributes", ask, "{\"Attributes\":[{\"Key\":\"access_logs.s3.enabled\",\"Value\":\"false\"}" },
        { "security groups", "elb:SetSecurityGroups", TEXT("%s&SecurityGroups.member.1=sg-2", ask), "{\"SecurityGroupIds\":[\"sg-2\"]}" },
        { "subnets", "elb:SetSubnets", TEXT("%s&Subnets.member.1=subnet-c", ask), "{\"AvailabilityZones\":[{\"ZoneName\":\"us-east-1a\",\"SubnetId\":\"subnet-c\"}]" },
        { "no subnets", "elb:SetSubnets", ask, "ValidationError: A subnet must be specified" },
        { "addresses", "elb:SetIpAddressType", TEXT("%s&IpAddressType=dualstack", ask), "{\"IpAddressType\":\"dualstack\"}" },
        { "no reservation", "elb:DescribeCapacityReservation", ask, "{}" },
        { "unknown name", "elb:DescribeLoadBalancers", "Names.member.1=no", "LoadBalancerNotFound: Load balancers '[no]' not found" },
        { "protected", "elb:ModifyLoadBalancerAttributes", TEXT("%s&Attributes.member.1.Key=deletion_protection.enabled&Attributes.member.1.Value=true", ask), "{" },
        { "it stays", "elb:DeleteLoadBalancer", ask, "OperationNotPermitted: " },
        { "not protected", "elb:ModifyLoadBalancerAttributes", TEXT("%s&Attributes.member.1.Key=deletion_protection.enabled&Attributes.member.1.Value=false", ask), "{" },
        { "it goes", "elb:DeleteLoadBalancer", ask, "{}" }, { "again", "elb:DeleteLoadBalancer", ask, "{}" },
    };
    check_rows(f, rows, COUNT_OF(rows));
    for (const char *const *name = (const char *const[]){ "DescribeLoadBalancerAttributes", "DescribeCapacityReservation", "SetSubnets", NULL }; *name != NULL; name++) {
        (void)fixture_call(f, TEXT("elb:%s", *name), ask);
        CHECK_EQ(*name, f->code, ERR_ELB_BALANCER_NOT_FOUND);
    }
}

/* ---- listeners ---- */

static void test_listeners(struct api_fixture *f)
{
    const char *arn = take(f, "elb:CreateLoadBalancer", "Name=front", "LoadBalancers[0].LoadBalancerArn"), *ask = TEXT(LB("%s"), arn);
    const char *net = TEXT(LB("%s"), take(f, "elb:CreateLoadBalancer", "Name=net&Type=network", "LoadBalancers[0].LoadBalancerArn"));
    const char *group = take(f, "elb:CreateTargetGroup", GROUP_FORM("blue"), "TargetGroups[0].TargetGroupArn");
    const char *tcp = take(f, "elb:CreateTargetGroup", "Name=tcp&Protocol=TCP&Port=5&TargetType=ip", "TargetGroups[0].TargetGroupArn");
    const char *forward = TEXT(FORWARD("DefaultActions", "%s"), group), *on_80 = TEXT("%s&Protocol=HTTP&Port=80&%s", ask, forward);
    const char *listener = TEXT("ListenerArn=%s", take(f, "elb:CreateListener", on_80, "Listeners[0].ListenerArn"));
    const char *secure = TEXT("%s&Protocol=HTTPS&Port=443&%s", ask, forward);
    const char *tls = TEXT("ListenerArn=%s", take(f, "elb:CreateListener", TEXT("%s&Certificates.member.1.CertificateArn=c1", secure), "Listeners[0].ListenerArn"));
    const char *tcp_listener = TEXT("ListenerArn=%s", take(f, "elb:CreateListener", TEXT("%s&Protocol=TCP&Port=81&" FORWARD("DefaultActions", "%s"), net, tcp),
                                                           "Listeners[0].ListenerArn"));
    const struct row rows[] = {
        { "the same again", "elb:CreateListener", on_80, "{\"Listeners\":[" },
        { "the same of TLS", "elb:CreateListener", TEXT("%s&Certificates.member.1.CertificateArn=c1", secure), "{\"Listeners\":[" },
        { "another certificate", "elb:CreateListener", TEXT("%s&Certificates.member.1.CertificateArn=c2", secure), "DuplicateListener: " },
        { "moved to a port that is used", "elb:ModifyListener", TEXT("%s&Port=443", listener), "DuplicateListener: " },
        { "another on that port", "elb:CreateListener", TEXT("%s&Protocol=HTTP&Port=80&DefaultActions.member.1.Type=fixed-response&"
          "DefaultActions.member.1.FixedResponseConfig.StatusCode=200", ask), "DuplicateListener: A listener already exists on this port" },
        { "no load balancer", "elb:CreateListener", TEXT(LB("x") "&Protocol=HTTP&Port=81&%s", forward), "LoadBalancerNotFound: " },
        { "TCP", "elb:CreateListener", TEXT("%s&Protocol=TCP&Port=81&%s", ask, forward), "ValidationError: Listener protocol 'TCP' must be one of 'HTTP, HTTPS'" },
        { "a group of TCP", "elb:CreateListener", TEXT("%s&Protocol=HTTP&Port=81&" FORWARD("DefaultActions", "%s"), ask, tcp), "IncompatibleProtocols: " },
        { "a network that answers", "elb:CreateListener", TEXT("%s&Protocol=TCP&Port=82&DefaultActions.member.1.Type=fixed-response&"
          "DefaultActions.member.1.FixedResponseConfig.StatusCode=200", net), "InvalidConfigurationRequest: A listener of a Network Load Balancer can only" },
        { "no group", "elb:CreateListener", TEXT("%s&Protocol=HTTP&Port=81&" FORWARD("DefaultActions", GROUP("no")), ask), "TargetGroupNotFound: " },
        { "an action that is not served", "elb:CreateListener", TEXT("%s&Protocol=HTTP&Port=81&DefaultActions.member.1.Type=authenticate-oidc", ask), "ValidationError: " },
        { "two actions", "elb:CreateListener", TEXT("%s&Protocol=HTTP&Port=81&%s&DefaultActions.member.2.Type=forward", ask, forward), "TooManyActions: Exactly one action" },
        { "no action", "elb:CreateListener", TEXT("%s&Protocol=HTTP&Port=81&DefaultActions=", ask), "InvalidConfigurationRequest: Exactly one action" },
        { "an empty certificate", "elb:CreateListener", TEXT("%s&Protocol=HTTPS&Port=444&Certificates.member.1.IsDefault=true&%s", ask, forward),
          "ValidationError: A certificate must have an ARN" },
        { "added", "elb:AddListenerCertificates", TEXT("%s&Certificates.member.1.IsDefault=false", tls), "ValidationError: A certificate must have an ARN" },
        { "of an unknown listener", "elb:AddListenerCertificates", "ListenerArn=x&Certificates.member.1.CertificateArn=c", "ListenerNotFound: " },
        { "port 0", "elb:CreateListener", TEXT("%s&Protocol=HTTP&Port=0&%s", ask, forward), "ValidationError: " },
        { "port 65536", "elb:CreateListener", TEXT("%s&Protocol=HTTP&Port=65536&%s", ask, forward), "ValidationError: " },
        { "changed to no group", "elb:ModifyListener", TEXT("%s&" FORWARD("DefaultActions", GROUP("no")), listener), "TargetGroupNotFound: " },
        { "to a protocol of the other type", "elb:ModifyListener", TEXT("%s&Protocol=TLS", listener), "ValidationError: Listener protocol 'TLS' must be one of" },
        { "attributes of an unknown listener", "elb:DescribeListenerAttributes", "ListenerArn=x", "ListenerNotFound: " },
        { "no certificate", "elb:CreateListener", TEXT("%s&Protocol=HTTPS&Port=444&%s", ask, forward), "ValidationError: A certificate must be specified" },
        { "a policy", "elb:ModifyListener", TEXT("%s&SslPolicy=no", tls), "SSLPolicyNotFound: SSL policy 'no' not found" },
        { "a redirect to itself", "elb:ModifyListener", TEXT("%s&DefaultActions.member.1.Type=redirect&DefaultActions.member.1.RedirectConfig.StatusCode=HTTP_301", listener),
          "InvalidLoadBalancerAction: The redirect configuration is not valid because it creates a loop." },
        { "a status", "elb:ModifyListener", TEXT("%s&DefaultActions.member.1.Type=fixed-response&DefaultActions.member.1.FixedResponseConfig.StatusCode=302", listener),
          "ValidationError: The status code of a fixed response" },
        { "more certificates", "elb:AddListenerCertificates", TEXT("%s&Certificates.member.1.CertificateArn=c2", tls),
          "{\"Certificates\":[{\"CertificateArn\":\"c2\"}]}" },
        { "none for HTTP", "elb:AddListenerCertificates", TEXT("%s&Certificates.member.1.CertificateArn=c2", listener), "ValidationError: " },
        { "both", "elb:DescribeListenerCertificates", tls,
          "{\"Certificates\":[{\"CertificateArn\":\"c1\",\"IsDefault\":true},{\"CertificateArn\":\"c2\",\"IsDefault\":false}]}" },
        { "the default stays", "elb:RemoveListenerCertificates", TEXT("%s&Certificates.member.1.CertificateArn=c1", tls), "OperationNotPermitted: " },
        { "the other goes", "elb:RemoveListenerCertificates", TEXT("%s&Certificates.member.1.CertificateArn=c2", tls), "{}" },
        { "one is left", "elb:DescribeListenerCertificates", tls, "{\"Certificates\":[{\"CertificateArn\":\"c1\",\"IsDefault\":true}]}" },
        { "attributes", "elb:ModifyListenerAttributes",
          TEXT("%s&Attributes.member.1.Key=routing.http.response.server.enabled&Attributes.member.1.Value=false", listener), "{\"Attributes\":[" },
        { "are shown", "elb:DescribeListenerAttributes", listener, "{\"Attributes\":[{\"Key\":\"routing.http.response.server.enabled\",\"Value\":\"false\"}," },
        { "of TCP", "elb:DescribeListenerAttributes", tcp_listener, "{\"Attributes\":[{\"Key\":\"tcp.idle_timeout.seconds\",\"Value\":\"350\"}]}" },
        { "the group is used", "elb:DeleteTargetGroup", TEXT("TargetGroupArn=%s", group), "ResourceInUse: Target group '" },
        { "one way to ask", "elb:DescribeListeners", "", "ValidationError: You must specify either listener ARNs" },
        { "unknown", "elb:DescribeListeners", "ListenerArns.member.1=x", "ListenerNotFound: Listener 'x' not found" },
        { "to HTTP again", "elb:ModifyListener", TEXT("%s&Protocol=HTTP&Port=81", tls), "{\"Listeners\":[" },
        { "deleted", "elb:DeleteListener", tls, "{}" }, { "again", "elb:DeleteListener", tls, "ListenerNotFound: " },
    };
    check_rows(f, rows, COUNT_OF(rows));
    static const struct attribute_row web[] = {
        { "tcp.idle_timeout.seconds", "350", ERR_VALIDATION }, { "routing.http.response.x_frame_options.header_value", "DENY", ERR_NONE },
        { "routing.http.response.x", "1", ERR_VALIDATION },
    };
    check_attributes(f, "elb:ModifyListenerAttributes", listener, web, COUNT_OF(web));
    static const struct attribute_row plain[] = {
        { "tcp.idle_timeout.seconds", "59", ERR_VALIDATION }, { "tcp.idle_timeout.seconds", "60", ERR_NONE },
        { "routing.http.response.server.enabled", "true", ERR_VALIDATION },
    };
    check_attributes(f, "elb:ModifyListenerAttributes", tcp_listener, plain, COUNT_OF(plain));
    CHECK_STR("the same listener", str_from(TEXT("ListenerArn=%s", take(f, "elb:CreateListener", on_80, "Listeners[0].ListenerArn"))), str_from(listener));
    CHECK_STR("who uses it", str_from(take(f, "elb:DescribeTargetGroups", ask, "TargetGroups[0].LoadBalancerArns[0]")), str_from(arn));
    CHECK_STR("the one left", str_from(take(f, "elb:DescribeListeners", ask, "Listeners[0].Port")), STR("80"));
    CHECK_STR("its group", str_from(take(f, "elb:DescribeListeners", ask, "Listeners[0].DefaultActions[0].TargetGroupArn")), str_from(group));
}

/* ---- rules ---- */

static void test_rules(struct api_fixture *f)
{
    const char *ask = TEXT(LB("%s"), take(f, "elb:DescribeLoadBalancers", "Names.member.1=front", "LoadBalancers[0].LoadBalancerArn"));
    const char *listener = TEXT("ListenerArn=%s", take(f, "elb:DescribeListeners", ask, "Listeners[0].ListenerArn"));
    const char *blue = take(f, "elb:DescribeTargetGroups", "Names.member.1=blue", "TargetGroups[0].TargetGroupArn");
    const char *green = take(f, "elb:CreateTargetGroup", GROUP_FORM("green"), "TargetGroups[0].TargetGroupArn");
    const char *both = TEXT("Actions.member.1.Type=forward&Actions.member.1.ForwardConfig.TargetGroups.member.1.TargetGroupArn=%s&"
                            "Actions.member.1.ForwardConfig.TargetGroups.member.1.Weight=999&Actions.member.1.ForwardConfig.TargetGroups.member.2.TargetGroupArn=%s&"
                            "Actions.member.1.ForwardConfig.TargetGroups.member.2.Weight=0", blue, green);
    const char *path = "Conditions.member.1.Field=path-pattern&Conditions.member.1.Values.member.1=/a*";
    const char *one = take(f, "elb:CreateRule", TEXT("%s&Priority=20&%s&%s", listener, path, both), "Rules[0].RuleArn");
    const char *two = take(f, "elb:CreateRule", TEXT("%s&Priority=3&%s&%s", listener, path, both), "Rules[0].RuleArn");
    const char *usual = take(f, "elb:DescribeRules", listener, "Rules[2].RuleArn");
#define RULE_OF(conditions) TEXT("%s&Priority=9&%s&%s", listener, conditions, both)
    const struct row rows[] = {
        { "a priority that is used", "elb:CreateRule", TEXT("%s&Priority=20&%s&%s", listener, path, both), "PriorityInUse: Priority '20' is currently in use" },
        { "no listener", "elb:CreateRule", TEXT("ListenerArn=x&Priority=1&%s&%s", path, both), "ListenerNotFound: " },
        { "priority 50001", "elb:CreateRule", TEXT("%s&Priority=50001&%s&%s", listener, path, both), "ValidationError: " },
        { "a field", "elb:CreateRule", RULE_OF("Conditions.member.1.Field=x"), "ValidationError: Condition field 'x' must be one of" },
        { "no values", "elb:CreateRule", RULE_OF("Conditions.member.1.Field=host-header"), "ValidationError: A condition value must be specified for 'host-header'" },
        { "a header without name", "elb:CreateRule", RULE_OF("Conditions.member.1.Field=http-header&Conditions.member.1.HttpHeaderConfig.Values.member.1=a"),
          "ValidationError: A header name must be specified" },
        { "six values", "elb:CreateRule", RULE_OF("Conditions.member.1.Field=source-ip&Conditions.member.1.SourceIpConfig.Values.member.1=1&"
          "Conditions.member.1.SourceIpConfig.Values.member.2=2&Conditions.member.1.SourceIpConfig.Values.member.3=3&Conditions.member.1.SourceIpConfig.Values.member.4=4&"
          "Conditions.member.1.SourceIpConfig.Values.member.5=5&Conditions.member.2.Field=http-request-method&Conditions.member.2.HttpRequestMethodConfig.Values.member.1=GET"),
          "ValidationError: A rule can have at most 5 condition values" },
        { "a group that is not there", "elb:CreateRule", TEXT("%s&Priority=9&%s&" FORWARD("Actions", GROUP("no")), listener, path), "TargetGroupNotFound: " },
        { "a group of TCP", "elb:CreateRule", TEXT("%s&Priority=9&%s&" FORWARD("Actions", "%s"), listener, path,
          take(f, "elb:DescribeTargetGroups", "Names.member.1=tcp", "TargetGroups[0].TargetGroupArn")), "IncompatibleProtocols: " },
        { "changed to none", "elb:ModifyRule", TEXT("RuleArn=%s&" FORWARD("Actions", GROUP("no")), one), "TargetGroupNotFound: " },
        { "a group that only a rule uses", "elb:DeleteTargetGroup", TEXT("TargetGroupArn=%s", green), "ResourceInUse: " },
        { "a query", "elb:ModifyRule", TEXT("RuleArn=%s&Conditions.member.1.Field=query-string&Conditions.member.1.QueryStringConfig.Values.member.1.Value=v", one), "{\"Rules\":[" },
        { "nothing to change", "elb:ModifyRule", TEXT("RuleArn=%s", one), "ValidationError: Conditions or actions must be specified" },
        { "a weight", "elb:ModifyRule", TEXT("RuleArn=%s&Actions.member.1.Type=forward&Actions.member.1.ForwardConfig.TargetGroups.member.1.TargetGroupArn=%s&"
          "Actions.member.1.ForwardConfig.TargetGroups.member.1.Weight=1000", one, blue), "ValidationError: " },
        { "the default rule", "elb:ModifyRule", TEXT("RuleArn=%s&%s", usual, both), "OperationNotPermitted: Default rule '" },
        { "deleted", "elb:DeleteRule", TEXT("RuleArn=%s", usual), "OperationNotPermitted: Default rule '" },
        { "a priority that another has", "elb:SetRulePriorities", TEXT("RulePriorities.member.1.RuleArn=%s&RulePriorities.member.1.Priority=3", one), "PriorityInUse: " },
        { "they change places", "elb:SetRulePriorities", TEXT("RulePriorities.member.1.RuleArn=%s&RulePriorities.member.1.Priority=3&RulePriorities.member.2.RuleArn=%s&"
          "RulePriorities.member.2.Priority=20", one, two), "{\"Rules\":[" },
        { "unknown", "elb:DescribeRules", TEXT("RuleArns.member.1=%s", RULE("9")), "RuleNotFound: " },
        { "both ways", "elb:DescribeRules", "", "ValidationError: You must specify either a listener ARN" },
        { "by its ARN", "elb:DescribeRules", TEXT("RuleArns.member.1=%s", usual), "{\"Rules\":[{\"Priority\":\"default\"," },
    };
    check_rows(f, rows, COUNT_OF(rows));
    CHECK_STR("in order", str_from(take(f, "elb:DescribeRules", listener, "Rules[0].RuleArn")), str_from(one));
    CHECK_STR("the default last", str_from(take(f, "elb:DescribeRules", listener, "Rules[2].Priority")), STR("default"));
    CHECK_STR("services see the weights", str_from(rule_weights(f, two)), STR("blue 999, green 0"));
    CHECK_STR("of the default rule too", str_from(rule_weights(f, usual)), STR("blue 1"));
    CHECK_STR("it goes", fixture_call(f, "elb:DeleteRule", TEXT("RuleArn=%s", two)), STR("{}"));
    CHECK_STR("with the load balancer", fixture_call(f, "elb:DeleteLoadBalancer", ask), STR("{}"));
    CHECK_STR("all goes", fixture_call(f, "elb:DeleteTargetGroup", TEXT("TargetGroupArn=%s", green)), STR("{}"));
    (void)fixture_call(f, "elb:DescribeRules", TEXT("RuleArns.member.1=%s", one));
    CHECK_EQ("the rule too", f->code, ERR_ELB_RULE_NOT_FOUND);
}

/* ---- tags, limits, policies ---- */

static void test_tags(struct api_fixture *f)
{
    const char *arn = take(f, "elb:DescribeTargetGroups", "Names.member.1=blue", "TargetGroups[0].TargetGroupArn"), *ask = TEXT("ResourceArns.member.1=%s", arn);
    const struct row rows[] = {
        { "no tags", "elb:DescribeTags", ask, TEXT("{\"TagDescriptions\":[{\"ResourceArn\":\"%s\",\"Tags\":[]}]}", arn) },
        { "added", "elb:AddTags", TEXT("%s&Tags.member.1.Key=a&Tags.member.1.Value=1&Tags.member.2.Key=b&Tags.member.2.Value=", ask), "{}" },
        { "over one", "elb:AddTags", TEXT("%s&Tags.member.1.Key=a&Tags.member.1.Value=2", ask), "{}" },
        { "removed", "elb:RemoveTags", TEXT("%s&TagKeys.member.1=b&TagKeys.member.2=c", ask), "{}" },
        { "one is left", "elb:DescribeTags", ask, TEXT("{\"TagDescriptions\":[{\"ResourceArn\":\"%s\",\"Tags\":[{\"Key\":\"a\",\"Value\":\"2\"}]}]}", arn) },
        { "a tag of AWS", "elb:AddTags", TEXT("%s&Tags.member.1.Key=aws:x", ask), "ValidationError: " },
        { "no ARN", "elb:DescribeTags", "ResourceArns.member.1=x", "ValidationError: 'x' is not a valid ARN" },
        { "none there", "elb:RemoveTags", "ResourceArns.member.1=" GROUP("no") "&TagKeys.member.1=a", "TargetGroupNotFound: " },
        { "limits", "elb:DescribeAccountLimits", "", "{\"Limits\":[{\"Name\":\"application-load-balancers\",\"Max\":\"500\"}" },
        { "a policy", "elb:DescribeSSLPolicies", "Names.member.1=ELBSecurityPolicy-2016-08", "{\"SslPolicies\":[{\"SslProtocols\":[\"TLSv1\",\"TLSv1.1\",\"TLSv1.2\"]," },
        { "no policy", "elb:DescribeSSLPolicies", "Names.member.1=x", "SSLPolicyNotFound: " },
        { "not served", "elb:CreateTrustStore", "", "InvalidAction: " },
    };
    check_rows(f, rows, COUNT_OF(rows));
}

/* ---- networks ---- */

static void test_networks(struct api_fixture *f)
{
    const char *group = TEXT("TargetGroupArn=%s", take(f, "elb:DescribeTargetGroups", "Names.member.1=tcp", "TargetGroups[0].TargetGroupArn"));
    const char *net = TEXT(LB("%s"), take(f, "elb:DescribeLoadBalancers", "Names.member.1=net", "LoadBalancers[0].LoadBalancerArn"));
    static const struct attribute_row of_group[] = {
        { "stickiness.type", "source_ip", ERR_NONE }, { "stickiness.type", "lb_cookie", ERR_ELB_INVALID_CONFIGURATION },
        { "slow_start.duration_seconds", "0", ERR_VALIDATION }, { "load_balancing.algorithm.type", "round_robin", ERR_VALIDATION },
        { "deregistration_delay.timeout_seconds", "7", ERR_NONE }, { "deregistration_delay.connection_termination.enabled", "true", ERR_NONE },
        { "preserve_client_ip.enabled", "false", ERR_NONE }, { "preserve_client_ip.enabled", "true", ERR_ELB_INVALID_CONFIGURATION },
        { "proxy_protocol_v2.enabled", "true", ERR_ELB_INVALID_CONFIGURATION },
        { "target_health_state.unhealthy.draining_interval_seconds", "360000", ERR_NONE },
        { "target_health_state.unhealthy.draining_interval_seconds", "360001", ERR_VALIDATION },
    };
    check_attributes(f, "elb:ModifyTargetGroupAttributes", group, of_group, COUNT_OF(of_group));
    static const struct attribute_row of_balancer[] = {
        { "load_balancing.cross_zone.enabled", "true", ERR_NONE }, { "idle_timeout.timeout_seconds", "60", ERR_VALIDATION },
        { "routing.http2.enabled", "true", ERR_VALIDATION }, { "dns_record.client_routing_policy", "availability_zone_affinity", ERR_NONE },
        { "dns_record.client_routing_policy", "x", ERR_VALIDATION }, { "secondary_ips.auto_assigned.per_subnet", "1", ERR_ELB_INVALID_CONFIGURATION },
        { "access_logs.s3.enabled", "true", ERR_ELB_INVALID_CONFIGURATION }, { "deletion_protection.enabled", "true", ERR_NONE },
    };
    check_attributes(f, "elb:ModifyLoadBalancerAttributes", net, of_balancer, COUNT_OF(of_balancer));
    const struct row rows[] = {
        { "its words", "elb:ModifyLoadBalancerAttributes", TEXT("%s&Attributes.member.1.Key=waf.fail_open.enabled&Attributes.member.1.Value=false", net),
          "ValidationError: Load balancer attribute key 'waf.fail_open.enabled' is not supported on load balancers with type 'network'" },
        { "protected", "elb:DeleteLoadBalancer", net, "OperationNotPermitted: " },
        { "no rules", "elb:CreateRule", TEXT("ListenerArn=%s&Priority=1&Conditions.member.1.Field=path-pattern&Actions.member.1.Type=forward",
          take(f, "elb:DescribeListeners", net, "Listeners[0].ListenerArn")), "InvalidConfigurationRequest: " },
        { "its group", "elb:DescribeTargetGroupAttributes", group, "{\"Attributes\":[{\"Key\":\"deregistration_delay.timeout_seconds\",\"Value\":\"7\"},"
          "{\"Key\":\"stickiness.enabled\",\"Value\":\"false\"},{\"Key\":\"stickiness.type\",\"Value\":\"source_ip\"}," },
    };
    check_rows(f, rows, COUNT_OF(rows));
}

/* ---- limits ---- */

/* Target groups and load balancers are put into the store, up to one below their limit. */
static void fill(struct api_fixture *f)
{
    struct op_ctx ctx = traffic_begin(f);
    struct kept_group *groups;
    struct kept_balancer *balancers;
    size_t have = store_list_groups(ctx.txn, &groups, &f->kept), of_type = 0, all = store_list_balancers(ctx.txn, &balancers, &f->kept);
    for (size_t b = 0; b < all; b++) { of_type += balancers[b].balancer->type == ELB_BALANCER_TYPE_APPLICATION; }
    for (size_t g = have; g < ELB_GROUPS_MAX - 1; g++) {
        struct target_group group = { .name = str_from(TEXT("g%zu", g)), .protocol = ELB_PROTOCOL_HTTP };
        store_put_group(ctx.txn, &(struct kept_group){ .id = STR(ELB_ID), .group = &group });
    }
    for (size_t b = of_type; b < ELB_BALANCERS_MAX - 1; b++) {
        struct elb_balancer balancer = { .name = str_from(TEXT("b%zu", b)), .type = ELB_BALANCER_TYPE_APPLICATION };
        store_put_balancer(ctx.txn, &(struct kept_balancer){ .id = STR(ELB_ID), .balancer = &balancer });
    }
    traffic_end(&ctx);
}

static void test_limits(struct api_fixture *f)
{
    const char *group = TEXT("TargetGroupArn=%s", take(f, "elb:CreateTargetGroup", GROUP_FORM("crowd"), "TargetGroups[0].TargetGroupArn"));
    const char *answer = "DefaultActions.member.1.Type=fixed-response&DefaultActions.member.1.FixedResponseConfig.StatusCode=200";
    const char *rule = "Conditions.member.1.Field=path-pattern&Conditions.member.1.Values.member.1=/&Actions.member.1.Type=fixed-response&"
        "Actions.member.1.FixedResponseConfig.StatusCode=200";
    const char *ask = TEXT(LB("%s"), take(f, "elb:CreateLoadBalancer", "Name=full", "LoadBalancers[0].LoadBalancerArn"));
    const char *listener = "", *secure = TEXT("%s&Protocol=HTTPS&Certificates.member.1.CertificateArn=c&%s", ask, answer);
    for (int l = 1; l < ELB_LISTENERS_MAX; l++) {
        listener = TEXT("ListenerArn=%s", take(f, "elb:CreateListener", TEXT("%s&Port=%d", secure, l), "Listeners[0].ListenerArn"));
    }
    for (int r = 1; r < ELB_RULES_MAX; r++) { (void)take(f, "elb:CreateRule", TEXT("%s&%s&Priority=%d", listener, rule, r), "Rules[0].RuleArn"); }
    for (int c = 1; c < ELB_CERTIFICATES_MAX; c++) {
        (void)take(f, "elb:AddListenerCertificates", TEXT("%s&Certificates.member.1.CertificateArn=c%d", listener, c), "Certificates[0]");
    }
    for (int t = 1; t < GROUP_TARGETS_MAX; t++) { (void)fixture_call(f, "elb:RegisterTargets", TEXT("%s&Targets.member.1.Id=10.1.%d.%d", group, t / 256, t % 256)); }
    fill(f);
    struct buf tags = buf_in(&f->kept);
    for (int t = 1; t < 50; t++) { buf_printf(&tags, "&Tags.member.%d.Key=t%d", t, t); }
    const char *tagged = TEXT("ResourceArns.member.1=%s", group + strlen("TargetGroupArn="));
    const struct row rows[] = {
        { "3000 target groups", "elb:CreateTargetGroup", GROUP_FORM("last"), "{" }, { "3001", "elb:CreateTargetGroup", GROUP_FORM("more"), "TooManyTargetGroups: " },
        { "the same again", "elb:CreateTargetGroup", GROUP_FORM("last"), "{" },
        { "500 load balancers", "elb:CreateLoadBalancer", "Name=last", "{" }, { "501", "elb:CreateLoadBalancer", "Name=more", "TooManyLoadBalancers: " },
        { "of the other type", "elb:CreateLoadBalancer", "Name=more&Type=network", "{" }, { "the same again", "elb:CreateLoadBalancer", "Name=last", "{" },
        { "50 listeners", "elb:CreateListener", TEXT("%s&Port=100", secure), "{" }, { "51", "elb:CreateListener", TEXT("%s&Port=101", secure), "TooManyListeners: " },
        { "the same again", "elb:CreateListener", TEXT("%s&Port=100", secure), "{" },
        { "100 rules", "elb:CreateRule", TEXT("%s&%s&Priority=200", listener, rule), "{" }, { "101", "elb:CreateRule", TEXT("%s&%s&Priority=201", listener, rule), "TooManyRules: " },
        { "25 certificates", "elb:AddListenerCertificates", TEXT("%s&Certificates.member.1.CertificateArn=d", listener), "{" },
        { "26", "elb:AddListenerCertificates", TEXT("%s&Certificates.member.1.CertificateArn=e", listener), "TooManyCertificates: " },
        { "1000 targets", "elb:RegisterTargets", TEXT("%s&Targets.member.1.Id=10.2.0.1", group), "{" },
        { "1001", "elb:RegisterTargets", TEXT("%s&Targets.member.1.Id=10.2.0.1&Targets.member.2.Id=10.2.0.2", group), "TooManyTargets: " },
        { "the same again", "elb:RegisterTargets", TEXT("%s&Targets.member.1.Id=10.2.0.1", group), "{" },
        { "49 tags", "elb:AddTags", TEXT("%s" STR_FMT, tagged, STR_ARG(buf_str(&tags))), "{" },
        { "50", "elb:AddTags", TEXT("%s&Tags.member.1.Key=u", tagged), "{" }, { "51", "elb:AddTags", TEXT("%s&Tags.member.1.Key=v", tagged), "TooManyTags: " },
    };
    check_rows(f, rows, COUNT_OF(rows));
}

int main(void)
{
    struct api_fixture f;
    fixture_open(&f);
    test_groups(&f);
    test_targets(&f);
    test_balancers(&f);
    test_listeners(&f);
    test_rules(&f);
    test_tags(&f);
    test_networks(&f);
    test_limits(&f);
    fixture_close(&f);
    return check_report();
}
