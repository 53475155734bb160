import type postgres from "postgres";
import { insertWidget } from "../setup/fixtures/widgets.ts";
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
  await insertContact(t);
  return [ids[0]!];
}

/** The contact of that person, with a chat on the website and a place in a list, and that of the other one. */
async function insertContact(t: Contacts): Promise<void> {
  const { sql, company } = t;
  const person = {
    ...{ name: "Ana Ruiz", tags: ["vip"], attributes: { city: "Madrid" } },
    addresses: [{ kind: "number", address: NUMBER }, { kind: "email", address: "ana@acme.test" }],
  };
  const other = { name: "Luis", addresses: [{ kind: "number", address: OTHER }] };
  const [contact] = await sql`
    select contact_id as id from outbound.learn_contacts(${company.id}, ${
    sql.json([person, other])
  }, 'import')`;
  await insertMembership(t, contact!.id);
  await sql`insert into outbound.named_people (company_id, number, person, source)
    values (${company.id}, ${NUMBER}, '{"name": "Ana Ruiz"}', 'send')`;
  await insertChat(t, contact!.id, { text: "My name is Ana Ruiz", note: "Ana Ruiz is angry" });
  await insertHandoff(t, { name: "Ana Ruiz", number: `00${NUMBER.slice(0, 3)} (${NUMBER.slice(3)})` });
}

/** Inserts what a visitor of a voice widget left for the member who takes over. */
async function insertHandoff({ sql, company }: Contacts, contact: Record<string, string>): Promise<void> {
  const widget = await insertWidget(sql as unknown as postgres.Sql, company.id, { kind: "voice" });
  await sql`
    select outbound.request_handoff(${company.id}, gen_random_uuid(), ${widget.id}, gen_random_uuid(), 'conv_1',
      ${`${contact.name} asks`}, ${sql.json(contact)}, 'room')`;
}

/** Lets a company know a visitor of its website who has no number and no user id, in every way there is. */
export async function insertVisitor(t: Contacts): Promise<{ contactId: string; chatId: string }> {
  const { sql, company } = t;
  const visitor = {
    ...{ name: "Eva Gil", tags: ["eva-tag"], attributes: { street: "Calle Eva 7" } },
    addresses: [{ kind: "visitor", address: "customer-4711" }, { kind: "email", address: "eva@acme.test" }],
  };
  const [contact] = await sql`
    select contact_id as id from outbound.learn_contacts(${company.id}, ${sql.json([visitor])}, 'visitor')`;
  const contactId = contact!.id;
  await insertMembership(t, contactId);
  const chatId = await insertChat(t, contactId, { text: "Eva Gil writes", note: "Eva Gil is kind" });
  await insertHandoff(t, { name: "Eva Gil", email: "Eva@acme.test" });
  return { contactId, chatId };
}

async function insertMembership({ sql, company }: Contacts, contactId: string): Promise<void> {
  const list = crypto.randomUUID();
  await sql`insert into outbound.contact_lists (company_id, id, name, created_by)
    values (${company.id}, ${list}, ${list}, 'x')`;
  await sql`insert into outbound.contact_list_members (company_id, list_id, contact_id)
    values (${company.id}, ${list}, ${contactId})`;
}

/** Inserts a chat of a contact on the website: what the visitor wrote, and what a member noted. Returns its id. */
async function insertChat(
  { sql, company }: Contacts,
  contactId: string,
  { text, note }: { text: string; note: string },
): Promise<string> {
  const widget = await insertWidget(sql as unknown as postgres.Sql, company.id);
  const [chat] = await sql`
    insert into outbound.conversations (company_id, widget_id, user_id, token_hash, contact_id)
    values (${company.id}, ${widget.id}, gen_random_uuid(), encode(sha256(${contactId}::bytea), 'hex'), ${contactId})
    returning id`;
  await sql`select outbound.add_message(${company.id}, ${chat!.id}, 'visitor', ${text}, null, '{}')`;
  await sql`insert into outbound.conversation_notes (company_id, id, conversation_id, actor, text)
    values (${company.id}, gen_random_uuid(), ${chat!.id}, 'x', ${note})`;
  return chat!.id;
}
