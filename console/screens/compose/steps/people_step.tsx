import { useState } from "preact/hooks";
import { Button } from "../../../components/button.tsx";
import { Radios } from "../../../components/form/fields.tsx";
import { Notice } from "../../../components/notice.tsx";
import type { Audience } from "../draft.ts";
import { type ContactFile, TYPED_NAME } from "../upload/contact_file.ts";
import { AudienceFields } from "./audience_fields.tsx";
import { FileField } from "./file_field.tsx";
import { DropArea, FilePicker, FileState } from "./file_picker.tsx";
import { useFileChoice } from "./use_file_choice.ts";
import { words } from "../../../i18n/words.ts";

const SHOWN = 4;

const KINDS = ["file", "list", "tag"] as const;

const EMPTY: Record<"list" | "tag", Audience> = {
  list: { kind: "list", listId: "", except: [] },
  tag: { kind: "tag", tag: "", except: [] },
};

/** Whom it goes to: the people of a file, or people that are stored. */
export function PeopleStep({ file, isFileLost, audience, counted, onFile, onAudience }: {
  file: ContactFile | undefined;
  /** Whether a draft had a file, whose people it did not keep. */
  isFileLost: boolean;
  /** Undefined: those of the file. */
  audience: Audience | undefined;
  /** The kind of message: those who do not want it are counted. */
  counted: { channel: "whatsapp" | "voice"; category: "marketing" | "all" };
  onFile: (file: ContactFile) => void;
  onAudience: (audience: Audience | undefined) => void;
}) {
  const names = words().compose;
  const kind = audience?.kind ?? "file";
  const kinds = kind === "condition" ? [...KINDS, kind] as const : KINDS;
  return (
    <section class="step">
      <h2>{names.people}</h2>
      <Radios
        label={names.audience.from}
        value={kind}
        options={kinds.map((each) => [each, names.audience[each]] as const)}
        onChange={(each) =>
          onAudience(each === "file" ? undefined : each === "condition" ? audience : EMPTY[each])}
      />
      {audience ? <AudienceFields audience={audience} counted={counted} onChange={onAudience} /> : (
        <>
          {isFileLost && <Notice title={names.drafts.fileAgain} />}
          <FileOfPeople file={file} onFile={onFile} />
        </>
      )}
    </section>
  );
}

/** The file of contacts, with its first rows. It stays until another one is chosen. */
function FileOfPeople({ file, onFile }: {
  file: ContactFile | undefined;
  onFile: (file: ContactFile) => void;
}) {
  const [edited, setEdited] = useState<string>();
  const choice = useFileChoice(onFile);
  const names = words().compose;
  if (file === undefined || edited !== undefined) {
    const take = (next: ContactFile) => {
      setEdited(undefined);
      onFile(next);
    };
    return <FileField onFile={take} begun={edited} />;
  }
  const isTyped = file.name === TYPED_NAME;
  return (
    <DropArea isFramed={false} onTake={choice.take}>
      <div class="picked">
        <strong>{isTyped ? names.typed : file.name}</strong>
        <span class="facts">{names.about(file.count, file.isExact)}</span>
        <div class="actions">
          {isTyped
            ? (
              <Button kind="quiet" onPress={async () => setEdited(await file.typed!.text())}>
                {names.editTyped}
              </Button>
            )
            : <FilePicker label={names.otherFile} isQuiet onTake={choice.take} />}
        </div>
      </div>
      <FileState choice={choice} />
      {file.isHeadless && <p class="help" role="status">{names.headless}</p>}
      <div class="sample" tabIndex={0} role="region" aria-label={names.firstRows}>
        <table>
          <caption class="unseen">{names.firstRows}</caption>
          <thead>
            <tr>{file.columns.map((column, index) => <th key={index} scope="col">{column}</th>)}</tr>
          </thead>
          <tbody>
            {file.rows.slice(0, SHOWN).map((row, index) => (
              <tr key={index}>
                {file.columns.map((column, at) => <td key={at}>{row[column]}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </DropArea>
  );
}
