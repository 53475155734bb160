import assert from "node:assert/strict";
import { createAgent, listAgents, setAgentStatus } from "../../cli/agent/actions.ts";
import { withTestDatabase } from "../setup/database/database.ts";
import { insertAgent, insertCompany } from "../setup/fixtures/fixtures.ts";
import { runAdmin } from "./run_admin.ts";

Deno.test("createAgent() makes an active agent, listAgents() shows those of one company, or of all", () =>
  withTestDatabase(async ({ sql }) => {
    const { id: companyId } = await insertCompany(sql);
    await insertAgent(sql, (await insertCompany(sql)).id);

    const { agentId } = await createAgent({ sql }, {
      companyId,
      platformAgentId: "agent_1",
      name: "Reminder",
    });

    const [agent, ...others] = await listAgents({ sql }, { companyId });
    const { created_at, ...rest } = { ...agent! };
    assert.deepEqual([rest, others], [{
      agent_id: agentId,
      company_id: companyId,
      platform_agent_id: "agent_1",
      name: "Reminder",
      status: "active",
    }, []]);
    assert.ok(created_at instanceof Date);
    assert.equal((await listAgents({ sql })).length, 2);
  }));

Deno.test("createAgent() refuses an agent the company has, another's company, and names that cannot be", () =>
  withTestDatabase(async ({ sql }) => {
    const { id: companyId } = await insertCompany(sql);
    const agent = { companyId, platformAgentId: "agent_1", name: "Reminder" };
    await createAgent({ sql }, agent);

    await assert.rejects(createAgent({ sql }, agent), { code: "already_exists" });
    const other = { ...agent, companyId: (await insertCompany(sql)).id };
    await assert.rejects(createAgent({ sql }, other), { code: "refused", message: /--shared/ });
    assert.ok((await createAgent({ sql }, { ...other, isShared: true })).agentId);
    await assert.rejects(createAgent({ sql }, { ...agent, companyId: crypto.randomUUID() }), {
      code: "not_found",
    });
    for (const change of [{ name: " " }, { name: "x".repeat(201) }, { platformAgentId: "" }]) {
      await assert.rejects(createAgent({ sql }, { ...agent, platformAgentId: "agent_2", ...change }), {
        code: "bad_value",
      });
    }
  }));

Deno.test("setAgentStatus() disables and enables, as often as asked", () =>
  withTestDatabase(async ({ sql }) => {
    const { id: agentId, company_id: companyId } = await insertAgent(sql, (await insertCompany(sql)).id);
    for (const status of ["disabled", "disabled", "active"] as const) {
      assert.deepEqual(await setAgentStatus({ sql }, { agentId, status }), { agentId, status });
      assert.equal((await listAgents({ sql }, { companyId }))[0]!.status, status);
    }
    await assert.rejects(setAgentStatus({ sql }, { agentId: crypto.randomUUID(), status: "active" }), {
      code: "not_found",
    });
  }));

Deno.test("admin agent create, list, disable and enable print JSON", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id: company } = await insertCompany(sql);
    const admin = async (...args: string[]) => {
      const { code, json } = await runAdmin(["agent", ...args, "--json"], { env: { DATABASE_URL: url } });
      assert.equal(code, 0);
      return json as Record<string, unknown>;
    };

    const { agent_id } = await admin(
      "create",
      "--company",
      company,
      "--platform-agent-id",
      "a_1",
      "--name",
      "R",
    );
    const disabled = await admin("disable", String(agent_id));
    const { agents } = await admin("list", "--company", company);
    const enabled = await admin("enable", String(agent_id));

    assert.deepEqual([disabled, enabled], [{ agent_id, status: "disabled" }, { agent_id, status: "active" }]);
    const [listed] = agents as Record<string, unknown>[];
    assert.deepEqual([listed!.agent_id, listed!.platform_agent_id, listed!.status], [
      agent_id,
      "a_1",
      "disabled",
    ]);
  }));
