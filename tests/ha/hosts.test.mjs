// Three hosts in network namespaces, as docs/high-availability.md sets them up: hosts.mjs, in a separate namespace.
import { test } from 'node:test';
import assert from 'node:assert';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { root } from '../lib/lib.mjs';

test('three hosts, set up as the docs say: cut off, deaf, dead, and all without power', { timeout: 600000 }, (t) => {
    if (spawnSync('unshare', ['--net', '--mount', 'ip', 'link', 'set', 'lo', 'up']).status !== 0) {
        console.log('!! SKIPPED: no network namespaces here (they need root), so three hosts were not tested');
        return t.skip('no network namespaces');
    }
    const done = spawnSync('unshare', ['--net', '--mount', process.execPath, path.join(root, 'tests/ha/hosts.mjs')], { encoding: 'utf8', timeout: 580000 });
    for (const line of done.stdout.trim().split('\n').slice(0, 20)) t.diagnostic(line);
    assert.strictEqual(done.status, 0, done.stdout + done.stderr);
});
