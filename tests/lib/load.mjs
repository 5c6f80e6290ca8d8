// Clients that ask on and on, and never try again; and how tests of load balancers speak with Elastic Load Balancing.
import assert from 'node:assert';
import http from 'node:http';
import net from 'node:net';
import { sleep } from './lib.mjs';

// A call whose answer must be good: it gives the text of a member, the first of its name.
export async function elb(server, action, input) {
    const { status, text } = await server.raw({ service: 'elasticloadbalancing', contentType: 'application/x-www-form-urlencoded; charset=utf-8',
        body: new URLSearchParams({ Action: action, Version: '2015-12-01', ...input }).toString() });
    assert.strictEqual(status, 200, text);
    return (member) => new RegExp(`<${member}>(.*?)</${member}>`).exec(text)?.[1];
}
export const forward = (name, arn) => ({ [`${name}.member.1.Type`]: 'forward', [`${name}.member.1.TargetGroupArn`]: arn });
export const freePort = () => new Promise((resolve) => {
    const probe = net.createServer();
    probe.listen(0, '127.0.0.1', () => { const found = probe.address().port; probe.close(() => resolve(found)); });
});

// `stop` ends them and gives { answers, texts, lost }: how many there were, how often each text came, and the answers other than 200 and the errors.
export function load(port, pathname, { clients = 6, headers = {}, method = 'GET' } = {}) {
    const seen = { answers: 0, texts: {}, lost: [] };
    let running = true;
    const ask = (agent) => new Promise((resolve) => {
        const lose = (why) => { seen.lost.push(why); resolve(); };
        http.request({ host: '127.0.0.1', port, path: pathname, headers, agent, method }, (response) => {
            let text = '';
            response.on('data', (data) => { text += data; });
            response.on('error', (error) => lose(error.message));
            response.on('end', () => {
                seen.answers++;
                if (response.statusCode !== 200) { lose(`${response.statusCode} ${text}`); return; }
                seen.texts[text] = (seen.texts[text] ?? 0) + 1;
                resolve();
            });
        }).on('error', (error) => lose(error.message)).end();
    });
    const one = async () => {
        const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
        for (; running; await sleep(2)) await ask(agent);
        agent.destroy();
    };
    const ended = Promise.all(Array.from({ length: clients }, one));
    return Object.assign(seen, { stop: async () => { running = false; await ended; return seen; } });
}
