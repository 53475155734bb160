import { useRef } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { EmojiButton } from "../../components/emoji_button.tsx";
import { Field, Select } from "../../components/form/fields.tsx";
import { count } from "../../i18n/format.ts";
import { type HeaderKind, type TemplateDraft, variableCount } from "./draft.ts";
import type { Faults } from "./rules.ts";
import { SampleField } from "./sample_field.tsx";
import { words } from "../../i18n/words.ts";

const MAX_BODY = 1024;
const MAX_VARIABLES = 20;
const HEADERS: HeaderKind[] = ["NONE", "TEXT", "IMAGE", "VIDEO", "DOCUMENT"];

/** Header, text with examples, and footer. */
export function ContentFields({ draft, faults, onChange }: {
  draft: TemplateDraft;
  faults: Faults;
  onChange: (change: Partial<TemplateDraft>) => void;
}) {
  const names = words().newTemplate;
  const { header, headerText, headerSample, sampleName, body, examples, footer } = draft;
  const variables = Math.min(variableCount(body), MAX_VARIABLES);
  const text = useRef<HTMLDivElement>(null);
  return (
    <section class="step">
      <h2>{names.content}</h2>
      <div class="form">
        <Select
          label={names.header}
          value={header}
          options={HEADERS.map((each) => [each, names.headers[each]] as const)}
          onChange={(kind) => onChange({ header: kind, headerSample: "", sampleName: "" })}
        />
        {header === "TEXT" && (
          <Field
            label={names.headerText}
            help={names.headerTextHelp}
            error={faults.headerText}
            value={headerText}
            onChange={(value) => onChange({ headerText: value })}
          />
        )}
        {header !== "TEXT" && header !== "NONE" && (
          <SampleField
            kind={header}
            sample={headerSample}
            name={sampleName}
            error={faults.headerSample}
            onChange={onChange}
          />
        )}
        <div ref={text}>
          <Field
            label={names.body}
            rows={6}
            help={names.bodyHelp(count(Math.max(0, MAX_BODY - [...body].length)))}
            error={faults.body}
            value={body}
            onChange={(value) => onChange({ body: value })}
          />
          <div class="text-tools">
            <Button
              icon="plus"
              disabled={variables >= MAX_VARIABLES}
              onPress={() => insert(text.current, `{${variableCount(body) + 1}}`)}
            >
              {names.insertVariable}
            </Button>
            <EmojiButton label={names.emoji} onChoose={(emoji) => insert(text.current, emoji)} />
          </div>
        </div>
        {variables > 0 && (
          <div class="form-row">
            {Array.from({ length: variables }, (_, index) => (
              <Field
                key={index}
                label={names.example(index + 1)}
                help={index === 0 ? names.exampleHelp : undefined}
                value={examples[index] ?? ""}
                onChange={(value) =>
                  onChange({
                    examples: Array.from(
                      { length: variables },
                      (_, other) => other === index ? value : examples[other] ?? "",
                    ),
                  })}
              />
            ))}
          </div>
        )}
        <Field
          label={names.footer}
          help={names.footerHelp}
          error={faults.footer}
          value={footer}
          onChange={(value) => onChange({ footer: value })}
        />
      </div>
    </section>
  );
}

/** Puts something where the cursor is, as if it was typed. */
function insert(box: HTMLElement | null, text: string): void {
  const area = box?.querySelector("textarea");
  if (!area) return;
  area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
  area.dispatchEvent(new Event("input", { bubbles: true }));
  area.focus();
}
