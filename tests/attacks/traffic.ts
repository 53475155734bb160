const MIB = 1024 * 1024;
export const ATTACK_MS = 3000;
const CLIENTS = 4;
const HALF_SENT = 100;
/** More than the 15 s that the service gives a body. */
const SLOW_MS = 17_000;

/** Counts how each request ended: by a status, `closed` by the service without one, still `open` at the attack's end. */
type Count = (status: number | string) => void;
type Traffic = (port: number, count: Count) => Promise<void>;

export type Attack = keyof typeof ATTACKS;

/** Requests of strangers, by the attack's name; each ends by itself. */
export const ATTACKS = {
  "bodies that are declared and not sent": (port, count) =>
    hold(port, count, {
      declaredBytes: 8 * MIB,
      ms: ATTACK_MS,
      path: "/webhooks/voice",
      headers: voiceSignature(),
    }),
  "a body sent byte by byte": (port, count) =>
    hold(port, count, { declaredBytes: 1000, ms: SLOW_MS, path: "/auth?grant_type=password" }),
  "a megabyte of fields with a wrong key": (port, count) =>
    flood(port, count, "/notify?access_key=nope&unflatten=true", { body: dottedFields(80_000) }),
  "a megabyte of lists to the log-in": (port, count) =>
    flood(port, count, "/auth?grant_type=password", { body: `{"a":[${"[],".repeat(300_000)}[]]}` }),
  "chunks of one byte without end": (port, count) => pour(port, count, "/auth?grant_type=password"),
  "wrong keys": (port, count) =>
    flood(port, count, () => `/notify/templates?access_key=${crypto.randomUUID()}&phone_number=1`),
  "wrong keys from all over a /64": (port, count) =>
    flood(port, count, () => `/notify/templates?access_key=${crypto.randomUUID()}&phone_number=1`, {
      address: () => `2001:db8:1:2:${hex()}:${hex()}:${hex()}:${hex()}`,
    }),
  "large webhooks with a wrong signature": (port, count) =>
    flood(port, count, "/webhooks/whatsapp", {
      body: `{"object":"${"x".repeat(4 * MIB - 100)}"}`,
      headers: { "X-Hub-Signature-256": `sha256=${"0".repeat(64)}` },
    }),
} satisfies Record<string, Traffic>;

function voiceSignature(): Record<string, string> {
  return { "ElevenLabs-Signature": `t=${Math.floor(Date.now() / 1000)},v0=${"0".repeat(64)}` };
}

function dottedFields(count: number): string {
  return JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}.b`, 1])));
}

function hex(): string {
  return Math.floor(Math.random() * 0xffff).toString(16);
}

interface Flood {
  body?: string;
  headers?: Record<string, string>;
  address?: () => string;
}

/** Several clients that send one request after the other. */
async function flood(
  port: number,
  count: Count,
  path: string | (() => string),
  { body, headers, address = () => "203.0.113.66" }: Flood = {},
): Promise<void> {
  const end = Date.now() + ATTACK_MS;
  async function client(): Promise<void> {
    while (Date.now() < end) {
      const url = `http://127.0.0.1:${port}/functions/v1${typeof path === "string" ? path : path()}`;
      try {
        const response = await fetch(url, {
          method: body === undefined ? "GET" : "POST",
          headers: { "Content-Type": "application/json", "X-Forwarded-For": address(), ...headers },
          ...(body !== undefined && { body }),
        });
        await response.body?.cancel();
        count(response.status);
      } catch {
        count("closed");
      }
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** One connection after the other that sends a chunked body, a byte per chunk, as fast as it is taken. */
async function pour(port: number, count: Count, path: string): Promise<void> {
  const end = Date.now() + ATTACK_MS;
  const head = `POST /functions/v1${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
    "X-Forwarded-For: 203.0.113.66\r\nTransfer-Encoding: chunked\r\n\r\n";
  const chunks = new TextEncoder().encode("1\r\na\r\n".repeat(1000));
  while (Date.now() < end) {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(new TextEncoder().encode(head));
    const status = firstStatus(connection);
    let isOver = false;
    void status.then(() => isOver = true);
    // The last one too is sent until the service ends it: how it ends is what is counted.
    while (!isOver) await connection.write(chunks).catch(() => isOver = true);
    count(await status);
  }
}

interface HeldRequest {
  path: string;
  declaredBytes: number;
  ms: number;
  headers?: Record<string, string>;
}

/** Connections that declare a body and send one byte of it per second. */
async function hold(
  port: number,
  count: Count,
  { path, declaredBytes, ms, headers = {} }: HeldRequest,
): Promise<void> {
  const lines = Object.entries({
    Host: "x",
    "Content-Type": "application/json",
    "Content-Length": String(declaredBytes),
    "X-Forwarded-For": "203.0.113.66",
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = new TextEncoder().encode(`POST /functions/v1${path} HTTP/1.1\r\n${lines.join("")}\r\n{`);
  await Promise.all(Array.from({ length: HALF_SENT }, async () => {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    await connection.write(head);
    const drip = setInterval(() => void connection.write(new Uint8Array([0x20])).catch(() => {}), 1000);
    const over = Promise.withResolvers<string>();
    const timer = setTimeout(() => over.resolve("open"), ms);
    count(await Promise.race([firstStatus(connection), over.promise]));
    clearInterval(drip);
    clearTimeout(timer);
  }));
}

async function firstStatus(connection: Deno.Conn): Promise<string> {
  try {
    const buffer = new Uint8Array(1024);
    const size = await connection.read(buffer);
    if (size === null) return "closed";
    return /^HTTP\/1\.1 (\d+)/.exec(new TextDecoder().decode(buffer.subarray(0, size)))?.[1] ?? "no HTTP";
  } catch {
    return "closed";
  }
}
