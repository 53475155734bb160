import assert from "node:assert/strict";
import { shareAgent } from "../../cli/agent/actions.ts";
import { withTestDatabase } from "../setup/database/database.ts";
import { insertAgent, insertCompany } from "../setup/fixtures/fixtures.ts";
import { runAdmin } from "./run_admin.ts";

Deno.test("admin agent share gives a company an agent that another one has", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id: company } = await insertCompany(sql);
    const { platform_agent_id } = await insertAgent(sql, (await insertCompany(sql)).id);
    const agent = ["--company", company, "--platform-agent-id", platform_agent_id, "--name", "Reminder"];

    const { code, json } = await runAdmin(["agent", "share", ...agent, "--json"], {
      env: { DATABASE_URL: url },
    });

    assert.equal(code, 0);
    const rows =
      await sql`select id, name, status, is_shared from outbound.voice_agents where company_id = ${company}`;
    assert.deepEqual(rows.map((row) => ({ ...row })), [
      { id: json.agent_id, name: "Reminder", status: "active", is_shared: true },
    ]);
  }));

Deno.test("shareAgent() refuses an agent the company has, an unknown company, and names that cannot be", () =>
  withTestDatabase(async ({ sql }) => {
    const { id: companyId } = await insertCompany(sql);
    const agent = { companyId, platformAgentId: "agent_1", name: "Reminder" };
    await shareAgent({ sql }, agent);

    await assert.rejects(shareAgent({ sql }, agent), { code: "already_exists" });
    await assert.rejects(shareAgent({ sql }, { ...agent, companyId: crypto.randomUUID() }), {
      code: "not_found",
    });
    for (const change of [{ name: " " }, { name: "x".repeat(201) }, { platformAgentId: "" }]) {
      await assert.rejects(shareAgent({ sql }, { ...agent, platformAgentId: "agent_2", ...change }), {
        code: "bad_value",
      });
    }
  }));
