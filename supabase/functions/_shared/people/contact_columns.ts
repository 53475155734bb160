import { z } from "@hono/zod-openapi";
import { badFormat } from "../errors.ts";
import { isAttributeName } from "./attributes.ts";

const FIELDS = ["number", "user_id", "email", "name", "language", "timezone", "country", "tags"] as const;

/** A field of a contact that a column of a file fills. */
export type ContactField = typeof FIELDS[number] | `attribute.${string}`;

/** Which column is which field; null: none. */
export type ContactColumns = Record<string, ContactField | null>;

const FIELD_FORMAT = `one of ${FIELDS.join(", ")}, attribute.<name>, or null`;

/** The columns of files, as a query names them and the database remembers them. */
const contactColumnsSchema = z.record(
  z.string().max(200),
  z.union([
    z.enum(FIELDS),
    z.custom<`attribute.${string}`>((value) => typeof value === "string" && attributeOf(value) !== null),
    z.null(),
  ], { error: FIELD_FORMAT }),
);

/** Names that columns have in other programs, folded. */
const USUAL_NAMES: Record<string, ContactField> = {
  ...Object.fromEntries(FIELDS.map((field) => [field, field])),
  ...{ phone: "number", "phone number": "number", mobile: "number", telefono: "number", movil: "number" },
  ...{ "e-mail": "email", mail: "email", correo: "email", "full name": "name", nombre: "name" },
  ...{ idioma: "language", pais: "country", "time zone": "timezone", tag: "tags", etiquetas: "tags" },
};

/** Returns the field of a column: as the request has it, as the company had it before, or by a usual name. */
export function fieldOf(
  column: string,
  { given, remembered }: { given: ContactColumns; remembered: ContactColumns },
): ContactField | null {
  if (Object.hasOwn(given, column)) return given[column]!;
  if (Object.hasOwn(remembered, column)) return remembered[column]!;
  const folded = column.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trim();
  if (Object.hasOwn(USUAL_NAMES, folded)) return USUAL_NAMES[folded]!;
  return attributeOf(column) === null ? null : column as ContactField;
}

/** Returns the name of the attribute that a field is; null for another one. */
export function attributeOf(field: string): string | null {
  const name = field.startsWith("attribute.") ? field.slice("attribute.".length) : "";
  return isAttributeName(name) ? name : null;
}

/** Reads the columns that a query names as a JSON object. Throws `validation_failed`. */
export function readColumns(text: string | undefined): ContactColumns {
  const format = `a JSON object of columns and fields, each ${FIELD_FORMAT}`;
  if (text === undefined) return {};
  try {
    return contactColumnsSchema.parse(JSON.parse(text));
  } catch {
    throw badFormat("columns", text, format);
  }
}
