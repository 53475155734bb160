import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import { HANDOFF_EXAMPLE, handoffSchema } from "../../_shared/http/realtime/handoff_room.ts";
import { joinRoom } from "../../_shared/http/realtime/join_room.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `POST …/conversations/handoffs/{handoff_id}/join` joins one. */
export function registerPostHandoffJoin(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "post",
      path: "/conversations/handoffs/{handoff_id}/join",
      operationId: "joinManagedHandoff",
      summary: "Join a handoff",
      description: "Returns access to the visitor's room at the real-time platform.",
      params: z.object({ handoff_id: z.guid() }),
      response: { schema: handoffSchema, example: { ...HANDOFF_EXAMPLE, status: "joined" } },
      refusals: [409],
    },
    async (c, { caller: { companyId, by }, params: { handoff_id: handoffId } }) =>
      await joinRoom(c, { companyId, handoffId }, by),
  );
}
