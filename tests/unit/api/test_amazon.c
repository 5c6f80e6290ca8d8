/* test_amazon.c: the operations of IAM and EC2: success, refusals with their codes, both sides of each limit. */
#include "tests/unit/api/forms.h"

/* ---- IAM ---- */

#define ROLE(name) "RoleName=" name "&AssumeRolePolicyDocument={}"
#define INLINE "RoleName=r&PolicyName="

static void test_iam(struct api_fixture *f)
{
    static const struct row rows[] = {
        { "the caller", "iam:GetUser", "", "{\"User\":{\"Path\":\"/\",\"UserName\":\"tester\",\"UserId\":\"AIDA" },
        { "by name", "iam:GetUser", "UserName=tester", "*:user/tester\"" },
        { "another user", "iam:GetUser", "UserName=x", "NoSuchEntity: The user with name x cannot be found." },
        { "a role", "iam:CreateRole", "RoleName=r&AssumeRolePolicyDocument={\"a\": 1}&Tags.member.1.Key=k&Tags.member.1.Value=v",
          "*\"AssumeRolePolicyDocument\":\"%7B%22a%22%3A%201%7D\",\"MaxSessionDuration\":3600,\"Tags\":[{\"Key\":\"k\",\"Value\":\"v\"}]" },
        { "read", "iam:GetRole", "RoleName=r", "{\"Role\":{\"Path\":\"/\",\"RoleName\":\"r\",\"RoleId\":\"AROA" },
        { "its ARN", "iam:GetRole", "RoleName=r", "*\"Arn\":\"arn:aws:iam::123456789012:role/r\"" },
        { "again", "iam:CreateRole", ROLE("r"), "EntityAlreadyExists: Role with name r already exists." },
        { "no JSON", "iam:CreateRole", "RoleName=q&AssumeRolePolicyDocument=x", "MalformedPolicyDocument: " },
        { "no object", "iam:CreateRole", "RoleName=q&AssumeRolePolicyDocument=[]", "MalformedPolicyDocument: " },
        { "a name with a slash", "iam:CreateRole", ROLE("a/b"), "ValidationError: The specified value for roleName is invalid." },
        { "64 characters", "iam:CreateRole", ROLE("a123456789012345678901234567890123456789012345678901234567890123"), "{\"Role\"" },
        { "65", "iam:CreateRole", ROLE("a1234567890123456789012345678901234567890123456789012345678901234"), "ValidationError: RoleName length" },
        { "a path", "iam:CreateRole", ROLE("p") "&Path=/a/b/", "*:role/a/b/p\"" },
        { "a path without its end", "iam:CreateRole", ROLE("q") "&Path=/a", "ValidationError: The specified value for path" },
        { "a session that is too short", "iam:CreateRole", ROLE("q") "&MaxSessionDuration=3599", "ValidationError: MaxSessionDuration" },
        { "a tag twice", "iam:CreateRole", ROLE("q") "&Tags.member.1.Key=k&Tags.member.2.Key=k", "ValidationError: " },
        { "by path", "iam:ListRoles", "PathPrefix=/a/", "{\"Roles\":[{\"Path\":\"/a/b/\",\"RoleName\":\"p\"" },
        { "of another path", "iam:ListRoles", "PathPrefix=/z/", "{\"Roles\":[],\"IsTruncated\":false}" },
        { "changed", "iam:UpdateRole", "RoleName=r&MaxSessionDuration=7200&Description=d", "{}" },
        { "its description", "iam:UpdateRoleDescription", "RoleName=r&Description=d", "*\"Description\":\"d\",\"MaxSessionDuration\":7200" },
        { "of no role", "iam:UpdateRoleDescription", "RoleName=x&Description=d", "NoSuchEntity: " },
        { "what it says", "iam:GetRole", "RoleName=r", "*\"Description\":\"d\",\"MaxSessionDuration\":7200" },
        { "its trust", "iam:UpdateAssumeRolePolicy", "RoleName=r&PolicyDocument={}", "{}" },
        { "no trust", "iam:UpdateAssumeRolePolicy", "RoleName=r&PolicyDocument=", "ValidationError: " },
        { "a boundary", "iam:PutRolePermissionsBoundary", "RoleName=r&PermissionsBoundary=arn:aws:iam::aws:policy/P", "{}" },
        { "is shown", "iam:GetRole", "RoleName=r", "*\"PermissionsBoundaryArn\":\"arn:aws:iam::aws:policy/P\"" },
        { "and goes", "iam:DeleteRolePermissionsBoundary", "RoleName=r", "{}" },
        { "an inline policy", "iam:PutRolePolicy", INLINE "p&PolicyDocument={\"x\":1}", "{}" },
        { "read", "iam:GetRolePolicy", INLINE "p", "{\"RoleName\":\"r\",\"PolicyName\":\"p\",\"PolicyDocument\":\"%7B%22x%22%3A1%7D\"}" },
        { "over it", "iam:PutRolePolicy", INLINE "p&PolicyDocument={}", "{}" },
        { "one", "iam:ListRolePolicies", "RoleName=r", "{\"PolicyNames\":[\"p\"],\"IsTruncated\":false}" },
        { "no JSON", "iam:PutRolePolicy", INLINE "q&PolicyDocument={", "MalformedPolicyDocument: " },
        { "unknown", "iam:GetRolePolicy", INLINE "q", "NoSuchEntity: The role policy with name q cannot be found." },
        { "unknown, gone", "iam:DeleteRolePolicy", INLINE "q", "NoSuchEntity: " },
        { "in the way", "iam:DeleteRole", "RoleName=r", "DeleteConflict: Cannot delete entity, must delete policies first." },
        { "gone", "iam:DeleteRolePolicy", INLINE "p", "{}" },
        { "attached", "iam:AttachRolePolicy", "RoleName=r&PolicyArn=arn:aws:iam::aws:policy/a/P", "{}" },
        { "attached again", "iam:AttachRolePolicy", "RoleName=r&PolicyArn=arn:aws:iam::aws:policy/a/P", "{}" },
        { "one", "iam:ListAttachedRolePolicies", "RoleName=r",
          "{\"AttachedPolicies\":[{\"PolicyName\":\"P\",\"PolicyArn\":\"arn:aws:iam::aws:policy/a/P\"}],\"IsTruncated\":false}" },
        { "no ARN", "iam:AttachRolePolicy", "RoleName=r&PolicyArn=policy/abcdefghijklmnop", "ValidationError: ARN policy" },
        { "in the way", "iam:DeleteRole", "RoleName=r", "DeleteConflict: Cannot delete entity, must detach" },
        { "not attached", "iam:DetachRolePolicy", "RoleName=r&PolicyArn=arn:aws:iam::aws:policy/a/Q", "NoSuchEntity: " },
        { "detached", "iam:DetachRolePolicy", "RoleName=r&PolicyArn=arn:aws:iam::aws:policy/a/P", "{}" },
        { "a profile", "iam:CreateInstanceProfile", "InstanceProfileName=i", "{\"InstanceProfile\":{\"Path\":\"/\",\"InstanceProfileName\":\"i\"" },
        { "again", "iam:CreateInstanceProfile", "InstanceProfileName=i", "EntityAlreadyExists: " },
        { "a role of nobody", "iam:AddRoleToInstanceProfile", "InstanceProfileName=i&RoleName=x", "NoSuchEntity: The role with name x cannot be found." },
        { "its role", "iam:AddRoleToInstanceProfile", "InstanceProfileName=i&RoleName=r", "{}" },
        { "a second one", "iam:AddRoleToInstanceProfile", "InstanceProfileName=i&RoleName=p", "LimitExceeded: " },
        { "shown", "iam:GetInstanceProfile", "InstanceProfileName=i", "*\"Roles\":[{\"Path\":\"/\",\"RoleName\":\"r\"" },
        { "of the role", "iam:ListInstanceProfilesForRole", "RoleName=r", "*\"InstanceProfileName\":\"i\"" },
        { "of the other", "iam:ListInstanceProfilesForRole", "RoleName=p", "{\"InstanceProfiles\":[],\"IsTruncated\":false}" },
        { "all", "iam:ListInstanceProfiles", "", "*\"InstanceProfileName\":\"i\"" },
        { "in the way", "iam:DeleteRole", "RoleName=r", "DeleteConflict: Cannot delete entity, must remove roles" },
        { "with a role", "iam:DeleteInstanceProfile", "InstanceProfileName=i", "DeleteConflict: " },
        { "another role", "iam:RemoveRoleFromInstanceProfile", "InstanceProfileName=i&RoleName=p", "NoSuchEntity: " },
        { "without it", "iam:RemoveRoleFromInstanceProfile", "InstanceProfileName=i&RoleName=r", "{}" },
        { "tagged", "iam:TagInstanceProfile", "InstanceProfileName=i&Tags.member.1.Key=a&Tags.member.1.Value=b", "{}" },
        { "its tags", "iam:ListInstanceProfileTags", "InstanceProfileName=i", "{\"Tags\":[{\"Key\":\"a\",\"Value\":\"b\"}],\"IsTruncated\":false}" },
        { "gone", "iam:DeleteInstanceProfile", "InstanceProfileName=i", "{}" },
        { "gone already", "iam:DeleteInstanceProfile", "InstanceProfileName=i", "NoSuchEntity: Instance Profile i cannot be found." },
        { "not found", "iam:GetInstanceProfile", "InstanceProfileName=i", "NoSuchEntity: " },
        { "one more tag", "iam:TagRole", "RoleName=r&Tags.member.1.Key=l&Tags.member.1.Value=w", "{}" },
        { "one less", "iam:UntagRole", "RoleName=r&TagKeys.member.1=k", "{}" },
        { "its tags", "iam:ListRoleTags", "RoleName=r", "{\"Tags\":[{\"Key\":\"l\",\"Value\":\"w\"}],\"IsTruncated\":false}" },
        { "of nobody", "iam:TagRole", "RoleName=x", "NoSuchEntity: " },
        { "gone", "iam:DeleteRole", "RoleName=r", "{}" },
        { "gone already", "iam:DeleteRole", "RoleName=r", "NoSuchEntity: The role with name r cannot be found." },
        { "not found", "iam:GetRole", "RoleName=r", "NoSuchEntity: " }, { "nor its policies", "iam:ListRolePolicies", "RoleName=r", "NoSuchEntity: " },
        { "nor those attached", "iam:ListAttachedRolePolicies", "RoleName=r", "NoSuchEntity: " },
        { "nor its profiles", "iam:ListInstanceProfilesForRole", "RoleName=r", "NoSuchEntity: " },
    };
    check_rows(f, rows, COUNT_OF(rows));
}

