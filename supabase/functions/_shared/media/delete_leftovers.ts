import { forgetMediaLeftover, takeMediaLeftovers } from "../db/media/media_files.ts";
import { type MediaServices, objectKey } from "./add_media.ts";

const PER_STEP = 100;

/**
 * Deletes objects from the store whose files are gone: deleted, erased with a person or a company, or never completed. Up
 * to a hundred per call. One that cannot be deleted now is due again in five minutes.
 */
export async function deleteMediaLeftovers(
  { sql, mediaStore }: MediaServices,
): Promise<void> {
  if (mediaStore === null) return;
  const failures: unknown[] = [];
  for (const ids of await takeMediaLeftovers(sql, PER_STEP)) {
    try {
      await mediaStore.delete(objectKey(ids));
      await forgetMediaLeftover(sql, ids);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
