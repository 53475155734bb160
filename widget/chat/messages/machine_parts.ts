import { makeElement } from "../../shared/page.ts";
import type { Message } from "../schemas.ts";
import type { Texts } from "../texts.ts";

/** Marks a message as a machine's, by the machine's name above its text, and lists the documents that it quotes. */
export function showMachine(bubble: HTMLElement, { sender, sources = [] }: Message, texts: Texts): void {
  if (!sender?.is_machine || bubble.classList.contains("machine")) return;
  bubble.classList.add("machine");
  bubble.querySelector(".unseen")?.replaceWith(
    makeElement("strong", { class: "machine-name", dir: "auto" }, sender.name),
  );
  if (sources.length === 0) return;
  const items = sources.map((source) => makeElement("li", { dir: "auto" }, makeSource(source)));
  bubble.append(
    makeElement(
      "div",
      { class: "sources" },
      makeElement("span", {}, texts("sources")),
      makeElement("ul", { role: "list" }, ...items),
    ),
  );
}

function makeSource({ title, url }: NonNullable<Message["sources"]>[number]): Node {
  if (!url || !/^https?:\/\//.test(url)) return document.createTextNode(title);
  return makeElement("a", { href: url, target: "_blank", rel: "noopener noreferrer nofollow" }, title);
}
