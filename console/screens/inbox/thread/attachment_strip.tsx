import { useEffect, useState } from "preact/hooks";
import { Button } from "../../../components/button.tsx";
import { Icon } from "../../../components/icon.tsx";
import { fileSize, percent } from "../../../i18n/format.ts";
import type { Attachment } from "./attachments.ts";
import { FILE_TYPES, kindOfFile } from "../../../../widget/shared/file_types.ts";
import { words } from "../../../i18n/words.ts";

/** The files beside the field, with how far each is. */
export function AttachmentStrip({ attachments, onRemove, onRetry }: {
  attachments: Attachment[];
  onRemove: (id: string) => void;
  onRetry: (attachment: Attachment) => void;
}) {
  const { files, removeFile } = words().inbox;
  if (attachments.length === 0) return null;
  return (
    <ul class="attachments" aria-label={files}>
      {attachments.map((each) => (
        <li key={each.id} class={each.refusal ? "wrong" : undefined}>
          <Thumbnail file={each.file} />
          <span class="media-name">
            {each.file.name}
            <State attachment={each} />
          </span>
          {each.refusal === "failed" && (
            <Button
              kind="quiet"
              icon="again"
              label={words().common.retry}
              onPress={() => onRetry(each)}
            />
          )}
          <Button
            kind="quiet"
            icon="close"
            label={removeFile(each.file.name)}
            onPress={() => onRemove(each.id)}
          />
        </li>
      ))}
    </ul>
  );
}

function State({ attachment: { file, progress, sent, refusal } }: { attachment: Attachment }) {
  const { fileRefusals, fileReady, uploading } = words().inbox;
  if (refusal) {
    const kind = kindOfFile(file);
    const most = kind && fileSize(FILE_TYPES[kind].maxBytes);
    return <small class="error" role="alert">{fileRefusals[refusal](most ?? "")}</small>;
  }
  if (sent) return <small role="status">{fileReady(fileSize(file.size))}</small>;
  return (
    <small>
      {uploading(percent(progress, 1))}
      <progress max={1} value={progress} aria-label={uploading("")} />
    </small>
  );
}

function Thumbnail({ file }: { file: File }) {
  const [address, setAddress] = useState<string>();
  const isPicture = kindOfFile(file) === "image" || kindOfFile(file) === "sticker";
  useEffect(() => {
    if (!isPicture) return;
    const made = URL.createObjectURL(file);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return address ? <img src={address} alt="" /> : <Icon name="file" />;
}
