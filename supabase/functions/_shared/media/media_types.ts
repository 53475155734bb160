import { MEDIA_KINDS, type MediaKind } from "../gateways/whatsapp/send_message.ts";

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

/** The most bytes of a file that the platform takes, by its kind. Source: WhatsApp Cloud API, media. */
export const MAX_BYTES: Record<MediaKind, number> = {
  image: 5 * MEBIBYTE,
  audio: 16 * MEBIBYTE,
  video: 16 * MEBIBYTE,
  document: 100 * MEBIBYTE,
  sticker: 500 * KIBIBYTE,
};

/** The largest file of all. */
export const MAX_FILE_BYTES = Math.max(...MEDIA_KINDS.map((kind) => MAX_BYTES[kind]));

/** How many bytes of a file show its type. */
export const HEAD_BYTES = 4 * KIBIBYTE;

const OFFICE = "application/vnd.openxmlformats-officedocument";

interface FileType {
  kind: MediaKind;
  begins(head: Uint8Array): boolean;
  /** The endings of such files' names, the usual one first. */
  endings: string[];
}

function type(kind: MediaKind, begins: FileType["begins"], ...endings: string[]): FileType {
  return { kind, begins, endings };
}

const isOldOffice = at(0, [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
const isZip = at(0, [...bytesOf("PK"), 3, 4]);

/** The types that the platform takes. Source: WhatsApp Cloud API, media. */
const TYPES: Record<string, FileType> = {
  "image/jpeg": type("image", at(0, [0xff, 0xd8, 0xff]), "jpg", "jpeg", "jfif"),
  "image/png": type("image", at(0, [0x89, ...bytesOf("PNG"), 0x0d, 0x0a, 0x1a, 0x0a]), "png"),
  "image/webp": type("sticker", (head) => text(0, "RIFF")(head) && text(8, "WEBP")(head), "webp"),
  "audio/aac": type(
    "audio",
    ([first = 0, second = 0]) => first === 0xff && (second & 0xf6) === 0xf0,
    "aac",
  ),
  "audio/amr": type("audio", text(0, "#!AMR"), "amr"),
  "audio/mpeg": type(
    "audio",
    (head) => text(0, "ID3")(head) || head[0] === 0xff && (head[1]! & 0xe6) > 0xe0,
    ...["mp3", "mpga"],
  ),
  "audio/mp4": type("audio", text(4, "ftyp"), "m4a", "mp4"),
  "audio/ogg": type("audio", text(0, "OggS"), "ogg", "oga", "opus", "ogv"),
  "video/mp4": type("video", text(4, "ftyp"), "mp4", "m4v"),
  "video/3gpp": type("video", text(4, "ftyp3g"), "3gp", "3gpp"),
  "application/pdf": type("document", text(0, "%PDF-"), "pdf"),
  "text/plain": type("document", isText, "txt", "text", "csv", "tsv", "log", "md"),
  "application/msword": type("document", isOldOffice, "doc", "dot"),
  "application/vnd.ms-excel": type("document", isOldOffice, "xls", "xlt"),
  "application/vnd.ms-powerpoint": type("document", isOldOffice, "ppt", "pps", "pot"),
  [`${OFFICE}.wordprocessingml.document`]: type("document", isZip, "docx"),
  [`${OFFICE}.spreadsheetml.sheet`]: type("document", isZip, "xlsx"),
  [`${OFFICE}.presentationml.presentation`]: type("document", isZip, "pptx"),
};

/** The names of the types. */
export const MEDIA_TYPES: readonly string[] = Object.keys(TYPES);

/** Returns the kind of files of a media type; undefined for a type that the platform does not take. */
export function kindOfType(type: string): MediaKind | undefined {
  return Object.hasOwn(TYPES, type) ? TYPES[type]!.kind : undefined;
}

/** Returns whether a file that begins with `head` may be of the type that it is said to be. */
export function isOfType(type: string, head: Uint8Array): boolean {
  return Object.hasOwn(TYPES, type) && TYPES[type]!.begins(head);
}

/**
 * Returns the name of a file of one of the types, with an ending of that type. By another one, such as `.bat`, a member's
 * computer would run what a stranger sent. A name without an ending stays as it is.
 */
export function withEndingOf(type: string, name: string): string {
  const { endings } = TYPES[type]!;
  // Windows drops dots and spaces at the end.
  const ending = name.toLowerCase().split(".").map((part) => part.trim()).findLast((part) => part !== "");
  return !name.includes(".") || endings.includes(ending ?? "") ? name : `${name}.${endings[0]}`;
}

/** The types of files that a browser shows or plays, and runs nothing of. */
export function isShownInline(type: string): boolean {
  return /^(image|audio|video)\//.test(type) && Object.hasOwn(TYPES, type);
}

function bytesOf(characters: string): number[] {
  return [...new TextEncoder().encode(characters)];
}

function at(offset: number, bytes: number[]): (head: Uint8Array) => boolean {
  return (head) => bytes.every((byte, index) => head[offset + index] === byte);
}

function text(offset: number, characters: string): (head: Uint8Array) => boolean {
  return at(offset, bytesOf(characters));
}

/** UTF-8 without NUL. The last character of the head may be cut off. */
function isText(head: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return !head.includes(0);
  } catch {
    return false;
  }
}
