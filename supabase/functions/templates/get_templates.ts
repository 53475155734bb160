import { type RouteConfig, z } from "@hono/zod-openapi";
import { readTemplatesOfNumber, type TemplateRow } from "../_shared/db/templates.ts";
import { badFormat, missingField } from "../_shared/errors.ts";
import { presentedKeyHash, requireGoodKey } from "../_shared/http/access_key.ts";
import { addRoute, type App } from "../_shared/http/app.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { afterKey } from "../_shared/http/after_key.ts";

const templateSchema = z.object({
  id: z.string(),
  name: z.string(),
  status: z.string().openapi({ description: "APPROVED, PENDING, REJECTED, DISABLED", example: "APPROVED" }),
  category: z.string().openapi({ example: "UTILITY" }),
  language: z.string(),
  parameter_format: z.string(),
  components: z.array(z.looseObject({ type: z.string() })),
  rejected_reason: z.string().optional().openapi({
    description: "Why it was rejected or cannot be used now; only there when that is known",
    example: "INVALID_FORMAT",
  }),
}).openapi("Template");

const route: RouteConfig = {
  method: "get",
  path: "/notify/templates",
  summary: "List the templates of a phone number's account",
  tags: ["Templates"],
  request: {
    query: z.object({
      access_key: z.string(),
      phone_number: z.string().openapi({
        description: "The sender's number, digits only",
        example: "34911222333",
      }),
    }),
  },
  responses: {
    200: {
      description: "A bare array; empty for a number the company does not have",
      content: { "application/json": { schema: z.array(templateSchema) } },
    },
    ...errorResponses([400, 401, 429], [403]),
  },
};

/**
 * `GET /notify/templates` lists what we know of the account behind a phone number; it never asks the platform. Fails
 * with `unauthorized`, `validation_failed` or `rate_limit_exceeded`.
 */
export function registerGetTemplates(app: App): void {
  addRoute(app, route, async (c) => {
    const keyHash = presentedKeyHash(c);
    const phoneNumber = await afterKey(c, { keyHash }, () => readPhoneNumber(c.req.query("phone_number")));
    const found = await readTemplatesOfNumber(c.var.services.sql, { keyHash, phoneNumber });
    requireGoodKey(c, found);
    return c.json(found.templates.map(answerFor));
  });
}

function readPhoneNumber(given: string | undefined): string {
  if (!given) throw missingField("phone_number");
  if (!/^\d{1,15}$/.test(given)) throw badFormat("phone_number", given, "digits only, no '+'");
  return given;
}

function answerFor(template: TemplateRow) {
  return {
    id: template.id,
    name: template.name,
    status: template.status.toUpperCase(),
    category: template.category.toUpperCase(),
    language: template.language,
    parameter_format: template.parameter_format,
    components: template.components,
    ...(template.rejected_reason !== null && { rejected_reason: template.rejected_reason }),
  };
}
