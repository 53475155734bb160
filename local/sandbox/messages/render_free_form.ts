import { PlatformError } from "../http/platform_error.ts";
import { fitsKind, mediaAddress } from "../media/media.ts";
import type { MediaStore } from "../media/media_store.ts";
import type { RenderedHeader } from "./render_header.ts";
import type { RenderedMessage } from "./render_message.ts";
import type { FreeFormBody, SendComponent, SendParameter } from "./send.ts";

const MEDIA_UPLOAD_ERROR = 131053;

type MediaBody = Exclude<FreeFormBody, { type: "text" | "reaction" }>;

/**
 * Shows a message that is no template. Throws 131009 for media that were not uploaded to this account; media of another
 * type than the message's fail later, with 131053.
 */
export function renderFreeForm(
  media: MediaStore,
  wabaId: string,
  body: FreeFormBody,
): { rendered: RenderedMessage; fails: number | undefined } {
  if (body.type === "text") return { rendered: plain(body.text.body), fails: undefined };
  if (body.type === "reaction") return { rendered: plain(body.reaction.emoji), fails: undefined };
  const { id, link, caption, filename } = mediaOf(body);
  const uploaded = id === undefined ? undefined : findMedia(media, wabaId, id);
  const header: RenderedHeader = {
    format: body.type.toUpperCase() as RenderedHeader["format"],
    link: mediaAddress({ id, link }),
    ...(filename === undefined ? {} : { filename }),
  };
  const fits = uploaded === undefined || fitsKind(uploaded.mime_type, body.type);
  return { rendered: { ...plain(caption ?? ""), header }, fails: fits ? undefined : MEDIA_UPLOAD_ERROR };
}

interface SentMedia {
  id?: string | undefined;
  link?: string | undefined;
  caption?: string | undefined;
  filename?: string | undefined;
}

function mediaOf(body: MediaBody): SentMedia {
  switch (body.type) {
    case "image":
      return body.image;
    case "audio":
      return body.audio;
    case "video":
      return body.video;
    case "document":
      return body.document;
    case "sticker":
      return body.sticker;
  }
}

function plain(body: string): RenderedMessage {
  return { header: null, body, footer: null, buttons: [] };
}

/** Checks that the uploads of a template's header exist. Throws 131009. */
export function checkHeaderMedia(media: MediaStore, wabaId: string, components: SendComponent[]): void {
  for (const parameter of components.flatMap(parametersOf)) {
    const sent = parameter.type === "image"
      ? parameter.image
      : parameter.type === "video"
      ? parameter.video
      : parameter.type === "document"
      ? parameter.document
      : {};
    if ("id" in sent && sent.id !== undefined) findMedia(media, wabaId, sent.id);
  }
}

function parametersOf(component: SendComponent): SendParameter[] {
  return component.type === "carousel"
    ? component.cards.flatMap((card) => card.components.flatMap(parametersOf))
    : component.parameters;
}

function findMedia(media: MediaStore, wabaId: string, id: string) {
  const found = media.get(id);
  if (found === undefined || found.waba_id !== wabaId) {
    throw new PlatformError(131009, `there is no uploaded media with the id ${id}`);
  }
  return found;
}
