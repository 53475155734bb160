import type { VisitorCaps } from "../../data/sdk.ts";
import { Field } from "./fields.tsx";
import { words } from "../../i18n/words.ts";

interface CapFieldsProps {
  label: string;
  caps: VisitorCaps;
  /** The use by visitors today. */
  used?: VisitorCaps;
  only?: (keyof VisitorCaps)[];
  errorOf: (name: keyof VisitorCaps) => string | undefined;
  onChange: (changes: Partial<VisitorCaps>) => void;
}

/** The fields for the daily caps of visitors; 0 switches a use off. */
export function CapFields({ label, caps, used, only, errorOf, onChange }: CapFieldsProps) {
  const names = words().common;
  const shown = only ?? (Object.keys(names.caps) as (keyof VisitorCaps)[]);
  return (
    <fieldset class="choices columns">
      <legend>{label}</legend>
      {shown.map((name) => (
        <Field
          key={name}
          label={names.caps[name]}
          type="number"
          value={String(caps[name])}
          help={used && names.usedToday(used[name])}
          error={errorOf(name)}
          onChange={(text) => onChange({ [name]: Number(text) })}
        />
      ))}
    </fieldset>
  );
}
