import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { JsonObject } from "../setup/http/http.ts";
import {
  OUTBOUND_CONSOLE_URL,
  type Person,
  type SupabaseAuth,
  withSupabaseAuth,
} from "./with_supabase_auth.ts";

const OAUTH = {
  GOTRUE_OAUTH_SERVER_ENABLED: "true",
  GOTRUE_OAUTH_SERVER_AUTHORIZATION_PATH: "/",
  GOTRUE_SITE_URL: OUTBOUND_CONSOLE_URL,
};
const REGISTERS = { ...OAUTH, GOTRUE_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION: "true" };
const REDIRECT = "https://assistant.example/callback";
const VERIFIER = "v".repeat(50);
const APP = {
  client_name: "Assistant",
  redirect_uris: [REDIRECT],
  token_endpoint_auth_method: "none",
  grant_types: ["authorization_code", "refresh_token"],
};

/** Reads what leads an app, which knows the address of the tools alone, to the login service. */
async function discover({ http }: SupabaseAuth): Promise<Record<string, string>> {
  const { body } = await http.get("/mcp/.well-known/oauth-protected-resource");
  const [issuer] = body.authorization_servers as string[];
  return await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json();
}

async function register(endpoint: string, headers: Record<string, string> = {}): Promise<JsonObject> {
  const response = await fetch(endpoint, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(APP),
  });
  return { status: response.status, ...await response.json() };
}

/** Leads a browser from an app to the console, and returns the request that waits there. */
async function begin(endpoint: string, clientId: string): Promise<string> {
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: REDIRECT,
    response_type: "code",
    code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
    code_challenge_method: "S256",
  });
  const response = await fetch(`${endpoint}?${query}`, { redirect: "manual" });
  await response.body?.cancel();
  const location = new URL(response.headers.get("location")!);
  assert.equal(`${location.origin}${location.pathname}`, `${OUTBOUND_CONSOLE_URL}/`);
  return location.searchParams.get("authorization_id")!;
}

async function exchange(endpoint: string, form: Record<string, string>): Promise<JsonObject> {
  const body = new URLSearchParams({ grant_type: "authorization_code", code_verifier: VERIFIER, ...form });
  return await (await fetch(endpoint, { method: "POST", body })).json();
}

const codeIn = (url: unknown) => new URL(url as string).searchParams.get("code")!;

async function useTools({ http }: SupabaseAuth, token: string) {
  const headers = { authorization: `Bearer ${token}` };
  return await http.post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/list" }, { headers });
}

/** Lets an app in as a person, and returns the tokens that it gets. */
async function connect(t: SupabaseAuth, person: Person, clientId: string): Promise<JsonObject> {
  const { authorization_endpoint, token_endpoint } = await discover(t);
  const path = `/auth/authorizations/${await begin(authorization_endpoint!, clientId)}`;
  const shown = await t.as(person, "GET", path);
  assert.deepEqual([shown.body.app.name, shown.body.goes_to], ["Assistant", REDIRECT], JSON.stringify(shown));
  const { body } = await t.as(person, "POST", path, { approve: true });
  return await exchange(token_endpoint!, { client_id: clientId, code: codeIn(body.redirect_url) });
}

Deno.test("an assistant that registers itself uses the tools as the person who let it in, and reaches nothing else", (test) =>
  withSupabaseAuth(test.name, async (t) => {
    const { registration_endpoint, authorization_endpoint } = await discover(t);
    const { client_id } = await register(registration_endpoint!) as { client_id: string };
    const { access_token } = await connect(t, t.owner, client_id) as { access_token: string };

    const listed = await useTools(t, access_token);
    assert.deepEqual([listed.status, listed.body.result.tools.length > 10], [200, true]);
    assert.equal((await t.as({ ...t.owner, access_token }, "GET", "/manage/companies")).status, 401);

    const again = `/auth/authorizations/${await begin(authorization_endpoint!, client_id)}`;
    const { body } = await t.as(t.owner, "GET", again);
    assert.ok(codeIn(body.redirect_url), "who let it in before goes on at once");
  }, { auth: REGISTERS }));

Deno.test("a request of an app that another person looked at, that was refused, or that is unknown is not found", (test) =>
  withSupabaseAuth(test.name, async (t) => {
    const { registration_endpoint, authorization_endpoint } = await discover(t);
    const { client_id } = await register(registration_endpoint!) as { client_id: string };
    const path = `/auth/authorizations/${await begin(authorization_endpoint!, client_id)}`;
    const other = await t.createPerson();
    assert.equal((await t.as(t.owner, "GET", path)).status, 200);

    assert.equal((await t.as(other, "GET", path)).status, 404);
    assert.equal((await t.as(other, "POST", path, { approve: true })).status, 404);
    const refused = await t.as(t.owner, "POST", path, { approve: false });
    assert.equal(new URL(refused.body.redirect_url).searchParams.get("error"), "access_denied");
    assert.equal((await t.as(t.owner, "GET", path)).status, 404);
    assert.equal((await t.as(t.owner, "GET", "/auth/authorizations/unknown")).status, 404);
  }, { auth: REGISTERS }));

Deno.test("without registration by themselves, apps that the project's operator registered come in", (test) =>
  withSupabaseAuth(test.name, async (t) => {
    const { registration_endpoint } = await discover(t);
    assert.equal(registration_endpoint, undefined);
    const { client_id } = await t.registerApp(APP);
    const { access_token } = await connect(t, t.owner, client_id) as { access_token: string };
    assert.equal((await useTools(t, access_token)).status, 200);
  }, { auth: OAUTH }));

Deno.test("an app of a person with a second factor gets in nowhere: its tokens do not say that the code was shown", (test) =>
  withSupabaseAuth(test.name, async (t) => {
    const { registration_endpoint } = await discover(t);
    const { client_id } = await register(registration_endpoint!) as { client_id: string };
    const { access_token } = await connect(t, t.owner, client_id) as { access_token: string };
    await t.sql`
      insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, secret, created_at, updated_at)
      select gen_random_uuid(), id, 'Phone', 'totp', 'verified', 'secret', now(), now()
      from auth.users where email = ${t.owner.email}`;

    const other = await connect(t, await t.createPerson(), client_id) as { access_token: string };
    assert.equal((await useTools(t, other.access_token)).status, 200);
    const { status, body } = await useTools(t, access_token);
    assert.deepEqual([status, body.error], [403, "second_factor_required"]);
  }, { auth: REGISTERS }));
