import { reachable, referredName, resolve, type Schema, type Schemas } from "../document.ts";
import { aboutField, declareEnum } from "./go_enums.ts";
import { exportedName, singular } from "./go_text.ts";
import { declareStruct, type Field, type GoType } from "./go_structs.ts";
import { alternativesOf, flatten, hasFields, isNullable } from "./go_schema.ts";

/** The declarations that the types of a document need. */
export class GoTypes {
  readonly #declarations = new Map<string, string>();
  readonly #inRequests: Set<string>;
  readonly #reserved: Set<string>;

  /** @param requestBodies what leads to the schemas that callers fill in */
  constructor(readonly schemas: Schemas, requestBodies: unknown[]) {
    this.#inRequests = reachable(schemas, requestBodies);
    this.#reserved = new Set(Object.keys(schemas).map(exportedName));
  }

  /** Returns all declarations so far, sorted by name. */
  render(): string {
    return [...this.#declarations].sort(([a], [b]) => a < b ? -1 : 1).map(([, text]) => text).join("\n");
  }

  /**
   * Returns the type of a schema, and declares it where it needs a name.
   *
   * @param name for a type that has no name of its own
   */
  typeOf(schema: Schema, name: string, inRequest: boolean): GoType {
    const referred = referredName(schema);
    if (referred !== undefined) return this.#named(referred);
    const alternatives = alternativesOf(schema);
    if (alternatives.length === 1) return this.typeOf(alternatives[0]!, name, inRequest);
    const [first, ...others] = schema.allOf ?? [];
    if (first && others.every((part) => !hasFields(this.schemas, part))) {
      return this.typeOf(first, name, inRequest);
    }
    if (hasFields(this.schemas, schema)) return this.#declareInline(schema, name, inRequest);
    if (alternatives.length > 0) {
      return alternatives.every(({ type }) => type === "string") ? text("string") : any;
    }
    return this.#plain(schema, name, inRequest);
  }

  #plain(schema: Schema, name: string, inRequest: boolean): GoType {
    const [type] = [schema.type ?? []].flat().filter((each) => each !== "null");
    switch (type) {
      case "string":
        if (schema.format !== "date-time") return text("string");
        return { text: inRequest ? "UTC" : "time.Time", kind: "time" };
      case "integer":
        return { text: "int", kind: "number" };
      case "number":
        return { text: "float64", kind: "number" };
      case "boolean":
        return { text: "bool", kind: "number" };
      case "array":
        return { text: `[]${this.typeOf(schema.items ?? {}, singular(name), inRequest).text}`, kind: "list" };
      case "object": {
        const { additionalProperties: values } = schema;
        const value = typeof values === "object" ? this.typeOf(values, `${name}Value`, inRequest) : any;
        return { text: `map[string]${value.text}`, kind: "map" };
      }
    }
    return any;
  }

  #named(referred: string): GoType {
    const schema = this.schemas[referred]!;
    const name = exportedName(referred);
    if (schema.type === "string" && schema.enum) {
      this.#declare(name, () => declareEnum(name, schema));
      return text(name);
    }
    if (!hasFields(this.schemas, schema)) return this.typeOf(schema, name, this.#inRequests.has(referred));
    this.#declare(name, () => this.#struct(schema, name, this.#inRequests.has(referred)));
    return { text: name, kind: "object" };
  }

  #declareInline(schema: Schema, wanted: string, inRequest: boolean): GoType {
    const name = this.#reserved.has(wanted) ? `${wanted}Fields` : wanted;
    this.#declare(name, () => this.#struct(schema, name, inRequest));
    return { text: name, kind: "object" };
  }

  /** The name is taken first: a type may contain itself. */
  #declare(name: string, make: () => string): void {
    if (this.#declarations.has(name)) return;
    this.#declarations.set(name, "");
    this.#declarations.set(name, make());
  }

  #struct(schema: Schema, name: string, inRequest: boolean): string {
    const { discriminator } = schema;
    const [base, ...parts] = schema.allOf ?? [];
    const embedded = base && referredName(base) !== undefined ? this.#named(referredName(base)!) : undefined;
    const { properties = {}, required = [], additionalProperties, description } = flatten(
      this.schemas,
      embedded ? { allOf: parts } : schema,
    );
    // The methods of an embedded struct would become those of the whole one.
    if (embedded && flatten(this.schemas, base!).additionalProperties) {
      throw new TypeError(`${name}: open base`);
    }
    const isEvent = discriminator !== undefined && "data" in properties;
    const data = isEvent ? this.#eventData(discriminator.mapping) : undefined;
    const typeOf = (json: string, field: Schema): GoType => {
      if (data && json === "data") return any;
      if (data && json === "type") return this.#eventType(`${name}Type`, Object.keys(discriminator!.mapping));
      return this.typeOf(field, name + exportedName(json), inRequest);
    };
    const fields = Object.entries(properties).map(([json, field]): Field => ({
      json,
      name: exportedName(json),
      type: typeOf(json, field),
      isRequired: required.includes(json),
      isNullable: isNullable(resolve(this.schemas, field)),
      about: data && json === "type" ? "" : aboutField(field),
    }));
    const others = additionalProperties
      ? this.typeOf(additionalProperties === true ? {} : additionalProperties, `${name}Other`, inRequest)
      : undefined;
    const about = schema.description ?? description;
    return declareStruct({ name, about, fields, inRequest, embedded, others, data });
  }

  /** The names of events that have data of the same type, by that type. */
  #eventData(mapping: Record<string, string>): Map<string, string[]> {
    const types = new Map<string, string[]>();
    for (const [event, $ref] of Object.entries(mapping)) {
      const { properties } = resolve(this.schemas, { $ref });
      const { text } = this.typeOf(properties!.data!, exportedName(`${event}_data`), false);
      types.set(text, [...types.get(text) ?? [], event]);
    }
    return types;
  }

  #eventType(name: string, events: string[]): GoType {
    this.#declare(name, () => declareEnum(name, { enum: events }));
    return text(name);
  }
}

const any: GoType = { text: "any", kind: "any" };

function text(name: string): GoType {
  return { text: name, kind: "text" };
}
