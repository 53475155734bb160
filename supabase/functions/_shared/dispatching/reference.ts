import type { ClaimedNotification } from "../db/dispatch_queue.ts";

/** Points back at one try of a notification; the platform returns it with every event about the message. */
export interface Reference {
  companyId: string;
  notificationId: string;
  /** The fence of the claim that sent it; null in references without one, as earlier versions wrote them. */
  fence: number | null;
}

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
/** Nine digits at most: one more and the number might not fit the column it is stored in. */
const FORM = new RegExp(`^(${UUID}):(${UUID})(?::([1-9][0-9]{0,8}))?$`);

/** The text that goes along with a message: 83 characters at most of the 512 the platform allows. */
export function writeReference({ companyId, notificationId, fence }: Reference): string {
  const notification = `${companyId}:${notificationId}`;
  return fence === null ? notification : `${notification}:${fence}`;
}

/** Null for a text that is not one of ours. */
export function readReference(text: string | null): Reference | null {
  const [, companyId, notificationId, fence] = FORM.exec(text ?? "") ?? [];
  if (!companyId || !notificationId) return null;
  return { companyId, notificationId, fence: fence === undefined ? null : Number(fence) };
}

/** What a claimed notification is sent with. */
export function tryOf({ company_id, id, fence }: ClaimedNotification): Reference {
  return { companyId: company_id, notificationId: id, fence };
}
