import type { AuditEntry } from "../../data/sdk.ts";
import { words } from "../../i18n/words.ts";

/** A field that was changed. */
export interface Change {
  /** `caps.conversations` for one inside another. */
  field: string;
  /** Undefined where there was none. */
  before: string | undefined;
  after: string | undefined;
}

/** The end of the name of a field whose text the audit does not hold: it holds that it changed. */
const DIGEST = "_digest";

/** Returns the fields of an entry that differ, those inside other fields by their paths. */
export function changesOf({ before, after }: Pick<AuditEntry, "before" | "after">): Change[] {
  const [old, now] = [flat(before), flat(after)];
  const fields = [...new Set([...old.keys(), ...now.keys()])];
  return fields
    .map((field) => ({ field, before: old.get(field), after: now.get(field) }))
    .filter((change) => change.before !== change.after)
    .map((change) => change.field.endsWith(DIGEST) ? withoutText(change) : change);
}

function withoutText({ field }: Change): Change {
  return { field: field.slice(0, -DIGEST.length), before: undefined, after: words().audit.changed };
}

/** Returns the changes in one line: `rate_limit: 600 → 300`. */
export function describeChanges(entry: Pick<AuditEntry, "before" | "after">): string {
  return changesOf(entry).map(({ field, before, after }) => {
    if (before === undefined && after === undefined) return field;
    if (before === undefined) return `${field}: ${after}`;
    return `${field}: ${before} → ${after ?? "–"}`;
  }).join(" · ");
}

function flat(value: Record<string, unknown> | null, prefix = ""): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [name, inner] of Object.entries(value ?? {})) {
    if (inner === null) continue;
    const path = prefix + name;
    if (isRecord(inner)) { for (const [each, text] of flat(inner, `${path}.`)) fields.set(each, text); }
    else fields.set(path, typeof inner === "string" ? inner : textOf(inner));
  }
  return fields;
}

function textOf(value: unknown): string {
  if (Array.isArray(value) && value.every((each) => typeof each !== "object")) {
    return value.join(", ") || "[]";
  }
  return JSON.stringify(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    Object.keys(value).length > 0;
}
