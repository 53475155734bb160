import { z } from "@hono/zod-openapi";
import { writeAudit } from "../../_shared/db/access/audit.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { baseUrl } from "../../_shared/http/app/urls.ts";
import { newMediaToken } from "../../_shared/media/media_link.ts";
import { utcSeconds } from "../../_shared/scheduling/due_time.ts";
import { addCompanyRoute } from "../company_route.ts";
import { mediaParams, requireMedia } from "./media.ts";

const MAX_S = 7 * 86_400;
const FORMAT = `a whole number of seconds from 60 to ${MAX_S}`;

/** `POST …/media/{media_id}/link` makes a link that opens a file for a while. */
export function registerPostMediaLink(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/media/{media_id}/link",
    operationId: "linkMedia",
    summary: "Make a link to a file",
    description: "The link opens the file without a key until it expires. It cannot be taken back.",
    params: mediaParams,
    body: {
      schema: z.strictObject({
        expires_in_s: z.int({ error: FORMAT }).min(60, FORMAT).max(MAX_S, FORMAT).default(3600),
      }).openapi("MediaLinkRequest"),
      example: { expires_in_s: 3600 },
      optional: true,
    },
    response: {
      schema: z.object({ url: z.string(), expires_at: z.iso.datetime() }).openapi("MediaLink"),
      example: {
        url: "https://api.example.com/functions/v1/manage/linked_media/eyJ…",
        expires_at: "2026-12-01T10:00:00Z",
      },
    },
  }, async (c, { caller: { companyId, by }, params: { media_id: mediaId }, body }) => {
    const { sql, env, now } = c.get("services");
    await requireMedia(sql, { companyId, mediaId });
    await writeAudit(sql, companyId, { ...by, action: "media.linked", subject: mediaId });
    const expiresAt = new Date((Math.floor(now().getTime() / 1000) + body.expires_in_s) * 1000);
    const token = await newMediaToken(env.OUTBOUND_SECRETS_KEY, { companyId, mediaId, expiresAt });
    return { url: `${baseUrl(c)}/manage/linked_media/${token}`, expires_at: utcSeconds(expiresAt) };
  });
}
