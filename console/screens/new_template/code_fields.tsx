import { Checkbox, Field } from "../../components/form/fields.tsx";
import type { TemplateDraft } from "./draft.ts";
import type { Faults } from "./rules.ts";
import { words } from "../../i18n/words.ts";

/** A verification code: the platform writes its text. */
export function CodeFields({ draft, faults, onChange }: {
  draft: TemplateDraft;
  faults: Faults;
  onChange: (change: Partial<TemplateDraft>) => void;
}) {
  const names = words().newTemplate;
  return (
    <section class="step">
      <h2>{names.content}</h2>
      <div class="form">
        <p class="help">{names.codeHelp}</p>
        <Checkbox
          label={names.codeSecret}
          value={draft.isCodeSecret}
          onChange={(isCodeSecret) => onChange({ isCodeSecret })}
        />
        <Field
          label={names.codeMinutes}
          inputMode="numeric"
          error={faults.codeMinutes}
          value={draft.codeMinutes}
          onChange={(value) => onChange({ codeMinutes: value.trim() })}
        />
      </div>
    </section>
  );
}
