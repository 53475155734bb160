import { checkEndpointUrl, hostOf } from "../webhook_endpoint/check_endpoint_url.ts";
import { EndpointError } from "../webhook_endpoint/endpoint_error.ts";
import { findAddresses, type Resolve } from "../webhook_endpoint/find_addresses.ts";
import { closeQuietly, openConnection } from "../webhook_endpoint/open_connection.ts";
import { startTimeLimit } from "../webhook_endpoint/time_limit.ts";
import type { Sample } from "../whatsapp/upload_sample.ts";
import { type FileAnswer, readAnswer } from "./read_answer.ts";

export interface FetchOptions {
  /** For name, connection and file together. */
  timeoutMs: number;
  /** Also from this machine, from private networks, and without TLS. */
  allowPrivate: boolean;
  /** Replaces the system's name resolution. */
  resolve?: Resolve;
  /** Certificates to trust besides the system's, in PEM. */
  caCerts?: string[];
}

const MEGABYTE = 1024 * 1024;

/**
 * What a sample may be: how large, and of which types, by their ending. Sources: WhatsApp Cloud API, media; the types
 * are those its resumable upload takes.
 */
const LIMITS = {
  IMAGE: { most: 5 * MEGABYTE, types: { jpg: "image/jpeg", jpeg: "image/jpeg", png: "image/png" } },
  VIDEO: { most: 16 * MEGABYTE, types: { mp4: "video/mp4" } },
  DOCUMENT: { most: 100 * MEGABYTE, types: { pdf: "application/pdf" } },
} as const;

/**
 * Fetches a file from a URL that a customer named, as `postToEndpoint` posts to one: the name is resolved once, the
 * connection goes to an address that was checked, and redirects are not followed.
 *
 * Never throws for what the network or the server does: answers the file, or in one sentence why there is none.
 */
export async function fetchSampleFile(
  { url: target, format }: { url: string; format: "IMAGE" | "VIDEO" | "DOCUMENT" },
  options: FetchOptions,
): Promise<Sample | string> {
  const url = checkEndpointUrl(target, options);
  if (typeof url === "string") return url;
  const { most, types } = LIMITS[format];
  const time = startTimeLimit(options.timeoutMs);
  let connection: Deno.Conn | undefined;
  try {
    const addresses = await time.limit(findAddresses(hostOf(url), options));
    connection = await openConnection(url, addresses, time, options);
    await time.limit(writeAll(connection, formatGet(url)));
    const answer = await time.limit(readAnswer(connection, most));
    return sampleOf(answer, url, types);
  } catch (error) {
    return error instanceof EndpointError ? error.message : "The connection broke before the file had come";
  } finally {
    time.stop();
    closeQuietly(connection);
  }
}

function sampleOf(answer: FileAnswer, url: URL, types: Record<string, string>): Sample | string {
  if (answer.status !== 200) return `Its server answered HTTP ${answer.status}`;
  if (answer.body.length === 0) return "It is empty";
  const name = url.pathname.split("/").at(-1) ?? "";
  const told = (answer.headers.get("content-type") ?? "").replace(/;.*/, "").trim().toLowerCase();
  const type = typeOf(told, name, types);
  const allowed = [...new Set(Object.values(types))];
  if (type === undefined) return `It is of type ${told.slice(0, 100)}, not ${allowed.join(" or ")}`;
  const ending = Object.entries(types).find(([, each]) => each === type)![0];
  return { bytes: answer.body, type, name: `sample.${ending}` };
}

/** Storage hosts often call everything `application/octet-stream`; then the ending of the name counts. */
function typeOf(told: string, name: string, types: Record<string, string>): string | undefined {
  const canonical = told === "image/jpg" ? "image/jpeg" : told;
  if (Object.values(types).includes(canonical)) return canonical;
  if (!["", "application/octet-stream", "binary/octet-stream"].includes(told)) return undefined;
  const ending = name.split(".").at(-1)!.toLowerCase();
  return Object.hasOwn(types, ending) ? types[ending] : undefined;
}

function formatGet(url: URL): Uint8Array {
  return new TextEncoder().encode([
    `GET ${url.pathname}${url.search} HTTP/1.1`,
    `host: ${url.host}`,
    "user-agent: outbound",
    "accept: */*",
    "accept-encoding: identity",
    "connection: close",
    "",
    "",
  ].join("\r\n"));
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await connection.write(rest));
}
