import type { Context } from "hono";
import { findNumber, unknownObject } from "../accounts/accounts.ts";
import { PlatformError } from "../http/platform_error.ts";
import type { SandboxApp, SandboxEnv } from "../http/sandbox_app.ts";
import type { SandboxAccount } from "../options.ts";
import type { Platform } from "../platform.ts";
import { fitsLimit, isMediaType, type Media } from "./media.ts";

/** Registers `POST /{phone_number_id}/media`, which stores a file, and `GET /media/{id}`, which returns its bytes. */
export function registerMediaRoutes(app: SandboxApp, platform: Platform): void {
  app.post("/:id{\\d+}/media", async (c) => c.json({ id: await takeUpload(platform, c) }));
  app.get("/media/:id{\\d+}", (c) => serveMedia(platform, c));
}

async function takeUpload(platform: Platform, c: Context<SandboxEnv>): Promise<string> {
  const id = c.req.param("id")!;
  const sender = findNumber(platform.accounts.authorize(c.req.header("Authorization")), id);
  if (sender === undefined) throw unknownObject(id);
  const form = await c.req.formData().catch(() => {
    throw new PlatformError(100, "The body must be multipart/form-data");
  });
  if (form.get("messaging_product") !== "whatsapp") {
    throw new PlatformError(100, null, { message: "(#100) The parameter messaging_product is required." });
  }
  const file = form.get("file");
  if (!(file instanceof Blob)) {
    throw new PlatformError(100, null, { message: "(#100) The parameter file is required." });
  }
  const mime_type = file.type.split(";")[0]!.trim();
  if (!isMediaType(mime_type)) throw new PlatformError(100, `file: the type ${mime_type} is not supported`);
  if (!fitsLimit(mime_type, file.size)) throw new PlatformError(100, `file: ${file.size} bytes are too many`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  return platform.media.upload({ waba_id: sender.account.wabaId, mime_type, bytes }).id;
}

/** A file of these accounts, as `GET /{media_id}` shows it; its address is valid for some minutes. */
export function findMediaView(
  platform: Platform,
  accounts: SandboxAccount[],
  c: Context<SandboxEnv>,
): Record<string, unknown> | undefined {
  const media = platform.media.get(c.req.param("id")!);
  if (media === undefined || !accounts.some(({ wabaId }) => wabaId === media.waba_id)) return undefined;
  const ext = String(Math.floor(Date.now() / 1000) + platform.settings.media_url_s);
  const query = new URLSearchParams({ ext, hash: platform.media.sign(media.id, ext) });
  return {
    messaging_product: "whatsapp",
    url: `${new URL(c.req.url).origin}/media/${media.id}?${query}`,
    mime_type: media.mime_type,
    sha256: media.sha256,
    file_size: media.bytes.length,
    id: media.id,
  };
}

/** Returns the bytes to the account's own token: 401 to any other, 404 for an address that is wrong or expired. */
function serveMedia(platform: Platform, c: Context<SandboxEnv>): Response {
  const id = c.req.param("id")!;
  const accounts = platform.accounts.authorize(c.req.header("Authorization"));
  const media = platform.media.get(id);
  const { ext = "", hash } = c.req.query();
  const expired = !(Number(ext) > Date.now() / 1000);
  if (media === undefined || hash !== platform.media.sign(id, ext) || expired) {
    throw new PlatformError(100, "The address of the media is wrong or expired", { status: 404 });
  }
  if (!accounts.some(({ wabaId }) => wabaId === media.waba_id)) {
    throw new PlatformError(190, null, { message: "The access token may not read this media" });
  }
  return mediaResponse(media);
}

/** A response with the bytes of a file. */
export function mediaResponse({ bytes, mime_type }: Media): Response {
  return new Response(bytes, {
    headers: {
      "Content-Type": mime_type,
      "X-Content-Type-Options": "nosniff",
      "Content-Disposition": "attachment",
    },
  });
}
