import { OutboundError } from "./sdk.ts";

/**
 * Returns a `fetch` for one upload that says how much of it has left: the browser's own has no way to ask.
 *
 * @param onProgress called with a share from 0 to 1
 */
export function sendWithProgress(body: Blob, onProgress: (share: number) => void): typeof fetch {
  return (input) => {
    const request = input as Request;
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const sending = new XMLHttpRequest();
    sending.open(request.method, request.url);
    request.headers.forEach((value, name) => sending.setRequestHeader(name, value));
    sending.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
    sending.onload = () => resolve(responseOf(sending));
    sending.onerror = () =>
      reject(new OutboundError({ status: 0, code: "connection_failed", message: "The connection was lost" }));
    sending.onabort = () => reject(new DOMException("The upload was stopped", "AbortError"));
    request.signal.addEventListener("abort", () => sending.abort());
    sending.send(body);
    return promise;
  };
}

function responseOf({ status, responseText }: XMLHttpRequest): Response {
  return new Response(responseText, { status, headers: { "Content-Type": "application/json" } });
}
