import { PlatformError } from "../http/platform_error.ts";
import type { SandboxTemplate, TemplateComponent } from "../options.ts";
import { mediaAddress } from "../media/media.ts";
import { fillText, lengthOf } from "../templates/template_text.ts";
import { renderButtons, type RenderedButton } from "./render_buttons.ts";
import type { SendComponent, SendParameter } from "./send.ts";
import { textValues } from "./text_values.ts";

/** A message as the person sees it, every variable filled in. */
export interface RenderedMessage {
  header: RenderedHeader | null;
  body: string;
  footer: string | null;
  buttons: RenderedButton[];
}

/** Limit of a body, variables filled in. */
const MAX_BODY = 1024;

/** Fills a template with the components of a send. Throws the platform's code for a fault in them. */
export function renderMessage(template: SandboxTemplate, components: SendComponent[]): RenderedMessage {
  const format = template.parameter_format ?? "POSITIONAL";
  const header = only(components, "header");
  const body = only(components, "body");
  const text = find(template, "BODY")?.text ?? "";
  const rendered = {
    header: renderHeader(find(template, "HEADER"), header?.parameters ?? [], format),
    body: fillText(text, textValues({ place: "body", text, format }, body?.parameters ?? [])),
    footer: find(template, "FOOTER")?.text ?? null,
    buttons: renderButtons(
      find(template, "BUTTONS")?.buttons ?? [],
      components.filter((component) => component.type === "button"),
    ),
  };
  if (lengthOf(rendered.body) > MAX_BODY) throw new PlatformError(132005, "body: Translated text too long");
  return rendered;
}

function find(template: SandboxTemplate, type: TemplateComponent["type"]): TemplateComponent | undefined {
  return template.components.find((component) => component.type === type);
}

function only(components: SendComponent[], type: "header" | "body"): SendComponent | undefined {
  const found = components.filter((component) => component.type === type);
  if (found.length > 1) throw new PlatformError(131009, `template: more than one ${type} component`);
  return found[0];
}

/** The top of a rendered message. Media carry `link`, a location its `name`. */
export interface RenderedHeader {
  format: "TEXT" | "IMAGE" | "AUDIO" | "VIDEO" | "DOCUMENT" | "STICKER" | "LOCATION";
  text?: string;
  link?: string;
  filename?: string;
}

/** Limit of a text header, variables filled in. */
const MAX_TEXT = 60;

/** Fills the header. Throws 132000, 132012, 132005 and the codes of `textValues`. */
function renderHeader(
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
      return { format, link: mediaAddress(parameter.image) };
    case "video":
      return { format, link: mediaAddress(parameter.video) };
    case "document": {
      const { filename } = parameter.document;
      const link = mediaAddress(parameter.document);
      return { format, link, ...(filename === undefined ? {} : { filename }) };
    }
    case "location":
      return { format, text: parameter.location.name ?? parameter.location.address ?? "" };
    default:
      throw new PlatformError(132012, `header: Format mismatch, expected ${format}, received ${received}`);
  }
}
