/** The files that messages hold. */
export const MEDIA_KINDS = ["image", "sticker", "audio", "video", "document"] as const;

export type MediaKind = typeof MEDIA_KINDS[number];
