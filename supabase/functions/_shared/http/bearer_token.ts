import type { AppContext } from "./app.ts";

/** The token of an `Authorization: Bearer` header; undefined when there is none. */
export function bearerToken(c: AppContext): string | undefined {
  return /^Bearer +([\w.~+/-]+=*)$/i.exec(c.req.header("Authorization") ?? "")?.[1];
}
