import { parseArgs } from "node:util";
import type { Flag, FlagType, Operation } from "./operation.ts";
import { OWN_FLAGS, type OwnFlag, type OwnOptions } from "./own_flags.ts";
import { UsageError } from "./usage_error.ts";

/** The request that a command line describes. */
export interface RequestParts {
  path: Record<string, string>;
  query: Record<string, string>;
  headers: Record<string, string>;
  /** Of the flags; undefined where none names a field. */
  body: Record<string, unknown> | undefined;
}

/** A command line, read. */
export interface ReadArguments {
  parts: RequestParts;
  own: OwnOptions;
}

/**
 * Reads the words after the command.
 *
 * @param more flags of the program's own that only this command takes
 * @throws {UsageError} for an unknown flag, a value that is missing, and a number that is none
 */
export function readRequest(
  { flags, open }: Pick<Operation, "flags" | "open">,
  args: string[],
  more: Record<string, OwnFlag> = {},
): ReadArguments {
  const ownFlags: Record<string, OwnFlag> = { ...OWN_FLAGS, ...more };
  const found = new Map<string, Flag>();
  const opened = [...flags, ...open === undefined ? [] : [{ ...BODY, open }]];
  const written = args.map((arg) => canonical(opened, ownFlags, found, arg));
  const options = Object.fromEntries([
    ...Object.entries(ownFlags).map(([name, { value }]) =>
      [name, { type: value === undefined ? "boolean" : "string" }] as const
    ),
    ...[...found.keys()].map((name) => [name, { type: "string", multiple: true }] as const),
  ]);
  const { values, positionals } = parse(written, options);
  const parts: RequestParts = { path: {}, query: {}, headers: {}, body: undefined };
  readPositionals(flags, positionals, parts);
  for (const [name, flag] of found) setPart(parts, flag, name, values[name] as string[]);
  const own = Object.fromEntries(Object.entries(values).filter(([name]) => name in ownFlags));
  return { parts, own };
}

/** Stands for the body as a whole, where that takes fields of the caller's own. */
const BODY: Flag = { name: "body", in: "body", field: [], type: "any" };

function parse(args: string[], options: NonNullable<Parameters<typeof parseArgs>[0]>["options"] & object) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message.split(/\. |\n/)[0]!.replace(/\.$/, ""));
  }
}

/** Writes a flag by its name: a boolean with its value, the dots and underscores of a field as dashes. */
function canonical(
  flags: Flag[],
  own: Record<string, unknown>,
  found: Map<string, Flag>,
  arg: string,
): string {
  const [, given = "", value] = /^--([^=]+)(=[^]*)?$/.exec(arg) ?? [];
  if (given === "" || given in own) return arg;
  const name = given.replaceAll(/[._]/g, "-").toLowerCase();
  const flag = flags.find((each) => each.name === name);
  if (flag !== undefined) {
    found.set(name, flag);
    return `--${name}${value ?? (flag.type === "boolean" ? "=true" : "")}`;
  }
  const negated = flags.find((each) => each.type === "boolean" && `no-${each.name}` === name);
  if (negated !== undefined && value === undefined) {
    found.set(negated.name, negated);
    return `--${negated.name}=false`;
  }
  const open = openFlag(flags, given);
  if (open === undefined) throw new UsageError(`Unknown flag --${given}. Try --help`);
  found.set(given, open);
  return arg;
}

/** A field of the caller's own, such as `contact.order`, below a flag that takes such. */
function openFlag(flags: Flag[], given: string): Flag | undefined {
  for (let dot = given.indexOf("."); dot !== -1; dot = given.indexOf(".", dot + 1)) {
    const name = given.slice(0, dot).replaceAll(/[._]/g, "-").toLowerCase();
    const parent = flags.find((each) => each.open && each.name === name);
    if (parent === undefined) continue;
    return { name: given, in: "body", field: [...parent.field, given.slice(dot + 1)], type: parent.open! };
  }
  return undefined;
}

function readPositionals(flags: Flag[], positionals: string[], { path }: RequestParts): void {
  const names = flags.filter(({ positional }) => positional).map(({ field }) => field[0]!);
  if (positionals.length > names.length) throw new UsageError(`Unexpected '${positionals[names.length]}'`);
  positionals.forEach((value, index) => path[names[index]!] = value);
}

function setPart(parts: RequestParts, flag: Flag, name: string, texts: string[]): void {
  if (flag.type !== "array" && texts.length > 1) throw new UsageError(`--${name} is given twice`);
  const text = texts.at(-1)!;
  if (flag.in === "body") {
    parts.body ??= {};
    setField(parts.body, flag.field, flag.type === "array" ? listOf(flag, texts) : valueOf(flag, text));
    return;
  }
  const part = { path: parts.path, query: parts.query, header: parts.headers }[flag.in];
  part[flag.field[0]!] = text;
}

/** Names such as `__proto__` become fields, and nothing else. */
function setField(target: Record<string, unknown>, [name, ...rest]: string[], value: unknown): void {
  const own = Object.hasOwn(target, name!) ? target[name!] : undefined;
  const isObject = typeof own === "object" && own !== null && !Array.isArray(own);
  if (rest.length > 0) {
    const inner = isObject ? own as Record<string, unknown> : {};
    setField(inner, rest, value);
    value = inner;
  }
  Object.defineProperty(target, name!, { value, enumerable: true, configurable: true, writable: true });
}

/** A list is a value per flag, or one that is a list in JSON. */
function listOf(flag: Flag, texts: string[]): unknown {
  const [text] = texts;
  const whole = texts.length === 1 ? readJson(text!) : undefined;
  if (Array.isArray(whole) || (whole === null && flag.nullable)) return whole;
  return texts.map((each) => convert(flag.items ?? "string", flag, each));
}

function valueOf(flag: Flag, text: string): unknown {
  return text === "null" && flag.nullable ? null : convert(flag.type, flag, text);
}

function convert(type: FlagType, { name }: Flag, text: string): unknown {
  if (type === "string") return text;
  if (type === "boolean") return booleanOf(name, text);
  if (type === "integer" || type === "number") return numberOf(name, text);
  return readJson(text) ?? (text === "null" ? null : text);
}

function booleanOf(name: string, text: string): boolean {
  if (text === "true" || text === "false") return text === "true";
  throw new UsageError(`--${name}: expected true or false, got '${text}'`);
}

function numberOf(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value)) return value;
  throw new UsageError(`--${name}: expected a number, got '${text}'`);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
