// `berth ingress` and `berth feed haproxy` with Debian's HAProxy. The client keeps its connections and never tries again: a request without its answer is a request lost.
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import assert from 'node:assert';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import http2 from 'node:http2';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Source, Target, forward, freePort, get, group, keys, listen, rule } from '../lib/feeds.mjs';
import { Process, program, remove, sleep, waitFor } from '../lib/lib.mjs';
import { load } from '../lib/load.mjs';

const skip = existsSync('/usr/sbin/haproxy') ? false : 'there is no haproxy here: apt-get install haproxy';
let folder, source, port, statPort, ingress;
const targets = {};
before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'berth-ingress-'));
    source = await Source.start();
    for (const [name, number] of [['one', '1'], ['two', '2'], ['green', '3'], ['sticky', '4'], ['sticky', '5']]) targets[`${name}${number}`] = await Target.start(name, number);
    [port, statPort] = [await freePort(), await freePort()];
    const { one1, green3, sticky4, sticky5 } = targets;
    source.state.groups = [group('blue', one1), group('green', green3), { ...group('sticky', sticky4, sticky5), stickinessSeconds: 60 }];
    source.state.listeners = [{ arn: 'arn:x:listener/app/web/1/2', loadBalancer: 'web', type: 'application', port: 80, protocol: 'HTTP', certificates: [],
        action: { type: 'fixed-response', status: 404, contentType: 'text/plain', body: 'no "rule"\n$HOME 100%' },
        rules: [rule('r1', 10, 'path-pattern', ['/a', '/a/*'], forward(['blue', 100], ['green', 0])),
            rule('r2', 20, 'path-pattern', ['/old/?'], { type: 'redirect', protocol: 'HTTPS', port: '443', host: '#{host}', path: '/new/#{path}', query: '#{query}', status: 301 }),
            rule('r3', 30, 'host-header', ['*.Example.com'], forward(['green', 1])),
            rule('r4', 40, 'http-header', ['x y*'], forward(['green', 1]), { header: 'X-Test' }),
            rule('r5', 50, 'query-string', ['version=2*'], forward(['green', 1])),
            rule('r6', 60, 'http-request-method', ['PURGE'], forward(['green', 1])),
            rule('r7', 70, 'path-pattern', ['/sticky'], forward(['sticky', 1])),
            rule('r8', 80, 'source-ip', ['10.0.0.0/8'], forward(['green', 1]))] },
    { arn: 'arn:x:listener/app/other/1/3', loadBalancer: 'other', type: 'application', port: 80, protocol: 'HTTP', action: forward(['blue', 1]), rules: [] }];
});
after(async () => {
    await ingress?.signal('SIGTERM');
    for (const target of Object.values(targets)) target.stop();
    source.stop();
    remove(folder);
});

test('rules, redirects and answers of its own', { skip }, async () => {
    ingress = new Process(['ingress', '--server', source.url, '--data', path.join(folder, 'data'), '--name', 'edge', '--map-ports', `80=${port}`,
        '--metrics', `127.0.0.1:${statPort}`], keys);
    await source.applied('edge');
    assert.match(ingress.output, /the listener of other at port 80 \(HTTP\) is left out: another listener has its port/);
    const rows = [
        ['/a', {}, 200, `one http ${port}`], ['/a/b', {}, 200, /^one/], ['/ab', {}, 404, 'no "rule"\n$HOME 100%'],
        ['/', { host: 'x.example.COM:80' }, 200, /^green/], ['/', { host: 'xexample.com' }, 404, /rule/],
        ['/', { 'x-test': 'X Yz' }, 200, /^green/], ['/', { 'x-test': 'ax y' }, 404, /rule/],
        ['/?a=1&version=2.1', {}, 200, /^green/], ['/?xversion=2', {}, 404, /rule/], ['/', {}, 200, /^green/, 'PURGE'],
        ['/old/1?x=%20y', {}, 301, ''], ['/old/12', {}, 404, /rule/],
    ];
    for (const [pathname, headers, status, text, method] of rows) {
        const answer = await get(port, pathname, headers, false, method);
        assert.strictEqual(answer.status, status, `${pathname} ${JSON.stringify(headers)} ${answer.text}`);
        if (text instanceof RegExp) assert.match(answer.text, text); else assert.strictEqual(answer.text, text);
        if (status === 301) assert.strictEqual(answer.headers.location, 'https://127.0.0.1/new/old/1?x=%20y');
    }
    const green = () => source.reports.get('edge').requests.filter((one) => one.group === 'green').map((one) => one.count);
    await waitFor('the requests to be reported', () => green().length === 1 && green()[0] === 4);
});

