import type { KeyPermission } from "../../data/sdk.ts";

/** The permissions that a key of a test company may have. */
export const TEST_PERMISSIONS: readonly KeyPermission[] = [
  "chatapp_notifications",
  "contacts",
  "erase",
  "people",
  "templates",
  "webhooks",
  "reports",
  "settings",
];
