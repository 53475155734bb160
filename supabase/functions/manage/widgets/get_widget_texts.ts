import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import { BUILT_IN_TEXTS } from "../../_shared/widgets/choose_texts.ts";
import { addCompanyRoute } from "../company_route.ts";
import { kindSchema } from "./widget.ts";

/** `GET …/widgets/texts` lists the built-in texts of a kind of widget: their languages, names, and what they say. */
export function registerGetWidgetTexts(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/widgets/texts",
    operationId: "listWidgetTexts",
    summary: "List the built-in texts of widgets",
    description: "By language and name. English has every name.",
    query: z.object({ kind: kindSchema }),
    response: {
      schema: z.object({
        texts: z.record(z.string(), z.record(z.string(), z.string())),
      }).openapi("WidgetTexts"),
      example: { texts: { en: { title: "Chat with us" }, es: { title: "Hable con nosotros" } } },
    },
  }, (_, { query: { kind } }) => Promise.resolve({ texts: BUILT_IN_TEXTS[kind] }));
}
