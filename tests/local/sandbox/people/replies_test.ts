import assert from "node:assert/strict";
import { eventually } from "../../../setup/eventually.ts";
import type { JsonObject } from "../../../setup/http/http.ts";
import { NUMBER_ID, OTHER_NUMBER_ID, useTemplate } from "../with_platform.ts";
import { ANA, type TestPeople, withPeople } from "./with_people.ts";

/** Sends a template, then the phone's message; returns the message in the webhook and its contact. */
async function reply(
  people: TestPeople,
  message: JsonObject,
): Promise<{ sent: string; message: JsonObject; contact: JsonObject }> {
  const sent = (await people.send({ template: useTemplate("offer") })).body.messages[0].id;
  await people.statuses(3);
  await people.act(ANA, "messages", message);
  const inbound = () => people.changes("messages").filter((value) => "messages" in value);
  await eventually(() => assert.equal(inbound().length, 1));
  const [value] = inbound();
  assert.deepEqual(value!.metadata, { display_phone_number: "15550001111", phone_number_id: NUMBER_ID });
  return { sent, message: value!.messages[0], contact: value!.contacts[0] };
}

interface Kind {
  case: string;
  body: JsonObject;
  /** The fields of the message besides ids and time. */
  expected: (sent: string) => JsonObject;
}

const context = (id: string) => ({ from: "15550001111", id });

const KINDS: Kind[] = [
  {
    case: "a text",
    body: { type: "text", text: "STOP" },
    expected: () => ({ type: "text", text: { body: "STOP" } }),
  },
  {
    case: "a text that answers a message",
    body: { type: "text", text: "Yes", context: "wamid.X" },
    expected: () => ({ type: "text", context: context("wamid.X"), text: { body: "Yes" } }),
  },
  {
    case: "a quick reply",
    body: { type: "button", text: "Stop promotions" },
    expected: (sent) => ({
      type: "button",
      context: context(sent),
      button: { payload: "Stop promotions", text: "Stop promotions" },
    }),
  },
  {
    case: "a location",
    body: { type: "location", latitude: 40.4, longitude: -3.7, name: "Home" },
    expected: () => ({ type: "location", location: { latitude: 40.4, longitude: -3.7, name: "Home" } }),
  },
  {
    case: "a contact card",
    body: { type: "contacts", name: "Tom", phone: "+34 600" },
    expected: () => ({
      type: "contacts",
      contacts: [{
        name: { formatted_name: "Tom", first_name: "Tom" },
        phones: [{ phone: "+34 600", wa_id: "34600", type: "CELL" }],
      }],
    }),
  },
  {
    case: "a reaction to the latest message",
    body: { type: "reaction", emoji: "👍" },
    expected: (sent) => ({ type: "reaction", reaction: { message_id: sent, emoji: "👍" } }),
  },
  {
    case: "a reaction taken back",
    body: { type: "reaction", emoji: "", message_id: "wamid.X" },
    expected: () => ({ type: "reaction", reaction: { message_id: "wamid.X" } }),
  },
];

for (const { case: what, body, expected } of KINDS) {
  Deno.test(`a phone sends ${what}`, () =>
    withPeople(async (people) => {
      const { sent, message, contact } = await reply(people, body);

      const { id, timestamp, from, from_user_id, ...rest } = message;
      assert.match(id, /^wamid\.\w+$/);
      assert.match(timestamp, /^\d{10}$/);
      assert.deepEqual(rest, expected(sent));
      assert.deepEqual([from, from_user_id], [ANA, await people.userId()]);
      assert.deepEqual(contact, { profile: { name: `+${ANA}` }, wa_id: ANA, user_id: await people.userId() });
    }));
}

Deno.test("a phone sends what the platform does not support", () =>
  withPeople(async (people) => {
    const { message } = await reply(people, { type: "unsupported" });

    assert.deepEqual([message.type, message.errors[0].code], ["unsupported", 131051]);
  }));

