import { PlatformError } from "../errors/platform_error.ts";

/**
 * The part of an object that `?fields=` asks for; `id` is always in it. Without `fields`, `preset` is given.
 * Of `known` fields that are not simulated nothing is given, as of one that has no value; a field the object cannot have
 * is refused with code 100.
 */
export function pickFields<T extends { id: string }>(
  object: T,
  fields: string | undefined,
  preset: (keyof T & string)[],
  known: readonly string[] = [],
): Record<string, unknown> {
  const names = fields === undefined ? preset : fields.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !Object.hasOwn(object, name) && !known.includes(name));
  if (unknown !== undefined) {
    throw new PlatformError(100, null, { message: `(#100) Tried accessing nonexisting field (${unknown})` });
  }
  const picked = Object.entries(object).filter(([name, value]) =>
    names.includes(name) && value !== undefined
  );
  return { ...Object.fromEntries(picked), id: object.id };
}
