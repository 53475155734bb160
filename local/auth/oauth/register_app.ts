import { z } from "zod";
import { UNSAFE_SCHEMES } from "../../../supabase/functions/_shared/access/authorizations.ts";
import { validationFailed } from "../errors.ts";
import { readBody } from "../request_body.ts";
import { type App, newId, type PendingApps } from "./pending_apps.ts";

const bodySchema = z.object({
  client_name: z.string().max(1024).default(""),
  client_uri: z.string().max(2048).optional(),
  redirect_uris: z.array(z.string()).min(1).max(10),
  token_endpoint_auth_method: z.string().optional(),
});

const OWN_MACHINE = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** `POST /oauth/clients/register` (RFC 7591): registers an app that keeps no secret. */
export async function registerApp({ apps }: PendingApps, request: Request): Promise<Response> {
  const body = await readBody(request, bodySchema);
  for (const uri of body.redirect_uris) checkRedirect(uri);
  const { client_name, client_uri, redirect_uris } = body;
  const app: App = { client_id: crypto.randomUUID(), client_name, client_uri, redirect_uris };
  apps.set(app.client_id, app);
  return Response.json({
    ...app,
    client_type: "public",
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    registration_type: "dynamic",
  }, { status: 201 });
}

function checkRedirect(uri: string): void {
  const { protocol, hostname, host } = URL.parse(uri) ?? { protocol: "", hostname: "", host: "" };
  const isPlain = protocol === "http:" && !OWN_MACHINE.has(hostname);
  if (host === "" || isPlain || UNSAFE_SCHEMES.has(protocol)) {
    throw validationFailed(`invalid redirect_uri '${uri}'`);
  }
}

/**
 * `GET /oauth/authorize`: takes a person's browser from an app, and leads it to the page that asks whether the app may
 * come in. An address that the app has not registered is led nowhere.
 */
export function authorize({ apps, waiting }: PendingApps, url: URL, consoleUrl: string): Response {
  const asked = Object.fromEntries(url.searchParams);
  const app = apps.get(asked.client_id ?? "");
  if (!app) throw validationFailed("invalid client_id");
  const redirectUri = asked.redirect_uri ?? "";
  if (!app.redirect_uris.includes(redirectUri)) throw validationFailed("invalid redirect_uri");
  const { state, code_challenge: codeChallenge = "", code_challenge_method: method, response_type = "code" } =
    asked;
  if (response_type !== "code" || method !== "S256" || !/^[\w-]{43,128}$/.test(codeChallenge)) {
    return leadTo(redirectUri, { error: "invalid_request", state });
  }
  const id = newId();
  waiting.set(id, { id, app, redirectUri, state, codeChallenge });
  return Response.redirect(`${consoleUrl}/?authorization_id=${id}`, 302);
}

function leadTo(address: string, fields: Record<string, string | undefined>): Response {
  return Response.redirect(withQuery(address, fields), 302);
}

/** Returns an address with more in its query. */
export function withQuery(address: string, fields: Record<string, string | undefined>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url.href;
}
