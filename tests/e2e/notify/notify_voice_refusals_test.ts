import assert from "node:assert/strict";
import type { JsonObject } from "../../setup/http/http.ts";
import { assertRefused, assertRefusedShortly } from "../assert_refused.ts";
import { assertNothingStored } from "../stored.ts";
import { withVoiceApi } from "../with_voice_api.ts";

const CONTACT = { number: "34600111222" };
const many = (count: number) => Array.from({ length: count }, () => CONTACT);

/** Faults of the recipients, and the contract's words for each. */
const CONTACT_RULES: [changes: JsonObject, message: string][] = [
  [{ contact: undefined }, "Missing required field: 'contact' or 'contacts'"],
  [{ contacts: [CONTACT] }, "Cannot use both 'contact' and 'contacts' simultaneously"],
  [{ contact: [CONTACT] }, "'contact' must be an object, not an array"],
  [{ contact: undefined, contacts: CONTACT }, "'contacts' must be an array, not an object"],
  [{ contact: undefined, contacts: [] }, "'contacts' array cannot be empty"],
  [
    { contact: undefined, contacts: many(101) },
    "Maximum 100 contacts allowed per request. Received: 101",
  ],
];

const NAME = "a name of up to 64 letters, digits, spaces and '_', '.', '-', and not of digits only";
const OTHER_NAME = "another name: this one belongs to the voice platform or to this service";
const SCALAR = "text, a number or true/false";
const tooMany = Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`field_${i}`, "x"]));
const nearlyTooMany = Object.fromEntries(Object.entries(tooMany).slice(0, 49));

/** A field that does not do: its changes, its name, and what is expected instead; null when it is missing. */
const FIELDS: [changes: JsonObject, field: string, expected: string | null][] = [
  [{ recipient_id: undefined }, "recipient_id", null],
  [{ agent_id: undefined }, "agent_id", null],
  [{ agent_id: null }, "agent_id", null],
  [{ agent_id: 7 }, "agent_id", "text"],
  [{ agent_id: " " }, "agent_id", "text that is not empty"],
  [{ agent_id: "x".repeat(201) }, "agent_id", "at most 200 characters"],
  [{ notification_type: undefined }, "notification_type", null],
  [{ notification_type: "utility" }, "notification_type", "one of marketing, transactional"],
  [{ campaign_name: undefined }, "campaign_name", null],
  [{ contact: { first_name: "Asha" } }, "contact.number", null],
  [{ contact: { number: "+34600111222" } }, "contact.number", ""],
  [{ contact: { ...CONTACT, "a{b": "x" } }, "contact.a{b", NAME],
  [{ contact: { ...CONTACT, system__time: "x" } }, "contact.system__time", OTHER_NAME],
  [{ contact: { ...CONTACT, list: ["x"] } }, "contact.list", SCALAR],
  [{ contact: { ...CONTACT, city: "x".repeat(1025) } }, "contact.city", "at most 1024 characters"],
  [{ "": "1" }, "", NAME],
  [{ "-x": "1" }, "-x", NAME],
  [{ "12": "1" }, "12", NAME],
  [{ ["n".repeat(65)]: "1" }, "n".repeat(65), NAME],
  [{ outbound_reference: "x" }, "outbound_reference", OTHER_NAME],
  [{ address: { city: "x" } }, "address", SCALAR],
  [{ note: "x".repeat(1025) }, "note", "at most 1024 characters"],
  [{ note: "Hello {{first_name}}" }, "note", "either one reference {{field}} or text, not both"],
  [{ note: "{{a}}{{b}}" }, "note", "either one reference {{field}} or text, not both"],
  [{ note: "{{1}}" }, "note", "a bare value, not a placeholder of the template"],
  [{ note: "{{nowhere}}" }, "note", "a reference to a field that holds text, a number or true/false"],
  [tooMany, "contact", "at most 50 fields for the agent in the request"],
  [nearlyTooMany, "contact", "at most 50 fields for the agent in the request and the contact"],
  [{ recipient_id: "nobody" }, "recipient_id", "the id or the phone number of one of your senders"],
  [{ datetime_sending: "2037-05-06T07:00:00Z" }, "datetime_sending", ""],
  [{ timezone: "Mars/Olympus" }, "timezone", "an IANA timezone name such as Europe/Madrid"],
];

Deno.test("POST /notify/voice refuses what does not fit, names the field and stores nothing", () =>
  withVoiceApi(async ({ voice, sql }) => {
    await assertNothingStored(sql, async () => {
      for (const [changes, message] of CONTACT_RULES) {
        assertRefused(await voice(changes), { status: 400, error: "validation_failed", message }, message);
      }
      for (const [changes, field, expected] of FIELDS) {
        const { status, body } = await voice(changes);
        assert.deepEqual([status, body.error], [400, "validation_failed"], `${field} ${expected}`);
        const { details } = body;
        const wanted = expected === null ? "required" : expected || details.expected_format;
        assert.deepEqual([details.field, details.reason ?? details.expected_format], [field, wanted]);
      }
      const flat = await voice({ contact: undefined, contacts: [CONTACT] }, { query: { unflatten: "true" } });
      assertRefused(flat, { status: 400, error: "validation_failed" });
    });
  }));

Deno.test("POST /notify/voice says 404 for an agent that is unknown or disabled, in a bulk request too", () =>
  withVoiceApi(async ({ voice, sql, agent }) => {
    await assertNothingStored(sql, async () => {
      const refusal = (agent_id: string) => ({
        status: 404,
        error: "agent_not_found",
        message: "There is no active voice agent with this id",
        details: { agent_id },
      });
      assertRefused(await voice({ agent_id: "agent_unknown" }), refusal("agent_unknown"));
      await sql`update outbound.voice_agents set status = 'disabled'`;
      for (const id of [agent.id, agent.platform_agent_id]) {
        assertRefused(await voice({ agent_id: id }), refusal(id));
        assertRefused(await voice({ agent_id: id, contact: undefined, contacts: [CONTACT] }), refusal(id));
      }
    });
  }));

Deno.test("POST /notify/voice refuses a key that is missing, unknown, or without the permission", () =>
  withVoiceApi(async ({ http, voice, sql }) => {
    await assertNothingStored(sql, async () => {
      assertRefused(await http.post("/notify/voice", {}), { status: 401, error: "unauthorized" });
      assertRefused(await voice({}, { query: { access_key: "x" } }), { status: 401, error: "unauthorized" });
      await sql`update outbound.api_keys set permissions = '{chatapp_notifications}'`;
      for (const changes of [{}, { contact: undefined }]) {
        const message = "This access key lacks the permission 'voice_notifications'";
        assertRefusedShortly(await voice(changes), 403, message);
      }
    });
  }));

Deno.test("POST /notify/voice does not call from a number that is for chat, and needs a voice sender", () =>
  withVoiceApi(async ({ voice, sender, sql }) => {
    const refused = { status: 400, error: "validation_failed" };
    assertRefused(await voice({ recipient_id: sender.number }), refused);
    await sql`delete from outbound.senders where channel = 'voice'`;
    assertRefused(await voice({ contact: undefined, contacts: [CONTACT] }), refused);
  }));
