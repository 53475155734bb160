import assert from "node:assert/strict";
import { createCheckedSealer } from "../../../cli/session.ts";
import {
  isSecretsKeyRight,
  WRONG_SECRETS_KEY,
} from "../../../supabase/functions/_shared/access/secrets_canary.ts";
import { createSealer, webhookSecretOf } from "../../../supabase/functions/_shared/crypto/seal.ts";
import { withTestDatabase } from "../../setup/database/database.ts";

const [KEY, OTHER_KEY] = ["k".repeat(32), "o".repeat(32)] as const;
const OWNER = webhookSecretOf(crypto.randomUUID());

Deno.test("isSecretsKeyRight() holds every key against the first that was ever used, also when many ask at once", () =>
  withTestDatabase(async ({ sql }) => {
    const first = await Promise.all(
      Array.from({ length: 5 }, () => isSecretsKeyRight({ sql, sealer: createSealer(KEY) })),
    );
    const other = await isSecretsKeyRight({ sql, sealer: createSealer(OTHER_KEY) });
    const again = await isSecretsKeyRight({ sql, sealer: createSealer(KEY) });

    assert.deepEqual([first, other, again], [Array(5).fill(true), false, true]);
    const [row] = await sql`select value::text from outbound.settings where name = 'secrets_canary'`;
    assert.doesNotMatch(row!.value, /outbound|kkk/);
  }));

Deno.test("isSecretsKeyRight() is content with the database's key among several", () =>
  withTestDatabase(async ({ sql }) => {
    assert.equal(await isSecretsKeyRight({ sql, sealer: createSealer(KEY) }), true);

    const both = await isSecretsKeyRight({ sql, sealer: createSealer(`${OTHER_KEY},${KEY}`) });

    assert.equal(both, true);
  }));

Deno.test("createCheckedSealer() seals nothing with a key that is not the database's", () =>
  withTestDatabase(async ({ sql }) => {
    const sealed = await createCheckedSealer(sql, KEY).seal("token", OWNER);

    assert.equal(await createSealer(KEY).open(sealed, OWNER), "token");
    await assert.rejects(createCheckedSealer(sql, OTHER_KEY).seal("token", OWNER), {
      code: "not_configured",
      message: WRONG_SECRETS_KEY,
    });
  }));
