import assert from "node:assert/strict";
import { checkSettings } from "../../../cli/doctor/check_settings.ts";

const GOOD = {
  DATABASE_URL: "postgres://u:database-password@db.example.com/outbound?sslmode=verify-full",
  OUTBOUND_SECRETS_KEY: "q8Zr3nK1vX7mT5wB9cD2fG4hJ6kL0pQs",
  OUTBOUND_PUBLIC_URL: "https://api.example.com",
  SUPABASE_URL: "https://ref.supabase.co",
  SUPABASE_PUBLISHABLE_KEY: "sb_publishable_x",
  WHATSAPP_APP_SECRET: "the-app-secret",
  WHATSAPP_VERIFY_TOKEN: "the-verify-token",
  OUTBOUND_TRUSTED_PROXIES: "1",
};

Deno.test("checkSettings() is content with good settings", () => {
  const { findings, env } = checkSettings(GOOD, { isStack: false });

  assert.deepEqual(findings, [{
    check: "settings",
    state: "ok",
    text: "8 set, none is missing or malformed",
  }]);
  assert.equal(env?.OUTBOUND_PUBLIC_URL, GOOD.OUTBOUND_PUBLIC_URL);
});

const FAULTS: [string, Record<string, string>, "failed" | "warning", RegExp][] = [
  ["a missing setting", { OUTBOUND_PUBLIC_URL: "" }, "failed", /^missing: OUTBOUND_PUBLIC_URL$/],
  [
    "two missing ones",
    { OUTBOUND_SECRETS_KEY: "", DATABASE_URL: "" },
    "failed",
    /^missing: DATABASE_URL, OUTBOUND_SECRETS_KEY$/,
  ],
  ["a malformed one", { OUTBOUND_SEND_TIMEOUT_S: "soon" }, "failed", /^malformed: OUTBOUND_SEND_TIMEOUT_S$/],
  ["a short key", { OUTBOUND_SECRETS_KEY: "short-secret" }, "failed", /^malformed: OUTBOUND_SECRETS_KEY$/],
  ["a guessable key", { OUTBOUND_SECRETS_KEY: "ab".repeat(20) }, "warning", /guessable/],
  [
    "two keys",
    { OUTBOUND_SECRETS_KEY: `${GOOD.OUTBOUND_SECRETS_KEY},${GOOD.OUTBOUND_SECRETS_KEY}b` },
    "warning",
    /several keys/,
  ],
  [
    "plain http",
    { OUTBOUND_PUBLIC_URL: "http://api.example.com" },
    "warning",
    /OUTBOUND_PUBLIC_URL is not https/,
  ],
  [
    "a database elsewhere without TLS",
    { DATABASE_URL: "postgres://u:secret@db.example.com/x" },
    "warning",
    /DATABASE_URL leads to another machine without encryption/,
  ],
  ["a platform on http", { WHATSAPP_API_URL: "http://graph.example.com" }, "warning", /without TLS/],
  ["private webhooks", { OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: "true" }, "warning", /into your network/],
  ["no trusted proxy", { OUTBOUND_TRUSTED_PROXIES: "0" }, "warning", /OUTBOUND_TRUSTED_PROXIES is 0/],
  ["no log", { OUTBOUND_LOG_LEVEL: "silent" }, "warning", /OUTBOUND_LOG_LEVEL is silent/],
];

for (const [what, changes, state, text] of FAULTS) {
  Deno.test(`checkSettings() finds ${what}, says what to do, and quotes no value`, () => {
    const { findings, env } = checkSettings({ ...GOOD, ...changes }, { isStack: false });

    assert.equal(findings.length, 1, JSON.stringify(findings));
    const [finding] = findings;
    assert.equal(finding!.state, state);
    assert.match(finding!.text, text);
    assert.ok(finding!.todo!.length > 10);
    assert.equal(env === undefined, state === "failed" && what !== "a missing setting");
    assert.doesNotMatch(JSON.stringify(findings), /password|q8Zr3|short-secret|abab|soon"/);
  });
}

Deno.test("checkSettings() finds nothing dangerous in the settings of deno task start", () => {
  const variables = {
    ...GOOD,
    OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: "true",
    OUTBOUND_PUBLIC_URL: "",
    OUTBOUND_TRUSTED_PROXIES: "0",
  };

  assert.deepEqual(checkSettings(variables, { isStack: true }).findings.map(({ state }) => state), ["ok"]);
});
