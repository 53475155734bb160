/** What an element may be made with: text as text, everything else as attributes; undefined and false leave one out. */
export type ElementOptions = Record<string, string | number | boolean | undefined>;

/**
 * Makes an element with its attributes and children. Text is only ever set as text, never parsed as HTML.
 *
 * @param options attributes by name; `true` sets an empty one
 */
export function makeElement<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  options: ElementOptions = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(options)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(attribute, value === true ? "" : String(value));
  }
  element.append(...children);
  return element;
}
