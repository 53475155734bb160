import type { AuditEntry } from "../../data/sdk.ts";
import { auditWords } from "../../i18n/audit_words.ts";
import { count, moment } from "../../i18n/format.ts";
import { words } from "../../i18n/words.ts";

/** A field that was changed. */
export interface Change {
  /** In words; one inside another has both names. */
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
    .filter((path) => JSON.stringify(old.get(path)) !== JSON.stringify(now.get(path)))
    .map((path) =>
      path.endsWith(DIGEST)
        ? { field: fieldName(path.slice(0, -DIGEST.length)), before: undefined, after: words().audit.changed }
        : { field: fieldName(path), before: textOf(old.get(path)), after: textOf(now.get(path)) }
    );
}

function fieldName(path: string): string {
  return path.split(".").map((name) => auditWords().fields[name] ?? name.replaceAll("_", " ")).join(" › ");
}

/** Returns the changes in one line: `requests per minute: 600 → 300`. */
export function describeChanges(entry: Pick<AuditEntry, "before" | "after">): string {
  return changesOf(entry).map(({ field, before, after }) => {
    if (before === undefined && after === undefined) return field;
    if (before === undefined) return `${field}: ${after}`;
    return `${field}: ${before} → ${after ?? "–"}`;
  }).join(" · ");
}

function flat(value: Record<string, unknown> | null, prefix = ""): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const [name, inner] of Object.entries(value ?? {})) {
    if (inner === null) continue;
    const path = prefix + name;
    if (isRecord(inner)) { for (const [each, found] of flat(inner, `${path}.`)) fields.set(each, found); }
    else fields.set(path, inner);
  }
  return fields;
}

const CODE = /^[a-z]+(_[a-z]+)*$/;
const TIME = /^\d{4}-\d\d-\d\dT/;

/** Returns a value in words. The fields of things in a list are many: the list says how many things. */
function textOf(value: unknown): string | undefined {
  const { yes, no, several } = words().audit;
  if (value === undefined) return undefined;
  if (typeof value === "boolean") return value ? yes : no;
  if (typeof value === "number") return count(value);
  if (Array.isArray(value)) {
    if (value.length === 0) return "–";
    return value.every((each) => typeof each !== "object")
      ? value.map(textOf).join(", ")
      : several(value.length);
  }
  if (typeof value !== "string") return several(1);
  if (TIME.test(value)) return moment(value);
  return CODE.test(value) ? words().common.statuses[value] ?? auditWords().fields[value] ?? value : value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    Object.keys(value).length > 0;
}