test('a cookie brings a client back to its target', { skip }, async () => {
    const first = await get(port, '/sticky'), [cookie] = first.headers['set-cookie'];
    const number = /^AWSALB=([45])\1{15}; Max-Age=60; Path=\/; HttpOnly$/.exec(cookie)?.[1] ?? assert.fail(cookie);
    for (let n = 0; n < 4; n++) {
        const [again] = (await get(port, '/sticky', { cookie: `AWSALB=${number.repeat(16)}` })).headers['set-cookie'];
        assert.ok(again.startsWith(`AWSALB=${number.repeat(16)};`), again);
    }
    await source.change('edge', () => { targets[`sticky${number}`].row.state = 'draining'; });
    const [moved] = (await get(port, '/sticky', { cookie: `AWSALB=${number.repeat(16)}` })).headers['set-cookie'];
    assert.ok(!moved.includes(number.repeat(16)), 'one that leaves gets no request by its cookie');
});

test('a websocket passes', { skip }, async () => {
    const socket = net.connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (data) => { text += data; });
    socket.write('GET /a HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
    await waitFor('the words behind the upgrade', () => text.endsWith('hello'));
    assert.match(text, /^HTTP\/1.1 101/);
    socket.destroy();
});

test('no request is lost when targets, weights and rules change', { skip }, async () => {
    const { one1, two2 } = targets, blue = source.group('blue');
    const seen = load(port, '/a');
    await waitFor('some answers', () => seen.answers > 50);
    const slow = get(port, '/a/slow');                                  // it holds the old target
    await waitFor('it to be held', () => one1.held.length === 1);
    await source.change('edge', () => { blue.targets.push(two2.row); });
    await source.change('edge', () => { one1.row.state = 'draining'; });
    await waitFor('the old target to be busy', () => source.reports.get('edge').busy.includes(one1.row.number));
    await source.change('edge', ({ listeners }) => { listeners[0].rules[1].conditions[0].values = ['/older']; });        // a reload
    assert.ok(ingress.output.includes('HAProxy reads its configuration again'));
    assert.ok(source.reports.get('edge').busy.includes(one1.row.number), 'the worker of before the reload still has its request');
    for (const release of one1.held) release();
    assert.strictEqual((await slow).text, 'one');
    await waitFor('it to be free', () => !source.reports.get('edge').busy.includes(one1.row.number));
    await source.change('edge', () => { blue.targets.shift(); });
    one1.stop();
    await source.change('edge', ({ listeners }) => { listeners[0].rules[0].action = forward(['blue', 0], ['green', 100]); });
    assert.match((await get(port, '/a')).text, /^green/);
    await source.change('edge', ({ listeners }) => { listeners[0].rules[0].action = forward(['blue', 50], ['green', 50]); });
    const names = new Set();
    await waitFor('both groups', async () => names.add((await get(port, '/a')).text.split(' ')[0]).size === 2);
    await source.change('edge', ({ listeners }) => { listeners[0].rules[0].action = forward(['blue', 100], ['green', 0]); });
    const { lost, answers } = await seen.stop();
    assert.deepStrictEqual(lost, [], `of ${answers}`);
    assert.strictEqual(ingress.output.match(/reads its configuration again/g).length, 1, 'weights and targets need no reload');
});

