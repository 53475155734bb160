/** How a person is reached: by a number, by the platform's user id, or by both; the number wins. */
export interface Address {
  /** Digits with the country code. */
  number: string | null;
  /** The platform's business-scoped user id, such as `ES.1349…`. It is case-sensitive. */
  user_id: string | null;
}

/** A person: by their addresses, or by their contact in place of these. */
export interface PersonKey extends Address {
  contact_id: string | null;
}

/** A number: country code first, digits only. */
export const NUMBER = /^[1-9]\d{6,14}$/;

/** A user id. Source: WhatsApp Cloud API, business-scoped user ids. */
export const USER_ID = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;

/** Two ways in which one number is written: with and without these digits after the country code, and the area code. */
const ALIASES: [country: string, long: RegExp, short: string][] = [
  ["Mexico", /^521(\d{10})$/, "52$1"],
  ["Argentina", /^549(\d{10})$/, "54$1"],
  ["Brazil", /^55(\d{2})9(\d{8})$/, "55$1$2"],
  ["Benin", /^22901(\d{8})$/, "229$1"],
];

/** Returns whether two numbers are aliases of one, by the numbering plan of a country that has two. */
export function isSameNumber(a: string, b: string): boolean {
  return shortAlias(a) === shortAlias(b);
}

function shortAlias(number: string): string {
  return ALIASES.reduce((result, [, long, short]) => result.replace(long, short), number);
}

/** Returns whether an address, which is one of the two, is a number. */
export function isNumber(address: string): boolean {
  return NUMBER.test(address);
}
