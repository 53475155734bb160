import type { Journal } from "../journal/journal.ts";
import { type Person, userIdIn } from "./person.ts";
import { maskedNumber } from "./user_id.ts";

/** All people. A person without changes is not stored, so any number of phones needs no memory. */
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

  /** The person with this user id in the portfolio of an account; undefined when no person has it, or no longer. */
  find(userId: string, wabaId: string): Person | undefined {
    const number = maskedNumber(userId, wabaId);
    const person = number === undefined ? undefined : this.at(number);
    if (person === undefined || person.moved_to !== null) return undefined;
    return userId === userIdIn(wabaId, person) ? person : undefined;
  }
}
