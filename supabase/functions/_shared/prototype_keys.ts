/** Names that would reach an object's prototype instead of becoming a field of it. */
export const PROTOTYPE_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
