// certificates.mjs: an authority and certificates of its making, by the openssl program.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const kinds = { ec: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'], rsa: ['-newkey', 'rsa:2048'], weak: ['-newkey', 'rsa:1024'] };

export class Authority {
    constructor() {
        this.folder = mkdtempSync(path.join(os.tmpdir(), 'berth-certificates-'));
        this.ca = this.at('ca.pem');
        this.openssl('req', '-x509', ...kinds.ec, '-nodes', '-keyout', this.at('ca.key'), '-out', this.ca, '-days', '30', '-subj', '/CN=Berth test authority');
    }
    at(name) { return path.join(this.folder, name); }
    openssl(...args) { return execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'] }).toString(); }
    // The files of a certificate: { cert, key, ca }. `days` below zero: it has expired.
    issue(name, { kind = 'ec', names = 'IP:127.0.0.1,DNS:localhost', days = 30 } = {}) {
        const cert = this.at(`${name}.pem`), key = this.at(`${name}.key`), request = this.at(`${name}.csr`), more = this.at(`${name}.ext`);
        writeFileSync(more, `subjectAltName=${names}\n`);
        this.openssl('req', ...kinds[kind], '-nodes', '-keyout', key, '-out', request, '-subj', `/CN=${name}`);
        this.openssl('x509', '-req', '-in', request, '-CA', this.ca, '-CAkey', this.at('ca.key'), '-CAcreateserial', '-out', cert, '-days', String(days), '-extfile', more);
        return { cert, key, ca: this.ca };
    }
}
