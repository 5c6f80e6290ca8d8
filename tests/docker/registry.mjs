// A registry on loopback (Debian's docker-registry), and a way to it that can be held up, cut and counted: the images' host is the way, so
// that all requests of the engine go through it. Engines take registries on loopback without TLS.
import http from 'node:http';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { remove, waitFor } from '../lib/lib.mjs';

const docker = (...args) => execFileSync('docker', ['-H', `unix://${process.env.DOCKER_SOCKET}`, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

export class Registry {
    // login: { username, password }, or nobody need say who they are.
    static async start(login) {
        const registry = new Registry();
        registry.login = login;
        registry.folder = mkdtempSync(path.join(os.tmpdir(), 'berth-registry-'));
        registry.asked = [];                        // "GET /v2/app/blobs/sha256:…", as they come
        registry.held = [];                         // waiting requests: functions that resume them
        registry.holds = () => false;               // (path) => must it wait?
        registry.cut = false;
        registry.way = http.createServer((request, response) => registry.#forward(request, response));
        await new Promise((resolve) => registry.way.listen(0, '127.0.0.1', resolve));
        registry.port = registry.way.address().port;
        registry.host = `127.0.0.1:${registry.port}`;
        await registry.#serve();
        return registry;
    }

    async #serve() {
        const auth = this.login && `auth:\n  htpasswd:\n    realm: test\n    path: ${this.folder}/users\n`;
        const config = path.join(this.folder, 'config.yml');
        for (let tries = 0; tries < 5 && !this.behind; tries++) {
            const port = 20000 + randomBytes(2).readUInt16LE() % 10000;
            writeFileSync(config, `version: 0.1\nlog:\n  level: error\nstorage:\n  filesystem:\n    rootdirectory: ${this.folder}/data\nhttp:\n  addr: 127.0.0.1:${port}\n  relativeurls: true\n${auth ?? ''}`);
            if (this.login) writeFileSync(path.join(this.folder, 'users'), `${this.login.username}:${execFileSync('python3', ['-W', 'ignore', '-c',
                'import crypt, sys; print(crypt.crypt(sys.argv[1], crypt.mksalt(crypt.METHOD_BLOWFISH, rounds=16)))', this.login.password], { encoding: 'utf8' })}`);
            this.process = spawn('docker-registry', ['serve', config], { stdio: 'ignore' });
            const ended = new Promise((resolve) => this.process.on('exit', () => resolve('ended')));
            const answers = waitFor('the registry to answer', () => new Promise((resolve) => {
                http.get({ host: '127.0.0.1', port, path: '/v2/' }, (answer) => { answer.resume(); resolve(answer.statusCode === 200 || answer.statusCode === 401); }).on('error', () => resolve(this.process.exitCode !== null));
            }));
            if (await Promise.race([ended, answers]) === true && this.process.exitCode === null) this.behind = port;
        }
        if (!this.behind) throw new Error('the registry does not start');
    }

    #forward(request, response) {
        this.asked.push(`${request.method} ${request.url}`);
        if (this.cut) return request.socket.destroy();
        const go = () => {
            const on = http.request({ host: '127.0.0.1', port: this.behind, method: request.method, path: request.url, headers: request.headers }, (answer) => {
                response.writeHead(answer.statusCode, answer.headers);
                answer.pipe(response);
            });
            on.on('error', () => response.destroy());
            request.pipe(on);
        };
        if (this.holds(request.url)) this.held.push(go); else go();
    }

    count(part) { return this.asked.filter((line) => line.includes(part)).length; }
    release() {
        this.holds = () => false;
        for (const go of this.held.splice(0)) go();
    }

    // An image of busybox and some chance, so that its layer is nobody else's. Gives its name and digest; it is in the registry only.
    async push(name, mebibytes = 1) {
        const root = path.join(this.folder, 'root'), image = `${this.host}/${name}`, local = `berth-made:${randomBytes(6).toString('hex')}`;
        mkdirSync(path.join(root, 'bin'), { recursive: true });
        execFileSync('cp', [execFileSync('which', ['busybox'], { encoding: 'utf8' }).trim(), path.join(root, 'bin', 'busybox')]);
        for (const applet of ['sh', 'sleep', 'echo', 'true']) execFileSync('ln', ['-sf', 'busybox', path.join(root, 'bin', applet)]);
        writeFileSync(path.join(root, 'chance'), randomBytes(mebibytes << 20));
        execFileSync('sh', ['-c', `tar -C ${root} -c . | docker -H unix://${process.env.DOCKER_SOCKET} import - ${local}`]);
        docker('tag', local, image);
        const config = path.join(this.folder, 'client');
        mkdirSync(config, { recursive: true });
        writeFileSync(path.join(config, 'config.json'), this.login ? this.logins() : '{}');
        await promisify(execFile)('docker', ['-H', `unix://${process.env.DOCKER_SOCKET}`, '--config', config, 'push', image]);      // through the way, which is in this process
        const digest = docker('inspect', '--format', '{{index .RepoDigests 0}}', image).split('@')[1];
        docker('rmi', image, local);
        return { image, digest };
    }

    // The text of a config.json.
    logins(login = this.login) {
        return JSON.stringify({ auths: { [this.host]: { auth: Buffer.from(`${login.username}:${login.password}`).toString('base64') } } });
    }

    async stop() {
        this.way.closeAllConnections?.();
        this.way.close();
        const ended = new Promise((resolve) => this.process.on('exit', resolve));
        this.process.kill('SIGTERM');
        await ended;
        remove(this.folder);
    }
}
