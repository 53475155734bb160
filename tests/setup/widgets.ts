import type postgres from "postgres";
import type { JsonObject } from "./http.ts";

export interface WidgetFixture {
  id: string;
  company_id: string;
}

export interface WidgetOverrides {
  kind?: "chat" | "voice";
  config?: JsonObject;
  allowed_origins?: string[];
  is_active?: boolean;
}

/** Inserts a chat widget that may be shown anywhere and says what we say by default; a voice one talks with the agent `agent_test`. */
export async function insertWidget(
  sql: postgres.Sql,
  companyId: string,
  { config = {}, kind = "chat", allowed_origins = [], ...overrides }: WidgetOverrides = {},
): Promise<WidgetFixture> {
  const stored = kind === "voice" ? { agent_id: "agent_test", ...config } : config;
  if (kind === "voice") {
    await sql`
      insert into outbound.voice_agents (company_id, platform_agent_id, name, is_shared)
      values (${companyId}, 'agent_test', 'Test agent', true) on conflict do nothing`;
  }
  const [row] = await sql<WidgetFixture[]>`
    insert into outbound.widgets (company_id, kind, name, config, allowed_origins, is_active)
    values (${companyId}, ${kind}, ${`A ${kind} widget`}, ${sql.json(stored)}, ${allowed_origins},
      ${overrides.is_active ?? true})
    returning id, company_id`;
  return row!;
}

/** Inserts a publishable key and returns it. */
export async function insertPublishableKey(
  sql: postgres.Sql,
  companyId: string,
  { is_active = true } = {},
): Promise<string> {
  const key = `pk_${crypto.randomUUID().replaceAll("-", "")}`;
  await sql`
    insert into outbound.publishable_keys (company_id, key, is_active) values (${companyId}, ${key}, ${is_active})`;
  return key;
}
