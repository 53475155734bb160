import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { may } from "../../data/company.ts";
import { Button } from "../../components/button.tsx";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { Section } from "../../components/page_head.tsx";
import { words } from "../../i18n/words.ts";

interface RuleSectionProps<Rule> {
  title: string;
  none: string;
  addLabel: string;
  /** Says that a rule is removed. */
  removed: string;
  /** Null where this version cannot read them. */
  rules: Rule[] | null;
  etag: string;
  describe: (rule: Rule) => string;
  /** Whether a new rule takes the place of another. */
  replaces: (rule: Rule, other: Rule) => boolean;
  /** Stores all rules, unless the settings are not those of the ETag any more. */
  store: (rules: Rule[], etag: string) => Promise<{ etag: string }>;
  /** The dialog for a new rule. */
  form: (props: { onClose: () => void; onSave: (rule: Rule) => Promise<void> }) => ComponentChildren;
  /** Reads the settings anew. */
  onSaved: () => void;
}

/** Rules in words, each with a button that removes it, and a dialog that adds one. */
export function RuleSection<Rule>(
  { title, none, addLabel, removed, rules, etag, describe, replaces, store, form, onSaved }: RuleSectionProps<
    Rule
  >,
) {
  const [isAdding, setAdding] = useState(false);
  const known = rules ?? [];
  const close = () => setAdding(false);

  /** Returns the ETag of the settings since then. */
  async function set(wanted: Rule[], seen = etag): Promise<string> {
    const saved = await store(wanted, seen);
    onSaved();
    return saved.etag;
  }

  async function add(rule: Rule): Promise<void> {
    await set([...known.filter((other) => !replaces(rule, other)), rule]);
    toast(words().common.saved);
    close();
  }

  async function remove(rule: Rule): Promise<void> {
    const since = await attempt(() => set(known.filter((each) => each !== rule)));
    if (since) toast(removed, { about: title, undo: () => attempt(() => set(known, since)) });
  }

  return (
    <Section
      title={title}
      actions={may("operator") && rules && (
        <Button icon="plus" onPress={() => setAdding(true)}>{addLabel}</Button>
      )}
    >
      {rules === null && <p class="notice warn">{words().settings.unreadable}</p>}
      {rules?.length === 0 && <p class="panel help">{none}</p>}
      {known.length > 0 && (
        <ul class="lines">
          {known.map((rule) => (
            <li key={JSON.stringify(rule)}>
              <span>{describe(rule)}</span>
              {may("operator") && (
                <Button kind="quiet" onPress={() => remove(rule)}>{words().common.remove}</Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {isAdding && form({ onClose: close, onSave: add })}
    </Section>
  );
}
