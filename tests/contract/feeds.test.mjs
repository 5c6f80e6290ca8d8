// `berth feed` with the programs that read it: Caddy, nginx, Prometheus. `berth feed haproxy` is in ingress.test.mjs.
import { after, before, describe, test } from 'node:test';
import assert from 'node:assert';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Source, Target, forward, freePort, get, group, keys, rule } from '../lib/feeds.mjs';
import { Process, amzTime, remove, sign, waitFor } from '../lib/lib.mjs';
import { load } from '../lib/load.mjs';

const skip = (program) => (existsSync(program) ? false : `NOT CHECKED: there is no ${program}`);
const CADDY = '/usr/bin/caddy', HAPROXY = '/usr/sbin/haproxy', NGINX = '/usr/sbin/nginx', PROMETHEUS = '/usr/bin/prometheus', PROMTOOL = '/usr/bin/promtool';

let folder;
const targets = {}, started = [];
const run = (...args) => { started.push(new Process(...args)); return started.at(-1); };
const startSource = async () => { const source = await Source.start(); started.push({ signal: () => source.stop() }); return source; };
before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'berth-feeds-'));
    for (const [name, number] of [['one', '1'], ['two', '2'], ['green', '3']]) targets[name] = await Target.start(name, number);
});
after(async () => {
    for (const one of started) await one.signal('SIGKILL');
    for (const target of Object.values(targets)) target.stop();
    remove(folder);
});
const answers = (port) => waitFor(`an answer at port ${port}`, async () => { try { return (await get(port, '/')).status === 200; } catch { return false; } });

// ---- Caddy ----

const route = (id, upstreams, ...match) => ({ match, handle: [{ '@id': id, handler: 'reverse_proxy', upstreams }] });
async function startCaddy(name, routes, { admin = '127.0.0.1:0', port = 0, ...more } = {}) {
    const file = path.join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify({ admin: { listen: admin, config: { persist: false }, ...more }, apps: { http: { servers: { s: { listen: [`127.0.0.1:${port}`], routes } } } } }));
    const caddy = run(['run', '--config', file], { HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder }, CADDY);
    await waitFor('Caddy to serve', () => /serving initial configuration/.test(caddy.output));
    return caddy;
}

// ---- files ----

const file = (name) => path.join(folder, `feed.${name}`), read = (name) => (existsSync(file(name)) ? readFileSync(file(name), 'utf8') : '');
// Writes a file once, and gives its text.
async function write(kind, source) {
    const once = run(['feed', kind, '--once', '--server', source.url, '--file', file(kind)], keys);
    assert.strictEqual((await once.ended).code, 0, once.output);
    return read(kind);
}

// Does the value have this form? A name with '?' may be absent; '*' is any name; a function checks the value itself.
function fits(value, form, at) {
    if (typeof form === 'function') { form(value, at); return; }
    if (typeof form === 'string') { assert.strictEqual(typeof value, form, at); return; }
    assert.strictEqual(Array.isArray(value), Array.isArray(form), at);
    if (Array.isArray(form)) { value.forEach((item, n) => fits(item, form[0], `${at}[${n}]`)); return; }
    for (const name of Object.keys(form)) assert.ok(/[?*]$/.test(name) || name in value, `${at} has no ${name}`);
    for (const [name, member] of Object.entries(value)) fits(member, form[name] ?? form[`${name}?`] ?? form['*'] ?? assert.fail(`${at}.${name} is not documented`), `${at}.${name}`);
}
const oneOf = (...values) => (value, at) => assert.ok(values.includes(value), `${at}: ${value}`);
const some = (form) => (value, at) => { assert.ok(Object.keys(value).length > 0, `${at} is empty, which Traefik refuses`); fits(value, form, at); };

