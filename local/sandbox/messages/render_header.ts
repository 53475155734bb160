import { PlatformError } from "../errors/platform_error.ts";
import type { TemplateComponent } from "../options.ts";
import { fillText, lengthOf } from "../templates/template_text.ts";
import type { SendParameter } from "./send_body.ts";
import { textValues } from "./text_values.ts";

/** The top of a rendered message. Media carry `link`, a location its `name`. */
export interface RenderedHeader {
  format: "TEXT" | "IMAGE" | "VIDEO" | "DOCUMENT" | "LOCATION";
  text?: string;
  link?: string;
  filename?: string;
}

/** Limit of a text header, variables filled in. */
const MAX_TEXT = 60;

/** Fills the header, or fails as the platform does: 132000, 132012, 132005 and the codes of `textValues`. */
export function renderHeader(
  header: TemplateComponent | undefined,
  parameters: SendParameter[],
  format: "POSITIONAL" | "NAMED",
): RenderedHeader | null {
  if (header === undefined || header.format === undefined || header.format === "TEXT") {
    const text = header?.text ?? "";
    const filled = fillText(text, textValues({ place: "header", text, format }, parameters));
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
      return { format, link: parameter.image.link };
    case "video":
      return { format, link: parameter.video.link };
    case "document": {
      const { link, filename } = parameter.document;
      return { format, link, ...(filename === undefined ? {} : { filename }) };
    }
    case "location":
      return { format, text: parameter.location.name ?? parameter.location.address ?? "" };
    default:
      throw new PlatformError(132012, `header: Format mismatch, expected ${format}, received ${received}`);
  }
}
