import assert from "node:assert/strict";
import { makeVapidKeys } from "../../supabase/functions/_shared/crypto/vapid.ts";
import { EnvError, loadEnv } from "../../supabase/functions/_shared/env.ts";

const MINIMAL = { DATABASE_URL: "postgres://localhost/db", OUTBOUND_SECRETS_KEY: "k".repeat(32) };

function refused(source: Record<string, string | undefined>): string[] {
  try {
    loadEnv(source);
  } catch (error) {
    assert.ok(error instanceof EnvError);
    for (const value of Object.values(source)) assert.ok(!value || !error.message.includes(value));
    return error.variables.sort();
  }
  return [];
}

Deno.test("loadEnv() fills in what the design says is the default", () => {
  const env = loadEnv(MINIMAL);

  assert.deepEqual(
    [
      env.OUTBOUND_DISPATCH_LEASE_S,
      env.OUTBOUND_UNCONFIRMED_WINDOW_S,
      env.OUTBOUND_NOTIFICATION_TTL_S,
      env.PORT,
      env.OUTBOUND_LOG_LEVEL,
    ],
    [60, 120, 86_400, 54321, "info"],
  );
  assert.equal(env.WHATSAPP_API_URL, "https://graph.facebook.com");
  assert.match(env.WHATSAPP_API_VERSION, /^v\d+\.\d+$/);
});

Deno.test("loadEnv() leaves out the slashes at the end of an address", () => {
  const env = loadEnv({
    ...MINIMAL,
    WHATSAPP_API_URL: "https://graph.example.com//",
    OUTBOUND_WIDGET_URL: "https://w.example.com/a/",
  });

  assert.deepEqual([env.WHATSAPP_API_URL, env.OUTBOUND_WIDGET_URL], [
    "https://graph.example.com",
    "https://w.example.com/a",
  ]);
});

Deno.test("loadEnv() names every variable that is missing or malformed, and shows no value", () => {
  assert.deepEqual(refused({}), ["DATABASE_URL", "OUTBOUND_SECRETS_KEY"]);
  assert.deepEqual(
    refused({
      ...MINIMAL,
      OUTBOUND_SECRETS_KEY: "too-short-a-secret",
      WHATSAPP_API_URL: "not-a-url",
      PORT: "99999",
      OUTBOUND_DISPATCH_LEASE_S: "-7",
      OUTBOUND_LOG_LEVEL: "loudly",
    }),
    ["OUTBOUND_DISPATCH_LEASE_S", "OUTBOUND_LOG_LEVEL", "OUTBOUND_SECRETS_KEY", "PORT", "WHATSAPP_API_URL"],
  );
});

Deno.test("loadEnv() takes several keys in OUTBOUND_SECRETS_KEY, each long enough and given once", () => {
  const [key, other] = [MINIMAL.OUTBOUND_SECRETS_KEY, "o".repeat(32)];
  const wrong = [
    `${key},`,
    `,${key}`,
    `${key},short`,
    `${key},,${other}`,
    `${key},${key}`,
    "short",
    " ".repeat(40),
  ];

  assert.equal(
    loadEnv({ ...MINIMAL, OUTBOUND_SECRETS_KEY: `${key}, ${other}` }).OUTBOUND_SECRETS_KEY,
    `${key}, ${other}`,
  );
  for (const OUTBOUND_SECRETS_KEY of wrong) {
    assert.deepEqual(refused({ ...MINIMAL, OUTBOUND_SECRETS_KEY }), ["OUTBOUND_SECRETS_KEY"]);
  }
});

const MALFORMED: [variable: string, value: string][] = [
  ["DATABASE_URL", "postgres://u:s3cret@host:notaport/db"],
  ["DATABASE_URL", "postgres://u:s3%cret@host/db"],
  ["DATABASE_URL", "mysql://u:s3cret@host/db"],
  ["DATABASE_URL", "host=localhost password=s3cret"],
  ["WHATSAPP_API_URL", "ftp://platform"],
  ["SUPABASE_URL", "postgres://auth"],
  ["OUTBOUND_SEND_TIMEOUT_S", "2147484"],
  ["OUTBOUND_DISPATCH_LEASE_S", "9999999999"],
  ["OUTBOUND_NOTIFICATION_TTL_S", "2147483648"],
];

for (const [variable, value] of MALFORMED) {
  Deno.test(`loadEnv() refuses ${variable}=${value} without quoting it`, () => {
    assert.deepEqual(refused({ ...MINIMAL, [variable]: value }), [variable]);
  });
}

Deno.test("loadEnv() takes the two VAPID keys of a pair, and neither alone", async () => {
  const [pair, other] = await Promise.all([makeVapidKeys(), makeVapidKeys()]);
  const withKeys = (OUTBOUND_VAPID_PUBLIC_KEY: string, OUTBOUND_VAPID_PRIVATE_KEY: string) =>
    refused({ ...MINIMAL, OUTBOUND_VAPID_PUBLIC_KEY, OUTBOUND_VAPID_PRIVATE_KEY });

  assert.deepEqual(withKeys(pair.publicKey, pair.privateKey), []);
  const alone: [string, string][] = [
    [pair.publicKey, other.privateKey],
    [pair.publicKey, ""],
    ["", pair.privateKey],
  ];
  for (const keys of alone) assert.deepEqual(withKeys(...keys), ["OUTBOUND_VAPID_PRIVATE_KEY"]);
  assert.deepEqual(withKeys("x9", pair.privateKey), ["OUTBOUND_VAPID_PUBLIC_KEY"]);
});

