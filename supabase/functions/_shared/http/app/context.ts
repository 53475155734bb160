import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Effect } from "../../access/effects.ts";
import type { Services } from "../../services.ts";

/** The values that every request carries through middleware, guards and routes. */
export interface AppEnv {
  Bindings: {
    /** The other end of the socket, where the runtime shows it. */
    remoteAddr?: Deno.Addr;
  };
  Variables: {
    services: Services;
    requestId: string;
    /** The pattern of the matching route, for the log. */
    route: string | undefined;
    /** The effect of the matching route on a company. */
    effect: Effect;
    /** The company whose key or user is calling. */
    companyId: string | undefined;
    /** The key that is calling. */
    keyId: string | undefined;
    /** The user who is calling. */
    userId: string | undefined;
    /** The form of the endpoint's errors. `mixed`: full, but short for the codes of the contract's short form. */
    errorShape: "mixed" | "full" | "short";
    /** The JSON body of the request, as it was read. */
    bodyText: string | undefined;
    /** The code of the error that the request ends with. */
    errorCode: string | undefined;
    /** The key the caller presents, as `services.knownKeys` knows it. */
    presentedKey: string | undefined;
    /** The caller has identified itself: by a good key, or earlier by a platform's signature. */
    isKnown: boolean;
    /** Called when the response is made. */
    onResponse: (() => void)[];
  };
}

export type App = OpenAPIHono<AppEnv>;
/** On the path of every request read values by `c.get()`: `c.var` copies all of them at each use. */
export type AppContext = Context<AppEnv>;
