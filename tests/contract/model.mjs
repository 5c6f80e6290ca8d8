// model.mjs: the public API model, as the botocore of Debian's awscli ships it, and the check of a reply against it.
import { readFileSync, existsSync, readdirSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import assert from 'node:assert';

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
    Setting: ['type'],
    UpdateCapacityProviderRequest: ['cluster', 'managedInstancesProvider'],
    UpdateServiceRequest: ['availabilityZoneRebalancing', 'deploymentController', 'monitoring', 'vpcLatticeConfigurations'],
};
// And words of enums.
const laterWords = {
    SettingName: ['fargateFIPSMode', 'tagResourceAuthorization', 'fargateTaskRetirementWaitPeriod', 'guardDutyActivate', 'defaultLogDriverMode', 'fargateEventWindows'],
};

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
        return shape.enum && !shape.enum.includes(value) && !laterWords[shapeName]?.includes(value) ? [`${where} is '${value}', not one of ${shape.enum.join(', ')}`] : [];
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

export const seen = new Map();

// Throws when the reply does not fit the operation's output shape.
export function checkReply(operation, reply, options = {}) {
    const output = model.operations[operation]?.output;
    seen.set(operation, (seen.get(operation) ?? 0) + 1);
    if (!output) return;
    assert.deepStrictEqual(problems(output.shape, reply, operation, options), [], `the reply of ${operation} does not fit the model`);
}