Deno.test("a quick reply has the payload that came with the message, and belongs to it", () =>
  withPeople(async (people) => {
    const withPayload = (payload: string) => ({
      template: useTemplate("offer", [{
        type: "button",
        sub_type: "quick_reply",
        index: 0,
        parameters: [{ type: "payload", payload }],
      }]),
    });
    const first = await people.send(withPayload("stop:1"));
    await people.send(withPayload("stop:2"));

    await people.act(ANA, "messages", {
      type: "button",
      text: "Stop promotions",
      context: first.body.messages[0].id,
    });
    await people.act(ANA, "messages", { type: "button", text: "Stop promotions" });

    await eventually(() => {
      const inbound = people.changes("messages").flatMap(({ messages = [] }) => messages);
      assert.deepEqual(inbound.map(({ button }) => button.payload), ["stop:1", "stop:2"]);
      assert.equal(inbound[0]!.context.id, first.body.messages[0].id);
    });
  }));

Deno.test("a person who hides the number is known by the user id and the username alone", () =>
  withPeople(async (people) => {
    await people.act(ANA, "hide", { username: "ana.m" });

    const { message, contact } = await reply(people, { type: "text", text: "Hi" });

    const id = await people.userId();
    assert.deepEqual([message.from, message.from_user_id], [undefined, id]);
    assert.deepEqual(contact, { profile: { name: "ana.m", username: "@ana.m" }, user_id: id });
  }));

interface Refusal {
  case: string;
  body: JsonObject;
  number?: string;
  status: number;
  error: RegExp;
}

const REFUSALS: Refusal[] = [
  { case: "no type", body: { text: "Hi" }, status: 400, error: /type/ },
  { case: "an empty text", body: { type: "text", text: "" }, status: 400, error: /text/ },
  {
    case: "a quick reply that no message has",
    body: { type: "button", text: "Open" },
    status: 409,
    error: /quick reply/,
  },
  {
    case: "a number that is none",
    body: { type: "text", text: "Hi" },
    number: "abc",
    status: 400,
    error: /phone number/,
  },
  { case: "no known business", body: { type: "text", text: "Hi" }, status: 409, error: /phone_number_id/ },
  {
    case: "an unknown business",
    body: { type: "text", text: "Hi", phone_number_id: "9" },
    status: 404,
    error: /number with this id/,
  },
  {
    case: "a picture that is a film",
    body: { type: "image", mime_type: "video/mp4", phone_number_id: NUMBER_ID },
    status: 400,
    error: /fit image/,
  },
];

for (const { case: what, body, number = ANA, status, error } of REFUSALS) {
  Deno.test(`POST /sandbox/phones/{number}/messages refuses ${what}`, () =>
    withPeople(async ({ control }) => {
      if (body.type === "button") body.phone_number_id = NUMBER_ID;

      const answer = await control("POST", `phones/${number}/messages`, body);

      assert.equal(answer.status, status, JSON.stringify(answer.body));
      assert.match(answer.body.error, error);
    }));
}

Deno.test("a phone writes to the number that wrote last, and GET /sandbox/phones/{number} shows it", () =>
  withPeople(async ({ act, send, control }) => {
    await act(ANA, "messages", { type: "text", text: "one", phone_number_id: OTHER_NUMBER_ID });
    await send();

    await act(ANA, "messages", { type: "text", text: "two" });

    const phone = (await control("GET", `phones/+${ANA}`)).body;
    const seen = phone.inbound.map(({ text, phone_number_id }: JsonObject) => [text, phone_number_id]);
    assert.deepEqual(seen, [["one", OTHER_NUMBER_ID], ["two", NUMBER_ID]]);
    assert.equal(phone.messages.length, 1);
    assert.deepEqual(Object.keys(phone.user_ids), ["1000", "1001"]);
    const [listed] = (await control("GET", "phones")).body.phones;
    assert.deepEqual(listed.inbound, phone.inbound);
  }));
