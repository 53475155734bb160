import { AppError } from "../errors.ts";
import { setField } from "../values/objects.ts";

const MAX_LEVELS = 5;
const MAX_ECHO_LENGTH = 100;

type Nested = Record<string, unknown>;

/**
 * Turns the flat form of a request (`unflatten=true`) into the nested one: `{"contact.number": "1"}` becomes
 * `{contact: {number: "1"}}`. Keys without a dot and all values are taken as they are.
 *
 * Throws `validation_failed` for a key with an empty segment or more than five levels, and for two keys that set the
 * same field (`contact` beside `contact.number`).
 */
export function unflatten(flat: Record<string, unknown>): Record<string, unknown> {
  const root: Nested = {};
  const opened = new Set<unknown>([root]);
  for (const [key, value] of Object.entries(flat)) {
    const path = segmentsOf(key);
    const last = path.pop()!;
    const parent = path.reduce((node, segment) => openChild(node, segment, key, opened), root);
    if (Object.hasOwn(parent, last)) throw otherKey(key);
    setField(parent, last, value);
  }
  return root;
}

function segmentsOf(key: string): string[] {
  const segments = key.split(".", MAX_LEVELS + 1);
  if (segments.length > MAX_LEVELS) {
    throw badKey(key, `it has more than ${MAX_LEVELS} levels`, `at most ${MAX_LEVELS} levels`);
  }
  if (segments.includes("")) throw badKey(key, "it contains an empty segment", "segments that are not empty");
  return segments;
}

/** Enters only objects that were made here: an object that came as a value is taken as it is. */
function openChild(node: Nested, segment: string, key: string, opened: Set<unknown>): Nested {
  if (!Object.hasOwn(node, segment)) {
    const child: Nested = {};
    setField(node, segment, child);
    opened.add(child);
    return child;
  }
  const child = node[segment];
  if (!opened.has(child)) throw otherKey(key);
  return child as Nested;
}

function otherKey(key: string): AppError {
  return badKey(key, "another key sets the same field", "no other key for the same field");
}

function badKey(key: string, problem: string, expectedFormat: string): AppError {
  const field = key.length > MAX_ECHO_LENGTH ? `${key.slice(0, MAX_ECHO_LENGTH)}…` : key;
  return new AppError("validation_failed", `Invalid key '${field}': ${problem}`, {
    details: { field, provided: field, expected_format: expectedFormat },
  });
}
