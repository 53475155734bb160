import { z } from "@hono/zod-openapi";
import { mayUseSender, senderForbidden } from "../_shared/access/key_refusal.ts";
import { readTemplatesOfNumber } from "../_shared/db/templates/templates.ts";
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
import { showRow } from "../_shared/http/app/show_row.ts";

const querySchema = z.object({
  access_key: accessKeyParam,
  phone_number: z.string().regex(/^\d{1,15}$/, "digits only, no '+'").openapi({
    description: "The sender's number, digits only",
    example: "34911222333",
  }),
});

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

const route: ApiRoute = {
  method: "get",
  path: "/notify/templates",
  operationId: "listTemplates",
  summary: "List the templates of a phone number's account",
  tags: ["Templates"],
  security: COMPANY_KEY,
  request: {
    query: querySchema,
  },
  responses: {
    200: {
      description: "A bare array; empty for a number the company does not have",
      ...json(z.array(templateSchema), [{
        id: "0192f8a9-3e4f-7051-8c6d-7e8f9a0b1c2d",
        name: "order_update",
        status: "APPROVED",
        category: "UTILITY",
        language: "en_US",
        parameter_format: "POSITIONAL",
        components: [{ type: "BODY", text: "Hello {{1}}, your order {{2}} has shipped." }],
      }]),
    },
    ...errorResponses([400, 401, 429], [403]),
  },
};

/**
 * `GET /notify/templates` lists the stored templates of the account behind a phone number; it never calls the platform. Fails
 * with `unauthorized`, `sender_forbidden` for a sender that the key may not use, `validation_failed` or `rate_limit_exceeded`.
 */
export function registerGetTemplates(app: App): void {
  addRoute(app, route, async (c) => {
    const keyHash = presentedKeyHash(c);
    const key = { keyHash, checksSender: true };
    const { phone_number: phoneNumber } = await requireQuery(c, key, querySchema);
    const found = await readTemplatesOfNumber(c.var.services.sql, { keyHash, phoneNumber });
    requireGoodKey(c, found, key);
    const { sender_id } = found;
    if (!mayUseSender(found, sender_id)) throw AppError.from(senderForbidden(sender_id!));
    return c.json(found.templates.map(({ rejected_reason, ...row }) =>
      showRow(templateSchema, {
        ...row,
        status: row.status.toUpperCase(),
        category: row.category.toUpperCase(),
        ...(rejected_reason !== null && { rejected_reason }),
      })
    ));
  });
}
