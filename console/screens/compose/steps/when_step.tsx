import { Checkbox, Field, Select } from "../../../components/form/fields.tsx";
import { type Choices, type Content, type NotificationType, typeOf } from "../draft.ts";
import { words } from "../../../i18n/words.ts";

const ZONES = Intl.supportedValuesOf("timeZone");

/** When it leaves, how it is called, and what kind it is. */
export function WhenStep({ choices, content, missing, onChange }: {
  choices: Choices;
  content: Content | undefined;
  /** Whether to mark what is missing. */
  missing: { name: boolean; at: boolean };
  onChange: (change: Partial<Choices>) => void;
}) {
  const names = words().compose;
  const { campaignName, at, zone, type, duplicates, isLater } = choices;
  const types: NotificationType[] = content?.channel === "voice"
    ? ["transactional", "marketing"]
    : ["utility", "transactional", "marketing"];
  return (
    <section class="step">
      <h2>{names.when}</h2>
      <div class="form">
        <fieldset class="choices">
          <legend>{names.start}</legend>
          {([false, true] as const).map((later) => (
            <label key={String(later)}>
              <input
                type="radio"
                name="start"
                checked={isLater === later}
                onChange={() => onChange({ isLater: later })}
              />
              {later ? names.later : names.now}
            </label>
          ))}
        </fieldset>
        {isLater && (
          <div class="form-row">
            <Field
              label={names.dateTime}
              type="datetime-local"
              value={at}
              error={missing.at ? words().common.required : undefined}
              onChange={(value) => onChange({ at: value })}
            />
            <Select
              label={names.zone}
              value={zone}
              options={[...new Set([zone, "UTC", ...ZONES])].map((each) => [each, each] as const)}
              onChange={(value) => onChange({ zone: value })}
            />
          </div>
        )}
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
            label={names.type}
            help={names.kindHelp}
            value={content ? typeOf(content, type) : type ?? "utility"}
            options={types.map((each) => [each, names.types[each]] as const)}
            onChange={(value) => onChange({ type: value })}
          />
        </div>
        <Checkbox
          label={names.duplicates}
          value={duplicates === "accept"}
          onChange={(accept) => onChange({ duplicates: accept ? "accept" : "refuse" })}
        />
      </div>
    </section>
  );
}
