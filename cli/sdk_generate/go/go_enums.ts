import { alignedLines, comment, exportedName } from "./go_text.ts";
import type { Schema } from "../document.ts";

/** Says what a field is, and lists its values. */
export function aboutField({ description = "", enum: values }: Schema): string {
  const listed = values?.filter((value) => value !== null).map((value) => `"${value}"`).join(", ");
  return [description, listed && `One of ${listed}.`].filter(Boolean).join(
    description.endsWith(".") ? " " : ". ",
  );
}

/** Writes the declaration of an enumeration. */
export function declareEnum(name: string, { description, enum: values = [] }: Schema): string {
  const lines = values.map((value) => ({
    columns: [name + exportedName(value!), name, `= ${JSON.stringify(value)}`],
  }));
  return `${
    comment([
      `${name} is one of the values below; a later version of the service may have more.`,
      description,
    ])
  }` +
    `type ${name} string\n\n// The values of ${name}.\nconst (\n${alignedLines(lines)})\n`;
}
