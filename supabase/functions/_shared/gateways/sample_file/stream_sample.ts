import { EndpointError } from "../webhook_endpoint/endpoint_error.ts";
import type { Download } from "./start_download.ts";

/** The bytes of a download, with the reason when some are missing. */
export interface SampleStream {
  body: ReadableStream<Uint8Array>;
  /** Why `body` ended early, in one sentence, when its source is to blame. */
  failure(): string | undefined;
  close(): void;
}

const TOO_SLOW = "Its server did not send the whole of it in time";

/** Streams a download that must be `length` bytes long. It is read only as fast as the stream is. */
export function streamSample(download: Download, length: number): SampleStream {
  let [size, isReading] = [0, false];
  let failure: string | undefined;

  async function nextPiece(): Promise<Uint8Array | undefined> {
    const { value, done } = await download.pieces.next();
    size += value?.length ?? 0;
    if (size > length || done && size < length) throw new EndpointError("It changed while it was fetched");
    return done ? undefined : value!;
  }

  /** A reader that stops while a read is under way has waited for the source. */
  function close(): void {
    if (isReading) failure ??= TOO_SLOW;
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
        failure ??= error instanceof EndpointError
          ? error.message
          : "The connection broke before the file had come";
        controller.error(error);
      } finally {
        isReading = false;
      }
    },
    cancel: close,
  }, { highWaterMark: 0 });
  return { body, failure: () => failure, close };
}
