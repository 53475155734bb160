import { useState } from "preact/hooks";
import { askWithEtag, ifMatch } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { type SendingHoursRule, setSendingHours } from "../../data/sdk.ts";
import { attempt, toast } from "../../components/dialog/toast.tsx";
import { country } from "../../i18n/format.ts";
import { HoursForm } from "./hours_form.tsx";
import { RuleList } from "./rule_list.tsx";
import type { SectionProps } from "./settings_data.ts";
import { describeWindows } from "./windows.ts";
import { words } from "../../i18n/words.ts";

/** When messages and calls may leave. */
export function SendingHoursSection({ settings: { sending_hours: rules, etag }, onSaved }: SectionProps) {
  const [isAdding, setAdding] = useState(false);
  const names = words().settings;

  /** Returns the ETag of the settings since then. */
  async function set(wanted: SendingHoursRule[], seen = etag): Promise<string> {
    const path = { company_id: companyId() };
    const body = { sending_hours: wanted };
    const saved = await askWithEtag(setSendingHours, { path, body, headers: ifMatch(seen) });
    onSaved();
    return saved.etag;
  }

  async function remove(rule: SendingHoursRule): Promise<void> {
    const before = rules ?? [];
    const since = await attempt(() => set(before.filter((each) => each !== rule)));
    if (since) toast(names.hoursRemoved, { about: "hours", undo: () => attempt(() => set(before, since)) });
  }

  return (
    <>
      <RuleList
        title={names.sendingHours}
        none={names.noHours}
        rules={rules}
        describe={describeRule}
        onRemove={remove}
        addLabel={names.addHours}
        onAdd={() => setAdding(true)}
      />
      {isAdding && (
        <HoursForm
          onClose={() => setAdding(false)}
          onSave={async (rule) => {
            const others = (rules ?? []).filter(({ channel, category }) =>
              channel !== rule.channel || category !== rule.category
            );
            await set([...others, rule]);
            toast(words().common.saved);
            setAdding(false);
          }}
        />
      )}
    </>
  );
}

/** Says a rule in one line. */
function describeRule(rule: SendingHoursRule): string {
  const names = words().settings;
  const about = `${names.channels[rule.channel]}, ${names.categories[rule.category]}`;
  const zone = names.zones[rule.zone ?? "recipient"];
  if ("preset" in rule) {
    const whose = rule.preset === "recipient" ? names.ownCountry : country(rule.preset);
    return `${about}: ${names.presetText(whose)} (${zone})`;
  }
  const holidays = rule.holidays
    ? `, ${
      names.closedOn(rule.holidays === "recipient" ? names.ownCountry : rule.holidays.map(country).join(", "))
    }`
    : "";
  return `${about}: ${describeWindows(rule.windows)} (${zone}${holidays})`;
}
