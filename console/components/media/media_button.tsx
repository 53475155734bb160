import { useState } from "preact/hooks";
import { Button } from "../button.tsx";
import { Dialog } from "../dialog/dialog.tsx";
import { type MediaFile, nameOfMedia } from "./media_file.ts";
import { MediaView } from "./media_view.tsx";

/** Opens a file where there is no room to show it: in a row of a table. */
export function MediaButton({ file }: { file: MediaFile }) {
  const [isOpen, setOpen] = useState(false);
  const name = nameOfMedia(file);
  return (
    <>
      <Button kind="quiet" icon="file" onPress={() => setOpen(true)}>{name}</Button>
      {isOpen && (
        <Dialog title={name} onClose={() => setOpen(false)}>
          <MediaView file={file} />
        </Dialog>
      )}
    </>
  );
}
