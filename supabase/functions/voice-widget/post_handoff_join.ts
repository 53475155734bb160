import { z } from "@hono/zod-openapi";
import { checkFields } from "../_shared/check_fields.ts";
import type { Actor } from "../_shared/db/access/audit.ts";
import { readKeyState } from "../_shared/db/queue/send_context.ts";
import { accessKeyParam, presentedKeyHash, requireGoodKey } from "../_shared/http/guards/access_key.ts";
import { type ApiRoute, json, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { COMPANY_KEY } from "../_shared/http/app/security.ts";
import { readJson } from "../_shared/http/body/read_body.ts";
import { HANDOFF_EXAMPLE, handoffIdSchema, handoffSchema } from "../_shared/http/realtime/handoff_room.ts";
import { joinRoom } from "../_shared/http/realtime/join_room.ts";

const route: ApiRoute = {
  method: "post",
  path: "/voice-widget/handoff/join",
  operationId: "joinHandoff",
  summary: "Join a handoff as a person",
  description:
    "For the company's own systems, with its own access key. The event `handoff.requested` contains the id.",
  tags: ["Voice widget"],
  security: COMPANY_KEY,
  request: {
    query: z.object({ access_key: accessKeyParam }),
    body: jsonBody(handoffIdSchema, { handoff_id: "0192f8aa-4f50-7162-9d7e-8f9a0b1c2d3e" }),
  },
  responses: {
    200: {
      description: "Access to the visitor's room",
      ...json(handoffSchema, { ...HANDOFF_EXAMPLE, status: "joined" }),
    },
    ...errorResponses([400, 401, 404, 409, 413, 429, 502], [403]),
  },
};

/**
 * `POST /voice-widget/handoff/join` lets a person of the company into the visitor's room. Fails with `unauthorized`,
 * `validation_failed`, `not_found` when it does not exist, has ended or has expired, `room_full`, `rate_limit_exceeded` or
 * `service_unavailable`.
 */
export function registerPostHandoffJoin(app: App): void {
  addRoute(app, route, async (c) => {
    const { sql } = c.var.services;
    const key = await readKeyState(sql, presentedKeyHash(c), 1);
    requireGoodKey(c, key);
    const { handoff_id } = checkFields(handoffIdSchema, (await readJson(c)).value);
    const by: Actor = { actor: `key:${key.api_key_id}`, requestId: c.get("requestId") };
    return c.json(await joinRoom(c, { companyId: key.company_id, handoffId: handoff_id }, by));
  });
}
