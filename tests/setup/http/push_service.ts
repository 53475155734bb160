import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import { importJWK, type JWTPayload, jwtVerify } from "jose";
import type { JsonObject } from "./http.ts";
import { closeServer } from "./close_server.ts";

/** A message as a browser reads it. */
export interface ReceivedPush {
  /** The path of the endpoint. */
  path: string;
  headers: Headers;
  claims: JWTPayload;
  message: JsonObject;
}

/** A push service, and one browser. */
export interface PushService {
  origin: string;
  /** Returns the fields of the browser's `PushSubscription`, with an endpoint of its own. */
  subscription(name: string): { endpoint: string; keys: { p256dh: string; auth: string }; language: string };
  received: ReceivedPush[];
}

/**
 * Runs `use` with a push service on a free port, which checks who sends as RFC 8292 says and reads messages with the
 * browser's own keys as RFC 8291 says. It accepts them unless `answer` says otherwise.
 */
export async function withPushService(
  use: (service: PushService) => Promise<void>,
  answer: (push: ReceivedPush, count: number) => Response | Promise<Response> = () =>
    new Response(null, { status: 201 }),
): Promise<void> {
  const received: ReceivedPush[] = [];
  const browser = createECDH("prime256v1");
  browser.generateKeys();
  const auth = randomBytes(16);
  async function respond(request: Request): Promise<Response> {
    const body = Buffer.from(await request.arrayBuffer());
    const { claims } = await verifyVapid(request.headers.get("authorization")!);
    assert.equal(claims.aud, origin);
    const message = JSON.parse(decrypt(body, browser, auth));
    const push = { path: new URL(request.url).pathname, headers: request.headers, claims, message };
    received.push(push);
    return await answer(push, received.length);
  }

  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, respond);
  const origin = `http://127.0.0.1:${server.addr.port}`;
  const keys = { p256dh: browser.getPublicKey("base64url"), auth: auth.toString("base64url") };
  try {
    await use({
      origin,
      subscription: (name) => ({ endpoint: `${origin}/${name}`, keys, language: "es" }),
      received,
    });
  } finally {
    await closeServer(server);
  }
}

/** Checks the `Authorization` of a request to a push service, and returns its claims and the key that signed them. */
export async function verifyVapid(
  authorization: string,
): Promise<{ publicKey: string; claims: JWTPayload }> {
  const [, token, publicKey] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization)!;
  const point = Buffer.from(publicKey!, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  const key = await importJWK({ kty: "EC", crv: "P-256", x: x!, y: y! }, "ES256");
  const { payload } = await jwtVerify(token!, key, { algorithms: ["ES256"] });
  return { publicKey: publicKey!, claims: payload };
}

function decrypt(body: Buffer, browser: ReturnType<typeof createECDH>, auth: Buffer): string {
  const [salt, theirs, sealed] = [body.subarray(0, 16), body.subarray(21, 86), body.subarray(86)];
  assert.equal(body[20], 65);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), browser.getPublicKey(), theirs]);
  const secret = Buffer.from(hkdfSync("sha256", browser.computeSecret(theirs), auth, info, 32));
  const named = (name: string, bytes: number) =>
    Buffer.from(hkdfSync("sha256", secret, salt, `Content-Encoding: ${name}\0`, bytes));
  const decipher = createDecipheriv("aes-128-gcm", named("aes128gcm", 16), named("nonce", 12));
  decipher.setAuthTag(sealed.subarray(-16));
  const record = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  assert.equal(record.at(-1), 2, "the delimiter of the last record");
  return record.subarray(0, -1).toString();
}
