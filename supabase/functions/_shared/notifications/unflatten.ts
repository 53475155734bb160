import { AppError } from "../errors.ts";
import { PROTOTYPE_KEYS } from "../prototype_keys.ts";

const MAX_LEVELS = 5;
const LONGEST_ECHO = 100;

type Nested = Record<string, unknown>;

/**
 * Turns the flat form of a request (`unflatten=true`) into the nested one: `{"contact.number": "1"}` becomes
 * `{contact: {number: "1"}}`. Keys without a dot and all values are taken as they are.
 *
 * Throws `validation_failed` for a key with an empty segment, more than five levels or a segment that would reach an
 * object's prototype, and for two keys that want the same place (`contact` beside `contact.number`).
 */
export function unflatten(flat: Record<string, unknown>): Record<string, unknown> {
  const root: Nested = {};
  const opened = new Set<unknown>([root]);
  for (const [key, value] of Object.entries(flat)) {
    const path = segmentsOf(key);
    const last = path.pop()!;
    const parent = path.reduce((node, segment) => openChild(node, segment, key, opened), root);
    if (Object.hasOwn(parent, last)) throw badKey(key, "no other key at the same place");
    parent[last] = value;
  }
  return root;
}

function segmentsOf(key: string): string[] {
  const segments = key.split(".", MAX_LEVELS + 1);
  if (segments.length > MAX_LEVELS) throw badKey(key, `at most ${MAX_LEVELS} levels`);
  if (segments.includes("")) throw badKey(key, "no empty segment");
  if (segments.some((segment) => PROTOTYPE_KEYS.has(segment))) {
    throw badKey(key, "an ordinary field name");
  }
  return segments;
}

/** Only objects made here may be entered: one that came as a value is somebody else's place. */
function openChild(node: Nested, segment: string, key: string, opened: Set<unknown>): Nested {
  if (!Object.hasOwn(node, segment)) {
    const child: Nested = {};
    node[segment] = child;
    opened.add(child);
    return child;
  }
  const child = node[segment];
  if (!opened.has(child)) throw badKey(key, "no other key at the same place");
  return child as Nested;
}

function badKey(key: string, expectedFormat: string): AppError {
  const field = key.length > LONGEST_ECHO ? `${key.slice(0, LONGEST_ECHO)}…` : key;
  return new AppError("validation_failed", `Invalid key '${field}': expected ${expectedFormat}`, {
    details: { field, provided: field, expected_format: expectedFormat },
  });
}
