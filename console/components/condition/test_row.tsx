import type { ContactList } from "../../data/sdk.ts";
import { Button } from "../button.tsx";
import { Field, Select } from "../form/fields.tsx";
import { TagField } from "../form/tags_field.tsx";
import { countryOptions } from "../../i18n/countries.ts";
import { newTest, type TestDraft } from "./draft.ts";
import { hasNoValue, type Operator, OPERATORS, type TestField } from "./fields.ts";
import { words } from "../../i18n/words.ts";

/** One test: what, how it is compared, and with what. */
export function TestRow({ test, fields, lists, onChange, onRemove }: {
  test: TestDraft;
  fields: TestField[];
  lists: ContactList[];
  onChange: (test: TestDraft) => void;
  onRemove: () => void;
}) {
  const names = words().condition;
  const field = fields.find(({ name }) => name === test.field);
  const known = field
    ? fields
    : [{ name: test.field, label: names.gone, type: "text" } as TestField, ...fields];

  function changeField(name: string): void {
    const chosen = known.find((each) => each.name === name)!;
    onChange({ ...newTest(chosen), id: test.id });
  }

  function changeOperator(op: Operator): void {
    const keeps = (op === "within_days") === (test.op === "within_days");
    onChange({ ...test, op, value: keeps ? test.value : "" });
  }

  return (
    <div class="condition-test">
      <Select
        label={names.field}
        hideLabel
        value={test.field}
        error={field ? undefined : names.gone}
        options={known.map(({ name, label }) => [name, label] as const)}
        onChange={changeField}
      />
      {field && (
        <Select
          label={names.operator}
          hideLabel
          value={test.op}
          options={OPERATORS[field.type].map((op) => [op, names.operators[op]] as const)}
          onChange={changeOperator}
        />
      )}
      {field && !hasNoValue(test.op) && (
        <Value
          test={test}
          field={field}
          lists={lists}
          onChange={(value) => onChange({ ...test, value })}
        />
      )}
      <Button kind="quiet" icon="close" label={names.removeTest} onPress={onRemove} />
    </div>
  );
}

function Value({ test, field, lists, onChange }: {
  test: TestDraft;
  field: TestField;
  lists: ContactList[];
  onChange: (value: string) => void;
}) {
  const names = words().condition;
  const common = { label: names.value, hideLabel: true, value: test.value, onChange };
  const options = optionsOf(field, lists);
  if (options) return <Select {...common} options={test.value ? options : [["", "–"], ...options]} />;
  if (test.op === "within_days") return <Field {...common} type="number" placeholder="30" />;
  if (field.type === "tag") return <TagField {...common} />;
  if (field.type === "number") return <Field {...common} type="number" />;
  if (field.type === "date" || field.type === "time") return <Field {...common} type="date" />;
  return <Field {...common} placeholder={field.name === "language" ? "es" : undefined} />;
}

function optionsOf({ type }: TestField, lists: ContactList[]): [string, string][] | undefined {
  const { yes, no } = words().condition;
  const { granted, withdrawn } = words().common.statuses;
  if (type === "boolean" || type === "opted_out") return [["true", yes], ["false", no]];
  if (type === "consent") return [["granted", granted!], ["withdrawn", withdrawn!]];
  if (type === "country") return countryOptions();
  if (type === "list") return lists.map(({ list_id, name }) => [list_id, name]);
}
