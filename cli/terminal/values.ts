import process from "node:process";
import { text } from "node:stream/consumers";
import { InvalidArgumentError } from "commander";
import { KEY_PERMISSIONS, type KeyPermission } from "../../supabase/functions/_shared/access/permissions.ts";
import { EVENT_TYPES, type EventType } from "../../supabase/functions/_shared/events_out/event_types.ts";
import { isPhoneCountry } from "../../supabase/functions/_shared/rows/phone_cell.ts";
import { MAX_OVERLAP_HOURS } from "../../supabase/functions/_shared/access/company_keys.ts";
import { isOneLine } from "../../supabase/functions/_shared/values/control_characters.ts";
import { UUID } from "../../supabase/functions/_shared/values/uuid.ts";
import { readOrigin } from "../../supabase/functions/_shared/widgets/page_origin.ts";
import { CommandError } from "../errors/command_error.ts";

const ID = new RegExp(`^${UUID}$`, "i");

/** Reads an id, in either case. */
export function uuid(value: string): string {
  if (ID.test(value)) return value.toLowerCase();
  throw new InvalidArgumentError("Expected an id such as 0193a1b2-0000-4000-8000-0123456789ab.");
}

/** Reads a currency by ISO 4217. */
export function currency(value: string): string {
  if (/^[A-Za-z]{3}$/.test(value)) return value.toUpperCase();
  throw new InvalidArgumentError("Expected a currency such as EUR.");
}

// `Temporal` alone takes more than people mean: 20261001, a day with a time behind it, a time with [Europe/Madrid].
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** Reads a day such as 2026-10-01, in this form only. */
export function day(value: string): string {
  try {
    if (!DAY.test(value)) throw new RangeError(value);
    return Temporal.PlainDate.from(value).toString();
  } catch {
    throw new InvalidArgumentError("Expected a day such as 2026-10-01.");
  }
}

/** The largest value of an integer column. */
const MAX_INTEGER = 2_147_483_647;

/** Returns a reader of whole numbers from `min` to what a column can hold. */
export function wholeNumber(min: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (!/^[0-9]+$/.test(value) || number < min || number > MAX_INTEGER) {
      throw new InvalidArgumentError(`Expected a whole number from ${min} to ${MAX_INTEGER}.`);
    }
    return number;
  };
}

/** Reads a time with its zone, such as 2030-01-31T18:00Z, in this form only, so that it means the same everywhere. */
export function instant(value: string): Date {
  try {
    if (!INSTANT.test(value)) throw new RangeError(value);
    // `Temporal` refuses 31 February and times without a zone; `Date` takes both.
    return new Date(Temporal.Instant.from(value).epochMilliseconds);
  } catch {
    throw new InvalidArgumentError("Expected a time with its zone, such as 2030-01-31T18:00Z.");
  }
}

/** Reads a time with its zone, in the future. */
export function futureTime(value: string): Date {
  const time = instant(value);
  if (time.getTime() <= Date.now()) throw new InvalidArgumentError("Expected a time in the future.");
  return time;
}

/** Reads event types separated by commas. */
export function eventTypes(value: string): EventType[] {
  return someOf(EVENT_TYPES, value);
}

/** Reads ids separated by commas. */
export function uuids(value: string): string[] {
  return [...new Set(value.split(",").map((each) => uuid(each.trim())))];
}

/** Reads the hours for which the old text of a rotated key still passes. */
export function overlapHours(value: string): number {
  const hours = wholeNumber(0)(value);
  if (hours <= MAX_OVERLAP_HOURS) return hours;
  throw new InvalidArgumentError(`Expected at most ${MAX_OVERLAP_HOURS} hours.`);
}

/** Reads the name of a key. */
export function keyName(value: string): string {
  const name = value.trim();
  if (name !== "" && name.length <= 100 && isOneLine(name)) return name;
  throw new InvalidArgumentError("Expected 1 to 100 characters in one line.");
}

/** Reads permissions separated by commas. */
export function keyPermissions(value: string): KeyPermission[] {
  return someOf(KEY_PERMISSIONS, value);
}

function someOf<Name extends string>(known: readonly Name[], value: string): Name[] {
  const names = [...new Set(value.split(",").map((name) => name.trim()))];
  const isKnown = (name: string): name is Name => (known as readonly string[]).includes(name);
  if (names.every(isKnown)) return names;
  throw new InvalidArgumentError(`Expected some of ${known.join(", ")}, separated by commas.`);
}

/**
 * Collects the origins of pages: `https://shop.example`, with a port where it is not the usual one. No wildcards: the API
 * compares to the letter, while a browser would let every subdomain in.
 */
export function pageOrigin(value: string, before: string[] | undefined): string[] {
  if (value.includes("*")) {
    throw new InvalidArgumentError(
      "Wildcards are not supported: give each origin, such as https://shop.example.",
    );
  }
  const origin = readOrigin(value);
  if (origin === undefined) {
    throw new InvalidArgumentError("Expected an origin such as https://shop.example.");
  }
  return [...new Set([...before ?? [], origin])];
}

/**
 * Reads a password or token; `-` reads it from standard input, which keeps it out of the shell's history and the list of
 * processes.
 *
 * @throws {CommandError} `bad_value` when it is empty
 */
export async function readSecret(option: string, value: string): Promise<string> {
  const secret = value === "-" ? (await text(process.stdin)).replace(/\r?\n$/, "") : value;
  if (secret === "") throw new CommandError("bad_value", `${option} is empty`);
  return secret;
}

/**
 * Reads a text file; `-` is standard input.
 *
 * @throws {CommandError} `bad_value` when it cannot be read
 */
export async function readTextFile(path: string): Promise<string> {
  try {
    return path === "-" ? await text(process.stdin) : await Deno.readTextFile(path);
  } catch (cause) {
    throw new CommandError("bad_value", `The file ${path} cannot be read`, { cause });
  }
}

/**
 * Reads a JSON file; `-` is standard input.
 *
 * @throws {CommandError} `bad_value` when it cannot be read or is not JSON
 */
export async function readJsonFile(path: string): Promise<unknown> {
  const content = await readTextFile(path);
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw new CommandError("bad_value", `The file ${path} is not valid JSON`, { cause });
  }
}

/** Reads a country's two letters. */
export function phoneCountry(given: string): string {
  const country = given.toUpperCase();
  if (!isPhoneCountry(country)) {
    throw new InvalidArgumentError("Expected a country's two letters, such as ES.");
  }
  return country;
}
