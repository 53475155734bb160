import type { JsonObject, TestAnswer } from "../../setup/http/http.ts";
import { insertMember } from "../../setup/fixtures/fixtures.ts";
import { insertSendingCompany, type SendingCompany } from "../../setup/fixtures/queue.ts";
import type { TestServicesOptions } from "../../setup/stack/services.ts";
import { type Manage, withManage } from "../with_manage.ts";

/** A company that may send, and uploads by its operator. */
export interface Uploads extends Manage {
  sending: SendingCompany;
  ask(
    method: string,
    path: string,
    body?: unknown,
    query?: Record<string, string>,
  ): Promise<TestAnswer<JsonObject>>;
  /** Makes an upload; returns its id. `changes` replace fields of its body. */
  create(changes?: JsonObject): Promise<string>;
  /** The body of such a request. */
  body(changes?: JsonObject): JsonObject;
  /** Sends a file. */
  send(uploadId: string, file: BodyInit, options?: SendOptions): Promise<TestAnswer<JsonObject>>;
  dryRun(uploadId: string, file: BodyInit): Promise<TestAnswer<JsonObject>>;
  /** The stored notifications, by number. */
  stored(): Promise<{ number: string; message: JsonObject[]; metadata: unknown; campaign_id: string }[]>;
}

export interface SendOptions {
  type?: string;
  query?: Record<string, string>;
}

export async function withUploads(
  fn: (t: Uploads) => Promise<void>,
  options: TestServicesOptions = {},
): Promise<void> {
  await withManage(async (t) => {
    const sending = await insertSendingCompany(t.sql);
    const { operator } = t.members;
    await insertMember(t.sql, sending.id, operator.userId, "operator");
    const below = `/companies/${sending.id}`;
    const ask: Uploads["ask"] = (method, path, body, query) =>
      operator.ask(method, `${below}${path}`, body, query);
    const body = (changes: JsonObject = {}) => uploadBody(sending, changes);
    const send: Uploads["send"] = (uploadId, file, { type = "text/csv", query = {} } = {}) =>
      t.http.request("PUT", `/manage${below}/uploads/${uploadId}/contacts`, undefined, {
        rawBody: file,
        headers: { authorization: `Bearer ${operator.token}`, "content-type": type },
        query,
      });
    await fn({
      ...t,
      sending,
      ask,
      body,
      send,
      async create(changes = {}) {
        const answer = await ask("POST", "/uploads", body(changes));
        if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
        return answer.body.upload_id;
      },
      dryRun: (uploadId, file) => send(uploadId, file, { query: { dry_run: "true" } }),
      stored: () =>
        t.sql`select number, message, metadata, campaign_id from outbound.notifications order by number, id`,
    });
  }, options);
}

/** A body that `POST …/uploads` accepts. */
export function uploadBody(
  { sender, template }: Pick<SendingCompany, "sender" | "template">,
  changes: JsonObject = {},
): JsonObject {
  return {
    channel: "whatsapp",
    name_template: template.name,
    language_template: "en",
    recipient_id: sender.number,
    notification_type: "utility",
    campaign_name: "Orders",
    components_push: { body_text_0: "{{name}}" },
    columns: { number: "Phone", name: "First name", body_text_1: "Order" },
    country: "ES",
    ...changes,
  };
}

/** The number in the nth row, from 1. */
export const numberOf = (row: number) => String(34_600_000_000 + row);

/** A CSV file of so many recipients; `change` replaces the line of single rows. */
export function csvOf(rows: number, change: (row: number) => string | undefined = () => undefined): string {
  const lines = Array.from(
    { length: rows },
    (_, index) => change(index + 1) ?? `${numberOf(index + 1)},Ana ${index + 1},A-${index + 1}`,
  );
  return `Phone,First name,Order\r\n${lines.join("\r\n")}\r\n`;
}
