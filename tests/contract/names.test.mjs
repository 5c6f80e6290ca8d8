// Where a service is reached: its endpoints over HTTP, and its names by real DNS servers, which run with the settings of docs/names.md. dnsmasq is Debian's; CoreDNS
// is no package there, so that it is asked only where `coredns` is installed.
import { after, before, test } from 'node:test';
import assert from 'node:assert';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { promises as dns } from 'node:dns';
import dgram from 'node:dgram';
import os from 'node:os';
import path from 'node:path';
import { Process, Server, region, remove, root, waitFor } from '../lib/lib.mjs';

const find = (program) => spawnSync('sh', ['-c', `PATH=/usr/sbin:/usr/bin:$PATH; command -v ${program}`], { encoding: 'utf8' }).stdout.trim();
const dnsmasq = find('dnsmasq'), coredns = find('coredns'), checkzone = find('named-checkzone');
const registry = `arn:aws:servicediscovery:${region}:123456789012:service/api.shop`;
const own = { dnsmasq: 'berth.hosts', corefile: 'berth.zone' };
let server, folder, page;
const running = [];

// A port that is free now, also for TCP as far as anyone knows.
const freePort = () => new Promise((resolve) => {
    const probe = dgram.createSocket('udp4');
    probe.bind(0, '127.0.0.1', () => { const { port } = probe.address(); probe.close(() => resolve(port)); });
});
// A block of the page, with this test's folder in the place of the page's.
const recipe = (language) => new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(page)[1].replaceAll('/var/lib/berth', folder);
const start = (...args) => { running.push(new Process(...args)); return running.at(-1); };
const asking = (port) => { const resolver = new dns.Resolver({ timeout: 1000, tries: 1 }); resolver.setServers([`127.0.0.1:${port}`]); return resolver; };
const addresses = (resolver, name) => resolver.resolve4(name).then((found) => found.sort(), (error) => error.code);
const until = (what, wanted, ask) => waitFor(`${what} to be ${JSON.stringify(wanted)}`, async () => JSON.stringify(await ask()) === JSON.stringify(wanted));

async function send(operation, input) {
    const { status, json } = await server.call(operation, input);
    assert.strictEqual(status, 200, json.message);
    return json;
}
const endpoints = (service, more = '') => server.raw({ method: 'GET', pathname: `/berth/v1/services/${service}/endpoints${more}` });
const scale = (desiredCount) => send('UpdateService', { service: 'web', desiredCount });

before(async () => {
    page = readFileSync(path.join(root, 'docs/names.md'), 'utf8');
    folder = mkdtempSync(path.join(os.tmpdir(), 'berth-names-'));
    server = await Server.start();
    await server.call('CreateCluster');
    for (const address of ['127.0.0.1', '127.0.0.2']) await server.agent(['--runtime', 'process', '--address', address]);
    await waitFor('two machines', async () => (await server.connected('default')) === 2);
    await send('RegisterTaskDefinition', { family: 'web', networkMode: 'host', containerDefinitions: [{ name: 'main', image: 'x', memory: 64, command: ['sleep', '1000'],
        portMappings: [{ containerPort: 8080, name: 'http' }] }] });
    await send('CreateService', { serviceName: 'web', taskDefinition: 'web', desiredCount: 1, serviceRegistries: [{ registryArn: registry }] });
});
after(async () => {
    for (const one of running) await one.signal('SIGTERM');
    await server.stop();
    remove(folder);
});

