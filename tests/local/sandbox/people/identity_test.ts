import assert from "node:assert/strict";
import { eventually } from "../../../setup/eventually.ts";
import type { JsonObject } from "../../../setup/http/http.ts";
import { userIdOf } from "../../../../local/sandbox/people/user_id.ts";
import { NUMBER_ID, useTemplate } from "../with_platform.ts";
import { ANA, type TestPeople, withPeople } from "./with_people.ts";

const NEW_NUMBER = "34600000009";

/** The system messages that were reported. */
function systemMessages(people: TestPeople): JsonObject[] {
  return people.changes("messages").flatMap(({ messages = [] }) => messages)
    .filter(({ type }: JsonObject) => type === "system");
}

Deno.test("a person has the number as name until the profile has another", () =>
  withPeople(async (people) => {
    await people.act(ANA, "rename", { name: "Ana" });
    await people.act(ANA, "hide", { username: "ana.m" });

    await people.act(ANA, "messages", { type: "text", text: "Hi", phone_number_id: NUMBER_ID });

    await eventually(() => assert.equal(people.changes("messages").length, 1));
    assert.deepEqual(people.changes("messages")[0]!.contacts[0].profile, { name: "Ana", username: "@ana.m" });
  }));

Deno.test("a person shows the number again", () =>
  withPeople(async (people) => {
    assert.equal((await people.act(ANA, "hide")).username, "@user.2233");

    assert.equal((await people.act(ANA, "show")).username, null);

    await people.sendTo(await people.userId());
    assert.ok((await people.statuses(3)).every(({ recipient_id }) => recipient_id === ANA));
  }));

Deno.test("a person gets another user id: it is reported, and the old one has no person", () =>
  withPeople(async (people) => {
    await people.send();
    const before = await people.userId();

    const { user_ids } = await people.act(ANA, "renew");

    const after = user_ids["1000"];
    assert.notEqual(after, before);
    await eventually(() => assert.equal(systemMessages(people).length, 1));
    const [{ user_id_update: [update], contacts: [contact] }] = people.changes("user_id_update") as [
      JsonObject,
    ];
    assert.deepEqual([update.user_id, update.wa_id], [{ previous: before, current: after }, ANA]);
    assert.deepEqual([contact.user_id, contact.wa_id], [after, ANA]);
    assert.deepEqual(systemMessages(people)[0]!.system, {
      body: `User ${ANA} changed from ${before} to ${after}`,
      user_id: after,
      type: "user_changed_user_id",
    });
    assert.equal((await people.sendTo(before)).body.error.code, 131026);
    assert.equal((await people.sendTo(after)).status, 200);
  }));

Deno.test("a person moves to another number: it is reported, the old one has no person, the choices stay", () =>
  withPeople(async (people) => {
    await people.send();
    const before = await people.userId();
    await people.act(ANA, "stop");

    const moved = await people.act(ANA, "move", { to: `+${NEW_NUMBER}` });

    assert.deepEqual([moved.number, moved.stopped], [NEW_NUMBER, [NUMBER_ID]]);
    const after = moved.user_ids["1000"];
    assert.match(after, /^ES\./);
    assert.notEqual(after, userIdOf(NEW_NUMBER, "1000"));
    await eventually(() => assert.equal(systemMessages(people).length, 1));
    const [message] = systemMessages(people);
    assert.deepEqual([message!.from, message!.from_user_id], [ANA, before]);
    assert.deepEqual(message!.system, {
      body: `User ${ANA} changed from ${ANA} to ${NEW_NUMBER}`,
      wa_id: NEW_NUMBER,
      user_id: after,
      type: "user_changed_number",
    });
    const [{ user_id_update: [update] }] = people.changes("user_id_update") as [JsonObject];
    assert.deepEqual(update.user_id, { previous: before, current: after });

    assert.equal((await people.sendTo(before)).body.error.code, 131026);
    await people.send();
    await people.send({ to: `+${NEW_NUMBER}`, template: useTemplate("offer") });
    await people.sendTo(after);
    await eventually(async () => {
      const { data } = (await people.control("GET", "messages")).body;
      const last = data.map(({ statuses }: JsonObject) =>
        statuses.at(-1)?.error?.code ?? statuses.at(-1)?.status
      );
      assert.deepEqual(last, ["read", 131026, 131050, "read"]);
    });
    const refused = await people.control("POST", `phones/${ANA}/messages`, { type: "text", text: "Hi" });
    assert.deepEqual([refused.status, refused.body.error], [409, `+${ANA} is now +${NEW_NUMBER}`]);
  }));

const BAD: { action: string; body: JsonObject; status: number }[] = [
  { action: "hide", body: { username: "A B" }, status: 400 },
  { action: "move", body: {}, status: 400 },
  { action: "move", body: { to: "12" }, status: 400 },
  { action: "move", body: { to: ANA }, status: 409 },
  { action: "show", body: { username: "ana" }, status: 400 },
  { action: "stop", body: {}, status: 409 },
  { action: "block", body: { phone_number_id: "9" }, status: 404 },
];

for (const { action, body, status } of BAD) {
  Deno.test(`POST /sandbox/phones/{number}/${action} refuses ${JSON.stringify(body)} with ${status}`, () =>
    withPeople(async ({ control }) => {
      assert.equal((await control("POST", `phones/${ANA}/${action}`, body)).status, status);
    }));
}
