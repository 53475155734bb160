import { createCompany } from "../../cli/company/actions.ts";
import { createKey } from "../../cli/key/actions.ts";
import { createSender, listSenders, type SenderRequest, updateSender } from "../../cli/sender/actions.ts";
import { createUser } from "../../cli/user/actions.ts";
import { KEY_PERMISSIONS } from "../../supabase/functions/_shared/access/permissions.ts";
import { accessKeyOf, type Sealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import { readCurrentKey } from "../../supabase/functions/_shared/db/access/keys.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { readTemplates } from "../../supabase/functions/_shared/db/templates/templates.ts";
import type { WhatsappConfig } from "../../supabase/functions/_shared/gateways/whatsapp/errors.ts";
import { syncCompany } from "../../supabase/functions/_shared/templates/sync_accounts.ts";
import { DEMO_AGENT, DEMO_CALLER, DEMO_SENDER } from "./demo_data.ts";
import { agentOf, type DemoWidgets, makeWidgets } from "./make_widgets.ts";

export interface DemoContext {
  sql: Sql;
  sealer: Sealer;
  supabaseUrl: string;
  supabaseSecretKey: string;
  whatsapp: WhatsappConfig;
}

export interface DemoOptions {
  password: string;
  /** The token of the sandbox's account; without one the company gets no sender and no templates. */
  sandboxToken: string | undefined;
  /** The key of the sandbox's voice account; without one the company gets no voice sender and no agent. */
  sandboxVoiceKey: string | undefined;
}

/** The demo data, in the names of `stack.json`. */
export interface Demo extends DemoWidgets {
  email: string;
  password: string;
  company_id: string;
  access_key: string;
  /** The number that messages and calls leave from. */
  sender?: string;
  agent_id?: string;
  waba_id?: string;
  templates?: string[];
}

const COMPANY = "Demo Traders";
const EMAIL = "demo@example.com";

/**
 * Makes a company to try things with: a user, a key with all permissions, widgets, and at the sandbox a sender with
 * its templates, and a voice sender with an agent. Keeps what exists.
 */
export async function makeDemo(
  context: DemoContext,
  { password, sandboxToken, sandboxVoiceKey }: DemoOptions,
): Promise<Demo> {
  const companyId = await findOrMakeCompany(context);
  const [key, widgets, messages, calls] = await Promise.all([
    keyOf(context, companyId),
    makeWidgets(context.sql, companyId),
    sandboxToken !== undefined && makeMessages(context, companyId, sandboxToken),
    sandboxVoiceKey !== undefined && makeCalls(context, companyId, sandboxVoiceKey),
    createUser(context, { email: EMAIL, password, name: "Demo User", companyIds: [companyId] }),
  ]);
  return {
    ...{ email: EMAIL, password, company_id: companyId, access_key: key },
    ...widgets,
    ...messages,
    ...calls,
  };
}

async function makeMessages(context: DemoContext, companyId: string, token: string) {
  await makeSender(context, { companyId, channel: "whatsapp", token, ...DEMO_SENDER });
  await syncCompany(context, companyId, CLI);
  const templates = await readTemplates(context.sql, companyId);
  return {
    sender: DEMO_SENDER.number,
    waba_id: DEMO_SENDER.wabaId,
    templates: [...new Set(templates.map((template) => template.name))],
  };
}

async function makeCalls(context: DemoContext, companyId: string, token: string) {
  await makeSender(context, { companyId, channel: "voice", token, ...DEMO_CALLER });
  return { sender: DEMO_CALLER.number, agent_id: await agentOf(context, companyId, DEMO_AGENT) };
}

async function findOrMakeCompany({ sql }: DemoContext): Promise<string> {
  const [found] = await sql<{ id: string }[]>`
    select id from outbound.companies where name = ${COMPANY} order by created_at, id limit 1`;
  return found?.id ?? (await createCompany({ sql }, { name: COMPANY })).companyId;
}

async function keyOf(context: DemoContext, companyId: string): Promise<string> {
  const known = await readCurrentKey(context.sql, companyId);
  if (known) return await context.sealer.open(known.sealed, accessKeyOf(companyId, known.key_id));
  return (await createKey(context, { companyId, permissions: KEY_PERMISSIONS })).key;
}

async function makeSender(context: DemoContext, sender: SenderRequest): Promise<void> {
  const { companyId, platformId, token } = sender;
  const senders = await listSenders(context, { companyId });
  const known = senders.find((row) => row.platform_id === platformId);
  if (known) await updateSender(context, { senderId: known.sender_id, token });
  else await createSender(context, sender);
}
