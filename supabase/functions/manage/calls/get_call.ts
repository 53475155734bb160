import { z } from "@hono/zod-openapi";
import { readCall } from "../../_shared/db/call_list.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addMemberRoute } from "../member_route.ts";
import { callExample, callSchema, describeCall } from "./call_schema.ts";

const turnSchema = z.object({
  role: z.string().openapi({ description: "`agent` or `user`" }),
  message: z.string(),
  at_s: z.number().openapi({ description: "Seconds since the call began" }),
}).openapi("CallTurn");

const detailsSchema = callSchema.extend({
  summary: z.string().nullable(),
  transcript: z.array(turnSchema).nullable().openapi({
    description: "Null until the platform has sent it, and after it was erased",
  }),
}).openapi("CallDetails");

/** `GET …/calls/{notification_id}` shows one call with what was said. */
export function registerGetCall(app: App): void {
  addMemberRoute(app, {
    method: "get",
    path: "/calls/{notification_id}",
    operationId: "getCall",
    summary: "Show a call with its transcript",
    role: "viewer",
    params: z.object({ notification_id: z.guid() }),
    response: {
      schema: detailsSchema,
      example: {
        ...callExample,
        summary: "The customer confirmed the appointment.",
        transcript: [{ role: "agent", message: "Hello, this is Acme.", at_s: 0 }],
      },
    },
  }, async (c, { member: { companyId }, params: { notification_id: callId } }) => {
    const call = await readCall(c.get("services").sql, { companyId, callId });
    if (call === undefined) throw new AppError("not_found", "Call not found");
    return {
      ...describeCall(call),
      summary: call.summary,
      transcript: call.transcript &&
        call.transcript.map(({ role, message, atS }) => ({ role, message, at_s: atS })),
    };
  });
}
