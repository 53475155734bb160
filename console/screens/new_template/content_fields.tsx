import { Field, Select } from "../../components/form/fields.tsx";
import { count } from "../../i18n/format.ts";
import { type HeaderKind, type TemplateDraft, variableCount } from "./draft.ts";
import type { Faults } from "./rules.ts";
import { words } from "../../i18n/words.ts";

const MAX_BODY = 1024;
const HEADERS: HeaderKind[] = ["NONE", "TEXT", "IMAGE", "VIDEO", "DOCUMENT"];

/** Header, text with examples, and footer. */
export function ContentFields({ draft, faults, onChange }: {
  draft: TemplateDraft;
  faults: Faults;
  onChange: (change: Partial<TemplateDraft>) => void;
}) {
  const names = words().newTemplate;
  const { header, headerText, headerSample, body, examples, footer } = draft;
  const variables = Math.min(variableCount(body), 20);
  return (
    <section class="step">
      <h2>{names.content}</h2>
      <div class="form">
        <Select
          label={names.header}
          value={header}
          options={HEADERS.map((each) => [each, names.headers[each]] as const)}
          onChange={(kind) => onChange({ header: kind })}
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
          <Field
            label={names.headerSample}
            help={names.headerSampleHelp}
            error={faults.headerSample}
            value={headerSample}
            placeholder="https://example.com/sample.jpg"
            onChange={(value) => onChange({ headerSample: value.trim() })}
          />
        )}
        <Field
          label={names.body}
          rows={5}
          help={names.bodyHelp(count(Math.max(0, MAX_BODY - [...body].length)))}
          error={faults.body}
          value={body}
          onChange={(value) => onChange({ body: value })}
        />
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
