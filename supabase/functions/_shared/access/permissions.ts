/** The permissions that an access key may have. docs/security.md says what each one opens. */
export const KEY_PERMISSIONS = [
  "chatapp_notifications",
  "voice_notifications",
  "contacts",
  "erase",
  "people",
  "media",
  "conversations",
  "calls",
  "templates",
  "senders",
  "webhooks",
  "widgets",
  "reports",
  "settings",
] as const;

export type KeyPermission = typeof KEY_PERMISSIONS[number];

/** The permissions of a new key. The others start off: keys are copied to more systems than their company knows. */
export const DEFAULT_PERMISSIONS = [
  "chatapp_notifications",
  "voice_notifications",
  "contacts",
] as const satisfies KeyPermission[];

/** The permissions that a key of a test company may have: of what works without a platform. */
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

/** The permission that a key needs to send on a channel, and to see and steer its campaigns. */
export const CHANNEL_PERMISSIONS = {
  whatsapp: "chatapp_notifications",
  voice: "voice_notifications",
} as const satisfies Record<string, KeyPermission>;

export type ChannelName = keyof typeof CHANNEL_PERMISSIONS;

/** The channels in the order in which a refusal names them. */
export const CHANNELS = Object.keys(CHANNEL_PERMISSIONS) as ChannelName[];