test('/metrics counts by target group', { skip }, async () => {
    const { text } = await get(statPort, '/metrics');
    assert.match(text, /^# TYPE berth_ingress_requests_total counter$/m);
    assert.match(text, /^berth_ingress_requests_total\{target_group="blue"\} [1-9]\d*$/m);
    assert.match(text, /^berth_ingress_answers_total\{target_group="blue",status="2xx"\} [1-9]\d*$/m);
});

test('changes while HAProxy reloads are taken by the next reload', { skip }, async () => {
    for (let n = 0; n < 5; n++, await sleep(30)) source.push(({ listeners }) => { listeners[0].rules[1].conditions[0].values = [`/older/${n}`]; });
    await source.applied('edge');
    assert.doesNotMatch(ingress.output, /gets the order again/);
    assert.strictEqual((await get(port, '/older/4')).status, 301);
});

test('TLS and HTTP/2 on both sides, a redirect to TLS, and TCP', { skip }, async () => {
    const own = await Source.start(), [plain, secure, tcp, ours] = [await freePort(), await freePort(), await freePort(), await freePort()];
    const data = mkdtempSync(path.join(folder, 'tls-')), certificates = path.join(data, 'tls');
    execFileSync(program, ['tls', 'create', '--host', 'web.example', '--data', data]);
    const target = http2.createServer((request, response) => response.end(`${request.headers['x-forwarded-proto']} ${request.httpVersion}`));
    const row = { number: 'a'.repeat(16), address: '127.0.0.1', port: await listen(target), state: 'healthy', since: 1 };
    execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', '/CN=web.example',
        '-keyout', `${certificates}/key`, '-out', `${certificates}/crt`], { stdio: 'ignore' });
    writeFileSync(path.join(certificates, 'c1.pem'), readFileSync(`${certificates}/crt`, 'utf8') + readFileSync(`${certificates}/key`, 'utf8'));
    own.state.groups = [{ ...group('rpc', { row }), protocolVersion: 'GRPC' }, { ...group('raw', targets.two2), protocol: 'TCP', healthCheck: { enabled: true, protocol: 'TCP' } }];
    const listener = (id, at, protocol, action) => ({ arn: `arn:x:listener/app/web/1/${id}`, loadBalancer: 'web', port: at, protocol, certificates: ['arn:x:certificate/c1'], action, rules: [] });
    own.state.listeners = [listener('5', plain, 'HTTP', { type: 'redirect', protocol: 'HTTPS', port: String(secure), status: 302 }), listener('6', 443, 'HTTPS', forward(['rpc', 1])),
        listener('7', tcp, 'TCP', forward(['raw', 1])), { ...listener('8', ours, 'HTTPS', forward(['rpc', 1])), certificates: ['arn:x:certificate/none'] }];
    const proxy = new Process(['ingress', '--server', own.url, '--data', path.join(folder, 'tls'), '--name', 'tls', '--map-ports', `web:443=${secure}`, '--certificates', certificates], keys);
    await own.applied('tls');
    const { status, headers } = await get(plain, '/x?y');
    assert.deepStrictEqual([status, headers.location], [302, `https://127.0.0.1:${secure}/x?y`]);
    for (const [at, options] of [[secure, { rejectUnauthorized: false }], [ours, { ca: readFileSync(`${certificates}/ca.pem`) }]]) {
        const client = http2.connect(`https://127.0.0.1:${at}`, options);
        const text = await new Promise((resolve, reject) => {
            let body = '';
            client.on('error', reject).request({ ':path': '/' }).on('data', (bytes) => { body += bytes; }).on('end', () => resolve(body)).on('error', reject).end();
        });
        client.destroy();
        assert.strictEqual(text, 'https 2.0');
    }
    assert.deepStrictEqual(proxy.output.match(/the certificate in .*: renew it/g).map((line) => line.replace(/ on [0-9-]+/, '')), [`the certificate in ${certificates}/c1.pem expires: renew it`]);
    assert.match((await get(tcp, '/')).text, /^two undefined/, 'bytes as they come');
    await proxy.signal('SIGTERM');
    target.close();
    own.stop();
});

