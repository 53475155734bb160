import { type RouteConfig, z } from "@hono/zod-openapi";
import { checkFields } from "../_shared/check_fields.ts";
import { readKeyState } from "../_shared/db/send_context.ts";
import { endHandoffWithoutRoom, joinHandoff, openHandoffRoom } from "../_shared/db/voice_sessions.ts";
import { AppError } from "../_shared/errors.ts";
import { countParticipants } from "../_shared/gateways/realtime/count_participants.ts";
import { MAX_PARTICIPANTS } from "../_shared/gateways/realtime/open_room.ts";
import { presentedKeyHash, requireGoodKey } from "../_shared/http/access_key.ts";
import { addRoute, type App, type AppContext } from "../_shared/http/app.ts";
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
    ...errorResponses([400, 401, 404, 409, 413, 429, 502], [403]),
  },
};

/**
 * `POST /voice-widget/handoff/join` lets a person of the company into the visitor's room. Fails with `unauthorized`,
 * `validation_failed`, `not_found` when it is not there, has ended or expired, `room_full`, `rate_limit_exceeded` or
 * `service_unavailable`.
 */
export function registerPostHandoffJoin(app: App): void {
  addRoute(app, route, async (c) => {
    const { sql } = c.var.services;
    const key = await readKeyState(sql, presentedKeyHash(c), 1);
    requireGoodKey(c, key);
    const { handoff_id } = checkFields(handoffIdSchema, (await readJson(c)).value);
    const handoff = { companyId: key.company_id, handoffId: handoff_id };
    await requirePlaceInRoom(c, handoff);
    const room = await joinHandoff(sql, handoff);
    if (room === null) throw noOpenHandoff();
    return c.json({ handoff_id, status: "joined", ...await enterRoom(c, room, "operator") });
  });
}

/** The platform would take the token of one too many and then not let them in. */
async function requirePlaceInRoom(
  c: AppContext,
  handoff: { companyId: string; handoffId: string },
): Promise<void> {
  const platform = requireRealtimePlatform(c);
  const { sql, outages } = c.var.services;
  const room = await openHandoffRoom(sql, handoff);
  if (room === null) throw noOpenHandoff();
  const participants = await countParticipants(platform, room);
  outages.worked("realtime");
  if (participants === null) {
    await endHandoffWithoutRoom(sql, handoff);
    throw noOpenHandoff();
  }
  if (participants >= MAX_PARTICIPANTS) {
    throw new AppError("room_full", `${MAX_PARTICIPANTS} people are in this room; no more can enter it`, {
      details: { participants, limit: MAX_PARTICIPANTS },
    });
  }
}

function noOpenHandoff(): AppError {
  return new AppError("not_found", "This company has no open handoff with this id");
}
