import { dispatchAll } from "../setup/stack/dispatch_all.ts";
import type { JsonObject } from "../setup/http/http.ts";
import type { TestServicesOptions } from "../setup/stack/services.ts";
import { withHttpServer } from "../_shared/gateways/local_server.ts";
import { type Contacts, withContacts } from "./with_contacts.ts";

/** One message as the platform received it. */
export interface SentMessage {
  path: string;
  authorization: string | null;
  body: JsonObject;
}

export interface Replies extends Contacts {
  /** The messages that reached the platform, in order. */
  sent: SentMessage[];
  platformUrl: string;
  /** Sends all that can be sent now, and does what is due. */
  dispatch(): Promise<void>;
  /** `POST …/contacts/replies` to the number, with what is given. */
  reply(body: JsonObject, headers?: Record<string, string>): ReturnType<Contacts["ask"]>;
  /** The state of a reply. */
  stateOf(messageId: string): Promise<JsonObject>;
}

type Respond = (request: Request, sent: SentMessage[]) => Response | Promise<Response>;

/** Takes every message. */
export function accept(_request: Request, sent: SentMessage[]): Response {
  return Response.json({ messages: [{ id: `wamid.reply.${sent.length}` }] });
}

/** Refuses a message with one of the platform's codes. */
export function refuse(code: number, status = 400): Response {
  return Response.json({ error: { code, message: `(#${code}) refused` } }, { status });
}

/** Calls `fn` with the service, a company, and a platform that responds as given. */
export async function withReplies(
  fn: (replies: Replies) => Promise<void>,
  respond: Respond = accept,
  options: TestServicesOptions = {},
): Promise<void> {
  const sent: SentMessage[] = [];
  await withHttpServer(async (request) => {
    if (request.method === "POST") {
      const body = await request.json();
      sent.push({
        path: new URL(request.url).pathname,
        authorization: request.headers.get("authorization"),
        body,
      });
    }
    return await respond(request, sent);
  }, (platformUrl) =>
    withContacts(async (contacts) => {
      const { services, http, company, sql } = contacts;
      await fn({
        ...contacts,
        sent,
        platformUrl,
        dispatch: () => dispatchAll(services),
        reply: (body, headers = {}) =>
          http.post("/manage/companies/mine/contacts/replies", body, {
            query: { access_key: company.key.key },
            headers,
          }),
        stateOf: async (messageId) => {
          const [row] = await sql`
            select status, attempt, fence, error_code, error_reason, platform_message_id,
              extract(epoch from run_at - now())::float8 as waits_s
            from outbound.contact_messages where id = ${messageId}`;
          return row!;
        },
      });
    }, { ...options, env: { WHATSAPP_API_URL: platformUrl, ...options.env } }));
}
