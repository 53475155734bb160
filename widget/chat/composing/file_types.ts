import type { FileRefusal } from "../texts.ts";

const OFFICE = "application/vnd.openxmlformats-officedocument";

/** The types that the API takes, as it names them. */
const TYPES = [
  "image/jpeg",
  "image/png",
  "image/webp",
  "audio/aac",
  "audio/amr",
  "audio/mpeg",
  "audio/mp4",
  "audio/ogg",
  "video/mp4",
  "video/3gpp",
  "application/pdf",
  "text/plain",
  "application/msword",
  "application/vnd.ms-excel",
  "application/vnd.ms-powerpoint",
  `${OFFICE}.wordprocessingml.document`,
  `${OFFICE}.spreadsheetml.sheet`,
  `${OFFICE}.presentationml.presentation`,
];

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

/** For a field that chooses files. */
export const ACCEPTED = [...TYPES, ...Object.keys(SAME)].join(",");

/** The API's limit. */
const MAX_BYTES = 10 * 1024 * 1024;

/** Returns a file's type as the API names it. */
export function typeOf({ type }: Pick<File, "type">): string {
  const plain = type.split(";")[0]!.trim().toLowerCase();
  return SAME[plain] ?? plain;
}

/** Returns why a file cannot be sent; undefined for one that can. */
export function refusalOf(file: Pick<File, "type" | "size">): FileRefusal | undefined {
  if (!TYPES.includes(typeOf(file))) return "file_type";
  if (file.size === 0) return "file_refused";
  return file.size > MAX_BYTES ? "file_too_large" : undefined;
}
