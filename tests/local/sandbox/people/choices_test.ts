import assert from "node:assert/strict";
import { eventually } from "../../../setup/eventually.ts";
import type { JsonObject } from "../../../setup/http/http.ts";
import { NUMBER_ID, OTHER_NUMBER_ID, OTHER_TOKEN, sendBody, useTemplate } from "../with_platform.ts";
import { ANA, type TestPeople, withPeople } from "./with_people.ts";

const offer = { template: useTemplate("offer") };

/** The last status of each message so far, by its code or its name. */
async function fates({ control }: TestPeople): Promise<unknown[]> {
  const { data } = (await control("GET", "messages")).body;
  return data.map(({ statuses }: JsonObject) => statuses.at(-1)?.error?.code ?? statuses.at(-1)?.status);
}

Deno.test("a person stops promotions: a webhook says so, and marketing is accepted, then fails with 131050", () =>
  withPeople(async (people) => {
    await people.send(offer);
    await people.statuses(3);

    const phone = await people.act(ANA, "stop");

    assert.deepEqual(phone.stopped, [NUMBER_ID]);
    await eventually(() => assert.equal(people.changes("user_preferences").length, 1));
    const [{ user_preferences: [{ timestamp, ...preference }], ...value }] = people.changes(
      "user_preferences",
    ) as [JsonObject];
    const user_id = await people.userId();
    assert.equal(Number.isInteger(timestamp), true);
    assert.deepEqual(preference, {
      wa_id: ANA,
      user_id,
      detail: "User requested to stop marketing messages",
      category: "marketing_messages",
      value: "stop",
    });
    assert.deepEqual(value, {
      messaging_product: "whatsapp",
      metadata: { display_phone_number: "15550001111", phone_number_id: NUMBER_ID },
      contacts: [{ profile: { name: `+${ANA}` }, wa_id: ANA, user_id }],
    });
    assert.equal((await people.send(offer)).status, 200);
    await people.send();
    await eventually(async () => assert.deepEqual(await fates(people), ["read", 131050, "read"]));
  }));

Deno.test("a person resumes promotions, at a later time even within one second", () =>
  withPeople(async (people) => {
    await people.send();
    await people.act(ANA, "stop");

    assert.deepEqual((await people.act(ANA, "resume")).stopped, []);

    await eventually(() => assert.equal(people.changes("user_preferences").length, 2));
    const [stop, resume] = people.changes("user_preferences").map(({ user_preferences }) =>
      user_preferences[0]
    )
      .sort((one, other) => one.timestamp - other.timestamp);
    assert.deepEqual([stop!.value, resume!.value], ["stop", "resume"]);
    assert.ok(stop!.timestamp < resume!.timestamp);
    await people.send(offer);
    await eventually(async () => assert.deepEqual(await fates(people), ["read", "read"]));
  }));

Deno.test("a person who stops one business still gets the promotions of another", () =>
  withPeople(async (people) => {
    const { call, control } = people;
    await control("POST", "accounts", {
      wabaId: "1001",
      token: OTHER_TOKEN,
      numbers: [{ phoneNumberId: OTHER_NUMBER_ID, displayNumber: "15550002222", verifiedName: "Other" }],
      templates: [{
        name: "offer",
        language: "en_US",
        category: "MARKETING",
        status: "APPROVED",
        components: [{ type: "BODY", text: "Buy." }],
      }],
    });
    await people.act(ANA, "stop", { phone_number_id: NUMBER_ID });

    await call("POST", `/${OTHER_NUMBER_ID}/messages`, { token: OTHER_TOKEN, body: sendBody(offer) });

    await eventually(async () => assert.deepEqual(await fates(people), ["read"]));
  }));

Deno.test("a person who hides the number is named by the user id alone in preferences", () =>
  withPeople(async (people) => {
    await people.act(ANA, "hide");
    await people.act(ANA, "stop", { phone_number_id: NUMBER_ID });

    await eventually(() => assert.equal(people.changes("user_preferences").length, 1));
    const [{ user_preferences: [preference], contacts: [contact] }] = people.changes("user_preferences") as [
      JsonObject,
    ];
    assert.deepEqual([preference.wa_id, contact.wa_id], [undefined, undefined]);
    assert.equal(preference.user_id, await people.userId());
  }));

Deno.test("a person who blocks a number gets nothing from it and does not write to it", () =>
  withPeople(async (people) => {
    await people.act(ANA, "block", { phone_number_id: NUMBER_ID });

    await people.send();
    await people.sendTo(await people.userId());

    await eventually(async () => assert.deepEqual(await fates(people), [131026, 131026]));
    const refused = await people.control("POST", `phones/${ANA}/messages`, { type: "text", text: "Hi" });
    assert.equal(refused.status, 409);

    assert.deepEqual((await people.act(ANA, "unblock")).blocked, []);
    await people.send();
    await eventually(async () => assert.deepEqual(await fates(people), [131026, 131026, "read"]));
  }));

Deno.test("a fault limits the marketing to one person with 131049, and nothing else", () =>
  withPeople(async (people) => {
    await people.control("POST", "faults", {
      match: { to: ANA, category: "MARKETING" },
      fault: { webhook_error: 131049 },
    });

    await people.send(offer);
    await people.send();
    await people.send({ to: "+573001112244", ...offer });

    await eventually(async () => assert.deepEqual(await fates(people), [131049, "read", "read"]));
  }));
