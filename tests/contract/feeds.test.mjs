// `berth feed` with the programs that read it: Caddy, nginx, Prometheus. `berth feed haproxy` is in ingress.test.mjs.
import { after, before, describe, test } from 'node:test';
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Source, Target, freePort, get, group, keys } from '../lib/feeds.mjs';
import { Process, remove, waitFor } from '../lib/lib.mjs';
import { load } from '../lib/load.mjs';

const skip = (program) => (existsSync(program) ? false : `NOT CHECKED: there is no ${program}`);
const CADDY = '/usr/bin/caddy', NGINX = '/usr/sbin/nginx', PROMETHEUS = '/usr/bin/prometheus', PROMTOOL = '/usr/bin/promtool';

let folder;
const targets = {};
before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'berth-feeds-'));
    for (const [name, number] of [['one', '1'], ['two', '2'], ['green', '3']]) targets[name] = await Target.start(name, number);
});
after(() => {
    for (const target of Object.values(targets)) target.stop();
    remove(folder);
});
const answers = (port) => waitFor(`an answer at port ${port}`, async () => { try { return (await get(port, '/')).status === 200; } catch { return false; } });

// ---- Caddy ----

const route = (id, upstreams, ...match) => ({ match, handle: [{ '@id': id, handler: 'reverse_proxy', upstreams }] });
async function startCaddy(name, routes, { admin = '127.0.0.1:0', port = 0, ...more } = {}) {
    const file = path.join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify({ admin: { listen: admin, config: { persist: false }, ...more }, apps: { http: { servers: { s: { listen: [`127.0.0.1:${port}`], routes } } } } }));
    const caddy = new Process(['run', '--config', file], { HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder }, CADDY);
    await waitFor('Caddy to serve', () => /serving initial configuration/.test(caddy.output));
    return caddy;
}

// ---- files ----

const file = (name) => path.join(folder, `feed.${name}`), read = (name) => (existsSync(file(name)) ? readFileSync(file(name), 'utf8') : '');
// Writes a file once, and gives its text.
async function write(kind, source) {
    const once = new Process(['feed', kind, '--once', '--server', source.url, '--file', file(kind)], keys);
    assert.strictEqual((await once.ended).code, 0, once.output);
    return read(kind);
}

