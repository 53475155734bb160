import { type RouteConfig, z } from "@hono/zod-openapi";
import { checkFields } from "../_shared/check_fields.ts";
import { readKeyState } from "../_shared/db/send_context.ts";
import { joinHandoff } from "../_shared/db/voice_sessions.ts";
import { AppError } from "../_shared/errors.ts";
import { presentedKeyHash, requireGoodKey } from "../_shared/http/access_key.ts";
import { addRoute, type App } from "../_shared/http/app.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { readJson } from "../_shared/http/read_json.ts";
import { enterRoom } from "./enter_room.ts";
import { handoffIdSchema, handoffSchema } from "./handoff_schema.ts";
import { requireRealtimePlatform } from "./realtime_platform.ts";
import { jsonBody } from "./session_route.ts";

const route: RouteConfig = {
  method: "post",
  path: "/voice-widget/handoff/join",
  summary: "Take over a voice session as a person",
  description:
    "For the company's own systems, with its own access key: the event `handoff.requested` names the handoff.",
  tags: ["Widgets"],
  request: { query: z.object({ access_key: z.string() }), body: jsonBody(handoffIdSchema) },
  responses: {
    200: {
      description: "A place in the visitor's room",
      content: { "application/json": { schema: handoffSchema } },
    },
    ...errorResponses([400, 401, 404, 413, 429, 502], [403]),
  },
};

/**
 * `POST /voice-widget/handoff/join` lets a person of the company into the visitor's room. Fails with `unauthorized`,
 * `validation_failed`, `not_found` when it is not there or has ended, `rate_limit_exceeded` or `service_unavailable`.
 */
export function registerPostHandoffJoin(app: App): void {
  addRoute(app, route, async (c) => {
    const { sql } = c.var.services;
    const key = await readKeyState(sql, presentedKeyHash(c), 1);
    requireGoodKey(c, key);
    const { handoff_id } = checkFields(handoffIdSchema, (await readJson(c)).value);
    requireRealtimePlatform(c);
    const room = await joinHandoff(sql, { companyId: key.company_id, handoffId: handoff_id });
    if (room === null) throw new AppError("not_found", "This company has no open handoff with this id");
    return c.json({ handoff_id, status: "joined", ...await enterRoom(c, room, "operator") });
  });
}
