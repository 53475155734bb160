import assert from "node:assert/strict";
import { cellOfCompany, cellOfKey } from "../../supabase/functions/_shared/cells.ts";
import { readRates, storeRates } from "../../supabase/functions/_shared/db/campaigns/rates.ts";
import { readMaintenance, writeMaintenance } from "../../supabase/functions/_shared/db/queue/settings.ts";
import { EnvError, loadEnv } from "../../supabase/functions/_shared/env.ts";
import { servicesOfCell } from "../../supabase/functions/_shared/services.ts";
import { runAdmin } from "../cli/run_admin.ts";
import { withManage } from "../manage/with_manage.ts";
import { withTestDatabase } from "../setup/database/database.ts";
import { insertCompany, insertKey, insertMember } from "../setup/fixtures/fixtures.ts";
import { eventually } from "../setup/eventually.ts";
import { notifyBody } from "../setup/fixtures/notify_body.ts";
import { insertSendingCompany } from "../setup/fixtures/queue.ts";
import { insertPublishableKey } from "../setup/fixtures/widgets.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { dispatchAll } from "../setup/stack/dispatch_all.ts";
import { insertTenant, withStack } from "../setup/stack/stack.ts";
import { TEST_ENV } from "../setup/stack/services.ts";
import { receive } from "../webhooks/inbound.ts";
import { CELL, withCell } from "./with_cell.ts";

Deno.test("the ids and keys of a cell's companies name it; those of cell 0 name none", () =>
  withCell(async ({ sql }) => {
    const { id } = await insertCompany(sql, { name: "Beta" });
    const { key } = await insertKey(sql, id);
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8007-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.match(key, /^outbound_7\.[\w-]{43}$/);
    assert.match(await insertPublishableKey(sql, id), /^pk_7\.[\w-]{32}$/);
    assert.deepEqual([cellOfCompany(id), cellOfKey(key), cellOfKey("pk_7.x"), cellOfKey("vt_4095.x")], [
      7,
      7,
      7,
      4095,
    ]);
    const other = [cellOfCompany(crypto.randomUUID()), cellOfKey("outbound_q3V1"), cellOfKey("outbound_0.x")];
    assert.deepEqual(other, [0, 0, 0]);
  }));

Deno.test("a company of another cell sends, gets receipts and replies, and leaves nothing in cell 0", () =>
  withCell(({ sql, env }) =>
    withStack(async (t) => {
      const tenant = await insertTenant({ sql }, t.sandbox);
      const query = { access_key: tenant.key.key };
      const accepted = await t.http.post("/notify", notifyBody(tenant), { query });
      assert.equal(accepted.status, 200);
      await dispatchAll(servicesOfCell(t.dispatcherServices, CELL));
      const { inquiry_set_id: campaign_id } = accepted.body;
      await eventually(async () => {
        const { body } = await t.http.get("/notify/status", { query: { ...query, campaign_id } });
        assert.deepEqual([body.status, body.sent, body.read], ["completed", 1, 1], JSON.stringify(body));
      });

      await receive(t, tenant.sender, "Thank you");
      const [stored] =
        await sql`select count(*)::int as messages from outbound.contact_messages where direction = 'in'`;
      assert.equal(stored!.messages, 1);
      const [home] = await t.sql`
        select (select count(*) from outbound.campaigns)::int as campaigns,
          (select count(*) from outbound.contact_messages)::int as messages`;
      assert.deepEqual({ ...home }, { campaigns: 0, messages: 0 });
    }, { env })
  ));

Deno.test("a key of one cell is a stranger's in another, and so are ids", () =>
  withCell(({ sql, env }) =>
    withStack(async (t) => {
      const beta = await insertTenant({ sql }, t.sandbox);
      const asked = await Promise.all(
        [[t.key.key, beta.company.id], [beta.key.key, t.company.id]].map(([key, id]) =>
          t.http.get(`/manage/companies/${id}/campaigns`, { headers: { authorization: `Bearer ${key}` } })
        ),
      );
      assert.deepEqual(asked.map(({ status }) => status), [404, 404]);
      const moved = await t.http.get("/notify/templates", {
        query: { access_key: beta.key.key.replace("outbound_7.", "outbound_") },
      });
      const unknown = await t.http.get("/notify/templates", {
        query: { access_key: beta.key.key.replace("outbound_7.", "outbound_8.") },
      });
      assert.deepEqual([moved.status, unknown.status], [401, 401]);
    }, { env })
  ));

