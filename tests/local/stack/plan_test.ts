import assert from "node:assert/strict";
import { makePlan, partsOf } from "../../../local/stack/plan.ts";

const DATABASE = { DATABASE_URL: "postgres://db.example.com/x", OUTBOUND_SECRETS_KEY: "k".repeat(32) };
const LOGIN = { SUPABASE_URL: "https://x.supabase.co", SUPABASE_PUBLISHABLE_KEY: "sb_publishable_x" };
const PLATFORMS = {
  WHATSAPP_API_URL: "https://graph.facebook.com",
  ELEVENLABS_API_URL: "https://api.elevenlabs.io",
};

Deno.test("makePlan() stands in for everything when nothing is set", () => {
  const plan = makePlan({ DATABASE_URL: "" }, { demo: false });

  assert.deepEqual(plan, {
    databaseUrl: undefined,
    authServer: true,
    messages: true,
    calls: true,
    widgetHost: true,
    consoleHost: true,
    metrics: true,
    demo: true,
  });
  assert.deepEqual(partsOf(plan), ["api", "database", "sandbox", "widget", "console", "auth", "metrics"]);
});

Deno.test("makePlan() replaces exactly the part whose variable is set", () => {
  assert.deepEqual(partsOf(makePlan(DATABASE, { demo: false })), [
    "api",
    "sandbox",
    "widget",
    "console",
    "auth",
    "metrics",
  ]);
  assert.deepEqual(partsOf(makePlan(LOGIN, { demo: false })), [
    "api",
    "database",
    "sandbox",
    "widget",
    "console",
    "metrics",
  ]);
  assert.deepEqual(
    partsOf(makePlan({ OUTBOUND_WIDGET_URL: "https://widgets.example.com" }, { demo: false })),
    ["api", "database", "sandbox", "console", "auth", "metrics"],
  );
  assert.deepEqual(
    partsOf(makePlan(PLATFORMS, { demo: false })),
    ["api", "database", "widget", "console", "auth", "metrics"],
  );
  assert.deepEqual(
    partsOf(makePlan({ OUTBOUND_METRICS_PORT: "9464" }, { demo: false })),
    ["api", "database", "sandbox", "widget", "console", "auth"],
  );
});

Deno.test("makePlan() keeps the sandbox while one of its two platforms is not given", () => {
  for (const [variable, url] of Object.entries(PLATFORMS)) {
    const plan = makePlan({ [variable]: url }, { demo: false });

    assert.deepEqual([plan.messages, plan.calls], [
      variable !== "WHATSAPP_API_URL",
      variable !== "ELEVENLABS_API_URL",
    ]);
    assert.ok(partsOf(plan).includes("sandbox"));
  }
});

Deno.test("makePlan() makes demo data on a given database or log-in only when asked", () => {
  for (const variables of [DATABASE, { ...LOGIN, SUPABASE_SECRET_KEY: "sb_secret_x" }]) {
    assert.equal(makePlan(variables, { demo: false }).demo, false);
    assert.equal(makePlan(variables, { demo: true }).demo, true);
  }
});

for (
  const [name, variables, demo, message] of [
    [
      "a database without OUTBOUND_SECRETS_KEY",
      { DATABASE_URL: DATABASE.DATABASE_URL },
      false,
      /^OUTBOUND_SECRETS_KEY is not set/,
    ],
    [
      "a log-in without its key",
      { SUPABASE_URL: LOGIN.SUPABASE_URL },
      false,
      /^SUPABASE_PUBLISHABLE_KEY is not/,
    ],
    ["--demo without the secret key", LOGIN, true, /^SUPABASE_SECRET_KEY is not set/],
  ] as const
) {
  Deno.test(`makePlan() refuses ${name}`, () => {
    assert.throws(() => makePlan(variables, { demo }), { name: "StackError", message });
  });
}
