import type { App } from "../../_shared/http/app/context.ts";
import { readAudience, resolveAudience } from "../../_shared/audiences/audience.ts";
import { dryRunPlan } from "../../_shared/campaigns/uploads/dry_run_upload.ts";
import { readUploadPlan, uploadPlanSchema } from "../../_shared/campaigns/uploads/upload_plan.ts";
import { shownWarnings, warningFields } from "../../_shared/campaigns/warnings.ts";
import { readList } from "../../_shared/db/contacts/lists.ts";
import { insertUpload } from "../../_shared/db/campaigns/uploads.ts";
import { phoneCountryOf } from "../../_shared/rows/phone_cell.ts";
import { uuidv7 } from "../../_shared/values/uuid.ts";
import { requireChannel, requirePeople } from "../../_shared/http/guards/company_caller.ts";
import { requireSendingKey } from "../../_shared/http/guards/sending_key.ts";
import { addCompanyRoute } from "../company_route.ts";
import { showUpload, UPLOAD_EXAMPLE, uploadSchema } from "./upload_schema.ts";

/** `POST …/uploads` makes an upload, to which the file is sent next. */
export function registerPostUploads(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/uploads",
    operationId: "createUpload",
    summary: "Prepare a campaign to the contacts of a file, or to an audience",
    description:
      "The body is that of POST /notify (or /notify/voice) without contacts, with the columns of the file. Checks what " +
      "can be checked without rows. Send the file to PUT …/uploads/{upload_id}/contacts next; with an `audience` of stored " +
      "contacts, for which a key needs the permission contacts, use POST …/uploads/{upload_id}/start instead.",
    body: {
      schema: uploadPlanSchema,
      example: {
        channel: "whatsapp",
        name_template: "order_update",
        language_template: "en_US",
        recipient_id: "default",
        notification_type: "utility",
        campaign_name: "Autumn orders",
        components_push: { body_text_0: "{{name}}" },
        columns: { number: "Phone", name: "First name", body_text_1: "Order" },
        file_name: "autumn.csv",
      },
    },
    response: {
      schema: uploadSchema.extend(warningFields).openapi("CreatedUpload"),
      example: {
        ...UPLOAD_EXAMPLE,
        ...{ campaign_id: null, state: "new", rows: 0, accepted: 0, refused: 0, completed_at: null },
        ...{ refused_by_code: [], problems: [] },
      },
    },
    refusals: [409, 422],
  }, async (c, { caller, body }) => {
    const services = c.get("services");
    const { companyId, by } = caller;
    const plan = readUploadPlan(body);
    requireChannel(caller, plan.channel);
    if (plan.audience !== null) {
      requirePeople(caller);
      const audience = readAudience(plan.audience, "audience");
      await resolveAudience(services.sql, { companyId, ...audience, now: services.now() });
      const { list_id: listId } = plan.audience;
      if (listId !== undefined) {
        plan.list_name = (await readList(services.sql, { companyId, listId }))?.name ?? null;
      }
    }
    const { hash: keyHash } = await requireSendingKey(services.sql, caller);
    const { batch: { warnings }, sender } = await dryRunPlan(services, { companyId, plan, keyHash });
    plan.country ??= sender.sender_number && phoneCountryOf(sender.sender_number);
    const upload = await insertUpload(services.sql, { companyId, uploadId: uuidv7(), plan }, by);
    return { ...showUpload(upload), ...shownWarnings(warnings) };
  });
}
