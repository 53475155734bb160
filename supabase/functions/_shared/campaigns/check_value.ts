import { badFormat } from "../errors.ts";
import { mediaIdIn } from "../media/media_reference.ts";
import { kindOfValue, OFFER_END, VALUE_KINDS, type ValueKind } from "../templates/value_names.ts";
import { hostOf, isPublicHost } from "../gateways/http1/addresses.ts";

/** Returns the path of a value in the request, for refusals. */
export function valueField(name: string): string {
  return `components_push.${name}`;
}

/**
 * Checks one value that fills a template, by its name: its length, and its form where the platform wants a certain one.
 * A name that no template has counts as text; the template's own variables are compared later.
 *
 * Throws `validation_failed` naming `components_push.<name>`.
 *
 * @param given what the client wrote: the value itself, or the reference that stands for it
 */
export function checkValue(name: string, value: string, given: string): void {
  const kind = kindOfValue(name) ?? "text";
  const { maxLength, expects } = VALUE_KINDS[kind];
  if (value.length > maxLength) throw badFormat(valueField(name), given, `at most ${maxLength} characters`);
  if (kind === "image" || kind === "video" || kind === "document") {
    if (mediaIdIn(value) === undefined) checkMediaUrl(valueField(name), kind, value);
  } else if (CHECKS[kind]?.(value) === false) {
    throw badFormat(valueField(name), given, expects);
  }
}

const CHECKS: Partial<Record<ValueKind, (value: string) => boolean>> = {
  latitude: (value) => isDegrees(value, 90),
  longitude: (value) => isDegrees(value, 180),
  coupon_code: (value) => !/[\n\r\t]/.test(value),
  offer_end: isTime,
  flow_data: isJsonObject,
};

function isDegrees(value: string, max: number): boolean {
  return /^-?\d{1,3}(\.\d{1,15})?$/.test(value.trim()) && Math.abs(Number(value)) <= max;
}

const TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

function isTime(value: string): boolean {
  const date = TIME.exec(value)?.[1];
  // Date.parse takes the 31st of February for the 3rd of March.
  return date !== undefined && !Number.isNaN(Date.parse(value)) &&
    new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);
}

function isJsonObject(value: string): boolean {
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
  } catch {
    return false;
  }
}

/** Throws `validation_failed` for a limited-time offer that is over before its message is due at `due`. */
export function requireOpenOffer(values: Record<string, string>, due: Date): void {
  if (!Object.hasOwn(values, OFFER_END)) return;
  const end = values[OFFER_END]!;
  if (Date.parse(end) <= due.getTime()) {
    throw badFormat(valueField(OFFER_END), end, `a time after ${due.toISOString()}, when the message is due`);
  }
}

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
