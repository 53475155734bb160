import { link } from "../../../data/company.ts";
import { Checkbox, Field, Radios, Select } from "../../../components/form/fields.tsx";
import { duration } from "../../../i18n/format.ts";
import { useConsentPolicy } from "../../contact/person_data.ts";
import { type Choices, type Content, type NotificationType, typeOf } from "../draft.ts";
import { plannedAt } from "./start_time.ts";
import { words } from "../../../i18n/words.ts";

const ZONES = Intl.supportedValuesOf("timeZone");

const STARTS = ["now", "later", "recipient"] as const;

const SPREADS = [0, 1, 2, 4, 8, 12, 24, 48];

interface WhenStepProps {
  choices: Choices;
  content: Content | undefined;
  /** Whether to mark what is missing. */
  missing: { name: boolean; at: boolean };
  onChange: (change: Partial<Choices>) => void;
}

/** When it leaves, how it is called, and what kind it is. */
export function WhenStep({ choices, content, missing, onChange }: WhenStepProps) {
  const names = words().compose;
  const { campaignName, type, duplicates, start, spreadHours } = choices;
  const channel = content?.channel ?? "whatsapp";
  const types: NotificationType[] = channel === "voice"
    ? ["transactional", "marketing"]
    : ["utility", "transactional", "marketing"];
  const kind = content ? typeOf(content, type) : type ?? "utility";
  return (
    <section class="step">
      <h2>{names.when}</h2>
      <div class="form">
        <Radios
          label={names.start}
          value={start}
          options={STARTS.map((each) => [each, names[each]] as const)}
          onChange={(each) => onChange({ start: each })}
        />
        <Times choices={choices} content={content} missing={missing} onChange={onChange} />
        <p class="help">{names.whenHelp}</p>
        <div class="form-row">
          <Field
            label={names.name}
            help={names.nameHelp}
            value={campaignName}
            error={missing.name ? words().common.required : undefined}
            onChange={(value) => onChange({ campaignName: value })}
          />
          <Select
            label={names.spread}
            help={names.spreadHelp}
            value={String(spreadHours)}
            options={[...new Set([...SPREADS, spreadHours])].map((each) =>
              [String(each), each === 0 ? names.atOnce : names.hours(each)] as const
            )}
            onChange={(value) => onChange({ spreadHours: Number(value) })}
          />
          <Select
            label={names.type}
            value={kind}
            options={types.map((each) => [each, names.types[each]] as const)}
            onChange={(value) => onChange({ type: value })}
          />
        </div>
        {kind === "marketing" && <Protection />}
        {choices.audience === undefined && (
          <Checkbox
            label={names.duplicates[channel]}
            value={duplicates === "accept"}
            onChange={(accept) => onChange({ duplicates: accept ? "accept" : "refuse" })}
          />
        )}
      </div>
    </section>
  );
}

/** The fields for the time, with how far away it is. */
function Times({ choices, missing, onChange }: WhenStepProps) {
  const names = words().compose;
  const { start, at, zone, hour, day } = choices;
  if (start === "now") return null;
  if (start === "recipient") {
    return (
      <div class="form-row">
        <Field
          label={names.hour}
          type="time"
          value={hour}
          error={missing.at ? words().common.required : undefined}
          onChange={(value) => onChange({ hour: value })}
        />
        <Field
          label={names.firstDay}
          type="date"
          help={names.firstDayHelp}
          value={day}
          onChange={(value) => onChange({ day: value })}
        />
      </div>
    );
  }
  const instant = plannedAt(choices);
  const wait = instant === undefined ? undefined : (instant - Date.now()) / 1000;
  return (
    <div class="form-row">
      <Field
        label={names.dateTime}
        type="datetime-local"
        value={at}
        help={wait !== undefined && wait > 0 ? names.startsIn(duration(wait)) : undefined}
        error={missing.at
          ? words().common.required
          : wait !== undefined && wait <= 0
          ? names.isOver
          : undefined}
        onChange={(value) => onChange({ at: value })}
      />
      <Select
        label={names.zone}
        value={zone}
        options={[...new Set([zone, "UTC", ...ZONES])].map((each) => [each, each] as const)}
        onChange={(value) => onChange({ zone: value })}
      />
    </div>
  );
}

/** Whom marketing goes to, as the company has set it. */
function Protection() {
  const policy = useConsentPolicy();
  const names = words().compose;
  if (policy === undefined) return null;
  return (
    <p class="help">
      {names.consentPolicy[policy]} <a href={link(["settings"])}>{names.toSettings}</a>
    </p>
  );
}
