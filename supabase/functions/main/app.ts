import { createApp as createAdminApp } from "../admin/app.ts";
import { createApp as createApiKeysApp } from "../api_keys/app.ts";
import { createApp as createAuthApp } from "../auth/app.ts";
import { createApp as createDispatchApp } from "../dispatch/app.ts";
import { createApp as createHealthApp } from "../health/app.ts";
import { createApp as createManageApp } from "../manage/app.ts";
import { createApp as createMcpApp } from "../mcp/app.ts";
import { createApp as createNotifyApp } from "../notify/app.ts";
import { createApp as createOpenapiApp } from "../openapi/app.ts";
import { createApp as createVoiceWidgetApp } from "../voice-widget/app.ts";
import { createApp as createWebhooksApp } from "../webhooks/app.ts";
import { createApp as createWidgetApp } from "../widget/app.ts";
import { createApp as createWidgetWebViewApp } from "../widgetWebView/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { functionPath } from "../_shared/http/app/urls.ts";
import type { Services } from "../_shared/services.ts";

export interface MainApp {
  fetch(request: Request, info?: { remoteAddr?: Deno.Addr }): Response | Promise<Response>;
}

/** Creates every function that `GET /openapi` describes, by its slug. */
export function createFunctions(services: Services): Record<string, App> {
  return {
    notify: createNotifyApp(services),
    manage: createManageApp(services),
    mcp: createMcpApp(services),
    admin: createAdminApp(services),
    auth: createAuthApp(services),
    api_keys: createApiKeysApp(services),
    widget: createWidgetApp(services),
    widgetWebView: createWidgetWebViewApp(services),
    "voice-widget": createVoiceWidgetApp(services),
    health: createHealthApp(services),
    webhooks: createWebhooksApp(services),
    dispatch: createDispatchApp(services),
  };
}

/**
 * Creates all functions behind one door, for hosting without Supabase: `/functions/v1/<slug>/…` goes to the function
 * `<slug>`, as with Supabase's gateway.
 */
export function createMainApp(services: Services): MainApp {
  const functions = createFunctions(services);
  const others = createOpenapiApp(services);

  return {
    fetch(request, info = {}) {
      const slug = functionPath(request).split("/")[1] ?? "";
      const app = Object.hasOwn(functions, slug) ? functions[slug]! : others;
      return app.fetch(request, info);
    },
  };
}