Deno.test("a member sees the companies and keys of all cells, and works in each", () =>
  withCell(({ sql, env }) =>
    withManage(async (t) => {
      const { owner } = t.members;
      const { id: beta } = await insertCompany(sql, { name: "Beta" });
      await insertMember(sql, beta, owner.userId, "owner");
      await insertKey(t.sql, t.company.id);
      const { key } = await insertKey(sql, beta);
      const listed = await owner.ask("GET", "/companies");
      assert.deepEqual((listed.body.companies as { name: string }[]).map(({ name }) => name), [
        "Acme",
        "Beta",
      ]);
      const keys = await t.http.post("/api_keys", undefined, {
        headers: { authorization: `Bearer ${owner.token}` },
      });
      const shown = keys.body.validApiKeys as { company_name: string; key: string }[];
      assert.deepEqual(new Set(shown.map(({ company_name }) => company_name)), new Set(["Acme", "Beta"]));
      assert.ok(shown.some((each) => each.key === key));
      const [audited] =
        await sql`select count(*)::int as shown from outbound.audit_log where action = 'key.shown'`;
      assert.equal(audited!.shown, 1);
      const campaigns = await owner.ask("GET", `/companies/${beta}/campaigns`);
      assert.equal(campaigns.status, 200);
      assert.equal((await t.stranger.ask("GET", `/companies/${beta}/campaigns`)).status, 404);
    }, { env })
  ));

Deno.test("a cell that is down refuses its own companies and is named where a list lacks them; others work", () =>
  withManage(async (t) => {
    const { key } = await insertKey(t.sql, t.company.id);
    const { owner } = t.members;
    const ask = (access_key: string) => t.http.get("/notify/templates", { query: { access_key } });
    const down = await ask("outbound_7.q3V1c2sGmXbY0a7dKfPz4tRw8hLjN6yE5uQ9oIiTnBk");
    assert.equal(down.status, 500);
    assert.ok(Number(down.headers.get("retry-after")) > 0);
    assert.notEqual((await ask(key)).status, 500);
    const listed = await owner.ask("GET", "/companies");
    assert.deepEqual([listed.status, listed.headers.get("x-outbound-missing-cells")], [200, "7"]);
    assert.match(listed.headers.get("access-control-expose-headers") ?? "", /X-Outbound-Missing-Cells/);
    assert.equal((await t.stranger.ask("GET", "/companies")).status, 500);
    const health = await t.http.get("/health");
    assert.equal(health.status, 200);
    assert.deepEqual(health.body.cells, [{ number: 7, database: "unreachable", dispatcher: "unknown" }]);
  }, {
    env: {
      DATABASE_URLS: "7=postgres://nobody@127.0.0.1:9/none",
      OUTBOUND_CONSOLE_URL: "https://console.example.com",
    },
  }));

Deno.test("admin cell add numbers an empty database, list shows all, and company create works on one", () =>
  withTestDatabase((home) =>
    withTestDatabase(async (other) => {
      const env = {
        DATABASE_URL: home.url,
        DATABASE_URLS: `3=${other.url} 4=postgres://nobody@127.0.0.1:9/none`,
      };
      const before = await runAdmin(["cell", "list", "--json"], { env });
      const [zero, three, four] = before.json.cells as { cell: number; problem: string | null }[];
      assert.equal(zero!.problem, null);
      assert.equal(three!.problem, "cell 3 of DATABASE_URLS leads to the database of cell 0");
      assert.ok(four!.problem);

      await storeRates(home.sql, [
        { market: "ES", category: "marketing", currency: "EUR", rate: "0.05", effective_from: "2026-10-01" },
      ]);
      await writeMaintenance(home.sql, { on: true, until: null, since: null });
      const added = await runAdmin(["cell", "add", "--cell", "3", "--json"], { env });
      assert.deepEqual([added.code, added.json.number], [0, 3]);
      assert.deepEqual(await readRates(other.sql), await readRates(home.sql));
      assert.equal((await readMaintenance(other.sql))?.on, true);
      const made = await runAdmin(["company", "create", "--name", "Beta", "--cell", "3", "--json"], { env });
      assert.equal(cellOfCompany(made.json.company_id as string), 3);
      const again = await runAdmin(["cell", "add", "--cell", "5", "--json"], {
        env: { ...env, DATABASE_URLS: `5=${other.url}` },
      });
      assert.deepEqual([again.code, (again.json.error as { code: string }).code], [1, "refused"]);
      const company = made.json.company_id as string;
      const update = ["company", "update", company, "--currency", "EUR", "--json"];
      const updated = await runAdmin(update, { env });
      assert.equal(updated.json.company_id, company);
      const senders = await runAdmin(["sender", "list", "--company", company, "--json"], { env });
      assert.equal(senders.code, 0);
      const elsewhere = await runAdmin([...update, "--cell", "0"], { env });
      assert.equal(
        (elsewhere.json.error as { message: string }).message,
        `The company ${company} is in cell 3`,
      );
      const unknown = await runAdmin(["company", "list", "--cell", "9", "--json"], { env });
      assert.equal((unknown.json.error as { code: string }).code, "not_configured");
    })
  ));

