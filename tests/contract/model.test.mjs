// The schema tables against the API model that Debian's botocore ships: names, types, required members, words of enums. What Berth has
// and the installed model lacks is in a list here, with the reason.
import { test } from 'node:test';
import assert from 'node:assert';
import { knownWords, later, model, newer, schemaDump } from '../lib/model.mjs';

const operations = schemaDump();
// Not in any public model: the ECS agent sends the first with its registration, Berth's own agent the second with its reports.
const unofficial = new Set(['RegisterContainerInstanceRequest.clientToken', 'ContainerStateChange.healthStatus', 'AttachmentStateChange.details']);

// Required in the installed model, no longer in a later one.
const relaxed = new Set(['CreateCapacityProviderRequest.autoScalingGroupProvider', 'UpdateCapacityProviderRequest.autoScalingGroupProvider']);

const schemas = new Map();
(function collect(value) {
    if (value === null || typeof value !== 'object') return;
    if (value.name && value.members) schemas.set(value.name, value);
    Object.values(value).forEach(collect);
})(operations);

function typeOf(shape) { return shape.type === 'string' && shape.enum ? 'enum' : shape.type; }

function compare(schema) {
    const shape = model.shapes[schema.name];
    if (!shape) return [];                          // a shape newer than the installed model
    const found = [];
    for (const [name, member] of Object.entries(shape.members)) {
        const field = schema.members[name];
        const where = `${schema.name}.${name}`;
        if (!field) { found.push(`${where} is missing`); continue; }
        const target = model.shapes[member.shape];
        if (field.kind !== typeOf(target)) found.push(`${where} is a ${field.kind}, should be a ${typeOf(target)}`);
        if (target.type === 'list' && field.element !== typeOf(model.shapes[target.member.shape])) found.push(`${where} is a list of ${field.element}`);
        const worded = target.enum ? member.shape : target.member?.shape;
        const words = model.shapes[worded]?.enum;
        const lacking = (words ?? []).filter((word) => !field.words?.includes(word));
        if (lacking.length > 0) found.push(`${where} lacks the words ${lacking}`);
        const more = words ? field.words.filter((word) => !knownWords(worded).includes(word)) : [];
        if (more.length > 0) found.push(`${where} has the words ${more}, which are not in the model`);
        if (field.required !== (shape.required ?? []).includes(name) && !relaxed.has(where)) found.push(`${where} is ${field.required ? '' : 'not '}required`);
    }
    for (const name of Object.keys(schema.members)) {
        const known = shape.members[name] || newer.has(name) || later[schema.name]?.includes(name) || unofficial.has(`${schema.name}.${name}`);
        if (!known) found.push(`${schema.name}.${name} is not in the model`);
    }
    return found;
}

test('every operation of the model is in the table', () => {
    assert.deepStrictEqual(Object.keys(model.operations).filter((name) => !(name in operations)), []);
});
for (const schema of schemas.values()) test(`schema ${schema.name}`, () => assert.deepStrictEqual(compare(schema), []));
