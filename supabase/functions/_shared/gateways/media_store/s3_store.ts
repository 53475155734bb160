import { AwsV4Signer } from "aws4fetch";
import { startDeadline } from "../../concurrency/deadline.ts";
import { FILE_TOO_LARGE, fileOf, requestFile } from "../fetch_file.ts";
import { sendStream } from "../send_stream.ts";
import { isOfSystem, type MediaStore, ofLength, storeUnavailable } from "./media_store.ts";

/** A bucket of object storage, with the keys that open it. */
export interface S3Settings {
  /** Ends in the bucket's name: `https://s3.eu-central-1.amazonaws.com/media`. */
  url: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** A hundred megabytes take a while. */
const TRANSFER_MS = 120_000;

/** Keeps files in object storage: Amazon S3, Supabase Storage, or another one with the same interface. */
export function s3Store({ url: root, ...keys }: S3Settings): MediaStore {
  /** Signs a request without its body, which is sent as it comes. */
  const sign = async (method: string, key: string) => {
    const signer = new AwsV4Signer({ ...keys, method, url: `${root}/${key}`, service: "s3" });
    const { url, headers } = await signer.sign();
    return { url: url.href, headers: Object.fromEntries(headers) };
  };
  return {
    async put(key, { type, length, body }) {
      const { url, headers } = await sign("PUT", key);
      const deadline = startDeadline(TRANSFER_MS);
      try {
        const response = await sendStream(url, {
          method: "PUT",
          headers: { ...headers, "content-type": type },
          body: body.pipeThrough(ofLength(length)),
          length,
          signal: deadline.signal,
        });
        await finish(response);
      } catch (error) {
        throw deadline.isOver() || isOfSystem(error) ? storeUnavailable("cannot be reached", error) : error;
      } finally {
        deadline.clear();
      }
    },
    async get(key, range) {
      const { url, headers } = await sign("GET", key);
      const response = await requestFile(
        url,
        range === undefined ? headers : { ...headers, range: `bytes=${range.start}-${range.end - 1}` },
      );
      if (response?.status === 404) {
        await response.body?.cancel();
        return null;
      }
      if (response === null || !response.ok) return await finish(response);
      if (range !== undefined && response.status !== 206) {
        await response.body?.cancel();
        throw storeUnavailable("responds with a whole file where a part was asked for");
      }
      const file = await fileOf(response, { maxBytes: Infinity });
      return file === FILE_TOO_LARGE ? null : file;
    },
    async delete(key) {
      const { url, headers } = await sign("DELETE", key);
      const response = await requestFile(url, headers, { method: "DELETE" });
      if (response?.status === 404) await response.body?.cancel();
      else await finish(response);
    },
  };
}

/** Ends a request without a file. Throws `service_unavailable` (502) unless the store has done what it was asked. */
async function finish(response: Response | null): Promise<null> {
  await response?.body?.cancel();
  if (response?.ok) return null;
  throw storeUnavailable(response === null ? "cannot be reached" : `responded with HTTP ${response.status}`);
}
