import { createHmac, randomInt, timingSafeEqual } from "node:crypto";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const PERIOD_MS = 30_000;

/** Makes a secret for an app that shows codes, in base32. */
export function newSecret(): string {
  return Array.from({ length: 32 }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
}

/** Returns the six digits that an app with this secret shows at a time (RFC 6238 with SHA-1). */
export function totpCode(secret: string, at: number): string {
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(Math.floor(at / PERIOD_MS)));
  const mac = new Uint8Array(
    createHmac("sha1", base32Bytes(secret)).update(new Uint8Array(counter.buffer)).digest(),
  );
  const offset = mac.at(-1)! & 15;
  const number = new DataView(mac.buffer).getUint32(offset) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, "0");
}

/** Whether a code is the one of now, or of the half minute before or after. */
export function isCodeRight(secret: string, code: string, now = Date.now()): boolean {
  const given = new TextEncoder().encode(code);
  return [-1, 0, 1].some((step) => {
    const shown = new TextEncoder().encode(totpCode(secret, now + step * PERIOD_MS));
    return given.length === shown.length && timingSafeEqual(given, shown);
  });
}

function base32Bytes(text: string): Uint8Array {
  const bits = Array.from(text, (letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => parseInt(byte, 2));
}