test('endpoints are listed, watched, and refused for a service that is not there', async () => {
    const first = await waitFor('the task to run', async () => { const { json } = await endpoints('web'); return json.endpoints.length === 1 && json; });
    const [{ task, since, address, ...rest }] = first.endpoints;
    assert.deepStrictEqual(rest, { container: 'main', containerPort: 8080, protocol: 'tcp', port: 8080, zone: null, health: 'UNKNOWN', names: ['web.default', 'api.shop'] });
    assert.match(address, /^127\.0\.0\.[12]$/);
    const watched = endpoints('web', `?cluster=default&watch=${first.revision}`);
    await scale(2);
    const { json: second } = await watched;
    assert.notStrictEqual(second.revision, first.revision);
    assert.deepStrictEqual(second.endpoints.map((one) => one.address).sort(), ['127.0.0.1', '127.0.0.2']);
    for (const [service, more, message] of [['other', '', 'There is no service other in the cluster default.'], ['web', '?cluster=blue', 'There is no service web in the cluster blue.']]) {
        const { status, json } = await endpoints(service, more);
        assert.deepStrictEqual([status, json.message], [404, message]);
    }
    assert.strictEqual((await server.raw({ method: 'GET', pathname: '/berth/v1/services/web/endpoints', unsigned: true })).status, 401);
    const { json } = await server.raw({ service: 'servicediscovery', target: 'Route53AutoNaming_v20170314.CreateService', body: '{}' });
    assert.match(json.message, /^Berth does not serve servicediscovery:CreateService\./);
});

test('dnsmasq answers with the addresses, and follows', { skip: dnsmasq ? false : 'there is no dnsmasq here: apt-get install dnsmasq-base' }, async () => {
    const port = await freePort(), file = path.join(folder, own.dnsmasq), config = path.join(folder, 'dnsmasq.conf'), user = os.userInfo().username;
    writeFileSync(config, recipe('dnsmasq'));
    writeFileSync(file, '');
    const one = start(['--keep-in-foreground', `--conf-file=${config}`, `--port=${port}`, '--listen-address=127.0.0.1', '--bind-interfaces', '--no-resolv', '--no-hosts',
        '--pid-file=', `--user=${user}`], {}, dnsmasq);
    start(['feed', 'hosts', '--server', server.url, '--file', file, '--reload', `kill -HUP ${one.child.pid}`], server.environment());
    const resolver = asking(port);
    await scale(2);
    for (const name of ['web.default.berth', 'api.shop.berth']) await until(name, ['127.0.0.1', '127.0.0.2'], () => addresses(resolver, name));
    assert.strictEqual(await addresses(resolver, 'other.default.berth'), 'ENOTFOUND');
    await scale(1);
    const { json } = await waitFor('one endpoint', async () => { const found = await endpoints('web'); return found.json.endpoints.length === 1 && found; });
    for (const name of ['web.default.berth', 'api.shop.berth']) await until(name, [json.endpoints[0].address], () => addresses(resolver, name));
});

test('the zone is right', { skip: checkzone ? false : 'there is no named-checkzone here: apt-get install bind9-utils' }, async () => {
    const file = path.join(folder, 'checked.zone');
    const feed = start(['feed', 'srv', '--once', '--server', server.url, '--file', file], server.environment());
    assert.strictEqual((await feed.ended).code, 0, feed.output);
    assert.match(execFileSync(checkzone, ['berth', file], { encoding: 'utf8' }), /\nOK\n$/);
});

test('CoreDNS answers with addresses and ports, and follows', { skip: coredns ? false : 'NOT CHECKED: there is no coredns in PATH, and Debian has no package of it' }, async () => {
    const port = await freePort(), file = path.join(folder, own.corefile), config = path.join(folder, 'Corefile');
    start(['feed', 'srv', '--server', server.url, '--file', file], server.environment());
    await waitFor('the zone', () => existsSync(file));
    writeFileSync(config, recipe('corefile'));
    start(['-conf', config, '-dns.port', String(port)], {}, coredns);
    const resolver = asking(port), ports = () => resolver.resolveSrv('_api._tcp.shop.berth').then((found) => found.map((one) => `${one.name}:${one.port}`).sort(), (error) => error.code);
    await scale(2);
    await until('the addresses', ['127.0.0.1', '127.0.0.2'], () => addresses(resolver, 'web.default.berth'));
    await until('the ports', ['ip-127-0-0-1.berth:8080', 'ip-127-0-0-2.berth:8080'], ports);
    assert.deepStrictEqual(await addresses(resolver, 'ip-127-0-0-2.berth'), ['127.0.0.2']);
    await scale(0);
    await until('the addresses', 'ENOTFOUND', () => addresses(resolver, 'web.default.berth'));
});
