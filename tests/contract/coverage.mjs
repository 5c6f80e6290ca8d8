// coverage.mjs: the last part of the contract suite. Every row of the table of operations must have answered with success and with
// each error that it declares, unless excused.mjs says why not; and with nothing else.
//
// The servers themselves count what they answer, by operation and error, for /metrics. The harness keeps those counts when a server
// goes (lib.mjs, answers.py), and here they are added up. So it does not matter which client asked, through which library, or whether
// the test looked at the reply; and a test that forgets to keep its counts can only make this check fail, never pass.
import { test } from 'node:test';
import assert from 'node:assert';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { excused } from './excused.mjs';
import { checkRefusal, checkReply, declared, frontEnd, schemaDump } from '../lib/model.mjs';

const folder = process.env.ANSWERS_FOLDER;
const operations = Object.keys(schemaDump());
const kept = readdirSync(folder).map((name) => ({ name, text: readFileSync(path.join(folder, name), 'utf8') }));

// operation → answer → how often
const seen = new Map(operations.map((operation) => [operation, new Map()]));
for (const { name, text } of kept) {
    if (!name.endsWith('.metrics')) continue;
    for (const [, operation, result, count] of text.matchAll(/^berth_requests_total\{operation="(\w+)",result="(\w+)"\} (\d+)$/gm)) {
        const answers = seen.get(operation), answer = result === 'ok' ? 'success' : result;
        answers.set(answer, (answers.get(answer) ?? 0) + Number(count));
    }
}

const wanted = (operation) => ['success', ...declared(operation)];
const excuse = (operation, answer) => excused.find((row) => row.operations.includes(operation) && row.answers.includes(answer));

function complaints(operation) {
    const found = [], answers = seen.get(operation);
    for (const answer of wanted(operation)) {
        const row = excuse(operation, answer);
        if (!answers.has(answer) && !row) found.push(`${operation} never answered with ${answer} in any test`);
        if (answers.has(answer) && row) found.push(`${operation} did answer with ${answer}, which is excused: ${row.why}`);
    }
    for (const answer of answers.keys()) {
        if (!wanted(operation).includes(answer) && !frontEnd.has(answer)) found.push(`${operation} answered with ${answer}, which it does not declare`);
    }
    return found;
}

for (const operation of operations) test(`${operation}: success and each error that it declares`, () => assert.deepStrictEqual(complaints(operation), []));

test('excuses name what there is, each pair once and with a reason', () => {
    const pairs = new Set();
    for (const row of excused) {
        assert.ok(row.why.length > 10, JSON.stringify(row));
        for (const operation of row.operations) {
            assert.ok(operations.includes(operation), `there is no ${operation}`);
            const answers = row.answers.filter((answer) => wanted(operation).includes(answer));
            assert.ok(answers.length > 0, `${operation} declares none of ${row.answers}`);
            for (const answer of answers) {
                assert.ok(!pairs.has(`${operation} ${answer}`), `${operation} ${answer} is excused twice`);
                pairs.add(`${operation} ${answer}`);
            }
        }
        for (const answer of row.answers) assert.ok(row.operations.some((operation) => wanted(operation).includes(answer)), `${answer} is declared by none of ${row.operations}`);
    }
    const all = operations.flatMap(wanted).length;
    console.log(`${all} pairs of an operation and an answer: ${all - pairs.size} seen, ${pairs.size} excused`);
});

// The replies that Python's clients saw, as they came over the wire: one JSON text a line.
test('the replies that boto3 saw fit the model', () => {
    const replies = kept.filter(({ name }) => name.endsWith('.replies')).flatMap(({ text }) => text.trimEnd().split('\n').map((line) => JSON.parse(line)));
    assert.ok(replies.length > 0);
    for (const { operation, status, body } of replies) {
        if (status === 200) checkReply(operation, JSON.parse(body));
        else checkRefusal(operation, { status, json: JSON.parse(body) });
    }
});
