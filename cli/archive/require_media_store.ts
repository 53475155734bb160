import type { MediaStore } from "../../supabase/functions/_shared/gateways/media_store/media_store.ts";
import { CommandError } from "../errors/command_error.ts";
import type { Session } from "../session.ts";

/**
 * Returns the store that files of the archive are in.
 *
 * @throws {CommandError} `not_configured`
 */
export function requireMediaStore({ mediaStore }: Pick<Session, "mediaStore">): MediaStore {
  if (mediaStore !== null) return mediaStore;
  throw new CommandError(
    "not_configured",
    "Neither OUTBOUND_S3_URL nor OUTBOUND_MEDIA_FOLDER is set: the archive needs a media store",
  );
}
