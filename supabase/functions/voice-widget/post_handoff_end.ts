import { z } from "@hono/zod-openapi";
import { checkFields } from "../_shared/check_fields.ts";
import { endHandoff } from "../_shared/db/widgets/voice_sessions.ts";
import { AppError } from "../_shared/errors.ts";
import { closeRoom } from "../_shared/gateways/realtime.ts";
import { type ApiRoute, json, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { SESSION } from "../_shared/http/app/security.ts";
import { readJson } from "../_shared/http/body/read_body.ts";
import { handoffIdSchema } from "../_shared/http/realtime/handoff_room.ts";
import { realtimePlatform } from "../_shared/http/realtime/platforms.ts";
import { requireSession, sessionQuery } from "./require_session.ts";

const endedSchema = z.object({
  success: z.literal(true),
  handoff_id: z.uuid(),
  status: z.literal("ended"),
}).openapi("EndedHandoff");

const route: ApiRoute = {
  method: "post",
  path: "/voice-widget/handoff/end",
  operationId: "endHandoff",
  summary: "End a handoff",
  tags: ["Voice widget"],
  security: SESSION,
  request: {
    query: z.object(sessionQuery),
    body: jsonBody(handoffIdSchema, { handoff_id: "0192f8aa-4f50-7162-9d7e-8f9a0b1c2d3e" }),
  },
  responses: {
    200: {
      description: "Ended, now or before",
      ...json(endedSchema, {
        success: true,
        handoff_id: "0192f8aa-4f50-7162-9d7e-8f9a0b1c2d3e",
        status: "ended",
      }),
    },
    ...errorResponses([400, 401, 403, 404, 413, 429]),
  },
};

/**
 * `POST /voice-widget/handoff/end` ends a handoff and closes its room. If the platform is unavailable, the room closes by
 * itself later.
 * Fails with `unauthorized`, `forbidden`, `validation_failed`, `not_found` or `rate_limit_exceeded`.
 */
export function registerPostHandoffEnd(app: App): void {
  addRoute(app, route, async (c) => {
    const session = await requireSession(c);
    const { handoff_id } = checkFields(handoffIdSchema, (await readJson(c)).value);
    const { sql, inBackground } = c.var.services;
    const room = await endHandoff(sql, { ...session, handoffId: handoff_id });
    if (room === null) throw new AppError("not_found", "This session has no handoff with this id");
    const platform = realtimePlatform(c);
    if (platform) inBackground(closeRoom(platform, room), { request_id: c.get("requestId") });
    return c.json({ success: true, handoff_id, status: "ended" });
  });
}
