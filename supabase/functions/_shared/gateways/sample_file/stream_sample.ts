import { EndpointError } from "../webhook_endpoint/endpoint_error.ts";
import type { Sample } from "../whatsapp/upload_sample.ts";
import type { Download } from "./start_download.ts";

/** Streams a download that must be `length` bytes long. It is read only as fast as the stream is. */
export function streamSample(
  download: Download,
  length: number,
): Pick<Sample, "body" | "failure" | "isWaiting"> & { close(): void } {
  let [size, isReading, isClosed] = [0, false, false];
  let failure: string | undefined;

  async function nextPiece(): Promise<Uint8Array | undefined> {
    const { value, done } = await download.pieces.next();
    size += value?.length ?? 0;
    if (size > length || done && size < length) throw new EndpointError("It changed while it was fetched");
    return done ? undefined : value!;
  }

  function close(): void {
    isClosed = true;
    download.close();
  }

  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      isReading = true;
      try {
        const piece = await nextPiece();
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      } catch (error) {
        // A read that breaks because we closed the connection is no fault of the source.
        if (!isClosed) failure = reasonOf(error);
        controller.error(error);
      }
      if (!isClosed) isReading = false;
    },
    cancel: close,
  }, { highWaterMark: 0 });
  return { body, failure: () => failure, isWaiting: () => isReading, close };
}

/** Why a download failed, in one sentence for the person who named the file. */
export function reasonOf(error: unknown): string {
  return error instanceof EndpointError ? error.message : "The connection broke before the file had come";
}
