import { z } from "@hono/zod-openapi";
import { dryRunPlan, dryRunUpload } from "../../_shared/campaigns/uploads/dry_run_upload.ts";
import { readAudienceNow, startUpload } from "../../_shared/campaigns/uploads/start_upload.ts";
import { readUpload } from "../../_shared/db/campaigns/uploads.ts";
import { badFormat } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { requirePeople } from "../../_shared/http/guards/company_caller.ts";
import { requireSendingKey } from "../../_shared/http/guards/sending_key.ts";
import { addCompanyRoute } from "../company_route.ts";
import { takeFileSlot } from "./file_slot.ts";
import { requireUpload } from "./require_upload.ts";
import { describeTried, uploadResultSchema } from "./tried_schema.ts";
import { showUpload, UPLOAD_EXAMPLE } from "./upload_schema.ts";

/** `POST …/uploads/{upload_id}/start` sends to the audience of an upload. */
export function registerPostStart(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/uploads/{upload_id}/start",
    operationId: "startUpload",
    summary: "Start the campaign of an upload to an audience",
    description:
      "Fixes the members of the audience, and responds at once; a dispatcher then stores their messages. " +
      "GET …/uploads/{upload_id} shows how far it is. Start one that was `stopped` again: it goes on with the same members. " +
      "The notifications count for the key that starts it; for a member, for the company's current one.",
    params: z.object({ upload_id: z.guid() }),
    query: z.object({
      dry_run: z.enum(["true", "false"], { error: "true or false" }).default("false").openapi({
        description: "`true`: makes every check on those who belong to the audience now, and stores nothing",
      }),
    }),
    response: {
      schema: uploadResultSchema,
      example: {
        ...UPLOAD_EXAMPLE,
        ...{
          audience: { list_id: "0192f8d0-2222-4222-8333-444455556666" },
          columns: { body_text_0: "name" },
        },
        ...{ state: "partial", members: 25_000, rows: 0, accepted: 0, refused: 0, campaign_id: null },
        ...{ completed_at: null, refused_by_code: [], problems: [] },
      },
    },
    refusals: [409, 413, 422],
  }, async (c, { caller, params: { upload_id: uploadId }, query }) => {
    const services = c.get("services");
    const { sql } = services;
    const { companyId, by } = caller;
    const { plan } = await requireUpload(sql, caller, uploadId);
    requirePeople(caller);
    if (plan.audience === null) {
      throw badFormat("upload_id", uploadId, "an upload to an audience: send the file of this one");
    }
    const { id: apiKeyId, hash: keyHash } = await requireSendingKey(sql, caller);
    const upload = { companyId, uploadId, plan, now: services.now() };
    if (query.dry_run === "true") {
      const release = takeFileSlot(c, companyId);
      try {
        const rows = await readAudienceNow(sql, upload);
        return describeTried(uploadId, await dryRunUpload(services, { companyId, plan, keyHash, rows }));
      } finally {
        release();
      }
    }
    await dryRunPlan(services, { companyId, plan, keyHash });
    await startUpload(sql, { ...upload, apiKeyId }, by);
    return showUpload((await readUpload(sql, { companyId, uploadId }))!);
  });
}
