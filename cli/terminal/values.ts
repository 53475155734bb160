import process from "node:process";
import { text } from "node:stream/consumers";
import { InvalidArgumentError } from "commander";
import { KEY_PERMISSIONS, type KeyPermission } from "../../supabase/functions/_shared/access/permissions.ts";
import { UUID } from "../../supabase/functions/_shared/values/uuid.ts";
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

/** Reads permissions separated by commas. */
export function keyPermissions(value: string): KeyPermission[] {
  const names = [...new Set(value.split(",").map((name) => name.trim()))];
  const isKnown = (name: string): name is KeyPermission =>
    (KEY_PERMISSIONS as readonly string[]).includes(name);
  if (names.every(isKnown)) return names;
  throw new InvalidArgumentError(`Expected some of ${KEY_PERMISSIONS.join(", ")}, separated by commas.`);
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
