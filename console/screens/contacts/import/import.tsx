import { useState } from "preact/hooks";
import { link } from "../../../data/company.ts";
import { Button } from "../../../components/button.tsx";
import { PageHead, Section } from "../../../components/page_head.tsx";
import { count } from "../../../i18n/format.ts";
import type { ContactFile } from "../../compose/upload/contact_file.ts";
import { FileField } from "../../compose/steps/file_field.tsx";
import { ImportForm } from "./import_form.tsx";
import { words } from "../../../i18n/words.ts";

/** Makes contacts of the people of a file: which column is which, a check of every row, then the import. */
export default function ImportScreen() {
  const [file, setFile] = useState<ContactFile>();
  const names = words().importing;
  return (
    <>
      <PageHead
        title={names.title}
        above={{ title: words().contacts.title, href: link(["contacts"]) }}
        facts={file && (
          <>
            <span>{file.name}</span>
            <span>{words().common.rows(file.count)}</span>
          </>
        )}
        actions={file && <Button onPress={() => setFile(undefined)}>{names.otherFile}</Button>}
      />
      {file
        ? <ImportForm key={`${file.name} ${count(file.body.size)}`} file={file} />
        : (
          <Section title={names.file}>
            <FileField onFile={setFile} canType={false} />
            <p class="help">{names.fileHelp}</p>
          </Section>
        )}
    </>
  );
}
