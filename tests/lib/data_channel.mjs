// data_channel.mjs: Session Manager's plugin as far as its data channel goes: it shows the token, answers the handshake, acknowledges what
// it has used, and sends a message without an acknowledgement again only when a test says so.
import assert from 'node:assert';
import { createHash, randomUUID } from 'node:crypto';
import { Socket } from './agent_client.mjs';
import { waitFor } from './lib.mjs';

const headLength = 116, sha256 = (data) => createHash('sha256').update(data).digest();
export const payloadTypes = { output: 1, size: 3, handshakeRequest: 5, handshakeResponse: 6, handshakeComplete: 7, flag: 10 };

function frame(type, sequence, payloadType, payload, flags = 0) {
    const head = Buffer.alloc(headLength + 4), id = Buffer.from(randomUUID().replaceAll('-', ''), 'hex');
    head.writeUInt32BE(headLength, 0);
    head.write(type.padEnd(32), 4);
    head.writeUInt32BE(1, 36);
    head.writeBigUInt64BE(BigInt(Date.now()), 40);
    head.writeBigInt64BE(BigInt(sequence), 48);
    head.writeBigUInt64BE(BigInt(flags), 56);
    id.copy(head, 64, 8);
    id.copy(head, 72, 0, 8);
    sha256(payload).copy(head, 80);
    head.writeUInt32BE(payloadType, 112);
    head.writeUInt32BE(payload.length, 116);
    return Buffer.concat([head, payload]);
}

// Throws where the plugin would drop the message.
function read(bytes) {
    assert.strictEqual(bytes.readUInt32BE(0), headLength);
    const payload = bytes.subarray(headLength + 4), uuid = Buffer.concat([bytes.subarray(72, 80), bytes.subarray(64, 72)]).toString('hex');
    const message = {
        type: bytes.subarray(4, 36).toString().trim(), created: Number(bytes.readBigUInt64BE(40)), sequence: Number(bytes.readBigInt64BE(48)),
        id: uuid.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'), payloadType: bytes.readUInt32BE(112), payload,
    };
    assert.strictEqual(bytes.readUInt32BE(116), payload.length);
    if (payload.length > 0) assert.deepStrictEqual(bytes.subarray(80, 112), sha256(payload));
    if (!/_publication$/.test(message.type)) assert.ok(message.created > 0);
    return message;
}

export class DataChannel {
    constructor(server, session) {
        Object.assign(this, { server, session, expected: 0, next: 0, text: '', acknowledged: new Set(), early: new Map(), seen: [], acking: true });
    }
    // Resolves to this, or to { refused } when the handshake of the websocket was.
    async connect({ token = this.session.tokenValue, shows = true } = {}) {
        const url = new URL(this.session.streamUrl);
        assert.strictEqual(url.protocol, this.server.tls ? 'wss:' : 'ws:');
        assert.strictEqual(url.host, `127.0.0.1:${this.server.agentPort}`);
        this.closed = undefined;
        const socket = await Socket.open(this.server, { pathname: url.pathname, query: Object.fromEntries(url.searchParams), headers: { authorization: '' } });
        if (socket.refused) return socket;
        this.socket = socket;
        socket.onBytes = (bytes) => this.take(read(bytes));
        if (shows) {
            socket.send(JSON.stringify({ MessageSchemaVersion: '1.0', RequestId: randomUUID(), TokenValue: token, ClientId: randomUUID(), ClientVersion: '1.2.3' }));
        }
        return this;
    }
    async open(more) {
        assert.strictEqual(await this.connect(more), this);
        await waitFor('the handshake', () => this.ready);
        return this;
    }
    take(message) {
        this.seen.push(message);
        if (message.type === 'acknowledge') this.acknowledged.add(JSON.parse(message.payload).AcknowledgedMessageSequenceNumber);
        else if (message.type === 'channel_closed') this.closed = JSON.parse(message.payload);
        else if (message.type === 'output_stream_data') this.takeOutput(message);
        else assert.match(message.type, /^(start|pause)_publication$/);
    }
    takeOutput(message) {
        if (!this.acking) return;
        const content = { AcknowledgedMessageType: message.type, AcknowledgedMessageId: message.id, AcknowledgedMessageSequenceNumber: message.sequence, IsSequentialMessage: true };
        if (message.sequence <= this.expected) this.socket.frame(2, frame('acknowledge', 0, 0, Buffer.from(JSON.stringify(content)), 3));
        if (message.sequence !== this.expected) return;
        this.expected++;
        if (message.payloadType === payloadTypes.handshakeRequest) {
            const { AgentVersion, RequestedClientActions: [action, ...none] } = JSON.parse(message.payload);
            assert.match(AgentVersion, /^\d/);
            assert.deepStrictEqual([action.ActionType, action.ActionParameters.SessionType, none], ['SessionType', 'InteractiveCommands', []]);
            this.say(payloadTypes.handshakeResponse, JSON.stringify({ ClientVersion: '1.2.3', ProcessedClientActions: [{ ActionType: 'SessionType', ActionStatus: 1, ActionResult: null, Error: '' }], Errors: null }));
        } else if (message.payloadType === payloadTypes.handshakeComplete) {
            assert.ok(Number.isInteger(JSON.parse(message.payload).HandshakeTimeToComplete));
            this.ready = true;
        } else {
            assert.strictEqual(message.payloadType, payloadTypes.output);
            this.text += message.payload.toString('latin1');
        }
    }
    // The number that the message has.
    say(payloadType, payload, sequence = this.next++) {
        this.socket.frame(2, frame('input_stream_data', sequence, payloadType, Buffer.from(payload)));
        return sequence;
    }
    type(text) { return this.say(payloadTypes.output, text); }
    resize(rows, cols) { return this.say(payloadTypes.size, JSON.stringify({ cols, rows })); }
    until(what) { return waitFor(`${what} in ${JSON.stringify(this.text.slice(-500))}`, () => what.exec(this.text)); }
    // The last output of the session.
    async ended() {
        await waitFor(`the session to end behind ${JSON.stringify(this.text.slice(-500))}`, () => this.closed);
        await this.socket.ended;
        assert.strictEqual(this.socket.close.code, 1000);
        assert.deepStrictEqual([this.closed.SessionId, this.closed.MessageType], [this.session.sessionId, 'channel_closed']);
        return this.closed.Output;
    }
}
