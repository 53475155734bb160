import { may } from "../../data/company.ts";
import { Button } from "../../components/button.tsx";
import { Section } from "../../components/page_head.tsx";
import { words } from "../../i18n/words.ts";

/** Rules in words, each with a button that removes it. */
export function RuleList<Rule>({ title, none, rules, describe, onRemove, addLabel, onAdd }: {
  title: string;
  none: string;
  /** Null where this version cannot read them. */
  rules: Rule[] | null;
  describe: (rule: Rule) => string;
  onRemove: (rule: Rule) => Promise<void>;
  addLabel: string;
  onAdd: () => void;
}) {
  return (
    <Section
      title={title}
      actions={may("operator") && rules && <Button icon="plus" onPress={onAdd}>{addLabel}</Button>}
    >
      {rules === null && <p class="notice warn">{words().settings.unreadable}</p>}
      {rules?.length === 0 && <p class="panel help">{none}</p>}
      {rules && rules.length > 0 && (
        <ul class="lines">
          {rules.map((rule) => (
            <li key={JSON.stringify(rule)}>
              <span>{describe(rule)}</span>
              {may("operator") && (
                <Button kind="quiet" onPress={() => onRemove(rule)}>{words().common.remove}</Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
