import { fieldsOf, referredName, type Schema, type Schemas } from "../document.ts";
import { docString, isIdentifier, pascalCase, quote } from "./text.ts";

/** Renders schemas as types of Python. Objects inside others become classes of their own, named after where they are. */
export class TypeWriter {
  readonly #schemas: Schemas;
  readonly #names: Set<string>;
  readonly #responses: ReadonlySet<string>;
  readonly #classes: string[] = [];

  /** @param responses the schemas that responses and webhooks contain; the rest is only ever sent */
  constructor(schemas: Schemas, responses: ReadonlySet<string>) {
    this.#schemas = schemas;
    this.#names = new Set(Object.keys(schemas));
    this.#responses = responses;
  }

  /** Every class and every alias, those inside others first. */
  write(): string {
    for (const [name, schema] of Object.entries(this.#schemas)) {
      this.#define(name, schema, !this.#responses.has(name));
    }
    return this.#classes.join("\n\n\n");
  }

  #define(name: string, schema: Schema, isSent: boolean): void {
    if (isObject(schema)) return this.#defineClass(name, schema, isSent);
    const alias = `${name}: TypeAlias = ${quote(this.#typeOf(schema, name, isSent))}`;
    this.#classes.push(`${alias}${documented(schema, "")}`);
  }

  #defineClass(name: string, schema: Schema, isSent: boolean): void {
    const { properties, required } = fieldsOf(this.#schemas, schema);
    const fields = Object.entries(properties).map(([field, its]) => {
      const type = this.#typeOf(its, name + pascalCase(field), isSent);
      return { field, its, type: required.includes(field) ? type : `NotRequired[${type}]` };
    });
    if (fields.every(({ field }) => isIdentifier(field))) {
      const lines = fields.map(({ field, its, type }) => `    ${field}: ${type}${documented(its, "    ")}`);
      const doc = schema.description ? [docString([schema.description], "    "), ""] : [];
      this.#classes.push(
        [`class ${name}(TypedDict):`, ...doc, ...lines.length ? lines : ["    pass"]].join("\n"),
      );
    } else {
      const entries = fields.map(({ field, type }) => `    ${quote(field)}: ${quote(type)},`);
      this.#classes.push([`${name} = TypedDict(${quote(name)}, {`, ...entries, "})"].join("\n"));
    }
  }

  /** The type of a schema; `name` is for the class that it may need. */
  #typeOf(schema: Schema, name: string, isSent: boolean): string {
    const { enum: values, items, additionalProperties } = schema;
    const referred = referredName(schema);
    if (referred !== undefined) return referred;
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) {
      return union(choices.map((choice, index) => this.#typeOf(choice, `${name}${index + 1}`, isSent)));
    }
    // A schema that only adds a description to another one.
    const parts = schema.allOf?.filter((part) => Object.keys(part).some((key) => key !== "description"));
    if (parts?.length === 1) return this.#typeOf(parts[0]!, name, isSent);
    if (values) return union([literal(values), ...values.includes(null) ? ["None"] : []]);
    const types = [schema.type ?? []].flat();
    if (types.length === 0) return "Any";
    return union(types.map((type) => {
      if (type === "array") {
        return `${isSent ? "Sequence" : "list"}[${this.#typeOf(items ?? {}, `${name}Item`, isSent)}]`;
      }
      if (type !== "object") return PLAIN[type]!;
      if (isObject(schema)) {
        if (this.#names.has(name)) throw new Error(`two types are named ${name}`);
        this.#names.add(name);
        this.#defineClass(name, schema, isSent);
        return name;
      }
      const value = typeof additionalProperties === "object"
        ? this.#typeOf(additionalProperties, `${name}Value`, isSent)
        : "Any";
      return `${isSent ? "Mapping" : "dict"}[str, ${hasOwnFields(schema) ? "Any" : value}]`;
    }));
  }

  /** The type of what is sent, as code of another module. */
  sent(schema: Schema): string {
    return FLAGS[schema.enum?.join() ?? ""] ?? qualified(this.#typeOf(schema, "", true));
  }

  /** The type of what is received, as code of another module. */
  received(schema: Schema): string {
    return qualified(this.#typeOf(schema, "", false));
  }
}

/** Names of schemas begin with a capital, as no type of Python does that parameters and responses have. */
function qualified(type: string): string {
  return type.replaceAll(/(?<!["\w])(?!(?:Literal|None|Any)\b)(?=[A-Z]\w*)/g, "types.");
}

/** Flags of a query, by the texts that they take. */
const FLAGS: Record<string, string> = { "true,false": "bool", true: "Literal[True]" };

const PLAIN: Record<string, string> = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  null: "None",
};

/** Objects with named fields only. One that also takes fields of the caller's own is a mapping. */
function isObject(schema: Schema): boolean {
  const isComposed = (schema.allOf?.length ?? 0) > 1;
  return (schema.properties !== undefined || isComposed) && !hasOwnFields(schema);
}

function hasOwnFields({ properties, additionalProperties: extra }: Schema): boolean {
  return properties !== undefined && typeof extra === "object" && Object.keys(extra).length > 0;
}

function literal(values: (string | null)[]): string {
  return `Literal[${
    values.filter((value) => value !== null).map((value) => JSON.stringify(value)).join(", ")
  }]`;
}

function union(types: string[]): string {
  return [...new Set(types)].join(" | ");
}

function documented({ description }: Schema, indent: string): string {
  return description ? `\n${docString([description], indent)}` : "";
}
