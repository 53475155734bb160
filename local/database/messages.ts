/** What the thread that asks for a database tells the worker that runs it. */
export type ToWorker =
  | { type: "open"; directory: string; port: number; password: string | undefined }
  | { type: "close" };

/** What the worker answers. */
export type FromWorker =
  | { type: "open"; port: number }
  /** The worker can do no more. `code` is `EADDRINUSE` when the port was taken. */
  | { type: "failed"; message: string; code: string | undefined }
  | { type: "closed" };
