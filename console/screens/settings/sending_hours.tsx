import { askWithEtag } from "../../data/client.ts";
import { type SendingHoursRule, setSendingHours } from "../../data/sdk.ts";
import { country } from "../../i18n/format.ts";
import { HoursForm } from "./hours_form.tsx";
import { RuleSection } from "./rule_section.tsx";
import type { SectionProps } from "./settings_data.ts";
import { changing } from "./settings_form.tsx";
import { describeWindows } from "./windows.ts";
import { words } from "../../i18n/words.ts";

/** When messages and calls may leave. */
export function SendingHoursSection({ settings: { sending_hours, etag }, onSaved }: SectionProps) {
  const names = words().settings;
  return (
    <RuleSection
      title={names.sendingHours}
      none={names.noHours}
      addLabel={names.addHours}
      removed={names.hoursRemoved}
      rules={sending_hours}
      etag={etag}
      describe={describeRule}
      replaces={(rule, other) => rule.channel === other.channel && rule.category === other.category}
      store={(rules, seen) =>
        askWithEtag(setSendingHours, { ...changing({ etag: seen }), body: { sending_hours: rules } })}
      form={(props) => <HoursForm {...props} />}
      onSaved={onSaved}
    />
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
