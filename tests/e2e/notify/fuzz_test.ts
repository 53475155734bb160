import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../../setup/http/http.ts";
import { notifyBody } from "../../setup/fixtures/notify_body.ts";
import { countStored } from "../stored.ts";
import { withApi } from "../with_api.ts";
import { withVoiceApi } from "../with_voice_api.ts";

const RUNS = 150;

const text = fc.string({ unit: "binary", maxLength: 40 });
const odd = fc.oneof(
  text,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom("{{name}}", "{{x}}", "{1}", "\0", "\ud800", -0, 1e308),
);
const changes = fc.dictionary(
  fc.oneof(
    fc.constantFrom(
      "contact",
      "contacts",
      "components_push",
      "recipient_id",
      "campaign_name",
      "datetime_sending",
    ),
    fc.constantFrom(
      "contact.number",
      "contact.name",
      "components_push.body_text_0",
      "timezone",
      "name_event",
      ".",
    ),
    text,
  ),
  odd,
  { minKeys: 1, maxKeys: 4 },
);

Deno.test("POST /notify responds to any body with 200 or a refusal, and stores only what it accepts with 200", () =>
  withApi(async ({ http, key, sql, ...api }) => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(changes, fc.constantFrom("true", "false"), async (change: JsonObject, unflatten) => {
        const query = { access_key: key.key, unflatten };
        const { status, body } = await http.post("/notify", { ...notifyBody(api), ...change }, { query });
        assert.ok([200, 400, 404, 422, 429].includes(status), JSON.stringify(body));
        accepted += Number(status === 200);
      }),
      { numRuns: RUNS },
    );
    assert.equal((await countStored(sql)).campaigns, accepted);
  }));

const callChanges = fc.dictionary(
  fc.oneof(
    fc.constantFrom(
      "contact",
      "contacts",
      "agent_id",
      "recipient_id",
      "notification_type",
      "timezone",
      "note",
    ),
    fc.constantFrom("contact.number", "contact.city", "contact.", "city", "_x", "__proto__", "toString"),
    text,
  ),
  fc.oneof(
    odd,
    fc.record({ number: fc.constant("34600111222"), city: odd }),
    fc.constantFrom("{{city}}", "{{contact}}"),
  ),
  { minKeys: 1, maxKeys: 4 },
);

Deno.test("POST /notify/voice responds to any body with 200 or a refusal, and stores only what it accepts with 200", () =>
  withVoiceApi(async ({ voice, sql }) => {
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(
        callChanges,
        fc.constantFrom("true", "false"),
        async (change: JsonObject, unflatten) => {
          const { status, body } = await voice(change, { query: { unflatten } });
          assert.ok([200, 400, 404, 429].includes(status), JSON.stringify(body));
          accepted += Number(status === 200);
        },
      ),
      { numRuns: RUNS },
    );
    assert.equal((await countStored(sql)).campaigns, accepted);
  }));

Deno.test("the endpoints with a query respond to any values in it with 200 or a refusal", () =>
  withApi(async ({ http, key }) => {
    const paths = ["/notify/status", "/notify/templates", "/notify/template/components"];
    const names = fc.constantFrom("campaign_id", "phone_number", "template", "language", "access_key", "x");
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), fc.dictionary(names, text), async (path, query) => {
        const { status, body } = await http.get(path, { query: { access_key: key.key, ...query } });
        assert.ok([200, 400, 401, 404, 429].includes(status), JSON.stringify(body));
      }),
      { numRuns: RUNS },
    );
  }));
