// lib.mjs: what strangers and peers with a small key use against a server: sockets without a client above them, floods, and requests that two
// servers would read differently; and how the server takes it.
import { readFileSync } from 'node:fs';
import net from 'node:net';
import tls from 'node:tls';
import { waitFor } from '../lib/lib.mjs';

// A socket that is connected. `text` is what came; `ended` resolves when it is closed, by whomever, and never fails. `reads: false`: it
// reads nothing until resume(). `ca`: over TLS. `from`: the address that it comes from, one of 127.0.0.0/8.
export async function dial(port, { reads = true, ca, from } = {}) {
    const way = { host: '127.0.0.1', port, localAddress: from };
    const socket = ca ? tls.connect({ ...way, ca: readFileSync(ca) }) : net.connect(way);
    socket.on('error', () => {});            // 'close' follows
    socket.text = '';
    socket.ended = new Promise((resolve) => socket.on('close', resolve));
    if (reads) socket.on('data', (data) => { socket.text = (socket.text + data.toString('latin1')).slice(-100000); });
    else socket.pause();
    await Promise.race([new Promise((resolve) => socket.once(ca ? 'secureConnect' : 'connect', resolve)), socket.ended]);
    return socket;
}

// Many of them, each of which has done `first` (socket, number) once it is connected. Opened some at a time: a queue that is full drops newcomers.
export async function flood(port, count, options = {}, first = () => {}) {
    const sockets = [];
    while (sockets.length < count) {
        const some = await Promise.all(Array.from({ length: Math.min(256, count - sockets.length) }, () => dial(port, options)));
        some.forEach((socket, s) => first(socket, sockets.length + s));
        sockets.push(...some);
    }
    return sockets;
}

// Does `act` with each socket that is still open, every `ms`, until the function that it returns is called.
export function drip(sockets, act, ms = 200) {
    const timer = setInterval(() => sockets.forEach((socket, s) => socket.writable && act(socket, s)), ms);
    return () => clearInterval(timer);
}

export async function hangUp(sockets) {
    for (const socket of sockets) socket.destroy();
    await Promise.all(sockets.map((socket) => socket.ended));
}

// The memory that the server has now, in MiB.
export const resident = (server) => Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.process.child.pid}/status`, 'utf8'))[1]) / 1024;

// The most memory, in MiB, that the server has while `attack` (a promise) goes on.
export async function peak(server, attack) {
    let most = resident(server), over = false;
    const ended = attack.finally(() => { over = true; });
    await waitFor('the attack to end', () => { most = Math.max(most, resident(server)); return over; });
    await ended;
    return most;
}

// The value of a metric's line, with its labels as they are printed: metric(server, 'name{reason="x"}').
export async function metric(server, line) {
    const { text } = await server.raw({ method: 'GET', pathname: '/metrics' });
    const found = text.split('\n').find((one) => one.startsWith(`${line} `));
    return found && Number(found.slice(line.length + 1));
}

// The status of each answer that came: a body may end without a newline.
export const statuses = (text) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((found) => Number(found[1]));

// The forms in which a second request is carried behind a first one that another server would end elsewhere: each of them has to be refused
// and its connection closed, so that what follows is never read. `head`: its lines behind Host; `line`: the request line for a path; `body`: what comes before
// the second request.
const chunked = 'Transfer-Encoding: chunked';
export const smuggling = [
    { what: 'a length, then chunks', head: ['Content-Length: 5', chunked], body: '0\r\n\r\n' },
    { what: 'chunks, then a length', head: [chunked, 'Content-Length: 5'], body: '0\r\n\r\n' },
    { what: 'two lengths that differ', head: ['Content-Length: 2', 'Content-Length: 0'], body: '{}' },
    { what: 'the same length twice', head: ['Content-Length: 2', 'Content-Length: 2'], body: '{}' },
    { what: 'a length that is a list', head: ['Content-Length: 2, 2'], body: '{}' },
    { what: 'a length with a plus', head: ['Content-Length: +2'], body: '{}' },
    { what: 'a length below zero', head: ['Content-Length: -2'], body: '{}' },
    { what: 'a length in base 16', head: ['Content-Length: 0x2'], body: '{}' },
    { what: 'a length with letters behind it', head: ['Content-Length: 2abc'], body: '{}' },
    { what: 'a length of two words', head: ['Content-Length: 2 2'], body: '{}' },
    { what: 'a length that is no number', head: ['Content-Length: two'], body: '{}' },
    { what: 'a length beyond 64 bits', head: ['Content-Length: 18446744073709551618'], body: '{}' },
    { what: 'a length with a fraction', head: ['Content-Length: 2.0'], body: '{}' },
    { what: 'a blank before the colon of the length', head: ['Content-Length : 2'], body: '{}' },
    { what: 'a tab before the colon of the length', head: ['Content-Length\t: 2'], body: '{}' },
    { what: 'a blank before the name of the length', head: [' Content-Length: 2'], body: '{}' },
    { what: 'a blank before the colon of the chunks', head: ['Content-Length: 5', 'Transfer-Encoding : chunked'], body: '0\r\n\r\n' },
    { what: 'two hosts', head: ['Host: 127.0.0.2', 'Content-Length: 2'], body: '{}' },
    { what: 'chunks twice', head: [chunked, chunked], body: '0\r\n\r\n' },
    { what: 'chunks, and then none', head: [chunked, 'Transfer-Encoding: identity'], body: '0\r\n\r\n' },
    { what: 'another encoding', head: ['Content-Length: 5', 'Transfer-Encoding: identity'], body: '0\r\n\r\n' },
    { what: 'an encoding that nobody knows', head: ['Content-Length: 5', 'Transfer-Encoding: xchunked'], body: '0\r\n\r\n' },
    { what: 'chunks behind a control character', head: ['Content-Length: 5', 'Transfer-Encoding: \x0bchunked'], body: '0\r\n\r\n' },
    { what: 'chunks in the older version', line: (path) => `POST ${path} HTTP/1.0`, head: ['Content-Length: 5', chunked], body: '0\r\n\r\n' },
    { what: 'chunks on a folded line', head: ['Content-Length: 5', 'Transfer-Encoding:', ' chunked'], body: '0\r\n\r\n' },
    { what: 'a folded line', head: ['Content-Length: 2', 'X-Long: a', ' b'], body: '{}' },
    { what: 'a header without a name', head: ['Content-Length: 2', ': x'], body: '{}' },
    { what: 'a header without a colon', head: ['Content-Length: 2', 'X-Long'], body: '{}' },
    { what: 'a line feed alone between two headers', head: ['X-Long: a\nContent-Length: 2'], body: '{}' },
    { what: 'a zero byte in a value', head: ['Content-Length: 2', 'X-Long: a\0b'], body: '{}' },
];

// A form's bytes, with a second request for `second` behind it.
export const smuggled = ({ line = (path) => `POST ${path} HTTP/1.1`, head, body }, path, second) =>
    [line(path), 'Host: 127.0.0.1', ...head, '', `${body}GET ${second} HTTP/1.1`, 'Host: 127.0.0.1', '', ''].join('\r\n');
