import { createLog } from "../../supabase/functions/_shared/log.ts";
import { TEST_SECRETS_KEY } from "../setup/fixtures/fixtures.ts";
import {
  createTestHttp,
  type JsonObject,
  type TestAnswer,
  type TestRequestOptions,
} from "../setup/http/http.ts";
import { assertDocumented } from "../setup/http/openapi.ts";
import { readDocument, TEST_ENV, type TestServicesOptions } from "../setup/stack/services.ts";
import { insertTenant, type TestStack, withStack } from "../setup/stack/stack.ts";
import { assertHouseRules } from "./house_rules.ts";
import { notifyBody } from "../setup/fixtures/notify_body.ts";

export type Tenant = Pick<TestStack, "company" | "key" | "sender" | "template">;

/** The service as a client sees it: over a socket, with a platform behind it and a company that may send. */
export interface Api extends TestStack {
  /** The service's log, one JSON object per line. */
  logs: string[];
  /** One more company, with a key, a sender and a template of its own. */
  addTenant(): Promise<Tenant>;
  /** `POST /notify` with the company's key and a good body, changed as given; undefined takes a field out. */
  notify(changes?: JsonObject, options?: TestRequestOptions): Promise<TestAnswer<JsonObject>>;
  /** `GET /notify/status` of a campaign. */
  status(campaignId: string): Promise<JsonObject>;
}

/**
 * Calls `fn` with the service, then checks every response against the OpenAPI document, and responses and log against
 * the rules that hold for all of them.
 */
export async function withApi(
  fn: (api: Api) => Promise<void>,
  options: TestServicesOptions = {},
): Promise<void> {
  const logs: string[] = [];
  const services = { log: createLog("debug", (line) => logs.push(line)), ...options.services };
  await withStack(async (stack) => {
    const document = await readDocument(stack.app);
    const http = createTestHttp(stack.url);
    const tenants: Tenant[] = [stack];
    const addTenant = async () => {
      const tenant = await insertTenant(stack, stack.sandbox);
      tenants.push(tenant);
      return tenant;
    };
    await fn({
      ...stack,
      http,
      logs,
      addTenant,
      notify: (changes = {}, { query, ...rest } = {}) =>
        http.post("/notify", notifyBody(stack, changes), {
          ...rest,
          query: { access_key: stack.key.key, ...query },
        }),
      status: async (campaignId) => {
        const query = { access_key: stack.key.key, campaign_id: campaignId };
        return (await http.get("/notify/status", { query })).body;
      },
    });
    assertDocumented(document, http.seen);
    assertHouseRules(http.seen, logs, tenants.flatMap(secretsOf).concat(SECRETS));
  }, { ...options, services });
}

/** Secrets that no log line may hold. */
const SECRETS = [
  TEST_SECRETS_KEY,
  TEST_ENV.WHATSAPP_APP_SECRET,
  TEST_ENV.WHATSAPP_VERIFY_TOKEN,
  TEST_ENV.OUTBOUND_DISPATCH_SECRET,
];

function secretsOf({ key, sender }: Tenant): string[] {
  return [key.key, sender.token];
}
