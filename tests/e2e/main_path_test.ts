import assert from "node:assert/strict";
import { eventually } from "../setup/eventually.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { insertTenant } from "../setup/stack/stack.ts";
import { insertMember } from "../setup/fixtures/fixtures.ts";
import { type Environment, withEnvironment } from "./with_environment.ts";

/** Waits until a campaign's counters are as given. */
async function untilCounted(
  { http }: Environment,
  access_key: string,
  campaign_id: string,
  expected: JsonObject,
) {
  await eventually(async () => {
    const { body } = await http.get("/notify/status", { query: { access_key, campaign_id } });
    const actual = Object.fromEntries(Object.keys(expected).map((name) => [name, body[name]]));
    assert.deepEqual(actual, expected);
  });
}

Deno.test("a user logs in, takes the company's key, looks up a template, sends it and follows it until it is read", () =>
  withEnvironment(async (environment) => {
    const { http, sandbox, sql } = environment;
    const tenant = await insertTenant(environment, sandbox);
    const user = await environment.createUser();
    await insertMember(sql, tenant.company.id, user.id);

    const token = await environment.logIn(user);
    const headers = { authorization: `Bearer ${token}` };
    const { body: { validApiKeys } } = await http.post("/api_keys", undefined, { headers });
    const access_key = validApiKeys[0].key;
    environment.keepSecret(token, access_key, user.password, tenant.sender.token);
    const listed = await http.get<JsonObject[]>("/notify/templates", {
      query: { access_key, phone_number: tenant.sender.number },
    });
    const { name, language } = listed.body[0]!;
    const components = await http.get("/notify/template/components", {
      query: { access_key, template: name },
    });
    assert.deepEqual(components.body.components, ["body_text_0", "body_text_1"]);

    await environment.whileDispatching(async () => {
      const accepted = await http.post("/notify", {
        contact: { number: "34600111222", name: "Asha", order: "A-17" },
        language_template: language,
        name_template: name,
        recipient_id: tenant.sender.number,
        notification_type: "transactional",
        campaign_name: "First order",
        components_push: { body_text_0: "{{name}}", body_text_1: "{{order}}" },
      }, { query: { access_key } });
      assert.deepEqual(Object.keys(accepted.body).sort(), ["inquiry_set_id", "message", "success"]);
      const counters = {
        status: "completed",
        total: 1,
        pending: 0,
        sent: 1,
        delivered: 1,
        read: 1,
        failed: 0,
      };
      await untilCounted(environment, access_key, accepted.body.inquiry_set_id, counters);
    });
    const messages = await sandbox.messages();
    assert.deepEqual(messages.map(({ to, rendered }) => [to, rendered.body]), [
      ["+34600111222", "Hello Asha, your order A-17 is ready."],
    ]);
  }));