static void test_iam_limits(struct api_fixture *f)
{
    enum { ROLES = 1000, INLINED = 10240 };
    char document[INLINED + 2];
    memset(document, ' ', sizeof document);
    document[0] = '{';
    document[INLINED - 1] = '}';
    document[INLINED] = '\0';
    (void)fixture_call(f, "iam:CreateRole", ROLE("limit"));
    for (int p = 1; p < 20; p++) { (void)fixture_call(f, "iam:AttachRolePolicy", TEXT("RoleName=limit&PolicyArn=arn:aws:iam::aws:policy/P%d", p)); }
    const struct row policies[] = {
        { "10,240 bytes", "iam:PutRolePolicy", TEXT("RoleName=limit&PolicyName=p&PolicyDocument=%s", document), "{}" },
        { "more", "iam:PutRolePolicy", "RoleName=limit&PolicyName=q&PolicyDocument={}", "LimitExceeded: Maximum policy size of 10240 bytes exceeded" },
        { "20 policies", "iam:AttachRolePolicy", "RoleName=limit&PolicyArn=arn:aws:iam::aws:policy/P20", "{}" },
        { "21", "iam:AttachRolePolicy", "RoleName=limit&PolicyArn=arn:aws:iam::aws:policy/P21", "LimitExceeded: Cannot exceed quota for PoliciesPerRole: 20" },
    };
    check_rows(f, policies, COUNT_OF(policies));
    f->code = ERR_NONE;
    int made = 0;
    for (int r = 0; f->code == ERR_NONE; r++, made++) { (void)fixture_call(f, "iam:CreateRole", TEXT(ROLE("n%d"), r)); }
    CHECK_EQ("a limit", f->code, ERR_LIMIT_EXCEEDED);
    CHECK_STR("all roles are there, and no more", fixture_call(f, "iam:CreateRole", ROLE("last")), STR("LimitExceeded: Cannot exceed quota for RolesPerAccount: 1000"));
    CHECK("about as many", made > ROLES - 10 && made <= ROLES);
    made = 0;
    f->code = ERR_NONE;
    for (int p = 0; f->code == ERR_NONE; p++, made++) { (void)fixture_call(f, "iam:CreateInstanceProfile", TEXT("InstanceProfileName=n%d", p)); }
    CHECK_EQ("profiles have a limit", made, ROLES + 1);
}

