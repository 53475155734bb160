import { useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import { ErrorNotice } from "../../../components/error_notice.tsx";
import { FileButton } from "../../../components/file_button.tsx";
import type { FileChoice } from "./use_file_choice.ts";
import { words } from "../../../i18n/words.ts";

const ACCEPTED = ".csv,.tsv,.txt,.ndjson,.jsonl,.xlsx,text/csv,application/x-ndjson";

/** A button that opens the browser's choice of a file with recipients. */
export function FilePicker({ label, isQuiet = false, onTake }: {
  label: string;
  isQuiet?: boolean;
  onTake: (file: File | undefined) => Promise<void>;
}) {
  return (
    <FileButton
      label={label}
      inputLabel={words().compose.chooseFile}
      accept={ACCEPTED}
      kind={isQuiet ? "quiet" : "plain"}
      onTake={onTake}
    />
  );
}

/** Takes a file that is dropped on it. */
export function DropArea({ isFramed, onTake, children }: {
  /** Whether it shows that a file belongs here before one is over it. */
  isFramed: boolean;
  onTake: (file: File | undefined) => Promise<void>;
  children: ComponentChildren;
}) {
  const [isOver, setOver] = useState(false);
  return (
    <div
      class={`${isFramed ? "drop" : ""}${isOver ? " over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void onTake(event.dataTransfer?.files[0]);
      }}
    >
      {children}
    </div>
  );
}

/** Says how the reading of a file goes. */
export function FileState({ choice: { isReading, fault, problem } }: { choice: FileChoice }) {
  return (
    <>
      {isReading && <p class="help" role="status">{words().compose.reading}</p>}
      {fault && <p class="error" role="alert">{words().fileFaults[fault]}</p>}
      {problem && <ErrorNotice problem={problem} />}
    </>
  );
}
