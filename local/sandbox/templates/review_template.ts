import type { Platform } from "../platform.ts";
import { reviewVerdict } from "./review_verdict.ts";
import { setTemplateStatus } from "./set_template_status.ts";
import type { StoredTemplate } from "./template_store.ts";

/** Ends the review of a template, as it deserves; one that is not waiting for it stays as it is. */
export function reviewTemplate(platform: Platform, id: string): StoredTemplate | undefined {
  const template = platform.templates.get(id)?.template;
  return template?.status === "PENDING" ? setTemplateStatus(platform, id, reviewVerdict(template)) : template;
}
