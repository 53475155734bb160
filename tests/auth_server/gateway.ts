import { closeServer } from "../setup/http/close_server.ts";

/** The keys of the project. */
export const PUBLISHABLE_KEY = "sb_publishable_by_hand";
export const SECRET_KEY = "sb_secret_by_hand";

const OPEN = /^\/(verify|oauth\/(authorize|token|clients\/register)|\.well-known\/.*)$/;

/** The gateway of a Supabase project. */
export interface Gateway {
  url: string;
  close(): Promise<void>;
}

/**
 * Stands before the auth server as the gateway of a Supabase project does: `/auth/v1` with one of the project's keys,
 * which it exchanges for a token of that key's role. A link of an e-mail and an app by OAuth need no key.
 *
 * @param tokens the tokens of the roles `anon` and `service_role`
 */
export function openGateway(
  target: () => string,
  tokens: () => { anon: string; service_role: string },
): Gateway {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const path = pathname.replace(/^\/auth\/v1/, "");
    const headers = new Headers(request.headers);
    const key = headers.get("apikey");
    if (!OPEN.test(path)) {
      if (key !== PUBLISHABLE_KEY && key !== SECRET_KEY) {
        return Response.json({ message: "Invalid API key" }, { status: 401 });
      }
      const authorization = headers.get("authorization");
      if (authorization === null || authorization === `Bearer ${key}`) {
        const { anon, service_role } = tokens();
        headers.set("authorization", `Bearer ${key === SECRET_KEY ? service_role : anon}`);
      }
    }
    const { method, body } = request;
    return await fetch(`${target()}${path}${search}`, { method, headers, body, redirect: "manual" });
  });
  return { url: `http://127.0.0.1:${server.addr.port}`, close: () => closeServer(server) };
}
