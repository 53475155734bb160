import { createBaseApp } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import type { Services } from "../_shared/services.ts";
import { challenge, registerGetOauthProtectedResource } from "./get_oauth_protected_resource.ts";
import { registerPostMcp } from "./post_mcp.ts";

/** `/mcp`: tools for AI agents, over the Model Context Protocol. */
export function createApp(services: Services): App {
  const app = createBaseApp(services, { pages: "console" });
  app.use("*", async (c, next) => {
    await next();
    if (c.res.status === 401) c.header("WWW-Authenticate", challenge(c));
  });
  registerGetOauthProtectedResource(app);
  registerPostMcp(app);
  return app;
}
