import { useState } from "preact/hooks";
import { messageOf } from "../../data/template_message.ts";
import { Button } from "../../components/button.tsx";
import { PhonePreview } from "../../components/phone_preview.tsx";
import { count } from "../../i18n/format.ts";
import { examplesOf } from "../template/template_data.ts";
import type { ContactFile } from "./upload/contact_file.ts";
import { type Content, type Sources, valuesOf } from "./draft.ts";
import { words } from "../../i18n/words.ts";

/** The message on a phone, filled from one of the first rows. */
export function Preview({ content, file, sources }: {
  content: Content | undefined;
  file: ContactFile | undefined;
  sources: Sources;
}) {
  const [chosen, setRow] = useState(0);
  const names = words().compose;
  if (content === undefined) return null;
  if (content.channel === "voice") return <p class="help">{names.callPreview}</p>;
  const { template } = content;
  if (file === undefined) {
    return (
      <>
        <PhonePreview label={names.phonePreview} message={messageOf(template, examplesOf(template))} />
        <p class="help">{names.previewExamples}</p>
      </>
    );
  }
  const row = Math.min(chosen, file.rows.length - 1);
  return (
    <>
      <PhonePreview
        label={names.phonePreview}
        message={messageOf(template, valuesOf(sources, file.rows[row]))}
      />
      <div class="turn">
        <Button
          kind="quiet"
          icon="left"
          label={names.previous}
          disabled={row === 0}
          onPress={() => setRow(row - 1)}
        />
        <span class="help" role="status">{names.previewRow(count(row + 1), count(file.count))}</span>
        <Button
          kind="quiet"
          icon="right"
          label={names.next}
          disabled={row === file.rows.length - 1}
          onPress={() => setRow(row + 1)}
        />
      </div>
    </>
  );
}
