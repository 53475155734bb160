import { attempt, control, element } from "../shared/dom.js";
import { showControls } from "../../../../supabase/functions/_shared/show_controls.js";
import { locationBlock, makeCards } from "./cards.js";
import { offerBlock } from "./offer.js";

const TICKS = {
  accepted: { mark: "◷", label: "Accepted" },
  sent: { mark: "✓", label: "Sent" },
  delivered: { mark: "✓✓", label: "Delivered" },
  read: { mark: "✓✓", label: "Read" },
  failed: { mark: "!", label: "Failed" },
};
const ORDER = ["accepted", "sent", "delivered", "read", "failed"];
const MEDIA_SIGNS = { IMAGE: "", STICKER: "", AUDIO: "♪", VIDEO: "▶" };
const BUTTON_SIGNS = { URL: "↗ ", QUICK_REPLY: "↩ ", PHONE_NUMBER: "☎ ", COPY_CODE: "❏ ", FLOW: "☰ " };
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

/** A chat bubble with everything the person sees of a message. */
export function makeBubble(message) {
  const { header, body, footer, buttons, offer, cards } = message.rendered;
  const article = element("article", "message");
  const bubble = element("div", "bubble");
  if (header !== null && header.format !== "TEXT") bubble.append(headerBlock(header));
  if (offer !== undefined) bubble.append(offerBlock(offer, buttons));
  const text = element("div", "text");
  if (header?.format === "TEXT") text.append(element("h3", "", header.text));
  const paragraph = element("div", "body");
  paragraph.append(richText(body));
  text.append(paragraph);
  if (footer !== null) text.append(element("p", "footer", footer));
  const meta = element("div", "meta");
  const { template } = message;
  const name = element(
    "span",
    "name",
    template === null ? message.type : `${template.name} · ${template.language}`,
  );
  name.title = `${name.textContent}\nref ${message.biz_opaque_callback_data ?? "none"}\n${message.id}`;
  const time = element("time", "", clock.format(new Date(message.accepted_at)));
  time.dateTime = message.accepted_at;
  meta.append(name, time, element("span", "ticks"));
  bubble.append(text, meta, ...buttons.map((button) => buttonRow(button, message)));
  article.append(bubble);
  if (cards !== undefined) {
    article.append(makeCards(cards, { headerBlock, richText, row: (button) => buttonRow(button, message) }));
  }
  showStatus(article, message);
  return article;
}

/** A bubble of the person; what the platform says about the person is a note. */
export function makeReply({ type, text, at, id }) {
  if (type === "system") return element("p", "note", text);
  const article = element("article", "message own");
  const bubble = element("div", "bubble");
  const body = element("div", "text");
  const paragraph = element("div", "body");
  paragraph.append(type === "button" ? "↩ " : "", richText(text || "(reaction taken back)"));
  body.append(paragraph);
  const meta = element("div", "meta");
  const name = element("span", "name", type);
  name.title = id;
  const time = element("time", "", clock.format(new Date(at)));
  time.dateTime = at;
  meta.append(name, time);
  bubble.append(body, meta);
  article.append(bubble);
  return article;
}

/** Updates the ticks and the failure of a bubble. */
export function showStatus(article, message) {
  const reached = message.statuses.map(({ status }) => status);
  const status = ORDER.findLast((each) => reached.includes(each)) ?? "accepted";
  const ticks = article.querySelector(".ticks");
  if (ticks.dataset.status === status) return;
  const { mark, label } = TICKS[status];
  ticks.dataset.status = status;
  ticks.className = `ticks ${status}`;
  ticks.textContent = mark;
  ticks.title = label;
  ticks.setAttribute("role", "img");
  ticks.setAttribute("aria-label", label);
  const error = message.statuses.find((each) => each.error)?.error;
  if (error === undefined || article.querySelector(".failure")) return;
  article.querySelector(".bubble").append(element("p", "failure", `${error.code}: ${error.title}`));
}

function headerBlock(header) {
  return header.format === "LOCATION" ? locationBlock(header) : mediaBlock(header);
}

/** The picture itself where it can be loaded, a labelled block under it where not. */
function mediaBlock({ format, link, filename, text }) {
  const block = element("div", `media ${format.toLowerCase()}`);
  const name = filename ?? text ?? lastPart(link);
  const label = element("div", "");
  label.append(element("span", "", name), element("span", "", format.toLowerCase()));
  block.append(element("b", "", MEDIA_SIGNS[format] ?? extensionOf(name)), label);
  if (format === "IMAGE" || format === "STICKER") block.append(picture(link));
  block.title = link ?? "";
  return block;
}

