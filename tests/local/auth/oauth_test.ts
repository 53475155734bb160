import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { JsonObject } from "../../setup/http/http.ts";
import { type AuthFixture, PASSWORD, withAuthServer } from "./auth_fixture.ts";

const REDIRECT = "http://127.0.0.1:7777/callback";
const VERIFIER = "v".repeat(50);
const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");

/** Registers an app, and returns its id. */
async function register({ url }: AuthFixture, fields: JsonObject = {}): Promise<JsonObject> {
  const response = await fetch(`${url}/auth/v1/oauth/clients/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ client_name: "Assistant", redirect_uris: [REDIRECT], ...fields }),
  });
  return { status: response.status, ...await response.json() };
}

/** Takes a browser from an app to the auth server, and returns where that leads it. */
async function authorize({ url }: AuthFixture, fields: Record<string, string>): Promise<URL> {
  const query = new URLSearchParams({
    redirect_uri: REDIRECT,
    response_type: "code",
    state: "s",
    code_challenge: CHALLENGE,
    code_challenge_method: "S256",
    ...fields,
  });
  const response = await fetch(`${url}/auth/v1/oauth/authorize?${query}`, { redirect: "manual" });
  await response.body?.cancel();
  return new URL(response.headers.get("location") ?? `about:${response.status}`);
}

async function logIn(auth: AuthFixture): Promise<{ authorization: string; refresh_token: string }> {
  const { email } = await auth.createUser();
  const session = await (await auth.post("/token?grant_type=password", { email, password: PASSWORD })).json();
  return { authorization: `Bearer ${session.access_token}`, refresh_token: session.refresh_token };
}

async function exchange({ url }: AuthFixture, form: Record<string, string>): Promise<JsonObject> {
  const response = await fetch(`${url}/auth/v1/oauth/token`, {
    method: "POST",
    body: new URLSearchParams(form),
  });
  return await response.json();
}

async function bodyOf(response: Response): Promise<JsonObject> {
  return { status: response.status, ...await response.json() };
}

/** An app that a person has let in, with the code that it got. */
async function letIn(auth: AuthFixture) {
  const { client_id } = await register(auth);
  const id = (await authorize(auth, { client_id: client_id as string })).searchParams.get(
    "authorization_id",
  )!;
  const person = await logIn(auth);
  const headers = { authorization: person.authorization };
  const shown = await bodyOf(await auth.send(`/oauth/authorizations/${id}`, { headers }));
  const consent = `/oauth/authorizations/${id}/consent`;
  const decided = await bodyOf(await auth.post(consent, { action: "approve" }, headers));
  const code = new URL(decided.redirect_url as string).searchParams.get("code")!;
  return { id, client_id: client_id as string, headers, person, shown, decided, code };
}

Deno.test("an app that a person lets in gets tokens that name it, for one try of its code", () =>
  withAuthServer(async (auth) => {
    const { id, client_id, headers, shown, decided, code } = await letIn(auth);
    assert.equal((shown.client as JsonObject).name, "Assistant");
    assert.match(decided.redirect_url as string, /^http:\/\/127\.0\.0\.1:7777\/callback\?code=\w+&state=s$/);
    const again = await bodyOf(await auth.send(`/oauth/authorizations/${id}`, { headers }));
    assert.equal(again.status, 404);

    const form = { grant_type: "authorization_code", client_id, code, code_verifier: VERIFIER };
    const tokens = await exchange(auth, form);
    const claims = JSON.parse(atob((tokens.access_token as string).split(".")[1]!));
    assert.equal(claims.client_id, client_id);
    assert.equal((await exchange(auth, form)).error, "invalid_grant");
  }));

Deno.test("a refresh token of an app opens nothing but the next one of that app", () =>
  withAuthServer(async (auth) => {
    const { client_id, code, person } = await letIn(auth);
    const form = { grant_type: "authorization_code", client_id, code, code_verifier: VERIFIER };
    const { refresh_token } = await exchange(auth, form) as { refresh_token: string };

    const asPerson = await bodyOf(await auth.post("/token?grant_type=refresh_token", { refresh_token }));
    assert.equal(asPerson.status, 400);
    const grant = { grant_type: "refresh_token" };
    const other = crypto.randomUUID();
    assert.equal(
      (await exchange(auth, { ...grant, refresh_token, client_id: other })).error,
      "invalid_grant",
    );
    const { refresh_token: own } = person;
    assert.equal((await exchange(auth, { ...grant, refresh_token: own, client_id })).error, "invalid_grant");
    assert.equal(
      typeof (await exchange(auth, { ...grant, refresh_token, client_id })).access_token,
      "string",
    );
  }));

Deno.test("a code is refused with another verifier, app or address", () =>
  withAuthServer(async (auth) => {
    for (
      const wrong of [
        { code_verifier: "w".repeat(50) },
        { client_id: crypto.randomUUID() },
        { redirect_uri: "http://127.0.0.1:7777/other" },
      ]
    ) {
      const { client_id, code } = await letIn(auth);
      const form = { grant_type: "authorization_code", client_id, code, code_verifier: VERIFIER, ...wrong };
      assert.equal((await exchange(auth, form)).error, "invalid_grant", JSON.stringify(wrong));
    }
  }));

Deno.test("only who has looked at a request first decides about it", () =>
  withAuthServer(async (auth) => {
    const { client_id } = await register(auth);
    const id = (await authorize(auth, { client_id: client_id as string })).searchParams.get(
      "authorization_id",
    )!;
    const [first, second] = [await logIn(auth), await logIn(auth)];
    const consent = `/oauth/authorizations/${id}/consent`;
    const statusOfConsent = async ({ authorization }: { authorization: string }) =>
      (await bodyOf(await auth.post(consent, { action: "approve" }, { authorization }))).status;

    assert.equal(await statusOfConsent(first), 404);
    const look = { headers: { authorization: first.authorization } };
    assert.equal((await bodyOf(await auth.send(`/oauth/authorizations/${id}`, look))).status, 200);
    assert.equal(await statusOfConsent(second), 404);
    assert.equal(await statusOfConsent(first), 200);
  }));

Deno.test("a browser is led to no address that its app has not registered, and no app registers one that runs code", () =>
  withAuthServer(async (auth) => {
    const { client_id } = await register(auth) as { client_id: string };
    const redirect_uri = "https://evil.example/callback";
    assert.equal((await authorize(auth, { client_id, redirect_uri })).href, "about:400");
    const refused = await authorize(auth, { client_id, code_challenge_method: "plain" });
    assert.equal(refused.searchParams.get("error"), "invalid_request");
    for (
      const uri of ["javascript://x/%0aalert(1)", "data:text/html,x", "http://shop.example/x", "not a url"]
    ) {
      assert.equal((await register(auth, { redirect_uris: [uri] })).status, 400, uri);
    }
    assert.equal((await register(auth, { redirect_uris: ["cursor://anysphere/callback"] })).status, 201);
  }));
