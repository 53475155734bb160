import { Field, Select } from "../../components/form/fields.tsx";
import type { Category, TemplateDraft } from "./draft.ts";
import type { Faults } from "./rules.ts";
import { words } from "../../i18n/words.ts";

const CATEGORIES: Category[] = ["UTILITY", "MARKETING", "AUTHENTICATION"];

/** Account, name, language and category. */
export function Basics({ draft, faults, accounts, onChange }: {
  draft: TemplateDraft;
  faults: Faults;
  accounts: string[];
  onChange: (change: Partial<TemplateDraft>) => void;
}) {
  const names = words().newTemplate;
  const { categories } = words().templates;
  return (
    <section class="step">
      <h2>{names.basics}</h2>
      <div class="form">
        {accounts.length > 1 && (
          <Select
            label={names.account}
            value={draft.wabaId}
            options={accounts.map((each) => [each, each] as const)}
            onChange={(wabaId) => onChange({ wabaId })}
          />
        )}
        <div class="form-row">
          <Field
            label={names.name}
            help={names.nameHelp}
            error={faults.name}
            value={draft.name}
            placeholder="order_ready"
            onChange={(value) => onChange({ name: value.toLowerCase().replaceAll(/[\s-]+/g, "_") })}
          />
          <Field
            label={names.language}
            help={names.languageHelp}
            error={faults.language}
            value={draft.language}
            onChange={(value) => onChange({ language: value.trim() })}
          />
        </div>
        <Select
          label={names.category}
          help={names.categoryHelp[draft.category]}
          value={draft.category}
          options={CATEGORIES.map((each) => [each, categories[each]!] as const)}
          onChange={(category) => onChange({ category })}
        />
      </div>
    </section>
  );
}