// Traefik 3: routing configuration, file provider.
const sticky = { cookie: { name: 'string', 'httpOnly?': 'boolean', 'maxAge?': 'number' } };
const router = { entryPoints: ['string'], rule: 'string', service: 'string', 'priority?': 'number', 'middlewares?': ['string'], 'tls?': {} };
const weighted = { services: [{ name: 'string', weight: 'number' }], 'sticky?': sticky };
const check = { path: 'string', 'status?': 'number', 'interval?': 'string', 'timeout?': 'string', 'port?': 'number' };
const traefik = some({
    'http?': some({
        'routers?': some({ '*': router }), 'middlewares?': some({ '*': { redirectRegex: { regex: 'string', replacement: 'string', permanent: 'boolean' } } }),
        'services?': some({ '*': some({ 'loadBalancer?': { servers: [{ url: 'string' }], 'sticky?': sticky, 'healthCheck?': check, 'serversTransport?': 'string' }, 'weighted?': weighted }) }),
        'serversTransports?': some({ '*': { insecureSkipVerify: 'boolean' } }),
    }),
    'tcp?': some({ 'routers?': some({ '*': router }), 'services?': some({ '*': some({ 'loadBalancer?': { servers: [{ address: 'string' }] }, 'weighted?': weighted }) }) }),
});
// Envoy 3: service.discovery.v3.DiscoveryResponse with config.endpoint.v3.ClusterLoadAssignment, as JSON of protobuf.
const endpoint = { address: { socket_address: { address: 'string', port_value: (port, at) => assert.ok(Number.isInteger(port) && port > 0 && port < 65536, at) } } };
const envoy = { version_info: 'string', resources: [{ '@type': oneOf('type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment'), cluster_name: 'string',
    endpoints: [{ lb_endpoints: [{ health_status: oneOf('UNKNOWN', 'HEALTHY', 'UNHEALTHY', 'DRAINING', 'TIMEOUT', 'DEGRADED'), endpoint }] }] }] };

