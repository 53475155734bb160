import assert from "node:assert/strict";
import type { SandboxAccount, SandboxTemplate } from "../../local/sandbox/options.ts";
import { startSandbox } from "../../local/sandbox/start.ts";
import { createSealer, senderTokenOf } from "../../supabase/functions/_shared/crypto/seal.ts";
import { insertSender, insertTemplate } from "../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { type Manage, withManage } from "./with_manage.ts";

function templates(count: number, overrides: Partial<SandboxTemplate> = {}): SandboxTemplate[] {
  return Array.from({ length: count }, (_, n) => ({
    name: `template_${n}`,
    language: "en",
    category: "UTILITY",
    status: "APPROVED",
    components: [{ type: "BODY", text: "Your order is ready." }],
    ...overrides,
  }));
}

/** With a platform that has these accounts. */
async function withAccounts(
  accounts: Pick<SandboxAccount, "wabaId" | "token" | "templates">[],
  fn: (t: Manage & { sync(): Promise<JsonObject[]> }) => Promise<void>,
): Promise<void> {
  const sandbox = await startSandbox({
    port: 0,
    webhookUrl: null,
    appSecret: "app-secret",
    accounts: accounts.map((account) => ({ numbers: [], ...account })),
  });
  try {
    await withManage(
      (t) => fn({ ...t, sync: async () => (await t.act("/templates/sync")).body.accounts }),
      { env: { WHATSAPP_API_URL: sandbox.url } },
    );
  } finally {
    await sandbox.close();
  }
}

Deno.test("a sync reads every page, once per account, and writes nothing the second time", () =>
  withAccounts([{ wabaId: "1022", token: "token-a", templates: templates(250) }], async (t) => {
    for (const _ of [1, 2]) await insertSender(t.sql, t.company.id, { waba_id: "1022", token: "token-a" });

    assert.deepEqual(await t.sync(), [{ waba_id: "1022", templates: 250, changed: 250, error: null }]);
    assert.deepEqual(await t.sync(), [{ waba_id: "1022", templates: 250, changed: 0, error: null }]);
    const { body } = await t.read("/templates", { limit: "1000" });
    assert.equal(body.templates.length, 250);
  }));

Deno.test("a sync takes states over and disables what the platform no longer has", () =>
  withAccounts(
    [{ wabaId: "1022", token: "token-a", templates: templates(1, { status: "PAUSED" }) }],
    async (t) => {
      const sender = await insertSender(t.sql, t.company.id, { waba_id: "1022", token: "token-a" });
      await insertTemplate(t.sql, sender, { name: "gone" });

      await t.sync();

      const { body } = await t.read("/templates");
      const facts = body.templates.map((
        { name, status, rejected_reason }: JsonObject,
      ) => [name, status, rejected_reason]);
      assert.deepEqual(facts.toSorted(), [
        ["gone", "disabled", "No longer on the platform"],
        ["template_0", "disabled", null],
      ]);
    },
  ));

Deno.test("a sync goes on after an account it cannot read, and leaves that account's templates alone", () =>
  withAccounts([
    { wabaId: "1", token: "token-a", templates: templates(2) },
    { wabaId: "2", token: "token-b", templates: templates(2) },
  ], async (t) => {
    const expired = await insertSender(t.sql, t.company.id, { waba_id: "1", token: "expired-token" });
    await insertSender(t.sql, t.company.id, { waba_id: "2", token: "token-b" });
    const kept = await insertTemplate(t.sql, expired, { name: "kept" });

    const [first, second] = await t.sync();

    assert.match(first!.error, /did not list the templates/);
    assert.doesNotMatch(first!.error, /expired-token/);
    assert.deepEqual(second, { waba_id: "2", templates: 2, changed: 2, error: null });
    assert.equal((await t.read(`/templates/${kept.id}`)).body.status, "approved");
  }));

Deno.test("a sync prefers the token of a sender that works", () =>
  withAccounts([{ wabaId: "1022", token: "token-a", templates: templates(1) }], async (t) => {
    const stopped = { token: "expired", status: "stopped", stopped_reason: "Token expired" } as const;
    await insertSender(t.sql, t.company.id, { waba_id: "1022", ...stopped });
    await insertSender(t.sql, t.company.id, { waba_id: "1022", token: "token-a" });

    const [account] = await t.sync();

    assert.equal(account!.error, null);
  }));

Deno.test("a sync says that an account's senders have no token, and that no key opens it", () =>
  withAccounts([], async (t) => {
    const { id } = await insertSender(t.sql, t.company.id, { waba_id: "1022" });
    const token_sealed = await createSealer("x".repeat(32)).seal("token-a", senderTokenOf(t.company.id, id));
    await t.sql`update outbound.senders set token_sealed = ${token_sealed} where id = ${id}`;
    const [sealed] = await t.sync();
    await t.sql`update outbound.senders set token_sealed = null where id = ${id}`;
    const [missing] = await t.sync();

    assert.match(sealed!.error, /cannot be opened: it is sealed with the key/);
    assert.match(missing!.error, /None of its senders has a token/);
  }));
