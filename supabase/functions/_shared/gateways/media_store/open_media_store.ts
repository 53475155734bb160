import type { Env } from "../../env.ts";
import { folderStore } from "./folder_store.ts";
import type { MediaStore } from "./media_store.ts";
import { s3Store } from "./s3_store.ts";

/** Opens the store that the settings name: object storage, or else a folder. Null without either. */
export function openMediaStore(env: Env): MediaStore | null {
  const {
    OUTBOUND_S3_URL: url,
    OUTBOUND_S3_REGION: region,
    OUTBOUND_S3_ACCESS_KEY_ID: accessKeyId,
    OUTBOUND_S3_SECRET_ACCESS_KEY: secretAccessKey,
    OUTBOUND_MEDIA_FOLDER: folder,
  } = env;
  if (url && accessKeyId && secretAccessKey) return s3Store({ url, region, accessKeyId, secretAccessKey });
  return folder ? folderStore(folder) : null;
}
