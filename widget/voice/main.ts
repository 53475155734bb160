import { followAppearance, parseAppearance } from "../shared/appearance.ts";
import { directionOf, labelsIn } from "../shared/language.ts";
import { builtInApi, makeElement } from "../shared/page.ts";
import { readFragment } from "../shared/urls.ts";
import { warn } from "../shared/warn.ts";
import { type RunningVoice, runVoice } from "./run_voice.ts";
import { createVoiceApi, type VoiceApi } from "./voice_api.ts";

/** Sends a message to the embedding page. Its origin does not matter, because the messages contain no secret. */
function post(type: "outbound:ready" | "outbound:close" | "outbound:handoff"): void {
  if (parent !== window) parent.postMessage({ type }, "*");
}

const fragment = readFragment(location.hash);

let running: RunningVoice | undefined;

function close(): void {
  running?.hangUp();
  post("outbound:close");
}

async function show(api: VoiceApi): Promise<void> {
  const widget = await api.widget();
  const root = document.documentElement;
  root.lang = widget.language;
  root.dir = directionOf(widget.language);
  document.title = widget.texts.title ?? document.title;
  followAppearance(root, parseAppearance(widget));
  running = runVoice({
    ...{ api, widget, closable: fragment.showClose },
    onHandoff: () => post("outbound:handoff"),
    onClose: close,
  });
  document.body.replaceChildren(running.element);
}

/** Shows an error in our own words, when the widget's texts could not be loaded. */
function showUnavailable(api: VoiceApi, language: string): void {
  const { unavailable, retry, close: closeLabel } = labelsIn(language);
  document.documentElement.lang = language;
  const again = makeElement("button", { type: "button", class: "primary" }, retry);
  const leave = makeElement("button", { type: "button", class: "plain" }, closeLabel);
  const note = makeElement(
    "main",
    { class: "note" },
    makeElement("h1", { role: "alert" }, unavailable),
    again,
  );
  again.addEventListener("click", () => open(api, language));
  leave.addEventListener("click", close);
  if (fragment.showClose) note.append(leave);
  followAppearance(document.documentElement, parseAppearance(undefined));
  document.body.replaceChildren(note);
  again.focus();
}

async function open(api: VoiceApi, language: string): Promise<void> {
  try {
    await show(api);
  } catch (error) {
    warn(`the voice widget cannot be shown: ${error instanceof Error ? error.message : "no response"}`);
    showUnavailable(api, language);
  }
}

addEventListener("keydown", (event) => {
  if (event.key === "Escape" && fragment.showClose) close();
});
// The loader reports that its panel was closed. The embedding page can do nothing but hang up.
addEventListener("message", ({ source, data }) => {
  if (source === parent && data?.type === "outbound:hidden") running?.hangUp();
});
post("outbound:ready");
const language = fragment.language || navigator.language;
// A page built for one API uses only that one, because any site can write a link with another.
const api = builtInApi() ?? fragment.api;
const [key, widget] = [fragment.get("key"), fragment.get("widget")];
if (api && key && widget) await open(createVoiceApi({ api, key, widget, language }), language);
else warn("voice.html needs key, widget and api after #");
