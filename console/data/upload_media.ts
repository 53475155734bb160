import { api, ask } from "./client.ts";
import { companyId } from "./company.ts";
import { uploadMedia } from "./sdk.ts";
import { sendWithProgress } from "./send_with_progress.ts";

/** A film over a slow line. The member presses again after a failure. */
const LIMITS = { timeoutMs: 900_000, totalMs: 900_000, retries: 0 };

/** The longest name that the API takes, in characters. */
const MAX_NAME_LENGTH = 240;

/**
 * Stores a file of the company, and returns its id.
 *
 * @param options `onProgress`: called with the share that has left, from 0 to 1
 */
export async function uploadFile(
  file: File,
  { type, signal, onProgress = () => {} }: {
    type: string;
    signal?: AbortSignal;
    onProgress?: (share: number) => void;
  },
): Promise<string> {
  const { media_id } = await ask(uploadMedia({
    client: api(),
    path: { company_id: companyId() },
    query: { file_name: file.name.slice(-MAX_NAME_LENGTH) },
    body: file,
    headers: { "Content-Type": type },
    fetch: sendWithProgress(file, onProgress),
    meta: { ...LIMITS },
    ...(signal && { signal }),
  }));
  return media_id;
}