// Side by side: most of their time is waiting.
describe('feeds', { concurrency: true }, () => {

test('Caddy: targets come and go without an error, and one that leaves is busy until its last answer', { skip: skip(CADDY) }, async (t) => {
    const source = await startSource(), admin = `127.0.0.1:${await freePort()}`, port = await freePort(), { one, two, green } = targets;
    const closing = { handle: [{ handler: 'headers', response: { set: { Connection: ['close'] } } }] };
    const routes = [closing, route('tg-green', undefined, { path: ['/green'] }), route('tg-blue', [])];
    source.state.groups = [group('blue', one), group('green', green), group('elsewhere', green)];
    let caddy = await startCaddy('caddy', routes, { admin, port });
    const feed = run(['feed', 'caddy', '--server', source.url, '--admin', `http://${admin}/`, '--name', 'edge'], keys);
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
    const source = await startSource(), admin = `127.0.0.1:${await freePort()}`;
    const feed = async () => {
        const once = run(['feed', 'caddy', '--once', '--server', source.url, '--admin', `http://${admin}`], keys);
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
});

test('nginx: it serves the targets of the file, each change reloads it, and a reload that fails is in the log', { skip: skip(NGINX) }, async () => {
    const source = await startSource(), port = await freePort(), { two, green } = targets;
    writeFileSync(file('nginx'), '');
    writeFileSync(file('nginx.conf'), `daemon off;\npid ${file('pid')};\nerror_log stderr;\nevents {}\nhttp {\n  access_log off;\n  include ${file('nginx')};\n`
        + ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `  ${name}_temp_path ${file('temp')}${name};\n`).join('')
        + `  server { listen 127.0.0.1:${port}; location / { proxy_pass http://tg_blue; proxy_http_version 1.1; proxy_set_header Connection ""; } }\n}\n`);
    source.state.groups = [group('blue', green), { ...group('empty'), algorithm: 'least_outstanding_requests' }, { ...group('any', two), algorithm: 'weighted_random' }];
    const nginx = () => run(['-e', 'stderr', '-c', file('nginx.conf')], keys, NGINX);
    const check = `${NGINX} -t -e stderr -c ${file('nginx.conf')}`, reload = `{ test ! -s ${file('pid')} || ${NGINX} -s reload -e stderr -c ${file('nginx.conf')}; }`;
    const feed = run(['feed', 'nginx', '--server', source.url, '--name', 'nginx', '--file', file('nginx'),
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
});

test('Prometheus: it asks the targets of the file', { skip: skip(PROMETHEUS) || skip(PROMTOOL) }, async () => {
    const source = await startSource(), port = await freePort(), { green } = targets;
    source.state.groups = [group('blue', { row: { ...green.row, task: 'arn:x:task/t1' } })];
    await write('prometheus', source);
    writeFileSync(file('prometheus.json'), read('prometheus'));                 // it takes the kind of file from its name
    writeFileSync(file('prometheus.yml'), `scrape_configs:\n- job_name: berth\n  scrape_interval: 1s\n  file_sd_configs:\n  - files: [${file('prometheus.json')}]\n`
        + '  relabel_configs:\n  - source_labels: [__meta_berth_target_group]\n    target_label: group\n');
    execFileSync(PROMTOOL, ['check', 'config', file('prometheus.yml')], { stdio: 'pipe' });
    const prometheus = run([`--config.file=${file('prometheus.yml')}`, `--storage.tsdb.path=${file('tsdb')}`, `--web.listen-address=127.0.0.1:${port}`], keys, PROMETHEUS);
    const found = await waitFor('its target', async () => {
        try { return JSON.parse((await get(port, '/api/v1/targets')).text).data.activeTargets.find(({ lastScrape }) => !lastScrape.startsWith('0001')); } catch { return undefined; }
    });
    assert.strictEqual(found.scrapeUrl, `http://127.0.0.1:${green.row.port}/metrics`);
    assert.deepStrictEqual([found.labels.group, found.discoveredLabels.__meta_berth_zone, found.discoveredLabels.__meta_berth_task], ['blue', 'a', 'arn:x:task/t1']);
    await prometheus.signal('SIGTERM');
});

test('Traefik and Envoy: the files have the documented form', async () => {
    const source = await startSource(), { two, green } = targets, of = (name, ...more) => ({ ...group(name, green), ...Object.assign({}, ...more) });
    const listener = (id, port, protocol, action, rules = []) => ({ arn: `arn:x:listener/app/web/1/${id}`, loadBalancer: 'web', port, protocol, action, rules });
    source.state.groups = [of('blue', { stickinessSeconds: 60, healthCheck: { ...group('x').healthCheck, codes: '200' } }), of('secure', { protocol: 'HTTPS' }), of('raw', { protocol: 'TCP' }),
        group('leaving', { row: { ...two.row, state: 'draining' } }), group('empty')];
    source.state.listeners = [
        listener('l1', 80, 'HTTP', { type: 'redirect', protocol: 'HTTPS', port: '443', status: 301 }),
        listener('l2', 443, 'HTTPS', { type: 'fixed-response', status: 404 }, [rule('r1', 10, 'path-pattern', ['/a/*'], { ...forward(['blue', 90], ['secure', 10]), stickinessSeconds: 60 }),
            rule('r2', 20, 'host-header', ['*.example'], forward(['blue', 1]))]),
        listener('l3', 5432, 'TCP', forward(['raw', 1])), listener('l4', 5433, 'TLS', forward(['raw', 1], ['raw', 2]))];
    const file = JSON.parse(await write('traefik', source)), { http, tcp } = file;
    fits(file, traefik, 'file');
    for (const { routers, services, middlewares = {}, serversTransports = {} } of [http, tcp]) {
        for (const [name, { service, middlewares: used = [] }] of Object.entries(routers)) {
            assert.ok(service in services, `${name}: ${service}`);
            for (const one of used) assert.ok(one in middlewares, `${name}: ${one}`);
        }
        for (const { loadBalancer, weighted: parts } of Object.values(services)) {
            assert.ok((loadBalancer?.serversTransport ?? 'none') in { none: 0, ...serversTransports });
            for (const { name } of parts?.services ?? []) assert.ok(name in services, name);
        }
    }
    assert.deepStrictEqual([Object.keys(http.routers), Object.keys(tcp.routers)], [['l1', 'r1', 'r2', 'l2'], ['l3', 'l4']]);
    const endpoints = JSON.parse(await write('envoy', source));
    fits(endpoints, envoy, 'file');
    assert.deepStrictEqual(endpoints.resources.map(({ endpoints: [{ lb_endpoints: list }] }) => list.map((one) => one.health_status).join()),
        ['HEALTHY', 'HEALTHY', 'HEALTHY', 'DRAINING', '']);
    source.state = { revision: 2, groups: [], listeners: [] };
    fits(JSON.parse(await write('traefik', source)), traefik, 'file');
    fits(JSON.parse(await write('envoy', source)), envoy, 'file');
});

test('berth dev --ingress: HAProxy beside the server, from one command', { skip: skip(HAPROXY) }, async () => {
    const data = path.join(folder, 'dev'), [port, taken] = [await freePort(), await freePort()], { two } = targets;
    const start = (...more) => run(['dev', '--ingress', '--data', data, '--listen', '127.0.0.1:0', '--runtime', 'process', '--no-fake', ...more], keys);
    const without = start('--proxy', '/nowhere/haproxy');
    assert.deepStrictEqual(await without.ended, { code: 1, signal: null });
    assert.match((await without.silent, without.output), /^berth dev: HAProxy is needed: there is no program \/nowhere\/haproxy\. /m);

    const dev = start('--map-ports', `80=${port},81=${taken}`), other = net.createServer();
    await waitFor('dev mode', () => /^Ready in/m.test(dev.output) || (dev.status && assert.fail(dev.output)));
    assert.match(dev.output, /^ {2}Ingress HAProxy/m);
    const [, key, secret] = /id = (\S+)\n.* = (\S+)\n/.exec(readFileSync(path.join(data, 'credentials'), 'utf8')), { host } = new URL(readFileSync(path.join(data, 'endpoint'), 'utf8'));
    const elb = async (Action, input) => {
        const time = amzTime(), body = new URLSearchParams({ Action, Version: '2015-12-01', ...input }).toString();
        const headers = { host, 'x-amz-date': time, 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
        const authorization = sign({ method: 'POST', pathname: '/', headers, body, key, secret, time, service: 'elasticloadbalancing' });
        const response = await fetch(`http://${host}/`, { method: 'POST', body, headers: { ...headers, authorization } }), text = await response.text();
        assert.strictEqual(response.status, 200, text);
        return (member) => new RegExp(`<${member}>(.*?)</${member}>`).exec(text)[1];
    };
    const arn = (await elb('CreateTargetGroup', { Name: 'web', Protocol: 'HTTP', Port: 80, TargetType: 'ip' }))('TargetGroupArn');
    await elb('RegisterTargets', { TargetGroupArn: arn, 'Targets.member.1.Id': '127.0.0.1', 'Targets.member.1.Port': two.row.port });
    const front = (await elb('CreateLoadBalancer', { Name: 'front', 'Subnets.member.1': 'local' }))('LoadBalancerArn');
    const listen = (at) => elb('CreateListener', { LoadBalancerArn: front, Protocol: 'HTTP', Port: at, 'DefaultActions.member.1.Type': 'forward', 'DefaultActions.member.1.TargetGroupArn': arn });
    await listen(80);
    await answers(port);
    assert.match((await get(port, '/')).text, /^two/);
    await new Promise((resolve) => other.listen(taken, resolve));
    await listen(81);
    await waitFor('the port in the log', () => new RegExp(`cannot bind socket \\(Address already in use\\) for \\[0\\.0\\.0\\.0:${taken}\\]`).test(dev.output));
    assert.match((await get(port, '/')).text, /^two/, 'the first listener goes on');
    other.close();
    assert.deepStrictEqual(await dev.signal('SIGTERM'), { code: 0, signal: null });
    await assert.rejects(get(port, '/'), 'HAProxy has ended with it');
});

});
