import { LOOPBACK_HOSTS } from "../supabase/functions/_shared/values/urls.ts";

/** Whether a request's Host header names this machine. */
export type HostCheck = (host: string | null | undefined) => boolean;

/** The response to a request under another name. */
export const WRONG_HOST = {
  status: 421,
  text: "This Host is not allowed: use 127.0.0.1 or localhost, or add the name to OUTBOUND_LOCAL_HOSTS\n",
};

/**
 * Allows this machine's own names with any port, and `others`. A page of another site can make its name lead to
 * 127.0.0.1 (DNS rebinding) and then read the stand-ins' responses; its Host header still is that name.
 */
export function createHostCheck(others: readonly string[] = []): HostCheck {
  const allowed = new Set([...LOOPBACK_HOSTS, ...others.map((name) => name.toLowerCase())]);
  return (host) => typeof host === "string" && allowed.has(host.toLowerCase().replace(/:\d*$/, ""));
}

/** Refuses a request whose Host is not allowed. */
export function refuseHost(request: Request, isAllowed: HostCheck): Response | undefined {
  if (isAllowed(request.headers.get("Host"))) return undefined;
  return new Response(WRONG_HOST.text, { status: WRONG_HOST.status });
}

/** The names in OUTBOUND_LOCAL_HOSTS, separated by commas. */
export function readLocalHosts(setting: string | undefined): string[] {
  return (setting ?? "").split(",").map((name) => name.trim()).filter((name) => name !== "");
}
