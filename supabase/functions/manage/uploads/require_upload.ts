import { readStoredPlan, type UploadPlan } from "../../_shared/campaigns/uploads/upload_plan.ts";
import { readUpload, type UploadRow } from "../../_shared/db/campaigns/uploads.ts";
import type { Sql } from "../../_shared/db/driver/connect.ts";
import { AppError } from "../../_shared/errors.ts";
import { type CompanyCaller, requireChannel } from "../../_shared/http/guards/company_caller.ts";

/**
 * Returns an upload that the caller may see. Throws `not_found`, and `permission_missing` for one of a channel that a key
 * may not send on.
 */
export async function requireUpload(
  sql: Sql,
  caller: CompanyCaller,
  uploadId: string,
): Promise<{ upload: UploadRow; plan: UploadPlan }> {
  const upload = await readUpload(sql, { companyId: caller.companyId, uploadId });
  if (upload === undefined) throw new AppError("not_found", "Upload not found");
  const plan = readStoredPlan(upload.plan);
  requireChannel(caller, plan.channel);
  return { upload, plan };
}
