// model.mjs: the public API model, as the botocore of Debian's awscli ships it, and the check of a reply against it.
import { readFileSync, existsSync, readdirSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { gunzipSync } from 'node:zlib';
import assert from 'node:assert';
import path from 'node:path';

const places = ['/usr/lib/python3/dist-packages/awscli/botocore/data/ecs', '/usr/lib/python3/dist-packages/botocore/data/ecs'];

function load() {
    for (const place of places) {
        if (!existsSync(place)) continue;
        const folder = `${place}/${readdirSync(place).filter((name) => /^\d{4}-/.test(name)).sort().at(-1)}`;
        if (existsSync(`${folder}/service-2.json`)) return JSON.parse(readFileSync(`${folder}/service-2.json`, 'utf8'));
        if (existsSync(`${folder}/service-2.json.gz`)) return JSON.parse(gunzipSync(readFileSync(`${folder}/service-2.json.gz`)).toString('utf8'));
    }
    throw new Error(`no ECS model below ${places.join(' or ')}: is the package awscli installed?`);
}

export const model = load();

export const root = path.resolve(new URL('../..', import.meta.url).pathname);
export const program = process.env.PROGRAM_UNDER_TEST ?? path.join(root, 'build/berth');

// The program's own table of operations, with their schemas.
export function schemaDump() {
    const dump = process.env.SCHEMA_DUMP_UNDER_TEST ?? path.join(path.dirname(program), 'tests/schema_dump');
    return JSON.parse(execFileSync(dump, { encoding: 'utf8', maxBuffer: 64 << 20 }));
}

// Members newer than the installed model: Berth follows a later one, so these may appear although the model lacks them.
export const newer = new Set(['defaultCapacityProviderStrategy', 'serviceConnectDefaults', 'enableFaultInjection', 'fargateEphemeralStorage', 'neuronDeviceIds',
    'versionConsistency', 'restartPolicy', 'credentialSpecs', 'managedStorageConfiguration', 'statusReason', 'daemonName', 'clientToken', 'volumeConfigurations',
    'deleteRequestedAt', 'configuredAtLaunch', 's3filesVolumeConfiguration']);

// The same for names that are too common to allow them anywhere: by shape.
export const later = {
    AutoScalingGroupProvider: ['managedDraining'],
    AutoScalingGroupProviderUpdate: ['managedDraining'],
    CapacityProvider: ['cluster', 'managedInstancesProvider', 'type'],
    CreateCapacityProviderRequest: ['cluster', 'managedInstancesProvider'],
    CreateServiceRequest: ['availabilityZoneRebalancing', 'monitoring', 'vpcLatticeConfigurations'],
    DeleteCapacityProviderRequest: ['cluster'],
    Deployment: ['vpcLatticeConfigurations'],
    DeploymentCircuitBreaker: ['resetOnHealthyTask', 'thresholdConfiguration'],
    DeploymentConfiguration: ['bakeTimeInMinutes', 'canaryConfiguration', 'lifecycleHooks', 'linearConfiguration', 'strategy'],
    DescribeCapacityProvidersRequest: ['cluster'],
    ListServicesRequest: ['resourceManagementType'],
    LoadBalancer: ['advancedConfiguration'],
    Service: ['availabilityZoneRebalancing', 'currentServiceDeployment', 'currentServiceRevisions', 'resourceManagementType'],
    ServiceConnectClientAlias: ['testTrafficRules'],
    ServiceConnectConfiguration: ['accessLogConfiguration'],
    ServiceConnectService: ['timeout', 'tls'],
    ServiceDeployment: ['lifecycleHookDetails'],
    ServiceRevision: ['ecsManagedResources', 'monitoring', 'overrides', 'platformFamily', 'platformVersion', 'resolvedConfiguration', 'vpcLatticeConfigurations'],
    Setting: ['type'],
    UpdateCapacityProviderRequest: ['cluster', 'managedInstancesProvider'],
    UpdateServiceRequest: ['availabilityZoneRebalancing', 'deploymentController', 'monitoring', 'vpcLatticeConfigurations'],
};
// And words of enums.
const laterWords = {
    CapacityProviderStatus: ['PROVISIONING', 'DEPROVISIONING'],
    CapacityProviderUpdateStatus: ['CREATE_IN_PROGRESS', 'CREATE_COMPLETE', 'CREATE_FAILED'],
    Compatibility: ['MANAGED_INSTANCES'],
    InstanceHealthCheckType: ['ACCELERATED_COMPUTE', 'DAEMON', 'AGENT_CONNECTIVITY'],
    LaunchType: ['MANAGED_INSTANCES'],
    OSFamily: ['WINDOWS_SERVER_2025_CORE', 'WINDOWS_SERVER_2025_FULL'],
    PlatformDeviceType: ['NEURON_DEVICE'],
    ResourceType: ['NeuronDevice'],
    TaskDefinitionStatus: ['DELETE_IN_PROGRESS'],
    TaskStopCode: ['InfrastructureHealth'],
    SettingName: ['dualStackIPv6', 'fargateFIPSMode', 'tagResourceAuthorization', 'fargateTaskRetirementWaitPeriod', 'guardDutyActivate', 'defaultLogDriverMode', 'fargateEventWindows'],
};
// Words that no model of AWS has: Berth's own.
const ownWords = {
    ResourceType: ['GPU_MEMORY'],                   // MiB on each GPU; ECS has whole GPUs only and needs no such word
};
export const knownWords = (shapeName) => [...model.shapes[shapeName].enum, ...laterWords[shapeName] ?? [], ...ownWords[shapeName] ?? []];

export const words = (text) => text.trim().split(/\s+/);

// The outputs of operations that the installed model lacks and that are served.
const laterOutputs = {
    DeleteTaskDefinitions: 'DeleteTaskDefinitionsResponse',
    DeleteDaemonTaskDefinition: 'DaemonTaskDefinitionArnResponse', RegisterDaemonTaskDefinition: 'DaemonTaskDefinitionArnResponse',
    DescribeDaemonTaskDefinition: 'DescribeDaemonTaskDefinitionResponse', ListDaemonTaskDefinitions: 'ListDaemonTaskDefinitionsResponse',
    CreateDaemon: 'DaemonAnswer', DeleteDaemon: 'DaemonAnswer', DescribeDaemon: 'DescribeDaemonResponse',
    DescribeDaemonDeployments: 'DescribeDaemonDeploymentsResponse', DescribeDaemonRevisions: 'DescribeDaemonRevisionsResponse',
    ListDaemonDeployments: 'ListDaemonDeploymentsResponse', ListDaemons: 'ListDaemonsResponse', UpdateDaemon: 'DaemonAnswer',
    ContinueServiceDeployment: 'ServiceDeploymentArnResponse', DescribeServiceDeployments: 'DescribeServiceDeploymentsResponse',
    DescribeServiceRevisions: 'DescribeServiceRevisionsResponse', ListServiceDeployments: 'ListServiceDeploymentsResponse',
    StopServiceDeployment: 'ServiceDeploymentArnResponse',
    CreateExpressGatewayService: 'ExpressGatewayServiceResponse', DeleteExpressGatewayService: 'ExpressGatewayServiceResponse',
    DescribeExpressGatewayService: 'ExpressGatewayServiceResponse', UpdateExpressGatewayService: 'UpdateExpressGatewayServiceResponse',
};
model.shapes.TaskDefinitionList ??= { type: 'list', member: { shape: 'TaskDefinition' } };
model.shapes.DeleteTaskDefinitionsResponse ??= { type: 'structure', members: { taskDefinitions: { shape: 'TaskDefinitionList' }, failures: { shape: 'Failures' } } };

// Members of another structure, in a structure that has fewer, and some more.
const some = (shapeName, names, more = {}) => ({ type: 'structure', members: { ...more,
    ...Object.fromEntries(names.split(' ').filter((name) => model.shapes[shapeName].members[name]).map((name) => [name, model.shapes[shapeName].members[name]])) } });
const members = (text) => ({ type: 'structure', members: Object.fromEntries(words(text).map((pair) => pair.split(':')).map(([name, shape]) => [name, { shape }])) });
const list = (shapeName) => ({ type: 'list', member: { shape: shapeName } });
const laterShapes = {
    DaemonTaskDefinitionStatus: { type: 'string', enum: ['ACTIVE', 'DELETE_IN_PROGRESS', 'DELETED'] },
    DaemonNamespaceMode: { type: 'string', enum: ['none', 'shared'] },
    DaemonLinuxParameters: some('LinuxParameters', 'capabilities devices initProcessEnabled tmpfs'),
    DaemonContainerDefinition: { required: ['image'], ...some('ContainerDefinition', 'name image memory memoryReservation repositoryCredentials healthCheck cpu essential entryPoint command '
        + 'workingDirectory environmentFiles environment secrets readonlyRootFilesystem mountPoints logConfiguration firelensConfiguration privileged user ulimits '
        + 'dependsOn startTimeout stopTimeout systemControls interactive pseudoTerminal restartPolicy', { linuxParameters: { shape: 'DaemonLinuxParameters' } }) },
    DaemonContainerDefinitionList: list('DaemonContainerDefinition'),
    DaemonVolume: some('Volume', 'name host'),
    DaemonVolumeList: list('DaemonVolume'),
    DaemonTaskDefinition: some('TaskDefinition', 'family revision taskRoleArn executionRoleArn cpu memory registeredAt registeredBy', {
        daemonTaskDefinitionArn: { shape: 'String' }, containerDefinitions: { shape: 'DaemonContainerDefinitionList' }, volumes: { shape: 'DaemonVolumeList' },
        status: { shape: 'DaemonTaskDefinitionStatus' }, deleteRequestedAt: { shape: 'Timestamp' }, pidMode: { shape: 'DaemonNamespaceMode' },
        ipcMode: { shape: 'DaemonNamespaceMode' } }),
    DaemonTaskDefinitionSummary: { type: 'structure', members: { arn: { shape: 'String' }, registeredAt: { shape: 'Timestamp' }, registeredBy: { shape: 'String' },
        deleteRequestedAt: { shape: 'Timestamp' }, status: { shape: 'DaemonTaskDefinitionStatus' } } },
    DaemonTaskDefinitionSummaries: list('DaemonTaskDefinitionSummary'),
    DaemonTaskDefinitionArnResponse: { type: 'structure', members: { daemonTaskDefinitionArn: { shape: 'String' } } },
    DescribeDaemonTaskDefinitionResponse: { type: 'structure', members: { daemonTaskDefinition: { shape: 'DaemonTaskDefinition' } } },
    ListDaemonTaskDefinitionsResponse: { type: 'structure', members: { daemonTaskDefinitions: { shape: 'DaemonTaskDefinitionSummaries' }, nextToken: { shape: 'String' } } },
    DaemonStatus: { type: 'string', enum: ['ACTIVE', 'DELETE_IN_PROGRESS'] },
    DaemonDeploymentStatus: { type: 'string', enum: words('PENDING SUCCESSFUL STOPPED STOP_REQUESTED IN_PROGRESS ROLLBACK_IN_PROGRESS ROLLBACK_SUCCESSFUL ROLLBACK_FAILED') },
    DaemonMonitorsStatus: { type: 'string', enum: words('TRIGGERED MONITORING MONITORING_COMPLETE DISABLED') },
    DaemonPropagateTags: { type: 'string', enum: ['DAEMON', 'NONE'] },
    DaemonAnswer: members('daemonArn:String status:DaemonStatus createdAt:Timestamp updatedAt:Timestamp deploymentArn:String'),
    DescribeDaemonResponse: members('daemon:DaemonDetail'),
    DaemonDetail: members(`daemonArn:String clusterArn:String status:DaemonStatus currentRevisions:DaemonRevisionDetails deploymentArn:String createdAt:Timestamp
        updatedAt:Timestamp`),
    DaemonRevisionDetails: list('DaemonRevisionDetail'),
    DaemonRevisionDetail: members('arn:String capacityProviders:DaemonCapacityProviders totalRunningCount:Integer'),
    DaemonCapacityProviders: list('DaemonCapacityProvider'),
    DaemonCapacityProvider: members('arn:String runningCount:Integer'),
    ListDaemonsResponse: members('daemonSummariesList:DaemonSummaries nextToken:String'),
    DaemonSummaries: list('DaemonSummary'),
    DaemonSummary: members('daemonArn:String status:DaemonStatus createdAt:Timestamp updatedAt:Timestamp'),
    DescribeDaemonDeploymentsResponse: members('daemonDeployments:DaemonDeployments failures:Failures'),
    DaemonDeployments: list('DaemonDeployment'),
    DaemonDeployment: members(`daemonDeploymentArn:String clusterArn:String status:DaemonDeploymentStatus statusReason:String
        targetDaemonRevision:DaemonDeploymentRevisionDetail sourceDaemonRevisions:DaemonDeploymentRevisionDetails circuitBreaker:DaemonCircuitBreaker
        alarms:DaemonDeploymentAlarms rollback:DaemonRollback deploymentConfiguration:DaemonDeploymentConfiguration createdAt:Timestamp startedAt:Timestamp
        stoppedAt:Timestamp finishedAt:Timestamp`),
    DaemonDeploymentRevisionDetails: list('DaemonDeploymentRevisionDetail'),
    DaemonDeploymentRevisionDetail: members(`arn:String capacityProviders:DaemonDeploymentCapacityProviders totalRunningInstanceCount:BoxedInteger
        totalDrainingInstanceCount:BoxedInteger`),
    DaemonDeploymentCapacityProviders: list('DaemonDeploymentCapacityProvider'),
    DaemonDeploymentCapacityProvider: members('arn:String runningInstanceCount:BoxedInteger drainingInstanceCount:BoxedInteger'),
    DaemonCircuitBreaker: members('failureCount:Integer status:DaemonMonitorsStatus threshold:Integer'),
    DaemonDeploymentAlarms: members('status:DaemonMonitorsStatus alarmNames:StringList triggeredAlarmNames:StringList'),
    DaemonRollback: members('reason:String startedAt:Timestamp rollbackTargetDaemonRevisionArn:String rollbackCapacityProviders:StringList'),
    DaemonDeploymentConfiguration: members('drainPercent:Double alarms:DaemonAlarmConfiguration bakeTimeInMinutes:Integer'),
    DaemonAlarmConfiguration: members('alarmNames:StringList enable:Boolean'),
    ListDaemonDeploymentsResponse: members('daemonDeployments:DaemonDeploymentSummaries nextToken:String'),
    DaemonDeploymentSummaries: list('DaemonDeploymentSummary'),
    DaemonDeploymentSummary: members(`daemonDeploymentArn:String daemonArn:String clusterArn:String status:DaemonDeploymentStatus statusReason:String
        targetDaemonRevisionArn:String createdAt:Timestamp startedAt:Timestamp stoppedAt:Timestamp finishedAt:Timestamp`),
    DescribeDaemonRevisionsResponse: members('daemonRevisions:DaemonRevisions failures:Failures'),
    DaemonRevisions: list('DaemonRevision'),
    DaemonRevision: members(`daemonRevisionArn:String clusterArn:String daemonArn:String daemonTaskDefinitionArn:String createdAt:Timestamp
        containerImages:ContainerImages propagateTags:DaemonPropagateTags enableECSManagedTags:BoxedBoolean enableExecuteCommand:BoxedBoolean`),
    ServiceDeploymentArnResponse: members('serviceDeploymentArn:String'),
    DescribeServiceDeploymentsResponse: members('serviceDeployments:ServiceDeployments failures:Failures'),
    ServiceDeployments: list('ServiceDeployment'),
    ServiceDeployment: members(`serviceDeploymentArn:String serviceArn:String clusterArn:String createdAt:Timestamp startedAt:Timestamp finishedAt:Timestamp
        stoppedAt:Timestamp updatedAt:Timestamp sourceServiceRevisions:ServiceRevisionSummaries targetServiceRevision:ServiceRevisionSummary
        status:ServiceDeploymentStatus statusReason:String lifecycleStage:ServiceDeploymentLifecycleStage
        deploymentConfiguration:DeploymentConfiguration rollback:Rollback deploymentCircuitBreaker:ServiceDeploymentCircuitBreaker alarms:ServiceDeploymentAlarms`),
    ServiceDeploymentStatus: { type: 'string', enum: words(`PENDING SUCCESSFUL STOPPED STOP_REQUESTED IN_PROGRESS ROLLBACK_REQUESTED ROLLBACK_IN_PROGRESS
        ROLLBACK_SUCCESSFUL ROLLBACK_FAILED`) },
    ServiceDeploymentLifecycleStage: { type: 'string', enum: words(`RECONCILE_SERVICE PRE_SCALE_UP SCALE_UP POST_SCALE_UP TEST_TRAFFIC_SHIFT
        POST_TEST_TRAFFIC_SHIFT PRODUCTION_TRAFFIC_SHIFT POST_PRODUCTION_TRAFFIC_SHIFT BAKE_TIME CLEAN_UP`) },
    ServiceDeploymentMonitorsStatus: { type: 'string', enum: words('TRIGGERED MONITORING MONITORING_COMPLETE DISABLED') },
    ServiceRevisionSummaries: list('ServiceRevisionSummary'),
    ServiceRevisionSummary: members(`arn:String requestedTaskCount:Integer runningTaskCount:Integer pendingTaskCount:Integer
        requestedTestTrafficWeight:Double requestedProductionTrafficWeight:Double`),
    Rollback: members('reason:String startedAt:Timestamp serviceRevisionArn:String'),
    ServiceDeploymentCircuitBreaker: members('status:ServiceDeploymentMonitorsStatus failureCount:Integer threshold:Integer'),
    ServiceDeploymentAlarms: members('status:ServiceDeploymentMonitorsStatus alarmNames:StringList triggeredAlarmNames:StringList'),
    ListServiceDeploymentsResponse: members('serviceDeployments:ServiceDeploymentsBrief nextToken:String'),
    ServiceDeploymentsBrief: list('ServiceDeploymentBrief'),
    ServiceDeploymentBrief: members(`serviceDeploymentArn:String serviceArn:String clusterArn:String startedAt:Timestamp createdAt:Timestamp
        finishedAt:Timestamp targetServiceRevisionArn:String status:ServiceDeploymentStatus statusReason:String`),
    DescribeServiceRevisionsResponse: members('serviceRevisions:ServiceRevisions failures:Failures'),
    ServiceRevisions: list('ServiceRevision'),
    ServiceRevision: members(`serviceRevisionArn:String serviceArn:String clusterArn:String taskDefinition:String
        capacityProviderStrategy:CapacityProviderStrategy launchType:LaunchType loadBalancers:LoadBalancers serviceRegistries:ServiceRegistries
        networkConfiguration:NetworkConfiguration containerImages:ContainerImages guardDutyEnabled:Boolean
        serviceConnectConfiguration:ServiceConnectConfiguration createdAt:Timestamp`),
    ExpressGatewayServiceResponse: members('service:ECSExpressGatewayService'),
    ECSExpressGatewayService: members(`cluster:String serviceName:String serviceArn:String infrastructureRoleArn:String status:ExpressGatewayServiceStatus
        currentDeployment:String activeConfigurations:ExpressGatewayServiceConfigurations tags:Tags createdAt:Timestamp updatedAt:Timestamp`),
    UpdateExpressGatewayServiceResponse: members('service:UpdatedExpressGatewayService'),
    UpdatedExpressGatewayService: members(`serviceArn:String cluster:String serviceName:String status:ExpressGatewayServiceStatus
        targetConfiguration:ExpressGatewayServiceConfiguration createdAt:Timestamp updatedAt:Timestamp`),
    ExpressGatewayServiceStatus: members('statusCode:ExpressGatewayServiceStatusCode statusReason:String'),
    ExpressGatewayServiceStatusCode: { type: 'string', enum: ['ACTIVE', 'DRAINING', 'INACTIVE'] },
    ExpressGatewayServiceConfigurations: list('ExpressGatewayServiceConfiguration'),
    ExpressGatewayServiceConfiguration: members(`serviceRevisionArn:String executionRoleArn:String taskRoleArn:String taskDefinitionArn:String cpu:String memory:String
        networkConfiguration:ExpressGatewayServiceNetworkConfiguration healthCheckPath:String primaryContainer:ExpressGatewayContainer
        scalingTarget:ExpressGatewayScalingTarget ingressPaths:IngressPathSummaries createdAt:Timestamp`),
    ExpressGatewayServiceNetworkConfiguration: members('securityGroups:StringList subnets:StringList'),
    ExpressGatewayContainer: { required: ['image'], ...members(`image:String containerPort:BoxedInteger
        awsLogsConfiguration:ExpressGatewayServiceAwsLogsConfiguration repositoryCredentials:ExpressGatewayRepositoryCredentials command:StringList
        environment:EnvironmentVariables secrets:SecretList`) },
    ExpressGatewayServiceAwsLogsConfiguration: { required: ['logGroup', 'logStreamPrefix'], ...members('logGroup:String logStreamPrefix:String') },
    ExpressGatewayRepositoryCredentials: members('credentialsParameter:String'),
    ExpressGatewayScalingTarget: members('minTaskCount:BoxedInteger maxTaskCount:BoxedInteger autoScalingMetric:ExpressGatewayServiceScalingMetric autoScalingTargetValue:BoxedInteger'),
    ExpressGatewayServiceScalingMetric: { type: 'string', enum: ['AVERAGE_CPU', 'AVERAGE_MEMORY', 'REQUEST_COUNT_PER_TARGET'] },
    IngressPathSummaries: list('IngressPathSummary'),
    IngressPathSummary: { required: ['accessType', 'endpoint'], ...members('accessType:AccessType endpoint:String') },
    AccessType: { type: 'string', enum: ['PUBLIC', 'PRIVATE'] },
    ContainerImages: list('ContainerImage'),
    ContainerImage: members('containerName:String imageDigest:String image:String'),
};
for (const [name, shape] of Object.entries(laterShapes)) model.shapes[name] ??= shape;

function problems(shapeName, value, where, options) {
    const shape = model.shapes[shapeName];
    if (value === null) return [`${where} is null`];
    switch (shape.type) {
    case 'structure': {
        if (typeof value !== 'object' || Array.isArray(value)) return [`${where} is no object`];
        const found = [];
        for (const name of shape.required ?? []) if (!(name in value)) found.push(`${where}.${name} is missing`);
        for (const [name, member] of Object.entries(value)) {
            if (shape.members[name]) found.push(...problems(shape.members[name].shape, member, `${where}.${name}`, options));
            else if (!newer.has(name) && !later[shapeName]?.includes(name)) found.push(`${where}.${name} is not in the model`);
        }
        return found;
    }
    case 'list':
        if (!Array.isArray(value)) return [`${where} is no list`];
        return value.flatMap((item, index) => problems(shape.member.shape, item, `${where}[${index}]`, options));
    case 'map':
        return typeof value === 'object' ? Object.entries(value).flatMap(([key, item]) => problems(shape.value.shape, item, `${where}.${key}`, options)) : [`${where} is no map`];
    case 'string':
        if (typeof value !== 'string') return [`${where} is no string`];
        return shape.enum && !knownWords(shapeName).includes(value) ? [`${where} is '${value}', not one of ${shape.enum.join(', ')}`] : [];
    case 'integer': case 'long':
        return Number.isInteger(value) ? [] : [`${where} is no whole number`];
    case 'double': case 'float':
        return typeof value === 'number' ? [] : [`${where} is no number`];
    case 'timestamp':
        if (options.dates) return Number.isNaN(Date.parse(value)) ? [`${where} is no date`] : [];
        return typeof value === 'number' && value > 1e9 && value < 1e10 ? [] : [`${where} is no timestamp in seconds`];
    case 'boolean':
        return typeof value === 'boolean' ? [] : [`${where} is no boolean`];
    default:
        return [`${where} has a shape that this check does not know: ${shape.type}`];
    }
}

// Throws when the reply does not fit the operation's output shape.
export function checkReply(operation, reply, options = {}) {
    const output = model.operations[operation]?.output?.shape ?? laterOutputs[operation];
    assert.ok(output, `the shape of the replies of ${operation} is not known here`);
    assert.deepStrictEqual(problems(output, reply, operation, options), [], `the reply of ${operation} does not fit the model`);
}

// ---- errors ----

// Errors that the model that Berth follows declares and the installed one does not, for operations too that are newer than that.
const everywhere = ['AccessDeniedException', 'ClientException', 'InvalidParameterException', 'ServerException'];
const laterErrors = {
    ClusterContainsCapacityProviderException: 'DeleteCluster',
    ClusterNotFoundException: `CreateCapacityProvider CreateDaemon CreateExpressGatewayService DeleteCapacityProvider DeleteDaemon DeleteExpressGatewayService
        DescribeCapacityProviders DescribeDaemon DescribeDaemonDeployments DescribeDaemonRevisions DescribeExpressGatewayService DescribeServiceDeployments
        DescribeServiceRevisions ListDaemonDeployments ListDaemons ListServiceDeployments RegisterContainerInstance SubmitAttachmentStateChanges
        SubmitContainerStateChange SubmitTaskStateChange UpdateCapacityProvider UpdateDaemon UpdateExpressGatewayService`,
    ConflictException: 'RunTask StopServiceDeployment',
    DaemonNotActiveException: 'DeleteDaemon UpdateDaemon',
    DaemonNotFoundException: 'DeleteDaemon DescribeDaemon UpdateDaemon',
    LimitExceededException: 'CreateTaskSet DeleteTaskSet RegisterDaemonTaskDefinition RegisterTaskDefinition TagResource UpdateTaskSet',
    NamespaceNotFoundException: 'CreateCluster StartTask UpdateCluster',
    PlatformTaskDefinitionIncompatibilityException: 'CreateExpressGatewayService',
    PlatformUnknownException: 'CreateDaemon CreateExpressGatewayService UpdateDaemon',
    ResourceNotFoundException: 'DescribeExpressGatewayService',
    ServiceDeploymentNotFoundException: 'ContinueServiceDeployment StopServiceDeployment',
    ServiceNotActiveException: 'DeleteExpressGatewayService UpdateExpressGatewayService',
    ServiceNotFoundException: 'DeleteExpressGatewayService DescribeServiceDeployments DescribeServiceRevisions ListServiceDeployments UpdateExpressGatewayService',
    UnsupportedFeatureException: `ContinueServiceDeployment CreateCapacityProvider CreateDaemon CreateExpressGatewayService DeleteCapacityProvider DeleteDaemon
        DeleteExpressGatewayService DescribeCapacityProviders DescribeDaemon DescribeDaemonDeployments DescribeDaemonRevisions DescribeExpressGatewayService
        DescribeServiceDeployments DescribeServiceRevisions ListDaemonDeployments ListDaemons ListServiceDeployments StartTask StopServiceDeployment
        UpdateCapacityProvider UpdateDaemon UpdateExpressGatewayService UpdateService`,
    UpdateInProgressException: 'DeleteCapacityProvider UpdateClusterSettings',
};

// The names of the errors that an operation declares.
export function declared(operation) {
    const installed = (model.operations[operation]?.errors ?? []).map((error) => error.shape);
    const later = Object.keys(laterErrors).filter((name) => words(laterErrors[name]).includes(operation));
    return [...new Set([...everywhere, ...installed, ...later])].sort();
}

// Errors that no operation declares: the answers of the front end, before an operation is asked.
export const frontEnd = new Set(['ExpiredTokenException', 'IncompleteSignatureException', 'InvalidSignatureException', 'MissingAuthenticationTokenException', 'RequestEntityTooLargeException',
    'SerializationException', 'ServiceUnavailable', 'ThrottlingException', 'UnknownOperationException', 'UnrecognizedClientException']);
const statuses = { ServerException: 500, RequestEntityTooLargeException: 413, ServiceUnavailable: 503 };

// Throws when an operation may not answer with this error, or not in this form.
export function checkError(operation, name) {
    assert.ok(frontEnd.has(name) || declared(operation).includes(name), `${operation} does not declare ${name}`);
}
export function checkRefusal(operation, { status, json }) {
    checkError(operation, json?.__type);
    assert.strictEqual(status, statuses[json.__type] ?? 400, `the status of ${json.__type}`);
    const { __type, message, resourceIds, ...more } = json;
    if (!frontEnd.has(__type)) assert.strictEqual(typeof message, 'string', `${__type} has a message`);
    assert.strictEqual(resourceIds !== undefined, __type === 'ConflictException', 'resourceIds belong to ConflictException');
    assert.deepStrictEqual(more, {}, `${__type} has no other members`);
}
