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

/** The types that the platform takes, each with its kind and the beginning of such files. Source: WhatsApp Cloud API, media. */
const TYPES: Record<string, [kind: MediaKind, begins: (head: Uint8Array) => boolean]> = {
  "image/jpeg": ["image", at(0, [0xff, 0xd8, 0xff])],
  "image/png": ["image", at(0, [0x89, ...bytesOf("PNG"), 0x0d, 0x0a, 0x1a, 0x0a])],
  "image/webp": ["sticker", (head) => text(0, "RIFF")(head) && text(8, "WEBP")(head)],
  "audio/aac": ["audio", ([first = 0, second = 0]) => first === 0xff && (second & 0xf6) === 0xf0],
  "audio/amr": ["audio", text(0, "#!AMR")],
  "audio/mpeg": ["audio", (head) => text(0, "ID3")(head) || head[0] === 0xff && (head[1]! & 0xe6) > 0xe0],
  "audio/mp4": ["audio", text(4, "ftyp")],
  "audio/ogg": ["audio", text(0, "OggS")],
  "video/mp4": ["video", text(4, "ftyp")],
  "video/3gpp": ["video", text(4, "ftyp3g")],
  "application/pdf": ["document", text(0, "%PDF-")],
  "text/plain": ["document", isText],
  ...Object.fromEntries(
    ["application/msword", "application/vnd.ms-excel", "application/vnd.ms-powerpoint"].map((
      type,
    ) => [type, ["document", at(0, [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1])]]),
  ),
  ...Object.fromEntries(
    ["wordprocessingml.document", "spreadsheetml.sheet", "presentationml.presentation"].map((
      type,
    ) => [`${OFFICE}.${type}`, ["document", at(0, [...bytesOf("PK"), 3, 4])]]),
  ),
};

/** The names of the types. */
export const MEDIA_TYPES: readonly string[] = Object.keys(TYPES);

/** Returns the kind of files of a media type; undefined for a type that the platform does not take. */
export function kindOfType(type: string): MediaKind | undefined {
  return Object.hasOwn(TYPES, type) ? TYPES[type]![0] : undefined;
}

/** Returns whether a file that begins with `head` may be of the type that it is said to be. */
export function isOfType(type: string, head: Uint8Array): boolean {
  return Object.hasOwn(TYPES, type) && TYPES[type]![1](head);
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
