import { countryName } from "../../../i18n/countries.ts";
import { count, duration, moment, phone } from "../../../i18n/format.ts";
import type { UploadDryRun } from "../../../data/sdk.ts";
import type { Question } from "../../../components/dialog/confirm.tsx";
import type { Choices, Ready } from "../draft.ts";
import { plannedAt } from "../steps/start_time.ts";
import { words } from "../../../i18n/words.ts";

/** Returns the verb of the button that sends, with to how many. */
export function sendLabel({ content: { channel }, choices }: Ready, accepted: number): string {
  const { send, schedule } = words().compose;
  return (choices.start === "now" ? send : schedule)[channel](count(accepted));
}

/** Returns the question before a campaign leaves: to how many, where, when and from which number. */
export function questionOf(ready: Ready, { accepted, refused, countries, zones }: UploadDryRun): Question {
  const names = words().compose;
  const { content: { channel }, choices, sender } = ready;
  const title = choices.start === "now" ? names.sendTitle : names.scheduleTitle;
  const when = describeTime(choices, zones) +
    (choices.spreadHours > 0 ? names.whenSpread(names.hours(choices.spreadHours)) : "");
  return {
    title: title[channel](accepted),
    text: [
      names.sendText(choices.campaignName.trim(), phone(sender.number), when),
      countries.length > 0 && `${names.countries(countryList(countries))}.`,
      refused > 0 && names.leftOutText(refused),
    ].filter(Boolean).join(" "),
    action: sendLabel(ready, accepted),
  };
}

function describeTime(choices: Choices, zones: UploadDryRun["zones"]): string {
  const names = words().compose;
  const waitUntil = (at: number) => duration((at - Date.now()) / 1000);
  if (choices.start === "recipient") {
    const first = Math.min(...zones.map(({ scheduled_time }) => Date.parse(scheduled_time)));
    return Number.isFinite(first)
      ? names.whenOwn(choices.hour, moment(first, { style: "zoned" }), waitUntil(first))
      : names.whenNow;
  }
  const at = plannedAt(choices);
  if (at === undefined) return names.whenNow;
  const { zone } = choices;
  return names.whenAt(moment(at, { zone, style: "zoned" }), zone, waitUntil(at));
}

/** Writes countries with how many people are in each: `Spain 30`. */
export function countryList(countries: UploadDryRun["countries"]): string {
  return countries.map(({ country, count: people }) => `${countryName(country)} ${count(people)}`).join(", ");
}
