import assert from "node:assert/strict";
import { insertAgent as insertStoredAgent } from "../../supabase/functions/_shared/db/calls/agents.ts";
import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import { insertAgent, insertCompany } from "../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { insertCallingCompany } from "../setup/fixtures/calling_company.ts";
import { withManage } from "./with_manage.ts";

Deno.test("GET …/agents lists agents page by page, newest first, and filters them", () =>
  withManage(async (t) => {
    const older = await insertAgent(t.sql, t.company.id);
    const newer = await insertAgent(t.sql, t.company.id, { status: "disabled" });
    await insertCallingCompany(t.sql);
    const list = async (query: Record<string, string>) => (await t.read("/agents", query)).body;

    const first = await list({ limit: "1" });
    const second = await list({ limit: "1", after: first.next });

    assert.deepEqual([first.agents[0].agent_id, second.agents[0].agent_id], [newer.id, older.id]);
    assert.deepEqual((await list({ limit: "1", after: second.next })).agents, []);
    const active = (await list({ status: "active" })).agents;
    assert.deepEqual(active.map((row: JsonObject) => row.agent_id), [older.id]);
  }));

Deno.test("a member adds, disables and enables an agent, each with one audit row", () =>
  withManage(async (t) => {
    const agent = { platform_agent_id: "agent_7101", name: "Reminders" };
    const added = (await t.act("/agents", agent)).body;
    assert.deepEqual([added.name, added.status], ["Reminders", "active"]);

    const repeated = await t.act("/agents", agent);
    assert.deepEqual([repeated.status, repeated.body.details.field], [400, "platform_agent_id"]);
    for (const verb of ["disable", "disable", "enable"]) {
      const { body } = await t.act(`/agents/${added.agent_id}/${verb}`);
      assert.equal(body.status, verb === "enable" ? "active" : "disabled");
    }

    const { body: { audit } } = await t.read("/audit");
    assert.deepEqual(
      audit.map(({ actor, action, subject }: JsonObject) => [actor, action, subject]),
      ["enabled", "disabled", "created"].map((
        verb,
      ) => [`user:${t.members.operator.userId}`, `agent.${verb}`, added.agent_id]),
    );
  }));

Deno.test("POST …/agents refuses names that are no single line, and agents of others stay as they are", () =>
  withManage(async (t) => {
    for (const name of ["", " ", "a\nb", "x".repeat(201), 7, null]) {
      const { status, body } = await t.act("/agents", { platform_agent_id: "agent_1", name });
      assert.deepEqual([status, body.details.field], [400, "name"], String(name));
    }
    const { agent } = await insertCallingCompany(t.sql);
    assert.equal((await t.act(`/agents/${agent.id}/disable`)).status, 404);
    const [row] = await t.sql`select status from outbound.voice_agents where id = ${agent.id}`;
    assert.equal(row!.status, "active");
    assert.equal((await t.read("/audit")).body.audit.length, 0);
  }));

Deno.test("an agent of the platform belongs to one company, and widgets name agents of their own company", () =>
  withManage(async (t) => {
    const { agent } = await insertCallingCompany(t.sql);
    const own = await insertAgent(t.sql, t.company.id);
    const widget = (agent_id: string) => ({ kind: "voice", name: "Call", config: { agent_id } });
    const { body: { widget_id } } = await t.act("/widgets", widget(own.id));
    const change = (agent_id: string) =>
      t.members.operator.ask("PUT", `/companies/${t.company.id}/widgets/${widget_id}`, {
        config: { agent_id },
      });

    const taken = await t.act("/agents", { platform_agent_id: agent.platform_agent_id, name: "Mine" });

    assert.deepEqual([taken.status, taken.body.details], [400, {
      field: "platform_agent_id",
      reason: "belongs to another company",
    }]);
    for (const id of [agent.id, agent.platform_agent_id, "agent_unknown"]) {
      for (const refused of [await t.act("/widgets", widget(id)), await change(id)]) {
        assert.deepEqual([refused.status, refused.body.details.field], [400, "config.agent_id"], id);
      }
    }
    for (const id of [own.id, own.platform_agent_id]) assert.equal((await change(id)).status, 200, id);
  }));

Deno.test("of two companies that add the same agent at once, one gets it", () =>
  withManage(async (t) => {
    const other = await insertCompany(t.sql);
    const [first, second] = await Promise.all([t.company, other].map(({ id: companyId }) =>
      insertStoredAgent(t.sql, { companyId, platformAgentId: "agent_7101", name: "Ours" }, CLI)
    ));

    assert.deepEqual(
      [first, second].filter((agent) =>
        agent === "of_another_company"
      ).length,
      1,
    );
  }));
