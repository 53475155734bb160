import assert from "node:assert/strict";
import { createTestHttp, type JsonObject } from "../setup/http.ts";
import { checkAnswer } from "../setup/openapi.ts";
import { readDocument } from "../setup/services.ts";
import { createTemplate } from "./create_template.ts";
import { notifyBody } from "./notify_body.ts";
import { withApi } from "./with_api.ts";

const MESSAGE = "An unexpected error occurred; try again later";

Deno.test("without its database the service answers 500 in each endpoint's shape, and nothing of the cause", () =>
  withApi(async (api) => {
    const { app, key, logs, services, template, sender, url } = api;
    const document = await readDocument(app);
    const http = createTestHttp(url); // of its own: elsewhere a 500 is a failure
    const access_key = key.key;
    const post = () => http.post("/notify", notifyBody(api), { query: { access_key } });
    assert.equal((await post()).status, 200);
    await services.sql.end();
    const answers = [
      await post(),
      await http.post("/notify", notifyBody(api, { campaign_name: 1 }), { query: { access_key } }),
      await http.get("/notify/templates", { query: { access_key, phone_number: sender.number } }),
      await http.get("/notify/template/components", { query: { access_key, template: template.name } }),
      await createTemplate({ ...api, http }),
      await http.post("/auth", { email: "a@example.com", password: "b" }, {
        query: { grant_type: "password" },
      }),
    ];

    for (const { status, headers, body, path } of answers) {
      const request_id = headers.get("x-request-id");
      assert.deepEqual(
        [status, body],
        [500, { error: "internal_error", message: MESSAGE, request_id }],
        path,
      );
      assert.ok(logs.some((line) => line.includes(request_id!) && line.includes("CONNECTION_ENDED")), path);
    }
    const campaign = { query: { access_key, campaign_id: crypto.randomUUID() } };
    const { status, body } = await http.get("/notify/status", campaign);
    assert.deepEqual([status, body], [500, { success: false, message: MESSAGE }]);
    const health = await http.get("/health");
    assert.deepEqual([health.status, health.body.status, health.body.database], [
      503,
      "unavailable",
      "unreachable",
    ]);
    assert.deepEqual(http.seen.map((answer) => checkAnswer(document, answer)).filter(Boolean), []);
  }));

Deno.test("what was accepted while the platform is away waits, and goes out when it is back", () =>
  withApi(async (api) => {
    await api.sandbox.addFault({ match: {}, times: 1, fault: { code: 131000, status: 503 } });
    const { body: { inquiry_set_id } } = await api.notify();
    await api.dispatch();
    const counters = (
      { sent, failed, pending, processing }: JsonObject,
    ) => [sent, failed, pending + processing];
    assert.deepEqual(counters(await api.status(inquiry_set_id)), [0, 0, 1]);

    await api.sql`update outbound.notifications set run_at = now()`;
    await api.dispatch();
    assert.deepEqual(counters(await api.status(inquiry_set_id)), [1, 0, 0]);
    assert.equal((await api.sandbox.messages()).length, 1);
  }));
