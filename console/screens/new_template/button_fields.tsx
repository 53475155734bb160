import { Button } from "../../components/button.tsx";
import { Field, Select } from "../../components/form/fields.tsx";
import type { ButtonDraft, ButtonKind } from "./draft.ts";
import type { Faults } from "./rules.ts";
import { words } from "../../i18n/words.ts";

const MAX_BUTTONS = 10;
const KINDS: ButtonKind[] = ["QUICK_REPLY", "URL", "COPY_CODE"];

/** The buttons below the text. */
export function ButtonFields({ buttons, faults, onChange }: {
  buttons: ButtonDraft[];
  faults: Faults;
  onChange: (buttons: ButtonDraft[]) => void;
}) {
  const names = words().newTemplate;
  const change = (index: number, part: Partial<ButtonDraft>) =>
    onChange(buttons.with(index, { ...buttons[index]!, ...part }));
  return (
    <section class="step">
      <h2>{names.buttons}</h2>
      <div class="form">
        {buttons.map(({ type, text, url }, index) => (
          <fieldset key={index} class="button-fields">
            <legend class="unseen">{names.buttons} {index + 1}</legend>
            <Select
              label={names.buttonKind}
              value={type}
              options={KINDS.map((each) => [each, names.kinds[each]] as const)}
              onChange={(kind) => change(index, { type: kind })}
            />
            {type !== "COPY_CODE" && (
              <Field
                label={names.label}
                help={names.labelHelp}
                error={faults[`button ${index} text`]}
                value={text}
                onChange={(value) => change(index, { text: value })}
              />
            )}
            {type === "URL" && (
              <Field
                label={names.url}
                help={names.urlHelp}
                error={faults[`button ${index} url`]}
                value={url}
                placeholder="https://example.com/orders/{1}"
                onChange={(value) => change(index, { url: value.trim() })}
              />
            )}
            <Button
              kind="quiet"
              icon="close"
              label={names.removeButton}
              onPress={() => onChange(buttons.filter((_, other) => other !== index))}
            />
          </fieldset>
        ))}
        <div class="form-end">
          <Button
            icon="plus"
            disabled={buttons.length >= MAX_BUTTONS}
            onPress={() => onChange([...buttons, { type: "QUICK_REPLY", text: "", url: "" }])}
          >
            {names.addButton}
          </Button>
          <span class="help">{names.buttonsHelp}</span>
        </div>
      </div>
    </section>
  );
}
