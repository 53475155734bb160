import { z } from "@hono/zod-openapi";
import { writeAudit } from "../../_shared/db/access/audit.ts";
import { openToken } from "../../_shared/crypto/sender_token.ts";
import { findReceived, type ReceivedMedia } from "../../_shared/db/contacts/contact_messages.ts";
import { AppError } from "../../_shared/errors.ts";
import { FILE_TOO_LARGE, type PlatformFile } from "../../_shared/gateways/fetch_file.ts";
import { fetchMedia, MEDIA_GONE } from "../../_shared/gateways/whatsapp/fetch_media.ts";
import { platformUnavailable } from "../../_shared/gateways/whatsapp/errors.ts";
import type { App, AppContext } from "../../_shared/http/app/context.ts";
import { fileTooLarge, MAX_FILE_BYTES, respondPlatformFile } from "../../_shared/http/app/platform_file.ts";
import { addCompanyRoute } from "../company_route.ts";

/** The types that the platform takes from people; a browser runs none of them. Source: WhatsApp Cloud API, media. */
const TYPES = [
  ...["image/jpeg", "image/png", "image/webp", "video/mp4", "video/3gpp"],
  ...["audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg"],
  ...["application/pdf", "text/plain", "application/msword", "application/vnd.ms-excel"],
  ...[
    "application/vnd.ms-powerpoint",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ],
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation",
];
const ANY_TYPE = "application/octet-stream";
const binary = { schema: z.string().openapi({ format: "binary" }) };

/** `GET …/contacts/replies/{message_id}/media` streams a file that a person sent. */
export function registerGetReplyMedia(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/contacts/replies/{message_id}/media",
    operationId: "getReplyMedia",
    summary: "Download a file that a person sent",
    description:
      "At most 100 MB. The file comes from the platform as it is read, and is stored nowhere. The platform keeps it for " +
      "some weeks; then this responds 404. Treat it as any file from a stranger. It is in the audit.",
    params: z.object({ message_id: z.guid().openapi({ example: "0192f8a9-4f50-7162-9d7e-8f9a0b1c2d3e" }) }),
    response: { files: Object.fromEntries([...TYPES, ANY_TYPE].map((type) => [type, binary])) },
    refusals: [413],
  }, async (c, { caller: { companyId, by }, params: { message_id: messageId } }) => {
    const { sql } = c.get("services");
    const message = await findReceived(sql, companyId, messageId);
    if (!message) throw new AppError("not_found", "There is no such message");
    const file = await fetchFor(c, companyId, message);
    await writeAudit(sql, companyId, { ...by, action: "media.read", subject: messageId });
    const { type = ANY_TYPE } = file;
    // A stranger chose the file.
    return respondPlatformFile(c, file, {
      type: TYPES.includes(type) ? type : ANY_TYPE,
      disposition: dispositionOf(message, type),
    });
  });
}

async function fetchFor(c: AppContext, companyId: string, message: ReceivedMedia): Promise<PlatformFile> {
  const { env, sealer } = c.get("services");
  const mediaId = message.content?.id;
  if (typeof mediaId !== "string" || mediaId === "") {
    throw new AppError("not_found", "This message holds no file");
  }
  const opened = await openToken(sealer, {
    company_id: companyId,
    sender_id: message.sender_id,
    token_sealed: message.token_sealed,
  });
  if (opened.kind !== "opened") {
    throw platformUnavailable("The sender's access token is missing or cannot be read");
  }
  const media = await fetchMedia(
    { apiUrl: env.WHATSAPP_API_URL, apiVersion: env.WHATSAPP_API_VERSION },
    { mediaId, phoneNumberId: message.platform_id, token: opened.token },
    { maxBytes: MAX_FILE_BYTES },
  );
  if (media === MEDIA_GONE) {
    throw new AppError(
      "not_found",
      "The platform no longer has this file: it keeps what people send for some weeks",
    );
  }
  if (media === FILE_TOO_LARGE) throw fileTooLarge();
  return media;
}

/** The name in plain ASCII, and in full as RFC 8187 writes it. */
function dispositionOf({ kind, content }: ReceivedMedia, type: string): string {
  const given = typeof content?.filename === "string" ? content.filename : "";
  const name = given.replace(/[\p{C}"\\/:*?<>|]/gu, "_").slice(0, 150).toWellFormed() ||
    `${kind}.${type.split("/")[1]!.replace(/[^a-z0-9]/g, "").slice(0, 10)}`;
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${name.replace(/[^\x20-\x7e]/g, "_")}"; filename*=UTF-8''${encoded}`;
}
