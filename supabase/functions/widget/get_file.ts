import { z } from "@hono/zod-openapi";
import { findMediaFile } from "../_shared/db/media/media_files.ts";
import { readMessage } from "../_shared/db/widgets/conversations.ts";
import { AppError } from "../_shared/errors.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { CONVERSATION } from "../_shared/http/app/security.ts";
import { baseUrl } from "../_shared/http/app/urls.ts";
import { limitReads } from "../_shared/http/guards/limits.ts";
import { requireConversation } from "../_shared/http/guards/require_conversation.ts";
import { newMediaToken } from "../_shared/media/media_link.ts";
import { utcSeconds } from "../_shared/scheduling/due_time.ts";
import { mediaIdOf } from "../_shared/widgets/message_content.ts";
import { conversationParams, operatorQuery, readSequence } from "./conversation_route.ts";

/** A page asks for the files that come into view. */
const READS = { what: "file_links", perAddress: 3000, perVisitor: 300 };

/** Long enough for a page that stays open; it asks again for a link that has ended. */
const LINK_S = 3600;

const route: ApiRoute = {
  method: "get",
  path: "/widget/conversations/{conversation_id}/messages/{sequence}/file",
  operationId: "linkFile",
  summary: "Get a link to the file of a message",
  description:
    "Of the message's `file`, or of the image of its `card`. The link opens the file without a key or token for an hour. " +
    "Images, audio and video are shown in place, other files are attachments.",
  tags: ["Chat widget"],
  security: CONVERSATION,
  request: {
    params: conversationParams.extend({
      sequence: z.string().regex(/^\d{1,9}$/, "the number of a message").openapi({ example: "3" }),
    }),
    query: z.object(operatorQuery),
  },
  responses: {
    200: {
      description: "The link",
      ...json(z.object({ url: z.string(), expires_at: z.iso.datetime() }).openapi("ChatFileLink"), {
        url: "https://api.example.com/functions/v1/manage/linked_media/eyJ…",
        expires_at: "2026-12-01T10:00:00Z",
      }),
    },
    ...errorResponses([400, 401, 403, 404, 429], [403]),
  },
};

/**
 * `GET /widget/conversations/{conversation_id}/messages/{sequence}/file` links the file of a message. Fails with
 * `unauthorized`, `validation_failed`, `forbidden`, `not_found` or `rate_limit_exceeded`.
 */
export function registerGetFile(app: App): void {
  addRoute(app, route, async (c) => {
    limitReads(c, READS);
    const conversation = await requireConversation(c);
    const sequence = readSequence("sequence", c.req.param("sequence")) ?? 0;
    const { sql, env, now } = c.get("services");
    const { companyId } = conversation;
    const message = await readMessage(sql, conversation, sequence);
    const mediaId = message && mediaIdOf(message);
    const file = mediaId === undefined ? undefined : await findMediaFile(sql, { companyId, mediaId });
    if (mediaId === undefined || file === undefined) {
      throw new AppError("not_found", "This message has no file, or the file was removed");
    }
    const expiresAt = new Date((Math.floor(now().getTime() / 1000) + LINK_S) * 1000);
    const token = await newMediaToken(env.OUTBOUND_SECRETS_KEY, { companyId, mediaId, expiresAt });
    return c.json({ url: `${baseUrl(c)}/manage/linked_media/${token}`, expires_at: utcSeconds(expiresAt) });
  });
}
