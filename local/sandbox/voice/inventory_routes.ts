import type { Context } from "hono";
import type { SandboxApp } from "../http/sandbox_app.ts";
import {
  findAgent,
  findPhoneNumber,
  type VoiceAccount,
  type VoiceAgent,
  type VoicePhoneNumber,
} from "./voice_accounts.ts";
import { pageOfItems } from "./voice_error.ts";
import type { VoicePlatform } from "./voice_platform.ts";

/** When the simulated agents were created. The platform shows such times; no client needs true ones. */
const MADE_AT = 1_770_000_000;

/** Registers `GET /phone-numbers`, `/phone-numbers/{id}`, `/agents` and `/agents/{id}`. */
export function registerInventoryRoutes(app: SandboxApp, voice: VoicePlatform): void {
  const accountOf = (c: Context) => voice.accounts.authorize(c.req.header("xi-api-key"));
  app.get("/phone-numbers", (c) => {
    const { provider, agent_id } = c.req.query();
    const account = accountOf(c);
    const wanted = account.phoneNumbers.filter((number) =>
      (provider === undefined || number.provider === provider) &&
      (agent_id === undefined || number.agentId === agent_id)
    );
    return c.json(wanted.map((number) => phoneNumberView(account, number)));
  });
  app.get("/phone-numbers/:id", (c) => {
    const account = accountOf(c);
    return c.json(phoneNumberView(account, findPhoneNumber(account, c.req.param("id"))));
  });
  app.get("/agents", (c) => {
    const search = (c.req.query("search") ?? "").toLowerCase();
    const agents = accountOf(c).agents.filter(({ name }) => name.toLowerCase().includes(search));
    const { items, ...rest } = pageOfItems(agents, ({ agentId }) => agentId, c.req.query());
    return c.json({ agents: items.map(agentSummary), ...rest });
  });
  app.get("/agents/:id", (c) => {
    const account = accountOf(c);
    return c.json(agentView(account, findAgent(account, c.req.param("id"))));
  });
}

function phoneNumberView(account: VoiceAccount, number: VoicePhoneNumber): Record<string, unknown> {
  const agent = account.agents.find(({ agentId }) => agentId === number.agentId);
  return {
    provider: number.provider,
    phone_number_id: number.phoneNumberId,
    phone_number: number.phoneNumber,
    label: number.label ?? number.phoneNumber,
    supports_inbound: true,
    supports_outbound: number.supportsOutbound ?? true,
    assigned_agent: agent === undefined
      ? null
      : { agent_id: agent.agentId, agent_name: agent.name, environment: null, branch_id: null },
    ...(number.provider === "sip_trunk"
      ? {
        livekit_stack: "standard",
        outbound_trunk: {
          address: "sip.example.com",
          transport: "tcp",
          media_encryption: "allowed",
          has_auth_credentials: true,
        },
      }
      : {}),
  };
}

function agentSummary(agent: VoiceAgent): Record<string, unknown> {
  return {
    agent_id: agent.agentId,
    name: agent.name,
    tags: [],
    created_at_unix_secs: MADE_AT,
    voice_id: "voice_sandbox",
    access_info: {
      is_creator: true,
      creator_name: "Sandbox",
      creator_email: "sandbox@example.com",
      role: "admin",
    },
    last_call_time_unix_secs: null,
    archived: false,
  };
}

function agentView(account: VoiceAccount, agent: VoiceAgent): Record<string, unknown> {
  return {
    agent_id: agent.agentId,
    name: agent.name,
    conversation_config: {
      agent: {
        first_message: agent.firstMessage,
        language: agent.language ?? "en",
        prompt: { prompt: agent.prompt ?? "" },
      },
      tts: { voice_id: "voice_sandbox" },
      conversation: { text_only: false },
      asr: {},
      turn: {},
    },
    metadata: { created_at_unix_secs: MADE_AT, updated_at_unix_secs: MADE_AT },
    platform_settings: {
      auth: { enable_auth: true, allowlist: [] },
      overrides: {},
      widget: {},
      call_limits: { agent_concurrency_limit: -1, daily_limit: 100_000 },
    },
    phone_numbers: account.phoneNumbers.filter(({ agentId }) => agentId === agent.agentId)
      .map((number) => phoneNumberView(account, number)),
    tags: [],
  };
}
