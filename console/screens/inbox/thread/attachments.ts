import { useEffect, useRef, useState } from "preact/hooks";
import { isAbort } from "../../../data/client.ts";
import { Problem } from "../../../data/problem.ts";
import { uploadFile } from "../../../data/upload_media.ts";
import type { SentFile } from "./outbox.ts";
import { FILE_TYPES, kindOfFile, typeOfFile } from "../../../../widget/shared/file_types.ts";

/** Why a file cannot be sent, before it leaves or after. */
export type FileRefusal = "type" | "size" | "failed";

/** A file beside the field: on its way up, there, or refused. */
export interface Attachment {
  id: string;
  file: File;
  /** From 0 to 1. */
  progress: number;
  sent: SentFile | undefined;
  refusal: FileRefusal | undefined;
}

/** Files that are uploaded as soon as they are chosen, so that the reply leaves at once. */
export function useAttachments() {
  const [all, setAll] = useState<Attachment[]>([]);
  const uploads = useRef(new Map<string, AbortController>());
  useEffect(() => () => uploads.current.forEach((upload) => upload.abort()), []);

  function change(id: string, changes: Partial<Attachment>): void {
    setAll((known) => known.map((each) => each.id === id ? { ...each, ...changes } : each));
  }

  function add(files: Iterable<File>): void {
    for (const file of files) {
      const id = crypto.randomUUID();
      const refusal = refusalOf(file);
      setAll((known) => [...known, { id, file, progress: 0, sent: undefined, refusal }]);
      if (refusal === undefined) void upload(id, file);
    }
  }

  async function upload(id: string, file: File): Promise<void> {
    change(id, { progress: 0, refusal: undefined });
    const leaving = new AbortController();
    uploads.current.set(id, leaving);
    try {
      const mediaId = await uploadFile(file, {
        type: typeOfFile(file),
        signal: leaving.signal,
        onProgress: (progress) => change(id, { progress }),
      });
      change(id, { progress: 1, sent: { kind: kindOfFile(file)!, mediaId, name: file.name } });
    } catch (error) {
      if (leaving.signal.aborted || isAbort(error)) return;
      if (!(error instanceof Problem)) throw error;
      const { field } = (error.details ?? {}) as { field?: string };
      const isWrong = error.code === "validation_failed" && (field === "body" || field === "Content-Type");
      change(id, { refusal: isWrong ? "type" : error.code === "payload_too_large" ? "size" : "failed" });
    } finally {
      uploads.current.delete(id);
    }
  }

  function remove(id: string): void {
    uploads.current.get(id)?.abort();
    setAll((known) => known.filter((each) => each.id !== id));
  }

  return { all, add, remove, retry: ({ id, file }: Attachment) => upload(id, file), clear: () => setAll([]) };
}

function refusalOf(file: File): FileRefusal | undefined {
  const kind = kindOfFile(file);
  if (kind === undefined) return "type";
  return file.size > FILE_TYPES[kind].maxBytes || file.size === 0 ? "size" : undefined;
}
