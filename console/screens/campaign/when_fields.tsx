import { instantOf, ownZone, timeIn } from "../../data/zoned_time.ts";
import { Field, Select } from "../../components/form/fields.tsx";
import { words } from "../../i18n/words.ts";

/** A time to send at, as it is typed, in a time zone. */
export interface When {
  at: string;
  zone: string;
}

/** Returns the fields of a request. */
export function sendingTime({ at, zone }: When): { datetime_sending: string; timezone: string } {
  return { datetime_sending: `${at}:00`, timezone: zone };
}

/** Whether it is a time to come. */
export function isToCome({ at, zone }: When): boolean {
  return (instantOf(at, zone) ?? 0) > Date.now();
}

/** Returns a time some hours from now, or at a given moment, in the campaign's zone or one's own. */
export function whenOf(at: number | string, timezone: string | null): When {
  const zone = timezone ?? ownZone();
  return { at: timeIn(zone, at), zone };
}

/** Fields for a time to come. */
export function WhenFields({ value, onChange }: { value: When; onChange: (value: When) => void }) {
  const names = words().campaign;
  const zones = [...new Set([value.zone, ownZone(), "UTC"])];
  return (
    <div class="form-row">
      <Field
        label={names.dateTime}
        type="datetime-local"
        value={value.at}
        error={value.at === "" || isToCome(value) ? undefined : names.isPast}
        onChange={(at) => onChange({ ...value, at })}
      />
      <Select
        label={names.zone}
        value={value.zone}
        options={zones.map((each) => [each, each.replaceAll("_", " ")] as const)}
        onChange={(zone) => onChange({ ...value, zone })}
      />
    </div>
  );
}
