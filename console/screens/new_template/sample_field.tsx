import { useRef, useState } from "preact/hooks";
import { Problem } from "../../data/problem.ts";
import { uploadFile } from "../../data/upload_media.ts";
import { Button } from "../../components/button.tsx";
import { ErrorNotice } from "../../components/error_notice.tsx";
import { Field } from "../../components/form/fields.tsx";
import type { HeaderKind, TemplateDraft } from "./draft.ts";
import { words } from "../../i18n/words.ts";

/** The types that the platform takes as a sample. */
const TYPES: Partial<Record<HeaderKind, string>> = {
  IMAGE: "image/jpeg,image/png",
  VIDEO: "video/mp4",
  DOCUMENT: "application/pdf",
};

/** The pictures that were chosen, by their samples: for the preview, until the page is left. */
const pictures = new Map<string, string>();

/** Returns a sample's picture, as an address. */
export function pictureOf(sample: string): string | undefined {
  return pictures.get(sample);
}

/** A file that shows reviewers what a header will hold: chosen here, or on the web. */
export function SampleField({ kind, sample, name, error, onChange }: {
  kind: HeaderKind;
  sample: string;
  name: string;
  error: string | undefined;
  onChange: (change: Pick<TemplateDraft, "headerSample" | "sampleName">) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const names = words().newTemplate;

  async function take(chosen: File | undefined): Promise<void> {
    if (chosen === undefined) return;
    setProblem(undefined);
    setBusy(true);
    try {
      const headerSample = `media:${await uploadFile(chosen, { type: chosen.type })}`;
      if (kind === "IMAGE") pictures.set(headerSample, URL.createObjectURL(chosen));
      onChange({ headerSample, sampleName: chosen.name });
    } catch (thrown) {
      if (!(thrown instanceof Problem)) throw thrown;
      setProblem(thrown);
    } finally {
      setBusy(false);
    }
  }

  if (name) {
    return (
      <p class="picked">
        <strong>{name}</strong>
        <Button kind="quiet" onPress={() => onChange({ headerSample: "", sampleName: "" })}>
          {names.otherSample}
        </Button>
      </p>
    );
  }
  return (
    <>
      <div class="sample-field">
        <Field
          label={names.headerSample}
          help={names.headerSampleHelp}
          error={error}
          value={sample}
          placeholder="https://example.com/sample.jpg"
          onChange={(value) => onChange({ headerSample: value.trim(), sampleName: "" })}
        />
        <Button icon="upload" disabled={isBusy} onPress={() => input.current?.click()}>
          {isBusy ? names.uploading : names.uploadSample}
        </Button>
        <input
          ref={input}
          type="file"
          hidden
          aria-label={names.uploadSample}
          accept={TYPES[kind]}
          onChange={(event) => {
            const [chosen] = event.currentTarget.files ?? [];
            void take(chosen);
            event.currentTarget.value = "";
          }}
        />
      </div>
      {problem && <ErrorNotice problem={problem} />}
    </>
  );
}
