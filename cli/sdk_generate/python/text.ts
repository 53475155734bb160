const KEYWORDS = new Set(
  ("False None True and as assert async await break class continue def del elif else except finally for from global " +
    "if import in is lambda nonlocal not or pass raise return try while with yield").split(" "),
);

/** `sendNotification` → `send_notification`, `If-Match` → `if_match`. */
export function snakeCase(name: string): string {
  return name.replace(/[^A-Za-z0-9]+/g, "_").replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
}

/** `paused_detail` → `PausedDetail`. */
export function pascalCase(name: string): string {
  return name.split(/[^A-Za-z0-9]+/).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}

/** Whether a name can stand in Python as it is. */
export function isIdentifier(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && !KEYWORDS.has(name);
}

/** The name of an argument. */
export function argumentName(name: string): string {
  const snake = snakeCase(name);
  return KEYWORDS.has(snake) ? `${snake}_` : snake;
}

/** Text as a Python string. */
export function quote(text: string): string {
  return JSON.stringify(text);
}

/** Lines as a doc string, indented by `indent`. */
export function docString(lines: string[], indent: string): string {
  const text = lines.join("\n").replaceAll("\\", "\\\\").replaceAll('"""', "'''").trim();
  const close = text.includes("\n") || text.endsWith('"') ? `\n"""` : `"""`;
  return `"""${text}${close}`.split("\n").map((line) => line === "" ? "" : indent + line).join("\n");
}
