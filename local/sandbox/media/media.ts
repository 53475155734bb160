/** A file of a message, as it is kept. */
export interface Media {
  id: string;
  /** The account whose token may read it. */
  waba_id: string;
  mime_type: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** SHA-256 in lower-case hex. */
  sha256: string;
}

/** A media file in the journal. */
export interface StoredMedia {
  id: string;
  waba_id: string;
  mime_type: string;
  base64: string;
}

const MEBIBYTE = 1024 * 1024;

/** The most bytes of a file of a kind. */
const MAX_BYTES: Record<string, number> = {
  image: 5 * MEBIBYTE,
  audio: 16 * MEBIBYTE,
  video: 16 * MEBIBYTE,
  document: 100 * MEBIBYTE,
  sticker: MEBIBYTE / 2,
};

const KINDS: Record<string, RegExp> = {
  image: /^image\/(jpeg|png)$/,
  audio: /^audio\/(aac|amr|mpeg|mp4|ogg)$/,
  video: /^video\/(mp4|3gpp)$/,
  document:
    /^(text\/plain|application\/(pdf|msword|vnd\.ms-(excel|powerpoint)|vnd\.openxmlformats-officedocument\..+))$/,
  sticker: /^image\/webp$/,
};

/** Whether the platform accepts a media type at all. */
export function isMediaType(mimeType: string): boolean {
  return Object.values(KINDS).some((pattern) => pattern.test(mimeType));
}

/** Whether the platform accepts a file of this type with so many bytes. */
export function fitsLimit(mimeType: string, bytes: number): boolean {
  return Object.entries(KINDS).some(([kind, pattern]) => pattern.test(mimeType) && bytes <= MAX_BYTES[kind]!);
}

/** Whether a media type fits a message of this type. */
export function fitsKind(mimeType: string, kind: string): boolean {
  return KINDS[kind]?.test(mimeType) ?? false;
}

/** Where the page finds the media of a message: its link, or its upload. */
export function mediaAddress({ id, link }: { id?: string | undefined; link?: string | undefined }): string {
  return link ?? `/sandbox/media/${id}`;
}
