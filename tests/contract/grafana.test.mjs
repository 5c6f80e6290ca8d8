// deploy/grafana.json: it has the form that Grafana imports, each query is PromQL, and each metric in it is one that the server prints.
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { Server, root } from '../lib/lib.mjs';

const PROMTOOL = '/usr/bin/promtool';
const skip = existsSync(PROMTOOL) ? false : 'there is no promtool here: apt-get install prometheus';
const board = JSON.parse(readFileSync(path.join(root, 'deploy/grafana.json'), 'utf8'));
const drawn = board.panels.filter((panel) => panel.type !== 'row');
const queries = [...drawn.flatMap((panel) => panel.targets.map((target) => target.expr)), ...board.templating.list.map((variable) => variable.query.query.replace(/^label_values\((.*), \w+\)$/, '$1'))]
    .map((query) => query.replaceAll('$__rate_interval', '1m').replaceAll(/\$\w+/g, '.*'));

// Required members, by name: a type, or a test of the value.
const text = (value) => typeof value === 'string' && value.length > 0, list = Array.isArray, whole = Number.isInteger;
const source = (value) => value.type === 'prometheus' && value.uid === '${DS_PROMETHEUS}';
const inside = ({ x, y, w, h }) => [x, y, w, h].every(whole) && x >= 0 && w > 0 && h > 0 && x + w <= 24;
const SHAPES = {
    board: { __inputs: list, __requires: list, annotations: ({ list: all }) => list(all), editable: (value) => value === true, id: (value) => value === null, links: list, panels: list,
        refresh: text, schemaVersion: (value) => whole(value) && value >= 36, tags: list, templating: ({ list: all }) => list(all), time: ({ from, to }) => text(from) && text(to), timezone: text,
        title: text, uid: (value) => /^[\w-]{1,40}$/.test(value), version: whole },
    row: { id: whole, type: text, title: text, gridPos: inside, panels: list, collapsed: (value) => value === false },
    panel: { id: whole, type: (type) => ['timeseries', 'stat', 'table'].includes(type), title: text, gridPos: inside, datasource: source, targets: (value) => list(value) && value.length > 0,
        fieldConfig: ({ defaults, overrides }) => text(defaults.unit) && list(overrides), options: (value) => typeof value === 'object' },
    target: { refId: (value) => /^[A-Z]$/.test(value), expr: text, datasource: source, legendFormat: (value) => typeof value === 'string' },
    variable: { name: text, type: (value) => value === 'query', datasource: source, query: ({ query, refId }) => text(query) && text(refId), refresh: whole, includeAll: (value) => value === true },
};
const check = (shape, thing, name) => {
    for (const [member, good] of Object.entries(SHAPES[shape])) assert.ok(member in thing && good(thing[member]), `${name}: ${member} is ${JSON.stringify(thing[member])}`);
};

test('the dashboard has the form that Grafana imports', () => {
    check('board', board, 'the dashboard');
    for (const panel of board.panels) check(panel.type === 'row' ? 'row' : 'panel', panel, panel.title);
    for (const panel of drawn) for (const target of panel.targets) check('target', target, panel.title);
    for (const variable of board.templating.list) check('variable', variable, variable.name);
    assert.strictEqual(new Set(board.panels.map((panel) => panel.id)).size, board.panels.length, 'each panel has an id of its own');
    assert.deepStrictEqual(board.__inputs.map(({ name, type, pluginId }) => [name, type, pluginId]), [['DS_PROMETHEUS', 'datasource', 'prometheus']]);
    const needed = new Set(board.__requires.filter(({ type }) => type === 'panel').map(({ id }) => id));
    assert.deepStrictEqual([...new Set(drawn.map((panel) => panel.type))].sort(), [...needed].sort());
    for (const [p, one] of board.panels.entries()) {
        for (const other of board.panels.slice(p + 1)) {
            const [a, b] = [one.gridPos, other.gridPos];
            assert.ok(a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y, `${one.title} lies over ${other.title}`);
        }
    }
    const known = new Set(board.templating.list.map((variable) => variable.name));
    for (const target of drawn.flatMap((panel) => panel.targets)) {
        for (const [, name] of target.expr.matchAll(/\$(\w+)/g)) assert.ok(known.has(name) || name === '__rate_interval', name);
    }
});

test('each query is PromQL', { skip }, () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'berth-grafana-')), file = path.join(folder, 'rules.yml');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'all', rules: queries.map((expr, q) => ({ record: `query:${q}`, expr })) }] }));
    assert.match(execFileSync(PROMTOOL, ['check', 'rules', file], { encoding: 'utf8', stdio: 'pipe' }), new RegExp(`${queries.length} rules found`));
    rmSync(folder, { recursive: true });
});

test('each metric is one that the server prints', async () => {
    const server = await Server.start();
    await server.call('CreateCluster', {});
    await server.fleet('p3.8xlarge', 1, { args: ['--sample-interval', '100ms'] });
    const page = readFileSync(path.join(root, 'docs/metrics.md'), 'utf8');
    const printed = (await server.raw({ method: 'GET', pathname: '/metrics', body: '' })).text;
    for (const query of queries) {
        for (const [name] of query.matchAll(/\b(?:berth|process)_\w+/g)) {
            const family = name.replace(/_bucket$/, '');
            assert.ok(printed.includes(`# TYPE ${family} `) || page.includes(`\`${family}\``), name);
        }
    }
    await server.stop();
});
