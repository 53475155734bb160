import assert from "node:assert/strict";
import { serveMetrics } from "../../../cli/metrics/serve_metrics.ts";
import { servicesOfAllCells } from "../../../supabase/functions/_shared/services.ts";
import { endedCommand } from "../../cli/service/run_command.ts";
import { eventually } from "../../setup/eventually.ts";
import { insertMember } from "../../setup/fixtures/fixtures.ts";
import { notifyBody } from "../../setup/fixtures/notify_body.ts";
import { dispatchAll } from "../../setup/stack/dispatch_all.ts";
import { insertTenant } from "../../setup/stack/stack.ts";
import { type FourCells, withFourCells } from "./with_four_cells.ts";

type Tenant = Awaited<ReturnType<typeof insertTenant>>;

/** Asks for a message of a company. */
async function notify({ http }: FourCells, tenant: Tenant) {
  return await http.post("/notify", notifyBody(tenant), { query: { access_key: tenant.key.key } });
}

/** Sends a message of each company, and waits until its recipient has read it. */
async function assertSends(t: FourCells, tenants: Tenant[]): Promise<void> {
  const accepted = await Promise.all(tenants.map((tenant) => notify(t, tenant)));
  await Promise.all(
    servicesOfAllCells(t.services).filter(({ cell }) => cell < tenants.length).map(dispatchAll),
  );
  for (const [cell, { status, body }] of accepted.entries()) {
    assert.equal(status, 200, `cell ${cell}: ${JSON.stringify(body)}`);
    const query = { access_key: tenants[cell]!.key.key, campaign_id: body.inquiry_set_id };
    await eventually(async () => {
      const { body } = await t.http.get("/notify/status", { query });
      assert.deepEqual([body.status, body.sent, body.read], ["completed", 1, 1], `cell ${cell}`);
    });
  }
}

/** Returns how the service describes its cells to operators, and to a member of all companies. */
async function describe(t: FourCells, token: string) {
  const headers = { authorization: `Bearer ${token}` };
  const companies = await t.http.get("/manage/companies", { headers });
  const health = await t.http.get("/health");
  const metrics = (await serveMetrics(t.services, { port: 0 }))!;
  const figures = await fetch(metrics.url).then((response) => response.text()).finally(metrics.stop);
  return {
    companies: (companies.body.companies as unknown[]).length,
    missing: companies.headers.get("x-outbound-missing-cells"),
    health: [
      health.status,
      health.body.database,
      ...health.body.cells.map((cell: { database: string }) => cell.database),
    ],
    up: [...figures.matchAll(/^outbound_metrics_database_up\{cell="(\d)"\} (\d)$/gm)]
      .map(([, cell, up]) => `${cell}: ${up}`),
  };
}

Deno.test("four cells on two servers send, list, report and migrate, also while one of them is down", () =>
  withFourCells(async (t) => {
    const user = await t.createUser();
    const token = await t.logIn(user);
    const tenants: Tenant[] = [];
    for (const { sql } of servicesOfAllCells(t.services)) {
      const tenant = await insertTenant({ sql }, t.sandbox);
      await insertMember(sql, tenant.company.id, user.id);
      tenants.push(tenant);
    }

    await assertSends(t, tenants);
    const whole = await describe(t, token);
    await t.admitToLast(false);
    await assertSends(t, tenants.slice(0, 3));
    const refused = await notify(t, tenants[3]!);
    const part = await eventually(async () => {
      const described = await describe(t, token);
      assert.notDeepEqual(described.health, whole.health);
      return described;
    });
    const migrated = await endedCommand("migrate", t.databases, ["--json"]);
    await t.admitToLast(true);

    assert.deepEqual(whole, {
      ...{ companies: 4, missing: null, health: [200, "ok", "ok", "ok", "ok"] },
      up: ["0: 1", "1: 1", "2: 1", "3: 1"],
    });
    assert.deepEqual(part, {
      ...{ companies: 3, missing: "3", health: [200, "ok", "ok", "ok", part.health.at(-1)] },
      up: ["0: 1", "1: 1", "2: 1", "3: 0"],
    });
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [500, "5"]);
    const { cells } = JSON.parse(migrated.stdout) as { cells: { cell: number; error?: string }[] };
    assert.deepEqual([migrated.code, cells.map(({ error }) => error === undefined)], [1, [
      ...[true, true, true],
      false,
    ]]);
    await eventually(async () => assert.equal((await notify(t, tenants[3]!)).status, 200));
    await assertSends(t, tenants);
  }));
