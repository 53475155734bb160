import assert from "node:assert/strict";
import type { JsonObject } from "../../../setup/http.ts";
import { eventually } from "../../../setup/eventually.ts";
import { NUMBER_ID, useTemplate, withHooks } from "../with_platform.ts";
import { ANA, type TestPeople, withPeople } from "./with_people.ts";

const TEXT = { type: "text", template: undefined, text: { body: "Hello" } };

/** The person's phone without the messages that it got, whose times are not kept to the millisecond. */
async function phone({ control }: TestPeople): Promise<JsonObject> {
  const { messages: _messages, ...phone } = (await control("GET", `phones/${ANA}`)).body;
  return phone;
}

Deno.test("journal: what people did, their messages, files and the open window are there after a restart", async () => {
  const directory = await Deno.makeTempDir({ prefix: "sandbox_people_" });
  try {
    await withHooks(async (hooks) => {
      let before: JsonObject = {};
      let file = "";
      await withPeople(async (people) => {
        await people.send();
        await people.act(ANA, "messages", { type: "image", caption: "Look" });
        await people.act(ANA, "hide", { username: "ana" });
        await people.act(ANA, "stop");
        await people.act(ANA, "renew");
        await people.act("573001112244", "block", { phone_number_id: NUMBER_ID });
        await eventually(async () => {
          const { webhooks } = (await people.control("GET", "stats")).body;
          assert.deepEqual([webhooks.pending, people.hooks.statuses().length], [0, 3]);
        });
        before = await phone(people);
        file = people.changes("messages").flatMap(({ messages = [] }) => messages)[0].image.id;
      }, { directory, hooks });
      hooks.received.length = 0;

      await withPeople(async (people) => {
        assert.deepEqual(await phone(people), before);
        assert.equal((await people.call("GET", `/${file}`)).body.mime_type, "image/png");
        assert.equal(people.hooks.received.length, 0, "nothing is reported twice");
        await people.send(TEXT);
        await people.send({ template: useTemplate("offer") });
        await people.send({ to: "+573001112244" });
        const reported = await people.statuses(5);
        assert.deepEqual(reported.flatMap(({ errors = [] }) => errors).map(({ code }) => code).sort(), [
          131026,
          131050,
        ]);
      }, { directory, hooks });
    });
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("journal: a reply whose webhook was not delivered is reported after a restart", async () => {
  const directory = await Deno.makeTempDir({ prefix: "sandbox_people_" });
  try {
    await withHooks(async (hooks) => {
      hooks.status = 500;
      await withPeople(async (people) => {
        await people.act(ANA, "messages", { type: "text", text: "STOP", phone_number_id: NUMBER_ID });
        await eventually(() => assert.ok(hooks.received.length > 0));
      }, { directory, hooks });
      hooks.received.length = 0;
      hooks.status = 200;

      await withPeople(async (people) => {
        await eventually(() => assert.equal(people.changes("messages").length, 1));
        assert.equal(people.changes("messages")[0]!.messages[0].text.body, "STOP");
      }, { directory, hooks });
    });
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("DELETE /sandbox/messages deletes replies and closes the windows, and people stay as they are", async () => {
  const directory = await Deno.makeTempDir({ prefix: "sandbox_people_" });
  try {
    await withHooks(async (hooks) => {
      await withPeople(async (people) => {
        await people.act(ANA, "messages", { type: "text", text: "Hi", phone_number_id: NUMBER_ID });
        await people.act(ANA, "stop");
        await people.control("DELETE", "messages");

        await people.send(TEXT);

        assert.equal((await people.statuses(1))[0]!.errors[0].code, 131047);
      }, { directory, hooks });

      await withPeople(async (people) => {
        const { inbound, stopped } = (await people.control("GET", `phones/${ANA}`)).body;
        assert.deepEqual([inbound, stopped], [[], [NUMBER_ID]]);
      }, { directory, hooks });
    });
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
