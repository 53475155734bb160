import { Button } from "../../../components/button.tsx";
import { type ContactFile, TYPED_NAME } from "../upload/contact_file.ts";
import { FileField } from "./file_field.tsx";
import { words } from "../../../i18n/words.ts";

const SHOWN = 4;

/** The file of contacts, with its first rows. */
export function PeopleStep({ file, onFile }: {
  file: ContactFile | undefined;
  onFile: (file: ContactFile | undefined) => void;
}) {
  const names = words().compose;
  return (
    <section class="step">
      <h2>{names.people}</h2>
      {file === undefined ? <FileField onFile={onFile} /> : (
        <>
          <div class="picked">
            <strong>{file.name === TYPED_NAME ? names.typed : file.name}</strong>
            <span class="facts">{names.about(file.count, file.isExact)}</span>
            <div class="actions">
              <Button kind="quiet" onPress={() => onFile(undefined)}>{names.otherFile}</Button>
            </div>
          </div>
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
        </>
      )}
    </section>
  );
}
