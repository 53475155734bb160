import { mediaAddress } from "../media/media.ts";
import { PlatformError } from "../http/platform_error.ts";
import type { TemplateComponent } from "../options.ts";
import { fillText, lengthOf } from "../templates/template_text.ts";
import type { SendParameter } from "./send.ts";
import { textValues } from "./text_values.ts";

/** The top of a rendered message. Media carry `link`, a location its coordinates. */
export interface RenderedHeader {
  format: "TEXT" | "IMAGE" | "AUDIO" | "VIDEO" | "DOCUMENT" | "STICKER" | "LOCATION";
  text?: string;
  link?: string;
  filename?: string;
  address?: string;
  latitude?: string;
  longitude?: string;
}

/** Limit of a text header, variables filled in. */
const MAX_TEXT = 60;

/** Fills the header. Throws 132000, 132012, 132005 and the codes of `textValues`. */
export function renderHeader(
  header: TemplateComponent | undefined,
  parameters: SendParameter[],
  format: "POSITIONAL" | "NAMED",
): RenderedHeader | null {
  if (header === undefined || header.format === undefined || header.format === "TEXT") {
    const text = header?.text ?? "";
    const filled = fillText(text, textValues({ component: "header", text, format }, parameters));
    if (lengthOf(filled) > MAX_TEXT) throw new PlatformError(132005, "header: Translated text too long");
    return header === undefined ? null : { format: "TEXT", text: filled };
  }
  if (parameters.length > 1) {
    throw new PlatformError(
      132000,
      `header: number of localizable_params (${parameters.length}) does not match the expected number of params (1)`,
    );
  }
  return renderMedia(header.format, parameters[0]);
}

function renderMedia(format: RenderedHeader["format"], parameter: SendParameter | undefined): RenderedHeader {
  const received = parameter?.type.toUpperCase() ?? "UNKNOWN";
  if (received !== format) {
    throw new PlatformError(132012, `header: Format mismatch, expected ${format}, received ${received}`);
  }
  switch (parameter?.type) {
    case "image":
      return { format, link: mediaAddress(parameter.image) };
    case "video":
      return { format, link: mediaAddress(parameter.video) };
    case "document": {
      const { filename } = parameter.document;
      const link = mediaAddress(parameter.document);
      return { format, link, ...(filename === undefined ? {} : { filename }) };
    }
    case "location":
      return renderLocation(parameter.location);
    default:
      throw new PlatformError(132012, `header: Format mismatch, expected ${format}, received ${received}`);
  }
}

function renderLocation(
  { latitude, longitude, name, address }: Extract<SendParameter, { type: "location" }>["location"],
): RenderedHeader {
  if (!isWithin(latitude, 90) || !isWithin(longitude, 180)) {
    throw new PlatformError(131009, "header: latitude and longitude must be degrees");
  }
  return {
    format: "LOCATION",
    text: name ?? address ?? "",
    latitude: String(latitude),
    longitude: String(longitude),
    ...(name !== undefined && address !== undefined && { address }),
  };
}

function isWithin(degrees: string | number, max: number): boolean {
  return String(degrees).trim() !== "" && Math.abs(Number(degrees)) <= max;
}
