/** POSTs that do the same when they are repeated. */
export const REPEATABLE_POSTS: ReadonlySet<string> = new Set([
  "/auth",
  // The token that was used last returns the same next one again.
  "/auth/refresh",
  "/auth/logout",
  "/api_keys",
  "/manage/companies/{company_id}/campaigns/{campaign_id}/pause",
  "/manage/companies/{company_id}/campaigns/{campaign_id}/resume",
  "/manage/companies/{company_id}/campaigns/{campaign_id}/cancel",
  "/manage/companies/{company_id}/contacts/suppressions",
  "/manage/companies/{company_id}/contacts/consents",
  "/manage/companies/{company_id}/contacts/erase",
]);

/** PUTs that show a secret which no other response shows: a repetition would hide that the first one was lost. */
export const SHOWN_ONCE: ReadonlySet<string> = new Set(["/manage/companies/{company_id}/webhooks"]);

/** Whether an operation does the same when it arrives twice, also without an `Idempotency-Key`. */
export function isRepeatable(method: string, path: string): boolean {
  if (method === "POST") return REPEATABLE_POSTS.has(path);
  return method !== "PUT" || !SHOWN_ONCE.has(path);
}

/** Whether an operation takes only a company's access key or a user's token, and nothing without them. */
export function needsCredential(security: Record<string, unknown>[] = []): boolean {
  return security.length > 0 &&
    security.every((scheme) => Object.keys(scheme).every((name) => CREDENTIALS.has(name)));
}

const CREDENTIALS = new Set(["accessKey", "accessKeyInQuery", "userToken"]);
