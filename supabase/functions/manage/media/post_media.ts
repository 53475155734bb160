import { z } from "@hono/zod-openapi";
import { AppError, badFormat } from "../../_shared/errors.ts";
import type { App, AppContext } from "../../_shared/http/app/context.ts";
import { tooLarge } from "../../_shared/http/body/collect_bytes.ts";
import { bodyType, declaredBytes } from "../../_shared/http/body/read_body.ts";
import { streamBody } from "../../_shared/http/body/stream_body.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { addMedia, requireMediaStore } from "../../_shared/media/add_media.ts";
import { isOfType, kindOfType, MAX_BYTES, MEDIA_TYPES } from "../../_shared/media/media_types.ts";
import { readHead } from "../../_shared/media/read_head.ts";
import { isOneLine, ONE_LINE, WITHOUT_CONTROLS } from "../../_shared/values/control_characters.ts";
import { addCompanyRoute } from "../company_route.ts";
import { takeFileSlot } from "../uploads/file_slot.ts";
import { MEDIA_EXAMPLE, mediaSchema, requireMedia } from "./media.ts";

const NAME_FORMAT = "1 to 240 characters";

const file = Object.fromEntries(
  ["text/plain", ...MEDIA_TYPES].map((type) => [type, {
    schema: z.string().openapi({ format: "binary" }),
    example: type === "text/plain" ? "We are open from 9 to 18." : undefined,
  }]),
);

/** `POST …/media` uploads a file. */
export function registerPostMedia(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/media",
    operationId: "uploadMedia",
    summary: "Upload a file to send",
    description:
      "The bytes as they are, with their `Content-Type` and `Content-Length`. Images (JPEG, PNG) up to 5 MB, audio and " +
      "video up to 16 MB, documents up to 100 MB, stickers (WebP) up to 500 KB. The first bytes have to be those of the " +
      "type. The same content a second time is the same file. `quota_exceeded` where the company's files would take more " +
      "room than it has.",
    query: z.object({
      file_name: z.string().min(1, NAME_FORMAT).max(240, NAME_FORMAT)
        .refine(isOneLine, `one line of ${WITHOUT_CONTROLS}`).optional()
        .openapi({ pattern: ONE_LINE, description: "People see it on a document", example: "menu.pdf" }),
    }),
    file,
    response: { schema: mediaSchema, example: MEDIA_EXAMPLE },
  }, async (c, { caller: { companyId, by }, query }) => {
    const services = c.get("services");
    requireMediaStore(services);
    const type = bodyType(c);
    const kind = kindOfType(type);
    if (kind === undefined) throw badFormat("Content-Type", type, `one of ${MEDIA_TYPES.join(", ")}`);
    const length = requireLength(c, MAX_BYTES[kind]);
    const release = takeFileSlot(c, companyId);
    try {
      const body = await checkedBody(streamBody(c, length), type);
      const incoming = {
        companyId,
        kind,
        file_name: query.file_name ?? null,
        message_id: null,
        type,
        length,
        body,
      };
      const id = await addMedia(services, incoming, by);
      if (id === null) throw new AppError("request_timeout", "The upload took too long");
      return showRow(mediaSchema, await requireMedia(services.sql, { companyId, mediaId: id }));
    } finally {
      release();
    }
  });
}

/** Object storage needs to know it first. Throws `validation_failed` and `payload_too_large`. */
function requireLength(c: AppContext, maxBytes: number): number {
  const length = declaredBytes(c);
  if (length === undefined || length === 0) {
    throw badFormat(
      "Content-Length",
      c.req.header("Content-Length") ?? "",
      "the number of bytes, at least 1",
    );
  }
  if (length > maxBytes) throw tooLarge(maxBytes);
  return length;
}

/** Returns the body once its beginning has shown that it is of its type. Throws `validation_failed`. */
async function checkedBody(
  parts: AsyncGenerator<Uint8Array>,
  type: string,
): Promise<ReadableStream<Uint8Array>> {
  const { head, body } = await readHead(parts);
  if (isOfType(type, head)) return body;
  await body.cancel();
  throw badFormat("body", "", `a file of type ${type}: its first bytes are of another one`);
}
