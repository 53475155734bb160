import assert from "node:assert/strict";
import { inTheEnd } from "../../setup/eventually.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";
import { type StackFile, withStart } from "../../start/run_start.ts";
import { call, logIn, readStored, untilStored, withSql } from "./started_stack.ts";

const ROWS = 10_000;
const KILLED_AT = [1000, 4000];

const FILE = `Phone,Name\n${
  Array.from({ length: ROWS }, (_, index) => `${34_600_100_000 + index},Ana`).join("\n")
}\n`;

const below = ({ demo }: StackFile) => `/manage/companies/${demo!.company_id}/uploads`;

async function createUpload(stack: StackFile): Promise<string> {
  const body = {
    ...{ channel: "whatsapp", name_template: "order_update", language_template: "en_US" },
    ...{ recipient_id: stack.demo!.sender, notification_type: "utility", campaign_name: "Kill" },
    datetime_sending: "2099-01-31T09:00:00",
    components_push: { body_text_0: "{{name}}", body_text_1: "A-17" },
    columns: { number: "Phone", name: "Name" },
  };
  const headers = { ...await logIn(stack), "content-type": "application/json" };
  const created = await call(stack, below(stack), { method: "POST", headers, body: JSON.stringify(body) });
  assert.equal(created.status, 200, JSON.stringify(created));
  return created.upload_id;
}

async function sendFile(stack: StackFile, uploadId: string, body: BodyInit): Promise<JsonObject> {
  const headers = { ...await logIn(stack), "content-type": "text/csv" };
  return await call(stack, `${below(stack)}/${uploadId}/contacts`, { method: "PUT", headers, body });
}

/** Sends again where it is refused: the last batch of a process that was killed may not be over. */
async function sendUntil(
  isOver: () => boolean,
  stack: StackFile,
  uploadId: string,
  row: number,
): Promise<void> {
  while (!isOver()) await sendFile(stack, uploadId, upTo(row)).catch(() => {});
}

/** The file up to a row; nothing comes after it, so that the service is in its middle until it is killed. */
function upTo(row: number): ReadableStream<Uint8Array> {
  const text = FILE.split("\n").slice(0, row + 1).join("\n");
  return new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode(text)) });
}

Deno.test(`SIGKILL twice in the middle of an upload of ${ROWS} rows: sent again, every recipient is in its campaign once`, () =>
  withTempFolder(async (folder) => {
    const env = { OUTBOUND_LOG_LEVEL: "error", OUTBOUND_HOME: `${folder}/home` };
    let uploadId: string | undefined;
    for (const least of KILLED_AT) {
      await withStart(env, async ({ stack, stop }) => {
        await withSql(stack, (sql) => sql`update outbound.api_keys set daily_quota = ${ROWS}`);
        uploadId ??= await createUpload(stack);
        let isKilled = false;
        const sending = sendUntil(() => isKilled, stack, uploadId, 2 * least);
        await untilStored(stack, least);
        isKilled = true;
        await stop("SIGKILL");
        await sending;
      });
    }
    await withStart(env, async ({ stack }) => {
      const before = await withSql(stack, readStored);
      assert.ok(before.people < ROWS && before.people === before.total, JSON.stringify(before));

      const sent = await inTheEnd(async () => {
        const sent = await sendFile(stack, uploadId!, FILE);
        assert.equal(sent.status, 200, JSON.stringify(sent));
        return sent;
      });

      assert.deepEqual([sent.state, sent.rows, sent.accepted, sent.refused], [
        ...["completed", ROWS, ROWS, 0],
      ]);
      assert.deepEqual(await withSql(stack, readStored), {
        ...{ people: ROWS, numbers: ROWS, total: ROWS, campaigns: 1, used: ROWS },
      });
    });
  }));
