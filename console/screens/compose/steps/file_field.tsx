import { useRef, useState } from "preact/hooks";
import { Button } from "../../../components/button.tsx";
import { Problem } from "../../../data/problem.ts";
import { ErrorNotice } from "../../../components/error_notice.tsx";
import { Field } from "../../../components/form/fields.tsx";
import type { FileFault } from "../../../i18n/codes.ts";
import { type ContactFile, typedFile } from "../upload/contact_file.ts";
import { readContactFile } from "../upload/read_contact_file.ts";
import { words } from "../../../i18n/words.ts";

const PLACEHOLDER = "34600111222, Ana, A-1001\n34600111333, Luis, A-1002";

/** Takes a file by drop or choice, or contacts that are typed or pasted. */
export function FileField(
  { onFile, canType = true }: { onFile: (file: ContactFile) => void; canType?: boolean },
) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const [fault, setFault] = useState<FileFault>();
  const [problem, setProblem] = useState<Problem>();
  const [typed, setTyped] = useState<string>();
  const names = words().compose;

  async function take(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    setProblem(undefined);
    try {
      const read = await readContactFile(file);
      if (typeof read === "string") return setFault(read);
      setFault(undefined);
      onFile(read);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      setProblem(error);
    }
  }

  return (
    <>
      {typed === undefined
        ? (
          <div
            class={`drop${isOver ? " over" : ""}`}
            onDragOver={(event) => {
              event.preventDefault();
              setOver(true);
            }}
            onDragLeave={() => setOver(false)}
            onDrop={(event) => {
              event.preventDefault();
              setOver(false);
              void take(event.dataTransfer?.files[0]);
            }}
          >
            <strong>{names.drop}</strong>
            <p class="help">{names.dropHelp}</p>
            <div class="form-end">
              <Button onPress={() => input.current?.click()}>{names.chooseFile}</Button>
              {canType && <Button kind="quiet" onPress={() => setTyped("")}>{names.typeThem}</Button>}
            </div>
            <input
              ref={input}
              type="file"
              hidden
              aria-label={names.chooseFile}
              accept=".csv,.tsv,.txt,.ndjson,.jsonl,text/csv,application/x-ndjson"
              onChange={(event) => {
                const [file] = event.currentTarget.files ?? [];
                void take(file);
                event.currentTarget.value = "";
              }}
            />
          </div>
        )
        : (
          <div class="form">
            <Field
              label={names.typeLabel}
              rows={6}
              help={names.typeHelp}
              placeholder={PLACEHOLDER}
              value={typed}
              onChange={setTyped}
            />
            <div class="form-end">
              <Button disabled={typed.trim() === ""} onPress={() => take(typedFile(typed))}>
                {names.useThese}
              </Button>
              <Button kind="quiet" onPress={() => setTyped(undefined)}>{names.chooseFile}</Button>
            </div>
          </div>
        )}
      {fault && <p class="error" role="alert">{words().fileFaults[fault]}</p>}
      {problem && <ErrorNotice problem={problem} />}
    </>
  );
}
