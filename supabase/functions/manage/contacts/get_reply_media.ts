import { z } from "@hono/zod-openapi";
import { writeAudit } from "../../_shared/db/access/audit.ts";
import { findReceived, type ReceivedMedia } from "../../_shared/db/contacts/contact_messages.ts";
import { AppError } from "../../_shared/errors.ts";
import { FILE_TOO_LARGE, type PlatformFile } from "../../_shared/gateways/fetch_file.ts";
import { MEDIA_GONE } from "../../_shared/gateways/whatsapp/fetch_media.ts";
import { isScanRefusal } from "../../_shared/gateways/scan_file.ts";
import type { App, AppContext } from "../../_shared/http/app/context.ts";
import { dispositionOf, fileTooLarge, respondPlatformFile } from "../../_shared/http/app/platform_file.ts";
import { describeError } from "../../_shared/log.ts";
import { MEDIA_TYPES } from "../../_shared/media/media_types.ts";
import {
  ANY_TYPE,
  fetchReceived,
  kindOf,
  type MessageIds,
  openReceived,
  storeReceived,
} from "../../_shared/media/received_file.ts";
import type { Services } from "../../_shared/services.ts";
import { addCompanyRoute } from "../company_route.ts";

const binary = { schema: z.string().openapi({ format: "binary" }) };

/** `GET …/contacts/replies/{message_id}/media` streams a file that a person sent. */
export function registerGetReplyMedia(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/contacts/replies/{message_id}/media",
    operationId: "getReplyMedia",
    summary: "Download a file that a person sent",
    description:
      "At most 100 MB. Where media are stored at all, the file is stored soon after it arrived, at the latest by the first " +
      "download; the message's `attachment` shows it. The platform deletes it after some days, and then this responds 404 " +
      "unless it is stored. Treat it as any file from a stranger. It is in the audit.",
    params: z.object({ message_id: z.guid().openapi({ example: "0192f8a9-4f50-7162-9d7e-8f9a0b1c2d3e" }) }),
    response: { files: Object.fromEntries([...MEDIA_TYPES, ANY_TYPE].map((type) => [type, binary])) },
    refusals: [413],
  }, async (c, { caller: { companyId, by }, params: { message_id: messageId } }) => {
    const { sql } = c.get("services");
    const message = await findReceived(sql, companyId, messageId);
    if (!message) throw new AppError("not_found", "There is no such message");
    const file = await openFile(c, { companyId, messageId }, message);
    await writeAudit(sql, companyId, { ...by, action: "media.read", subject: messageId });
    const { type = ANY_TYPE } = file;
    // A stranger chose the file.
    return respondPlatformFile(c, file, {
      type: MEDIA_TYPES.includes(type) ? type : ANY_TYPE,
      disposition: dispositionOf("attachment", nameOf(message, type)),
    });
  });
}

/** Opens the stored file, or else that of the platform, which is stored on the way if it can be. */
async function openFile(c: AppContext, ids: MessageIds, message: ReceivedMedia): Promise<PlatformFile> {
  const services = c.get("services");
  const withoutStore = (error: unknown) => {
    services.log.warn("a received file could not be stored", {
      company_id: ids.companyId,
      ...describeError(error),
    });
    return null;
  };
  const stored = await openReceived(services, ids).catch(withoutStore);
  if (stored !== null) return stored;
  const file = await fetchFor(services, ids, message);
  const canBeStored = services.mediaStore !== null && file.length !== null &&
    kindOf(message.kind) !== undefined;
  if (!canBeStored) return file;
  await storeReceived(services, ids, message, file).catch((error) => {
    if (isScanRefusal(error)) throw error;
    withoutStore(error);
  });
  return await openReceived(services, ids).catch(withoutStore) ?? await fetchFor(services, ids, message);
}

async function fetchFor(
  services: Services,
  { companyId }: MessageIds,
  message: ReceivedMedia,
): Promise<PlatformFile> {
  const file = await fetchReceived(services, companyId, message);
  if (file === FILE_TOO_LARGE) throw fileTooLarge();
  if (file !== MEDIA_GONE) return file;
  throw new AppError(
    "not_found",
    message.content?.id
      ? "The platform no longer has this file: it keeps what people send for some days"
      : "This message holds no file",
  );
}

/** The name that the person gave it, or one after its type. */
function nameOf({ kind, content }: ReceivedMedia, type: string): string {
  const given = typeof content?.filename === "string" ? content.filename : "";
  return given || `${kind}.${type.split("/")[1]!.replace(/[^a-z0-9]/g, "").slice(0, 10)}`;
}
