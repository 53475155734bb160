import { useState } from "preact/hooks";
import { Button } from "../../../components/button.tsx";
import { Field } from "../../../components/form/fields.tsx";
import { type ContactFile, typedFile } from "../upload/contact_file.ts";
import { DropArea, FilePicker, FileState } from "./file_picker.tsx";
import { useFileChoice } from "./use_file_choice.ts";
import { words } from "../../../i18n/words.ts";

const PLACEHOLDER = "34600111222, Ana, A-1001\n34600111333, Luis, A-1002";

/** Takes a file by drop or choice, or contacts that are typed or pasted. */
export function FileField({ onFile, canType = true, begun }: {
  onFile: (file: ContactFile) => void;
  canType?: boolean;
  /** The contacts that were typed before, to go on with. */
  begun?: string | undefined;
}) {
  const [typed, setTyped] = useState(begun);
  const choice = useFileChoice(onFile);
  const names = words().compose;
  return (
    <>
      {typed === undefined
        ? (
          <DropArea isFramed onTake={choice.take}>
            <strong>{names.drop}</strong>
            <p class="help">{names.dropHelp}</p>
            <div class="form-end">
              <FilePicker label={names.chooseFile} onTake={choice.take} />
              {canType && <Button kind="quiet" onPress={() => setTyped("")}>{names.typeThem}</Button>}
            </div>
          </DropArea>
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
              <Button disabled={typed.trim() === ""} onPress={() => choice.take(typedFile(typed))}>
                {names.useThese}
              </Button>
              <Button kind="quiet" onPress={() => setTyped(undefined)}>{names.chooseFile}</Button>
            </div>
          </div>
        )}
      <FileState choice={choice} />
    </>
  );
}
