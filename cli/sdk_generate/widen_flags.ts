/**
 * Writes a flag that has one value only, such as `success: true`, as a boolean with that value as its example. Java and
 * Go have no types for a single boolean.
 */
export function widenFlags<Given>(document: Given): Given {
  return JSON.parse(JSON.stringify(document), (_key, value) => {
    if (value?.type !== "boolean" || value.enum === undefined) return value;
    const { enum: [example], ...schema } = value;
    return { ...schema, example };
  });
}
