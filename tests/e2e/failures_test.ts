import assert from "node:assert/strict";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { servicesOfAllCells } from "../../supabase/functions/_shared/services.ts";
import { createTestHttp, type JsonObject } from "../setup/http/http.ts";
import { checkAnswer } from "../setup/http/openapi.ts";
import { readDocument } from "../setup/stack/services.ts";
import { createTemplate } from "./templates/create_template.ts";
import { notifyBody } from "../setup/fixtures/notify_body.ts";
import { withApi } from "./with_api.ts";
import { planTurns } from "../setup/fixtures/queue.ts";

const MESSAGE = "The service cannot reach its database; retry later";

Deno.test("without its database the service responds with 500 in each endpoint's shape, and nothing of the cause", () =>
  withApi(async (api) => {
    const { app, key, logs, services, template, sender, url } = api;
    const document = await readDocument(app);
    const http = createTestHttp(url); // of its own: elsewhere a 500 is a failure
    const access_key = key.key;
    const post = () => http.post("/notify", notifyBody(api), { query: { access_key } });
    assert.equal((await post()).status, 200);
    await Promise.all(servicesOfAllCells(services).map(({ sql }) => sql.end()));
    const responses = [
      await post(),
      await http.post("/notify", notifyBody(api, { campaign_name: 1 }), { query: { access_key } }),
      await http.get("/notify/templates", { query: { access_key, phone_number: sender.number } }),
      await http.get("/notify/template/components", { query: { access_key, template: template.name } }),
      await createTemplate({ ...api, http }),
      await http.post("/auth", { email: "a@example.com", password: "b" }, {
        query: { grant_type: "password" },
      }),
    ];

    for (const { status, headers, body, path } of responses) {
      const request_id = headers.get("x-request-id");
      assert.deepEqual(
        [status, body, headers.get("retry-after")],
        [500, { error: "internal_error", message: MESSAGE, request_id, retry_after: 5 }, "5"],
        path,
      );
      assert.ok(logs.some((line) => line.includes(request_id!) && line.includes("CONNECTION_ENDED")), path);
    }
    const campaign = { query: { access_key, campaign_id: crypto.randomUUID() } };
    const { status, body, headers } = await http.get("/notify/status", campaign);
    assert.deepEqual(
      [status, body, headers.get("retry-after")],
      [500, { success: false, message: MESSAGE }, "5"],
    );
    const health = await http.get("/health");
    assert.deepEqual([health.status, health.body.status, health.body.database], [
      503,
      "unavailable",
      "unreachable",
    ]);
    assert.deepEqual(http.seen.map((response) => checkAnswer(document, response)).filter(Boolean), []);
  }));

/** Makes the database refuse new rows of `table` with this SQLSTATE; returns the function that ends it. */
async function refuseStoring(sql: Sql, table: string, sqlstate: string): Promise<() => Promise<unknown>> {
  await sql.unsafe(`
    create or replace function outbound.refuse_storing() returns trigger language plpgsql as
    $$ begin raise exception 'injected' using errcode = '${sqlstate}'; end $$;
    create trigger refuse_storing before insert on outbound.${table} execute function outbound.refuse_storing();`);
  return () => sql.unsafe(`drop trigger refuse_storing on outbound.${table}`);
}

for (const sqlstate of ["25006", "57014", "55P03", "XX000", "53100"]) {
  Deno.test(`a request that the database refuses with ${sqlstate} is stored in a moment, or gets a 500 with the time to wait`, () =>
    withApi(async (api) => {
      const http = createTestHttp(api.url);
      const post = () => http.post("/notify", notifyBody(api), { query: { access_key: api.key.key } });
      const mend = await refuseStoring(api.sql, "campaigns", sqlstate);
      const startedAt = performance.now();

      const refused = await Promise.all(Array.from({ length: 10 }, post));
      const tookMs = performance.now() - startedAt;
      const retried = post();
      await mend();

      assert.deepEqual(
        new Set(
          refused.map(({ status, body, headers }) =>
            [status, body.error, body.retry_after, headers.get("retry-after")].join()
          ),
        ),
        new Set(["500,internal_error,5,5"]),
      );
      // Two shared calls, each tried for two seconds; one after the other they would take twenty.
      assert.ok(tookMs < 12_000, `${tookMs} ms`);
      assert.equal((await retried).status, 200);
      const [row] = await api.sql`select count(*)::int from outbound.notifications`;
      assert.equal(row?.count, 1);
    }));
}

Deno.test("a request whose own data the database refuses gets a 500 at once", () =>
  withApi(async (api) => {
    const http = createTestHttp(api.url);
    await refuseStoring(api.sql, "campaigns", "22001");

    const { status, body } = await http.post("/notify", notifyBody(api), {
      query: { access_key: api.key.key },
    });

    assert.deepEqual([status, body.error], [500, "internal_error"]);
  }));

Deno.test("a message accepted while the platform is away waits, and goes out when it is back", () =>
  withApi(async (api) => {
    await api.sandbox.addFault({ match: {}, times: 1, fault: { code: 131000, status: 503 } });
    const { body: { inquiry_set_id } } = await api.notify();
    await api.dispatch();
    const counters = (
      { sent, failed, pending, processing }: JsonObject,
    ) => [sent, failed, pending + processing];
    assert.deepEqual(counters(await api.status(inquiry_set_id)), [0, 0, 1]);

    await api.sql`update outbound.queue set run_at = now()`;
    await planTurns(api.sql);
    await api.dispatch();
    assert.deepEqual(counters(await api.status(inquiry_set_id)), [1, 0, 0]);
    assert.equal((await api.sandbox.messages()).length, 1);
  }));
