import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import { callDetailsSchema, callExample, showCall } from "../../_shared/http/company/calls.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `GET …/calls/{notification_id}` shows one call with what was said. */
export function registerGetCall(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "get",
      path: "/calls/{notification_id}",
      operationId: "getCall",
      summary: "Show a call with its transcript",
      params: z.object({ notification_id: z.guid() }),
      response: {
        schema: callDetailsSchema,
        example: {
          ...callExample,
          summary: "The customer confirmed the appointment.",
          transcript: [{ role: "agent", message: "Hello, this is Acme.", at_s: 0 }],
        },
      },
    },
    async (c, { caller: { companyId }, params: { notification_id: callId } }) =>
      await showCall(c.get("services").sql, { companyId, callId }),
  );
}
