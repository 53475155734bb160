/** A person as the API takes it: by number, or by the platform's id. */
export type PersonQuery = { number: string } | { user_id: string };

const NUMBER = /^[1-9]\d{6,14}$/;
const USER_ID = /^[A-Z]{2}\.[A-Za-z0-9]+$/;

/** Brings what was typed or pasted into the API's form: a number to digits, a user id as it is. */
export function cleanAddress(typed: string): string {
  const text = typed.trim();
  return USER_ID.test(text) ? text : text.replace(/^00/, "").replace(/[\s().+-]/g, "");
}

/** Whether a cleaned text is a phone number. */
export function isNumber(text: string): boolean {
  return NUMBER.test(text);
}

/** Whether a cleaned text names a person. */
export function isAddress(text: string): boolean {
  return isNumber(text) || USER_ID.test(text);
}

/** Names a person in a request. */
export function personOf(address: string): PersonQuery {
  return isNumber(address) ? { number: address } : { user_id: address };
}