/* ---- EC2 ---- */

#define OPEN(ports) "&IpPermissions.1.IpProtocol=tcp&IpPermissions.1.FromPort=" ports "&IpPermissions.1.ToPort=" ports "&IpPermissions.1.IpRanges.1.CidrIp=10.0.0.0/8"
#define GROUP_OF(name, vpc) "GroupName=" name "&GroupDescription=d&VpcId=" vpc
#define ALL "IpPermissions.1.IpProtocol=-1&IpPermissions.1.FromPort=0&IpPermissions.1.ToPort=0&IpPermissions.1"

static void test_groups(struct api_fixture *f)
{
    const char *id = take(f, "ec2:CreateSecurityGroup", GROUP_OF("g", "vpc-a") "&TagSpecification.1.ResourceType=security-group&TagSpecification.1.Tag.1.Key=k"
                          "&TagSpecification.1.Tag.1.Value=v", "groupId");
    const char *group = TEXT("GroupId=%s&", id), *one = TEXT("GroupId.1=%s", id);
    const char *other = take(f, "ec2:CreateSecurityGroup", GROUP_OF("other", "vpc-a"), "groupId");
    CHECK("its id", strlen(id) == 20 && memcmp(id, "sg-0", 4) == 0);
    const char *rule = take(f, "ec2:AuthorizeSecurityGroupIngress", TEXT("%s" OPEN("80") "&TagSpecification.1.ResourceType=security-group-rule"
                            "&TagSpecification.1.Tag.1.Key=q", group), "securityGroupRuleSet[0].securityGroupRuleId");
    const struct row rows[] = {
        { "the same name", "ec2:CreateSecurityGroup", GROUP_OF("g", "vpc-a"), "InvalidGroup.Duplicate: The security group 'g' already exists for VPC 'vpc-a'" },
        { "in another VPC", "ec2:CreateSecurityGroup", GROUP_OF("g", "vpc-b"), "{\"groupId\":\"sg-0" },
        { "without a VPC", "ec2:CreateSecurityGroup", "GroupName=g&GroupDescription=d", "{\"groupId\":\"sg-0" },
        { "no description", "ec2:CreateSecurityGroup", "GroupName=h", "InvalidParameterValue: GroupDescription can not be blank." },
        { "tags of another type", "ec2:CreateSecurityGroup", GROUP_OF("h", "v") "&TagSpecification.1.ResourceType=vpc&TagSpecification.1.Tag.1.Key=k",
          "InvalidParameterValue: 'vpc' is not a valid taggable resource type" },
        { "an unknown parameter", "ec2:CreateSecurityGroup", GROUP_OF("h", "v") "&Colour=red", "UnknownParameter: The parameter Colour is not recognized" },
        { "shown", "ec2:DescribeSecurityGroups", one, TEXT("*\"groupName\":\"g\",\"groupDescription\":\"d\",\"ipPermissions\":[{\"ipProtocol\":\"tcp\",\"fromPort\":80,"
          "\"toPort\":80,\"ipRanges\":[{\"cidrIp\":\"10.0.0.0/8\"}]}],\"groupId\":\"%s\",\"ipPermissionsEgress\":[{\"ipProtocol\":\"-1\",\"ipRanges\":"
          "[{\"cidrIp\":\"0.0.0.0/0\"}]}],\"tagSet\":[{\"key\":\"k\",\"value\":\"v\"}],\"vpcId\":\"vpc-a\"", id) },
        { "its rules", "ec2:DescribeSecurityGroupRules", TEXT("Filter.1.Name=group-id&Filter.1.Value.1=%s", id), TEXT("*\"securityGroupRuleId\":\"%s\",\"isEgress\":false,"
          "\"ipProtocol\":\"tcp\",\"fromPort\":80,\"toPort\":80,\"cidrIpv4\":\"10.0.0.0/8\",\"tagSet\":[{\"key\":\"q\"}],\"groupId\":\"%s\"", rule, id) },
        { "a rule by its id", "ec2:DescribeSecurityGroupRules", TEXT("SecurityGroupRuleId.1=%s", rule), "*\"tagSet\":[{\"key\":\"q\"}]" },
        { "an unknown rule", "ec2:DescribeSecurityGroupRules", "SecurityGroupRuleId.1=sgr-x", "InvalidSecurityGroupRuleId.NotFound: The security group rule ID 'sgr-x'" },
        { "no such group", "ec2:DescribeSecurityGroups", "GroupId.1=sg-x", "InvalidGroup.NotFound: The security group 'sg-x' does not exist" },
        { "no such name", "ec2:DescribeSecurityGroups", "GroupName.1=x", "InvalidGroup.NotFound: " },
        { "by name", "ec2:DescribeSecurityGroups", "GroupName.1=other", "*\"groupName\":\"other\"" },
        { "by tag", "ec2:DescribeSecurityGroups", "Filter.1.Name=tag:k&Filter.1.Value.1=?&Filter.2.Name=vpc-id&Filter.2.Value.1=vpc-*", "*\"groupName\":\"g\"" },
        { "by another", "ec2:DescribeSecurityGroups", "Filter.1.Name=tag-key&Filter.1.Value.1=z", "{\"securityGroupInfo\":[]}" },
        { "by the end of a name", "ec2:DescribeSecurityGroups", "Filter.1.Name=group-name&Filter.1.Value.1=*ther", "*\"groupName\":\"other\"" },
        { "an unknown filter", "ec2:DescribeSecurityGroups", "Filter.1.Name=x&Filter.1.Value.1=y", "InvalidParameterValue: The filter 'x' is invalid" },
        { "a rule twice", "ec2:AuthorizeSecurityGroupIngress", TEXT("%s" OPEN("80"), group), "InvalidPermission.Duplicate: " },
        { "a rule of no source", "ec2:AuthorizeSecurityGroupIngress", TEXT("%sIpPermissions.1.IpProtocol=-1", group), "InvalidParameterValue: The request must contain" },
        { "ports", "ec2:AuthorizeSecurityGroupIngress", TEXT("%s" OPEN("65536"), group), "InvalidParameterValue: Invalid TCP/UDP port range (65536:65536)" },
        { "the last port", "ec2:AuthorizeSecurityGroupIngress", TEXT("%s" OPEN("65535"), group), "{\"return\":true" },
        { "no block", "ec2:AuthorizeSecurityGroupIngress", TEXT("%s" ALL ".IpRanges.1.CidrIp=10.0.0.0", group), "InvalidParameterValue: CIDR block 10.0.0.0 is malformed" },
        { "the other group", "ec2:AuthorizeSecurityGroupEgress", TEXT("%s" ALL ".Groups.1.GroupId=%s", group, other), "{\"return\":true" },
        { "IPv6", "ec2:AuthorizeSecurityGroupEgress", TEXT("%s" ALL ".Ipv6Ranges.1.CidrIpv6=::/0", group), "{\"return\":true" },
        { "a list", "ec2:AuthorizeSecurityGroupEgress", TEXT("%s" ALL ".PrefixListIds.1.PrefixListId=pl-1", group), "{\"return\":true" },
        { "all in one", "ec2:DescribeSecurityGroups", one, "*\"ipv6Ranges\":[{\"cidrIpv6\":\"::/0\"}],\"prefixListIds\":[{\"prefixListId\":\"pl-1\"}]" },
        { "it is named by a rule", "ec2:DeleteSecurityGroup", TEXT("GroupId=%s", other), "DependencyViolation: resource sg-0" },
        { "away with it", "ec2:RevokeSecurityGroupEgress", TEXT("%s" ALL ".Groups.1.GroupId=%s", group, other), "{}" },
        { "it is gone", "ec2:RevokeSecurityGroupEgress", TEXT("%s" ALL ".Groups.1.GroupId=%s", group, other), "InvalidPermission.NotFound: " },
        { "of the other direction", "ec2:RevokeSecurityGroupIngress", TEXT("%s" ALL ".Ipv6Ranges.1.CidrIpv6=::/0", group), "InvalidPermission.NotFound: " },
        { "by its id, there", "ec2:RevokeSecurityGroupEgress", TEXT("%sSecurityGroupRuleId.1=%s", group, rule), "InvalidSecurityGroupRuleId.NotFound: " },
        { "described", "ec2:UpdateSecurityGroupRuleDescriptionsIngress", TEXT("%s" OPEN("80") "&IpPermissions.1.IpRanges.1.Description=web", group), "{}" },
        { "a rule that is not there", "ec2:UpdateSecurityGroupRuleDescriptionsEgress", TEXT("%s" OPEN("80"), group), "InvalidPermission.NotFound: " },
        { "its words", "ec2:DescribeSecurityGroupRules", TEXT("SecurityGroupRuleId.1=%s", rule), "*\"description\":\"web\"" },
        { "changed", "ec2:ModifySecurityGroupRules", TEXT("%sSecurityGroupRule.1.SecurityGroupRuleId=%s&SecurityGroupRule.1.SecurityGroupRule.IpProtocol=17"
          "&SecurityGroupRule.1.SecurityGroupRule.FromPort=1&SecurityGroupRule.1.SecurityGroupRule.ToPort=2&SecurityGroupRule.1.SecurityGroupRule.CidrIpv4=1.0.0.0/8",
          group, rule), "{}" },
        { "shown", "ec2:DescribeSecurityGroupRules", TEXT("SecurityGroupRuleId.1=%s", rule), "*\"ipProtocol\":\"udp\",\"fromPort\":1,\"toPort\":2,\"cidrIpv4\":\"1.0.0.0/8\"" },
        { "to no source", "ec2:ModifySecurityGroupRules", TEXT("%sSecurityGroupRule.1.SecurityGroupRuleId=%s&SecurityGroupRule.1.SecurityGroupRule.IpProtocol=-1",
          group, rule), "InvalidParameterValue: A security group rule must have exactly one" },
        { "by its id", "ec2:RevokeSecurityGroupIngress", TEXT("%sSecurityGroupRuleId.1=%s", group, rule), "{}" },
        { "of no group", "ec2:RevokeSecurityGroupIngress", "GroupId=sg-x&SecurityGroupRuleId.1=x", "InvalidGroup.NotFound: " },
        { "tagged", "ec2:CreateTags", TEXT("ResourceId.1=%s&Tag.1.Key=l&Tag.1.Value=w", id), "{}" },
        { "all of it or none", "ec2:CreateTags", TEXT("ResourceId.1=%s&ResourceId.2=sg-x&Tag.1.Key=m", id), "InvalidID: The ID 'sg-x' is not valid" },
        { "one away", "ec2:DeleteTags", TEXT("ResourceId.1=%s&Tag.1.Key=k", id), "{}" },
        { "its tags", "ec2:DescribeTags", TEXT("Filter.1.Name=resource-id&Filter.1.Value.1=%s", id),
          TEXT("{\"tagSet\":[{\"key\":\"l\",\"value\":\"w\",\"resourceId\":\"%s\",\"resourceType\":\"security-group\"}]}", id) },
        { "nobody uses it", "ec2:DescribeNetworkInterfaces", "Filter.1.Name=group-id&Filter.1.Value.1=x", "{\"networkInterfaceSet\":[]}" },
        { "gone", "ec2:DeleteSecurityGroup", TEXT("GroupId=%s", id), "{}" }, { "gone already", "ec2:DeleteSecurityGroup", TEXT("GroupId=%s", id), "InvalidGroup.NotFound: " },
    };
    check_rows(f, rows, COUNT_OF(rows));
    for (int r = 1; r < 60; r++) { (void)fixture_call(f, "ec2:AuthorizeSecurityGroupIngress", TEXT("GroupId=%s" OPEN("%d"), other, r, r)); }
    const struct row limits[] = {
        { "60 rules", "ec2:AuthorizeSecurityGroupIngress", TEXT("GroupId=%s" OPEN("60"), other), "{\"return\":true" },
        { "61", "ec2:AuthorizeSecurityGroupIngress", TEXT("GroupId=%s" OPEN("61"), other), "ResourceLimitExceeded: The maximum number of rules per security group" },
        { "of the other direction", "ec2:AuthorizeSecurityGroupEgress", TEXT("GroupId=%s" OPEN("61"), other), "{\"return\":true" },
    };
    check_rows(f, limits, COUNT_OF(limits));
}

