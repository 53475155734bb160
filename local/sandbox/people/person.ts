import { userIdOf } from "./user_id.ts";

/** A person with a phone, as far as the person changed anything about it. */
export interface Person {
  /** Digits. */
  number: string;
  /** The name of the profile. */
  name: string | null;
  /** A person with a username hides the number from businesses. With "@". */
  username: string | null;
  /** Ids of business numbers whose marketing the person stopped. */
  stopped: string[];
  /** Ids of business numbers that the person blocked. */
  blocked: string[];
  /** The number that replaced this one. This one reaches no person any more. */
  moved_to: string | null;
  /** How many user ids the person had before the present one. */
  renewed: number;
}

/** The person's user id in the portfolio of an account. */
export function userIdIn(wabaId: string, { number, renewed }: Person): string {
  return userIdOf(number, wabaId, renewed);
}

/** The profile in webhooks. */
export function profileOf({ name, username, number }: Person): { name: string; username?: string } {
  const shown = name ?? username?.slice(1) ?? `+${number}`;
  return { name: shown, ...(username === null ? {} : { username }) };
}

/** A person without what is only counted. */
export function personView({ renewed: _renewed, ...person }: Person): Omit<Person, "renewed"> {
  return person;
}
