import { importJWK, SignJWT } from "jose";
import { Buffer } from "node:buffer";

/** The pair of keys by which push services know this installation, in base64url: a point of P-256, and its number. */
export interface VapidKeys {
  publicKey: string;
  privateKey: string;
}

/** Push services take tokens of a day at most. */
const LIFETIME_S = 12 * 3600;

/** Makes a pair of keys. */
export async function makeVapidKeys(): Promise<VapidKeys> {
  const curve = { name: "ECDSA", namedCurve: "P-256" };
  const keys = await crypto.subtle.generateKey(curve, true, ["sign"]) as CryptoKeyPair;
  const point = await crypto.subtle.exportKey("raw", keys.publicKey);
  const { d } = await crypto.subtle.exportKey("jwk", keys.privateKey);
  return { publicKey: Buffer.from(point).toString("base64url"), privateKey: d! };
}

/**
 * Returns the `Authorization` of a request to a push service. Source: RFC 8292, sections 2 and 3.
 *
 * @param token `audience`: the origin of the endpoint; `subject`: where its operator finds ours
 */
export async function signVapid(
  { publicKey, privateKey }: VapidKeys,
  { audience, subject, now }: { audience: string; subject: string | undefined; now: Date },
): Promise<string> {
  const point = Buffer.from(publicKey, "base64url");
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  const key = await importJWK({ kty: "EC", crv: "P-256", x: x!, y: y!, d: privateKey }, "ES256");
  const token = await new SignJWT({ ...(subject && { sub: subject }) })
    .setProtectedHeader({ typ: "JWT", alg: "ES256" })
    .setAudience(audience)
    .setExpirationTime(Math.floor(now.getTime() / 1000) + LIFETIME_S)
    .sign(key);
  return `vapid t=${token}, k=${publicKey}`;
}
