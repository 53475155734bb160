import { useRef, useState } from "preact/hooks";
import { saveFile } from "../../data/save_file.ts";
import { Button } from "../button.tsx";
import { Dialog } from "../dialog/dialog.tsx";
import { Icon } from "../icon.tsx";
import { fileSize } from "../../i18n/format.ts";
import { type MediaFile, nameOfMedia } from "./media_file.ts";
import { MediaState } from "./media_state.tsx";
import { useMedia, useNearView } from "./use_media.ts";
import { words } from "../../i18n/words.ts";

/** A file of a message, which is shown, played or saved in place. The room that it takes is the same before it is loaded. */
export function MediaView({ file }: { file: MediaFile }) {
  if (file.kind === "image" || file.kind === "sticker") return <Picture file={file} />;
  return file.kind === "document" ? <Document file={file} /> : <Player file={file} />;
}

function Picture({ file }: { file: MediaFile }) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const media = useMedia(file);
  useNearView(box, media.load);
  const { open, download } = words().media;
  const name = nameOfMedia(file);
  return (
    <div ref={box} class={`media-view ${file.kind}`}>
      {media.address
        ? (
          <button
            type="button"
            class="media-open"
            aria-label={`${open}: ${name}`}
            onClick={() => setOpen(true)}
          >
            <img src={media.address!} alt={name} />
          </button>
        )
        : <MediaState file={file} media={media} />}
      {isOpen && (
        <Dialog
          title={name}
          onClose={() => setOpen(false)}
          actions={
            <Button icon="download" onPress={() => saveFile(nameOf(file, media.blob!), media.blob!)}>
              {download}
            </Button>
          }
        >
          <img class="media-whole" src={media.address!} alt={name} />
        </Dialog>
      )}
    </div>
  );
}

/** Sound is loaded when it comes into view, a film when it is wanted. */
function Player({ file }: { file: MediaFile }) {
  const box = useRef<HTMLDivElement>(null);
  const media = useMedia(file);
  const { play } = words().media;
  const name = nameOfMedia(file);
  const isSound = file.kind === "audio";
  useNearView(box, () => isSound && void media.load());
  const isIdle = !media.address && !media.problem && !media.isLoading;
  return (
    <div ref={box} class={`media-view ${file.kind}`}>
      {media.address && isSound && <audio controls src={media.address} aria-label={name} />}
      {media.address && !isSound && <video controls autoplay src={media.address} aria-label={name} />}
      {isIdle && !isSound && <Button icon="play" onPress={media.load}>{play}</Button>}
      {!media.address && !isIdle && <MediaState file={file} media={media} />}
    </div>
  );
}

function Document({ file }: { file: MediaFile }) {
  const media = useMedia(file);
  const { download } = words().media;
  const name = nameOfMedia(file);

  async function save(): Promise<void> {
    const blob = await media.load();
    if (blob) saveFile(nameOf(file, blob), blob);
  }

  return (
    <div class="media-view document">
      <Icon name="file" />
      <span class="media-name">
        {name}
        <small>
          {[/\.(\w{1,5})$/.exec(name)?.[1]?.toUpperCase(), media.blob && fileSize(media.blob.size)]
            .filter(Boolean).join(" · ")}
        </small>
      </span>
      <Button icon="download" kind="quiet" label={`${download}: ${name}`} onPress={save} />
      {(media.problem || media.isLoading) && <MediaState file={file} media={media} />}
    </div>
  );
}

function nameOf({ kind, name }: MediaFile, { type }: Blob): string {
  return name ?? `${kind}.${/^[a-z0-9]+/.exec(type.split("/")[1] ?? "")?.[0] ?? "bin"}`;
}