test('a configuration that HAProxy refuses changes nothing, and targets still follow', { skip }, async () => {
    const { listeners } = source.state;
    writeFileSync(path.join(folder, 'default.pem'), 'no certificate');
    await ingress.signal('SIGTERM');
    assert.deepStrictEqual(ingress.status, { code: 0, signal: null });
    await assert.rejects(get(port, '/a'), 'HAProxy has ended with it');
    ingress = new Process(['ingress', '--server', source.url, '--data', path.join(folder, 'data'), '--name', 'edge2', '--map-ports', `80=${port}`, '--access-log', 'off',
        '--certificates', folder], keys);
    await source.applied('edge2');
    const { revision } = source.state;
    source.state.listeners = [...listeners, { ...listeners[0], arn: 'arn:x:listener/app/web/1/9', port: 443, protocol: 'HTTPS', certificates: ['arn:x:certificate/none'] }];
    source.state.revision++;
    for (const response of source.waiting) response.end(JSON.stringify(source.state));
    await waitFor('the refusal', () => /haproxy-next\.cfg is refused: haproxy fails: /.test(ingress.output));
    assert.strictEqual(source.reports.get('edge2').revision, revision);
    assert.match((await get(port, '/a')).text, /^two/);
    source.state.listeners = listeners;
    await source.change('edge2', () => {});
});

test('HAProxy that dies is started again, with its targets; Berth that is away changes nothing', { skip }, async () => {
    const master = Number(readFileSync(`/proc/${ingress.child.pid}/task/${ingress.child.pid}/children`, 'utf8').trim().split(' ')[0]);
    source.stop();
    process.kill(master, 'SIGKILL');
    await waitFor('the end in the log', () => /HAProxy has ended, and is started again/.test(ingress.output));
    await waitFor('an answer', async () => { try { return (await get(port, '/a')).status === 200; } catch { return false; } });
});

test('berth feed haproxy keeps the servers of an HAProxy of others', { skip }, async () => {
    const own = await Source.start(), front = await freePort(), socket = path.join(folder, 'own.sock'), file = path.join(folder, 'own.cfg');
    writeFileSync(file, `global\n  stats socket ${socket} mode 600 level admin\ndefaults\n  mode http\n  timeout connect 2s\n  timeout client 9s\n  timeout server 9s\n`
        + `frontend f\n  bind 127.0.0.1:${front}\n  default_backend tg_blue\nbackend tg_blue\n  balance leastconn\n`);
    const haproxy = new Process(['-db', '-f', file], keys, '/usr/sbin/haproxy');
    await waitFor('its socket', () => existsSync(socket));
    own.state.groups = [group('blue', targets.two2), group('elsewhere', targets.green3)];
    const feed = new Process(['feed', 'haproxy', '--server', own.url, '--socket', socket, '--name', 'own'], keys);
    await own.applied('own');
    assert.match((await get(front, '/')).text, /^two/);
    await own.change('own', ({ groups }) => { groups[0].targets.push(targets.green3.row); });
    await own.change('own', () => { targets.two2.row.state = 'draining'; });
    await waitFor('the old target to be free', () => own.reports.get('own').busy.length === 0);
    for (let n = 0; n < 3; n++) assert.match((await get(front, '/')).text, /^green/);
    const slow = { ...group('blue', targets.green3, { row: { ...targets.sticky4.row, state: 'healthy', since: Date.now() } }), slowStartSeconds: 86400 };
    await own.change('own', ({ groups }) => { groups[0] = slow; });
    const answer = await new Promise((resolve) => { let text = ''; net.connect(socket).on('data', (data) => { text += data; }).on('end', () => resolve(text)).end('show servers state tg_blue\n'); });
    const weights = Object.fromEntries(answer.split('\n').slice(2).map((line) => line.split(' ')).map((columns) => [columns[3], columns[7]]));
    assert.deepStrictEqual([weights['3'.repeat(16)], weights['4'.repeat(16)]], ['100', '10'], 'slow start');
    await feed.signal('SIGTERM');
    await haproxy.signal('SIGTERM');
    own.stop();
});