Deno.test("loadEnv() takes the database URLs there are", () => {
  for (
    const url of [
      "postgres:///db",
      "postgresql://u:p%40ss@[::1]:5433/db?sslmode=disable",
      "postgres://postgres.abc:pw@aws-0-eu-west-1.pooler.supabase.com:6543/postgres",
    ]
  ) {
    assert.equal(loadEnv({ ...MINIMAL, DATABASE_URL: url }).DATABASE_URL, url);
  }
});

Deno.test("loadEnv() takes an empty variable for one that is not set", () => {
  const env = loadEnv({ ...MINIMAL, PORT: "", WHATSAPP_APP_SECRET: "", SUPABASE_URL: "" });

  assert.deepEqual([env.PORT, env.WHATSAPP_APP_SECRET, env.SUPABASE_URL], [54321, undefined, undefined]);
});

Deno.test("loadEnv() reads the names Supabase gives its own settings", () => {
  const env = loadEnv({
    OUTBOUND_SECRETS_KEY: MINIMAL.OUTBOUND_SECRETS_KEY,
    SUPABASE_DB_URL: "postgres://supabase/db",
    SUPABASE_PUBLISHABLE_KEYS: '{"default":"sb_publishable_x"}',
    SUPABASE_SECRET_KEYS: '{"default":"sb_secret_x"}',
  });

  assert.deepEqual(
    [env.DATABASE_URL, env.SUPABASE_PUBLISHABLE_KEY, env.SUPABASE_SECRET_KEY],
    ["postgres://supabase/db", "sb_publishable_x", "sb_secret_x"],
  );
});

Deno.test("loadEnv() prefers our own names, and falls back on Supabase's older ones", () => {
  const own = loadEnv({
    ...MINIMAL,
    SUPABASE_DB_URL: "postgres://other/db",
    SUPABASE_PUBLISHABLE_KEYS: "{broken",
  });
  const legacy = loadEnv({ ...MINIMAL, SUPABASE_ANON_KEY: "anon", SUPABASE_SERVICE_ROLE_KEY: "service" });

  assert.deepEqual([own.DATABASE_URL, own.SUPABASE_PUBLISHABLE_KEY], [MINIMAL.DATABASE_URL, undefined]);
  assert.deepEqual([legacy.SUPABASE_PUBLISHABLE_KEY, legacy.SUPABASE_SECRET_KEY], ["anon", "service"]);
});

Deno.test("loadEnv() uses the project's URL as OUTBOUND_PUBLIC_URL on Supabase only, unless OUTBOUND_PUBLIC_URL is set", () => {
  const project = {
    SUPABASE_URL: "https://ref.supabase.co",
    OUTBOUND_SECRETS_KEY: MINIMAL.OUTBOUND_SECRETS_KEY,
  };
  const hosted = { ...project, SUPABASE_DB_URL: MINIMAL.DATABASE_URL };

  assert.equal(loadEnv(hosted).OUTBOUND_PUBLIC_URL, "https://ref.supabase.co");
  assert.equal(
    loadEnv({ ...hosted, OUTBOUND_PUBLIC_URL: "https://api.example" }).OUTBOUND_PUBLIC_URL,
    "https://api.example",
  );
  assert.equal(loadEnv({ ...hosted, ...MINIMAL }).OUTBOUND_PUBLIC_URL, "https://ref.supabase.co");
  assert.equal(loadEnv({ ...project, ...MINIMAL }).OUTBOUND_PUBLIC_URL, undefined);
});

Deno.test("loadEnv() says what is wrong with each setting", () => {
  const source = {
    OUTBOUND_SECRETS_KEY: "short",
    DATABASE_URL: "",
    PORT: "99999",
    OUTBOUND_LOG_LEVEL: "loudly",
  };

  assert.throws(() => loadEnv(source), {
    name: "EnvError",
    message: "Missing or malformed settings: DATABASE_URL (not set), " +
      "OUTBOUND_SECRETS_KEY (expected keys of at least 32 characters, separated by commas), " +
      "PORT (Too big: expected number to be <=65535), " +
      'OUTBOUND_LOG_LEVEL (Invalid option: expected one of "debug"|"info"|"warn"|"error"|"silent")',
  });
});

const SEND_TIMES: [lease: string, window: string, most: number][] = [
  ["60", "120", 142],
  ["2", "4", 4],
  ["1", "1", 1],
  ["600", "10", 295],
];

for (const [OUTBOUND_DISPATCH_LEASE_S, OUTBOUND_UNCONFIRMED_WINDOW_S, most] of SEND_TIMES) {
  const settings = { ...MINIMAL, OUTBOUND_DISPATCH_LEASE_S, OUTBOUND_UNCONFIRMED_WINDOW_S };
  Deno.test(`loadEnv() takes a send of ${most} s, not of more, with a lease of ${OUTBOUND_DISPATCH_LEASE_S} s and a window of ${OUTBOUND_UNCONFIRMED_WINDOW_S} s`, () => {
    const longest = loadEnv({ ...settings, OUTBOUND_SEND_TIMEOUT_S: String(most) });

    assert.equal(longest.OUTBOUND_SEND_TIMEOUT_S, most);
    assert.ok(1.05 * most < Number(OUTBOUND_DISPATCH_LEASE_S) / 2 + Number(OUTBOUND_UNCONFIRMED_WINDOW_S));
    assert.throws(
      () => loadEnv({ ...settings, OUTBOUND_SEND_TIMEOUT_S: String(most + 1) }),
      new RegExp(
        `settings: OUTBOUND_SEND_TIMEOUT_S \\(at most ${most} with this OUTBOUND_DISPATCH_LEASE_S and OUTBOUND_UNCONFIRMED_WINDOW_S`,
      ),
    );
    assert.equal(loadEnv(settings).OUTBOUND_SEND_TIMEOUT_S, Math.min(20, most));
  });
}
