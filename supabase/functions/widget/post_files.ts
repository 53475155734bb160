import { z } from "@hono/zod-openapi";
import { checkQuery } from "../_shared/check_fields.ts";
import { readChatSettings } from "../_shared/db/widgets/conversations.ts";
import { AppError, badFormat, rateLimitExceeded } from "../_shared/errors.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App, AppContext } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { clientAddress } from "../_shared/http/app/request_context.ts";
import { tooLarge } from "../_shared/http/body/collect_bytes.ts";
import { bodyType, declaredBytes } from "../_shared/http/body/read_body.ts";
import { streamBody } from "../_shared/http/body/stream_body.ts";
import { limitVisitors } from "../_shared/http/guards/limits.ts";
import { type KnownConversation, requireConversation } from "../_shared/http/guards/require_conversation.ts";
import { MEDIA_TYPES } from "../_shared/media/media_types.ts";
import { MAX_VISITOR_FILE_BYTES, postVisitorFile } from "../_shared/media/visitor_file.ts";
import { VISITOR_UPLOADS } from "../_shared/services.ts";
import { isOneLine, ONE_LINE, WITHOUT_CONTROLS } from "../_shared/values/control_characters.ts";
import { chatConfigSchema } from "../_shared/widgets/widget_config.ts";
import { conversationParams, MESSAGE_EXAMPLE, sentMessageSchema } from "./conversation_route.ts";
import { respondPosted } from "./respond_posted.ts";

/** Files in ten minutes of a visitor, and of an address. */
const FILES = { what: "file", windowS: 600, perAddress: 100 };
const PER_CONVERSATION = 20;

const NAME_FORMAT = "1 to 240 characters";

const querySchema = z.object({
  client_message_id: z.uuid({ error: "a UUID" }).openapi({
    description: "Made by you; the same id again returns the first message and stores nothing",
  }),
  file_name: z.string({ error: NAME_FORMAT }).trim().min(1, NAME_FORMAT).max(240, NAME_FORMAT)
    .refine(isOneLine, `one line of ${WITHOUT_CONTROLS}`)
    .openapi({ pattern: ONE_LINE, example: "receipt.pdf" }),
});

const binary = { schema: z.string().openapi({ format: "binary" }) };

const route: ApiRoute = {
  method: "post",
  path: "/widget/conversations/{conversation_id}/files",
  operationId: "sendFile",
  summary: "Send a file as the visitor",
  description:
    "The bytes as they are, up to 10 MB, with their `Content-Type` and `Content-Length`. The first bytes have to be those of " +
    "the type. It is a message of its own, whose text is the file's name. Refused with 403 where the widget has " +
    "`features.files` off, and with 502 where no media can be stored.",
  tags: ["Chat widget"],
  security: [{ visitorToken: [] }],
  request: {
    params: conversationParams,
    query: querySchema,
    body: {
      required: true,
      content: Object.fromEntries(
        ["text/plain", ...MEDIA_TYPES].map((type) => [type, {
          ...binary,
          ...(type === "text/plain" && { example: "My order number is 4711." }),
        }]),
      ),
    },
  },
  responses: {
    200: {
      description: "The stored message",
      ...json(sentMessageSchema, {
        message: {
          ...MESSAGE_EXAMPLE,
          text: "receipt.pdf",
          file: {
            media_id: "0192f8d2-1111-7222-8333-444455556666",
            file_name: "receipt.pdf",
            content_type: "application/pdf",
            bytes: 48_213,
          },
        },
      }),
    },
    ...errorResponses([400, 401, 403, 408, 409, 413, 429, 502], [403]),
  },
};

/**
 * `POST /widget/conversations/{conversation_id}/files` adds a message with a file. Fails with `unauthorized`,
 * `validation_failed`, `forbidden`, `conversation_closed`, `payload_too_large`, `rate_limit_exceeded`, `quota_exceeded` or
 * `service_unavailable`.
 */
export function registerPostFiles(app: App): void {
  addRoute(app, route, async (c) => {
    const conversation = await requireConversation(c);
    if (conversation.author !== "visitor") {
      throw new AppError(
        "forbidden",
        "No access key may do this: upload a file with POST …/media, and reply with its media_id",
      );
    }
    const { client_message_id: clientMessageId, file_name: name } = checkQuery(querySchema, c.req.query());
    const length = requireLength(c);
    await requireFilesOn(c, conversation);
    await limitVisitors(c, {
      ...FILES,
      perSubject: { id: conversation.conversationId, limit: PER_CONVERSATION },
    });
    const type = bodyType(c);
    const release = takeSlot(c, conversation);
    try {
      const file = { name, type, length, parts: streamBody(c, length) };
      const posted = await postVisitorFile(c.get("services"), { ...conversation, clientMessageId }, file);
      return respondPosted(c, posted);
    } finally {
      release();
    }
  });
}

/** Object storage needs to know it first. Throws `validation_failed` and `payload_too_large`. */
function requireLength(c: AppContext): number {
  const length = declaredBytes(c);
  if (length === undefined || length === 0) {
    throw badFormat(
      "Content-Length",
      c.req.header("Content-Length") ?? "",
      "the number of bytes, at least 1",
    );
  }
  if (length > MAX_VISITOR_FILE_BYTES) throw tooLarge(MAX_VISITOR_FILE_BYTES);
  return length;
}

/** Throws `forbidden` where the widget takes no files. */
async function requireFilesOn(c: AppContext, conversation: KnownConversation): Promise<void> {
  const widget = await readChatSettings(c.get("services").sql, conversation);
  if (widget !== undefined && chatConfigSchema.parse(widget.config).features.files) return;
  throw new AppError("forbidden", "This widget takes no files");
}

/** How soon another file may be over. */
const BUSY_WAIT_S = 10;

/** Lets a few files of an address be read at once. Throws `rate_limit_exceeded`. */
function takeSlot(c: AppContext, { conversationId }: KnownConversation): () => void {
  const { visitorUploads, now } = c.get("services");
  const slot = visitorUploads.take(clientAddress(c) ?? conversationId);
  if (typeof slot === "function") return slot;
  const limit = slot === "key" ? VISITOR_UPLOADS.perKey : VISITOR_UPLOADS.total;
  throw AppError.from(
    rateLimitExceeded("Too many files are sent at once", {
      limit,
      windowS: BUSY_WAIT_S,
      waitS: BUSY_WAIT_S,
      now: now(),
    }),
  );
}
