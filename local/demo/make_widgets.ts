import { createAgent, listAgents } from "../../cli/agent/actions.ts";
import { createPublishableKey, listPublishableKeys } from "../../cli/key/actions.ts";
import { createWidget, listWidgets } from "../../cli/widget/actions.ts";
import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { insertDocument, readDocumentPage } from "../../supabase/functions/_shared/db/widgets/knowledge.ts";
import type { WidgetKind } from "../../supabase/functions/_shared/db/widgets/widgets.ts";
import { DEMO_CHAT_CONFIG, DEMO_DOCUMENTS, DEMO_VOICE_CONFIG, DEMO_WIDGET_AGENT } from "./demo_data.ts";

/** The demo widgets, in the names of `stack.json`. */
export interface DemoWidgets {
  publishable_key: string;
  chat_widget_id: string;
  voice_widget_id: string;
}

/** Makes a chat widget, a voice widget, a key for pages and documents for a company, where they are missing. */
export async function makeWidgets(sql: Sql, companyId: string): Promise<DemoWidgets> {
  const documents = await readDocumentPage(sql, { companyId, limit: 1 });
  if (documents.length === 0) {
    for (const document of DEMO_DOCUMENTS) await insertDocument(sql, { companyId, ...document }, CLI);
  }
  await agentOf({ sql }, companyId, DEMO_WIDGET_AGENT);
  return {
    publishable_key: await keyOf(sql, companyId),
    chat_widget_id: await widgetOf(sql, companyId, "chat", DEMO_CHAT_CONFIG),
    voice_widget_id: await widgetOf(sql, companyId, "voice", DEMO_VOICE_CONFIG),
  };
}

/** Returns the company's agent with the platform's id; adds it where it is missing. */
export async function agentOf(
  { sql }: { sql: Sql },
  companyId: string,
  agent: { platformAgentId: string; name: string },
): Promise<string> {
  const agents = await listAgents({ sql }, { companyId });
  const known = agents.find((each) => each.platform_agent_id === agent.platformAgentId);
  return known?.agent_id ?? (await createAgent({ sql }, { companyId, ...agent })).agentId;
}

async function keyOf(sql: Sql, companyId: string): Promise<string> {
  const keys = await listPublishableKeys({ sql }, { companyId });
  return keys.find(({ is_active }) => is_active)?.key ??
    (await createPublishableKey({ sql }, { companyId })).key;
}

async function widgetOf(sql: Sql, companyId: string, kind: WidgetKind, config: unknown): Promise<string> {
  const widgets = await listWidgets({ sql }, { companyId });
  const found = widgets.find((widget) => widget.kind === kind);
  if (found) return found.widget_id;
  const made = await createWidget({ sql }, {
    companyId,
    kind,
    name: `Demo ${kind}`,
    config,
    allowedOrigins: [],
  });
  return made.widgetId;
}
