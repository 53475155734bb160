import type { UploadDryRun } from "../../../data/sdk.ts";
import type { PreviewMessage } from "../../../data/template_message.ts";

type Rendered = UploadDryRun["samples"][number]["rendered"];

/** Returns a message that the API has rendered, as the phone shows it. */
export function renderedMessage({ footer, offer, cards, ...parts }: Rendered): PreviewMessage {
  const message = partsOf(parts);
  return {
    ...message,
    body: offer ? `*${offer.text}*\n${message.body}` : message.body,
    footer: footer ?? undefined,
    ...(cards && { cards: cards.map(partsOf) }),
  };
}

function partsOf(
  { header, body, buttons }: Pick<Rendered, "header" | "body" | "buttons">,
): PreviewMessage {
  return { header: headerOf(header), body, buttons: buttons.map(({ text }) => text) };
}

function headerOf(header: Rendered["header"]): PreviewMessage["header"] {
  if (header === null) return undefined;
  const { format, text, link } = header;
  if (format.toUpperCase() === "TEXT") return { kind: "text", text: text ?? "" };
  const [address = ""] = (link ?? "").split(/[?#]/, 1);
  return { kind: "media", format, name: text ?? address.replace(/^.*\//, "") };
}
