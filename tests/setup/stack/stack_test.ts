import assert from "node:assert/strict";
import { eventually } from "../eventually.ts";
import { withServices } from "./services.ts";
import { withStack } from "./stack.ts";

Deno.test("withStack() carries a message from the request to the phone and its status back", () =>
  withStack(async ({ http, key, sender, template, sandbox, dispatch }) => {
    const accepted = await http.post("/notify", {
      contact: { number: "15551234567", name: "Asha" },
      language_template: template.language,
      name_template: template.name,
      recipient_id: sender.number,
      notification_type: "utility",
      campaign_name: "Order",
      components_push: { body_text_0: "{{name}}", body_text_1: "A-17" },
    }, { query: { access_key: key.key } });
    await dispatch();

    assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
    assert.equal((await sandbox.messages({ to: "15551234567" })).length, 1);
    await eventually(async () => {
      const query = { access_key: key.key, campaign_id: accepted.body.inquiry_set_id };
      const { body } = await http.get("/notify/status", { query });
      assert.deepEqual([body.sent, body.delivered, body.read], [1, 1, 1]);
    });
  }));

Deno.test("withServices() fails a test that saw an answer the document does not describe", async () => {
  const seen = withServices(async ({ http }) => {
    const { body } = await http.get("/health");
    http.seen.push({
      method: "GET",
      path: "/functions/v1/health",
      status: 418,
      headers: new Headers(),
      body,
    });
  });

  await assert.rejects(seen, { actual: ["GET /functions/v1/health 418: undocumented status"] });
});
