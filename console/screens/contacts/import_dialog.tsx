import { useState } from "preact/hooks";
import { Problem } from "../../data/problem.ts";
import type { ImportedPeople } from "../../data/sdk.ts";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog/dialog.tsx";
import { CountryField } from "../../components/form/country_field.tsx";
import { Labelled } from "../../components/form/fields.tsx";
import { FileProblem } from "../../components/form/file_problem.tsx";
import { count } from "../../i18n/format.ts";
import { rowProblem } from "../../i18n/codes.ts";
import { importFile, type LedgerKind } from "./import_file.ts";
import { words } from "../../i18n/words.ts";

/** A member would not read more. */
const MAX_ERRORS = 100;

/** Checks a CSV file of people, says which lines do not fit, and records the others. */
export function ImportDialog({ kind, onClose }: { kind: LedgerKind; onClose: () => void }) {
  const [file, setFile] = useState<File>();
  const [result, setResult] = useState<ImportedPeople>();
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const names = words().contacts;
  const isDone = result?.dry_run === false;

  async function read(chosen: File, country: string | undefined, isDry: boolean): Promise<void> {
    setBusy(true);
    setProblem(undefined);
    try {
      setResult(await importFile(kind, chosen, { country, isDry }));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setResult(undefined);
      setProblem(error);
    } finally {
      setBusy(false);
    }
  }

  async function choose(chosen: File | undefined): Promise<void> {
    setFile(chosen);
    setResult(undefined);
    if (chosen) await read(chosen, undefined, true);
  }

  return (
    <Dialog
      title={names.importTitle[kind]}
      onClose={onClose}
      staysOpen
      actions={
        <>
          <Button onPress={onClose}>{isDone ? words().common.close : words().common.cancel}</Button>
          {!isDone && (
            <Button
              kind="main"
              icon="upload"
              disabled={isBusy || !result?.valid}
              onPress={() => read(file!, result!.country ?? undefined, false)}
            >
              {names.importAction(result?.valid ?? 0)}
            </Button>
          )}
        </>
      }
    >
      <div class="form">
        <Labelled label={names.file} help={names.importHelp[kind]}>
          {(aria) => (
            <input
              {...aria}
              type="file"
              accept=".csv,.txt,.tsv,text/csv"
              disabled={isBusy}
              onChange={(event) => choose(event.currentTarget.files?.[0])}
            />
          )}
        </Labelled>
        {problem && <FileProblem problem={problem} />}
        {file && result && !isDone && (
          <CountryField
            value={result.country ?? undefined}
            disabled={isBusy}
            onChange={(country) => read(file, country, true)}
          />
        )}
        {isBusy && <p role="status">{names.reading}</p>}
        {result && <Result result={result} />}
      </div>
    </Dialog>
  );
}

function Result({ result: { added, already, invalid, errors, unused_columns } }: { result: ImportedPeople }) {
  const names = words().contacts;
  return (
    <div role="status">
      {added !== null && <p>{names.imported(added, already ?? 0)}</p>}
      {unused_columns.length > 0 && <p class="help">{names.unusedColumns(unused_columns.join(", "))}</p>}
      {invalid > 0 && (
        <>
          <p class="error">{names.wrongLines(invalid)}</p>
          <ul class="import-errors">
            {errors.slice(0, MAX_ERRORS).map(({ line, field, code, reason }) => (
              <li key={`${line} ${field}`}>
                {names.line(count(line))} {names.wrongFields[field] ?? rowProblem(code, reason)}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
