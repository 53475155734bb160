interface Schema {
  anyOf?: Schema[];
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
}

/**
 * Writes null beside several schemas of a property as a type of the first of them: `type: ["string", "null"]`. Generators of
 * clients do not take null as one of three schemas.
 */
export function foldNull<Given extends { components?: { schemas?: object } }>(document: Given): Given {
  for (
    const { properties = {} } of Object.values((document.components?.schemas ?? {}) as Record<string, Schema>)
  ) {
    for (const schema of Object.values(properties)) {
      const [first, ...others] = schema.anyOf?.filter(({ type }) => type !== "null") ?? [];
      if (first?.type === undefined || others.length === 0 || others.length + 1 === schema.anyOf!.length) {
        continue;
      }
      const nullable = {
        ...first,
        type: [first.type, "null"].flat(),
        ...(first.enum && { enum: [...first.enum, null] }),
      };
      schema.anyOf = [nullable, ...others];
    }
  }
  return document;
}
