import { mediaIdIn } from "../media/media_reference.ts";
import { cardsOf, type TemplateButton, type TemplateComponent } from "./template.ts";
import { findComponent } from "./template_texts.ts";

/** A message as its recipient sees it, every variable filled in. */
export interface RenderedMessage {
  /** Null without one. */
  header: RenderedHeader | null;
  body: string;
  footer: string | null;
  buttons: RenderedButton[];
  /** A limited-time offer, with its end as ISO 8601 where it has one. */
  offer?: { text: string; ends_at: string | null };
  /** The cards of a carousel. */
  cards?: Pick<RenderedMessage, "header" | "body" | "buttons">[];
}

/** Media have a link, or the id of a file of the company; other headers have a text. */
export interface RenderedHeader {
  format: string;
  text?: string;
  link?: string;
  media_id?: string;
}

export interface RenderedButton {
  type: string;
  text: string;
  url?: string;
  code?: string;
}

/** A component as it is sent to the platform. */
export interface SentComponent {
  type: string;
  index?: number;
  parameters?: SentParameter[];
  cards?: { card_index: number; components: SentComponent[] }[];
}

interface SentMedium {
  link?: string;
  id?: string;
}

interface SentParameter {
  type: string;
  text?: string;
  parameter_name?: string;
  coupon_code?: string;
  limited_time_offer?: { expiration_time_ms?: number };
  location?: { name?: string; address?: string };
  image?: SentMedium;
  video?: SentMedium;
  document?: SentMedium;
}

/** Renders a template with the components that are sent. */
export function renderMessage(
  { components }: { components: TemplateComponent[] },
  sent: SentComponent[],
): RenderedMessage {
  const cards = renderCards(components, sent);
  const offer = renderOffer(components, sent);
  return {
    ...renderParts(components, sent),
    footer: findComponent(components, "FOOTER")?.text ?? null,
    ...(offer !== undefined && { offer }),
    ...(cards.length > 0 && { cards }),
  };
}

function renderParts(components: TemplateComponent[], sent: SentComponent[]) {
  const parametersOf = (type: string) =>
    sent.find((component) => component.type.toLowerCase() === type)?.parameters ?? [];
  const buttons = findComponent(components, "BUTTONS")?.buttons ?? [];
  const sentButtons = sent.filter(({ type }) => type.toLowerCase() === "button");
  return {
    header: renderHeader(findComponent(components, "HEADER"), parametersOf("header")),
    body: fillText(findComponent(components, "BODY")?.text ?? "", parametersOf("body")),
    buttons: buttons.map((button, position) =>
      renderButton(button, sentButtons.find(({ index }) => Number(index) === position)?.parameters ?? [])
    ),
  };
}

function renderHeader(
  header: TemplateComponent | undefined,
  parameters: SentParameter[],
): RenderedHeader | null {
  if (header === undefined) return null;
  const format = header.format?.toUpperCase() ?? "TEXT";
  if (format === "TEXT") return { format, text: fillText(header.text ?? "", parameters) };
  const [{ image, video, document, location } = {}] = parameters as [SentParameter?];
  const { link, id = "" } = image ?? video ?? document ?? {};
  const media_id = mediaIdIn(id);
  const text = location?.name ?? location?.address;
  return {
    format,
    ...(link !== undefined && { link }),
    ...(media_id !== undefined && { media_id }),
    ...(text !== undefined && { text }),
  };
}

function renderButton(button: TemplateButton, parameters: SentParameter[]): RenderedButton {
  const code = parameters[0]?.coupon_code;
  return {
    type: button.type.toUpperCase(),
    text: button.text ?? "",
    ...(button.url !== undefined && { url: fillText(button.url, parameters) }),
    ...(code !== undefined && { code }),
  };
}

function renderOffer(components: TemplateComponent[], sent: SentComponent[]): RenderedMessage["offer"] {
  const offer = findComponent(components, "LIMITED_TIME_OFFER")?.limited_time_offer;
  if (typeof offer !== "object" || offer === null || !("text" in offer)) return undefined;
  const sentOffer = sent.find(({ type }) => type.toLowerCase() === "limited_time_offer");
  const endMs = sentOffer?.parameters?.[0]?.limited_time_offer?.expiration_time_ms;
  return { text: String(offer.text), ends_at: endMs === undefined ? null : new Date(endMs).toISOString() };
}

function renderCards(components: TemplateComponent[], sent: SentComponent[]) {
  const carousel = findComponent(components, "CAROUSEL");
  const sentCards = sent.find(({ type }) => type.toLowerCase() === "carousel")?.cards ?? [];
  const cards = carousel && cardsOf(carousel);
  return (cards ?? []).map((card, position) =>
    renderParts(
      card,
      sentCards.find(({ card_index }) => card_index === position)?.components ?? [],
    )
  );
}

const VARIABLE = /\{\{\s*(\w+)\s*\}\}/g;

/** Fills `{{1}}` with the first parameter, by number, and `{{name}}` with the one of that name. */
function fillText(text: string, parameters: SentParameter[]): string {
  const named = new Map(parameters.map(({ parameter_name, text }) => [parameter_name, text]));
  const numbers = [...new Set(Array.from(text.matchAll(VARIABLE), ([, name]) => Number(name)))]
    .sort((a, b) => a - b);
  return text.replace(
    VARIABLE,
    (whole, name: string) => named.get(name) ?? parameters[numbers.indexOf(Number(name))]?.text ?? whole,
  );
}
