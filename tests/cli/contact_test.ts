import assert from "node:assert/strict";
import { withTestDatabase } from "../setup/database/database.ts";
import { insertCompany } from "../setup/fixtures/fixtures.ts";
import { runAdmin } from "./run_admin.ts";

const NUMBER = "34600111222";

Deno.test("contact suppress records what an operator says, and unsuppress lifts it", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id } = await insertCompany(sql);
    const contact = (verb: string, ...args: string[]) =>
      runAdmin(["contact", verb, "--company", id, "--number", NUMBER, ...args, "--json"], {
        env: { DATABASE_URL: url },
      });

    const added = await contact("suppress", "--detail", "By phone");
    const again = await contact("suppress");
    const [row] = await sql`select address, source, evidence from outbound.suppressions`;
    const lifted = await contact("unsuppress");
    const none = await contact("unsuppress");

    assert.deepEqual([added.json, again.json], [{ added: true }, { added: false }]);
    const evidence = { detail: "By phone" };
    assert.deepEqual({ ...row }, { address: NUMBER, source: "operator", evidence });
    assert.deepEqual(lifted.json, { lifted: 1, still_suppressed_by: [] });
    assert.equal((none.json.error as { code: string }).code, "not_found");
  }));

Deno.test("contact unsuppress lifts a person's own opt-out only with evidence of a later consent", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id } = await insertCompany(sql);
    const optOut = { number: NUMBER, channel: "any", category: "marketing", source: "keyword" };
    await sql`select outbound.suppress_contacts(${id}, ${
      sql.json([{ ...optOut, at: "2026-01-01T00:00Z" }])
    })`;
    const unsuppress = (...args: string[]) =>
      runAdmin(["contact", "unsuppress", "--company", id, "--number", NUMBER, ...args], {
        env: { DATABASE_URL: url },
      });

    const without = await unsuppress();
    const after = await unsuppress("--method", "paper", "--consented-at", "2026-01-02T00:00Z", "--json");

    assert.equal(without.code, 1);
    assert.match(without.stderr, /opted out \(keyword\).* give method and consented_at of a later consent/);
    assert.deepEqual(after.json, { lifted: 1, still_suppressed_by: [] });
  }));
