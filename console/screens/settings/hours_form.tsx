import { useState } from "preact/hooks";
import { Problem } from "../../data/problem.ts";
import type { OwnSendingHours, PresetSendingHours, SendingHoursRule } from "../../data/sdk.ts";
import { Field, Select } from "../../components/form/fields.tsx";
import { FormDialog } from "../../components/form/form.tsx";
import { country } from "../../i18n/format.ts";
import { readWindows } from "./windows.ts";
import { words } from "../../i18n/words.ts";

const PRESETS = [
  "recipient",
  "AU",
  "BR",
  "CA",
  "CO",
  "DE",
  "ES",
  "FR",
  "GB",
  "IE",
  "IN",
  "NL",
  "NZ",
  "US",
] as const satisfies readonly PresetSendingHours["preset"][];

/** Adds a rule in place of the one for the same channel and category. */
export function HoursForm({ onClose, onSave }: {
  onClose: () => void;
  onSave: (rule: SendingHoursRule) => Promise<void>;
}) {
  const [channel, setChannel] = useState<SendingHoursRule["channel"]>("any");
  const [category, setCategory] = useState<SendingHoursRule["category"]>("marketing");
  const [zone, setZone] = useState<OwnSendingHours["zone"]>("recipient");
  const [preset, setPreset] = useState<PresetSendingHours["preset"] | "own">("recipient");
  const [hours, setHours] = useState("mon-fri 09:00-20:00; sat 10:00-14:00");
  const [holidays, setHolidays] = useState("");
  const names = words().settings;

  async function save(): Promise<void> {
    if (preset !== "own") return await onSave({ channel, category, zone, preset });
    const windows = readWindows(hours);
    if (windows === undefined) throw unreadable(names.hoursForm);
    await onSave({ channel, category, zone, windows, holidays: holidaysOf(holidays) });
  }

  return (
    <FormDialog title={names.addHours} action={words().common.save} onSave={save} onClose={onClose}>
      {(errorOf) => (
        <>
          <div class="field-row">
            <Select
              label={names.channel}
              value={channel}
              options={Object.entries(names.channels) as [typeof channel, string][]}
              onChange={setChannel}
            />
            <Select
              label={names.category}
              value={category}
              options={Object.entries(names.categories) as [typeof category, string][]}
              onChange={setCategory}
            />
          </div>
          <Select
            label={names.hours}
            help={names.hoursHelp}
            value={preset}
            error={preset === "own" ? undefined : errorOf("sending_hours")}
            options={[
              ...PRESETS.map((each) =>
                [each, each === "recipient" ? names.ownCountry : country(each)] as const
              ),
              ["own", names.ownHours] as const,
            ]}
            onChange={setPreset}
          />
          {preset === "own" && (
            <>
              <Field
                label={names.windows}
                help={names.hoursForm}
                value={hours}
                error={errorOf("sending_hours") ?? errorOf("windows")}
                onChange={setHours}
              />
              <Field
                label={names.holidays}
                help={names.holidaysHelp}
                value={holidays}
                placeholder="ES"
                onChange={setHolidays}
              />
            </>
          )}
          <Select
            label={names.zone}
            value={zone}
            options={Object.entries(names.zones) as [typeof zone, string][]}
            onChange={setZone}
          />
        </>
      )}
    </FormDialog>
  );
}

function holidaysOf(text: string): NonNullable<OwnSendingHours["holidays"]> | null {
  const codes = text.split(/[\s,]+/).filter(Boolean);
  if (codes.length === 0) return null;
  return codes[0]!.toLowerCase() === "recipient" ? "recipient" : codes.map((code) => code.toUpperCase());
}

function unreadable(expected_format: string): Problem {
  return new Problem("validation_failed", "", { details: { field: "windows", expected_format } });
}