static void test_networks(struct api_fixture *f)
{
    const char *vpc = take(f, "ec2:CreateVpc", "CidrBlock=10.0.0.0/16&TagSpecification.1.ResourceType=vpc&TagSpecification.1.Tag.1.Key=Name&TagSpecification.1.Tag.1.Value=n", "vpc.vpcId");
    const char *id = TEXT("VpcId=%s", vpc), *subnet = take(f, "ec2:CreateSubnet", TEXT("%s&CidrBlock=10.0.1.0/24", id), "subnet.subnetId");
    const struct row rows[] = {
        { "shown", "ec2:DescribeVpcs", TEXT("VpcId.1=%s", vpc), TEXT("{\"vpcSet\":[{\"vpcId\":\"%s\",\"ownerId\":\"123456789012\",\"state\":\"available\",\"cidrBlock\":\"10.0.0.0/16\"", vpc) },
        { "by tag", "ec2:DescribeVpcs", "Filter.1.Name=tag:Name&Filter.1.Value.1=n", TEXT("*%s", vpc) },
        { "none is the default", "ec2:DescribeVpcs", "Filter.1.Name=isDefault&Filter.1.Value.1=true", "{\"vpcSet\":[]}" },
        { "unknown", "ec2:DescribeVpcs", "VpcId.1=vpc-x", "InvalidVpcID.NotFound: The vpc ID 'vpc-x' does not exist" },
        { "an attribute", "ec2:DescribeVpcAttribute", TEXT("%s&Attribute=enableDnsSupport", id), TEXT("{\"vpcId\":\"%s\",\"enableDnsSupport\":{\"value\":true}}", vpc) },
        { "changed", "ec2:ModifyVpcAttribute", TEXT("%s&EnableDnsHostnames.Value=true", id), "{}" },
        { "is kept", "ec2:DescribeVpcAttribute", TEXT("%s&Attribute=enableDnsHostnames", id), "*\"enableDnsHostnames\":{\"value\":true}" },
        { "the third", "ec2:DescribeVpcAttribute", TEXT("%s&Attribute=enableNetworkAddressUsageMetrics", id), "*\"value\":false" },
        { "a fourth", "ec2:DescribeVpcAttribute", TEXT("%s&Attribute=x", id), "InvalidParameterValue: Value (x)" },
        { "a subnet", "ec2:DescribeSubnets", TEXT("SubnetId.1=%s", subnet), "*\"availabilityZone\":\"us-east-1a\"" },
        { "of the VPC", "ec2:DescribeSubnets", TEXT("Filter.1.Name=vpc-id&Filter.1.Value.1=%s", vpc), TEXT("*%s", subnet) },
        { "of no VPC", "ec2:CreateSubnet", "VpcId=vpc-x&CidrBlock=10.0.1.0/24", "InvalidVpcID.NotFound: " },
        { "with addresses", "ec2:ModifySubnetAttribute", TEXT("SubnetId=%s&MapPublicIpOnLaunch.Value=true", subnet), "{}" },
        { "is kept", "ec2:DescribeSubnets", TEXT("SubnetId.1=%s", subnet), "*\"mapPublicIpOnLaunch\":true" },
        { "the VPC is used", "ec2:DeleteVpc", id, "DependencyViolation: " },
        { "zones", "ec2:DescribeAvailabilityZones", "ZoneName.1=us-east-1c", "{\"availabilityZoneInfo\":[{\"zoneName\":\"us-east-1c\",\"zoneState\":\"available\"" },
        { "no tables", "ec2:DescribeRouteTables", "", "{\"routeTableSet\":[]}" }, { "no lists", "ec2:DescribeNetworkAcls", "", "{\"networkAclSet\":[]}" },
        { "gone", "ec2:DeleteSubnet", TEXT("SubnetId=%s", subnet), "{}" }, { "gone already", "ec2:DeleteSubnet", TEXT("SubnetId=%s", subnet), "InvalidSubnetID.NotFound: " },
        { "and its VPC", "ec2:DeleteVpc", id, "{}" }, { "gone already", "ec2:DeleteVpc", id, "InvalidVpcID.NotFound: " },
    };
    check_rows(f, rows, COUNT_OF(rows));
}

