import { type RouteConfig, z } from "@hono/zod-openapi";
import { readTemplatesNamed } from "../_shared/db/templates.ts";
import { AppError, missingField } from "../_shared/errors.ts";
import { presentedKeyHash, requireGoodKey } from "../_shared/http/access_key.ts";
import { addRoute, type App, type AppContext } from "../_shared/http/app.ts";
import { afterKey } from "../_shared/http/after_key.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { dynamicComponents } from "../_shared/templates/dynamic_components.ts";
import { templateComponentSchema } from "../_shared/templates/template.ts";

const answerSchema = z.object({
  status: z.literal("OK"),
  components: z.array(z.string()).openapi({ example: ["body_text_0", "body_text_1"] }),
}).openapi("TemplateComponents");

const route: RouteConfig = {
  method: "get",
  path: "/notify/template/components",
  summary: "What has to be supplied to send a template",
  tags: ["Templates"],
  request: {
    query: z.object({
      access_key: z.string(),
      template: z.string().openapi({ description: "The template's id or name", example: "order_update" }),
      language: z.string().optional().openapi({
        description: "Narrows a name that exists in several languages",
      }),
    }),
  },
  responses: {
    200: {
      description: "Names to put into `components_push`; empty for static content",
      content: { "application/json": { schema: answerSchema } },
    },
    ...errorResponses([400, 401, 404, 429], [403]),
  },
};

/**
 * `GET /notify/template/components` names the dynamic components of a template, by id or name. Of several languages the
 * approved one counts. Fails with `unauthorized`, `validation_failed`, `template_not_found` or `rate_limit_exceeded`.
 */
export function registerGetTemplateComponents(app: App): void {
  addRoute(app, route, async (c) => {
    const keyHash = presentedKeyHash(c);
    const template = await afterKey(c, { keyHash }, () => readTemplateName(c));
    const found = await readTemplatesNamed(c.var.services.sql, { keyHash, template });
    requireGoodKey(c, found);
    const language = c.req.query("language");
    const match = found.templates.find((row) => !language || row.language === language);
    if (!match) {
      throw new AppError("template_not_found", "There is no such template", {
        details: { template, language },
      });
    }
    const components = z.array(templateComponentSchema).parse(match.components);
    return c.json({ status: "OK", components: dynamicComponents(components, match.parameter_format) });
  });
}

function readTemplateName(c: AppContext): string {
  const template = c.req.query("template");
  if (!template) throw missingField("template");
  return template.slice(0, 512);
}
