import { element } from "../shared/dom.js";

const SECOND_MS = 1000;

/** The offers on the page whose time is running. */
const running = new Set();
let timer;

/** A limited-time offer: what it says, its code, and how long it lasts. */
export function offerBlock({ text, expires_at }, buttons) {
  const block = element("div", "offer");
  const sign = element("span", "gift", "%");
  sign.setAttribute("aria-hidden", "true");
  const label = element("div", "");
  label.append(element("strong", "", text));
  const code = buttons.find(({ type }) => type === "COPY_CODE")?.code;
  if (code !== undefined) label.append(element("span", "", `Code: ${code}`));
  block.append(sign, label);
  if (expires_at === null) return block;
  const left = element("time", "left");
  left.dateTime = expires_at;
  left.title = new Date(expires_at).toLocaleString();
  label.append(left);
  showLeft(left);
  running.add(left);
  timer ??= setInterval(tick, SECOND_MS);
  return block;
}

function tick() {
  for (const left of running) {
    const isOver = left.isConnected && !showLeft(left);
    if (isOver || !left.isConnected) running.delete(left);
  }
  if (running.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}

/** Shows the time that is left; returns whether there is any. */
function showLeft(left) {
  const seconds = Math.floor((Date.parse(left.dateTime) - Date.now()) / SECOND_MS);
  const text = seconds < 0 ? "Offer ended" : `Ends in ${countdown(seconds)}`;
  if (left.textContent !== text) left.textContent = text;
  left.classList.toggle("over", seconds < 0);
  return seconds >= 0;
}

function countdown(seconds) {
  const two = (part) => String(Math.floor(part)).padStart(2, "0");
  const days = Math.floor(seconds / 86_400);
  const clock = `${two(seconds % 86_400 / 3600)}:${two(seconds % 3600 / 60)}:${two(seconds % 60)}`;
  return days === 0 ? clock : `${days} ${days === 1 ? "day" : "days"} ${clock}`;
}
