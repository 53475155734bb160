import type { App } from "../_shared/http/app/context.ts";
import { createBaseApp } from "../_shared/http/app/app.ts";
import type { Services } from "../_shared/services.ts";
import { registerDeleteFactor } from "./delete_factor.ts";
import { registerGetAuthorization } from "./get_authorization.ts";
import { registerGetFactors } from "./get_factors.ts";
import { registerPostAuth } from "./post_auth.ts";
import { registerPostAuthorization } from "./post_authorization.ts";
import { registerPostFactors } from "./post_factors.ts";
import { registerPostLogout } from "./post_logout.ts";
import { registerPostPassword } from "./post_password.ts";
import { registerPostRecover } from "./post_recover.ts";
import { registerPostRefresh } from "./post_refresh.ts";
import { registerPostVerifyFactor } from "./post_factor_verify.ts";

/** `/auth`, also for the pages of the console. */
export function createApp(services: Services): App {
  const app = createBaseApp(services, { pages: "console" });
  registerPostAuth(app);
  registerPostRefresh(app);
  registerPostLogout(app);
  registerPostRecover(app);
  registerPostPassword(app);
  registerGetFactors(app);
  registerPostFactors(app);
  registerPostVerifyFactor(app);
  registerDeleteFactor(app);
  registerGetAuthorization(app);
  registerPostAuthorization(app);
  return app;
}
