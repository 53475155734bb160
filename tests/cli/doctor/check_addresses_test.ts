import assert from "node:assert/strict";
import { checkAddresses } from "../../../cli/doctor/check_addresses.ts";
import { loadEnv } from "../../../supabase/functions/_shared/env.ts";
import { withHttpServer } from "../../_shared/gateways/local_server.ts";
import { TEST_ENV } from "../../setup/stack/services.ts";

const CONSOLE = "https://console.example.com";
const NO_LISTENER = "http://127.0.0.1:9";

/** Checks an installation whose every address is a server with these responses by path; others are 404. */
async function statesWith(responses: Record<string, (request: Request) => Response>): Promise<string[]> {
  const states: string[] = [];
  const respond = (request: Request) =>
    responses[new URL(request.url).pathname]?.(request) ?? new Response("no", { status: 404 });
  await withHttpServer(respond, async (url) => {
    states.push(
      ...await statesOf({
        OUTBOUND_PUBLIC_URL: url,
        SUPABASE_URL: url,
        OUTBOUND_WIDGET_URL: url,
        OUTBOUND_CONSOLE_URL: CONSOLE,
      }),
    );
  });
  return states;
}

async function statesOf(settings: Record<string, string>): Promise<string[]> {
  const env = loadEnv({
    ...TEST_ENV,
    DATABASE_URL: "postgres://127.0.0.1/x",
    SUPABASE_PUBLISHABLE_KEY: "sb_publishable_test",
    ...settings,
  });
  const findings = await checkAddresses(env);
  assert.doesNotMatch(JSON.stringify(findings), new RegExp(TEST_ENV.WHATSAPP_VERIFY_TOKEN));
  return findings.map(({ check, state, text, todo }) => {
    assert.equal(todo === undefined, state === "ok");
    return `${check}: ${state}: ${text.replace(/http\S+/, "…")}`;
  });
}

const GOOD: Record<string, (request: Request) => Response> = {
  "/functions/v1/webhooks/whatsapp": (request) =>
    new Response(new URL(request.url).searchParams.get("hub.challenge")),
  "/auth/v1/.well-known/openid-configuration": () => Response.json({ issuer: "https://auth" }),
  "/auth/v1/settings": () => Response.json({ disable_signup: true, mailer_autoconfirm: false }),
  "/manifest.json": () => Response.json({}),
  "/functions/v1/manage/companies": () =>
    new Response(null, { status: 204, headers: { "access-control-allow-origin": CONSOLE } }),
};

Deno.test("checkAddresses() is content with addresses that respond as they should", async () => {
  const states = await statesWith(GOOD);

  assert.deepEqual(states.map((line) => line.split(":").slice(0, 2).join(":")), [
    "webhook: ok",
    "auth server: ok",
    "sign-ups: ok",
    "widgets: ok",
    "console: ok",
  ]);
});

Deno.test("checkAddresses() finds addresses where nothing responds", async () => {
  const states = await statesOf({
    OUTBOUND_PUBLIC_URL: NO_LISTENER,
    SUPABASE_URL: NO_LISTENER,
    OUTBOUND_WIDGET_URL: NO_LISTENER,
    OUTBOUND_CONSOLE_URL: CONSOLE,
  });

  assert.deepEqual(states, [
    "webhook: failed: … does not respond",
    "auth server: failed: 127.0.0.1:9 does not respond as Supabase Auth does",
    "widgets: warning: … is not there",
    "console: failed: pages of … may not call manage",
  ]);
});

for (
  const [what, path, response, line] of [
    [
      "another verify token",
      "webhooks/whatsapp",
      { status: 403 },
      "webhook: failed: … refuses the verify token",
    ],
    [
      "another service",
      "webhooks/whatsapp",
      { status: 200 },
      "webhook: failed: … responds 200, but not as this service does",
    ],
    ["no CORS", "manage/companies", { status: 204 }, "console: failed: pages of … may not call manage"],
  ] as const
) {
  Deno.test(`checkAddresses() finds ${what} at the address`, async () => {
    const body = response.status === 204 ? null : "hello";

    const states = await statesWith({
      ...GOOD,
      [`/functions/v1/${path}`]: () => new Response(body, response),
    });

    assert.deepEqual(states.filter((each) => !each.includes(": ok:")), [line]);
  });
}

Deno.test("checkAddresses() leaves out what is not set", async () => {
  assert.deepEqual(await statesOf({}), []);
});

for (
  const [mailer_autoconfirm, line] of [
    [false, "sign-ups: warning: any visitor can make an account at the auth server"],
    [
      true,
      "sign-ups: failed: any visitor can register an e-mail address without having it, and accept its invitation",
    ],
  ] as const
) {
  Deno.test(`checkAddresses() finds open sign-ups ${mailer_autoconfirm ? "without" : "with"} a confirmation`, async () => {
    const settings = () => Response.json({ disable_signup: false, mailer_autoconfirm });

    const states = await statesWith({ ...GOOD, "/auth/v1/settings": settings });

    assert.deepEqual(states.filter((state) => !state.includes(": ok")), [line]);
  });
}
