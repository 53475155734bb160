import { badFormat } from "../errors.ts";
import { hostOf, isPublicHost } from "../gateways/http1/addresses.ts";

export type MediaHeader = "header_image" | "header_video" | "header_document";

/** The file types of the contract's limits table. The platform decides on the file behind the URL. */
const EXTENSIONS: Record<MediaHeader, readonly string[]> = {
  header_image: ["jpg", "jpeg", "png", "gif"],
  header_video: ["mp4", "avi", "mov"],
  header_document: ["pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx"],
};

/** Returns whether a component's value is the URL of a header's media. */
export function isMediaHeader(name: string): name is MediaHeader {
  return Object.hasOwn(EXTENSIONS, name);
}

/**
 * Checks the URL of a header's media: https, no user name or password in it, no address that only this machine or its
 * network can reach, and, when its path ends in a file extension, one the contract allows for that header. A URL without
 * an extension passes. Names are not resolved: the platform fetches the file, not this service.
 *
 * Throws `validation_failed` with `details: {field, provided, expected_format}`.
 */
export function checkMediaUrl(name: MediaHeader, url: string): void {
  const field = `components_push.${name}`;
  const parsed = URL.parse(url);
  if (parsed?.protocol !== "https:" || /\s/.test(url)) throw badFormat(field, url, "an https URL");
  if (parsed.username !== "" || parsed.password !== "") {
    throw badFormat(field, `https://…@${parsed.host}`, "an https URL without a user name or password");
  }
  if (!isPublicHost(hostOf(parsed))) {
    throw badFormat(field, url, "an https URL on a public host, which the messaging platform can reach");
  }
  const extension = /\.(?=\d*[a-z])([a-z0-9]{1,5})$/i.exec(parsed.pathname)?.[1]?.toLowerCase();
  if (extension !== undefined && !EXTENSIONS[name].includes(extension)) {
    throw badFormat(
      field,
      url,
      `an https URL of a file of type ${EXTENSIONS[name].join(", ").toUpperCase()}`,
    );
  }
}
