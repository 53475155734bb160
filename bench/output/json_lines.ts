/** JSON with one line for each member of the root and for each member of these: small in git, and readable in a diff. */
export function jsonLines(root: object): string {
  return `{\n${
    Object.entries(root).map(([key, value]) => `${JSON.stringify(key)}: ${memberLines(value)}`).join(",\n")
  }\n}\n`;
}

function memberLines(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const lines = Array.isArray(value)
    ? value.map((element) => JSON.stringify(element))
    : Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${JSON.stringify(member)}`);
  return lines.length === 0 ? `${open}${close}` : `${open}\n${lines.join(",\n")}\n${close}`;
}
