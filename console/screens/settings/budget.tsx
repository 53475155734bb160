import { useState } from "preact/hooks";
import { ask } from "../../data/client.ts";
import { setBudget } from "../../data/sdk.ts";
import { Field } from "../../components/form/fields.tsx";
import type { SectionProps } from "./settings_data.ts";
import { changing, SettingsForm } from "./settings_form.tsx";
import { words } from "../../i18n/words.ts";

/** How much may be spent on messages per month; without amounts there is no budget. */
export function BudgetSection({ settings: { budget, etag }, onSaved }: SectionProps) {
  const stored = {
    warn: budget?.warn ?? "",
    limit: budget?.limit ?? "",
    currency: budget?.currency ?? "EUR",
  };
  const [entered, setEntered] = useState(stored);
  const names = words().settings;
  const isChanged = JSON.stringify(entered) !== JSON.stringify(stored);

  async function save(): Promise<void> {
    const amountOf = (text: string) => text.trim().replace(",", ".") || null;
    const [warn, limit] = [amountOf(entered.warn), amountOf(entered.limit)];
    const isNone = warn === null && limit === null;
    const body = { budget: isNone ? null : { warn, limit, currency: entered.currency.trim().toUpperCase() } };
    await ask(setBudget({ ...changing({ etag }), body }));
  }

  return (
    <SettingsForm
      title={names.budget}
      layout="field-row"
      role="owner"
      isChanged={isChanged}
      onSave={save}
      onSaved={onSaved}
      onDiscard={() => setEntered(stored)}
    >
      {(errorOf) =>
        (["warn", "limit", "currency"] as const).map((name) => (
          <Field
            key={name}
            label={names.budgetNames[name]}
            help={names.budgetHelp[name]}
            value={entered[name]}
            error={errorOf(`budget.${name}`)}
            onChange={(text) => setEntered({ ...entered, [name]: text })}
          />
        ))}
    </SettingsForm>
  );
}
