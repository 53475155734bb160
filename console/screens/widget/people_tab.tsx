import { may } from "../../data/company.ts";
import { Checkbox, Field } from "../../components/form/fields.tsx";
import type { ErrorOf } from "../../components/form/form.tsx";
import { chatPeopleWords } from "../../i18n/chat_people_words.ts";
import { weekday } from "../../i18n/format.ts";
import type { ChangeDraft, Draft } from "./draft.ts";
import { DAYS, FOLLOW_UP, type OfficeHours, type WidgetConfig } from "./widget_config.ts";

interface PartProps {
  config: WidgetConfig;
  set: (changes: Partial<WidgetConfig>) => void;
  errorOf: ErrorOf;
}

/** When members reply, how replies follow by e-mail, and the text that visitors accept. */
export function PeopleTab({ draft: { config }, change, errorOf }: {
  draft: Draft;
  change: ChangeDraft;
  errorOf: ErrorOf;
}) {
  const set = (changes: Partial<WidgetConfig>) => change({ config: { ...config, ...changes } });
  return (
    <fieldset class="form bare" disabled={!may("operator")}>
      <HoursFields {...{ config, set, errorOf }} />
      <FollowUpFields {...{ config, set, errorOf }} />
      <ConsentFields {...{ config, set, errorOf }} />
    </fieldset>
  );
}

const WORKDAYS = Object.fromEntries(DAYS.slice(0, 5).map((day) => [day, [["09:00", "18:00"]]]));

function HoursFields({ config: { office_hours: hours }, set, errorOf }: PartProps) {
  const names = chatPeopleWords();
  const setHours = (changes: Partial<OfficeHours>) => set({ office_hours: { ...hours!, ...changes } });
  return (
    <fieldset class="choices">
      <legend>{names.hours}</legend>
      <Checkbox
        label={names.hours}
        help={names.hoursHelp}
        value={Boolean(hours)}
        onChange={(is) =>
          set({ office_hours: is ? { timezone: ownTimezone(), days: WORKDAYS, holidays: [] } : null })}
      />
      {hours && (
        <>
          <Field
            label={names.timezone}
            value={hours.timezone}
            suggestions={Intl.supportedValuesOf("timeZone")}
            error={errorOf("config.office_hours.timezone")}
            onChange={(timezone) => setHours({ timezone })}
          />
          {DAYS.map((day, index) => (
            <Field
              key={day}
              label={names.day(weekday(index))}
              value={timesText(hours.days[day] ?? [])}
              error={errorIn(errorOf, `config.office_hours.days.${day}`, hours.days[day]?.length)}
              onChange={(text) => setHours({ days: { ...hours.days, [day]: readTimes(text) } })}
            />
          ))}
          {errorOf("config.office_hours.days") && <p class="error">{errorOf("config.office_hours.days")}</p>}
          <Field
            label={names.holidays}
            value={(hours.holidays ?? []).join(", ")}
            error={errorIn(errorOf, "config.office_hours.holidays", hours.holidays?.length)}
            onChange={(text) => setHours({ holidays: text === "" ? [] : text.split(/, ?/) })}
          />
        </>
      )}
    </fieldset>
  );
}

function ownTimezone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Times as they are typed: the API checks them. */
function timesText(times: string[][]): string {
  return times.map((each) => each.join("-")).join(", ");
}

function readTimes(text: string): string[][] {
  return text === "" ? [] : text.split(/, ?/).map((each) => each.split("-"));
}

/** The API names the entry of a list that is wrong, or a part of it. */
function errorIn(errorOf: ErrorOf, field: string, length = 0): string | undefined {
  const entries = Array.from({ length }, (_, index) => `${field}[${index}]`);
  return [field, ...entries, ...entries.flatMap((each) => [`${each}[0]`, `${each}[1]`])].map(errorOf)
    .find((error) => error !== undefined);
}

function FollowUpFields({ config: { follow_up: followUp }, set, errorOf }: PartProps) {
  const names = chatPeopleWords();
  const field = (name: keyof typeof FOLLOW_UP, label: string) => (
    <Field
      label={label}
      type="number"
      value={String(followUp?.[name] ?? FOLLOW_UP[name])}
      error={errorOf(`config.follow_up.${name}`)}
      onChange={(text) => set({ follow_up: { ...followUp, [name]: Number(text) } })}
    />
  );
  return (
    <fieldset class="choices">
      <legend>{names.followUp}</legend>
      <Checkbox
        label={names.followUp}
        help={names.followUpHelp}
        value={Boolean(followUp)}
        onChange={(is) => set({ follow_up: is ? {} : null })}
      />
      {followUp && (
        <>
          {field("ask_after_minutes", names.ask)}
          {field("send_after_minutes", names.send)}
        </>
      )}
    </fieldset>
  );
}

function ConsentFields({ config: { consent }, set, errorOf }: PartProps) {
  const names = chatPeopleWords();
  return (
    <fieldset class="choices">
      <legend>{names.consent}</legend>
      <Checkbox
        label={names.consent}
        value={Boolean(consent)}
        onChange={(is) => set({ consent: is ? { text: "", link: null } : null })}
      />
      {consent && (
        <>
          <Field
            label={names.consentText}
            rows={3}
            value={consent.text}
            error={errorOf("config.consent.text")}
            onChange={(text) => set({ consent: { ...consent, text } })}
          />
          <Field
            label={names.consentLink}
            type="url"
            value={consent.link ?? ""}
            error={errorOf("config.consent.link")}
            onChange={(link) => set({ consent: { ...consent, link: link || null } })}
          />
        </>
      )}
    </fieldset>
  );
}
