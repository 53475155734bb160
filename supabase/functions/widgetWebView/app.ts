import type { App } from "../_shared/http/app/context.ts";
import { createBaseApp } from "../_shared/http/app/app.ts";
import type { Services } from "../_shared/services.ts";
import { respondErrorPage } from "./error_page.ts";
import { registerGetWidgetWebView } from "./get_widget_web_view.ts";
import { registerGetWidgetWebViewByPath } from "./get_widget_web_view_by_path.ts";

/** Creates `/widgetWebView`: the page around a chat widget's iframe. */
export function createApp(services: Services): App {
  const app = createBaseApp(services, { pages: "any" });
  app.onError(respondErrorPage);
  registerGetWidgetWebView(app);
  registerGetWidgetWebViewByPath(app);
  return app;
}
