import { useState } from "preact/hooks";
import { messageOf } from "../../data/template_message.ts";
import { Button } from "../../components/button.tsx";
import { PhonePreview } from "../../components/phone_preview.tsx";
import { count } from "../../i18n/format.ts";
import { examplesOf } from "../template/template_data.ts";
import { type Content, isStored, type People, type Sources, valuesOf } from "./draft.ts";
import { words } from "../../i18n/words.ts";

/** The message on a phone, filled from one of the first rows. */
export function Preview({ content, people, sources }: {
  content: Content | undefined;
  people: People | undefined;
  sources: Sources;
}) {
  const [chosen, setRow] = useState(0);
  const names = words().compose;
  if (content === undefined) return null;
  if (content.channel === "voice") return <p class="help">{names.callPreview}</p>;
  const { template } = content;
  const examples = examplesOf(template);
  if (people === undefined || isStored(people)) {
    // A text for all shows; what is stored about each person shows in the check.
    const texts = Object.entries(valuesOf(sources, undefined)).filter(([, text]) => text);
    const values = { ...examples, ...Object.fromEntries(texts) };
    return (
      <>
        <PhonePreview label={names.phonePreview} message={messageOf(template, values)} />
        <p class="help">{names.previewExamples}</p>
      </>
    );
  }
  const row = Math.min(chosen, people.rows.length - 1);
  return (
    <>
      <PhonePreview
        label={names.phonePreview}
        message={messageOf(template, valuesOf(sources, people.rows[row]))}
      />
      <div class="turn">
        <Button
          kind="quiet"
          icon="left"
          label={names.previous}
          disabled={row === 0}
          onPress={() => setRow(row - 1)}
        />
        <span class="help" role="status">{names.previewRow(count(row + 1), count(people.count))}</span>
        <Button
          kind="quiet"
          icon="right"
          label={names.next}
          disabled={row === people.rows.length - 1}
          onPress={() => setRow(row + 1)}
        />
      </div>
    </>
  );
}
