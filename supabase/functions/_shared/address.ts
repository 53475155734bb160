/** How a person is reached: by a number, by the platform's user id, or by both; the number wins. */
export interface Address {
  /** Digits with the country code. */
  number: string | null;
  /** The platform's business-scoped user id, such as `ES.1349…`. It is case-sensitive. */
  user_id: string | null;
}

/** A number: country code first, digits only. */
export const NUMBER = /^[1-9]\d{6,14}$/;

/** A user id. Source: WhatsApp Cloud API, business-scoped user ids. */
export const USER_ID = /^[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128}$/;

/** Returns whether an address, which is one of the two, is a number. */
export function isNumber(address: string): boolean {
  return NUMBER.test(address);
}
