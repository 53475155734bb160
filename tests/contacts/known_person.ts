import { claim, enqueue, eventOf, finish, report } from "../setup/fixtures/queue.ts";
import { type Contacts, minutesFromNow, suppress } from "./with_contacts.ts";

/** The first number that `enqueue` writes to, and a user id of the same person. */
export const NUMBER = "59171000100";
export const USER_ID = "ES.1349aBc";
/** An alias of the same number. */
export const ALIAS = "591971000100";
/** Another person, whom the same campaigns write to. */
export const OTHER = "59171000101";

/** The tables that hold something about a person. */
export const PERSONAL_TABLES = [
  "user_ids",
  "suppressions",
  "consents",
  "contact_messages",
  "marketing_cooldowns",
]
  .concat("marketing_sends", "number_aliases");

/** Inserts a message from or to a person. */
export async function insertMessage(
  { sql, company }: Pick<Contacts, "sql" | "company">,
  message: Record<string, unknown> = {},
): Promise<void> {
  const row = {
    company_id: company.id,
    id: crypto.randomUUID(),
    sender_id: company.sender.id,
    direction: "in",
    number: NUMBER,
    kind: "text",
    text: "Thank you",
    status: "received",
    at: minutesFromNow(0),
    ...message,
  };
  await sql`insert into outbound.contact_messages ${sql(row)}`;
}

/** Lets a company know a person, and another one, in every way there is. Returns the person's notification ids. */
export async function insertKnownPerson(t: Contacts): Promise<string[]> {
  const { sql, company } = t;
  const { ids } = await enqueue(sql, company, { count: 2, type: "marketing" });
  await finish(sql, await claim(sql), { outcome: "sent" });
  await report(sql, [eventOf(company.id, ids[0]!, "delivered")]);
  await sql`select outbound.link_user_id(${company.id}, ${USER_ID}, ${NUMBER}, '@ana', now())`;
  for (const [number, index] of [[NUMBER, 0], [OTHER, 1]] as const) {
    await suppress(t, { number, evidence: { text: "BAJA" } });
    await sql`insert into outbound.marketing_cooldowns (company_id, address, until) values (${company.id}, ${number}, now())`;
    await sql`
      insert into outbound.marketing_sends (company_id, address, notification_id, channel, day)
      values (${company.id}, ${number}, ${ids[index]!}, 'whatsapp', now())`;
    await sql`
      insert into outbound.number_aliases (company_id, number, platform_number)
      values (${company.id}, ${number === NUMBER ? ALIAS : "591971000101"}, ${number})`;
    await insertMessage(t, { number });
    await t.ask("POST", "consents", {
      consents: [{
        number,
        channel: "voice",
        status: "granted",
        method: "paper",
        consented_at: minutesFromNow(-1),
      }],
    });
  }
  await insertMessage(t, { number: null, user_id: USER_ID, text: "And thank you" });
  return [ids[0]!];
}
