import assert from "node:assert/strict";
import { createSender, listSenders, type SenderRequest, updateSender } from "../../cli/sender/actions.ts";
import { createSealer, senderTokenOf } from "../../supabase/functions/_shared/crypto/seal.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { withTestDatabase } from "../setup/database/database.ts";
import { insertCompany, insertSender, TEST_SECRETS_KEY } from "../setup/fixtures/fixtures.ts";

const sealer = createSealer(TEST_SECRETS_KEY);

async function newSender(sql: Sql, overrides: Partial<SenderRequest> = {}): Promise<SenderRequest> {
  const { id: companyId } = await insertCompany(sql);
  const common = { channel: "whatsapp", number: "15550001111", platformId: "1065", wabaId: "1022" } as const;
  return { companyId, ...common, ...overrides };
}

async function tokenOf(sql: Sql, senderId: string): Promise<string> {
  const [row] = await sql<{ company_id: string; sealed: string }[]>`
    select company_id, token_sealed as sealed from outbound.senders where id = ${senderId}`;
  return await sealer.open(row!.sealed, senderTokenOf(row!.company_id, senderId));
}

Deno.test("createSender() stores the token sealed and listSenders() never shows it", () =>
  withTestDatabase(async ({ sql }) => {
    const sender = await newSender(sql, { token: "a-platform-token" });

    const { senderId } = await createSender({ sql, sealer }, sender);

    const rows = await listSenders({ sql }, { companyId: sender.companyId });
    assert.deepEqual(rows.map((row) => ({ ...row })), [{
      sender_id: senderId,
      company_id: sender.companyId,
      channel: "whatsapp",
      number: "15550001111",
      platform_id: "1065",
      waba_id: "1022",
      has_token: true,
      rate_per_second: 80,
      concurrency: 20,
      marketing_endpoint: "messages",
      status: "active",
      stopped_reason: null,
      stopped_code: null,
      locked: false,
      stopped_until: null,
      messaging_limit: null,
      quality: null,
      platform_notice: null,
      platform_notice_at: null,
    }]);
    assert.equal(await tokenOf(sql, senderId), "a-platform-token");
  }));

Deno.test("createSender() refuses numbers that are not 7 to 15 digits, and whatsapp without an account", () =>
  withTestDatabase(async ({ sql }) => {
    for (const number of ["+15550001111", "1555 000 1111", "0155500011", "123456", "1".repeat(16), ""]) {
      await assert.rejects(createSender({ sql, sealer }, await newSender(sql, { number })), {
        code: "bad_value",
        message: /7 to 15 digits/,
      });
    }
    await assert.rejects(createSender({ sql, sealer }, await newSender(sql, { wabaId: undefined })), {
      code: "bad_value",
      message: /business account/,
    });
    const voice = await newSender(sql, { channel: "voice", wabaId: undefined });
    assert.ok((await createSender({ sql, sealer }, voice)).senderId);
  }));

Deno.test("createSender() says what is taken already and which company is unknown", () =>
  withTestDatabase(async ({ sql }) => {
    const sender = await newSender(sql);
    await createSender({ sql, sealer }, sender);

    const again = (change: Partial<SenderRequest>) => createSender({ sql, sealer }, { ...sender, ...change });

    await assert.rejects(again({ platformId: "2" }), {
      code: "already_exists",
      message: /number 15550001111/,
    });
    await assert.rejects(again({ number: "15550002222" }), {
      code: "already_exists",
      message: /platform id 1065/,
    });
    await assert.rejects(again({ companyId: crypto.randomUUID() }), { code: "not_found" });
  }));

Deno.test("updateSender() changes what is given and leaves the rest", () =>
  withTestDatabase(async ({ sql }) => {
    const { id: companyId } = await insertCompany(sql);
    const sender = await insertSender(sql, companyId, { status: "stopped", stopped_reason: "Token expired" });
    await sql`update outbound.senders set locked = true`;

    const { status } = await updateSender({ sql, sealer }, { senderId: sender.id, token: "new" });

    assert.equal(status, "stopped");
    assert.equal(await tokenOf(sql, sender.id), "new");
    const [row] = await listSenders({ sql }, { companyId });
    assert.deepEqual([row?.rate_per_second, row?.stopped_reason, row?.locked], [80, "Token expired", true]);
  }));

Deno.test("updateSender() and listSenders() name an unknown id", () =>
  withTestDatabase(async ({ sql }) => {
    const id = crypto.randomUUID();

    await assert.rejects(updateSender({ sql, sealer }, { senderId: id, token: "new" }), {
      message: `No sender with id ${id}`,
    });
    await assert.rejects(listSenders({ sql }, { companyId: id }), { message: `No company with id ${id}` });
  }));

Deno.test("createSender() makes a voice sender that needs neither account nor key, with its calls at a time", () =>
  withTestDatabase(async ({ sql }) => {
    const voice = { channel: "voice", wabaId: undefined, platformId: "phnum_1" } as const;
    const sender = await newSender(sql, { ...voice, concurrency: 5 });

    await createSender({ sql, sealer }, sender);

    const [row] = await listSenders({ sql }, { companyId: sender.companyId });
    assert.deepEqual([row!.channel, row!.concurrency, row!.has_token], ["voice", 5, false]);
    const tooMany = { code: "bad_value", message: /1 to 1000 calls/ };
    for (const concurrency of [0, 1001]) {
      const request = await newSender(sql, { ...voice, concurrency });
      await assert.rejects(createSender({ sql, sealer }, request), tooMany);
    }
    await assert.rejects(createSender({ sql, sealer }, await newSender(sql, { concurrency: 5 })), {
      code: "bad_value",
      message: /Only a voice sender/,
    });
  }));

Deno.test("updateSender() sets the marketing endpoint of a WhatsApp sender, and of no other", () =>
  withTestDatabase(async ({ sql }) => {
    const sender = await newSender(sql);
    const { senderId } = await createSender({ sql, sealer }, sender);
    const marketingEndpoint = "marketing_messages" as const;

    await updateSender({ sql, sealer }, { senderId, marketingEndpoint });
    await updateSender({ sql, sealer }, { senderId, token: "new" });

    const [row] = await listSenders({ sql }, { companyId: sender.companyId });
    assert.equal(row!.marketing_endpoint, marketingEndpoint);
    const voice = await newSender(sql, { channel: "voice", wabaId: undefined, marketingEndpoint });
    await assert.rejects(createSender({ sql, sealer }, voice), { message: /Only a WhatsApp sender/ });
  }));
