import { z } from "@hono/zod-openapi";
import { readHandoffs } from "../../_shared/db/widgets/voice_sessions.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { listFields, nextOf, pageFields } from "../../_shared/http/app/list_page.ts";
import { HANDOFF_EXAMPLE } from "../../_shared/http/realtime/handoff_room.ts";
import { addCompanyRoute } from "../company_route.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

const requestSchema = z.object({
  handoff_id: z.guid(),
  status: z.enum(["waiting", "joined", "ended"]),
  widget_id: z.guid(),
  reason: z.string().nullable(),
  contact: z.record(z.string(), z.unknown()).nullable().openapi({ description: "What the visitor left" }),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime().openapi({ description: "From then on no member can join" }),
  ended_at: z.iso.datetime().nullable(),
}).openapi("RequestedHandoff");

/** `GET …/conversations/handoffs` lists the voice visitors who want a person. */
export function registerGetHandoffs(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/conversations/handoffs",
    operationId: "listHandoffs",
    summary: "List handoffs",
    description: "Voice visitors who asked for a person, newest first.",
    query: z.object({
      open: z.enum(["true", "false"], { error: "true or false" }).default("true").openapi({
        description: "`false` lists those too that have ended",
      }),
      ...pageFields,
    }),
    response: {
      schema: z.object({ handoffs: z.array(requestSchema), ...listFields }).openapi("Handoffs"),
      example: {
        handoffs: [{
          handoff_id: HANDOFF_EXAMPLE.handoff_id,
          status: "waiting",
          widget_id: "0192f8a9-1111-4222-8333-444455556666",
          reason: "Wants a refund",
          contact: null,
          created_at: "2026-12-01T09:00:00Z",
          expires_at: "2026-12-01T09:15:00Z",
          ended_at: null,
        }],
        next: null,
      },
    },
  }, async (c, { caller: { companyId }, query: { open, after, limit } }) => {
    const { sql } = c.get("services");
    const rows = await readHandoffs(sql, { companyId, isOpen: open === "true", after, limit });
    return {
      handoffs: rows.map((row) => showRow(requestSchema, row)),
      next: nextOf(rows, limit, "handoff_id"),
    };
  });
}
