import type { Journal } from "../journal/journal.ts";
import { maskedNumber, userIdOf } from "./user_id.ts";

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
  /** The number that replaced this one. Nobody can be reached at this one any more. */
  moved_to: string | null;
  /** How many user ids the person had before the present one. */
  renewed: number;
}

/** Everybody. A person who changed nothing is not stored, so any number of phones costs nothing. */
export class People {
  readonly #changed = new Map<string, Person>();

  constructor(private readonly journal: Pick<Journal, "write">) {}

  /** The person at a number, in digits. */
  at(number: string): Person {
    return this.#changed.get(number) ??
      { number, name: null, username: null, stopped: [], blocked: [], moved_to: null, renewed: 0 };
  }

  /** Changes something about a person, and writes it to the journal. */
  change(number: string, changes: Partial<Person>): Person {
    const person = { ...this.at(number), ...changes, number };
    this.journal.write({ t: "person", person });
    this.restore(person);
    return person;
  }

  /** Puts back a person from the journal. */
  restore(person: Person): void {
    this.#changed.set(person.number, person);
  }

  /** The person with this user id in the portfolio of an account; undefined when nobody has it, or no longer. */
  find(userId: string, wabaId: string): Person | undefined {
    const number = maskedNumber(userId, wabaId);
    const person = number === undefined ? undefined : this.at(number);
    if (person === undefined || person.moved_to !== null) return undefined;
    return userId === userIdIn(wabaId, person) ? person : undefined;
  }
}

/** The person's user id in the portfolio of an account. */
export function userIdIn(wabaId: string, { number, renewed }: Person): string {
  return userIdOf(number, wabaId, renewed);
}

/** The profile in webhooks. A username is shown in some of them only. */
export function profileOf(person: Person, showsUsername = true): { name: string; username?: string } {
  const { name, username, number } = person;
  const shown = name ?? username?.slice(1) ?? `+${number}`;
  return { name: shown, ...(showsUsername && username !== null ? { username } : {}) };
}
