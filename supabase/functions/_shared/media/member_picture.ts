import type { Actor } from "../db/access/audit.ts";
import type { MemberIds } from "../db/access/members.ts";
import { type PictureName, storeMemberPicture } from "../db/media/member_pictures.ts";
import { AppError, badFormat } from "../errors.ts";
import { type MediaServices, storeNewObject } from "./add_media.ts";
import { imageSize } from "./image_size.ts";
import { isOfType } from "./media_types.ts";

/** The types of members' pictures. All browsers show them, and they run nothing. */
export const PICTURE_TYPES = ["image/png", "image/jpeg", "image/webp"];

/** The most bytes of a member's picture. */
export const MAX_PICTURE_BYTES = 512 * 1024;

/** The most pixels of a side: visitors' browsers decode it. */
export const MAX_PICTURE_SIDE = 1024;

/**
 * Stores the picture of a member in place of an earlier one, and returns its name.
 *
 * Throws `validation_failed` unless the bytes are an image of a type that is taken and of a size that is, `request_timeout`
 * when storing took too long, and what `storeNewObject` throws.
 */
export async function setMemberPicture(
  services: MediaServices,
  member: MemberIds,
  { type, bytes }: { type: string; bytes: Uint8Array<ArrayBuffer> },
  by: Actor,
): Promise<PictureName> {
  checkPicture(type, bytes);
  const length = bytes.byteLength;
  const body = ReadableStream.from([bytes]);
  const { id } = await storeNewObject(services, member.companyId, { type, length, body });
  const name = await storeMemberPicture(services.sql, member, { id, content_type: type, bytes: length }, by);
  if (name === null) throw new AppError("request_timeout", "Storing the picture took too long");
  return name;
}

function checkPicture(type: string, bytes: Uint8Array): void {
  if (!PICTURE_TYPES.includes(type)) {
    throw badFormat("Content-Type", type, `one of ${PICTURE_TYPES.join(", ")}`);
  }
  if (!isOfType(type, bytes)) {
    throw badFormat("body", "", `a file of type ${type}: its first bytes are of another one`);
  }
  const size = imageSize(type, bytes);
  if (size === undefined || Math.max(size.width, size.height) > MAX_PICTURE_SIDE) {
    throw badFormat("body", "", `an image of at most ${MAX_PICTURE_SIDE} pixels a side`);
  }
}
