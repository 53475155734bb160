import type { Condition } from "../../data/sdk.ts";
import { type FieldType, hasNoValue, type Operator, OPERATORS, type TestField } from "./fields.ts";

/** How the parts of a group are joined: all of them, any, none, or not all. */
export type Joint = "all" | "any" | "none" | "not_all";

export interface TestDraft {
  kind: "test";
  id: number;
  field: string;
  op: Operator;
  /** As it is typed. */
  value: string;
}

export interface GroupDraft {
  kind: "group";
  id: number;
  joint: Joint;
  parts: (TestDraft | GroupDraft)[];
}

let lastId = 0;

/** Returns a test of a field, with the usual operator and nothing to compare with. */
export function newTest({ name, type }: TestField): TestDraft {
  const value = type === "opted_out" || type === "boolean" ? "true" : type === "consent" ? "granted" : "";
  return { kind: "test", id: ++lastId, field: name, op: OPERATORS[type][0]!, value };
}

export function newGroup(parts: GroupDraft["parts"], joint: Joint = "all"): GroupDraft {
  return { kind: "group", id: ++lastId, joint, parts };
}

/** Returns the condition that a draft is; undefined while a value is missing or does not fit. */
export function conditionOf(
  draft: GroupDraft | TestDraft,
  typeOf: (field: string) => FieldType | undefined,
): Condition | undefined {
  if (draft.kind === "test") return testOf(draft, typeOf(draft.field));
  const parts = draft.parts.map((part) => conditionOf(part, typeOf));
  if (parts.length === 0 || parts.includes(undefined)) return undefined;
  const joined = draft.joint === "any" || draft.joint === "none" ? { any: parts } : { all: parts };
  return (draft.joint === "none" || draft.joint === "not_all" ? { not: joined } : joined) as Condition;
}

function testOf({ field, op, value }: TestDraft, type: FieldType | undefined): Condition | undefined {
  if (type === undefined) return undefined;
  if (hasNoValue(op)) return { field, op };
  const typed = typedValue(value.trim(), type, op);
  return typed === undefined ? undefined : { field, op, value: typed };
}

function typedValue(text: string, type: FieldType, op: Operator): string | number | boolean | undefined {
  if (text === "") return undefined;
  if (type === "number" || op === "within_days") {
    const value = Number(text.replace(",", "."));
    const isDays = op === "within_days";
    return Number.isFinite(value) && (!isDays || Number.isInteger(value)) ? value : undefined;
  }
  if (type === "boolean" || type === "opted_out") return text === "true";
  return text;
}

/** Returns a condition as a draft to change. */
export function draftOf(condition: Condition): GroupDraft {
  const draft = partOf(condition);
  return draft.kind === "group" ? draft : newGroup([draft]);
}

function partOf({ all, any, not, field, op, value }: Condition): TestDraft | GroupDraft {
  if (all) return newGroup(all.map(partOf), "all");
  if (any) return newGroup(any.map(partOf), "any");
  if (not?.any) return newGroup(not.any.map(partOf), "none");
  if (not?.all) return newGroup(not.all.map(partOf), "not_all");
  if (not) return newGroup([partOf(not)], "none");
  return {
    kind: "test",
    id: ++lastId,
    field: field ?? "",
    op: op ?? "is",
    value: value === undefined ? "" : String(value),
  };
}
