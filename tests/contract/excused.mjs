// excused.mjs: what no test can provoke yet, each with its reason: coverage.mjs asks for every other pair of an operation and an
// answer that it declares. A row that excuses a pair that was seen is as wrong as a pair that nobody saw, so rows leave with the work.
import { words } from '../lib/model.mjs';

// Each answer in `answers`, of each operation that declares it.
export const excused = [
    { operations: words(`DescribeCapacityProviders DescribeClusters DescribeContainerInstances DescribeDaemon DescribeDaemonDeployments DescribeDaemonRevisions
        DescribeDaemonTaskDefinition DescribeExpressGatewayService DescribeServiceDeployments DescribeServiceRevisions DescribeServices DescribeTaskDefinition
        DescribeTaskSets DescribeTasks GetTaskProtection ListAccountSettings ListAttributes ListClusters ListContainerInstances ListDaemonDeployments
        ListDaemonTaskDefinitions ListDaemons ListServiceDeployments ListServices ListServicesByNamespace ListTagsForResource ListTaskDefinitionFamilies
        ListTaskDefinitions ListTasks`), answers: ['AccessDeniedException'], why: 'the least role of all may read' },

    { operations: words(`ContinueServiceDeployment DeleteAccountSetting DeleteAttributes DeleteCluster DeleteExpressGatewayService DeleteService
        DeleteDaemon DeleteTaskDefinitions DeleteTaskSet DeregisterContainerInstance DescribeClusters DescribeDaemon DescribeDaemonDeployments DescribeDaemonRevisions DescribeExpressGatewayService DescribeServiceDeployments DescribeServiceRevisions DescribeServices DescribeTaskSets DescribeTasks
        DiscoverPollEndpoint GetTaskProtection ListAccountSettings ListAttributes ListClusters ListContainerInstances ListDaemonDeployments ListDaemons ListDaemonTaskDefinitions
        ListServiceDeployments ListServices ListServicesByNamespace ListTaskDefinitionFamilies ListTaskDefinitions ListTasks PutAccountSetting
        PutAccountSettingDefault PutAttributes StopServiceDeployment StopTask SubmitAttachmentStateChanges SubmitContainerStateChange SubmitTaskStateChange UpdateCluster UpdateClusterSettings
        UpdateServicePrimaryTaskSet UpdateTaskProtection UpdateTaskSet`), answers: ['ClientException'],
        why: 'all that can be wrong with the request has another name; left is a read whose reply outgrows its memory, which the unit test of operations provokes' },

    { operations: ['DescribeDaemonDeployments', 'DescribeDaemonRevisions'], answers: ['ClusterNotFoundException'],
        why: 'what an ARN names and is not there is an entry of failures[]' },
    { operations: words(`CreateDaemon DeleteDaemon DescribeDaemon DescribeDaemonDeployments DescribeDaemonRevisions ListDaemonDeployments ListDaemons
        UpdateDaemon`), answers: ['UnsupportedFeatureException'], why: 'all that these operations can name is served; another kind of capacity provider is an invalid parameter' },
    { operations: ['CreateDaemon', 'UpdateDaemon'], answers: ['PlatformUnknownException'], why: 'there is no Fargate, so no platform version' },
    { operations: ['DescribeServiceDeployments', 'DescribeServiceRevisions'], answers: ['ClusterNotFoundException', 'ServiceNotFoundException'],
        why: 'what an ARN names and is not there is an entry of failures[]' },
    { operations: words('ContinueServiceDeployment DescribeServiceDeployments DescribeServiceRevisions ListServiceDeployments StopServiceDeployment'),
        answers: ['UnsupportedFeatureException'], why: 'all service deployments can be described and stopped' },
    { operations: ['CreateService', 'UpdateService'], answers: ['NamespaceNotFoundException'], why: 'namespaces are names: Berth has no Cloud Map' },
    { operations: ['CreateService', 'UpdateService'], answers: ['PlatformUnknownException', 'PlatformTaskDefinitionIncompatibilityException'],
        why: 'there is no Fargate, so no platform version' },
    { operations: ['CreateExpressGatewayService'], answers: ['PlatformUnknownException', 'PlatformTaskDefinitionIncompatibilityException'],
        why: 'there is no Fargate, so no platform version' },
    { operations: ['DeleteExpressGatewayService', 'DescribeExpressGatewayService'], answers: ['UnsupportedFeatureException'],
        why: 'an Express service that exists can be shown and deleted' },
    { operations: ['UpdateContainerAgent'], answers: ['success', 'UpdateInProgressException'], why: 'there is no repository of agents: NoUpdateAvailableException' },
    { operations: ['DiscoverPollEndpoint'], answers: ['InvalidParameterException', 'ServerException'], why: 'everybody gets the same endpoints: the store is not asked' },
    { operations: ['DeleteCluster'], answers: ['ClusterContainsTasksException'], why: 'live tasks are on registered instances, and those are asked for first' },
    { operations: words('CreateCapacityProvider DeleteCapacityProvider DeleteCluster PutClusterCapacityProviders UpdateClusterSettings'),
        answers: ['UpdateInProgressException'], why: 'changes of a cluster and of its capacity providers take no time' },
    { operations: words('CreateCapacityProvider DeleteCapacityProvider DescribeCapacityProviders UpdateCapacityProvider'), answers: ['UnsupportedFeatureException'],
        why: 'all that these operations can name is served' },
    { operations: ['DeleteCapacityProvider', 'UpdateCapacityProvider'], answers: ['ClusterNotFoundException'], why: 'a capacity provider has one name in all clusters' },
    { operations: ['CreateCapacityProvider'], answers: ['LimitExceededException'], why: 'there can be 500 capacity providers' },
    { operations: ['DescribeCapacityProviders'], answers: ['ClientException'], why: 'all that can be wrong with the request has another name' },
    { operations: ['CreateCluster', 'StartTask', 'UpdateCluster'], answers: ['NamespaceNotFoundException'], why: 'namespaces are kept as they are: Berth has no Cloud Map' },
    { operations: ['RegisterDaemonTaskDefinition', 'RegisterTaskDefinition'], answers: ['LimitExceededException'], why: 'revisions have no quota' },
    { operations: ['RunTask'], answers: ['BlockedException'], why: 'there are no accounts that could be blocked' },
    { operations: ['RunTask'], answers: ['PlatformUnknownException', 'PlatformTaskDefinitionIncompatibilityException'], why: 'there is no Fargate, so no platform version' },
    { operations: ['GetTaskProtection', 'UpdateTaskProtection'], answers: ['ResourceNotFoundException', 'UnsupportedFeatureException'],
        why: 'a task that is not there, or not of a service, is named in failures[]' },
    { operations: words('CreateTaskSet DeleteTaskSet UpdateTaskSet'), answers: ['LimitExceededException'], why: 'ECS has another name for a sixth task set' },
    { operations: ['CreateTaskSet'], answers: ['NamespaceNotFoundException'], why: 'a task set has no Service Connect' },
    { operations: ['CreateTaskSet'], answers: ['PlatformUnknownException', 'PlatformTaskDefinitionIncompatibilityException'],
        why: 'there is no Fargate, so no platform version' },
    { operations: words('DeleteTaskSet DescribeTaskSets UpdateServicePrimaryTaskSet UpdateTaskSet'), answers: ['UnsupportedFeatureException'],
        why: 'a set that exists can be shown, changed and deleted' },
    { operations: ['SubmitContainerStateChange', 'SubmitTaskStateChange'], answers: ['ClusterNotFoundException'],
        why: 'agents drop a report for InvalidParameterException alone: a cluster that is gone has no tasks' },
];
