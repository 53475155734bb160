import { loadIssuer } from "../../supabase/functions/_shared/access/access_token.ts";
import { fetchAuth } from "../../supabase/functions/_shared/access/auth_server.ts";
import type { Env } from "../../supabase/functions/_shared/env.ts";
import { functionsUrl } from "../../supabase/functions/_shared/values/urls.ts";
import { failed, type Finding, ok, warning } from "./finding.ts";

const TIMEOUT_MS = 5000;
const MAX_BODY_LENGTH = 1000;

interface Fetched {
  status: number;
  headers: Headers;
  /** Its first characters. */
  text: string;
}

/** Checks the addresses that the settings name: our own from outside, the auth server, the widget host, the console. */
export async function checkAddresses(env: Env): Promise<Finding[]> {
  const findings = await Promise.all([
    webhookFinding(env),
    authFinding(env),
    signUpFinding(env),
    widgetFinding(env),
    consoleFinding(env),
  ]);
  return findings.filter((finding) => finding !== undefined);
}

/** Makes the request with which the platform verifies its callback URL. */
async function webhookFinding(env: Env): Promise<Finding | undefined> {
  const { OUTBOUND_PUBLIC_URL, WHATSAPP_VERIFY_TOKEN } = env;
  if (!OUTBOUND_PUBLIC_URL || !WHATSAPP_VERIFY_TOKEN) return undefined;
  const address = `${functionsUrl(OUTBOUND_PUBLIC_URL)}/webhooks/whatsapp`;
  const challenge = crypto.randomUUID();
  const query = new URLSearchParams({
    "hub.mode": "subscribe",
    "hub.verify_token": WHATSAPP_VERIFY_TOKEN,
    "hub.challenge": challenge,
  });
  const response = await get(`${address}?${query}`);
  if (response === null) {
    const todo = "Check OUTBOUND_PUBLIC_URL, DNS, the certificate, the proxy, and that the API runs.";
    return failed("webhook", `${address} does not respond`, todo);
  }
  if (response.status === 200 && response.text === challenge) return ok("webhook", `${address} responds`);
  if (response.status === 403) {
    const todo = "Set the same WHATSAPP_VERIFY_TOKEN here and for the API.";
    return failed("webhook", `${address} refuses the verify token`, todo);
  }
  const todo = "Check OUTBOUND_PUBLIC_URL: another server is at that address.";
  return failed("webhook", `${address} responds ${response.status}, but not as this service does`, todo);
}

async function authFinding(env: Env): Promise<Finding | undefined> {
  if (!env.SUPABASE_URL) return undefined;
  try {
    await loadIssuer(env);
    return ok("auth server", `${new URL(env.SUPABASE_URL).host} responds`);
  } catch {
    return failed(
      "auth server",
      `${new URL(env.SUPABASE_URL).host} does not respond as Supabase Auth does`,
      "Check SUPABASE_URL and SUPABASE_PUBLISHABLE_KEY: without it no member can log in.",
    );
  }
}

/** Looks whether strangers can register an address that is invited later, and whether they need its inbox for that. */
async function signUpFinding(env: Env): Promise<Finding | undefined> {
  if (!env.SUPABASE_URL) return undefined;
  const settings = await signUpSettings(env);
  if (settings === undefined) return undefined;
  if (settings.disable_signup) return ok("sign-ups", "only invited people get an account");
  const todo = "Switch sign-ups off at the auth server: docs/security.md#accounts.";
  return settings.mailer_autoconfirm
    ? failed(
      "sign-ups",
      "any visitor can register an e-mail address without having it, and accept its invitation",
      todo,
    )
    : warning("sign-ups", "any visitor can make an account at the auth server", todo);
}

/** Undefined where the auth server does not respond, which is a finding of its own. */
async function signUpSettings(
  env: Env,
): Promise<{ disable_signup?: boolean; mailer_autoconfirm?: boolean } | undefined> {
  try {
    return await (await fetchAuth(env, "settings")).json();
  } catch {
    return undefined;
  }
}

async function widgetFinding({ OUTBOUND_WIDGET_URL }: Env): Promise<Finding | undefined> {
  if (!OUTBOUND_WIDGET_URL) return undefined;
  const address = `${OUTBOUND_WIDGET_URL}/manifest.json`;
  if ((await get(address))?.status === 200) return ok("widgets", `${OUTBOUND_WIDGET_URL} responds`);
  return warning(
    "widgets",
    `${address} is not there`,
    "Build the files (deno task widget:build) and serve them there.",
  );
}

/** Asks for leave as the console's pages do before they call `manage`. */
async function consoleFinding(
  { OUTBOUND_CONSOLE_URL, OUTBOUND_PUBLIC_URL }: Env,
): Promise<Finding | undefined> {
  if (!OUTBOUND_CONSOLE_URL || !OUTBOUND_PUBLIC_URL) return undefined;
  const { origin } = new URL(OUTBOUND_CONSOLE_URL);
  const response = await get(`${functionsUrl(OUTBOUND_PUBLIC_URL)}/manage/companies`, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": "GET",
      "access-control-request-headers": "authorization",
    },
  });
  if (response?.headers.get("access-control-allow-origin") === origin) {
    return ok("console", `pages of ${origin} may call manage`);
  }
  return failed(
    "console",
    `pages of ${origin} may not call manage`,
    "Set OUTBOUND_CONSOLE_URL for the API too, and let the proxy pass OPTIONS and its headers on.",
  );
}

/** Makes one request; null without a response. */
async function get(url: string, init: RequestInit = {}): Promise<Fetched | null> {
  try {
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = (await response.text()).slice(0, MAX_BODY_LENGTH);
    return { status: response.status, headers: response.headers, text };
  } catch {
    return null;
  }
}
