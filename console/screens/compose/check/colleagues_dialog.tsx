import { useState } from "preact/hooks";
import { cleanAddress } from "../../../data/addresses.ts";
import { Button } from "../../../components/button.tsx";
import { Field } from "../../../components/form/fields.tsx";
import { FormDialog } from "../../../components/form/form.tsx";
import { type Colleague, saveColleagues } from "./test_data.ts";
import { words } from "../../../i18n/words.ts";

const MAX_COLLEAGUES = 10;

const NEW_COLLEAGUE: Colleague = { name: "", number: "" };

/** The colleagues who get tests of campaigns: their names and numbers. */
export function ColleaguesDialog({ colleagues, etag, onClose }: {
  colleagues: Colleague[];
  etag: string;
  onClose: (isSaved: boolean) => void;
}) {
  const [rows, setRows] = useState(colleagues.length > 0 ? colleagues : [NEW_COLLEAGUE]);
  const names = words().compose;
  const change = (index: number, part: Partial<Colleague>) =>
    setRows(rows.with(index, { ...rows[index]!, ...part }));

  async function save(): Promise<void> {
    const filled = rows.map(({ name, number }) => ({ name: name.trim(), number: cleanAddress(number) }))
      .filter(({ name, number }) => name !== "" || number !== "");
    await saveColleagues(filled, etag);
    onClose(true);
  }

  return (
    <FormDialog
      title={names.colleagues}
      action={words().common.save}
      onSave={save}
      onClose={() => onClose(false)}
    >
      {(errorOf) => (
        <>
          <p class="help">{names.colleaguesHelp}</p>
          {rows.map(({ name, number }, index) => (
            <div key={index} class="form-row">
              <Field
                label={names.audience.columns.name!}
                value={name}
                error={errorOf(`test_recipients[${index}].name`)}
                onChange={(name) => change(index, { name })}
              />
              <Field
                label={words().common.number}
                type="tel"
                placeholder="+34 600 111 222"
                value={number}
                error={errorOf(`test_recipients[${index}].number`)}
                onChange={(number) => change(index, { number })}
              />
              <Button
                kind="quiet"
                icon="close"
                label={`${words().common.remove}: ${name || String(index + 1)}`}
                onPress={() => setRows(rows.filter((_, each) => each !== index))}
              />
            </div>
          ))}
          {rows.length < MAX_COLLEAGUES && (
            <Button
              kind="quiet"
              icon="plus"
              onPress={() => setRows([...rows, NEW_COLLEAGUE])}
            >
              {names.addColleague}
            </Button>
          )}
        </>
      )}
    </FormDialog>
  );
}
