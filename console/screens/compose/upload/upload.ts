import { api, ask } from "../../../data/client.ts";
import { companyId } from "../../../data/company.ts";
import { sendWithProgress } from "../../../data/send_with_progress.ts";
import { type Query, useQuery } from "../../../data/query.ts";
import {
  type ChatUpload,
  createUpload,
  getCompanyKey,
  getUpload,
  getUsage,
  listUploads,
  sendUploadFile,
  startUpload,
  type Upload,
  type UploadDryRun,
  type UploadSummary,
  type VoiceUpload,
} from "../../../data/sdk.ts";
import { useLive } from "../../../data/live/live.ts";
import { useThrottle } from "../../../data/live/throttle.ts";
import type { ContactFile } from "./contact_file.ts";
import { isStored, type People } from "../draft.ts";

/** A file of 100,000 rows takes minutes, and a slow line longer. */
const LIMITS = { timeoutMs: 3_600_000, totalMs: 3_600_000, retries: 2 };

const READ_MS = 2000;

/** Makes an upload for a plan; returns its id. */
export async function prepareUpload(body: ChatUpload | VoiceUpload): Promise<string> {
  const path = { company_id: companyId() };
  return (await ask(createUpload({ client: api(), path, body }))).upload_id;
}

type Body = Pick<ContactFile, "body" | "type">;

/** Checks everyone that an upload goes to, and stores nothing. */
export async function dryRun(uploadId: string, people: People): Promise<UploadDryRun> {
  const tried = isStored(people)
    ? await start(uploadId, "true")
    : await put(uploadId, people, { dry_run: "true" });
  return tried as UploadDryRun;
}

/** Checks a file again, and returns its problems with the cells of their rows: the first 10,000. */
export async function readProblems(uploadId: string, file: Body): Promise<UploadDryRun["problems"]> {
  return (await put(uploadId, file, { dry_run: "true", problems: "all" }) as UploadDryRun).problems;
}

/**
 * Sends a file, or continues with it where it was interrupted. The service goes on by itself once it has all of the file.
 *
 * @param onProgress called with the share of the file that has left, from 0 to 1
 */
export async function sendFile(
  uploadId: string,
  file: Body,
  onProgress: (share: number) => void = () => {},
): Promise<Upload> {
  return await put(uploadId, file, { dry_run: "false" }, sendWithProgress(file.body, onProgress)) as Upload;
}

/** Lets the service send to an audience, or go on with it. It responds before it is done. */
export async function sendToAudience(uploadId: string): Promise<Upload> {
  return await start(uploadId, "false") as Upload;
}

async function start(uploadId: string, dryRun: "true" | "false") {
  const path = { company_id: companyId(), upload_id: uploadId };
  return await ask(startUpload({ client: api(), path, query: { dry_run: dryRun }, meta: { ...LIMITS } }));
}

/** The browser reads the file from the disk as it sends it; the page never holds it. */
async function put(
  uploadId: string,
  { body, type }: Body,
  query: { dry_run: "true" | "false"; problems?: "all" },
  send?: typeof fetch,
) {
  return await ask(sendUploadFile({
    client: api(),
    path: { company_id: companyId(), upload_id: uploadId },
    query,
    // The document describes the file as text, whose form a Blob takes as well.
    body: body as unknown as string,
    headers: { "Content-Type": type },
    ...(send && { fetch: send }),
    meta: { ...LIMITS },
  }));
}

/** Reads an upload and follows it. */
export function useUpload(uploadId: string): Query<Upload> {
  const path = { company_id: companyId(), upload_id: uploadId };
  const upload = useQuery(`upload ${uploadId}`, (signal) => ask(getUpload({ client: api(), path, signal })));
  useLive("upload", (event) => {
    if (event.upload_id === uploadId) upload.patch((known) => ({ ...known, ...event as Partial<Upload> }));
  });
  return upload;
}

/** An upload that moved so recently is being sent, in another window or by a colleague. */
const QUIET_MS = 60_000;

/** Reads the uploads whose file did not come to its end, and that are not being sent. */
export function useUnfinishedUploads(): UploadSummary[] {
  const path = { company_id: companyId() };
  const uploads = useQuery(
    `uploads ${path.company_id}`,
    (signal) => ask(listUploads({ client: api(), path, query: { limit: 50 }, signal })),
  );
  useLive("upload", useThrottle(uploads.reload, READ_MS));
  return uploads.data?.uploads.filter(({ state, stopped, changed_at }) =>
    state === "partial" && (stopped !== null || Date.now() - Date.parse(changed_at) > QUIET_MS)
  ) ?? [];
}

/** Reads how many notifications the company may still send today (UTC). */
export function useQuota(): { left: number; quota: number } | undefined {
  const path = { company_id: companyId() };
  const quota = useQuery(`quota ${path.company_id}`, async (signal) => {
    const [{ key }, { usage }] = await Promise.all([
      ask(getCompanyKey({ client: api(), path, signal })),
      ask(getUsage({ client: api(), path, query: { days: 1 }, signal })),
    ]);
    if (key === null) return undefined;
    const today = new Date().toISOString().slice(0, 10);
    const used = usage.find(({ key_id, day }) => key_id === key.key_id && day === today)?.notifications ?? 0;
    return { left: Math.max(0, key.daily_quota - used), quota: key.daily_quota };
  });
  return quota.data;
}
