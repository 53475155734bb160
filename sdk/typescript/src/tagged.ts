import type { Client } from "./generated/client/index.ts";

/** An operation that reads or changes settings, as the generated ones do. */
export type SettingsOperation = (options: never) => Promise<unknown>;

/** The options of such an operation, without the client. */
export type SettingsOptions<Operation extends SettingsOperation> = Omit<
  Parameters<Operation>[0],
  "client" | "url"
>;

/** The settings that an operation returns. */
export type SettingsOf<Operation extends SettingsOperation> = Exclude<
  Awaited<ReturnType<Operation>>,
  undefined
>;

/** Settings, and their ETag as they are since then: send it as `If-Match` with the next change. */
export interface WithEtag<Data> {
  data: Data;
  etag: string;
}

/** The settings that an operation reads or changes. */
export type Tagged<Data> = Promise<Data> & { withEtag(): Promise<WithEtag<Data>> };

/** Calls an operation on settings. */
export function tag<Operation extends SettingsOperation>(
  client: Client,
  operation: Operation,
  options: SettingsOptions<Operation>,
): Tagged<SettingsOf<Operation>> {
  const send = client.getConfig().fetch!;
  let etag = "";
  const fetch = async (request: Request) => {
    const response = await send(request);
    etag = response.headers.get("ETag") ?? "";
    return response;
  };
  const data = operation({ ...options, client, fetch } as never) as Promise<SettingsOf<Operation>>;
  return Object.assign(data, { withEtag: async () => ({ data: await data, etag }) });
}
