import assert from "node:assert/strict";
import { listTemplates, syncTemplates } from "../../../cli/template/actions.ts";
import type { SyncProgress } from "../../../supabase/functions/_shared/templates/sync_accounts.ts";
import type { SandboxAccount, SandboxTemplate } from "../../../local/sandbox/options.ts";
import { startSandbox } from "../../../local/sandbox/start.ts";
import { createSealer } from "../../../supabase/functions/_shared/crypto/seal.ts";
import type { WhatsappConfig } from "../../../supabase/functions/_shared/gateways/whatsapp/errors.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import {
  insertCompany,
  insertSender,
  insertTemplate,
  TEST_SECRETS_KEY,
} from "../../setup/fixtures/fixtures.ts";

const sealer = createSealer(TEST_SECRETS_KEY);

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

async function withPlatform(
  accounts: Pick<SandboxAccount, "wabaId" | "token" | "templates">[],
  fn: (whatsapp: WhatsappConfig) => Promise<void>,
): Promise<void> {
  const sandbox = await startSandbox({
    port: 0,
    webhookUrl: null,
    appSecret: "app-secret",
    accounts: accounts.map((account) => ({ numbers: [], ...account })),
  });
  try {
    await fn({ apiUrl: sandbox.url, apiVersion: "v25.0" });
  } finally {
    await sandbox.close();
  }
}

Deno.test("syncTemplates() reads every page, and writes nothing the second time", () =>
  withTestDatabase(({ sql }) =>
    withPlatform([{ wabaId: "1022", token: "token-a", templates: templates(250) }], async (whatsapp) => {
      const { id: companyId } = await insertCompany(sql);
      for (const _ of [1, 2]) await insertSender(sql, companyId, { waba_id: "1022", token: "token-a" });
      const seen: SyncProgress[] = [];
      const context = { sql, sealer, whatsapp, onProgress: (progress: SyncProgress) => seen.push(progress) };

      const first = await syncTemplates(context, { companyId });
      const pages = seen.length;
      const second = await syncTemplates(context, { companyId });

      assert.deepEqual(first, [{ wabaId: "1022", templates: 250, changed: 250, error: null }]);
      assert.deepEqual(second, [{ wabaId: "1022", templates: 250, changed: 0, error: null }]);
      assert.ok(pages > 3, "every page is reported");
      assert.deepEqual(seen.at(-1), { accountsDone: 1, accounts: 1, templates: 250 });
      assert.equal((await listTemplates({ sql }, { companyId })).length, 250);
    })
  ));

Deno.test("syncTemplates() takes states over and disables what the platform no longer has", () =>
  withTestDatabase(({ sql }) =>
    withPlatform(
      [{ wabaId: "1022", token: "token-a", templates: templates(1, { status: "PAUSED" }) }],
      async (whatsapp) => {
        const { id: companyId } = await insertCompany(sql);
        const sender = await insertSender(sql, companyId, { waba_id: "1022", token: "token-a" });
        await insertTemplate(sql, sender, { name: "gone" });

        await syncTemplates({ sql, sealer, whatsapp }, { companyId });

        const rows = await listTemplates({ sql }, { companyId });
        assert.deepEqual(
          rows.map(({ name, status, rejected_reason: rejectedReason }) => [name, status, rejectedReason]),
          [
            ["gone", "disabled", "No longer on the platform"],
            ["template_0", "disabled", null],
          ],
        );
      },
    )
  ));

Deno.test("syncTemplates() goes on after an account it cannot read, and leaves that account's templates alone", () =>
  withTestDatabase(({ sql }) =>
    withPlatform(
      [
        { wabaId: "1", token: "token-a", templates: templates(2) },
        { wabaId: "2", token: "token-b", templates: templates(2) },
      ],
      async (whatsapp) => {
        const { id: companyId } = await insertCompany(sql);
        const expired = await insertSender(sql, companyId, { waba_id: "1", token: "expired-token" });
        await insertSender(sql, companyId, { waba_id: "2", token: "token-b" });
        const kept = await insertTemplate(sql, expired, { name: "kept" });

        const [first, second] = await syncTemplates({ sql, sealer, whatsapp }, { companyId });

        assert.match(first?.error ?? "", /did not list the templates/);
        assert.ok(!first?.error?.includes("expired-token"));
        assert.deepEqual(second, { wabaId: "2", templates: 2, changed: 2, error: null });
        const row = (await listTemplates({ sql }, { companyId })).find(({ template_id: templateId }) =>
          templateId === kept.id
        );
        assert.equal(row?.status, "approved");
      },
    )
  ));

Deno.test("syncTemplates() prefers the token of a sender that works", () =>
  withTestDatabase(({ sql }) =>
    withPlatform([{ wabaId: "1022", token: "token-a", templates: templates(1) }], async (whatsapp) => {
      const { id: companyId } = await insertCompany(sql);
      await insertSender(sql, companyId, {
        waba_id: "1022",
        token: "expired",
        status: "stopped",
        stopped_reason: "Token expired",
      });
      await insertSender(sql, companyId, { waba_id: "1022", token: "token-a" });

      const [account] = await syncTemplates({ sql, sealer, whatsapp }, { companyId });

      assert.equal(account?.error, null);
    })
  ));

Deno.test("syncTemplates() says what is missing: the company, a sender, a token, the right OUTBOUND_SECRETS_KEY", () =>
  withTestDatabase(async ({ sql }) => {
    const whatsapp = { apiUrl: "http://127.0.0.1:9", apiVersion: "v25.0" };
    const sync = (companyId: string, key = TEST_SECRETS_KEY) =>
      syncTemplates({ sql, sealer: createSealer(key), whatsapp }, { companyId });
    const { id: companyId } = await insertCompany(sql);

    await assert.rejects(sync(crypto.randomUUID()), { code: "not_found" });
    await assert.rejects(sync(companyId), { code: "bad_value", message: /no WhatsApp sender/ });
    const { id } = await insertSender(sql, companyId, { waba_id: "1022" });
    assert.match(
      (await sync(companyId, "x".repeat(32)))[0]?.error ?? "",
      /cannot be opened: it is sealed with the key/,
    );
    await sql`update outbound.senders set token_sealed = null where id = ${id}`;
    assert.match((await sync(companyId))[0]?.error ?? "", /None of its senders has a token/);
  }));
