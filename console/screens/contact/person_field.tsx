import { cleanAddress, isAddress, personOf } from "../../data/addresses.ts";
import { Problem } from "../../data/problem.ts";
import { Field } from "../../components/form/fields.tsx";
import { words } from "../../i18n/words.ts";

/** The person that a record is about. */
export function PersonField({ value, error, onChange }: {
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  const { person, findHelp } = words().contacts;
  return (
    <Field
      label={person}
      help={findHelp}
      error={error}
      placeholder="+34 600 111 222"
      value={value}
      onChange={onChange}
    />
  );
}

/** Returns who was entered, for a request. Throws what the API would say of text that names no person. */
export function enteredPerson(typed: string) {
  const address = cleanAddress(typed);
  if (isAddress(address)) return personOf(address);
  throw new Problem("validation_failed", words().contacts.addressHelp, { details: { field: "number" } });
}
