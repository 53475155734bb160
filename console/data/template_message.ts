import type { RenderedMessage } from "./sdk.ts";

/** A part of a template, as the platform writes it and the API passes it on. */
export interface TemplatePart {
  type: string;
  format?: string;
  text?: string;
  buttons?: { type: string; text?: string; url?: string; example?: unknown }[];
  limited_time_offer?: { text?: string };
  cards?: { components: TemplatePart[] }[];
  [field: string]: unknown;
}

/** A template with the parts that a message has. */
export interface TemplateParts {
  components: TemplatePart[];
  parameter_format: "POSITIONAL" | "NAMED";
}

/** A message as it will show on a phone. */
export interface PreviewMessage {
  header?:
    | { kind: "text"; text: string }
    | { kind: "media"; format: string; name: string; picture?: string }
    | undefined;
  body: string;
  footer?: string | undefined;
  buttons?: string[];
  cards?: PreviewMessage[];
}

/** Values by their names in the API: `body_text_0`, `header_image`. */
export type Values = Readonly<Record<string, string | undefined>>;

const VARIABLE = /\{\{\s*(\w+)\s*\}\}/g;

/** Fills a template for a preview. A variable without a value stays as it is written. */
export function messageOf({ components, parameter_format }: TemplateParts, values: Values): PreviewMessage {
  const isNamed = parameter_format === "NAMED";
  return fill(components, (name) => values[name], isNamed);
}

/** Returns a message that the API has filled in. */
export function messageOfRendered(
  { header, body, footer, buttons, offer, cards }: RenderedMessage,
): PreviewMessage {
  return {
    header: header?.format === "TEXT"
      ? { kind: "text", text: header.text ?? "" }
      : header
      ? { kind: "media", format: header.format, name: header.text ?? fileName(header.link ?? "") }
      : undefined,
    body: offer ? `*${offer.text}*\n${body}` : body,
    footer: footer ?? undefined,
    buttons: buttons.map(({ text }) => text),
    ...(cards && {
      cards: cards.map((card) => messageOfRendered({ ...card, footer: null })),
    }),
  };
}

type ValueOf = (name: string) => string | undefined;

function fill(parts: TemplatePart[], valueOf: ValueOf, isNamed: boolean): PreviewMessage {
  const part = (type: string) => parts.find((each) => each.type.toUpperCase() === type);
  const carousel = part("CAROUSEL")?.cards;
  const offer = part("LIMITED_TIME_OFFER")?.limited_time_offer?.text;
  const body = fillText(part("BODY")?.text ?? "", (number) => valueOf(`body_text_${number}`), isNamed);
  return {
    header: headerOf(part("HEADER"), valueOf, isNamed),
    body: offer ? `*${offer}*\n${body}` : body,
    footer: part("FOOTER")?.text,
    buttons: (part("BUTTONS")?.buttons ?? []).map(({ text, type }) => text ?? type),
    ...(carousel && {
      cards: carousel.map((card, index) =>
        fill(card.components, (name) => valueOf(`carousel_${index}_${name}`), isNamed)
      ),
    }),
  };
}

function headerOf(
  part: TemplatePart | undefined,
  valueOf: ValueOf,
  isNamed: boolean,
): PreviewMessage["header"] {
  if (part === undefined) return undefined;
  const format = part.format?.toUpperCase() ?? "TEXT";
  if (format === "TEXT") {
    return { kind: "text", text: fillText(part.text ?? "", () => valueOf("header_text_0"), isNamed) };
  }
  const value = format === "LOCATION"
    ? valueOf("header_location_name")
    : valueOf(`header_${format.toLowerCase()}`);
  return { kind: "media", format, name: fileName(value ?? "") };
}

function fileName(address: string): string {
  return address.split(/[?#]/, 1)[0]!.replace(/^.*\//, "");
}

/** Fills `{{1}}` with the value 0, and `{{name}}` with that of its first appearance. */
function fillText(text: string, valueOf: (number: number) => string | undefined, isNamed: boolean): string {
  const names = [...new Set(Array.from(text.matchAll(VARIABLE), ([, name]) => name!))];
  return text.replaceAll(
    VARIABLE,
    (written, name: string) => valueOf(isNamed ? names.indexOf(name) : Number(name) - 1) || written,
  );
}
