import { badFormat } from "../errors.ts";
import { hostOf, isPublicHost } from "../gateways/http1/addresses.ts";

/** The file types of the contract's limits table. The platform decides on the file behind the URL. */
const EXTENSIONS = {
  image: ["jpg", "jpeg", "png", "gif"],
  video: ["mp4", "avi", "mov"],
  document: ["pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx"],
} as const;

/**
 * Checks the URL of a header's media: https, no user name or password in it, no address that only this machine or its
 * network can reach, and, when its path ends in a file extension, one the contract allows for that header. A URL without
 * an extension passes. Names are not resolved: the platform fetches the file, not this service.
 *
 * Throws `validation_failed` with `details: {field, provided, expected_format}`.
 */
export function checkMediaUrl(field: string, kind: keyof typeof EXTENSIONS, url: string): void {
  const parsed = URL.parse(url);
  if (parsed?.protocol !== "https:" || /\s/.test(url)) throw badFormat(field, url, "an https URL");
  if (parsed.username !== "" || parsed.password !== "") {
    throw badFormat(field, `https://…@${parsed.host}`, "an https URL without a user name or password");
  }
  if (!isPublicHost(hostOf(parsed))) {
    throw badFormat(field, url, "an https URL on a public host, which the messaging platform can reach");
  }
  const extension = /\.(?=\d*[a-z])([a-z0-9]{1,5})$/i.exec(parsed.pathname)?.[1]?.toLowerCase();
  const allowed: readonly string[] = EXTENSIONS[kind];
  if (extension !== undefined && !allowed.includes(extension)) {
    throw badFormat(
      field,
      url,
      `an https URL of a file of type ${allowed.join(", ").toUpperCase()}`,
    );
  }
}
