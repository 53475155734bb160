import assert from "node:assert/strict";
import { createSealer, senderTokenOf } from "../../../supabase/functions/_shared/crypto/seal.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import { insertCompany } from "../../setup/fixtures/fixtures.ts";
import { showKey } from "../../setup/fixtures/keys.ts";
import { runAdmin } from "../run_admin.ts";

const [OLD, NEW] = ["o".repeat(32), "n".repeat(32)] as const;
const [OLD_ID, NEW_ID] = [createSealer(OLD).keyId, createSealer(NEW).keyId];

Deno.test("admin secrets: a new key takes over, step by step, and the old one goes", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id: companyId } = await insertCompany(sql);
    const admin = (OUTBOUND_SECRETS_KEY: string, ...args: string[]) =>
      runAdmin(args, { env: { DATABASE_URL: url, OUTBOUND_SECRETS_KEY } });
    const { stdout: key } = await admin(OLD, "key", "create", "--company", companyId);

    const early = await admin(NEW, "secrets", "rotate");
    const before = await admin(`${NEW},${OLD}`, "secrets", "status", "--json");
    const rotated = await admin(`${NEW},${OLD}`, "secrets", "rotate", "--json");
    const again = await admin(`${NEW},${OLD}`, "secrets", "rotate");
    const shown = await showKey({ sql, sealer: createSealer(NEW) }, companyId);
    const { id: other } = await insertCompany(sql);
    const late = await admin(OLD, "key", "create", "--company", other);

    assert.deepEqual([early.code, early.stdout], [1, ""]);
    assert.match(
      early.stderr,
      /^OUTBOUND_SECRETS_KEY does not have the key that this database's secrets are sealed with/,
    );
    const none = {
      access_keys: 0,
      sender_tokens: 0,
      webhook_secrets: 0,
      erasure_keys: 0,
      identity_secrets: 0,
    };
    const counts = { ...none, access_keys: 1 };
    assert.deepEqual(before.json.keys, [
      { cell: 0, key_id: NEW_ID, state: "seals", ...none, canary: false },
      { cell: 0, key_id: OLD_ID, state: "opens", ...counts, canary: true },
    ]);
    const done = {
      key_id: NEW_ID,
      sealed: counts,
      remaining: 0,
      unreadable: [],
      old_keys_may_be_dropped: true,
    };
    assert.deepEqual(rotated.json, done);
    assert.deepEqual(again, {
      code: 0,
      stdout:
        `Resealed with the key ${NEW_ID}: 0 access keys, 0 sender tokens, 0 webhook secrets, 0 erasure keys, 0 identity secrets\n` +
        "No other key is needed: once every process has this key first, remove the others from OUTBOUND_SECRETS_KEY\n",
      stderr: "",
      json: {},
    });
    assert.equal(shown, key.trim());
    assert.equal(late.code, 1);
  }));

Deno.test("admin secrets rotate exits with 1 and names what no key opens", () =>
  withTestDatabase(async ({ sql, url }) => {
    const { id: companyId } = await insertCompany(sql);
    const id = crypto.randomUUID();
    const lost = createSealer("x".repeat(32));
    const token_sealed = await lost.seal("a-token", senderTokenOf(companyId, id));
    const sender = { company_id: companyId, id, channel: "voice", number: "15550001111", platform_id: "1" };
    await sql`insert into outbound.senders ${sql({ ...sender, token_sealed })}`;

    const { code, stdout, stderr } = await runAdmin(["secrets", "rotate"], { env: { DATABASE_URL: url } });

    assert.equal(code, 1);
    assert.match(
      stdout,
      new RegExp(`sender_tokens +${companyId} +${id} +it is sealed with the key ${lost.keyId}`),
    );
    assert.match(
      stderr,
      /^1 secrets cannot be opened with any key of OUTBOUND_SECRETS_KEY: add their key, or replace them\n$/,
    );
  }));
