import { makeElement } from "../../shared/page.ts";
import type { Sender } from "../schemas.ts";

/** Makes the line above a message of the company: the picture of the writer, or the initials, and the name. */
export function makeSenderLine(sender: Sender): HTMLElement {
  // The message itself begins with the name, for screen readers.
  return makeElement(
    "div",
    { class: "sender", "aria-hidden": "true" },
    makeAvatar(sender),
    makeElement("span", {}, sender.name),
  );
}

function makeAvatar({ name, avatar_url }: Sender): HTMLElement {
  const avatar = makeElement("span", { class: "avatar" }, initialsOf(name));
  // Dark enough for white letters, whatever the hue.
  avatar.style.backgroundColor = `hsl(${hueOf(name)} 45% 28%)`;
  if (avatar_url === undefined) return avatar;
  const image = makeElement("img", {
    alt: "",
    src: avatar_url,
    referrerpolicy: "no-referrer",
    loading: "lazy",
  });
  image.addEventListener("error", () => image.remove());
  avatar.append(image);
  return avatar;
}

/** Returns the first letters of the first and the last word of a name. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : ""].map((word) => [...word ?? ""][0] ?? "");
  return letters.join("").toLocaleUpperCase();
}

function hueOf(name: string): number {
  return [...name].reduce((hue, character) => (hue * 31 + character.codePointAt(0)!) % 360, 7);
}
