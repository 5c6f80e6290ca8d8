/* sigv4.js: SHA-256 and AWS's Signature Version 4, so that a secret never leaves the browser. Not with WebCrypto: browsers have it only on pages that came
 * over TLS or from their own machine, and Berth is often called by a plain address of its network. Refuses to know the page. */

const K = [], START = [];
for (let n = 2; K.length < 64; n += 1) {
  let prime = true;
  for (let d = 2; d * d <= n; d += 1) { prime &&= n % d !== 0; }
  if (!prime) { continue; }
  if (START.length < 8) { START.push((n ** (1 / 2) * 2 ** 32) | 0); }       /* FIPS 180-4: fractions of the roots of primes */
  K.push((n ** (1 / 3) * 2 ** 32) | 0);
}

const bytesOf = (text) => new TextEncoder().encode(text);
const hexOf = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const turn = (word, by) => (word >>> by) | (word << (32 - by));

function mix(state, block, at) {
  const w = new Int32Array(64);
  for (let i = 0; i < 64; i += 1) {
    if (i < 16) { w[i] = block.getInt32(at + 4 * i); continue; }
    const a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + w[i - 7] + (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) + (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10));
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i += 1) {
    const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i]) | 0;
    const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
  }
  return [a, b, c, d, e, f, g, h].map((word, i) => (word + state[i]) | 0);
}

export function sha256(data) {
  const bytes = typeof data === "string" ? bytesOf(data) : data;
  const padded = new Uint8Array((Math.floor((bytes.length + 8) / 64) + 1) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length * 8);
  let state = START;
  for (let at = 0; at < padded.length; at += 64) { state = mix(state, view, at); }
  const out = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => out.setInt32(4 * i, word));
  return new Uint8Array(out.buffer);
}

function hmac(key, text) {
  const block = new Uint8Array(64);
  block.set(key.length > 64 ? sha256(key) : key);
  const join = (pad, more) => Uint8Array.of(...block.map((byte) => byte ^ pad), ...more);
  return sha256(join(0x5c, sha256(join(0x36, bytesOf(text)))));
}

const encoded = (text) => encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/* A query in the form in which it is signed: sorted, and a blank is %20. */
export function canonicalQuery(query) {
  return [...new URLSearchParams(query)].map(([name, value]) => `${encoded(name)}=${encoded(value)}`).sort().join("&");
}

export function timeText(ms) { return new Date(ms).toISOString().replace(/[-:]|\.\d+/g, ""); }

/* The header Authorization. `headers` are all signed, by lower-case names: "host" and "x-amz-date" are among them. */
export function authorization({ method, path, query = "", headers, body = "", key, secret, region, service = "ecs" }) {
  const names = Object.keys(headers).sort();
  const time = headers["x-amz-date"], day = time.slice(0, 8);
  const canonical = [method, path, query, ...names.map((name) => `${name}:${headers[name]}`), "", names.join(";"), hexOf(sha256(body))].join("\n");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const signing = [day, region, service, "aws4_request"].reduce(hmac, bytesOf(`AWS4${secret}`));
  const signature = hexOf(hmac(signing, ["AWS4-HMAC-SHA256", time, scope, hexOf(sha256(canonical))].join("\n")));
  return `AWS4-HMAC-SHA256 Credential=${key}/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
}
