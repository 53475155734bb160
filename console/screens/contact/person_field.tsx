import { isAddress, isNumber, personOf, type PersonQuery } from "../../data/addresses.ts";
import { readPhone } from "../../data/people.ts";
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

/**
 * Returns who was entered, for a request: a user id, or a number in any spelling.
 *
 * @throws {Problem} at the field, for a text that names no person
 */
export async function enteredPerson(typed: string): Promise<PersonQuery> {
  const text = typed.trim();
  if (isAddress(text) && !isNumber(text)) return personOf(text);
  return { number: (await readPhone(text)).read_number!.number };
}
