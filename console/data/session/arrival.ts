import { signal } from "@preact/signals";
import type { LoggedIn } from "./session.ts";
import { sessionOf } from "./tokens.ts";

/** The link of an e-mail leads here with a session; undefined where the link is used, or too old. */
export interface Arrival {
  session: LoggedIn | undefined;
  /** Of the e-mail: it invites a member, or lets them set another password. */
  kind: "invite" | "recovery" | "other";
}

/** The arrival that waits for the person to go on; undefined where they came without such a link. */
export const arrival = signal<Arrival | undefined>(undefined);

const DEFAULT_LIFE_S = 3600;

/** Takes a session of Supabase Auth out of the page's address, so that neither the history nor a copied link has it. */
export function takeArrival(): void {
  if (location.hash === "" || location.hash.startsWith("#/")) return;
  const given = new URLSearchParams(location.hash.slice(1));
  if (!given.has("access_token") && !given.has("error")) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  const type = given.get("type");
  arrival.value = {
    session: sessionIn(given),
    kind: type === "invite" || type === "recovery" ? type : "other",
  };
}

/** The API checks the token; what it says is only shown. */
function sessionIn(given: URLSearchParams): LoggedIn | undefined {
  const access_token = given.get("access_token");
  const refresh_token = given.get("refresh_token");
  const claims = access_token && claimsOf(access_token);
  if (!access_token || !refresh_token || !claims) return undefined;
  const { email, sub } = claims;
  if (typeof email !== "string" || typeof sub !== "string") return undefined;
  const expires_in = typeof claims.exp === "number"
    ? claims.exp - Date.now() / 1000
    : Number(given.get("expires_in")) || DEFAULT_LIFE_S;
  if (expires_in <= 0) return undefined;
  return sessionOf({ access_token, refresh_token, expires_in, user: { id: sub, email, user_metadata: {} } });
}

function claimsOf(token: string): Record<string, unknown> | undefined {
  try {
    const payload = token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof claims === "object" && claims !== null ? claims as Record<string, unknown> : undefined;
  } catch {
    return undefined;
  }
}
