import type { JsonObject, TestAnswer } from "../../setup/http/http.ts";
import { type Api, withApi } from "../with_api.ts";

/** A PNG of one pixel. */
export const PNG = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
);
/** A file that begins as a PDF does. */
export const PDF = new TextEncoder().encode("%PDF-1.4 not really");

/** The service with a folder for media. */
export interface MediaApi extends Api {
  /** The folder of media. */
  mediaFolder: string;
  /** The files in the folder of media, by their paths below it. */
  stored(): Promise<string[]>;
  /** Uploads a file with the company's key. */
  upload(
    bytes: Uint8Array<ArrayBuffer>,
    type: string,
    options?: { name?: string; headers?: Record<string, string> },
  ): Promise<TestAnswer<JsonObject>>;
  /** A request below the company, with its key. */
  ask(method: string, path: string, body?: unknown): Promise<TestAnswer<JsonObject>>;
}

/** Calls `fn` with the service and an empty folder for media. */
export async function withMedia(
  fn: (api: MediaApi) => Promise<void>,
  env: Record<string, string> = {},
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await withApi(async (api) => {
      const query = { access_key: api.key.key };
      await fn({
        ...api,
        mediaFolder: folder,
        stored: () => filesBelow(folder),
        upload: (bytes, type, { name, headers } = {}) =>
          api.http.post("/manage/companies/mine/media", undefined, {
            query: { ...query, ...(name !== undefined && { file_name: name }) },
            headers: { "content-type": type, ...headers },
            rawBody: bytes,
          }),
        ask: (method, path, body) =>
          api.http.request(method, `/manage/companies/mine${path}`, body, { query }),
      });
    }, { env: { OUTBOUND_MEDIA_FOLDER: folder, ...env } });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Returns the files in a folder of media, by their paths below it. */
export async function filesBelow(folder: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    for await (const file of Deno.readDir(`${folder}/${name}`)) paths.push(`${name}/${file.name}`);
  }
  return paths.sort();
}
