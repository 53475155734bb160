import { useState } from "preact/hooks";
import { api, ask, ifMatch } from "../../data/client.ts";
import { companyId, may } from "../../data/company.ts";
import { setBudget } from "../../data/sdk.ts";
import { Field } from "../../components/form/fields.tsx";
import { Form } from "../../components/form/form.tsx";
import { Section } from "../../components/page_head.tsx";
import { toast } from "../../components/dialog/toast.tsx";
import type { SectionProps } from "./settings_data.ts";
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
  const isOwner = may("owner");

  async function save(): Promise<void> {
    const amountOf = (text: string) => text.trim().replace(",", ".") || null;
    const [warn, limit] = [amountOf(entered.warn), amountOf(entered.limit)];
    const isNone = warn === null && limit === null;
    const body = { budget: isNone ? null : { warn, limit, currency: entered.currency.trim().toUpperCase() } };
    const [path, headers] = [{ company_id: companyId() }, ifMatch(etag)];
    await ask(setBudget({ client: api(), path, body, headers }));
    toast(words().common.saved);
    onSaved();
  }

  return (
    <Section title={names.budget}>
      <div class="panel">
        <Form
          action={words().common.save}
          onSave={save}
          onDiscard={() => setEntered(stored)}
          disabled={!isChanged}
          isReadOnly={!isOwner}
        >
          {(errorOf) => (
            <fieldset class="bare field-row" disabled={!isOwner}>
              {(["warn", "limit", "currency"] as const).map((name) => (
                <Field
                  key={name}
                  label={names.budgetNames[name]}
                  help={names.budgetHelp[name]}
                  value={entered[name]}
                  error={errorOf(`budget.${name}`)}
                  onChange={(text) => setEntered({ ...entered, [name]: text })}
                />
              ))}
            </fieldset>
          )}
        </Form>
      </div>
    </Section>
  );
}
