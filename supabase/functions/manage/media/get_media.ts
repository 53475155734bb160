import { z } from "@hono/zod-openapi";
import { readMediaPage } from "../../_shared/db/media/media_files.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { listFields, nextOf, pageFields } from "../../_shared/http/app/list_page.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { addCompanyRoute } from "../company_route.ts";
import { kindSchema, MEDIA_EXAMPLE, mediaSchema } from "./media.ts";

/** `GET …/media` lists the files that the company uploaded. */
export function registerGetMedia(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/media",
    operationId: "listMedia",
    summary: "List your files",
    description: "The newest first. Files that people sent are with their messages.",
    query: z.object({ kind: kindSchema.optional(), ...pageFields }),
    response: {
      schema: z.object({ media: z.array(mediaSchema), ...listFields }).openapi("MediaList"),
      example: { media: [MEDIA_EXAMPLE], next: null },
    },
  }, async (c, { caller: { companyId }, query }) => {
    const rows = await readMediaPage(c.get("services").sql, { ...query, companyId });
    return {
      media: rows.map((row) => showRow(mediaSchema, row)),
      next: nextOf(rows, query.limit, "media_id"),
    };
  });
}
