import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Labelled } from "../../parts/fields.tsx";
import { attempt } from "../../parts/toast.tsx";
import { count } from "../../words/format.ts";
import { words as shared } from "../../words/words.ts";
import { type Imported, importRows, type LedgerKind, readRows } from "./import_file.ts";
import type { CsvRow } from "./read_csv.ts";
import { words } from "./words.ts";

/** More would not be read by anybody. */
const MAX_ERRORS = 100;

/** Records the people of a CSV file, and says which lines do not fit. */
export function ImportDialog({ kind, onClose }: { kind: LedgerKind; onClose: () => void }) {
  const [rows, setRows] = useState<CsvRow[]>();
  const [isWrong, setWrong] = useState(false);
  const [done, setDone] = useState<number>();
  const [result, setResult] = useState<Imported>();
  const { importTitle, importHelp, file, noPeople, importAction, progress } = words();

  async function choose(chosen: File | undefined): Promise<void> {
    const found = chosen && readRows(await chosen.text());
    setRows(found);
    setWrong(chosen !== undefined && found === undefined);
    setResult(undefined);
  }

  async function start(): Promise<void> {
    setDone(0);
    setResult(await attempt(() => importRows(kind, rows!, setDone)));
    setDone(undefined);
  }

  return (
    <Dialog
      title={importTitle[kind]}
      onClose={onClose}
      staysOpen
      actions={
        <>
          <Button onPress={onClose}>{result ? shared().close : shared().cancel}</Button>
          {result === undefined && (
            <Button kind="main" icon="upload" disabled={!rows?.length} onPress={start}>
              {importAction(count(rows?.length ?? 0))}
            </Button>
          )}
        </>
      }
    >
      <div class="form">
        <Labelled label={file} help={importHelp[kind]} error={isWrong ? noPeople : undefined}>
          {(aria) => (
            <input
              {...aria}
              type="file"
              accept=".csv,.txt,.tsv,text/csv"
              disabled={done !== undefined}
              onChange={(event) => choose(event.currentTarget.files?.[0])}
            />
          )}
        </Labelled>
        {done !== undefined && <p role="status">{progress(count(done), count(rows?.length ?? 0))}</p>}
        {result && <Result result={result} />}
      </div>
    </Dialog>
  );
}

function Result({ result: { added, already, errors } }: { result: Imported }) {
  const { imported, wrongLines, line } = words();
  return (
    <div role="status">
      <p>{imported(count(added), count(already))}</p>
      {errors.length > 0 && (
        <>
          <p class="error">{wrongLines(count(errors.length))}</p>
          <ul class="import-errors">
            {errors.slice(0, MAX_ERRORS).map(({ line: number, field, reason }) => (
              <li key={`${number} ${field}`}>
                {line(count(number))} <code>{field}</code> {reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
