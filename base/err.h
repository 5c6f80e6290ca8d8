/* err.h: errors as values. One table holds every error a client can see: its code, its name on the wire, its HTTP status.
 * The first block has the exceptions of the ECS model, the second those of the services that tasks use, the third those
 * of the front end before an operation runs. */
#ifndef BERTH_BASE_ERR_H
#define BERTH_BASE_ERR_H

#include <stdbool.h>

#include "base/str.h"

#define ERR_TABLE(X)                 /* name, wire name, HTTP status */                       \
    X(ERR_ACCESS_DENIED,             "AccessDeniedException",                       400)      \
    X(ERR_ATTRIBUTE_LIMIT_EXCEEDED,  "AttributeLimitExceededException",             400)      \
    X(ERR_BLOCKED,                   "BlockedException",                            400)      \
    X(ERR_CLIENT,                    "ClientException",                             400)      \
    X(ERR_CLUSTER_HAS_PROVIDER,      "ClusterContainsCapacityProviderException",    400)      \
    X(ERR_CLUSTER_HAS_INSTANCES,     "ClusterContainsContainerInstancesException",  400)      \
    X(ERR_CLUSTER_HAS_SERVICES,      "ClusterContainsServicesException",            400)      \
    X(ERR_CLUSTER_HAS_TASKS,         "ClusterContainsTasksException",               400)      \
    X(ERR_CLUSTER_NOT_FOUND,         "ClusterNotFoundException",                    400)      \
    X(ERR_CONFLICT,                  "ConflictException",                           400)      \
    X(ERR_DAEMON_NOT_ACTIVE,         "DaemonNotActiveException",                    400)      \
    X(ERR_DAEMON_NOT_FOUND,          "DaemonNotFoundException",                     400)      \
    X(ERR_INVALID_PARAMETER,         "InvalidParameterException",                   400)      \
    X(ERR_LIMIT_EXCEEDED,            "LimitExceededException",                      400)      \
    X(ERR_MISSING_VERSION,           "MissingVersionException",                     400)      \
    X(ERR_NAMESPACE_NOT_FOUND,       "NamespaceNotFoundException",                  400)      \
    X(ERR_NO_UPDATE_AVAILABLE,       "NoUpdateAvailableException",                  400)      \
    X(ERR_PLATFORM_INCOMPATIBLE,     "PlatformTaskDefinitionIncompatibilityException", 400)   \
    X(ERR_PLATFORM_UNKNOWN,          "PlatformUnknownException",                    400)      \
    X(ERR_RESOURCE_IN_USE,           "ResourceInUseException",                      400)      \
    X(ERR_RESOURCE_NOT_FOUND,        "ResourceNotFoundException",                   400)      \
    X(ERR_SERVER,                    "ServerException",                             500)      \
    X(ERR_STORE_DAMAGED,             "ServerException",                             500)      \
    X(ERR_SERVICE_DEPLOYMENT_NOT_FOUND, "ServiceDeploymentNotFoundException",       400)      \
    X(ERR_SERVICE_NOT_ACTIVE,        "ServiceNotActiveException",                   400)      \
    X(ERR_SERVICE_NOT_FOUND,         "ServiceNotFoundException",                    400)      \
    X(ERR_TARGET_NOT_CONNECTED,      "TargetNotConnectedException",                 400)      \
    X(ERR_TARGET_NOT_FOUND,          "TargetNotFoundException",                     400)      \
    X(ERR_TASK_SET_NOT_FOUND,        "TaskSetNotFoundException",                    400)      \
    X(ERR_UNSUPPORTED_FEATURE,       "UnsupportedFeatureException",                 400)      \
    X(ERR_UPDATE_IN_PROGRESS,        "UpdateInProgressException",                   400)      \
    /* of the services beside ECS */                                                          \
    X(ERR_ALREADY_EXISTS,            "ResourceAlreadyExistsException",              400)      \
    X(ERR_INVALID_NEXT_TOKEN,        "InvalidNextTokenException",                   400)      \
    X(ERR_INVALID_REQUEST,           "InvalidRequestException",                     400)      \
    X(ERR_PARAMETER_EXISTS,          "ParameterAlreadyExists",                      400)      \
    X(ERR_PARAMETER_NOT_FOUND,       "ParameterNotFound",                           400)      \
    X(ERR_PARAMETER_VERSION_NOT_FOUND, "ParameterVersionNotFound",                  400)      \
    X(ERR_RESOURCE_EXISTS,           "ResourceExistsException",                     400)      \
    X(ERR_VALIDATION,                "ValidationException",                         400)      \
    /* of Elastic Load Balancing */                                                           \
    X(ERR_ELB_BALANCER_NOT_FOUND,    "LoadBalancerNotFound",                        400)      \
    X(ERR_ELB_DUPLICATE_BALANCER,    "DuplicateLoadBalancerName",                   400)      \
    X(ERR_ELB_DUPLICATE_GROUP,       "DuplicateTargetGroupName",                    400)      \
    X(ERR_ELB_DUPLICATE_LISTENER,    "DuplicateListener",                           400)      \
    X(ERR_ELB_DUPLICATE_TAG,         "DuplicateTagKeys",                            400)      \
    X(ERR_ELB_GROUP_NOT_FOUND,       "TargetGroupNotFound",                         400)      \
    X(ERR_ELB_INCOMPATIBLE,          "IncompatibleProtocols",                       400)      \
    X(ERR_ELB_INVALID_ACTION,        "InvalidLoadBalancerAction",                   400)      \
    X(ERR_ELB_INVALID_CONFIGURATION, "InvalidConfigurationRequest",                 400)      \
    X(ERR_ELB_INVALID_TARGET,        "InvalidTarget",                               400)      \
    X(ERR_ELB_LISTENER_NOT_FOUND,    "ListenerNotFound",                            400)      \
    X(ERR_ELB_MANY_ACTIONS,          "TooManyActions",                              400)      \
    X(ERR_ELB_MANY_BALANCERS,        "TooManyLoadBalancers",                        400)      \
    X(ERR_ELB_MANY_CERTIFICATES,     "TooManyCertificates",                         400)      \
    X(ERR_ELB_MANY_GROUPS,           "TooManyTargetGroups",                         400)      \
    X(ERR_ELB_MANY_LISTENERS,        "TooManyListeners",                            400)      \
    X(ERR_ELB_MANY_RULES,            "TooManyRules",                                400)      \
    X(ERR_ELB_MANY_TAGS,             "TooManyTags",                                 400)      \
    X(ERR_ELB_MANY_TARGETS,          "TooManyTargets",                              400)      \
    X(ERR_ELB_NOT_PERMITTED,         "OperationNotPermitted",                       400)      \
    X(ERR_ELB_POLICY_NOT_FOUND,      "SSLPolicyNotFound",                           400)      \
    X(ERR_ELB_PRIORITY_IN_USE,       "PriorityInUse",                               400)      \
    X(ERR_ELB_RULE_NOT_FOUND,        "RuleNotFound",                                400)      \
    /* of IAM and EC2 */                                                                      \
    X(ERR_IAM_CONFLICT,              "DeleteConflict",                              409)      \
    X(ERR_IAM_EXISTS,                "EntityAlreadyExists",                         409)      \
    X(ERR_IAM_MALFORMED_POLICY,      "MalformedPolicyDocument",                     400)      \
    X(ERR_IAM_NOT_FOUND,             "NoSuchEntity",                                404)      \
    X(ERR_EC2_DEPENDENCY,            "DependencyViolation",                         400)      \
    X(ERR_EC2_GROUP_EXISTS,          "InvalidGroup.Duplicate",                      400)      \
    X(ERR_EC2_GROUP_NOT_FOUND,       "InvalidGroup.NotFound",                       400)      \
    X(ERR_EC2_ID_NOT_FOUND,          "InvalidID",                                   400)      \
    X(ERR_EC2_PERMISSION_EXISTS,     "InvalidPermission.Duplicate",                 400)      \
    X(ERR_EC2_PERMISSION_NOT_FOUND,  "InvalidPermission.NotFound",                  400)      \
    X(ERR_EC2_RULE_NOT_FOUND,        "InvalidSecurityGroupRuleId.NotFound",         400)      \
    X(ERR_EC2_SUBNET_NOT_FOUND,      "InvalidSubnetID.NotFound",                    400)      \
    X(ERR_EC2_TEMPLATE_EXISTS,       "InvalidLaunchTemplateName.AlreadyExistsException", 400) \
    X(ERR_EC2_TEMPLATE_MALFORMED,    "InvalidLaunchTemplateId.Malformed",           400)      \
    X(ERR_EC2_TEMPLATE_NAME_NOT_FOUND, "InvalidLaunchTemplateName.NotFoundException", 400)    \
    X(ERR_EC2_TEMPLATE_NOT_FOUND,    "InvalidLaunchTemplateId.NotFound",            400)      \
    X(ERR_EC2_UNKNOWN_PARAMETER,     "UnknownParameter",                            400)      \
    X(ERR_EC2_VERSION_NOT_FOUND,     "InvalidLaunchTemplateId.VersionNotFound",     400)      \
    X(ERR_EC2_VPC_NOT_FOUND,         "InvalidVpcID.NotFound",                       400)      \
    /* the front end's own */                                                                 \
    X(ERR_SERIALIZATION,             "SerializationException",                      400)      \
    X(ERR_UNKNOWN_OPERATION,         "UnknownOperationException",                   400)      \
    X(ERR_MISSING_TOKEN,             "MissingAuthenticationTokenException",         400)      \
    X(ERR_INCOMPLETE_SIGNATURE,      "IncompleteSignatureException",                400)      \
    X(ERR_UNRECOGNIZED_CLIENT,       "UnrecognizedClientException",                 400)      \
    X(ERR_EXPIRED_TOKEN,             "ExpiredTokenException",                       400)      \
    X(ERR_INVALID_SIGNATURE,         "InvalidSignatureException",                   400)      \
    X(ERR_THROTTLING,                "ThrottlingException",                         400)      \
    X(ERR_REQUEST_TOO_LARGE,         "RequestEntityTooLargeException",              413)      \
    X(ERR_UNAVAILABLE,               "ServiceUnavailable",                          503)

#define X(name, wire, http) name,
enum err_code { ERR_NONE, ERR_TABLE(X) ERR_COUNT };
#undef X

/* Only ConflictException has ids. They must live as long as the error: in the request's arena. */
struct err {
    enum err_code code;
    char message[640];
    const struct str *resource_ids; size_t resource_id_count;        /* borrowed */
    int retry_after_s;                                               /* not 0: when to retry */
};

/* Fills *err, which must be empty (the first cause wins), and returns false: `return err_set(err, ...);` */
bool err_set(struct err *err, enum err_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

const char *err_wire_name(enum err_code code);      /* "ServerException" for ERR_NONE */
int         err_http_status(enum err_code code);

#endif
