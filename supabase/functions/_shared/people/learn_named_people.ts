import { erasedHashesOf } from "../contacts/erasure.ts";
import { learnContacts } from "../db/people/contacts.ts";
import { inTransaction } from "../db/driver/in_transaction.ts";
import { takeNamedPeople, type TakenPerson } from "../db/people/named_people.ts";
import { describeError } from "../log.ts";
import type { Services } from "../services.ts";
import type { ContactAddress, Person } from "./person.ts";

const PEOPLE_PER_BATCH = 500;

/** Makes contacts of the people whom requests and the platform have named, of companies that learn them. */
export async function learnNamedPeople(services: Pick<Services, "sql" | "sealer" | "log">): Promise<void> {
  while (await learnBatch(services) === PEOPLE_PER_BATCH);
}

async function learnBatch(
  { sql, sealer, log }: Pick<Services, "sql" | "sealer" | "log">,
): Promise<number> {
  return await inTransaction(sql, async (on) => {
    const taken = await takeNamedPeople(on, PEOPLE_PER_BATCH);
    const groups = Map.groupBy(taken, ({ company_id, source }) => `${company_id} ${source}`);
    // In one order, as every transaction that locks the people of several companies.
    for (const key of [...groups.keys()].toSorted()) {
      await on`savepoint group_of_people`;
      try {
        await learnGroup({ sql: on, sealer }, groups.get(key)!);
      } catch (error) {
        // Its people are dropped: they would keep those of all other companies waiting.
        await on`rollback to savepoint group_of_people`;
        log.error("people could not be learned", { group: key, ...describeError(error) });
      }
    }
    return taken.length;
  });
}

async function learnGroup(
  { sql, sealer }: Pick<Services, "sql" | "sealer">,
  group: TakenPerson[],
): Promise<void> {
  const { company_id: companyId, source } = group[0]!;
  const hashesOf = await erasedHashesOf({ sql, sealer }, companyId);
  const people = group.map((each) => ({ ...personOf(each), hashes: hashesOf(each) }));
  await learnContacts(sql, companyId, people, source);
}

function personOf({ number, user_id: userId, person: { email, ...person } }: TakenPerson): Person {
  const addresses: ContactAddress[] = [];
  if (number !== null) addresses.push({ kind: "number", address: number });
  if (userId !== null) addresses.push({ kind: "user_id", address: userId });
  if (email !== undefined) addresses.push({ kind: "email", address: email });
  return { ...person, addresses };
}
