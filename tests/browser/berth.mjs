/* berth.mjs: a real server and real agents (simulated machines, or this one's plain processes) for one test, in a separate folder. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ECSClient } from "@aws-sdk/client-ecs";
import { amzTime, sign } from "../lib/lib.mjs";
import { eventually, PATIENCE_MS } from "./browser.mjs";

const PROGRAM = process.env.BERTH ?? new URL("../../build/berth", import.meta.url).pathname;
const KEY = { accessKeyId: "AKIABROWSERTESTS0000", secretAccessKey: "browser-tests-secret-0123456789-abcdefghij" };

export class Berth {
  static async make() {
    const berth = new Berth();
    berth.folder = await mkdtemp(join(tmpdir(), "berth-browser-"));
    berth.processes = [];
    return berth;
  }

  /* Starts a part of Berth; resolves with what `ready` matched in its output. */
  start(ready, ...words) {
    const child = spawn(PROGRAM, words, { cwd: this.folder, env: {
      PATH: process.env.PATH, HOME: this.folder, AWS_ACCESS_KEY_ID: this.key?.accessKeyId, AWS_SECRET_ACCESS_KEY: this.key?.secretAccessKey } });
    this.processes.push(child);
    return new Promise((resolve, reject) => {
      let said = "";
      const timer = setTimeout(() => reject(new Error(`berth ${words.join(" ")} is not ready:\n${said}`)), PATIENCE_MS);
      const hear = (bytes) => {
        said += bytes;
        const found = said.match(ready);
        if (found) {
          clearTimeout(timer);
          resolve({ child, found });
        }
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", hear);
      child.on("close", (code) => reject(new Error(`berth ${words.join(" ")} ended with ${code}:\n${said}`)));
    });
  }

  /* `dashboard`: who may read it without a key. */
  async server(port = 0, dashboard = "loopback") {
    this.key = KEY;
    const { child, found } = await this.start(/ready at (http:\S+)\s/, "server", "--listen", `127.0.0.1:${port}`, "--agent-listen", "127.0.0.1:0", "--data", "server", "--open-dashboard", dashboard,
      "--root-access-key-id", KEY.accessKeyId, "--root-secret-access-key", KEY.secretAccessKey);
    this.serverProcess = child;
    this.use(found[1]);
  }

  async dev() {
    const { found } = await this.start(/Status\s+(http:\S+?)\/\s[\s\S]*Ready in/, "dev", "--listen", "127.0.0.1:0", "--data", "dev", "--runtime", "process", "--sample-interval", "1s");
    const [, accessKeyId, secretAccessKey] = (await readFile(join(this.folder, "dev/credentials"), "utf8")).match(/aws_access_key_id = (\S+)\naws_secret_access_key = (\S+)/);
    this.key = { accessKeyId, secretAccessKey };
    this.use(found[1]);
  }

  /* A new key of this role. */
  async makeKey(role) {
    const { found } = await this.start(/AWS_ACCESS_KEY_ID=(\S+)\s+AWS_SECRET_ACCESS_KEY=(\S+)/, "keys", "create", "--role", role, "--data", "server");
    return { accessKeyId: found[1], secretAccessKey: found[2] };
  }

  use(url) {
    this.url = url;
    this.ecs = new ECSClient({ endpoint: url, region: "us-east-1", credentials: this.key, maxAttempts: 1 });
  }

  /* A call of Elastic Load Balancing; the answer's first value of a member. */
  async elb(Action, input) {
    const { host } = new URL(this.url);
    const body = new URLSearchParams({ Action, Version: "2015-12-01", ...input }).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded; charset=utf-8", host, "x-amz-date": amzTime() };
    const { accessKeyId: key, secretAccessKey: secret } = this.key;
    const authorization = sign({ method: "POST", pathname: "/", headers, body, key, secret, time: headers["x-amz-date"], service: "elasticloadbalancing" });
    const text = await (await fetch(this.url, { method: "POST", headers: { ...headers, authorization }, body })).text();
    return (member) => text.match(new RegExp(`<${member}>(.*?)</${member}>`))?.[1] ?? assert.fail(text);
  }

  /* Simulated machines; nothing goes on before all of them are connected, for until then no task is placed there. */
  async machines(types, ...words) {
    const { child } = await this.start(/all simulated machines are registered/, "agent", "--join", this.url, "--fake", types, "--data", `agent-${this.processes.length}`, ...words);
    await this.connected();
    return child;
  }

  async connected() {
    await eventually("every machine is connected", async () => {
      const { instances } = await (await fetch(`${this.url}/berth/v1/state`, { headers: { authorization: `Basic ${btoa(`${this.key.accessKeyId}:${this.key.secretAccessKey}`)}` } })).json();
      return instances.length > 0 && instances.every((instance) => instance.connected);
    });
  }

  async end(child, signal = "SIGTERM") {
    if (child.exitCode !== null || child.signalCode !== null) { return; }
    const gone = new Promise((resolve) => child.on("exit", resolve));
    child.kill(signal);
    await gone;
  }

  async stop() {
    this.ecs?.destroy();
    for (const child of this.processes.reverse()) { await this.end(child); }
    await rm(this.folder, { recursive: true, force: true, maxRetries: 20 });     /* what a task leaves behind may still write */
  }
}
