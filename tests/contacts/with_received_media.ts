import assert from "node:assert/strict";
import { deleteMediaLeftovers } from "../../supabase/functions/_shared/media/delete_leftovers.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { ANA, receive } from "../webhooks/inbound.ts";
import { type Replies, withReplies } from "./with_replies.ts";

/** The beginning of a JPEG. */
export const JPEG = new Uint8Array([0xff, 0xd8, 0xff, 1, 2, 3]);

/** The service with a folder for media, and a platform that has what people sent. */
export interface ReceivedMedia extends Replies {
  /** Ana sends a picture, or what is given. Returns the id of her message. */
  receiveFile(part?: JsonObject, kind?: string): Promise<string>;
  /** A message as `GET …/contacts/replies` shows it. */
  attachmentOf(messageId: string): Promise<JsonObject>;
  /** The objects in the store, by their keys. */
  stored(): Promise<string[]>;
  /** Deletes what is left over in the store, if it is due. Returns what is stored then. */
  storedInTheEnd(): Promise<string[]>;
  /** Makes what waits for its next attempt due. */
  makeDue(): Promise<void>;
}

/** Returns the responses of a platform that has one file, of `type` by its description. */
export function platformWith(
  file: (request: Request) => Response | Promise<Response>,
  described: JsonObject = {},
): (request: Request) => Response | Promise<Response> {
  return (request) => {
    const { pathname, origin } = new URL(request.url);
    if (pathname === "/file") return file(request);
    return Response.json({ url: `${origin}/file`, mime_type: "image/jpeg", ...described });
  };
}

/** Calls `fn` with the service, a company, and a platform that responds as given. */
export async function withReceivedMedia(
  fn: (t: ReceivedMedia) => Promise<void>,
  respond: (request: Request) => Response | Promise<Response> = platformWith(() => new Response(JPEG)),
  env: Record<string, string> = {},
): Promise<void> {
  await withTempFolder((folder) =>
    withReplies(
      async (t) => {
        const stored = () => objectsBelow(folder);
        await fn({
          ...t,
          stored,
          async receiveFile(part = {}, kind = "image") {
            const platformId = await receive(t, t.company.sender, {
              type: kind,
              [kind]: { id: "777", ...part },
            });
            const [row] = await t.sql<{ id: string }[]>`
            select id from outbound.contact_messages where platform_message_id = ${platformId}`;
            return row!.id;
          },
          async attachmentOf(messageId) {
            const { body } = await t.ask("GET", "replies", undefined, { number: ANA.number });
            const message = body.replies.find(({ message_id }: JsonObject) => message_id === messageId);
            assert.ok(message, "the message is listed");
            return message.attachment;
          },
          async storedInTheEnd() {
            await deleteMediaLeftovers(t.services);
            return await stored();
          },
          async makeDue() {
            await t.sql`update outbound.received_media set next_at = now() where next_at is not null`;
            await t.sql`update outbound.received_media_schedule set due_at = now()`;
          },
        });
      },
      respond,
      { env: { OUTBOUND_MEDIA_FOLDER: folder, ...env } },
    )
  );
}

async function objectsBelow(folder: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    for await (const file of Deno.readDir(`${folder}/${name}`)) keys.push(`${name}/${file.name}`);
  }
  return keys.sort();
}
