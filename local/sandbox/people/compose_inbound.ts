import { Buffer } from "node:buffer";
import { ControlError } from "../control/control_request.ts";
import { fitsKind, type Media } from "../media/media.ts";
import type { Platform } from "../platform.ts";
import type { InboundBody } from "./inbound_message.ts";

/** A message of a person: the part of the webhook that depends on its type, and what the page shows. */
export interface ComposedInbound {
  type: string;
  content: Record<string, unknown>;
  text: string;
  /** The message that it answers. */
  context: string | null;
}

export interface InboundRoute {
  number: string;
  waba_id: string;
  phone_number_id: string;
}

/** Composes a message as the platform reports it. Throws a `ControlError` for a button or file that cannot be. */
export function composeInbound(
  platform: Platform,
  route: InboundRoute,
  body: InboundBody,
): ComposedInbound {
  const context = "context" in body ? body.context ?? null : null;
  switch (body.type) {
    case "text":
      return { type: "text", content: { text: { body: body.text } }, text: body.text, context };
    case "button":
      return pressButton(platform, route, body);
    case "location": {
      const { latitude, longitude, name, address } = body;
      const location = { latitude, longitude, ...(name && { name }), ...(address && { address }) };
      return { type: "location", content: { location }, text: name ?? `${latitude}, ${longitude}`, context };
    }
    case "contacts": {
      const card = {
        name: { formatted_name: body.name, first_name: body.name },
        phones: [{ phone: body.phone, wa_id: body.phone.replace(/\D/g, ""), type: "CELL" }],
      };
      return { type: "contacts", content: { contacts: [card] }, text: `${body.name} ${body.phone}`, context };
    }
    case "reaction":
      return react(platform, route, body);
    case "unsupported":
      return { type: "unsupported", content: UNSUPPORTED, text: "Unsupported message", context };
    default:
      return sendFile(platform, route, body, context);
  }
}

const UNSUPPORTED = {
  errors: [{
    code: 131051,
    title: "Message type unknown",
    message: "Message type unknown",
    error_data: { details: "Message type is currently not supported." },
  }],
};

function pressButton(
  platform: Platform,
  { number, phone_number_id }: InboundRoute,
  { text, payload: wanted, context }: Extract<InboundBody, { type: "button" }>,
): ComposedInbound {
  const quickReply = ({ message: { rendered } }: (typeof messages)[number]) =>
    [rendered, ...rendered.cards ?? []].flatMap(({ buttons }) => buttons).find((button) =>
      button.type === "QUICK_REPLY" && button.text === text && (wanted ?? button.payload) === button.payload
    );
  const { messages } = platform.ledger.chat(number);
  const pressed = messages.findLast((stored) =>
    stored.message.phone_number_id === phone_number_id &&
    (context === undefined || stored.message.id === context) && quickReply(stored) !== undefined
  );
  if (pressed === undefined) {
    throw new ControlError(409, `No message to +${number} has a quick reply "${text}"`);
  }
  const payload = quickReply(pressed)!.payload ?? text;
  return { type: "button", content: { button: { payload, text } }, text, context: pressed.message.id };
}

function react(
  platform: Platform,
  { number, phone_number_id }: InboundRoute,
  { emoji, message_id }: Extract<InboundBody, { type: "reaction" }>,
): ComposedInbound {
  const latest = platform.ledger.chat(number).messages.findLast(({ message }) =>
    message.phone_number_id === phone_number_id
  );
  const target = message_id ?? latest?.message.id;
  if (target === undefined) throw new ControlError(409, `There is no message to +${number} to react to`);
  const reaction = { message_id: target, ...(emoji !== "" && { emoji }) };
  return { type: "reaction", content: { reaction }, text: emoji, context: null };
}

type FileBody = Extract<InboundBody, { type: "image" | "audio" | "video" | "document" | "sticker" }>;

/** A picture of one dot; it stands for any file that a test does not care about. */
const DOT =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const SAMPLE_TYPES = {
  image: "image/png",
  audio: "audio/ogg",
  video: "video/mp4",
  document: "application/pdf",
  sticker: "image/webp",
};

function sendFile(
  platform: Platform,
  { waba_id }: InboundRoute,
  body: FileBody,
  context: string | null,
): ComposedInbound {
  const { type, caption, base64 = DOT } = body;
  const mime_type = body.mime_type ?? SAMPLE_TYPES[type];
  if (!fitsKind(mime_type, type)) throw new ControlError(400, `mime_type: ${mime_type} does not fit ${type}`);
  const bytes = new Uint8Array(Buffer.from(base64, "base64"));
  const media = platform.media.receive({ waba_id, mime_type, bytes });
  const filename = body.type === "document" ? body.filename ?? "document.pdf" : undefined;
  return {
    type,
    content: { [type]: fileValue(media, { type, caption, filename }) },
    text: caption ?? filename ?? `(${type})`,
    context,
  };
}

function fileValue(
  { id, mime_type, sha256 }: Media,
  { type, caption, filename }: { type: string; caption: string | undefined; filename: string | undefined },
): Record<string, unknown> {
  return {
    ...(caption === undefined ? {} : { caption }),
    ...(filename === undefined ? {} : { filename }),
    mime_type,
    // The platform writes this one in base64, unlike that of the media object.
    sha256: Buffer.from(sha256, "hex").toString("base64"),
    id,
    ...(type === "audio" ? { voice: true } : {}),
    ...(type === "sticker" ? { animated: false } : {}),
  };
}
