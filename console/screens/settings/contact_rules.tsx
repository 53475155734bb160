import { useState } from "preact/hooks";
import { ask } from "../../data/client.ts";
import { may } from "../../data/company.ts";
import { useDraft } from "../../data/draft.ts";
import { changeContactRules, type ContactRules } from "../../data/sdk.ts";
import { Checkbox, Field, Select } from "../../components/form/fields.tsx";
import type { ErrorOf } from "../../components/form/form.tsx";
import { numberOrNull, type SectionProps } from "./settings_data.ts";
import { changing, SettingsForm } from "./settings_form.tsx";
import { words } from "../../i18n/words.ts";

const DAYS = [
  "keep_notifications_days",
  "keep_messages_days",
  "keep_transcripts_days",
  "archive_after_days",
] as const;

/** Consent, the words that end it, and how long data about people is kept. */
export function ContactRulesSection({ settings: { contact_rules, etag }, onSaved }: SectionProps) {
  const [rules, setRules] = useState<ContactRules>(contact_rules);
  const names = words().settings;
  const change = (changes: Partial<ContactRules>) => setRules({ ...rules, ...changes });
  const isChanged = JSON.stringify(rules) !== JSON.stringify(contact_rules);

  const restored = useDraft("settings", "contact_rules", {
    value: rules,
    stored: contact_rules,
    restore: setRules,
  });

  async function save(): Promise<void> {
    const body = {
      ...(may("owner") ? rules : withoutDays(rules)),
      opt_out_words: withoutEmpty(rules.opt_out_words),
      opt_in_words: withoutEmpty(rules.opt_in_words),
    };
    setRules(await ask(changeContactRules({ ...changing({ etag }), body })));
  }

  return (
    <SettingsForm
      title={names.contactRules}
      layout="form"
      isChanged={isChanged}
      onSave={save}
      onSaved={onSaved}
      onDiscard={() => setRules(contact_rules)}
      restored={restored}
    >
      {(errorOf) => (
        <>
          <ConsentFields {...{ rules, change, errorOf }} />
          <fieldset class="choices columns" disabled={!may("owner")}>
            <legend>{names.keep}</legend>
            {DAYS.map((name) => (
              <Field
                key={name}
                label={names.keepNames[name]}
                type="number"
                placeholder={names.forever}
                value={rules[name] === null ? "" : String(rules[name])}
                error={errorOf(name)}
                onChange={(text) => change({ [name]: numberOrNull(text) })}
              />
            ))}
          </fieldset>
        </>
      )}
    </SettingsForm>
  );
}

function ConsentFields({ rules, change, errorOf }: {
  rules: ContactRules;
  change: (changes: Partial<ContactRules>) => void;
  errorOf: ErrorOf;
}) {
  const names = words().settings;
  const { consent_policy, opt_out_confirmation, opt_out_stops_calls, use_default_words, marketing_cooldown } =
    rules;
  return (
    <>
      <div class="field-row">
        <Select
          label={names.consent}
          value={consent_policy}
          help={names.consentHelp}
          options={Object.entries(names.consentPolicies) as [ContactRules["consent_policy"], string][]}
          onChange={(to) => change({ consent_policy: to })}
        />
        {(["opt_out_words", "opt_in_words"] as const).map((name) => (
          <Field
            key={name}
            label={names.wordNames[name]}
            help={names.wordsHelp}
            value={rules[name].join(", ")}
            error={errorOf(name)}
            onChange={(text) => change({ [name]: text === "" ? [] : text.split(",").map(trimStart) })}
          />
        ))}
      </div>
      <Checkbox
        label={names.defaultWords}
        value={use_default_words}
        onChange={(to) => change({ use_default_words: to })}
      />
      <Checkbox
        label={names.stopsCalls}
        value={opt_out_stops_calls}
        onChange={(to) => change({ opt_out_stops_calls: to })}
      />
      <Checkbox
        label={names.cooldown}
        value={marketing_cooldown}
        onChange={(to) => change({ marketing_cooldown: to })}
      />
      <Checkbox
        label={names.ownConfirmation}
        value={opt_out_confirmation !== null}
        onChange={(is) => change({ opt_out_confirmation: is ? "" : null })}
      />
      {opt_out_confirmation !== null && (
        <Field
          label={names.confirmation}
          help={names.confirmationHelp}
          rows={2}
          value={opt_out_confirmation}
          error={errorOf("opt_out_confirmation")}
          onChange={(to) => change({ opt_out_confirmation: to })}
        />
      )}
    </>
  );
}

/** Returns the rules that an operator may change. */
function withoutDays(rules: ContactRules): Partial<ContactRules> {
  return Object.fromEntries(Object.entries(rules).filter(([name]) => !DAYS.some((each) => each === name)));
}

function trimStart(word: string): string {
  return word.trimStart();
}

function withoutEmpty(given: string[]): string[] {
  return given.map((word) => word.trim()).filter((word) => word !== "");
}
