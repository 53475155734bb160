import assert from "node:assert/strict";
import { ANA, receive, secondsAgo, suppressionsOf } from "../webhooks/inbound.ts";
import { type Contacts, minutesFromNow, suppress, withContacts } from "./with_contacts.ts";

const BOTH = { wa_id: ANA.number, user_id: ANA.user_id };

async function consentsOf({ sql }: Contacts): Promise<unknown[]> {
  return [
    ...await sql`select distinct channel, category, status, method, source from outbound.consents`,
  ];
}

Deno.test("an opt-in word of a person who had not opted out is a message like any other", async (test) => {
  for (const word of ["Start", "ALTA"]) {
    await test.step(word, () =>
      withContacts(async (t) => {
        await receive(t, t.company.sender, word, BOTH);

        assert.deepEqual(await consentsOf(t), []);
        assert.deepEqual(await suppressionsOf(t.sql, t.company.id), []);
      }));
  }
});

Deno.test("an opt-in word lifts the person's own opt-outs, and nothing that others recorded", async (test) => {
  for (const source of ["api", "import", "operator", "platform"]) {
    for (const own of ["keyword", "button", null]) {
      await test.step(`${source} beside ${own ?? "none of the person's own"}`, () =>
        withContacts(async (t) => {
          for (const channel of ["any", "whatsapp"]) {
            await suppress(t, { number: ANA.number, channel, source });
          }
          if (own !== null) await suppress(t, { number: ANA.number, source: own });

          await receive(t, t.company.sender, "start");

          const current = (await suppressionsOf(t.sql, t.company.id)).filter((line) =>
            !line.endsWith("lifted")
          );
          assert.deepEqual(current.sort(), [
            `${ANA.number} any marketing ${source}`,
            `${ANA.number} whatsapp marketing ${source}`,
          ]);
          assert.deepEqual(
            await consentsOf(t),
            own === null ? [] : [{
              channel: "whatsapp",
              category: "marketing",
              status: "granted",
              method: "message",
              source: "keyword",
            }],
          );
        }));
    }
  }
});

Deno.test("an opt-in word lifts the person's own opt-out from calls too, and is no consent to them", () =>
  withContacts(async (t) => {
    await suppress(t, { number: ANA.number, channel: "voice" });

    await receive(t, t.company.sender, "start");

    assert.deepEqual(await suppressionsOf(t.sql, t.company.id), [
      `${ANA.number} voice marketing keyword lifted`,
    ]);
    const [consent] = await t.sql`select channel from outbound.consents`;
    assert.equal(consent!.channel, "whatsapp");
  }));

Deno.test("an opt-out that comes late changes nothing if an opt-in lifted one after it", () =>
  withContacts(async (t) => {
    await suppress(t, { number: ANA.number, at: minutesFromNow(-10) });

    await receive(t, t.company.sender, "START");
    await receive(t, t.company.sender, { text: { body: "STOP" }, timestamp: secondsAgo(60) });

    assert.deepEqual(await suppressionsOf(t.sql, t.company.id), [
      `${ANA.number} any marketing keyword lifted`,
    ]);
  }));