function extensionOf(name) {
  return name.match(/\.(\w{2,4})$/)?.[1].toUpperCase() ?? "FILE";
}

function picture(link) {
  const image = document.createElement("img");
  image.alt = "";
  image.hidden = true;
  image.referrerPolicy = "no-referrer";
  image.addEventListener("load", () => image.hidden = false);
  image.src = link;
  return image;
}

function lastPart(link) {
  try {
    const { pathname, hostname } = new URL(link);
    return decodeURIComponent(pathname.split("/").pop() ?? "") || hostname;
  } catch {
    return link ?? "";
  }
}

function buttonRow(button, message) {
  const label = `${BUTTON_SIGNS[button.type] ?? ""}${button.text}`;
  if (button.type === "QUICK_REPLY") return quickReply(button, message, label);
  if (button.type === "COPY_CODE") return copyCode(button, label);
  if (button.type === "FLOW") return flow(button, label);
  const href = button.url ?? (button.phone_number && `tel:${button.phone_number}`);
  if (!href || !/^(https?|tel):/.test(href)) return element("div", "button", label);
  const link = element("a", "button", label);
  link.href = href;
  link.title = href;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  return link;
}

/** A button that copies the offer's code, and shows it. */
function copyCode({ code }, label) {
  const button = element("button", "button", `${label} `);
  button.type = "button";
  button.append(element("code", "", code));
  button.addEventListener("click", async () => {
    await navigator.clipboard?.writeText(code).catch(() => {});
    button.firstChild.textContent = "❏ Copied ";
  });
  return button;
}

/** A form of the business, which the sandbox does not open: it shows what the form would start with. */
function flow({ flow_token, flow_data }, label) {
  const row = element("div", "button flow", label);
  const facts = [
    flow_token === undefined ? "" : `token ${flow_token}`,
    flow_data === undefined ? "" : JSON.stringify(flow_data),
  ].filter((fact) => fact !== "");
  if (facts.length > 0) row.append(element("small", "", facts.join(" · ")));
  return row;
}

/** A button that replies for the person. */
function quickReply({ text, payload }, { id, to, phone_number_id }, label) {
  const button = element("button", "button", label);
  button.type = "button";
  if (payload !== text) button.title = `payload ${payload}`;
  const reply = { type: "button", text, payload, context: id, phone_number_id };
  button.addEventListener(
    "click",
    () => attempt(() => control("POST", `phones/${to.replace(/\D/g, "")}/messages`, reply)),
  );
  return button;
}

/** Marks of the messaging app and the elements they become. Longest first. */
const MARKS = [
  { mark: "```", tag: "code" },
  { mark: "*", tag: "strong" },
  { mark: "_", tag: "em" },
  { mark: "~", tag: "s" },
];

/**
 * Turns `*bold*`, `_italic_`, `~strike~` and ```` ```mono``` ```` into elements. Built node by node: a
 * message can only become text.
 */
function richText(given) {
  const text = showControls(given);
  const fragment = document.createDocumentFragment();
  let plain = 0;
  for (let at = 0; at < text.length;) {
    const found = markedAt(text, at);
    if (found === null) {
      at += 1;
      continue;
    }
    fragment.append(text.slice(plain, at));
    const element = document.createElement(found.tag);
    element.append(found.tag === "code" ? found.inner : richText(found.inner));
    fragment.append(element);
    at = plain = found.end;
  }
  fragment.append(text.slice(plain));
  return fragment;
}

/** A marked stretch that starts here: mark against a word on both sides, on one line, not empty. */
function markedAt(text, start) {
  for (const { mark, tag } of MARKS) {
    if (!text.startsWith(mark, start) || isWord(text[start - 1])) continue;
    const from = start + mark.length;
    const close = text.indexOf(mark, from + 1);
    const inner = text.slice(from, close);
    if (close < 0 || inner !== inner.trim() || (tag !== "code" && inner.includes("\n"))) continue;
    if (isWord(text[close + mark.length])) continue;
    return { tag, inner, end: close + mark.length };
  }
  return null;
}

function isWord(character) {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character);
}
