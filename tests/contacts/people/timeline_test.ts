import assert from "node:assert/strict";
import { uuidv7 } from "../../../supabase/functions/_shared/values/uuid.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { insertKnownPerson, NUMBER, USER_ID } from "../known_person.ts";
import { type People, withPeople } from "./with_people.ts";

/** A person who is known in every way, whose notification has an id as the API gives it. */
async function insertPerson(t: People): Promise<string> {
  const [id] = await insertKnownPerson(t);
  const ours = uuidv7();
  await t.sql`update outbound.notification_facts set id = ${ours} where id = ${id!}`;
  return ours;
}

async function readAll({ manage }: People, contactId: string, limit: string): Promise<JsonObject[]> {
  const entries: JsonObject[] = [];
  for (let after: string | null = ""; after !== null;) {
    const { status, body }: { status: number; body: JsonObject } = await manage(
      "GET",
      `contacts/${contactId}/timeline`,
      undefined,
      { limit, ...(after && { after }) },
    );
    assert.equal(status, 200, JSON.stringify(body));
    entries.push(...body.entries);
    after = body.next;
  }
  return entries;
}

Deno.test("a timeline shows all that happened with a person, newest first, the same by any page size", () =>
  withPeople(async (t) => {
    const id = await insertPerson(t);
    const { body: { contact: { contact_id } } } = await t.manage("GET", "contacts/person", undefined, {
      number: NUMBER,
    });
    await t.manage("PUT", `contacts/${contact_id}`, { name: "Ana" });

    const entries = await readAll(t, contact_id, "100");

    const kinds = Object.groupBy(entries, ({ kind }) => kind);
    assert.deepEqual(Object.fromEntries(Object.entries(kinds).map(([kind, list]) => [kind, list!.length])), {
      ...{ notification: 1, message: 2, chat: 1, opt_out: 2, consent: 3, change: 1 },
    });
    const [{ id: notificationId, notification }] = kinds.notification as [JsonObject];
    assert.deepEqual([notificationId, notification.status, notification.address], [id, "delivered", NUMBER]);
    assert.match(notification.rendered.body, /Ana/);
    assert.deepEqual(notification.attempts.map(({ outcome }: JsonObject) => outcome), ["sent"]);
    assert.deepEqual(kinds.message!.map(({ message }) => message.text).toSorted(), [
      "And thank you",
      "Thank you",
    ]);
    assert.equal(kinds.change![0]!.change.action, "contact.updated");
    assert.deepEqual(entries.map(({ at }) => at), entries.map(({ at }) => at).toSorted().toReversed());
    for (const limit of ["1", "2", "3"]) {
      assert.deepEqual(await readAll(t, contact_id, limit), entries, limit);
    }
  }));

Deno.test("a timeline reads people by their user id too, and refuses a cursor that is none", () =>
  withPeople(async (t) => {
    await insertPerson(t);
    await t.sql`delete from outbound.contacts`;
    const { body: made } = await t.manage("POST", "contacts", {
      addresses: [{ kind: "user_id", address: USER_ID }],
    });

    assert.equal((await readAll(t, made.contact_id, "100")).length, 9);
    const path = `contacts/${made.contact_id}/timeline`;
    for (const after of ["x", made.contact_id, "2026-99-99T00:00:00.000000Z_" + made.contact_id]) {
      assert.equal((await t.manage("GET", path, undefined, { after })).status, 400, after);
    }
    assert.equal((await t.manage("GET", `contacts/${crypto.randomUUID()}/timeline`)).status, 404);
  }));
