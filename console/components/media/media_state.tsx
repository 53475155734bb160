import { Button } from "../button.tsx";
import type { MediaFile } from "./media_file.ts";
import type { LoadedMedia } from "./use_media.ts";
import { words } from "../../i18n/words.ts";

/** Says that a file is loading, or why it does not show. */
export function MediaState({ file, media }: { file: MediaFile; media: LoadedMedia }) {
  const { kinds, loading, gone, tooLarge, failed } = words().media;
  const { problem, load } = media;
  if (problem === undefined) return <p class="media-state" role="status">{loading(kinds[file.kind])}</p>;
  if (problem.code === "not_found") return <p class="media-state">{gone}</p>;
  if (problem.code === "payload_too_large") return <p class="media-state">{tooLarge}</p>;
  return (
    <div class="media-state" role="alert">
      <p>{failed}</p>
      <Button kind="quiet" icon="again" onPress={load}>{words().common.retry}</Button>
    </div>
  );
}
