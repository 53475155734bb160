/** Tables that a database in use has many rows of, or that every request needs. */
export const LARGE_TABLES: readonly string[] = [
  "calls",
  "campaigns",
  "delivery_attempts",
  "notifications",
  "outgoing_events",
  "provider_events",
  "webhook_deliveries",
];
