import { newPublishableKey } from "../../supabase/functions/_shared/access/new_keys.ts";
import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import {
  insertPublishableKey,
  readEmbeddingKey,
} from "../../supabase/functions/_shared/db/access/publishable_keys.ts";
import { insertAgent, readAgentPage } from "../../supabase/functions/_shared/db/calls/agents.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { insertDocument, readDocumentPage } from "../../supabase/functions/_shared/db/widgets/knowledge.ts";
import {
  insertWidget,
  readWidgetPage,
  type WidgetKind,
} from "../../supabase/functions/_shared/db/widgets/widgets.ts";
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
  const agents = await readAgentPage(sql, { companyId, limit: MAX_LISTED });
  const known = agents.find((each) => each.platform_agent_id === agent.platformAgentId);
  if (known) return known.agent_id;
  const added = await insertAgent(sql, { companyId, ...agent }, CLI);
  if (typeof added === "string") throw new Error(`The demo's agent is ${added}`);
  return added.agent_id;
}

const MAX_LISTED = 1000;

async function keyOf(sql: Sql, companyId: string): Promise<string> {
  const known = await readEmbeddingKey(sql, companyId);
  if (known !== undefined) return known;
  const key = newPublishableKey(companyId);
  await insertPublishableKey(sql, companyId, key, CLI);
  return key;
}

async function widgetOf(
  sql: Sql,
  companyId: string,
  kind: WidgetKind,
  config: Record<string, unknown>,
): Promise<string> {
  const widgets = await readWidgetPage(sql, { companyId, kind, limit: MAX_LISTED });
  const widget = { companyId, kind, name: `Demo ${kind}`, config, allowed_origins: [] };
  // The list is the newest first, and the demo's own is the oldest.
  return (widgets.at(-1) ?? await insertWidget(sql, widget, CLI)).widget_id;
}
