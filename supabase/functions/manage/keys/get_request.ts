import { z } from "@hono/zod-openapi";
import { readKeyRequest } from "../../_shared/db/access/key_requests.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { addCompanyRoute } from "../company_route.ts";
import { REQUEST_ID, requestExample, requestSchema } from "./get_requests.ts";

const body = z.string().nullable();

const detailsSchema = requestSchema.extend({
  request_body: body.openapi({
    description:
      "Its first 2000 characters as JSON, without secrets; null where none was kept: see `record_bodies`",
  }),
  response_body: body,
}).openapi("KeyRequestDetails");

/** `GET …/keys/{key_id}/requests/{request_id}` shows a request of a key with its bodies. */
export function registerGetKeyRequest(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/keys/{key_id}/requests/{request_id}",
    operationId: "getKeyRequest",
    summary: "Show a request of a key",
    description:
      "With the bodies, where the setting `record_bodies` is on: those of the last 1000 requests that have any, of " +
      "`/notify` and of the company's API, without files and erasures. Each erasure of a person deletes all of them.",
    params: z.object({
      key_id: z.guid(),
      request_id: z.string().regex(REQUEST_ID).openapi({ example: requestExample.request_id }),
    }),
    response: {
      schema: detailsSchema,
      example: {
        ...requestExample,
        request_body: '{"name_template":"order_update","contact":{"number":"34600"}}',
        response_body: '{"code":"validation_failed","message":"…"}',
      },
    },
  }, async (c, { caller: { companyId }, params: { key_id: keyId, request_id: requestId } }) => {
    const row = await readKeyRequest(c.get("services").sql, { companyId, keyId, requestId });
    if (row === undefined) throw new AppError("not_found", "The key has made no such request");
    return showRow(detailsSchema, row);
  });
}
