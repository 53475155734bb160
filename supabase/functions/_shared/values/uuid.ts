const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Random bytes are drawn for many ids at once: a draw of its own would cost more than the rest of an id. */
const BYTES_PER_ID = 10;
const pool = new Uint8Array(BYTES_PER_ID * 256);
let drawn = pool.length;

let lastTime = 0;
/** Orders the ids of one millisecond. It has 12 bits and starts in the lower half. */
let counter = 0;
const MAX_COUNTER = 0xfff;

// Not the package `uuid`: it draws random bytes for each id, which costs more than the rest.

/** Creates a UUIDv7 (RFC 9562): milliseconds since 1970, a counter, 62 random bits. Each is greater than the one before. */
export function uuidv7(): string {
  if (drawn === pool.length) {
    crypto.getRandomValues(pool);
    drawn = 0;
  }
  const at = drawn;
  drawn += BYTES_PER_ID;
  const now = Date.now();
  if (now > lastTime) {
    lastTime = now;
    counter = (pool[at]! << 8 | pool[at + 1]!) & MAX_COUNTER >> 1;
  } else if (++counter > MAX_COUNTER) {
    lastTime++;
    counter = 0;
  }
  const high = Math.floor(lastTime / 0x10000).toString(16).padStart(8, "0");
  const middle = HEX[lastTime >> 8 & 0xff]! + HEX[lastTime & 0xff]!;
  const order = HEX[0x70 | counter >> 8]! + HEX[counter & 0xff]!;
  const variant = HEX[0x80 | pool[at + 2]! & 0x3f]! + HEX[pool[at + 3]!]!;
  const rest = HEX[pool[at + 4]!]! + HEX[pool[at + 5]!]! + HEX[pool[at + 6]!]! + HEX[pool[at + 7]!]! +
    HEX[pool[at + 8]!]! + HEX[pool[at + 9]!]!;
  return `${high}-${middle}-${order}-${variant}-${rest}`;
}

/** Returns the least UUIDv7 of a time: those made at it or later are not less. */
export function firstIdAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`;
}

/** The form of a UUID in lower case, as the database writes it: the source of a regular expression. */
export const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
