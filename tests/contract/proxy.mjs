// proxy.mjs: a way to the server on which things go wrong. Each connection takes the next step of the plan; when it is used up, the way
// is open. Steps: 'refuse' hangs up before a word is said; 'lose' lets the request through and hangs up in place of the answer, so that
// the server has done what the client does not know of; [status, type] answers in the server's place.
import net from 'node:net';

// All of one request: its head, and as much body as that says.
function takeRequest(socket, then) {
    let text = Buffer.alloc(0);
    socket.on('data', function take(data) {
        text = Buffer.concat([text, data]);
        const head = text.indexOf('\r\n\r\n');
        const length = head < 0 ? 0 : Number(/content-length: (\d+)/i.exec(text.subarray(0, head))?.[1] ?? 0);
        if (head < 0 || text.length < head + 4 + length) return;
        socket.off('data', take);
        then(text);
    });
}

const texts = { 400: 'Bad Request', 500: 'Internal Server Error', 503: 'Service Unavailable' };

export class Proxy {
    static async start(port) {
        const proxy = new Proxy();
        proxy.steps = [];
        proxy.server = net.createServer((socket) => proxy.connected(socket, port));
        await new Promise((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
        proxy.url = `http://127.0.0.1:${proxy.server.address().port}`;
        return proxy;
    }
    // From now on.
    plan(...steps) { this.steps = steps; this.connections = 0; }
    connected(socket, port) {
        const step = this.steps.shift();
        this.connections++;
        socket.on('error', () => {});
        if (step === 'refuse') socket.destroy();
        else if (Array.isArray(step)) takeRequest(socket, () => this.answer(socket, ...step));
        else this.forward(socket, port, step === 'lose');
    }
    answer(socket, status, type) {
        const body = JSON.stringify({ __type: type, message: 'on the way' });
        socket.end(`HTTP/1.1 ${status} ${texts[status]}\r\nContent-Type: application/x-amz-json-1.1\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
    }
    forward(socket, port, lose) {
        const server = net.connect(port, '127.0.0.1');
        server.on('error', () => socket.destroy());
        socket.pipe(server);
        if (lose) server.once('data', () => { socket.destroy(); server.destroy(); });
        else server.pipe(socket);
        socket.on('close', () => server.destroy());
    }
    async stop() {
        this.server.closeAllConnections?.();
        await new Promise((resolve) => this.server.close(resolve));
    }
}
