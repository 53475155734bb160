import assert from "node:assert/strict";
import { withTestDatabase } from "../../setup/database/database.ts";
import { claim, countersOf, enqueue, finish, insertSendingCompany } from "../../setup/fixtures/queue.ts";
import { runAdmin } from "../run_admin.ts";

Deno.test("admin campaign resend sends again what failed, once, past the key's quota", () =>
  withTestDatabase(async ({ sql, url }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 3 });
    const [first, ...rest] = await claim(sql);
    await finish(sql, [first!], { outcome: "failed", error_code: "131026" });
    await finish(sql, rest, { outcome: "failed", error_code: "131049" });
    await sql`update outbound.api_keys set daily_quota = 0, is_active = false`;
    const admin = (...args: string[]) => runAdmin(["campaign", ...args], { env: { DATABASE_URL: url } });

    const resent = await admin("resend", campaignId, "--json", "--name", "Second attempt");
    assert.deepEqual(
      [resent.code, resent.json.processed, resent.json.resend_of],
      [0, 2, campaignId],
      resent.stderr,
    );
    const made = String(resent.json.inquiry_set_id);
    assert.deepEqual(await countersOf(sql, made), { pending: 2 });
    const [campaign] = await sql`select name from outbound.campaigns where id = ${made}`;
    assert.equal(campaign!.name, "Second attempt");
    assert.equal((await admin("resend", campaignId)).stdout.trim(), "Nothing to resend");
    const named = await admin("resend", campaignId, "--code", "131026");
    assert.match(named.stdout, /^1 notification resent as campaign [0-9a-f-]{36}\n$/);
  }));

Deno.test("admin campaign resend names what is wrong", () =>
  withTestDatabase(async ({ sql, url }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company);
    await finish(sql, await claim(sql), { outcome: "failed", error_code: "131049" });
    const admin = (...args: string[]) => runAdmin(["campaign", ...args], { env: { DATABASE_URL: url } });
    const unknown = crypto.randomUUID();
    const { code, stderr } = await admin("resend", unknown);
    assert.deepEqual([code, stderr.includes(`No campaign with id ${unknown}`)], [1, true]);
    const late = await admin("resend", campaignId, "--at", "2020-01-01T00:00:00");
    assert.match(late.stderr, /must be in the future/);
    const odd = await admin("resend", campaignId, "--code", "x".repeat(65));
    assert.match(odd.stderr, /codes\[0\].*at most 64 characters/);
    await sql`update outbound.templates set status = 'disabled'`;
    const refused = await admin("resend", campaignId);
    assert.match(refused.stderr, /is disabled, not approved/);
    assert.equal((await sql`select 1 from outbound.campaigns`).length, 1);
  }));
