import { type App, createBaseApp } from "../_shared/http/app.ts";
import type { Services } from "../_shared/services.ts";
import { answerErrorPage } from "./answer_error_page.ts";
import { registerGetWidgetWebView } from "./get_widget_web_view.ts";
import { registerGetWidgetWebViewByPath } from "./get_widget_web_view_by_path.ts";

/** `/widgetWebView`: the page around a chat widget's iframe. */
export function createApp(services: Services): App {
  const app = createBaseApp(services, { anyOrigin: true });
  app.onError(answerErrorPage);
  registerGetWidgetWebView(app);
  registerGetWidgetWebViewByPath(app);
  return app;
}
