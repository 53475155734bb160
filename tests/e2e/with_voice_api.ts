import assert from "node:assert/strict";
import { eventually } from "../setup/eventually.ts";
import {
  type AgentFixture,
  insertAgent,
  insertCompany,
  insertKey,
  insertVoiceSender,
  type KeyFixture,
  type SenderFixture,
} from "../setup/fixtures/fixtures.ts";
import type { JsonObject, TestAnswer, TestRequestOptions } from "../setup/http/http.ts";
import type { TestServicesOptions } from "../setup/stack/services.ts";
import type { VoiceAccountExtras } from "../setup/stack/sandbox.ts";
import { type Api, withApi } from "./with_api.ts";

/** The key, the number and the agent that a company calls with. */
export interface Caller {
  key: KeyFixture;
  voiceSender: SenderFixture;
  agent: AgentFixture;
}

/** The service, and a company that may call as well as write. */
export interface VoiceApi extends Api, Caller {
  /** `POST /notify/voice` with the company's key and a good body, changed as given; undefined takes a field out. */
  voice(changes?: JsonObject, options?: TestRequestOptions): Promise<TestAnswer<JsonObject>>;
  /** One more company that may call. */
  addCaller(): Promise<Caller>;
  /** Makes the platform know the sender and its agent. */
  addVoiceAccount(extras?: VoiceAccountExtras): Promise<void>;
  /** The recipients of a campaign. */
  recipients(campaignId: string): Promise<JsonObject[]>;
  /** Waits until the counters of a campaign are as given. */
  untilCounted(campaignId: string, counters: JsonObject): Promise<void>;
}

/** A body that `POST /notify/voice` accepts, with the fields in `changes` replaced, or taken out where undefined. */
export function voiceBody({ voiceSender, agent }: Omit<Caller, "key">, changes: JsonObject = {}): JsonObject {
  return {
    contact: { number: "34600111222", first_name: "Asha" },
    recipient_id: voiceSender.number,
    agent_id: agent.id,
    notification_type: "transactional",
    campaign_name: "Reminders",
    ...changes,
  };
}

/** Calls `fn` with what `withApi` gives, and a voice sender and an agent. */
export function withVoiceApi(
  fn: (api: VoiceApi) => Promise<void>,
  options: TestServicesOptions = {},
): Promise<void> {
  return withApi(async (api) => {
    const { http, key, logs, sandbox, sql } = api;
    const callers: Caller[] = [];
    const addCaller = async (companyId?: string) => {
      const id = companyId ?? (await insertCompany(sql)).id;
      const caller = {
        key: companyId ? key : await insertKey(sql, id),
        voiceSender: await insertVoiceSender(sql, id),
        agent: await insertAgent(sql, id),
      };
      callers.push(caller);
      return caller;
    };
    const own = await addCaller(api.company.id);
    const { voiceSender, agent } = own;
    await fn({
      ...api,
      ...own,
      addCaller: () => addCaller(),
      voice: (changes = {}, { query, ...rest } = {}) =>
        http.post("/notify/voice", voiceBody(own, changes), {
          ...rest,
          query: { access_key: key.key, ...query },
        }),
      addVoiceAccount: (extras = {}) =>
        sandbox.addVoiceAccount(voiceSender, {
          agents: [{
            agentId: agent.platform_agent_id,
            name: agent.name,
            firstMessage: "Hello {{first_name}}, your table is ready at {{time}}.",
          }],
          ...extras,
        }),
      recipients: async (campaign_id) => {
        const path = `/manage/companies/mine/campaigns/${campaign_id}/recipients`;
        return (await http.get(path, { query: { access_key: key.key } })).body.recipients;
      },
      untilCounted: (campaignId, counters) =>
        eventually(async () => {
          const status = await api.status(campaignId);
          const counted = Object.fromEntries(Object.keys(counters).map((name) => [name, status[name]]));
          assert.deepEqual(counted, counters);
        }),
    });
    const tokens = callers.map((caller) => caller.voiceSender.token);
    assert.deepEqual(logs.filter((line) => tokens.some((token) => line.includes(token))), []);
  }, options);
}
