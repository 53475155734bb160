import { z } from "@hono/zod-openapi";
import { readAudit } from "../../_shared/db/access/audit.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { listFields, nextOf, pageFields } from "../../_shared/http/app/list_page.ts";
import { addCompanyRoute } from "../company_route.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

const change = z.record(z.string(), z.unknown()).nullable();

const entrySchema = z.object({
  id: z.guid(),
  at: z.iso.datetime(),
  actor: z.string().openapi({
    description:
      "`user:<id>`, `key:<id>`, `mcp:user:<id>` and `mcp:key:<id>` for an agent that acts for them, `cli` or `platform`",
  }),
  action: z.string().openapi({ description: "Noun and verb, such as `campaign.paused`" }),
  subject: z.string().nullable().openapi({ description: "The id of what was changed" }),
  before: change,
  after: change,
  request_id: z.string().nullable(),
}).openapi("AuditEntry");

/** `GET …/audit` lists who changed what, newest first. */
export function registerGetAudit(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/audit",
    operationId: "listAudit",
    summary: "List who changed what",
    query: z.object({
      action: z.string().max(100).optional().openapi({ example: "campaign.paused" }),
      actor: z.string().max(100).optional().openapi({ example: "user:0192f8b0-2222-4222-8333-444455556666" }),
      subject: z.string().max(200).optional().openapi({ example: "0192f8a6-3d2e-7f41-9a5b-6c7d8e9f0a1b" }),
      ...pageFields,
    }),
    response: {
      schema: z.object({ audit: z.array(entrySchema), ...listFields }).openapi("Audit"),
      example: {
        audit: [{
          id: "0192f8b0-1111-4222-8333-444455556666",
          at: "2026-12-01T09:00:00Z",
          actor: "user:0192f8b0-2222-4222-8333-444455556666",
          action: "campaign.paused",
          subject: "0192f8a6-3d2e-7f41-9a5b-6c7d8e9f0a1b",
          before: null,
          after: null,
          request_id: "0192f8ac-6172-7384-9f90-a1b2c3d4e5f6",
        }],
        next: null,
      },
    },
  }, async (c, { caller: { companyId }, query }) => {
    const rows = await readAudit(c.get("services").sql, { ...query, companyId });
    return {
      audit: rows.map((row) => showRow(entrySchema, row)),
      next: nextOf(rows, query.limit),
    };
  });
}
