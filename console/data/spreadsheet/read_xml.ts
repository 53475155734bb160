import { Parser } from "saxen";

/** The handlers of the parts of an XML text; names come without their prefixes. */
export interface XmlHandlers {
  open?(name: string, attributes: Record<string, string>): void;
  text?(text: string): void;
  close?(name: string): void;
}

/** The part of the parser that is used here; it has no types of its own. */
interface SaxParser {
  on(event: "openTag", act: (name: string, attributes: () => Record<string, string>) => void): void;
  on(event: "text" | "cdata", act: (text: string, decode?: (text: string) => string) => void): void;
  on(event: "closeTag", act: (name: string) => void): void;
  parse(xml: string): void;
}

/** Reads XML from its beginning to its end; of nothing it reads nothing. The browser's own parser is not allowed by the page's policy. */
export function readXml(xml: string, { open, text, close }: XmlHandlers): void {
  if (xml === "") return;
  const parser = new Parser() as SaxParser;
  if (open) parser.on("openTag", (name, attributes) => open(localName(name), attributes()));
  if (text) {
    parser.on("text", (raw, decode) => text(decode ? decode(raw) : raw));
    parser.on("cdata", (raw) => text(raw));
  }
  if (close) parser.on("closeTag", (name) => close(localName(name)));
  parser.parse(xml);
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
