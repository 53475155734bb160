import { saveFile } from "../../../data/save_file.ts";
import type { ImportedContacts } from "../../../data/sdk.ts";
import { Button } from "../../../components/button.tsx";
import { Figure, Figures } from "../../../components/facts.tsx";
import { count } from "../../../i18n/format.ts";
import type { ContactFile } from "../../compose/upload/contact_file.ts";
import { describeError, refusedRows, textOf } from "./refused_rows.ts";
import { words } from "../../../i18n/words.ts";

/** A member would not read more. */
const MAX_SHOWN = 100;

/** The findings of the check, or the outcome of the import, with the rows that do not fit. */
export function Result({ file, result }: { file: ContactFile; result: ImportedContacts }) {
  const { dry_run, valid, invalid, created, changed, errors } = result;
  const names = words().importing;

  async function save(): Promise<void> {
    const text = refusedRows(await textOf(file.body), errors);
    saveFile(names.refusedFile, new Blob([text], { type: "text/csv" }));
  }

  return (
    <div role="status">
      <Figures>
        {dry_run ? <Figure name={names.valid} value={count(valid)} /> : (
          <>
            <Figure name={names.created} value={count(created ?? 0)} />
            <Figure name={names.changed} value={count(changed ?? 0)} />
            <Figure name={names.same} value={count(valid - (created ?? 0) - (changed ?? 0))} />
          </>
        )}
        <Figure name={names.invalid} value={count(invalid)} isBad={invalid > 0} />
      </Figures>
      {invalid > 0 && (
        <>
          <ul class="import-errors">
            {errors.slice(0, MAX_SHOWN).map((error) => (
              <li key={`${error.line} ${error.field}`}>
                {words().contacts.line(count(error.line))} {describeError(error)}
              </li>
            ))}
          </ul>
          {errors.length > MAX_SHOWN && <p class="help">{names.more(errors.length - MAX_SHOWN)}</p>}
          {file.type === "text/csv" && <Button icon="download" onPress={save}>{names.saveRefused}</Button>}
        </>
      )}
    </div>
  );
}
