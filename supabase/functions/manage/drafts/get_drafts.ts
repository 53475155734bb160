import { z } from "@hono/zod-openapi";
import { readDrafts } from "../../_shared/db/campaigns/drafts.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { listFields, nextOf, pageFields } from "../../_shared/http/app/list_page.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { onlyChannel } from "../../_shared/http/guards/company_caller.ts";
import { addCompanyRoute } from "../company_route.ts";
import { draftExample, draftSchema } from "./draft.ts";

/** `GET …/campaigns/drafts` lists the campaigns that are being written. */
export function registerGetDrafts(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/campaigns/drafts",
    operationId: "listDrafts",
    summary: "List the drafts of campaigns",
    description: "A key sees those of the channels that it may send on.",
    query: z.object(pageFields),
    response: {
      schema: z.object({ drafts: z.array(draftSchema), ...listFields }).openapi("Drafts"),
      example: { drafts: [draftExample], next: null },
    },
  }, async (_, { caller, query, sql }) => {
    const rows = await readDrafts(sql, {
      ...query,
      companyId: caller.companyId,
      channel: onlyChannel(caller),
    });
    return {
      drafts: rows.map((row) => showRow(draftSchema, row)),
      next: nextOf(rows, query.limit, "draft_id"),
    };
  });
}