// Side by side: most of their time is waiting.
describe('feeds', { concurrency: true }, () => {

test('Caddy: targets come and go without an error, and one that leaves is busy until its last answer', { skip: skip(CADDY) }, async (t) => {
    const source = await Source.start(), admin = `127.0.0.1:${await freePort()}`, port = await freePort(), { one, two, green } = targets;
    const closing = { handle: [{ handler: 'headers', response: { set: { Connection: ['close'] } } }] };
    const routes = [closing, route('tg-green', undefined, { path: ['/green'] }), route('tg-blue', [])];
    source.state.groups = [group('blue', one), group('green', green), group('elsewhere', green)];
    let caddy = await startCaddy('caddy', routes, { admin, port });
    const feed = new Process(['feed', 'caddy', '--server', source.url, '--admin', `http://${admin}/`, '--name', 'edge'], keys);
    await source.applied('edge');
    assert.match((await get(port, '/')).text, /^one/);
    assert.match((await get(port, '/green')).text, /^green/);

    const seen = load(port, '/'), slow = get(port, '/a/slow');
    t.after(() => seen.stop());
    await waitFor('some answers, and one request to be held', () => seen.answers > 50 && one.held.length === 1);
    await source.change('edge', ({ groups }) => { groups[0].targets.push(two.row); });
    await source.change('edge', () => { one.row.state = 'draining'; });
    await source.change('edge', () => {});
    assert.deepStrictEqual(source.reports.get('edge').busy, [one.row.number], 'also when it has left');
    for (let n = 0; n < 4; n++) assert.match((await get(port, '/')).text, /^two/);
    for (const release of one.held) release();
    assert.strictEqual((await slow).text, 'one');
    await waitFor('it to be free', () => source.reports.get('edge').busy.length === 0);
    const upstreams = JSON.parse((await get(admin.split(':')[1], '/reverse_proxy/upstreams')).text).map(({ address }) => address);
    assert.deepStrictEqual(upstreams.sort(), [two, green].map(({ row }) => `127.0.0.1:${row.port}`).sort(), 'nothing is left of it');
    await source.change('edge', ({ groups }) => { groups[0].targets.shift(); });
    // Caddy closes connections at each change, also one on which a request comes at that moment. It answers none with an error.
    const { lost } = await seen.stop();
    assert.deepStrictEqual(lost.filter((why) => /^\d/.test(why)), []);

    source.stop();
    await caddy.signal('SIGKILL');
    await waitFor('the loss in the log', () => /no answer from .*\/config\//.test(feed.output));
    caddy = await startCaddy('caddy', routes, { admin, port });
    await answers(port);                                                // without Berth, Caddy that starts again gets the last state
    await waitFor('the log', () => /the proxy is as it should be again/.test(feed.output));
    await feed.signal('SIGTERM');
    assert.match((await get(port, '/')).text, /^two/, 'Caddy goes on');
    await caddy.signal('SIGTERM');
});

test('Caddy: each refusal ends the command with its reason', { skip: skip(CADDY) }, async () => {
    const source = await Source.start(), admin = `127.0.0.1:${await freePort()}`;
    const feed = async () => {
        const once = new Process(['feed', 'caddy', '--once', '--server', source.url, '--admin', `http://${admin}`], keys);
        return [(await once.ended).code, (await once.silent, once.output)];
    };
    source.state.groups = [group('blue', targets.two)];
    for (const [routes, more, words] of [
        [null, {}, new RegExp(`no answer from http://${admin}/config/: `)],
        [[route('tg-other', [])], {}, /no reverse_proxy handler of Caddy has the "@id" tg-NAME of a target group NAME/],
        [[route('tg-blue', [])], { enforce_origin: true, origins: ['elsewhere'] }, /Caddy refuses GET \/config\/ with status 403: \{"error":"host not allowed/],
    ]) {
        const caddy = routes && await startCaddy('refusals', routes, { admin, ...more });
        const [code, output] = await feed();
        assert.match(output, words);
        assert.strictEqual(code, 1);
        await caddy?.signal('SIGTERM');
    }
    source.stop();
});

test('nginx: it serves the targets of the file, each change reloads it, and a reload that fails is in the log', { skip: skip(NGINX) }, async () => {
    const source = await Source.start(), port = await freePort(), { two, green } = targets;
    writeFileSync(file('nginx'), '');
    writeFileSync(file('nginx.conf'), `daemon off;\npid ${file('pid')};\nerror_log stderr;\nevents {}\nhttp {\n  access_log off;\n  include ${file('nginx')};\n`
        + ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `  ${name}_temp_path ${file('temp')}${name};\n`).join('')
        + `  server { listen 127.0.0.1:${port}; location / { proxy_pass http://tg_blue; proxy_http_version 1.1; proxy_set_header Connection ""; } }\n}\n`);
    source.state.groups = [group('blue', green), { ...group('empty'), algorithm: 'least_outstanding_requests' }, { ...group('any', two), algorithm: 'weighted_random' }];
    const nginx = () => new Process(['-e', 'stderr', '-c', file('nginx.conf')], keys, NGINX);
    const check = `${NGINX} -t -e stderr -c ${file('nginx.conf')}`, reload = `{ test ! -s ${file('pid')} || ${NGINX} -s reload -e stderr -c ${file('nginx.conf')}; }`;
    const feed = new Process(['feed', 'nginx', '--server', source.url, '--name', 'nginx', '--file', file('nginx'),
        '--reload', `test ! -e ${file('broken')} && ${check} && ${reload} && echo x >> ${file('reloads')}`], keys);
    await source.applied('nginx');
    assert.ok(read('nginx').includes(`  server 127.0.0.1:${green.row.port} max_fails=2 fail_timeout=10s;\n`));
    const server = nginx();
    await answers(port);
    await source.change('nginx', ({ groups }) => { groups[0].targets = [two.row]; });
    await waitFor('the other target', async () => /^two/.test((await get(port, '/')).text));
    await source.change('nginx', ({ groups }) => { groups[0].targets = []; });
    await waitFor('no target', async () => (await get(port, '/')).status === 502);
    assert.strictEqual(read('reloads'), 'x\nx\nx\n');
    writeFileSync(file('broken'), '');
    source.state.groups[0].targets = [green.row];
    source.state.revision++;
    for (const response of source.waiting) response.end(JSON.stringify(source.state));
    await waitFor('the failure in the log', () => /\/bin\/sh fails/.test(feed.output));
    assert.strictEqual(source.reports.get('nginx').revision, source.state.revision - 1, 'nothing counts as applied without a reload');
    remove(file('broken'));
    await source.applied('nginx');
    await waitFor('the first target', async () => /^green/.test((await get(port, '/')).text));
    await feed.signal('SIGTERM');
    await server.signal('SIGTERM');
    source.stop();
});

test('Prometheus: it asks the targets of the file', { skip: skip(PROMETHEUS) || skip(PROMTOOL) }, async () => {
    const source = await Source.start(), port = await freePort(), { green } = targets;
    source.state.groups = [group('blue', { row: { ...green.row, task: 'arn:x:task/t1' } })];
    await write('prometheus', source);
    writeFileSync(file('prometheus.json'), read('prometheus'));                 // it takes the kind of file from its name
    writeFileSync(file('prometheus.yml'), `scrape_configs:\n- job_name: berth\n  scrape_interval: 1s\n  file_sd_configs:\n  - files: [${file('prometheus.json')}]\n`
        + '  relabel_configs:\n  - source_labels: [__meta_berth_target_group]\n    target_label: group\n');
    execFileSync(PROMTOOL, ['check', 'config', file('prometheus.yml')], { stdio: 'pipe' });
    const prometheus = new Process([`--config.file=${file('prometheus.yml')}`, `--storage.tsdb.path=${file('tsdb')}`, `--web.listen-address=127.0.0.1:${port}`], keys, PROMETHEUS);
    const found = await waitFor('its target', async () => {
        try { return JSON.parse((await get(port, '/api/v1/targets')).text).data.activeTargets.find(({ lastScrape }) => !lastScrape.startsWith('0001')); } catch { return undefined; }
    });
    assert.strictEqual(found.scrapeUrl, `http://127.0.0.1:${green.row.port}/metrics`);
    assert.deepStrictEqual([found.labels.group, found.discoveredLabels.__meta_berth_zone, found.discoveredLabels.__meta_berth_task], ['blue', 'a', 'arn:x:task/t1']);
    await prometheus.signal('SIGTERM');
    source.stop();
});

});
