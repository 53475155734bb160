import { Select } from "./fields.tsx";
import { countryOptions } from "../../i18n/countries.ts";
import { words } from "../../i18n/words.ts";

const NONE = "";

/** The country whose numbers stand without a country code. */
export function CountryField({ value, disabled = false, onChange }: {
  value: string | undefined;
  disabled?: boolean;
  onChange: (country: string) => void;
}) {
  const { defaultCountry, defaultCountryHelp, noCountry } = words().common;
  return (
    <Select
      label={defaultCountry}
      help={defaultCountryHelp}
      value={value ?? NONE}
      disabled={disabled}
      options={[...(value ? [] : [[NONE, noCountry] as const]), ...countryOptions()]}
      onChange={onChange}
    />
  );
}
