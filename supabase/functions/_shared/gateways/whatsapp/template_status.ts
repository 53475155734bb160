/** The platform's states and events that we know, in our words. Source: WhatsApp Cloud API, templates and webhooks. */
const STATUS: Record<string, string> = {
  PENDING: "pending",
  APPROVED: "approved",
  REINSTATED: "approved",
  UNARCHIVED: "approved",
  FLAGGED: "approved", // still sendable, at risk of being paused
  REJECTED: "rejected",
  IN_APPEAL: "rejected",
  PAUSED: "disabled",
  DISABLED: "disabled",
  ARCHIVED: "disabled",
  PENDING_DELETION: "disabled",
  DELETED: "disabled",
  LIMIT_EXCEEDED: "disabled",
  LOCKED: "disabled",
};

/**
 * Our state of a template (`pending`, `approved`, `rejected`, `disabled`) for a state or an event of the platform. One
 * we do not know is kept in lower case: it is shown to people and counts as not usable.
 */
export function templateStatus(platformStatus: string): string {
  const known = platformStatus.toUpperCase();
  return Object.hasOwn(STATUS, known) ? STATUS[known]! : platformStatus.toLowerCase();
}