static const struct { const char *operation, *form; enum err_code code; int most; } ec2_limits[] = {
    { "ec2:CreateSecurityGroup", "GroupDescription=d&GroupName=n", ERR_LIMIT_EXCEEDED, 500 }, { "ec2:CreateVpc", "CidrBlock=10.0.0.0/", ERR_LIMIT_EXCEEDED, 100 },
};

static void test_ec2_limits(struct api_fixture *f)
{
    for (size_t l = 0; l < COUNT_OF(ec2_limits); l++) {
        int made = 0;
        f->code = ERR_NONE;
        for (int n = 0; f->code == ERR_NONE; n++) {
            (void)fixture_call(f, ec2_limits[l].operation, TEXT("%s%d", ec2_limits[l].form, n));
            made += f->code == ERR_NONE;
        }
        CHECK_EQ(ec2_limits[l].operation, f->code, ec2_limits[l].code);
        CHECK(ec2_limits[l].operation, made <= ec2_limits[l].most && made > ec2_limits[l].most - 10);
    }
}

int main(void)
{
    struct api_fixture f;
    fixture_open(&f);
    test_iam(&f);
    test_groups(&f);
    test_networks(&f);
    test_iam_limits(&f);
    test_ec2_limits(&f);
    fixture_close(&f);
    return check_report();
}
