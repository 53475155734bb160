import type { ContactAddress, Person } from "../../../supabase/functions/_shared/people/person.ts";

/** A contact of the model. Its addresses are `kind address`. */
export interface KnownPerson {
  addresses: Set<string>;
  name: string | null;
  tags: string[];
  attributes: Record<string, unknown>;
}

export interface ModelOutcome {
  /** Null: erased. */
  person: KnownPerson | null;
  created: boolean;
  changed: boolean;
}

const REACHED = ["number", "user_id"];

/**
 * The meaning of `outbound.learn_contacts`, one person after the other.
 *
 * @param others the alias or the linked user id of a number, and back, as `kind address`
 */
export function createLearnModel(others: Map<string, string>, erased: ReadonlySet<string>) {
  const people: KnownPerson[] = [];

  function peopleOf(addresses: ContactAddress[]): KnownPerson[] {
    const own = addresses.map(({ kind, address }) => `${kind} ${address}`);
    const all = [...own, ...own.flatMap((address) => others.get(address) ?? [])];
    return [...new Set(all.flatMap((address) => people.find((each) => each.addresses.has(address)) ?? []))];
  }

  function personAmong(found: KnownPerson[], addresses: ContactAddress[]): KnownPerson | undefined {
    const reached = addresses.filter(({ kind }) => REACHED.includes(kind));
    if (reached.length === 0 || reached.length === addresses.length) return found[0];
    const isReached = ({ addresses }: KnownPerson) =>
      [...addresses].some((address) => REACHED.includes(address.split(" ")[0]!));
    return peopleOf(reached)[0] ?? found.find((each) => !isReached(each));
  }

  function learn(person: Person, source: string): ModelOutcome {
    const { addresses, name, tags = [], attributes = {}, overwrite = false, hashes = [] } = person;
    let known = personAmong(peopleOf(addresses), addresses);
    const created = known === undefined;
    if (known === undefined) {
      if (source === "send" && hashes.some((hash) => erased.has(hash))) {
        return { person: null, created: false, changed: false };
      }
      known = { addresses: new Set(), name: null, tags: [], attributes: {} };
      people.push(known);
    }
    const before = JSON.stringify([...known.addresses, known.name, known.tags, known.attributes]);
    known.name = overwrite ? name ?? known.name : known.name ?? name ?? null;
    known.tags = [...new Set([...known.tags, ...tags])].toSorted();
    const filled = overwrite
      ? { ...known.attributes, ...attributes }
      : { ...attributes, ...known.attributes };
    known.attributes = Object.fromEntries(Object.entries(filled).toSorted());
    for (const { kind, address } of addresses) {
      const text = `${kind} ${address}`;
      if (!people.some((each) => each.addresses.has(text))) known.addresses.add(text);
    }
    const after = JSON.stringify([...known.addresses, known.name, known.tags, known.attributes]);
    return { person: known, created, changed: created || after !== before };
  }

  return { people, learn };
}
