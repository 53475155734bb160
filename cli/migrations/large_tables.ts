/** Tables that a database in use has many rows of, or that every request needs. */
export const LARGE_TABLES: readonly string[] = [
  "calls",
  "campaigns",
  "delivery_attempts",
  "notification_facts",
  "outgoing_events",
  "platform_events",
  "queue",
  "webhook_deliveries",
];
