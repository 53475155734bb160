import { type RouteConfig, z } from "@hono/zod-openapi";
import { checkFields } from "../_shared/check_fields.ts";
import { endHandoff } from "../_shared/db/voice_sessions.ts";
import { AppError } from "../_shared/errors.ts";
import { closeRoom } from "../_shared/gateways/realtime/close_room.ts";
import { addRoute, type App } from "../_shared/http/app.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { readJson } from "../_shared/http/read_json.ts";
import { handoffIdSchema } from "./handoff_schema.ts";
import { realtimePlatform } from "./realtime_platform.ts";
import { requireSession } from "./require_session.ts";
import { jsonBody, sessionQuery, sessionSecurity } from "./session_route.ts";

const answerSchema = z.object({
  success: z.literal(true),
  handoff_id: z.uuid(),
  status: z.literal("ended"),
});

const route: RouteConfig = {
  method: "post",
  path: "/voice-widget/handoff/end",
  summary: "End the talk with a person",
  tags: ["Widgets"],
  security: sessionSecurity,
  request: { query: z.object(sessionQuery), body: jsonBody(handoffIdSchema) },
  responses: {
    200: {
      description: "Ended; ending it again is fine",
      content: { "application/json": { schema: answerSchema } },
    },
    ...errorResponses([400, 401, 403, 404, 413, 429]),
  },
};

/**
 * `POST /voice-widget/handoff/end` ends a handoff and closes its room; a platform that is away closes it by itself later.
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
    if (platform) inBackground(closeRoom(platform, room));
    return c.json({ success: true, handoff_id, status: "ended" });
  });
}
