import assert from "node:assert/strict";
import { createKey } from "../../../cli/key/actions.ts";
import { countSecrets, rotateSecrets } from "../../../cli/secrets/actions.ts";
import { createSender, updateSender } from "../../../cli/sender/actions.ts";
import { createCheckedSealer } from "../../../cli/session.ts";
import { isSecretsKeyRight } from "../../../supabase/functions/_shared/access/secrets_canary.ts";
import {
  createSealer,
  erasureKeyOf,
  type Sealer,
  senderTokenOf,
  webhookSecretOf,
} from "../../../supabase/functions/_shared/crypto/seal.ts";
import type { Sql } from "../../../supabase/functions/_shared/db/driver/connect.ts";
import { CLI } from "../../../supabase/functions/_shared/db/access/audit.ts";
import {
  rotateWebhookSecret,
  setWebhook,
} from "../../../supabase/functions/_shared/events_out/webhook_settings.ts";
import { insertErasureKey } from "../../../supabase/functions/_shared/db/contacts/contact_erasure.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import { insertCompany } from "../../setup/fixtures/fixtures.ts";
import { showKey } from "../../setup/fixtures/keys.ts";

const [OLD, NEW] = ["o".repeat(32), "n".repeat(32)] as const;
const BOTH = `${NEW},${OLD}`;
const NONE = { access_keys: 0, sender_tokens: 0, webhook_secrets: 0, erasure_keys: 0, identity_secrets: 0 };

interface Secrets {
  companyId: string;
  key: string;
  senderId: string;
  oldSecret: string;
  secret: string;
}

/** A company with one secret of each kind, and a webhook whose secret is being rotated. */
async function makeSecrets(sql: Sql, sealer: Sealer): Promise<Secrets> {
  const { id: companyId } = await insertCompany(sql);
  const context = { sql, sealer };
  const { key } = await createKey(context, { companyId });
  const { senderId } = await createSender(context, {
    companyId,
    channel: "voice",
    number: "15550001111",
    platformId: "1",
    token: "a-token",
  });
  await insertErasureKey(sql, companyId, await sealer.seal("an-erasure-key", erasureKeyOf(companyId)));
  const filters = { event_types: null, channels: null, sender_ids: null };
  const webhook = { companyId, url: new URL("http://127.0.0.1:9/"), filters };
  const oldSecret = await setWebhook(context, webhook, CLI);
  const { secret } = (await rotateWebhookSecret(context, { companyId }, CLI))!;
  return { companyId, key, senderId, oldSecret: oldSecret!, secret };
}

async function readSecrets(sql: Sql, sealer: Sealer, { companyId, senderId }: Secrets): Promise<Secrets> {
  const key = await showKey({ sql, sealer }, companyId);
  const [row] = await sql`
    select s.token_sealed, w.secret_sealed, w.old_secret_sealed, r.erasure_key_sealed
    from outbound.senders as s join outbound.webhooks as w on w.company_id = s.company_id
    join outbound.contact_rules as r on r.company_id = s.company_id
    where s.id = ${senderId}`;
  assert.equal(await sealer.open(row!.token_sealed, senderTokenOf(companyId, senderId)), "a-token");
  assert.equal(await sealer.open(row!.erasure_key_sealed, erasureKeyOf(companyId)), "an-erasure-key");
  const secretOf = (sealed: string) => sealer.open(sealed, webhookSecretOf(companyId));
  const [secret, oldSecret] = [await secretOf(row!.secret_sealed), await secretOf(row!.old_secret_sealed)];
  return { companyId, senderId, key, secret, oldSecret };
}

Deno.test("rotateSecrets() seals everything with the first key, after which the old one can go", () =>
  withTestDatabase(async ({ sql }) => {
    const secrets = [
      await makeSecrets(sql, createCheckedSealer(sql, OLD)),
      await makeSecrets(sql, createCheckedSealer(sql, OLD)),
    ];
    const sealer = createCheckedSealer(sql, BOTH);
    const progress: string[] = [];

    const rotated = await rotateSecrets({
      sql,
      sealer,
      onProgress: (done, total) => progress.push(`${done}/${total}`),
    });
    const again = await rotateSecrets({ sql, sealer });

    const { keyId } = createSealer(NEW);
    const all = {
      access_keys: 2,
      sender_tokens: 2,
      webhook_secrets: 4,
      erasure_keys: 2,
      identity_secrets: 0,
    };
    const done = { keyId, remaining: 0, unreadable: [], oldKeysMayBeDropped: true };
    assert.deepEqual([rotated, again], [{ ...done, sealed: all }, { ...done, sealed: NONE }]);
    assert.equal(progress.at(-1), "10/10");
    for (const each of secrets) assert.deepEqual(await readSecrets(sql, createSealer(NEW), each), each);
    const right = await Promise.all(
      [NEW, BOTH, OLD].map((key) => isSecretsKeyRight({ sql, sealer: createSealer(key) })),
    );
    assert.deepEqual(right, [true, true, false]);
  }));

