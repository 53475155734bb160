import { signal } from "@preact/signals";
import type { LoggedIn } from "./session.ts";

/** The link of an invitation leads here with a session; undefined where the link is used, or too old. */
export type Arrival = { session: LoggedIn } | { session: undefined };

/** The arrival that waits for the person to go on; undefined where they came without such a link. */
export const arrival = signal<Arrival | undefined>(undefined);

const DEFAULT_LIFE_S = 3600;

/** Takes a session of Supabase Auth out of the page's address, so that neither the history nor a copied link has it. */
export function takeArrival(): void {
  if (location.hash === "" || location.hash.startsWith("#/")) return;
  const given = new URLSearchParams(location.hash.slice(1));
  if (!given.has("access_token") && !given.has("error")) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  arrival.value = { session: sessionOf(given) };
}

/** The API checks the token; what it says is only shown. */
function sessionOf(given: URLSearchParams): LoggedIn | undefined {
  const token = given.get("access_token");
  const claims = token && claimsOf(token);
  if (!token || !claims) return undefined;
  const { email, sub: userId } = claims;
  if (typeof email !== "string" || typeof userId !== "string") return undefined;
  const life = Number(given.get("expires_in")) || DEFAULT_LIFE_S;
  const expiresAt = typeof claims.exp === "number" ? claims.exp * 1000 : Date.now() + life * 1000;
  return expiresAt > Date.now() ? { token, expiresAt, email, userId, name: undefined } : undefined;
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
