import { AppError } from "../../errors.ts";
import type { PlatformFile } from "../../gateways/fetch_file.ts";
import type { AppContext } from "./context.ts";

/** The largest file that is passed on. It is WhatsApp's own limit for documents. */
export const MAX_FILE_BYTES = 100 * 1024 * 1024;

const MAX_NAME_LENGTH = 150;

/** Returns a `Content-Disposition`: the name in plain ASCII, and in full as RFC 8187 writes it. A long name keeps its ending. */
export function dispositionOf(shown: "inline" | "attachment", given: string): string {
  const whole = given.replace(/[\p{C}"\\/:*?<>|]/gu, "_");
  const [ending] = /(\.[^.]{1,10})?$/.exec(whole)!;
  const stem = whole.slice(0, Math.min(MAX_NAME_LENGTH, whole.length - ending.length));
  const name = `${stem}${ending}`.toWellFormed();
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16)}`,
  );
  return `${shown}; filename="${name.replace(/[^\x20-\x7e]/g, "_")}"; filename*=UTF-8''${encoded}`;
}

/** Returns the refusal of a file that is larger. */
export function fileTooLarge(): AppError {
  return new AppError("payload_too_large", "The file is larger than 100 MB", {
    details: { limit_bytes: MAX_FILE_BYTES },
  });
}

/**
 * Responds with a file of a platform, as it arrives. No browser opens it in a page of this origin.
 *
 * @param as the media type to serve it as, and its `Content-Disposition`; `cache`: its `Cache-Control`, by default that no
 * cache keeps it
 */
export async function respondPlatformFile(
  c: AppContext,
  { length, body }: PlatformFile,
  as: { type: string; disposition: string; cache?: string },
): Promise<Response> {
  c.header("Content-Type", as.type);
  c.header("Content-Disposition", as.disposition);
  c.header("X-Content-Type-Options", "nosniff");
  c.header("Cache-Control", as.cache ?? "private, no-store");
  if (length !== null) c.header("Content-Length", String(length));
  if (c.req.method !== "HEAD") return c.body(body);
  // The runtime would drop the body without cancelling it.
  await body.cancel();
  return c.body(null);
}
