import { z } from "@hono/zod-openapi";
import { readTemplatesNamed } from "../_shared/db/templates/templates.ts";
import { AppError } from "../_shared/errors.ts";
import {
  accessKeyParam,
  presentedKeyHash,
  requireGoodKey,
  requireQuery,
} from "../_shared/http/guards/access_key.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { COMPANY_KEY } from "../_shared/http/app/security.ts";
import { templateValueSchema, valuesOf } from "../_shared/http/company/template_values.ts";
import { suggestTemplate } from "../_shared/templates/suggest_template.ts";

/** A longer name belongs to no template. */
const MAX_NAME_LENGTH = 512;

const querySchema = z.object({
  access_key: accessKeyParam,
  template: z.string().openapi({ description: "The template's id or name", example: "order_update" }),
  language: z.string().optional().openapi({
    description: "Narrows a name that exists in several languages",
    example: "en_US",
  }),
  values: z.enum(["true", "false"], { error: "true or false" }).optional().openapi({
    description: "`true`: the response has `values`",
  }),
});

const responseSchema = z.object({
  status: z.literal("OK"),
  components: z.array(z.string()).openapi({
    description: "The names that must be supplied",
    example: ["body_text_0"],
  }),
  values: z.array(templateValueSchema).optional().openapi({
    description: "Every name that may be supplied, with what it takes. Only with `values=true`",
  }),
}).openapi("TemplateComponents");

const route: ApiRoute = {
  method: "get",
  path: "/notify/template/components",
  operationId: "getTemplateComponents",
  summary: "List the dynamic components of a template",
  tags: ["Templates"],
  security: COMPANY_KEY,
  request: {
    query: querySchema,
  },
  responses: {
    200: {
      description: "Names to put into `components_push`; empty for static content",
      headers: z.object({
        "Content-Language": z.string().openapi({
          description:
            "The template's language; of a name that is approved in several, the one that was taken",
          example: "en-US",
        }),
      }),
      ...json(responseSchema, {
        status: "OK",
        components: ["body_text_0"],
      }),
    },
    ...errorResponses([400, 401, 404, 429], [403]),
  },
};

/**
 * `GET /notify/template/components` names the dynamic components of a template, by id or name. Among several languages
 * an approved one counts, the first by its code; `Content-Language` says which. Fails with `unauthorized`, `validation_failed`, `template_not_found` or `rate_limit_exceeded`.
 */
export function registerGetTemplateComponents(app: App): void {
  addRoute(app, route, async (c) => {
    const keyHash = presentedKeyHash(c);
    const key = { keyHash, checksSender: true };
    const { language, values: withValues, ...query } = await requireQuery(c, key, querySchema);
    const template = query.template.slice(0, MAX_NAME_LENGTH);
    const found = await readTemplatesNamed(c.var.services.sql, { keyHash, template });
    requireGoodKey(c, found, key);
    const match = found.templates.find((row) => !language || row.language === language);
    if (!match) {
      const refusal = new AppError("template_not_found", "There is no such template", {
        details: { template, language },
      });
      // A suggestion would name templates of other senders' accounts.
      if (found.templates.length > 0 || found.sender_ids !== null) throw refusal;
      const owner = { companyId: found.company_id, senderId: null };
      throw AppError.from(await suggestTemplate(c.var.services.sql, owner, { name: template, refusal }));
    }
    const values = valuesOf(match);
    c.header("Content-Language", match.language.replace("_", "-"));
    return c.json({
      status: "OK",
      components: values.filter(({ required }) => required).map(({ name }) => name),
      ...(withValues === "true" && { values }),
    });
  });
}
