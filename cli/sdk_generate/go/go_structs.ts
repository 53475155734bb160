import { alignedLines, comment, type Line } from "./go_text.ts";

/** The kind of value that a type of Go holds; it decides how absence is written. */
export type Kind = "text" | "time" | "number" | "list" | "map" | "object" | "any";

/** A type of Go. */
export interface GoType {
  text: string;
  kind: Kind;
}

/** A field of an object. */
export interface Field {
  name: string;
  json: string;
  type: GoType;
  isRequired: boolean;
  isNullable: boolean;
  about: string;
}

/** An object, as a struct. */
export interface Struct {
  name: string;
  about: string | undefined;
  fields: Field[];
  inRequest: boolean;
  /** The object that it adds fields to. */
  embedded: GoType | undefined;
  /** The type of fields that have no name here. */
  others: GoType | undefined;
  /** The events whose data is of each type, for a struct that holds any event. */
  data: Map<string, string[]> | undefined;
}

/** Writes the declaration of a struct, with the methods that its JSON needs. */
export function declareStruct(struct: Struct): string {
  const { name, about, fields, embedded, others, data } = struct;
  const lines = fields.map((field): Line => fieldLine(struct, field));
  if (others) {
    lines.push({
      about: "Further fields, by their names in JSON.",
      columns: ["Others", `map[string]${others.text}`, '`json:"-"`'],
    });
  }
  const body = (embedded ? `\t${embedded.text}\n` : "") + alignedLines(lines);
  return `${comment([about && `${name}: ${about}`])}type ${name} struct {\n${body}}\n` +
    (others ? openMethods(name, others) : "") + (data ? eventMethod(name, data) : "");
}

function fieldLine(
  { name, inRequest }: Struct,
  { name: field, json, type, isRequired, isNullable, about }: Field,
): Line {
  const isChange = inRequest && name.endsWith("Changes") && !isRequired;
  const tag = `\`json:"${json}${isRequired ? "" : ",omitzero"}"\``;
  return { about, columns: [field, fieldType(), tag] };

  function fieldType(): string {
    if (isChange && isNullable) return `Nullable[${type.text}]`;
    if (type.kind === "list" || type.kind === "map" || type.kind === "any") return type.text;
    if (type.kind === "number" || type.kind === "object") {
      return isRequired && !isNullable ? type.text : `*${type.text}`;
    }
    return isChange || (inRequest && isRequired && isNullable) ? `*${type.text}` : type.text;
  }
}

/** An object that takes fields of any name keeps them in `Others`. */
function openMethods(name: string, { text }: GoType): string {
  return `
// MarshalJSON writes the named fields and the others as one object.
func (value ${name}) MarshalJSON() ([]byte, error) {
	type named ${name}
	return marshalOpen(named(value), value.Others)
}

// UnmarshalJSON reads fields that have no name here into Others.
func (value *${name}) UnmarshalJSON(text []byte) error {
	type named ${name}
	return unmarshalOpen[${text}](text, (*named)(value), &value.Others)
}
`;
}

/** An event's type decides what its data is decoded into. */
function eventMethod(name: string, data: Map<string, string[]>): string {
  const cases = [...data].map(([type, events]) =>
    `\tcase ${events.map((event) => JSON.stringify(event)).join(", ")}:\n\t\tevent.Data = new(${type})\n`
  );
  return `
// UnmarshalJSON decodes Data into a pointer to the type that Type stands for; into a map, where it knows none.
func (event *${name}) UnmarshalJSON(text []byte) error {
	kind, err := eventKind(text)
	if err != nil {
		return err
	}
	event.Data = nil
	switch kind {
${cases.join("")}	}
	type named ${name}
	return json.Unmarshal(text, (*named)(event))
}
`;
}
