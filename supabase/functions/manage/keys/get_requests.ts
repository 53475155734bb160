import { z } from "@hono/zod-openapi";
import { readKeyRequestPage } from "../../_shared/db/access/key_requests.ts";
import { hasKey } from "../../_shared/db/access/keys.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { listFields, pageFields } from "../../_shared/http/app/list_page.ts";
import { flagSchema } from "../../_shared/http/app/shared_schemas.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { addCompanyRoute } from "../company_route.ts";

export const REQUEST_ID = /^req_[0-9a-f]{32}$/;

export const requestSchema = z.object({
  request_id: z.string().openapi({ description: "As `X-Request-Id` of its response names it" }),
  at: z.iso.datetime().openapi({ description: "When it ended" }),
  method: z.string(),
  path: z.string().openapi({ description: "As this document names it, so without ids" }),
  status: z.number().int(),
  code: z.string().nullable().openapi({ description: "Of a refusal" }),
  duration_ms: z.number().min(0),
  stands_for: z.number().int().min(1).openapi({
    description: "How many requests it stands for: of a busy key, one of many is kept",
  }),
}).openapi("KeyRequest");

export const requestExample: z.input<typeof requestSchema> = {
  request_id: "req_0192f8ac617273849f90a1b2c3d4e5f6",
  at: "2026-12-01T09:00:00Z",
  method: "POST",
  path: "/notify",
  status: 400,
  code: "validation_failed",
  duration_ms: 2.1,
  stands_for: 1,
};

/** `GET …/keys/{key_id}/requests` lists the requests that a key of the company has made. */
export function registerGetKeyRequests(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/keys/{key_id}/requests",
    operationId: "listKeyRequests",
    summary: "List the requests of a key",
    description:
      "Of the last 7 days, newest first; a request appears after a second or two. Of each key, 60 requests that " +
      "succeed and 60 that are refused are kept per minute and process, and one of a hundred beyond. With filters a " +
      "page looks through 10,000 requests, so it may be short or empty: read on while there is a `next`.",
    params: z.object({ key_id: z.guid() }),
    query: z.object({
      request_id: z.string().regex(REQUEST_ID, "req_ and 32 hex digits").optional().openapi({
        example: "req_0192f8ac617273849f90a1b2c3d4e5f6",
      }),
      path: z.string().max(200).optional().openapi({ example: "/notify" }),
      status: z.string().regex(/^[1-5]\d\d$/, "an HTTP status such as 400").transform(Number).optional()
        .openapi({
          type: "integer",
          example: 400,
        }),
      code: z.string().max(100).optional().openapi({ example: "validation_failed" }),
      refused: flagSchema.optional().openapi({
        description: "`true`: only those with a status of 400 or more",
      }),
      ...pageFields,
    }),
    response: {
      schema: z.object({ requests: z.array(requestSchema), ...listFields }).openapi("KeyRequests"),
      example: {
        requests: [requestExample],
        next: null,
      },
    },
  }, async (c, { caller: { companyId }, params: { key_id: keyId }, query }) => {
    const { sql } = c.get("services");
    if (!await hasKey(sql, { companyId, keyId })) {
      throw new AppError("not_found", "The company has no such key");
    }
    const { rows, next } = await readKeyRequestPage(sql, { ...query, companyId, keyId });
    return { requests: rows.map((row) => showRow(requestSchema, row)), next };
  });
}
