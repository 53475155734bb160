import assert from "node:assert/strict";
import { userIdOf } from "../../../../local/sandbox/people/user_id.ts";
import type { JsonObject } from "../../../setup/http/http.ts";
import { APP_SECRET, button, sendBody, textBody, useTemplate } from "../with_platform.ts";
import { createHmac } from "node:crypto";
import { ANA, type TestPeople, withPeople } from "./with_people.ts";

Deno.test("POST /messages to a user id responds with the user id alone and reaches the phone", () =>
  withPeople(async ({ sendTo, userId, control }) => {
    const id = await userId();

    const { status, body } = await sendTo(id);

    assert.deepEqual([status, body.contacts], [200, [{ input: id, user_id: id }]]);
    const [message] = (await control("GET", `messages?to=${ANA}`)).body.data;
    assert.deepEqual([message.id, message.user_id, message.by_user_id], [body.messages[0].id, id, true]);
  }));

Deno.test("POST /messages to a number and a user id goes to the number", () =>
  withPeople(async ({ send, control }) => {
    const { body } = await send({ recipient: userIdOf("34600000001", "1000") });

    assert.deepEqual(body.contacts, [{ input: `+${ANA}`, wa_id: ANA }]);
    assert.equal((await control("GET", `messages?to=${ANA}`)).body.data.length, 1);
  }));

Deno.test("POST /messages to neither responds with the platform's sentence", () =>
  withPeople(async ({ post }) => {
    const { to: _to, ...body } = sendBody();

    const { error } = (await post(body)).body;

    assert.equal(error.message, "(#100) The parameter to is required.");
  }));

interface Refusal {
  case: string;
  recipient: (people: TestPeople) => Promise<string> | string;
  changes?: JsonObject;
  code: number;
}

const REFUSALS: Refusal[] = [
  { case: "a user id that no person has", recipient: () => "ES.1349", code: 131026 },
  {
    case: "a user id of another account's portfolio",
    recipient: () => userIdOf(ANA, "1001"),
    code: 131026,
  },
  {
    case: "a user id in small letters",
    recipient: async (people) => (await people.userId()).toLowerCase(),
    code: 131009,
  },
  { case: "a number as user id", recipient: () => ANA, code: 131009 },
  {
    case: "an authentication template to a user id",
    recipient: (people) => people.userId(),
    changes: {
      template: useTemplate("code", [textBody("123456"), button("url", 0, { type: "text", text: "123456" })]),
    },
    code: 131062,
  },
];

for (const { case: what, recipient, changes, code } of REFUSALS) {
  Deno.test(`POST /messages refuses ${what} with ${code}`, () =>
    withPeople(async (people) => {
      const answer = await people.sendTo(await recipient(people), changes);

      assert.deepEqual([answer.status, answer.body.error.code], [400, code], JSON.stringify(answer.body));
    }));
}

Deno.test("an authentication template to a number is accepted", () =>
  withPeople(async ({ send }) => {
    const { changes } = REFUSALS.at(-1)!;

    assert.equal((await send(changes)).status, 200);
  }));

interface Reported {
  case: string;
  /** Of a person with a username, who hides the number. */
  hidden: boolean;
  byUserId: boolean;
  /** `wa_id` of the contact and `recipient_id` of the status are there. */
  showsNumber: boolean;
}

const REPORTED: Reported[] = [
  { case: "a number", hidden: false, byUserId: false, showsNumber: true },
  { case: "a hidden number", hidden: true, byUserId: false, showsNumber: true },
  { case: "a user id", hidden: false, byUserId: true, showsNumber: true },
  { case: "a user id of a hidden number", hidden: true, byUserId: true, showsNumber: false },
];

for (const { case: what, hidden, byUserId, showsNumber } of REPORTED) {
  Deno.test(`statuses of a message to ${what} name the user id, and the number: ${showsNumber}`, () =>
    withPeople(async (people) => {
      if (hidden) await people.act(ANA, "hide", { username: "ana" });
      const id = await people.userId();

      await (byUserId ? people.sendTo(id) : people.send());

      for (const { status, recipient_id, recipient_user_id } of await people.statuses(3)) {
        assert.deepEqual([recipient_id, recipient_user_id], [showsNumber ? ANA : undefined, id], status);
      }
      for (const value of people.changes("messages")) {
        const [contact] = value.contacts;
        assert.equal(value.contacts.length, 1);
        assert.deepEqual([contact.wa_id, contact.user_id], [showsNumber ? ANA : undefined, id]);
      }
      const hooks = JSON.stringify(people.hooks.received.map(({ body }) => body));
      assert.equal(hooks.includes("@ana"), hidden);
      assert.equal(hooks.includes(ANA), showsNumber);
    }));
}

for (const byUserId of [false, true]) {
  Deno.test(`a failure of a send to ${byUserId ? "a user id names it" : "a number has no user id"} and no contacts`, () =>
    withPeople(async (people) => {
      const failing = "573001110000";
      const id = await people.userId(failing);

      await (byUserId ? people.sendTo(id) : people.send({ to: failing }));

      const [status] = await people.statuses(1);
      assert.deepEqual([status!.status, status!.recipient_id], ["failed", failing]);
      assert.equal(status!.recipient_user_id, byUserId ? id : undefined);
      assert.equal("contacts" in people.changes("messages")[0]!, false);
    }));
}

Deno.test("webhooks of people are signed over their raw bytes", () =>
  withPeople(async (people) => {
    await people.send();
    await people.statuses(3);
    await people.act(ANA, "messages", { type: "text", text: "ñ €" });
    await people.act(ANA, "stop");

    for (const { bytes, signature } of people.hooks.received) {
      assert.equal(signature, `sha256=${createHmac("sha256", APP_SECRET).update(bytes).digest("hex")}`);
    }
  }));
