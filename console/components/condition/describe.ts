import type { Condition, ContactList } from "../../data/sdk.ts";
import { country } from "../../i18n/format.ts";
import { hasNoValue, type TestField } from "./fields.ts";
import { words } from "../../i18n/words.ts";

/** Says a condition in words: `Tag is “vip” and Country is “Spain”`. */
export function describeCondition(condition: Condition, fields: TestField[], lists: ContactList[]): string {
  const { all, any, not } = condition;
  const { and, or, none } = words().condition;
  const part = (each: Condition) => {
    const text = describeCondition(each, fields, lists);
    return (each.all ?? each.any)?.length === 1 || each.field ? text : `(${text})`;
  };
  if (all) return all.map(part).join(` ${and} `);
  if (any) return any.map(part).join(` ${or} `);
  if (not) return `${none} (${describeCondition(not, fields, lists)})`;
  return describeTest(condition, fields, lists);
}

function describeTest({ field, op, value }: Condition, fields: TestField[], lists: ContactList[]): string {
  const names = words().condition;
  const known = fields.find(({ name }) => name === field);
  const start = `${known?.label ?? names.gone} ${names.operators[op!]}`;
  return hasNoValue(op!) ? start : `${start} “${valueText(value, known, lists)}”`;
}

function valueText(value: Condition["value"], field: TestField | undefined, lists: ContactList[]): string {
  const { yes, no, gone } = words().condition;
  if (typeof value === "boolean") return value ? yes : no;
  if (field?.type === "country") return country(String(value));
  if (field?.type === "consent") return words().common.statuses[String(value)] ?? String(value);
  if (field?.type === "list") return lists.find(({ list_id }) => list_id === value)?.name ?? gone;
  return String(value);
}
