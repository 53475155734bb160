import type postgres from "postgres";
import { hashAccessKey, newAccessKey } from "../../supabase/functions/_shared/access/new_keys.ts";
import { KEY_PERMISSIONS, type KeyPermission } from "../../supabase/functions/_shared/access/permissions.ts";
import { accessKeyOf, createSealer, senderTokenOf } from "../../supabase/functions/_shared/crypto/seal.ts";

/** The OUTBOUND_SECRETS_KEY of every test; fixtures seal keys and tokens with it. */
export const TEST_SECRETS_KEY = "test-secrets-key-of-32-characters!";

const sealer = createSealer(TEST_SECRETS_KEY);

export interface CompanyFixture {
  id: string;
  name: string;
}

/** Inserts a company of its own; columns may be given by name. */
export async function insertCompany(
  sql: postgres.Sql,
  overrides: { id?: string; name?: string; api_access?: boolean; on_unknown?: "resend" | "hold" } = {},
): Promise<CompanyFixture> {
  const row = { id: crypto.randomUUID(), name: `Company ${unique()}`, ...overrides };
  await sql`insert into outbound.companies ${sql(row)}`;
  return { id: row.id, name: row.name };
}

export interface KeyFixture {
  id: string;
  company_id: string;
  /** The value of `access_key`. */
  key: string;
}

export interface KeyOverrides {
  key?: string;
  permissions?: KeyPermission[];
  rate_limit?: number;
  daily_quota?: number;
  is_active?: boolean;
  is_current?: boolean;
}

/** Inserts the current access key of a company, with all permissions by default. */
export async function insertKey(
  sql: postgres.Sql,
  companyId: string,
  { key = newAccessKey().key, ...overrides }: KeyOverrides = {},
): Promise<KeyFixture> {
  const id = crypto.randomUUID();
  const row = {
    id,
    company_id: companyId,
    key_hash: hashAccessKey(key),
    key_sealed: await sealer.seal(key, accessKeyOf(companyId, id)),
    permissions: [...KEY_PERMISSIONS],
    ...overrides,
  };
  await sql`insert into outbound.api_keys ${sql(row)}`;
  return { id: row.id, company_id: companyId, key };
}

/** Makes a user of the auth server a member of a company. */
export async function insertMember(
  sql: postgres.Sql,
  companyId: string,
  userId: string = crypto.randomUUID(),
  role = "owner",
): Promise<{ user_id: string }> {
  await sql`insert into outbound.company_members ${sql({ company_id: companyId, user_id: userId, role })}`;
  return { user_id: userId };
}

/** Invites a user of the auth server to a company; they have not accepted. */
export async function insertInvitation(
  sql: postgres.Sql,
  companyId: string,
  userId: string,
  role = "owner",
): Promise<void> {
  const pending = { accepted_at: null, invited_email: "invited@acme.example" };
  await sql`insert into outbound.memberships ${
    sql({ company_id: companyId, user_id: userId, role, ...pending })
  }`;
}

export interface SenderFixture {
  id: string;
  company_id: string;
  number: string;
  platform_id: string;
  waba_id: string | null;
  /** The platform's access token, in the clear. */
  token: string;
}

export interface SenderOverrides {
  channel?: "whatsapp" | "voice";
  number?: string;
  platform_id?: string;
  waba_id?: string | null;
  token?: string;
  rate_per_second?: number;
  /** Voice: calls at a time. */
  concurrency?: number;
  status?: "active" | "stopped";
  stopped_reason?: string | null;
}

/** Inserts an active WhatsApp sender with a number, a platform id, an account and a token of its own. */
export async function insertSender(
  sql: postgres.Sql,
  companyId: string,
  { token = `token-${unique()}`, ...overrides }: SenderOverrides = {},
): Promise<SenderFixture> {
  const id = crypto.randomUUID();
  const row = {
    id,
    company_id: companyId,
    channel: "whatsapp",
    number: uniqueDigits(),
    platform_id: uniqueDigits(),
    waba_id: uniqueDigits(),
    token_sealed: await sealer.seal(token, senderTokenOf(companyId, id)),
    ...overrides,
  };
  await sql`insert into outbound.senders ${sql(row)}`;
  const { number, platform_id, waba_id } = row;
  return { id, company_id: companyId, number, platform_id, waba_id, token };
}

/** Inserts an active voice sender with a number, a platform id and an API key of its own. */
export function insertVoiceSender(
  sql: postgres.Sql,
  companyId: string,
  overrides: SenderOverrides = {},
): Promise<SenderFixture> {
  const platform_id = `phnum_${unique()}`;
  return insertSender(sql, companyId, { channel: "voice", waba_id: null, platform_id, ...overrides });
}

export interface AgentFixture {
  id: string;
  company_id: string;
  platform_agent_id: string;
  name: string;
}

/** Inserts an active voice agent with a platform id of its own. */
export async function insertAgent(
  sql: postgres.Sql,
  companyId: string,
  overrides: { platform_agent_id?: string; name?: string; status?: "active" | "disabled" } = {},
): Promise<AgentFixture> {
  const row = {
    id: crypto.randomUUID(),
    company_id: companyId,
    platform_agent_id: `agent_${unique()}`,
    name: "Reminder",
    ...overrides,
  };
  await sql`insert into outbound.voice_agents ${sql(row)}`;
  const { id, company_id, platform_agent_id, name } = row;
  return { id, company_id, platform_agent_id, name };
}

export interface TemplateFixture {
  id: string;
  company_id: string;
  waba_id: string;
  name: string;
  language: string;
}

export interface TemplateOverrides {
  name?: string;
  language?: string;
  category?: string;
  status?: string;
  platform_template_id?: string | null;
  parameter_format?: "POSITIONAL" | "NAMED";
  components?: postgres.JSONValue[];
}

/** Inserts an approved English template whose body has two variables. */
export async function insertTemplate(
  sql: postgres.Sql,
  owner: { company_id: string; waba_id: string | null },
  { components = ORDER_COMPONENTS, ...overrides }: TemplateOverrides = {},
): Promise<TemplateFixture> {
  const row = {
    id: crypto.randomUUID(),
    company_id: owner.company_id,
    waba_id: owner.waba_id ?? uniqueDigits(),
    name: `order_ready_${letters(unique())}`,
    language: "en",
    category: "UTILITY",
    status: "approved",
    platform_template_id: uniqueDigits(),
    ...overrides,
  };
  await sql`insert into outbound.templates ${
    sql({ ...row, components: sql.json(components) } as typeof row)
  }`;
  const { id, company_id, waba_id, name, language } = row;
  return { id, company_id, waba_id, name, language };
}

/** The body of the template that `insertTemplate` makes by default. */
export const ORDER_COMPONENTS: postgres.JSONValue[] = [
  {
    type: "BODY",
    text: "Hello {{1}}, your order {{2}} is ready.",
    example: { body_text: [["Ana", "A-17"]] },
  },
];

function unique(): string {
  return crypto.randomUUID().slice(0, 8);
}

/** Thirteen digits, as a phone number or an id of the platform. */
function uniqueDigits(): string {
  const random = crypto.getRandomValues(new Uint32Array(2));
  return `4${String((random[0] ?? 0) * 1000 + (random[1] ?? 0) % 1000).padStart(12, "0").slice(-12)}`;
}

function letters(hex: string): string {
  return hex.replace(/[0-9]/g, (digit) => "ghijklmnop"[Number(digit)] ?? "");
}
