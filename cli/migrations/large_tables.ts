/** Tables that a database in use has many rows of, or that every request needs. */
export const LARGE_TABLES: readonly string[] = [
  "calls",
  "campaigns",
  "delivery_attempts",
  "notifications",
  "outgoing_events",
  "platform_events",
  "webhook_deliveries",
];
