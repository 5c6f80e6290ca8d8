// Clients that ask on and on, and never try again.
import http from 'node:http';
import { sleep } from './lib.mjs';

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
