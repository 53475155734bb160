import assert from "node:assert/strict";
import { insertMember } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject, TestAnswer } from "../../setup/http/http.ts";
import { notifyBody } from "../../setup/fixtures/notify_body.ts";
import { insertTenant } from "../../setup/stack/stack.ts";
import type { TestServicesOptions } from "../../setup/stack/services.ts";
import { type Environment, withEnvironment } from "../with_environment.ts";

/** A live company whose owner has made a test company, and a key of that. */
export interface TestMode extends Environment, Awaited<ReturnType<typeof insertTenant>> {
  owner: { id: string; token: string };
  testCompany: string;
  testKey: string;
  /** Asks for a path below `/manage/companies/{company_id}`, as the owner unless another token is given. */
  ask(
    method: string,
    path: string,
    body?: unknown,
    options?: { company?: string; token?: string },
  ): Promise<TestAnswer<JsonObject>>;
  /** Sends to these numbers with a key. */
  send(key: string, numbers: string[], changes?: JsonObject): Promise<TestAnswer<JsonObject>>;
  /** Asks for a path below `/manage/companies/mine`. */
  read(key: string, path: string): Promise<TestAnswer<JsonObject>>;
}

/** A good request for a test key, changed as given. */
export function testKeyBody(changes: JsonObject = {}): JsonObject {
  return {
    name: "CI",
    permissions: ["chatapp_notifications", "contacts", "templates", "webhooks", "reports", "settings"],
    rate_limit: 300,
    daily_quota: 10_000,
    ...changes,
  };
}

/** Calls `fn` with the service, its platform and a company that may send, whose owner has made a test key. */
export async function withTestCompany(
  fn: (t: TestMode) => Promise<void>,
  options: TestServicesOptions = {},
): Promise<void> {
  await withEnvironment(async (environment) => {
    const { sql, http, sandbox } = environment;
    const tenant = await insertTenant(environment, sandbox);
    const user = await environment.createUser();
    await insertMember(sql, tenant.company.id, user.id);
    const owner = { id: user.id, token: await environment.logIn(user) };
    const ask: TestMode["ask"] = (
      method,
      path,
      body,
      { company = tenant.company.id, token = owner.token } = {},
    ) =>
      http.request(method, `/manage/companies/${company}${path}`, body, {
        headers: { authorization: `Bearer ${token}`, ...(method === "PUT" && { "if-match": "*" }) },
      });
    const opened = await ask("POST", "/test_company");
    assert.equal(opened.status, 200, JSON.stringify(opened.body));
    const testCompany: string = opened.body.company_id;
    const made = await ask("POST", "/keys/further", testKeyBody(), { company: testCompany });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    await fn({
      ...environment,
      ...tenant,
      owner,
      testCompany,
      testKey: made.body.key,
      ask,
      send: (key, numbers, changes = {}) => {
        const { contact, ...body } = notifyBody(tenant, changes);
        const contacts = numbers.map((number) => ({ number, name: contact.name }));
        return http.post("/notify", { ...body, contacts }, { query: { access_key: key } });
      },
      read: (key, path) => http.get(`/manage/companies/mine${path}`, { query: { access_key: key } }),
    });
  }, options);
}
