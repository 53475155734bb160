import document from "./document.json" with { type: "json" };

let text: string | undefined;

/** Returns the API document, written once per process: it has hundreds of kilobytes. */
export function documentText(): string {
  return text ??= JSON.stringify(document);
}
