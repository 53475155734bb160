import type { Client } from "./generated/client/index.ts";

/** An operation that reads or changes settings, as the generated ones do. */
export type SettingsOperation = (options: never) => Promise<unknown>;

/** The options of such an operation, without the client. */
export type SettingsOptions<Operation extends SettingsOperation> = Omit<
  Parameters<Operation>[0],
  "client" | "url"
>;

/** The data that an operation returned, and the ETag of the settings as they are since then. */
export interface WithEtag<Operation extends SettingsOperation> {
  data: Exclude<Awaited<ReturnType<Operation>>, undefined>;
  etag: string;
}

/** Calls an operation and returns its data with the ETag of the response. */
export async function withEtag<Operation extends SettingsOperation>(
  client: Client,
  operation: Operation,
  options: SettingsOptions<Operation>,
): Promise<WithEtag<Operation>> {
  const send = client.getConfig().fetch!;
  let etag = "";
  const fetch = async (request: Request) => {
    const response = await send(request);
    etag = response.headers.get("ETag") ?? "";
    return response;
  };
  const data = await operation({ ...options, client, fetch } as never);
  return { data: data as WithEtag<Operation>["data"], etag };
}