const CARD = "market,category,currency,rate,effective_from\nES,marketing,EUR,0.05,2026-10-01\n";

Deno.test("what cells share is changed in all of them, or in the one that --cell names", () =>
  withTestDatabase((home) =>
    withCell(({ sql, env }) =>
      withTempFolder(async (folder) => {
        const admin = (...args: string[]) =>
          runAdmin([...args, "--json"], { env: { DATABASE_URL: home.url, ...env } });
        const file = `${folder}/rates.csv`;
        await Deno.writeTextFile(file, CARD);
        const states = async () =>
          (await Promise.all([home.sql, sql].map(readMaintenance))).map((state) => state?.on);
        const rates = async () =>
          (await Promise.all([home.sql, sql].map((each) => readRates(each, {})))).map((found) =>
            found.length
          );

        assert.equal((await admin("rates", "import", file)).json.added, 1);
        assert.equal((await admin("maintenance", "on")).code, 0);
        assert.deepEqual([await rates(), await states()], [[1, 1], [true, true]]);
        await admin("maintenance", "off", "--cell", String(CELL));
        await admin("rates", "remove", "--currency", "EUR", "--from", "2026-10-01", "--cell", String(CELL));
        assert.deepEqual([await rates(), await states()], [[1, 0], [true, false]]);

        const whole = await admin("secrets", "rotate");
        const part = await admin("secrets", "rotate", "--cell", String(CELL));
        const droppable = [whole, part].map(({ json }) => json.old_keys_may_be_dropped);
        assert.deepEqual(droppable, [true, false], "the other cell may still need the old key");
        const { json } = await admin("secrets", "status");
        assert.deepEqual((json.keys as { cell: number }[]).map(({ cell }) => cell), [0, CELL]);
      })
    )
  ));

Deno.test("a list of the command line has the rows of all cells, or of the one that --cell names", () =>
  withTestDatabase((home) =>
    withCell(async ({ sql, env }) => {
      const [here, there] = [await insertSendingCompany(home.sql), await insertSendingCompany(sql)];
      const admin = (...args: string[]) => runAdmin(args, { env: { DATABASE_URL: home.url, ...env } });
      const list = async (...args: string[]) => (await admin(...args, "--json")).json;

      const { companies } = await list("company", "list");
      const { senders } = await list("sender", "list", "--cell", String(CELL));
      const { senders: own } = await list("sender", "list", "--company", here.id);

      const rows = (companies as { cell: number; company_id: string }[]).map((row) => [
        row.cell,
        row.company_id,
      ]);
      assert.deepEqual(rows, [[0, here.id], [CELL, there.id]]);
      assert.deepEqual((senders as { company_id: string }[]).map((row) => row.company_id), [there.id]);
      assert.deepEqual((own as { company_id: string }[]).map((row) => row.company_id), [here.id]);
      assert.match((await admin("company", "list")).stdout, /^CELL +COMPANY /);
    })
  ));

Deno.test("a cell that is down keeps no other from a change that all share, and is named", () =>
  withTestDatabase(async (home) => {
    const env = { DATABASE_URL: home.url, DATABASE_URLS: "4=postgres://outbound:secret@127.0.0.1:9/none" };
    const { code, stdout, stderr } = await runAdmin(["maintenance", "on"], { env });

    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^Done in cell 0 only\. cell 4: The database at 127\.0\.0\.1:9 cannot be reached/);
    assert.doesNotMatch(stderr, /secret/);
    assert.equal((await readMaintenance(home.sql))?.on, true);
  }));

Deno.test("DATABASE_URLS that cannot be meant are refused, without their passwords", () => {
  const url = "postgres://user:secret@db.example.com/outbound";
  for (
    const urls of [
      url,
      `0=${url}`,
      `4096=${url}`,
      `1=${url} 1=${url}`,
      "1=http://db.example.com",
      `1= ${url}`,
    ]
  ) {
    assert.throws(
      () => loadEnv({ ...TEST_ENV, DATABASE_URL: url, DATABASE_URLS: urls }),
      (error) =>
        error instanceof EnvError && error.message.includes("DATABASE_URLS") &&
        !error.message.includes("secret"),
    );
  }
  const { DATABASE_URLS } = loadEnv({
    ...TEST_ENV,
    DATABASE_URL: url,
    DATABASE_URLS: ` 2=${url}\n1=${url} `,
  });
  assert.deepEqual([...DATABASE_URLS], [[1, url], [2, url]]);
});
