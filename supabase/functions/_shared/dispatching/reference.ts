/** Points back at a notification; the platform returns it with every event about the message. */
export interface Reference {
  companyId: string;
  notificationId: string;
}

const UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
const FORM = new RegExp(`^(${UUID}):(${UUID})$`);

/** The text that goes along with a message: 73 characters of the 512 the platform allows. */
export function writeReference({ companyId, notificationId }: Reference): string {
  return `${companyId}:${notificationId}`;
}

/** Null for a text that is not one of ours. */
export function readReference(text: string | null): Reference | null {
  const [, companyId, notificationId] = FORM.exec(text ?? "") ?? [];
  return companyId && notificationId ? { companyId, notificationId } : null;
}
