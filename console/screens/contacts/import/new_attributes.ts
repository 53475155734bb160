import type { ContactAttribute } from "../../../data/sdk.ts";

const ATTRIBUTE = "attribute.";

/** Returns the attributes that the columns fill and the company does not have. */
export function newAttributes(
  columns: Record<string, string | null>,
  known: ContactAttribute[],
  types: Record<string, ContactAttribute["type"]>,
): ContactAttribute[] {
  const names = new Set(
    Object.values(columns).flatMap((field) =>
      field?.startsWith(ATTRIBUTE) ? field.slice(ATTRIBUTE.length) : []
    ),
  );
  for (const { name } of known) names.delete(name);
  return [...names].map((name) => ({ name, type: types[name] ?? "text" }));
}

/** Returns the field of an attribute named as a column, as far as a name may be. */
export function attributeField(column: string): string {
  const name = column.trim().replace(/[^\p{L}\p{N}-]+/gu, "_").replace(/^_|_$/g, "").slice(0, 64);
  return `${ATTRIBUTE}${name || "column"}`;
}
