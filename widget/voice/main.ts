import { applyColors, parseColors } from "../shared/apply_colors.ts";
import { builtInApi } from "../shared/built_in_api.ts";
import { directionOf } from "../shared/direction_of.ts";
import { labelsIn } from "../shared/labels.ts";
import { makeElement } from "../shared/make_element.ts";
import { readFragment } from "../shared/read_fragment.ts";
import { warn } from "../shared/warn.ts";
import { type RunningVoice, runVoice } from "./run_voice.ts";
import { createVoiceApi, type VoiceApi } from "./voice_api.ts";

/** Says something to the page around this one: who it is does not matter, for nothing in it is a secret. */
function tell(type: "outbound:ready" | "outbound:close"): void {
  if (parent !== window) parent.postMessage({ type }, "*");
}

const fragment = readFragment(location.hash);

let running: RunningVoice | undefined;

function close(): void {
  running?.hangUp();
  tell("outbound:close");
}

async function show(api: VoiceApi): Promise<void> {
  const widget = await api.widget();
  const root = document.documentElement;
  root.lang = widget.language;
  root.dir = directionOf(widget.language);
  document.title = widget.texts.title ?? document.title;
  applyColors(root, parseColors(widget.colors));
  running = runVoice({ api, widget, closable: fragment.showClose, onClose: close });
  document.body.replaceChildren(running.element);
}

/** What is shown when the server does not answer: it is not known what the widget itself would say. */
function showUnavailable(api: VoiceApi, language: string): void {
  const { unavailable, retry, close: closeLabel } = labelsIn(language, "voice");
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
  applyColors(document.documentElement, parseColors(undefined));
  document.body.replaceChildren(note);
  again.focus();
}

async function open(api: VoiceApi, language: string): Promise<void> {
  try {
    await show(api);
  } catch (error) {
    warn(`the voice widget cannot be shown: ${error instanceof Error ? error.message : "no answer"}`);
    showUnavailable(api, language);
  }
}

addEventListener("keydown", (event) => {
  if (event.key === "Escape" && fragment.showClose) close();
});
// The loader says so when its panel is closed. Only the page around this one is heard, and all it can do is end a call.
addEventListener("message", ({ source, data }) => {
  if (source === parent && data?.type === "outbound:hidden") running?.hangUp();
});
tell("outbound:ready");
const language = fragment.language || navigator.language;
// A page built for one API talks to that one: anybody may have written the link to it.
const api = builtInApi() ?? fragment.api;
const [key, widget] = [fragment.get("key"), fragment.get("widget")];
if (api && key && widget) await open(createVoiceApi({ api, key, widget, language }), language);
else warn("voice.html needs key, widget and api behind its #; the loader gives them");
