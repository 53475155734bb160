import type { Hono } from "hono";
import type { Connection } from "./connection.ts";

/** What hono hands to each route besides the request. */
export interface SandboxEnv {
  Bindings: { connection: Connection };
}

export type SandboxApp = Hono<SandboxEnv>;