Deno.test("rotateSecrets() refuses to begin without the database's key", () =>
  withTestDatabase(async ({ sql }) => {
    const secrets = await makeSecrets(sql, createCheckedSealer(sql, OLD));

    await assert.rejects(rotateSecrets({ sql, sealer: createCheckedSealer(sql, NEW) }), {
      code: "not_configured",
    });

    assert.deepEqual(await readSecrets(sql, createSealer(OLD), secrets), secrets);
  }));

Deno.test("rotateSecrets() leaves a secret alone that changed after it was read", () =>
  withTestDatabase(async ({ sql }) => {
    const old = createCheckedSealer(sql, OLD);
    const { companyId, senderId } = await makeSecrets(sql, old);
    const owner = senderTokenOf(companyId, senderId);
    const both = createCheckedSealer(sql, BOTH);
    const sealer: Sealer = {
      ...both,
      // Between reading the row and writing it, another process with the old key first gives the sender another token.
      async seal(plain, of) {
        if (of === owner) await updateSender({ sql, sealer: old }, { senderId, token: "newer" });
        return await both.seal(plain, of);
      },
    };

    const rotated = await rotateSecrets({ sql, sealer });

    assert.deepEqual([rotated.sealed.sender_tokens, rotated.remaining, rotated.oldKeysMayBeDropped], [
      0,
      1,
      false,
    ]);
    const [row] = await sql`select token_sealed from outbound.senders where id = ${senderId}`;
    assert.equal(await old.open(row!.token_sealed, owner), "newer");
    assert.equal(await isSecretsKeyRight({ sql, sealer: createSealer(NEW) }), false);
    assert.equal((await rotateSecrets({ sql, sealer: both })).oldKeysMayBeDropped, true);
    assert.equal(await isSecretsKeyRight({ sql, sealer: createSealer(NEW) }), true);
  }));

Deno.test("rotateSecrets() names what it cannot open and goes on with the rest", () =>
  withTestDatabase(async ({ sql }) => {
    const { companyId, senderId } = await makeSecrets(sql, createCheckedSealer(sql, OLD));
    const foreign = createSealer("x".repeat(32));
    const sealed = await foreign.seal("a-token", senderTokenOf(companyId, senderId));
    await sql`update outbound.senders set token_sealed = ${sealed}`;

    const rotated = await rotateSecrets({ sql, sealer: createCheckedSealer(sql, BOTH) });

    const reason = `it is sealed with the key ${foreign.keyId}, which OUTBOUND_SECRETS_KEY does not have`;
    assert.deepEqual(rotated.unreadable, [{ kind: "sender_tokens", companyId, id: senderId, reason }]);
    assert.deepEqual(rotated.sealed, {
      access_keys: 1,
      sender_tokens: 0,
      webhook_secrets: 2,
      erasure_keys: 1,
      identity_secrets: 0,
    });
  }));

Deno.test("rotateSecrets() goes through more rows than one batch", () =>
  withTestDatabase(async ({ sql }) => {
    const old = createCheckedSealer(sql, OLD);
    const { id: companyId } = await insertCompany(sql);
    const rows = await Promise.all(Array.from({ length: 450 }, async (_, index) => {
      const id = crypto.randomUUID();
      return {
        company_id: companyId,
        id,
        channel: "voice",
        number: String(15550000000 + index),
        platform_id: String(index),
        token_sealed: await createSealer(OLD).seal(`token ${index}`, senderTokenOf(companyId, id)),
      };
    }));
    await sql`insert into outbound.senders ${sql(rows)}`;
    await isSecretsKeyRight({ sql, sealer: old });

    const rotated = await rotateSecrets({ sql, sealer: createCheckedSealer(sql, BOTH) });

    assert.deepEqual([rotated.sealed.sender_tokens, rotated.remaining], [450, 0]);
  }));

Deno.test("countSecrets() counts by key, and shows keys that OUTBOUND_SECRETS_KEY does not have", () =>
  withTestDatabase(async ({ sql }) => {
    await makeSecrets(sql, createCheckedSealer(sql, OLD));
    const [old, next] = [createSealer(OLD).keyId, createSealer(NEW).keyId];
    const counts = {
      access_keys: 1,
      sender_tokens: 1,
      webhook_secrets: 2,
      erasure_keys: 1,
      identity_secrets: 0,
      canary: true,
    };
    const unused = { key_id: next, state: "seals", ...NONE, canary: false };

    const both = await countSecrets({ sql, sealer: createSealer(BOTH) });
    const without = await countSecrets({ sql, sealer: createSealer(NEW) });

    assert.deepEqual(both, [unused, { key_id: old, state: "opens", ...counts }]);
    assert.deepEqual(without, [unused, { key_id: old, state: "missing", ...counts }]);
  }));
