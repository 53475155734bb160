import { z } from "@hono/zod-openapi";
import { findMediaFile, type MediaFile, type MediaIds } from "../../_shared/db/media/media_files.ts";
import { AppError } from "../../_shared/errors.ts";
import { MEDIA_KINDS } from "../../_shared/gateways/whatsapp/send_message.ts";
import type { AppContext } from "../../_shared/http/app/context.ts";
import { dispositionOf, respondPlatformFile } from "../../_shared/http/app/platform_file.ts";
import { objectKey, requireMediaStore } from "../../_shared/media/add_media.ts";
import { isShownInline, MEDIA_TYPES } from "../../_shared/media/media_types.ts";
import type { Sql } from "../../_shared/db/driver/connect.ts";

/** How WhatsApp shows a file. */
export const kindSchema = z.enum(MEDIA_KINDS, { error: `one of ${MEDIA_KINDS.join(", ")}` });

/** A file that the company uploaded, without its bytes. */
export const mediaSchema = z.object({
  media_id: z.guid(),
  kind: kindSchema,
  content_type: z.string(),
  bytes: z.number().int(),
  sha256: z.string(),
  file_name: z.string().nullable(),
  created_by: z.string().openapi({ description: "As in the audit: `user:<id>` or `key:<id>`" }),
  created_at: z.iso.datetime(),
}).openapi("Media");

/** For the API document. */
export const MEDIA_EXAMPLE: z.input<typeof mediaSchema> = {
  media_id: "0192f8d2-1111-7222-8333-444455556666",
  kind: "document",
  content_type: "application/pdf",
  bytes: 48_213,
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  file_name: "menu.pdf",
  created_by: "user:0192f8b0-2222-4222-8333-444455556666",
  created_at: "2026-12-01T09:00:00Z",
};

/** The id of a file in a path. */
export const mediaParams = z.object({ media_id: z.guid() });

const binary = { schema: z.string().openapi({ format: "binary" }) };

/** The files of a response, by their media types. */
export const mediaFiles = Object.fromEntries(MEDIA_TYPES.map((type) => [type, binary]));

/** Returns a file that the company uploaded. Throws `not_found`. */
export async function requireMedia(sql: Sql, ids: MediaIds): Promise<MediaFile> {
  const file = await findMediaFile(sql, ids);
  if (file === undefined) throw noMedia();
  return file;
}

/** The refusal of an id that is no file of the company. */
export function noMedia(): AppError {
  return new AppError("not_found", "The company has no file with this id");
}

/** Responds with the bytes of a file that the company uploaded. Throws `not_found` and `service_unavailable` (502). */
export async function respondMedia(c: AppContext, ids: MediaIds): Promise<Response> {
  const services = c.get("services");
  const { content_type: type, kind, file_name } = await requireMedia(services.sql, ids);
  const object = await requireMediaStore(services).get(objectKey(ids));
  if (object === null) throw noMedia();
  const disposition = dispositionOf(isShownInline(type) ? "inline" : "attachment", file_name ?? kind);
  return await respondPlatformFile(c, object, { type, disposition });
}
