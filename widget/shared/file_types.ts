const OFFICE = "application/vnd.openxmlformats-officedocument";
const MEBIBYTE = 1024 * 1024;

/** The kinds of files that messages hold. */
export const MEDIA_KINDS = ["image", "sticker", "audio", "video", "document"] as const;

export type MediaKind = typeof MEDIA_KINDS[number];

/** The types that the API takes, with the most bytes of those that members send (media_types.ts). */
export const FILE_TYPES: Record<MediaKind, { types: string[]; maxBytes: number }> = {
  image: { types: ["image/jpeg", "image/png"], maxBytes: 5 * MEBIBYTE },
  sticker: { types: ["image/webp"], maxBytes: 500 * 1024 },
  audio: {
    types: ["audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg"],
    maxBytes: 16 * MEBIBYTE,
  },
  video: { types: ["video/mp4", "video/3gpp"], maxBytes: 16 * MEBIBYTE },
  document: {
    types: [
      "application/pdf",
      "text/plain",
      "application/msword",
      "application/vnd.ms-excel",
      "application/vnd.ms-powerpoint",
      `${OFFICE}.wordprocessingml.document`,
      `${OFFICE}.spreadsheetml.sheet`,
      `${OFFICE}.presentationml.presentation`,
    ],
    maxBytes: 100 * MEBIBYTE,
  },
};

/** Other names that browsers have for the same. */
const SAME: Record<string, string> = {
  "audio/x-m4a": "audio/mp4",
  "audio/m4a": "audio/mp4",
  "audio/mp3": "audio/mpeg",
  "audio/x-aac": "audio/aac",
  "video/ogg": "audio/ogg",
  "application/ogg": "audio/ogg",
  "text/csv": "text/plain",
};

/** Returns a file's type as the API names it. */
export function typeOfFile({ type }: Pick<File, "type">): string {
  const plain = type.split(";")[0]!.trim().toLowerCase();
  return SAME[plain] ?? plain;
}

/** Returns what a file is sent as; undefined for one that the API does not take. */
export function kindOfFile(file: Pick<File, "type">): MediaKind | undefined {
  const type = typeOfFile(file);
  return MEDIA_KINDS.find((kind) => FILE_TYPES[kind].types.includes(type));
}

/** For a field that chooses files. */
export const ACCEPTED = [...Object.values(FILE_TYPES).flatMap(({ types }) => types), ...Object.keys(SAME)]
  .join(",");
