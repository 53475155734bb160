import type { Flag } from "../outbound/operation.ts";
import type { Parameter } from "./document.ts";

/**
 * Writes the example of a request as arguments of its command: the parameters that it needs, and its body's example.
 *
 * @param type the media type of the body
 */
export function exampleArguments(
  flags: Flag[],
  parameters: Parameter[],
  body: unknown,
  type: string | undefined,
): string[] {
  const examples = new Map(parameters.map(({ name, example }) => [name, example]));
  const needed = flags.filter(({ in: place, required, positional }) =>
    place !== "body" && place !== "header" && (positional || (required && place !== "path"))
  );
  const values = needed.map(({ name, field, positional }) => {
    const value = String(examples.get(field[0]!) ?? field[0]!.toUpperCase());
    return positional ? [value] : [`--${name}`, value];
  });
  const file = type !== undefined && type !== "application/json" ? [`--body`, fileName(type)] : [];
  return [...values.flat(), ...file, ...bodyArguments(flags, body)];
}

function fileName(type: string): string {
  return type === "text/csv" ? "people.csv" : "picture.jpg";
}

function bodyArguments(flags: Flag[], body: unknown): string[] {
  if (typeof body !== "object" || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) => fieldArguments(flags, [name], value));
}

/** Uses the flag of the field itself, or of its parts; a field of the caller's own stands behind the dot of an open one. */
function fieldArguments(flags: Flag[], field: string[], value: unknown): string[] {
  const isFilled = typeof value === "object" && value !== null && !Array.isArray(value) &&
    Object.keys(value).length > 0;
  const flag = flags.find((each) => each.in === "body" && each.field.join(".") === field.join("."));
  const hasParts = flag?.open || flags.some((each) => isBelow(each, field));
  if (isFilled && flag && hasParts && Object.keys(value).every((key) => !key.includes("."))) {
    return Object.entries(value).flatMap(([name, part]) => fieldArguments(flags, [...field, name], part));
  }
  const name = flag?.name ?? openName(flags, field);
  if (name === undefined) return [];
  if (flag?.type === "array" && flag.items !== "any" && Array.isArray(value) && value.length > 0) {
    return value.flatMap((item) => [`--${name}`, textOf(item)]);
  }
  if (flag?.type === "boolean") return [value === true ? `--${name}` : `--no-${name}`];
  return [`--${name}`, textOf(value)];
}

function isBelow({ in: place, field }: Flag, above: string[]): boolean {
  return place === "body" && field.length > above.length &&
    above.every((part, index) => field[index] === part);
}

function openName(flags: Flag[], field: string[]): string | undefined {
  const above = field.slice(0, -1);
  const parent = flags.find((each) => each.in === "body" && each.field.join(".") === above.join("."));
  return above.length === 0 ? `body.${field[0]}` : parent && `${parent.name}.${field.at(-1)}`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
